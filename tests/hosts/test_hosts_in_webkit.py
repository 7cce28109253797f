"""Every host in WebKit, the engine of Safari; `make support` runs these tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hosts.conftest import missing
from hosts.hosts import HOSTS
from hosts.rounds import DARK, changed_styles, raise_if, record
from hosts.webkit import find_mini_browser, webkit
from hosts.webkit_round import OPENING, View, go_round

pytestmark = [
    pytest.mark.slow,
    # Selenium's own driver of WebKit calls what Selenium deprecates.
    pytest.mark.filterwarnings("ignore::DeprecationWarning:selenium"),
]


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


# This driver cannot answer requests in place of a network.
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", [name for name, of in HOSTS.items() if not of.needs_anywidget])
def test_a_person_goes_round_in_webkit(name, running, saved):
    mini_browser = find_mini_browser()
    if mini_browser is None:
        missing("no WebKit: on Debian, `apt-get install webkit2gtk-driver xvfb`")
    host = HOSTS[name]
    with webkit(mini_browser) as driver:
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
