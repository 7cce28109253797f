"""Fixtures of the browser tests; all of them need Chromium."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import comm
import pytest
from playwright.sync_api import expect, sync_playwright

from browser.bridge import Bridge, QueueComm
from browser.harness import (
    PATIENCE,
    VIEWPORT,
    faultless,
    find_chromium,
    find_headless_shell,
    launch,
    new_page,
    watched_page,
)
from browser.jupyter import jupyter_lab
from browser.reading import wait_for_answer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Locator, Page

    from browser.jupyter import JupyterLab
    from uqwidgets import Explorer


expect.set_options(timeout=PATIENCE)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the browser tests."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    executable = find_headless_shell() or find_chromium()
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


@pytest.fixture(scope="session")
def one_page(browser: Browser) -> Iterator[Bridge]:
    """The page of all tests without a notebook: a page for each would take twice as long."""
    with watched_page(browser) as page:
        yield Bridge(page)


@pytest.fixture
def bridge(one_page: Bridge, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bridge]:
    """An empty page for widgets of this process; a fixture of a widget must come after this one.

    It fails its test if it reaches outside this machine or raises an error.
    """
    monkeypatch.setattr(comm, "create_comm", lambda **kwargs: QueueComm(**kwargs))
    with faultless(one_page.page):
        yield one_page
        one_page.page.set_viewport_size(VIEWPORT)
        one_page.page.emulate_media(forced_colors="none", reduced_motion="no-preference")
        one_page.clear()


@pytest.fixture
def page(bridge: Bridge) -> Page:
    return bridge.page


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


@pytest.fixture(scope="session")
def only_lab_page(browser: Browser) -> Iterator[Page]:
    """The page of notebooks in JupyterLab, which takes longer to load than a notebook to run."""
    with new_page(browser) as page:
        yield page


@pytest.fixture(scope="module")
def lab_page(only_lab_page: Page) -> Iterator[Page]:
    """A page for a file's notebooks; it fails if it reaches outside or raises an error."""
    with faultless(only_lab_page, is_notebook=True):
        yield only_lab_page
        only_lab_page.set_viewport_size(VIEWPORT)


@pytest.fixture(scope="session", autouse=True)
def end_on_sigterm() -> Iterator[None]:
    """End the fixtures, and with them the servers, when a run is cancelled."""

    def exit_on_signal(*_: Any) -> None:
        sys.exit(128 + signal.SIGTERM)

    previous = signal.signal(signal.SIGTERM, exit_on_signal)
    yield
    signal.signal(signal.SIGTERM, previous)
