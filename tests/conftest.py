"""What all tests share."""

from __future__ import annotations

import os
import time

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


@pytest.fixture
def frozen_clock(monkeypatch):
    """Let the model seem to take no time, so that batches are large however slow the machine is."""
    monkeypatch.setattr(time, "perf_counter", lambda: 0.0)


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
