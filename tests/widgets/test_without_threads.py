"""The widget where no thread can be started, as in Python in a browser."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.linear_model import BayesianRidge

import uqwidgets as uq
from uqwidgets.widgets.kernel.scheduler import Scheduler, Ticket
from uqwidgets.widgets.picture.notebook_picture import NotebookPicture
from widgets.wire import columns

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
Y = X[:, 0] + RNG.normal(size=60)
START = threading.Thread.start
INPUTS = {"n_repeats": 4, "feature": "x0", "stress_feature": "x1"}


def model(A):
    return A[:, 0] + A[:, 1] ** 2, np.ones(len(A))


@pytest.fixture
def no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)


def run(main: Callable[[], Coroutine[None, None, None]]) -> None:
    """Run a coroutine function on a thread: that of the tests may run a loop for a browser."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threading.Thread, "start", START)
        pool = ThreadPoolExecutor(1)
        running = pool.submit(asyncio.run, alone(main))
    running.result()
    pool.shutdown()


async def alone(main: Callable[[], Coroutine[None, None, None]]) -> None:
    """Begin when threads are refused again."""
    while threading.Thread.start is START:
        await asyncio.sleep(0.001)
    await main()


async def until(is_true: Callable[[], bool], seconds: float = 20.0) -> None:
    ends = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < ends, "it did not come about"
        await asyncio.sleep(0.005)


def shown(explorer: uq.Explorer) -> dict[str, np.ndarray]:
    return columns(explorer._frame) if explorer._frame else {}


@pytest.fixture(scope="module")
def expected() -> Iterator[dict[str, np.ndarray]]:
    with uq.explore(model, X, Y, **INPUTS, tau=0.5) as explorer:
        assert explorer.wait(30)
        yield shown(explorer)


@pytest.mark.usefixtures("no_threads")
def test_wait_does_the_work_where_no_event_loop_runs(expected) -> None:
    with uq.explore(model, X, Y, **INPUTS) as explorer:
        assert explorer.wait(30)
        calls = explorer.explainer.model_calls
        explorer.tau = 0.5
        assert explorer.wait(30)
        assert explorer.explainer.model_calls == calls
        assert explorer._frame["meta"]["final"]
        for name, values in expected.items():
            np.testing.assert_array_equal(shown(explorer)[name], values)


@pytest.mark.usefixtures("no_threads")
def test_the_event_loop_does_the_work_and_other_code_runs_between(expected) -> None:
    ticks, ticks_at_calls = 0, []

    def slow(A):
        ticks_at_calls.append(ticks)
        time.sleep(0.12)
        return model(A)

    async def main() -> None:
        nonlocal ticks
        with uq.explore(slow, X, Y, **INPUTS, tau=0.5) as explorer:

            def is_final() -> bool:
                return explorer._frame.get("meta", {}).get("final", False)

            before = explorer.explainer.model_calls
            while not is_final():
                await asyncio.sleep(0)
                ticks += 1
            assert len(set(ticks_at_calls)) >= 2, "slices of time between the calls"
            for name, values in expected.items():
                np.testing.assert_array_equal(shown(explorer)[name], values)
            cost = explorer._frame["meta"]["cost"]
            assert cost["calls"] == len(ticks_at_calls) - before, "of all slices"
            await until(lambda: bool(explorer._over_tau))

    run(main)


@pytest.mark.usefixtures("no_threads")
def test_a_message_is_answered_in_the_middle_of_slow_work() -> None:
    def slow(A):
        time.sleep(0.0005 * len(A))
        return model(A)

    async def main() -> None:
        with uq.explore(slow, X, Y, n_repeats=40, feature="x0", stress_feature="x0") as explorer:
            await until(lambda: shown(explorer))
            assert not explorer._frame["meta"]["final"]
            explorer.set_state({"tau": 0.5, "_seq": explorer._seq + 1})
            await until(lambda: explorer._frame["inputs"]["tau"] == 0.5)
            assert not explorer._frame["meta"]["final"], "in the middle of the work"
            explorer.set_state({"_stop": explorer._seq + 1})
            await until(lambda: explorer._frame["meta"]["final"])
            assert explorer._frame["meta"]["stopped"]
            n_calls = explorer.explainer.model_calls
            await asyncio.sleep(0.3)
            assert explorer.explainer.model_calls == n_calls, "stopped"
            explorer.n_repeats = 4
            await until(lambda: not explorer._frame["meta"]["stopped"])
            await until(lambda: explorer._frame["meta"]["final"])
            assert explorer._frame["meta"]["importance"]["n_repeats"] == 4

    run(main)


@pytest.mark.usefixtures("no_threads")
def test_a_learner_and_the_picture_for_the_notebook_need_no_thread() -> None:
    learner = uq.Learner(BayesianRidge(), X, Y, n_refits=3)

    async def main() -> None:
        with uq.explore(model, X, Y, n_repeats=2, learner=learner) as explorer:
            await until(
                lambda: explorer._frame.get("meta", {}).get("learner", {}).get("state") == "done"
            )
            assert explorer._frame["meta"]["final"]
            assert "<svg" in explorer._draw_picture()

    run(main)


@pytest.mark.usefixtures("no_threads")
def test_a_piece_that_is_longer_than_a_slice_comes_to_an_end() -> None:
    begun: list[int] = []

    def work(ticket: Ticket) -> None:
        begun.append(ticket.number)
        for _ in range(20):
            time.sleep(0.02)
            ticket.check()

    async def main() -> None:
        scheduler = Scheduler(work)
        scheduler.request()
        await until(lambda: scheduler.worker is None and scheduler._is_followed)
        assert 2 <= len(begun) <= 8
        assert set(begun) == {1}

    run(main)


@pytest.mark.usefixtures("no_threads")
def test_wait_within_the_work_takes_the_work_over() -> None:
    finished: list[int] = []

    def work(ticket: Ticket) -> None:
        if not finished:
            finished.append(0)
            assert scheduler.wait(5)
        ticket.check()
        finished.append(ticket.number)

    scheduler = Scheduler(work)
    scheduler.request()
    assert scheduler.wait(5)
    assert finished == [0, 1]


@pytest.mark.usefixtures("no_threads")
def test_an_error_of_the_work_is_reported_and_the_next_request_is_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reported: list[object] = []
    monkeypatch.setattr(threading, "excepthook", reported.append)

    def work(ticket: Ticket) -> None:
        if ticket.number == 1:
            raise SystemExit

    scheduler = Scheduler(work)
    for _ in range(2):
        scheduler.request()
        assert scheduler.wait(5)
    assert len(reported) == 1


@pytest.mark.usefixtures("no_threads")
def test_a_call_later_runs_on_the_event_loop_unless_it_is_cancelled() -> None:
    drawn: list[str] = []

    class Owner:
        def draw(self) -> None:
            drawn.append("drawn")

    async def main() -> None:
        owner = Owner()
        picture = NotebookPicture(owner.draw)
        picture._displayed = True
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("uqwidgets.widgets.picture.notebook_picture._SECONDS_AT_REST", 0.02)
            picture.draw_at_rest()
            picture.cancel()
            await asyncio.sleep(0.05)
            assert drawn == []
            picture.draw_at_rest()
            await until(lambda: drawn == ["drawn"])

    run(main)
