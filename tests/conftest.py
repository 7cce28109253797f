"""What all tests share."""

from __future__ import annotations

import gc
import os
import time
from collections import defaultdict
from pathlib import Path

# Before numpy reads it: several processes run tests at the same time, and a process that uses
# every core for a small model slows the others down. Kernels and workers inherit the variable.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import settings

# The same examples in every run: what fails here fails everywhere, and what is new is looked for
# on purpose, with `pytest --hypothesis-profile=default`.
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.load_profile("fixed")


def pytest_xdist_auto_num_workers() -> int:
    """Return a process more than there are cores, because the tests in a browser often wait."""
    return min((os.cpu_count() or 1) + 1, 5)


BROWSER = Path(__file__).parent / "browser"
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
        seconds: dict[Path, float] = defaultdict(float)
        for item in items:
            unknown = 1000.0 if BROWSER in item.path.parents else 0.0
            seconds[item.path] += known.get(item.nodeid, unknown)
        items.sort(key=lambda item: seconds[item.path], reverse=True)


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
    from jupyter_client.manager import KernelManager

    manager = KernelManager(kernel_name="python3")
    with pytest.MonkeyPatch.context() as patch:
        # The kernel starts with the first notebook and inherits the variables of that time.
        for variable in ("UQ_NOTEBOOKS", "UQ_PAPER_DATA"):
            patch.delenv(variable, raising=False)
        yield manager
    manager.shutdown_kernel(now=True)


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
