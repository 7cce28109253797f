"""Chromium without access to the network, and pages that fail their test on an error."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, ConsoleMessage, Page, Playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"

# Milliseconds to wait for anything on a page: the machine runs other tests at the same time.
PATIENCE = 30_000
VIEWPORT = {"width": 1280, "height": 900}
ARGUMENTS = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
    "--no-sandbox",
    # only the local address resolves
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]


def find_chromium() -> str | None:
    """Return the path of the browser: ``UQWIDGETS_CHROMIUM`` if set, else the installed one."""
    named = os.environ.get("UQWIDGETS_CHROMIUM")
    candidates = [named] if named else [*NAMES, MAC]
    return next((path for name in candidates if (path := shutil.which(name))), None)


def find_headless_shell() -> str | None:
    """Return the path of Chromium without its windows, if that is installed.

    The engine is the same; without windows it takes an eighth less of the processor. The browser
    that ``UQWIDGETS_CHROMIUM`` names comes before it.
    """
    return None if "UQWIDGETS_CHROMIUM" in os.environ else shutil.which("chromium-headless-shell")


def launch(playwright: Playwright, executable: str) -> Browser:
    return playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)


@contextmanager
def watched_page(
    browser: Browser, *, is_notebook: bool = False, **context: object
) -> Iterator[Page]:
    """Open a page in a session of its own, and fail at its end on a fault of the page."""
    with new_page(browser, **context) as page, faultless(page, is_notebook=is_notebook):
        yield page


@contextmanager
def new_page(browser: Browser, **context: object) -> Iterator[Page]:
    """Open a page in a session of its own."""
    options = {"viewport": VIEWPORT, **context}
    session = browser.new_context(**options)  # type: ignore[arg-type]
    page = session.new_page()
    page.set_default_timeout(PATIENCE)
    try:
        yield page
    finally:
        session.close()


@contextmanager
def faultless(page: Page, *, is_notebook: bool = False) -> Iterator[None]:
    """Fail at the end of the block on a request of an outside address, an error or a warning."""
    faults: list[str] = []

    def note_outside(url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname != "127.0.0.1":
            faults.append(f"requested {url}")

    def note_message(message: ConsoleMessage) -> None:
        # A notebook has its own to say.
        if "Content Security Policy" in message.text:
            faults.append(f"violated its security policy: {message.text}")
        elif not is_notebook and message.type in ("error", "warning"):
            faults.append(f"said {message.text}")

    watches = {
        "request": lambda request: note_outside(request.url),
        "websocket": lambda socket: note_outside(socket.url),
        "pageerror": lambda error: faults.append(f"raised {error}"),
        "console": note_message,
    }
    for event, watch in watches.items():
        page.on(event, watch)  # type: ignore[call-overload]
    try:
        yield
    finally:
        for event, watch in watches.items():
            page.remove_listener(event, watch)
    assert not faults, "the page " + "; ".join(faults)
