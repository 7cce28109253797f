"""Messages of a page are untrusted: they set valid inputs and nothing else."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import comm
import pytest

import uqwidgets as uq
from browser.bridge import QueueComm
from cases import thorough_after
from uqwidgets.widgets.inputs import inputs
from uqwidgets.widgets.inputs.conditions import conditions
from uqwidgets.widgets.inputs.inputs import NAMES, Inputs
from uqwidgets.widgets.over_tau.following import OverTau
from uqwidgets.widgets.session import price
from widgets.random_messages import deep


@pytest.fixture
def widget(explainer: uq.Explainer, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(comm, "create_comm", lambda **kwargs: QueueComm(**kwargs))
    with uq.Explorer(explainer, n_repeats=3, ice_lines=4) as explorer:
        assert explorer.wait(30)
        yield explorer


def send(widget: uq.Explorer, state: Any, **message: Any) -> None:
    """Pass a message to the widget as the kernel's connection does."""
    data = {"method": "update", "state": state, "buffer_paths": [], **message}
    widget.comm.handle_msg({"content": {"data": data}, "buffers": []})


def host_state(widget: uq.Explorer) -> dict[str, Any]:
    """Return every trait that the browser must not set."""
    own = {*NAMES, "_seq", "_stop", "_view_count", "_frame"}
    return {name: getattr(widget, name) for name in widget.keys if name not in own}


@pytest.mark.parametrize(
    ("name", "value"),
    thorough_after(
        5,
        [
            ("tau", 10**400),
            ("tau", -(10**5000)),
            ("n_repeats", 10**400),
            ("ice_lines", 10**5000),
            ("tau", deep(980)),
            ("ice_filter", deep(980)),
            ("ice_filter", [{"feature": "a", "low": 10**400, "high": None}]),
            ("ice_filter", [{"feature": deep(980), "low": 0}]),
            ("ice_filter", [{"feature": "c", "values": [deep(980)]}]),
            ("ice_filter", [{"feature": "x" * 10**6, "low": 0}]),
            ("feature", "x" * 10**7),
            ("anchor", "x" * 10**7),
            ("anchor", 10**5000),
            ("measure", {"nll": 1}),
        ],
    ),
    ids=[
        "tau",
        "tau of thousands of digits",
        "n_repeats",
        "ice_lines",
        "deep",
        "deep filter",
        "end",
        "deep name",
        "deep value",
        "long name",
        "long",
        "long choice",
        "choice of thousands of digits",
        "dict",
    ],
)
def test_an_invalid_value_is_an_error_of_one_short_sentence(
    widget: uq.Explorer, name: str, value: Any
) -> None:
    before = getattr(widget, name)
    send(widget, {name: value, "center": True, "_seq": 1})
    assert widget.wait(15)
    frame = widget._frame
    assert frame["seq"] == 1
    assert 0 < len(frame["meta"]["error"]) < 400
    assert widget.center, "the valid inputs of the same message are set"
    assert getattr(widget, name) == before


@pytest.mark.parametrize(
    ("name", "value"),
    thorough_after(
        5,
        [
            ("_view_module", "evil-package"),
            ("_view_name", None),
            ("_model_module", "evil-package"),
            ("_dom_classes", ["x"]),
            ("_anywidget_id", "other"),
            ("layout", "IPY_MODEL_0"),
            ("tooltip", [None]),
            ("tabbable", True),
            ("_frame", {}),
            ("_about", {}),
            ("_esm", "alert(1)"),
            ("comm", None),
            ("keys", []),
            ("_seq", True),
            ("_seq", 2**53 - 1),
            ("_stop", 2**53 - 1),
            ("", 1),
        ],
    ),
)
def test_a_message_sets_only_inputs(widget: uq.Explorer, name: str, value: Any) -> None:
    before = {key: getattr(widget, key) for key in widget.keys}
    connection = widget.comm
    send(widget, {name: value})
    assert widget.wait(15)
    assert {key: getattr(widget, key) for key in before} == before
    assert widget.comm is connection
    send(widget, {"tau": 0.5, "_seq": 1})
    assert widget.wait(15)
    assert widget._frame["seq"] == 1
    assert widget._frame["inputs"]["tau"] == 0.5


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"content": None},
        {"content": {}},
        {"content": {"data": None}},
        {"content": {"data": {}}},
        {"content": {"data": {"method": "update"}}},
        {"content": {"data": {"method": "update", "state": [1]}}},
        {"content": {"data": {"method": ["update"], "state": {}}}},
        {"content": {"data": {"method": "custom"}}},
        {"content": {"data": {"method": "custom", "content": {"kind": "anywidget-command"}}}},
        {"content": {"data": {"method": "custom", "content": {"moving": [True]}}}},
        {"content": {"data": {"method": "custom", "content": ["moving"]}}},
        {"content": {"data": {"method": "update", "state": {}, "buffer_paths": [["tau"], 3]}}},
    ],
    ids=repr,
)
def test_a_malformed_message_is_ignored(widget: uq.Explorer, message: Any) -> None:
    before = {key: getattr(widget, key) for key in widget.keys}
    widget.comm.handle_msg(message)
    assert {key: getattr(widget, key) for key in before} == before


