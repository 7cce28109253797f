from __future__ import annotations

import threading
import time

import pytest

from uqwidgets.widgets.kernel.interruptions import SupersededError
from uqwidgets.widgets.kernel.scheduler import Scheduler, Ticket


def test_requests_during_work_are_coalesced() -> None:
    entered, go_on = threading.Event(), threading.Event()
    runs: list[int] = []

    def work(_: Ticket) -> None:
        runs.append(scheduler.newest)
        entered.set()
        go_on.wait(5)

    scheduler = Scheduler(work)
    scheduler.request()
    assert entered.wait(5)
    for _ in range(50):
        scheduler.request()
    go_on.set()
    assert scheduler.wait(5)
    assert runs == [1, 51]


def test_a_newer_request_ends_the_work_at_its_next_check() -> None:
    entered, superseded = threading.Event(), threading.Event()
    ended: list[str] = []

    def work(ticket: Ticket) -> None:
        if entered.is_set():
            ended.append("second")
            return
        entered.set()
        superseded.wait(5)
        ticket.check()
        ended.append("first")  # check() raises before this line

    scheduler = Scheduler(work)
    scheduler.request()
    assert entered.wait(5)
    scheduler.request()
    superseded.set()
    assert scheduler.wait(5)
    assert ended == ["second"]


def test_stop_ends_the_work_without_a_new_request() -> None:
    entered, stopped = threading.Event(), threading.Event()
    seen: list[bool] = []

    def work(ticket: Ticket) -> None:
        entered.set()
        stopped.wait(5)
        try:
            ticket.check()
        except SupersededError:
            seen.append(ticket.stopped)
            raise

    scheduler = Scheduler(work)
    scheduler.request()
    assert entered.wait(5)
    scheduler.stop()
    stopped.set()
    assert scheduler.wait(5)
    assert seen == [True]
    scheduler.request()
    assert scheduler.wait(5)
    assert seen == [True], "a request after stop must not be stopped"


def test_the_thread_ends_with_the_work() -> None:
    scheduler = Scheduler(lambda _: None)
    # Those of other tests may end meanwhile.
    before = set(threading.enumerate())
    scheduler.request()
    assert scheduler.wait(5)
    for thread in set(threading.enumerate()) - before:
        if thread.name == "uqwidgets":
            thread.join(5)
    assert set(threading.enumerate()) <= before


def test_a_closed_scheduler_ignores_requests() -> None:
    runs: list[int] = []
    scheduler = Scheduler(lambda _: runs.append(1))
    scheduler.close()
    scheduler.request()
    assert scheduler.wait(1)
    assert runs == []


def test_wait_returns_false_after_its_timeout() -> None:
    go_on = threading.Event()
    scheduler = Scheduler(lambda _: go_on.wait(5) and None)
    scheduler.request()
    assert not scheduler.wait(0.01)
    go_on.set()
    assert scheduler.wait(5)


def test_the_worker_survives_a_hook_for_uncaught_errors_that_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def hook(_: threading.ExceptHookArgs) -> None:
        raise OSError("the log is full")

    monkeypatch.setattr(threading, "excepthook", hook)
    runs: list[int] = []

    def work(_: Ticket) -> None:
        runs.append(scheduler.newest)
        raise KeyError("a")

    scheduler = Scheduler(work)
    for _ in range(2):
        scheduler.request()
        assert scheduler.wait(5)
    assert runs == [1, 2]


def test_what_comes_after_the_work_is_interrupted_and_the_work_is_not() -> None:
    following = threading.Event()
    ended: list[str] = []

    def work(ticket: Ticket) -> None:
        ticket.check()
        ended.append("work")

    def afterwards(ticket: Ticket) -> None:
        following.set()
        try:
            ticket.rest(5)
        except SupersededError:
            ended.append("afterwards")
            raise

    scheduler = Scheduler(work, afterwards)
    assert not scheduler.interrupt(), "nothing was requested"
    scheduler.request()
    assert following.wait(5)
    assert scheduler.interrupt()
    _join(scheduler)
    assert ended == ["work", "afterwards"]
    assert not scheduler.interrupt(), "nothing is left"
    following.clear()
    scheduler.request()
    assert following.wait(5), "a later request is followed again"
    scheduler.close()


def test_work_that_is_not_done_is_not_followed_after_an_interruption() -> None:
    entered, go_on = threading.Event(), threading.Event()
    ended: list[str] = []

    def work(ticket: Ticket) -> None:
        entered.set()
        go_on.wait(5)
        ticket.check()
        began = time.monotonic()
        ticket.rest(0.1)
        assert time.monotonic() - began > 0.09, "the interruption does not cut the rest short"
        ended.append("work")

    scheduler = Scheduler(work, lambda _: ended.append("afterwards"))
    scheduler.request()
    assert entered.wait(5)
    assert scheduler.interrupt()
    go_on.set()
    assert scheduler.wait(5)
    _join(scheduler)
    assert ended == ["work"]
    scheduler.request()
    assert scheduler.wait(5)
    _join(scheduler)
    assert ended == ["work", "work", "afterwards"]


def _join(scheduler: Scheduler) -> None:
    """Wait until the worker ends."""
    worker = scheduler.worker
    if isinstance(worker, threading.Thread):
        worker.join(5)
        assert not worker.is_alive()
