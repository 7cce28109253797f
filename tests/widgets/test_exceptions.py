"""Exceptions of the model, of observers and of the connection are reported; observers may wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import comm
import pytest

import uqwidgets as uq
from uqwidgets.widgets.kernel.scheduler import Scheduler, Ticket
from uqwidgets.widgets.over_tau.following import OverTau
from widgets.conftest import Broken, Gated, rest, table


class Ended(BaseException):
    """An exception that is not a subclass of `Exception`."""


@pytest.fixture
def unpicked() -> Iterator[tuple[Gated, uq.Explorer]]:
    """A widget that selects its features when the gate of its model is opened."""
    model = Gated()
    explainer = uq.Explainer(model, *table())
    model.gate.clear()
    with uq.Explorer(explainer, n_repeats=3) as widget:
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


def test_the_same_request_tries_again_what_failed(
    gated: tuple[Gated, uq.Explorer], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, widget = gated
    monkeypatch.setattr(widget._publisher.shown, "wait", lambda _timeout=None: True)
    model.raises = RuntimeError("the memory is full")
    widget.n_repeats = 5
    assert widget.wait(15)
    meta = widget._frame["meta"]
    assert meta["failed"]
    assert meta["importance"]["n_repeats"] == 3, "what is known stays"
    calls = model.calls
    widget.tau = 0.5
    assert widget.wait(15)
    assert (widget._frame["meta"]["failed"], model.calls) == (True, calls)
    model.raises = None
    # What a page sends to go on, or to try again.
    widget.set_state({"_seq": 1})
    assert widget.wait(15)
    meta = widget._frame["meta"]
    assert (meta["failed"], meta["error"], meta["importance"]["n_repeats"]) == (False, None, 5)
    calls = model.calls
    widget.set_state({"_seq": 2})
    assert widget.wait(15)
    assert model.calls == calls, "nothing failed"


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


def test_an_error_in_what_follows_tau_is_shown_until_the_next_request(
    explorer: uq.Explorer, monkeypatch: pytest.MonkeyPatch, reported: list[str]
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("no other level")

    with monkeypatch.context() as patch:
        patch.setattr(OverTau, "follow", fail)
        explorer.feature = "b"
        rest(explorer)
        meta = explorer._frame["meta"]
        assert meta["final"]
        assert "the work on other levels of tau raised RuntimeError: no other" in meta["error"]
        assert reported == ["RuntimeError('no other level')"]
    explorer.feature = "a"
    rest(explorer)
    assert explorer._frame["meta"]["error"] is None
    assert explorer._over_tau["inputs"]["feature"] == "a"


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


def test_the_widget_is_displayed_when_its_static_picture_fails(
    explorer: uq.Explorer, monkeypatch: pytest.MonkeyPatch, reported: list[str]
) -> None:
    def fail(*_: Any) -> str:
        raise RuntimeError("<b>no picture</b>")

    monkeypatch.setattr("uqwidgets.widgets.session.requesting.static_picture", fail)
    shown = explorer._repr_mimebundle_()
    data = shown[0] if isinstance(shown, tuple) else shown
    assert "application/vnd.jupyter.widget-view+json" in data
    assert "RuntimeError: &lt;b&gt;no picture" in data["text/html"]
    assert len(reported) == 1
