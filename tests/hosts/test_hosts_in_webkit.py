"""Every host in WebKit, the engine of Safari; `make support` runs these tests."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from hosts.conftest import ANYWIDGET, missing
from hosts.hosts import HOSTS
from hosts.rounds import DARK, changed_styles, raise_if, record
from hosts.webkit import find_mini_browser, webkit
from hosts.webkit_round import OPENING, View, go_round

pytestmark = [
    pytest.mark.slow,
    # Selenium's own driver of WebKit calls what Selenium deprecates.
    pytest.mark.filterwarnings("ignore::DeprecationWarning:selenium"),
]

# Panel passes no address to the model that shows a widget, which takes one. Its module
# can be imported when Panel has made its own kernel. Each session runs the app.
AFTER_EXTENSION = "explorer = make()\n"
OWN_LOADER = """
from ipywidgets_bokeh.widget import IPyWidget

make_model = IPyWidget.__init__
IPyWidget.__init__ = lambda self, **of: make_model(self, **{{**of, "cdn": "{address}"}})
"""


def is_dark(view):
    view.opens()
    view.until("return roots()[0].dataset.theme === 'dark'")


def keeps_its_styles(driver, saved, this):
    """Fail if the explorer looks unlike a saved page of its width; it leaves the host."""
    driver.get(saved.as_uri())
    view = View(driver)
    view.opens()
    view.run("roots()[0].style.width = `${arguments[0]}px`", this.width)
    view.wait_for_answer()
    changed = changed_styles(this.styles, view.styles())
    assert not changed, changed


class Loader(BaseHTTPRequestHandler):
    """Answer every request with the loader of anywidget."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/javascript")
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()
        self.wfile.write(ANYWIDGET.read_bytes())

    def log_message(self, *arguments):
        """Say nothing."""


@contextmanager
def with_own_loader(host):
    """Let a host take the loader of anywidget from here; this driver cannot answer requests."""
    if not host.needs_anywidget:
        yield host
        return
    with ThreadingHTTPServer(("127.0.0.1", 0), Loader) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        own = OWN_LOADER.format(address=address) + AFTER_EXTENSION
        yield replace(host, app=host.app.replace(AFTER_EXTENSION, own))
        server.shutdown()


@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", HOSTS)
def test_a_person_goes_round_in_webkit(name, running, saved):
    mini_browser = find_mini_browser()
    if mini_browser is None:
        missing("no WebKit: on Debian, `apt-get install webkit2gtk-driver xvfb`")
    with webkit(mini_browser) as driver, with_own_loader(HOSTS[name]) as host:
        driver.set_script_timeout(OPENING)
        driver.set_page_load_timeout(OPENING)
        driver.set_window_rect(0, 0, 1300, 950)
        view = View(driver)
        with running(host) as address:
            driver.get(address)
            if host.notebook:
                view.until(f"return ({host.notebook.ready})()", seconds=OPENING)
                errors = view.awaited(f"({host.notebook.run_all})(90000)")
                assert not errors, errors
            this = go_round(driver, host)
            if host.notebook:
                view.awaited(f"({DARK})()")
                this.step("dark", lambda: is_dark(view))
        this.step("keeps its styles", lambda: keeps_its_styles(driver, saved, this))
        if not host.notebook:
            with running(host, dark=True) as address:
                driver.get(address)
                this.step("dark", lambda: is_dark(view))
        own = [e for e in this.errors if any(part in e for part in host.own_errors)]
        this.step("no error", lambda: raise_if([e for e in this.errors if e not in own]))
        version = driver.capabilities["browserVersion"]
    if folder := os.environ.get("UQ_WRITE_HOSTS"):
        record(Path(folder), host, "webkit", version, this)
    assert not this.faults, "\n".join(f"{step}: {fault}" for step, fault in this.faults.items())
