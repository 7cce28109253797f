"""Every host shows the explorer, sends what a person does to Python, and shows what Python sets."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hosts.hosts import HOSTS
from hosts.rounds import record

# The first of them in `make test`, the next ones in `make thorough`. The others take minutes;
# `make support` runs them all.
CORE = {"marimo run": (), "notebook": pytest.mark.thorough, "voila": pytest.mark.thorough}
ROUNDS = [
    pytest.param(
        host,
        browser,
        marks=CORE.get(host, pytest.mark.slow) if browser == "chromium" else pytest.mark.slow,
    )
    for browser in ("chromium", "firefox")
    for host in HOSTS
]


@pytest.mark.parametrize(("name", "browser"), ROUNDS)
def test_a_person_goes_round(name, browser, browsers, whole_round):
    host = HOSTS[name]
    this = whole_round(host, browser)
    if folder := os.environ.get("UQ_WRITE_HOSTS"):
        record(Path(folder), host, browser, browsers(browser).version, this)
    assert not this.faults, "\n".join(f"{step}: {fault}" for step, fault in this.faults.items())
