"""Warnings that are hidden in a block, in one thread or in several."""

from __future__ import annotations

import subprocess
import sys
import warnings
from threading import Barrier, Event, Thread

import pytest

from uqwidgets._utils.quiet import hidden_warnings


@pytest.fixture(autouse=True)
def filters(monkeypatch):
    """A copy of the filters in the place of those of the process."""
    monkeypatch.setattr(warnings, "filters", [("error", None, Warning, None, 0)])
    return list(warnings.filters)


def test_warnings_of_a_category_and_module_are_hidden_in_the_block(filters):
    with hidden_warnings(UserWarning, module=__name__.rpartition(".")[2]):
        warnings.warn("hidden", UserWarning, stacklevel=1)
        with pytest.raises(RuntimeWarning):
            warnings.warn("of another category", RuntimeWarning, stacklevel=1)
    with hidden_warnings(UserWarning, module="another"), pytest.raises(UserWarning):
        warnings.warn("of this module", UserWarning, stacklevel=1)
    with pytest.raises(UserWarning), hidden_warnings(RuntimeWarning):
        warnings.warn("leaves the block", UserWarning, stacklevel=1)
    assert warnings.filters == filters


@pytest.mark.parametrize("begins_first", [True, False])
def test_filters_that_another_thread_sets_end_with_it(filters, begins_first):
    # Each step begins when all threads have done the one before it.
    step = Barrier(2, timeout=30)

    def another():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            step.wait()
            step.wait()
            step.wait()
        step.wait()

    thread = Thread(target=another)
    if begins_first:
        with hidden_warnings(UserWarning):
            thread.start()
            step.wait()
            step.wait()
        step.wait()
        step.wait()
    else:
        thread.start()
        step.wait()
        with hidden_warnings(UserWarning):
            step.wait()
            step.wait()
            step.wait()
    thread.join()
    assert warnings.filters == filters


def test_a_second_thread_waits_for_the_end_of_the_block(filters):
    ends, is_hidden = Event(), Event()

    def another():
        with hidden_warnings(UserWarning):
            assert ends.is_set()
            warnings.warn("hidden", UserWarning, stacklevel=1)
        is_hidden.set()

    thread = Thread(target=another)
    with hidden_warnings(UserWarning):
        thread.start()
        # In the same thread a block may begin inside another one.
        with hidden_warnings(RuntimeWarning):
            warnings.warn("hidden", UserWarning, stacklevel=1)
        assert not is_hidden.wait(0.1)
        ends.set()
    thread.join()
    assert is_hidden.is_set()
    assert warnings.filters == filters


FORK = """
import os, warnings
from threading import Event, Thread
from uqwidgets._utils.quiet import hidden_warnings

warnings.simplefilter("ignore")  # newer versions of Python warn of a fork beside threads
begins, ends = Event(), Event()

def another():
    with hidden_warnings(UserWarning):
        begins.set()
        ends.wait()

thread = Thread(target=another)
thread.start()
begins.wait()
child = os.fork()
if child == 0:
    with hidden_warnings(UserWarning):
        os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
ends.set()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_child_process_does_not_wait_for_a_thread_that_it_lacks():
    ended = subprocess.run(
        [sys.executable, "-c", FORK], capture_output=True, text=True, timeout=60, check=True
    )
    assert ended.stdout == "7\n"
