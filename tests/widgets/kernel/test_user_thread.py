"""The worker of a widget has what the user set in their thread; some models work there alone."""

from __future__ import annotations

import asyncio
import decimal
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import uqwidgets as uq
from uqwidgets.widgets.kernel.user_thread import read_states

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(60, 3)), columns=list("abc"))
Y = X["a"].to_numpy() + RNG.normal(size=60)
FLAVOUR = ContextVar("flavour", default="plain")


class Spy:
    """A model that notes the state of the threads that call it."""

    def __init__(self) -> None:
        self.seen: list[tuple[Any, ...]] = []

    def __call__(self, X: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        self.seen.append(present_state())
        return X["a"].to_numpy(), np.ones(len(X))


def present_state() -> tuple[Any, ...]:
    config = sklearn.get_config()
    return (
        config["transform_output"],
        config["enable_metadata_routing"],
        np.geterr()["divide"],
        decimal.getcontext().prec,
        FLAVOUR.get(),
    )


DEFAULT = ("default", False, "warn", 28, "plain")
CHANGED = ("pandas", True, "ignore", 7, "strange")


def set_all(state: tuple[Any, ...]) -> None:
    sklearn.set_config(transform_output=state[0], enable_metadata_routing=state[1])
    np.seterr(divide=state[2])
    decimal.getcontext().prec = state[3]
    FLAVOUR.set(state[4])


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    set_all(DEFAULT)
    yield
    set_all(DEFAULT)


def elsewhere(call: Callable[[], object]) -> None:
    """Run a function on a thread without the user's state, as kernels handle messages."""
    thread = threading.Thread(target=call)
    thread.start()
    thread.join(30)


def test_the_worker_has_the_state_of_the_user_when_the_work_is_requested() -> None:
    spy = Spy()
    with uq.explore(spy, X, Y, n_repeats=3) as widget:
        assert widget.wait(30)
        assert set(spy.seen) == {DEFAULT}
        spy.seen.clear()
        set_all(CHANGED)
        widget.n_repeats = 4
        assert widget.wait(30)
        assert set(spy.seen) == {CHANGED}
        spy.seen.clear()
        # A page asks for more, on a thread of the kernel.
        elsewhere(lambda: widget.set_state({"n_repeats": 5, "_seq": 1}))
        assert widget.wait(30)
        assert set(spy.seen) == {CHANGED}
        spy.seen.clear()
        set_all(DEFAULT)
        read_states()  # a cell ends
        elsewhere(lambda: widget.set_state({"n_repeats": 6, "_seq": 2}))
        assert widget.wait(30)
        assert set(spy.seen) == {DEFAULT}


def test_another_model_is_called_in_the_state_of_the_user_where_a_message_asks_for_it() -> None:
    first, second = Spy(), Spy()
    set_all(CHANGED)
    with uq.explore({"first": first, "second": second}, X, Y, n_repeats=3) as widget:
        elsewhere(lambda: widget.set_state({"shown_model": "second", "_seq": 1}))
        assert widget.wait(30)
        assert widget.shown_model == "second"
        assert set(second.seen) == set(first.seen) == {CHANGED}


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_refits_of_a_learner_have_the_state_of_the_user(n_jobs: int) -> None:
    import joblib

    seen: list[tuple[Any, ...]] = []

    class Fitted(LogisticRegression):
        def fit(self, X: Any, y: Any) -> Fitted:
            seen.append(present_state())
            super().fit(X, y)
            return self

        def predict_proba(self, X: Any) -> Any:
            seen.append(present_state())
            return super().predict_proba(X)

    y = Y > 0
    set_all(CHANGED)
    learner = uq.Learner(Fitted(), X, y, n_refits=3, n_jobs=n_jobs)
    explainer = uq.Explainer(LogisticRegression().fit(X, y), X, y)
    with joblib.parallel_config("threading"):
        learner.fit()
    with uq.Explorer(explainer, learner=learner, n_repeats=3) as widget:
        assert widget.wait(60)
        assert widget._frame["meta"]["learner"]["state"] == "done"
    assert len(seen) > 3
    assert set(seen) == {CHANGED}


def test_a_lesson_has_the_state_of_the_user() -> None:
    spy = Spy()
    set_all(CHANGED)
    with uq.teach.GuessTheRanking(uq.Explainer(spy, X, Y)) as lesson:
        assert lesson.wait(30)
    assert set(spy.seen) == {CHANGED}


def test_a_pipeline_that_needs_the_configuration_is_explained_in_every_view() -> None:
    sklearn.set_config(transform_output="pandas")
    y = (Y > 0).astype(int)
    named = FunctionTransformer(lambda D: D[["a", "b"]])
    model = make_pipeline(StandardScaler(), named, LogisticRegression()).fit(X, y)
    with uq.explore(model, X, y, n_repeats=3, layout="all") as widget:
        assert widget.wait(30)
        assert widget._frame["meta"]["error"] is None


# A model that works in one thread alone.


def of_one_thread() -> Callable[[pd.DataFrame], np.ndarray]:
    connection = sqlite3.connect(":memory:")
    connection.execute("create table t(w real)")
    connection.execute("insert into t values (2.0)")

    def model(X: pd.DataFrame) -> np.ndarray:
        return connection.execute("select w from t").fetchone()[0] * X["a"].to_numpy()

    return model


def local_model() -> Callable[[pd.DataFrame], np.ndarray]:
    local = threading.local()
    local.weight = 2.0
    return lambda X: local.weight * X["a"].to_numpy()


def notes(widget: uq.Explorer, code: str = "model-of-one-thread") -> int:
    return widget._frame["meta"]["note_codes"].count(code)


@pytest.mark.parametrize("make", [of_one_thread, local_model])
def test_a_model_of_one_thread_is_called_there_and_the_widget_says_so_once(make: Any) -> None:
    with uq.explore(make(), X, X["a"], n_repeats=3) as widget:
        for repeats in (3, 4):
            widget.n_repeats = repeats
            assert widget.wait(30)
            meta = widget._frame["meta"]
            assert (meta["error"], meta["final"], meta["stopped"]) == (None, True, None)
            assert meta["importance"]["n_repeats"] == repeats
            assert notes(widget) == 1
        expected = widget.explainer.importance("squared_error", n_repeats=4).frame
        shown = widget.result("importance", "squared_error").frame
        pd.testing.assert_frame_equal(shown, expected)


def test_messages_on_another_thread_are_answered_by_the_event_loop_of_the_user() -> None:
    """As in JupyterLab, whose kernels handle messages on a thread of their own."""

    async def until(is_true: Callable[[], bool]) -> None:
        ends = time.monotonic() + 30
        while not is_true():
            assert time.monotonic() < ends, "it did not come about"
            await asyncio.sleep(0.005)

    async def main() -> None:
        models = {"first": of_one_thread(), "second": of_one_thread()}
        with uq.explore(models, X, X["a"], n_repeats=3) as widget:
            await until(lambda: widget._frame.get("meta", {}).get("final", False))
            assert (widget._frame["meta"]["error"], notes(widget)) == (None, 1)
            # No message waits for the loop that answers it.
            message = {"n_repeats": 5, "_seq": 1}
            await asyncio.to_thread(widget.set_state, message)
            await until(lambda: widget._frame["seq"] == 1 and widget._frame["meta"]["final"])
            meta = widget._frame["meta"]
            assert (meta["error"], meta["importance"]["n_repeats"]) == (None, 5)
            # Who waits elsewhere is told when the loop has done the work.
            widget.n_repeats = 6
            assert await asyncio.to_thread(widget.wait, 30)
            assert widget._frame["meta"]["importance"]["n_repeats"] == 6
            # A model that was not called before is called first by the loop, too.
            await asyncio.to_thread(widget.set_state, {"shown_model": "second", "_seq": 7})
            await until(lambda: widget._frame["seq"] == 7 and widget._frame["meta"]["final"])
            meta = widget._frame["meta"]
            assert (meta["error"], widget.shown_model, notes(widget)) == (None, "second", 1)

    # The thread of the tests may run a loop for a browser.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, main()).result(60)


@pytest.mark.parametrize("method", ["fit", "predict_proba"])
def test_the_refits_of_a_learner_are_made_and_asked_in_the_thread_that_they_need(
    method: str,
) -> None:
    connection = sqlite3.connect(":memory:")

    class OfOneThread(LogisticRegression):
        pass

    def needs_connection(self: Any, *arguments: Any) -> Any:
        connection.execute("select 1")
        return getattr(LogisticRegression, method)(self, *arguments)

    setattr(OfOneThread, method, needs_connection)
    y = Y > 0
    explainer = uq.Explainer(LogisticRegression().fit(X, y), X, y)
    learner = uq.Learner(OfOneThread(), X, y, n_refits=3)
    with uq.Explorer(explainer, learner=learner, n_repeats=3) as widget:
        assert widget.wait(60)
        meta = widget._frame["meta"]
        assert (meta["error"], meta["learner"]["state"], notes(widget)) == (None, "done", 1)


def test_a_lesson_calls_a_model_of_one_thread_there() -> None:
    mean = of_one_thread()
    explainer = uq.Explainer(lambda X: (mean(X), np.ones(len(X))), X, X["a"])
    with uq.teach.GuessTheRanking(explainer) as lesson:
        assert lesson.wait(30)
        meta = lesson._frame["meta"]
        assert meta["error"] is None
        assert sum("the thread that made the widget" in text for text in meta["explanation"]) == 1


def test_an_error_that_names_a_thread_and_comes_again_is_shown() -> None:
    calls: list[str] = []

    def model(X: pd.DataFrame) -> np.ndarray:
        calls.append(threading.current_thread().name)
        if len(calls) > 1:
            raise RuntimeError("no thread is left")
        return X["a"].to_numpy()

    with uq.explore(model, X, X["a"], n_repeats=3) as widget:
        assert widget.wait(30)
        assert "no thread is left" in widget._frame["meta"]["error"]
        assert notes(widget) == 1


def test_only_the_model_has_an_error_state_that_raises() -> None:
    """Weights underflow at strong stress, where the user wants numpy to raise every error."""
    spy = Spy()
    set_all(("default", False, "raise", 28, "plain"))
    with np.errstate(all="raise"), uq.explore(spy, 1e3 * X, Y, n_repeats=3, tau=1.0) as widget:
        assert widget.wait(30)
        widget.held = [{"feature": "b", "value": 800.0}]
        assert widget.wait(30)
        assert widget._frame["meta"]["error"] is None
    assert set(spy.seen) == {("default", False, "raise", 28, "plain")}
