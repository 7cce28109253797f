"""Threads and lifetime of the widget: exceptions, observers, forks, closing and garbage."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import textwrap
import threading
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import comm
import ipywidgets
import numpy as np
import pytest
from comm.base_comm import BaseComm
from ipywidgets.widgets import widget as registry

import uqwidgets as uq
from uqwidgets.widgets.inputs import Inputs
from uqwidgets.widgets.picture.static_picture import static_picture
from uqwidgets.widgets.scheduler import Scheduler, Ticket
from uqwidgets.widgets.session import Session
from uqwidgets.widgets.timing import Timing
from uqwidgets.widgets.views.importance.view import ImportanceView
from widgets.conftest import Counting, table

TESTS = Path(__file__).parents[1]


class Gated(Counting):
    """A model whose calls wait while its gate is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.gate, self.called = threading.Event(), threading.Event()
        self.gate.set()
        self.raises: BaseException | None = None

    def predict_proba(self, X: Any) -> np.ndarray:
        if not self.gate.is_set():
            self.called.set()
            assert self.gate.wait(20)
        if self.raises is not None:
            raise self.raises
        return super().predict_proba(X)


@pytest.fixture
def reported(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the uncaught exceptions of threads."""
    errors: list[str] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: errors.append(repr(args.exc_value)))
    return errors


@pytest.fixture
def gated() -> Iterator[tuple[Gated, uq.Explorer]]:
    model = Gated()
    with uq.Explorer(uq.Explainer(model, *table()), n_repeats=3, ice_lines=4) as widget:
        assert widget.wait(30)
        yield model, widget
        model.gate.set()


def in_time(work: Any, seconds: float = 15) -> None:
    """Run `work` on another thread, and fail if it does not end in time."""
    errors: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    assert not thread.is_alive(), "the work does not end"
    if errors:
        raise errors[0]


def script(body: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    """Run a script in a new process in which `Gated`, `table` and `uq` are imported."""
    head = "import os, sys, threading, time\nimport uqwidgets as uq\n"
    head += "from widgets.conftest import table\nfrom widgets.test_lifecycle import Gated\n"
    return subprocess.run(
        [sys.executable, "-c", head + textwrap.dedent(body)],
        cwd=TESTS,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


class Ended(BaseException):
    """An exception that is not a subclass of `Exception`."""


@pytest.mark.parametrize(
    "error", [SystemExit(3), KeyboardInterrupt(), GeneratorExit(), Ended()], ids=repr
)
def test_a_model_that_exits_is_reported_and_called_again_later(
    gated: tuple[Gated, uq.Explorer], error: BaseException
) -> None:
    model, widget = gated
    model.raises = error
    widget.n_repeats = 5
    assert widget.wait(15)
    assert type(error).__name__ in widget._frame["meta"]["error"]
    assert widget._frame["meta"]["final"]
    assert widget._frame["meta"]["importance"]["n_repeats"] == 3
    widget.tau = 0.25
    assert widget.wait(15)
    assert widget._frame["inputs"]["tau"] == 0.25
    model.raises = None
    widget.n_repeats = 4
    assert widget.wait(15)
    assert widget._frame["meta"]["importance"]["n_repeats"] == 4
    assert widget._frame["meta"]["error"] is None


def test_a_learner_that_exits_is_reported() -> None:
    from sklearn.linear_model import LogisticRegression

    class Exiting(LogisticRegression):
        def fit(self, *_: Any) -> Exiting:
            raise SystemExit(2)

    X, y = table()
    X = X[["a", "b"]]
    explainer = uq.Explainer(LogisticRegression().fit(X, y), X, y)
    with uq.Explorer(explainer, learner=uq.Learner(Exiting(), X, y, n_refits=2)) as widget:
        assert widget.wait(15)
        assert "SystemExit" in widget._frame["meta"]["error"]
        assert widget._frame["meta"]["final"]


def test_a_failing_observer_of_frames_is_reported(
    explorer: uq.Explorer, reported: list[str]
) -> None:
    def fail(_change: Any) -> None:
        raise RuntimeError("this observer fails")

    explorer.observe(fail, "_frame")
    explorer.tau = 0.2
    assert explorer.wait(15)
    assert explorer._frame["inputs"]["tau"] == 0.2
    assert "this observer fails" in explorer._frame["meta"]["error"]
    assert reported == ["RuntimeError('this observer fails')"], (
        "the failure is reported once for all frames"
    )
    explorer.unobserve(fail, "_frame")
    explorer.tau = 0.3
    assert explorer.wait(15)
    assert explorer._frame["meta"]["error"] is None


@pytest.fixture
def unpicked() -> Iterator[tuple[Gated, uq.Explorer]]:
    """A widget that selects its features when the gate of its model is opened."""
    model = Gated()
    explainer = uq.Explainer(model, *table())
    model.gate.clear()
    with uq.Explorer(explainer, n_repeats=3) as widget:
        yield model, widget
        model.gate.set()


def test_a_failing_observer_of_the_automatic_feature_is_reported(
    unpicked: tuple[Gated, uq.Explorer], reported: list[str]
) -> None:
    def fail(_change: Any) -> None:
        raise SystemExit(1)

    model, widget = unpicked
    widget.observe(fail, ["feature", "stress_feature"])
    model.gate.set()
    assert widget.wait(15)
    assert widget.feature == widget.stress_feature == "a"
    assert widget._frame["meta"]["dependence"]["feature"] == "a"
    assert "an observer of feature raised SystemExit: 1" in widget._frame["meta"]["error"]
    assert widget._frame["meta"]["final"]
    assert reported == ["SystemExit(1)", "SystemExit(1)"]


def test_a_failing_observer_of_an_input_is_reported_after_a_message(
    explorer: uq.Explorer, reported: list[str]
) -> None:
    def fail(_change: Any) -> None:
        raise RuntimeError("this observer fails")

    explorer.observe(fail, "tau")
    explorer.set_state({"tau": 0.4, "feature": "b", "_seq": 1})
    assert explorer.wait(15)
    assert explorer._frame["seq"] == 1
    assert explorer._frame["inputs"]["tau"] == 0.4
    assert explorer._frame["inputs"]["feature"] == "b"
    assert reported == ["RuntimeError('this observer fails')"]
    with pytest.raises(RuntimeError, match="this observer fails"):
        explorer.tau = 0.5  # an assignment in Python raises the exception


class Broken(BaseComm):
    """A connection that can fail."""

    failing = False

    def publish_msg(self, *_: Any, **__: Any) -> None:
        if Broken.failing:
            raise RuntimeError("no page is there")


def test_a_frame_that_cannot_be_sent_is_reported(
    explainer: uq.Explainer, monkeypatch: pytest.MonkeyPatch, reported: list[str]
) -> None:
    monkeypatch.setattr(comm, "create_comm", lambda **kwargs: Broken(**kwargs))
    with uq.Explorer(explainer, n_repeats=3) as widget:
        assert widget.wait(15)
        monkeypatch.setattr(Broken, "failing", True)
        widget.tau = 0.3
        assert widget.wait(15)
        assert widget._frame["inputs"]["tau"] == 0.3
        assert "no page is there" in widget._frame["meta"]["error"]
        assert reported
        monkeypatch.setattr(Broken, "failing", False)
        widget.tau = 0.5
        assert widget.wait(15)
        assert widget._frame["inputs"]["tau"] == 0.5
        assert widget._frame["meta"]["error"] is None


def test_a_filter_changed_in_place_is_validated_before_use(
    explorer: uq.Explorer,
) -> None:
    condition = {"feature": "b", "low": -0.5, "high": None}
    explorer.ice_filter = [condition]
    assert explorer.wait(15)
    rows = explorer._frame["meta"]["importance"]["n_rows"]
    explorer.ice_filter.append({"feature": "nowhere", "low": 0, "high": 1})
    explorer.set_state({"tau": 0.3, "_seq": 1})
    assert explorer.wait(15)
    assert explorer._frame["seq"] == 1
    assert explorer._frame["inputs"]["tau"] == 0.3
    assert "there is no feature 'nowhere'" in explorer._frame["meta"]["error"]
    assert explorer._frame["inputs"]["ice_filter"] == [condition], "the previous filter stays"
    assert explorer._frame["meta"]["importance"]["n_rows"] == rows < 40
    explorer.ice_filter = []
    assert explorer.wait(15)
    assert explorer._frame["meta"]["error"] is None
    assert explorer._frame["meta"]["importance"]["n_rows"] == 40


def test_observers_of_a_message_may_call_wait(gated: tuple[Gated, uq.Explorer]) -> None:
    model, widget = gated
    taus: list[tuple[float, float]] = []

    def wait(_change: Any) -> None:
        assert widget.wait(10)
        taus.append((widget.tau, widget._frame["inputs"]["tau"]))

    widget.observe(wait, "tau")
    for k in (1, 2, 3):
        model.gate.clear()
        widget.n_repeats = 3 + 2 * k  # the worker is busy when the message arrives
        assert model.called.wait(10)
        model.called.clear()
        threading.Timer(0.1, model.gate.set).start()
        message = {"tau": k / 10, "n_repeats": 4 + 2 * k, "_seq": k}
        in_time(lambda message=message: widget.set_state(message))
    assert taus == [(0.1, 0.1), (0.2, 0.2), (0.3, 0.3)], (
        "each observer sees the frame of its message"
    )


def test_observers_of_the_automatic_feature_may_call_wait(
    unpicked: tuple[Gated, uq.Explorer],
) -> None:
    model, widget = unpicked
    seen: list[Any] = []

    def wait(_change: Any) -> None:
        seen.append(widget.wait(10))
        seen.append(widget._frame["meta"]["dependence"]["feature"])

    widget.observe(wait, "feature")
    model.gate.set()
    in_time(lambda: widget.wait(12))
    assert widget.feature == widget.stress_feature == "a"
    deadline = time.monotonic() + 10
    while len(seen) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert seen == [True, "a"]


def test_wait_in_an_observer_of_frames_is_an_error(
    explorer: uq.Explorer, reported: list[str]
) -> None:
    explorer.observe(lambda _: explorer.wait(), "_frame")
    explorer.tau = 0.1
    assert explorer.wait(15)
    assert (
        "RuntimeError: wait() was called by an observer of _frame"
        in (explorer._frame["meta"]["error"])
    )
    assert len(reported) == 1


def test_work_that_calls_wait_is_superseded() -> None:
    tickets: list[Ticket] = []
    ended: list[bool] = []

    def work(ticket: Ticket) -> None:
        tickets.append(ticket)
        if len(tickets) == 1:
            ended.append(scheduler.wait(5))
            ticket.check()
            ended.append(False)  # check() raises before this line

    scheduler = Scheduler(work)
    scheduler.request()
    deadline = time.monotonic() + 10
    while not ended and time.monotonic() < deadline:
        time.sleep(0.01)
    assert scheduler.wait(5)
    assert ended == [True]
    assert len(tickets) == 2


def test_an_exception_of_the_work_is_reported_and_the_next_request_is_served(
    reported: list[str],
) -> None:
    runs: list[int] = []

    def work(_: Ticket) -> None:
        runs.append(scheduler.newest)
        if len(runs) == 1:
            raise SystemExit

    scheduler = Scheduler(work)
    for _ in range(2):
        scheduler.request()
        assert scheduler.wait(5)
    assert runs == [1, 2]
    assert reported == ["SystemExit()"]


@pytest.mark.parametrize("closed", [True, False], ids=["closed", "open"])
def test_a_script_ends_after_the_current_model_call_without_another(
    closed: bool,
) -> None:
    ended = script(
        f"""
        class Slow(Gated):
            slow = False

            def predict_proba(self, X):
                answer = super().predict_proba(X)
                if self.slow:
                    self.called.set()
                    time.sleep(.5)
                    print("answered", flush=True)
                return answer

        model = Slow()
        widget = uq.Explorer(uq.Explainer(model, *table(2000)))
        assert widget.wait(30)
        model.slow = True
        widget.n_repeats = 200  # many blocks
        assert model.called.wait(10)
        if {closed}:
            widget.close()
        """
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "answered\n"
    assert ended.stderr == ""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_process_forked_during_work_has_its_own_worker() -> None:
    ended = script(
        """
        import warnings
        warnings.simplefilter("ignore")
        model = Gated()
        explainer = uq.Explainer(model, *table())
        widget = uq.Explorer(explainer, n_repeats=3)
        assert widget.wait(30)
        model.gate.clear()
        widget.n_repeats = 6
        assert model.called.wait(10)
        child = os.fork()
        if child == 0:
            model.gate = threading.Event()
            model.gate.set()
            assert len(explainer.importance("nll", n_repeats=5).features) == 4
            assert widget.wait(20)
            widget.tau = .5
            assert widget.wait(20)
            frame = widget._frame
            assert frame["meta"]["importance"]["n_repeats"] == 6, frame["meta"]["error"]
            assert frame["inputs"]["tau"] == .5
            os._exit(7)
        deadline = time.monotonic() + 30
        status = (0, 0)
        while status == (0, 0) and time.monotonic() < deadline:
            status = os.waitpid(child, os.WNOHANG)
            time.sleep(.05)
        if status == (0, 0):
            os.kill(child, 9)
        print("child", os.waitstatus_to_exitcode(status[1]))
        model.gate.set()
        assert widget.wait(20)
        """
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "child 7\n", ended.stderr


def test_close_closes_the_default_layout_only(explainer: uq.Explainer) -> None:
    before = set(registry._instances)
    with uq.Explorer(explainer, n_repeats=2):
        assert len(set(registry._instances) - before) == 2, "the widget and its layout"
    assert set(registry._instances) == before
    shared = ipywidgets.Layout(width="50%")
    with uq.Explorer(explainer, n_repeats=2, layout=shared):
        pass
    assert shared.comm is not None, "another widget may use this layout"
    shared.close()


def test_a_widget_closes_when_the_browser_closes_its_connection(explainer: uq.Explainer) -> None:
    widget = uq.Explorer(explainer, n_repeats=2)
    assert widget.wait(15)
    widget.comm.handle_close({})
    assert widget.comm is None
    frame = widget._frame
    widget.tau = 0.7
    assert widget.wait(5)
    assert widget._frame is frame, "a closed widget computes nothing"


def test_a_hidden_widget_pauses_until_it_is_shown_again(
    gated: tuple[Gated, uq.Explorer],
) -> None:
    model, widget = gated
    widget.set_state({"_view_count": 1})
    model.gate.clear()
    widget.n_repeats = 200
    assert model.called.wait(10)
    widget.set_state({"_view_count": 0})
    threading.Timer(0.1, model.gate.set).start()
    assert widget._scheduler.wait(15)
    assert widget._frame["meta"]["importance"]["n_repeats"] < 200
    widget.set_state({"_view_count": 1})
    assert widget._scheduler.wait(15)
    assert widget._frame["meta"]["importance"]["n_repeats"] == 200
    widget.set_state({"_view_count": 0})
    widget.n_repeats = 210
    assert widget.wait(15)
    assert widget._frame["meta"]["importance"]["n_repeats"] == 210, (
        "wait() in Python computes the frame of a hidden widget"
    )


def test_an_unreferenced_hidden_widget_is_freed_when_another_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    connections: list[Any] = []  # a kernel keeps them too

    def connect(**kwargs: Any) -> Broken:
        connections.append(Broken(**kwargs))
        return connections[-1]

    monkeypatch.setattr(comm, "create_comm", connect)
    references: list[weakref.ref[uq.Explorer]] = []
    explainers: list[weakref.ref[uq.Explainer]] = []

    def show() -> uq.Explorer:
        explainer = uq.Explainer(Counting(), *table())
        widget = uq.Explorer(explainer, n_repeats=2)
        assert widget.wait(15)
        for worker in threading.enumerate():
            if worker.name == "uqwidgets":
                worker.join(5)
        widget.set_state({"_view_count": 1})
        references.append(weakref.ref(widget))
        explainers.append(weakref.ref(explainer))
        return widget

    def remove(widget: uq.Explorer) -> None:
        widget.set_state({"_view_count": 0})

    first = show()
    remove(first)
    for _ in range(3):
        remove(show())
    displayed_id = show().model_id
    assert [reference() is not None for reference in references] == [
        True,
        False,
        False,
        False,
        True,
    ]
    assert [reference() is not None for reference in explainers] == [
        True,
        False,
        False,
        False,
        True,
    ]
    first.set_state({"_view_count": 1, "tau": 0.5, "_seq": 1})
    assert first.wait(15)
    assert first._frame["inputs"]["tau"] == 0.5, "a referenced widget still works"
    for widget in (first, references[-1]()):
        assert registry._instances[widget.model_id] is widget
        widget.close()
    assert displayed_id not in registry._instances


@pytest.mark.parametrize("interval", ["fixed-data", "quantile", "u-statistic"])
def test_a_widget_can_be_displayed_after_one_repeat(explainer: uq.Explainer, interval: str) -> None:
    ignore = lambda *_: None  # noqa: E731
    inputs = Inputs(0.0, "a", "", "prediction", "error_rate", interval=interval)
    session = Session(explainer, ignore, ignore, None, ignore, Timing())
    session.view(ImportanceView).repeats(inputs).extend(1, ignore)
    html = static_picture(session, inputs)
    assert "Not everything was computed" in html
    is_ranked = "Likelihood loss (nll)" in html
    assert is_ranked == (interval == "u-statistic"), "an interval over repeats needs two"


def test_the_widget_is_displayed_when_its_static_picture_fails(
    explorer: uq.Explorer, monkeypatch: pytest.MonkeyPatch, reported: list[str]
) -> None:
    def fail(*_: Any) -> str:
        raise RuntimeError("<b>no picture</b>")

    monkeypatch.setattr("uqwidgets.widgets.explorer.static_picture", fail)
    shown = explorer._repr_mimebundle_()
    data = shown[0] if isinstance(shown, tuple) else shown
    assert "application/vnd.jupyter.widget-view+json" in data
    assert "RuntimeError: &lt;b&gt;no picture" in data["text/html"]
    assert len(reported) == 1


def test_pickling_an_explainer_is_an_error_that_names_alternatives(explainer: uq.Explainer) -> None:
    for write in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError, match=r"cannot be pickled or copied.*pickle the model, X"):
            write(explainer)
    result = explainer.importance("nll", n_repeats=2)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(result)).importance, result.importance)
