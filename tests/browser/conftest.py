"""Fixtures of the browser tests; all of them need Chromium."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import comm
import pytest
from playwright.sync_api import sync_playwright

from browser.bridge import Bridge, QueueComm
from browser.harness import find_chromium, launch, watched_page
from browser.jupyter import jupyter_lab
from browser.reading import wait_for_answer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Locator, Page

    from browser.jupyter import JupyterLab
    from uqwidgets import Explorer


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the browser tests, and run them last, because they are slow."""
    here = Path(__file__).parent
    browser_items = [item for item in items if here in item.path.parents]
    for item in browser_items:
        item.add_marker(pytest.mark.browser)
    items[:] = [item for item in items if here not in item.path.parents] + browser_items


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    executable = find_chromium()
    if executable is None:
        reason = (
            "no Chromium or Chrome found: install one (on Debian: `apt-get install chromium`) or "
            "name it in UQWIDGETS_CHROMIUM"
        )
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        chromium = launch(playwright, executable)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page that fails its test if it reaches outside this machine or raises an error."""
    with watched_page(browser) as page:
        yield page


@pytest.fixture
def bridge(page: Page, monkeypatch: pytest.MonkeyPatch) -> Bridge:
    """A page for widgets of this process; a fixture of a widget must come after this one."""
    monkeypatch.setattr(comm, "create_comm", lambda **kwargs: QueueComm(**kwargs))
    return Bridge(page)


@pytest.fixture
def root(bridge: Bridge, widget: Explorer) -> Locator:
    """The root of the test module's ``widget`` on the page, after its first answer."""
    root = bridge.mount(widget)
    wait_for_answer(root)
    return root


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[JupyterLab]:  # noqa: ARG001
    """A JupyterLab; it depends on the browser, so that no server starts without one."""
    folder = tmp_path_factory.mktemp("notebooks")
    with jupyter_lab(folder, tmp_path_factory.mktemp("jupyter")) as server:
        yield server


@pytest.fixture(scope="session", autouse=True)
def end_on_sigterm() -> Iterator[None]:
    """End the fixtures, and with them the servers, when a run is cancelled."""

    def exit_on_signal(*_: Any) -> None:
        sys.exit(128 + signal.SIGTERM)

    previous = signal.signal(signal.SIGTERM, exit_on_signal)
    yield
    signal.signal(signal.SIGTERM, previous)
