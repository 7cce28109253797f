"""Every host shows the explorer, sends what a person does to Python, and shows what Python sets."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import pytest

from hosts.hosts import HOSTS
from hosts.rounds import DARK, go_round, is_dark, raise_if, record

# The others take minutes; `make hosts` runs them all.
CORE = ("notebook", "voila", "marimo run")
ROUNDS = [
    pytest.param(
        host, browser, marks=() if (host in CORE and browser == "chromium") else pytest.mark.slow
    )
    for browser in ("chromium", "firefox")
    for host in HOSTS
]


@pytest.mark.parametrize(("name", "browser"), ROUNDS)
def test_a_person_goes_round(name, browser, opened, browsers, reference):
    host = HOSTS[name]
    with opened(host, browser) as (page, errors):
        this = go_round(page, host, partial(reference, browser))
        if host.runs_cells:
            page.evaluate(DARK)
            this.step("dark", lambda: is_dark(page))
    if not host.runs_cells:
        with opened(host, browser, dark=True) as (page, more):
            this.step("dark", lambda: is_dark(page))
        errors += more
    this.step("no error", lambda: raise_if(errors))
    if folder := os.environ.get("UQ_WRITE_HOSTS"):
        record(Path(folder), host, browser, browsers(browser).version, this)
    assert not this.faults, "\n".join(f"{step}: {fault}" for step, fault in this.faults.items())
