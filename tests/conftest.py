"""What all tests share."""

from __future__ import annotations

import gc
import os
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

# Before numpy reads it: several processes run tests at the same time, and a process that uses
# every core for a small model slows the others down. Kernels and workers inherit the variable.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import settings

# Jsonschema imports it, where it is installed, for a format of addresses that no test is about: its
# grammar takes seconds in every process.
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]

# The same examples in every run: what fails here fails everywhere, and what is new is looked for
# on purpose, with `pytest --hypothesis-profile=default`.
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.load_profile("fixed")


def pytest_xdist_auto_num_workers() -> int:
    """Return two processes more than there are cores, for the tests in a browser often wait."""
    return min((os.cpu_count() or 1) + 2, 6)


TESTS = Path(__file__).parent
BROWSER = TESTS / "browser"
# Files that share a JupyterLab and its page, or the kernel of notebooks, which take long to start.
ONE_LAB = (
    "browser/test_lab.py",
    "browser/test_lab_threads.py",
    "browser/test_containers.py",
    "browser/test_reopened.py",
    "browser/test_pins_in_lab.py",
    "browser/test_two_tabs.py",
    "browser/test_interact.py",
)
ONE_KERNEL = ("test_workshop_notebooks.py", "test_paper_notebooks.py", "test_notebooks.py")


def group_of(file: str) -> str:
    """Return the file of tests, or the first one of those that share a JupyterLab or a kernel."""
    for group in (ONE_LAB, ONE_KERNEL):
        if file.removeprefix("tests/") in group:
            return f"tests/{group[0]}"
    return file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Run the files that share a JupyterLab or a kernel in one process, one after the other."""
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Groups(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group_of(super()._split_scope(nodeid))

    return Groups(config, log)


DURATIONS = "uqwidgets/seconds_by_test"


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let several processes run the longest files first, so that none is alone at the end.

    How long its tests take is known from runs before. Of tests that never ran, those in the browser
    come first.
    """
    if hasattr(config, "workerinput"):
        cache = getattr(config, "cache", None)
        known = {} if cache is None else cache.get(DURATIONS, {})
        seconds: dict[str, float] = defaultdict(float)

        def group(item: pytest.Item) -> str:
            return group_of(item.nodeid.partition("::")[0])

        for item in items:
            unknown = 1000.0 if BROWSER in item.path.parents else 0.0
            seconds[group(item)] += known.get(item.nodeid, unknown)
        items.sort(key=lambda item: seconds[group(item)], reverse=True)


class Durations:
    """Seconds that each test took, for the order of the next run."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] += report.duration

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        cache = getattr(session.config, "cache", None)
        if cache is not None:
            cache.set(DURATIONS, {**cache.get(DURATIONS, {}), **self.seconds})


def pytest_configure(config: pytest.Config) -> None:
    # What is imported and collected stays. To look for garbage in it takes a third of the time.
    gc.disable()
    # Only the process that starts the others receives all reports.
    if config.getoption("numprocesses", None):
        config.pluginmanager.register(Durations())


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.fixture
def frozen_clock(monkeypatch):
    """Let the model seem to take no time, so that batches are large however slow the machine is."""
    monkeypatch.setattr(time, "perf_counter", lambda: 0.0)


@pytest.fixture(scope="session")
def kernel():
    """Run the notebooks of this process one after the other, so that packages are imported once."""
    from kernels import new_kernel

    with pytest.MonkeyPatch.context() as patch, new_kernel() as manager:
        # The kernel starts with the first notebook and inherits the variables of that time.
        for variable in ("UQ_NOTEBOOKS", "UQ_PAPER_DATA"):
            patch.delenv(variable, raising=False)
        yield manager


# Workers that wait take a tenth of a core: they end with the file.
@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed", reason="needs the extra dask")
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            memory_limit="1GiB",
        ) as running,
        distributed.Client(running) as client,
    ):
        yield client