def test_what_is_worked_out_for_other_levels_waits_while_a_hand_moves(
    explainer: uq.Explainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comm, "create_comm", lambda **kwargs: QueueComm(**kwargs))
    begun, ended = threading.Event(), threading.Event()

    def follow(_: OverTau, __: Inputs, check: Callable[[], None], **___: Any) -> Iterator[Any]:
        ended.clear()
        begun.set()
        try:
            while True:
                check()
                time.sleep(0.001)
        finally:
            ended.set()
        yield

    monkeypatch.setattr(OverTau, "follow", follow)
    with uq.Explorer(explainer, n_repeats=3) as widget:
        assert begun.wait(30)
        moving = {"method": "custom", "content": {"moving": True}}
        widget.comm.handle_msg({"content": {"data": moving}})
        assert ended.wait(5)
        begun.clear()
        assert not begun.wait(0.2)
        assert widget._frame["meta"]["final"]
        send(widget, {"tau": 0.5, "_seq": 1})
        assert begun.wait(30), "the hand rests"


def test_a_page_can_request_the_state(widget: uq.Explorer) -> None:
    widget.comm.sent.clear()
    widget.comm.handle_msg({"content": {"data": {"method": "request_state"}}})
    (message,) = widget.comm.sent
    assert message["state"]["feature"] == "a"


def test_stop_works_after_a_refused_message(widget: uq.Explorer) -> None:
    send(widget, {"tau": 3, "_seq": 1})
    assert widget.wait(15)
    newest = widget._scheduler.newest
    send(widget, {"_stop": 1})
    assert widget._scheduler.newest == newest, "a stop requests no work"


def test_a_message_cannot_request_hours_of_model_calls(
    widget: uq.Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluations = widget.explainer.evaluations
    monkeypatch.setattr(evaluations, "seconds", lambda questions: 30.0 * len(questions))
    rows = widget.explainer.rows_evaluated
    send(widget, {"n_repeats": 1000, "_seq": 1})
    assert widget.wait(15)
    assert "would work for 33.3 hours (importance 33.3)" in widget._frame["meta"]["error"]
    assert "set n_repeats in Python" in widget._frame["meta"]["error"]
    assert widget.n_repeats == 3
    assert widget.explainer.rows_evaluated == rows
    send(widget, {"n_repeats": 5, "_seq": 2})
    assert widget.wait(15)
    assert widget._frame["meta"]["importance"]["n_repeats"] == 5
    assert inputs.validate("n_repeats", 1000, widget.explainer) == 1000, "Python may set it"


def test_the_price_of_a_message_is_that_of_everything_together(
    widget: uq.Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluations, n = widget.explainer.evaluations, len(widget.explainer.table)
    monkeypatch.setattr(evaluations, "seconds_for", lambda rows: 0.07 * rows)
    monkeypatch.setattr(evaluations, "seconds", lambda questions: 0.07 * n * len(questions))
    # Nothing is computed: each message is about what the widget showed before.
    monkeypatch.setattr(widget._scheduler, "request", lambda: None)
    parts: list[dict[str, Any]] = [
        {"n_repeats": 300, "replacement": "conditional"},
        {"small_curves": 50},
        {"second": "b"},
        {"importance_of": ["nll", "entropy", "brier", "accuracy"]},
        {"redundancy": True},
    ]
    before = widget.state
    for part in parts:
        send(widget, part)
        assert widget._input_error is None, part
        widget.state = before
    everything = {name: value for part in parts for name, value in part.items()}
    send(widget, {**everything, "tau": 0.5})
    assert widget._input_error is not None
    for words in ("a page may request one hour", "importance", "small curves", "surface"):
        assert words in widget._input_error
    assert {**widget.state, "tau": 0.0} == before, "what takes no time is set"
    assert widget.tau == 0.5
    # What Python asked for, a page need not ask for again, also while the work goes on.
    for name, value in everything.items():
        setattr(widget, name, value)
    monkeypatch.setattr(evaluations, "seconds", lambda questions: 10.0 * len(questions))
    send(widget, {"n_repeats": 2, "tau": 0.25})
    assert widget._input_error is None
    widget.n_repeats = 300
    send(widget, {"feature": "b", "color_by": "c"})
    assert widget._input_error is None
    # Redundancy takes long without a call of the model.
    monkeypatch.setattr(price, "_OF_FORESTS", 10.0)
    widget.state = before
    send(widget, {"redundancy": True})
    assert "redundancy" in (widget._input_error or "")


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("ice_lines", 5001, "lies within [0, 5000]"),
        ("small_curves", 51, "lies within [0, 50]"),
        ("n_repeats", 1001, "lies within [2, 1000]"),
        ("top", 10**6, "lies within [0, 100000]"),
        ("image_rows", 5, "lies within [0, 4]"),
        ("row", 40, "lies within [-1, 39]"),
        ("importance_of", ["nll"] * 5, "it can have 4"),
        ("views", ["importance"] * 101, "it can have 100"),
        ("selection", [0] * 41, "X has 40 rows"),
        ("selection", [{"feature": "a", "low": 0}] * 201, "it can have 200"),
        ("cohorts", [{"name": "a", "ice_filter": []}] * 51, "50 at most"),
        ("held", [{"feature": "a", "value": 0.1}] * 3, "2 can be held"),
        ("what_if", [{"feature": "a", "value": 0.1}] * 1001, "it can have 1,000"),
        ("pins", [{"note": "", "state": {}}] * 201, "200 at most"),
    ],
)
def test_every_count_that_a_page_can_set_has_a_maximum(
    widget: uq.Explorer, name: str, value: Any, sentence: str
) -> None:
    before = getattr(widget, name)
    send(widget, {name: value})
    assert sentence in (widget._input_error or "")
    assert getattr(widget, name) == before


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ([{"feature": "a", "low": 0}] * 201, "has 201 conditions; it can have 200"),
        ([{"feature": "c", "values": ["red"] * 60_000}] * 2, "lists 120,000 values; it can list"),
    ],
    ids=["conditions", "values"],
)
def test_a_filter_is_limited_in_conditions_and_values(
    explainer: uq.Explainer, value: list[Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        conditions(value, explainer)
