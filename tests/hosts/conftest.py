"""Fixtures of the tests of hosts, which run in an environment of their own."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import anywidget
import pytest
from playwright.sync_api import expect, sync_playwright

from browser.harness import PATIENCE, VIEWPORT, find_chromium, launch
from browser.jupyter import free_port, served
from browser.reading import wait_for_answer
from hosts.demo import make
from hosts.hosts import JUPYTERLAB
from hosts.rounds import DARK, Reference, Round, Styles, go_round, is_dark, raise_if, styles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page

    from hosts.hosts import Host

expect.set_options(timeout=PATIENCE)

TESTS = Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
# Everything but this machine goes to a proxy that does not exist.
FIREFOX = {
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
    "network.proxy.no_proxies_on": "127.0.0.1,localhost",
    # Playwright does not notice when Firefox shows a page that it has kept.
    "browser.sessionhistory.max_total_viewers": 0,
}

# What anywidget sends to pages that load modules by AMD.
ANYWIDGET = Path(anywidget.__file__).parent / "nbextension" / "index.js"


def find_firefox() -> str | None:
    """Return the path of Debian's Firefox, or of another one."""
    return shutil.which("firefox-esr") or shutil.which("firefox")


def missing(reason: str) -> None:
    """Skip a test for want of a browser; fail where continuous integration has to have it."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def browsers() -> Iterator[Callable[[str], Browser]]:
    """Return a browser by its name, started once."""
    running: dict[str, Browser] = {}
    with sync_playwright() as playwright:

        def browser(name: str) -> Browser:
            if name not in running:
                running[name] = start(name)
            return running[name]

        def start(name: str) -> Browser:
            executable = find_chromium() if name == "chromium" else find_firefox()
            if executable is None:
                missing(f"no {name}: on Debian, `apt-get install chromium firefox-esr`")
            if name == "chromium":
                return launch(playwright, executable)
            return playwright.firefox.launch(
                channel="moz-firefox", executable_path=executable, firefox_user_prefs=FIREFOX
            )

        yield browser
        for one in running.values():
            one.close()


@pytest.fixture(scope="session")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved page, which is the explorer without any host's style sheets."""
    path = tmp_path_factory.mktemp("saved") / "page.html"
    with make() as explorer:
        explorer.save(path)
    return path


@pytest.fixture(scope="session")
def reference(browsers: Callable[[str], Browser], saved: Path) -> Reference:
    """Return the styles of the explorer in a browser without a host, at a width."""

    def of(browser: str, width: int) -> Styles:
        with browsers(browser).new_context(viewport=VIEWPORT) as session:
            page = session.new_page()
            page.goto(saved.as_uri())
            root = page.get_by_test_id("uq-root")
            wait_for_answer(root)
            root.evaluate("(root, width) => { root.style.width = `${width}px`; }", width)
            wait_for_answer(root)
            return styles(root)

    return of


@pytest.fixture
def running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., AbstractContextManager[str]]:
    """Run a host with its app, and return the address of the app."""
    # The apps import this package.
    path = os.pathsep.join(filter(None, (str(TESTS), os.environ.get("PYTHONPATH"))))
    monkeypatch.setenv("PYTHONPATH", path)

    @contextmanager
    def run_app(host: Host, *, dark: bool = False, python: str = sys.executable) -> Iterator[str]:
        app = tmp_path / ("dark" if dark else "light")
        app.mkdir()
        path, port, token = host.write(app, dark=dark), free_port(), secrets.token_urlsafe(12)
        address = f"http://127.0.0.1:{port}/"
        command = [python, "-m", *host.command(path, port, token, dark)]
        home = tmp_path / ("dark-home" if dark else "home")
        home.mkdir()
        with served(command, address + host.health, home):
            yield address + host.page + (token if host.page.endswith("token=") else "")

    return run_app


@pytest.fixture
def opened(
    browsers: Callable[[str], Browser], running: Callable[..., AbstractContextManager[str]]
) -> Callable[..., AbstractContextManager[tuple[Page, list[str]]]]:
    """Open a host's app in a browser; the list has the errors of the page, and its requests."""

    @contextmanager
    def open_app(
        host: Host, browser: str, *, dark: bool = False, python: str = sys.executable
    ) -> Iterator[tuple[Page, list[str]]]:
        faults: list[str] = []
        with (
            running(host, dark=dark, python=python) as address,
            browsers(browser).new_context(viewport=VIEWPORT) as session,
        ):
            page = session.new_page()
            page.set_default_timeout(PATIENCE)
            page.on("pageerror", lambda error: _note_error(str(error), host, faults))
            if not host.requests_elsewhere:
                of = urlsplit(address).netloc
                page.on("request", lambda request: _note(request.url, of, faults))
            if host.needs_anywidget:
                page.route(host.needs_anywidget, lambda route: route.fulfill(path=ANYWIDGET))
            page.goto(address)
            if host.notebook:
                page.wait_for_function(host.notebook.ready, timeout=200_000)
                errors = page.evaluate(host.notebook.run_all, 200_000)
                assert not errors, errors
            yield page, faults

    return open_app


@pytest.fixture
def whole_round(
    opened: Callable[..., AbstractContextManager[tuple[Page, list[str]]]], reference: Reference
) -> Callable[..., Round]:
    """Go the round in a host, in light and in dark colours."""

    def go(host: Host, browser: str, python: str = sys.executable) -> Round:
        with opened(host, browser, python=python) as (page, errors):
            this = go_round(page, host, partial(reference, browser))
            if host.notebook is JUPYTERLAB:
                page.evaluate(DARK)
                this.step("dark", lambda: is_dark(page))
        if not host.notebook:
            with opened(host, browser, dark=True, python=python) as (page, more):
                this.step("dark", lambda: is_dark(page))
            errors += more
        this.step("no error", lambda: raise_if(errors))
        return this

    return go


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive that a person installs."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    subprocess.run([*pip, f"--wheel-dir={folder}", str(ROOT)], check=True)
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture
def of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make hosts import the installed package, not that of the folder in which the tests run."""
    monkeypatch.setenv("PYTHONSAFEPATH", "1")
    monkeypatch.setenv("PYTHONPATH", str(TESTS))


def _note_error(error: str, host: Host, faults: list[str]) -> None:
    if not any(own in error for own in host.own_errors):
        faults.append(error)


def _note(url: str, server: str, faults: list[str]) -> None:
    if url.startswith("http") and f"//{server}" not in url:
        faults.append(f"requested {url}")
