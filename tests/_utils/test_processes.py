"""Processes of ``n_jobs`` end with their parent, even if it is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from uqwidgets._utils.processes import end_with

LEARNER = """
import os, time
import numpy as np
import uqwidgets as uq
from sklearn.linear_model import LinearRegression

class Slow(LinearRegression):
    def fit(self, X, y):
        print(os.getpid(), flush=True)
        time.sleep(600)

X = np.arange(40.0).reshape(20, 2)
uq.Learner(Slow(), X, X[:, 0], n_refits=2, n_jobs=2).performance()
"""
PAGE = """
import os
from uqwidgets.widgets.page.processes import Processes, ProcessPoolExecutor

with Processes(3) as processes:
    processes._submitted(None, None)
    for number in range(2):
        print(processes._executor.submit(os.getpid).result(), flush=True)
    while True:
        pass
"""


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs the list of processes")
@pytest.mark.parametrize("script", [LEARNER, PAGE], ids=["learner", "page"])
def test_workers_end_with_a_parent_that_is_killed(script):
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        workers = {int(process.stdout.readline()) for _ in range(2)}
        assert all(is_running(pid) for pid in workers)
        assert process.pid not in workers
        process.send_signal(signal.SIGKILL)
    end = time.monotonic() + 60
    while any(is_running(pid) for pid in workers) and time.monotonic() < end:
        time.sleep(0.1)
    left = [pid for pid in workers if is_running(pid)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left


def test_a_process_that_something_else_started_goes_on():
    before = threading.active_count()
    end_with(os.getpid())
    end_with(os.getppid())
    assert threading.active_count() == before
