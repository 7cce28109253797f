"""Links: what is moved in one explorer moves in the others, once."""

from __future__ import annotations

import gc
import threading
from typing import Any
from weakref import ref

import comm
import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from browser.bridge import QueueComm
from widgets.conftest import Counting, table
from widgets.session.test_messages import send


@pytest.fixture
def pair(explainer: uq.Explainer, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(comm, "create_comm", lambda **kwargs: QueueComm(**kwargs))
    with (
        uq.ImportanceView(explainer, n_repeats=3) as one,
        uq.DependenceView(explainer, ice_lines=4) as other,
    ):
        assert one.wait(30)
        assert other.wait(30)
        yield one, other


def test_a_change_in_one_is_a_change_in_all(pair: Any, model: Counting) -> None:
    one, other = pair
    tie = uq.link(one, other)
    assert tie.remarks == ()
    one.tau, one.feature = 0.4, "b"
    other.measure = "entropy"
    other.ice_filter = [{"feature": "a", "low": 0.0}]
    for widget in pair:
        assert widget.wait(30)
        assert (widget.tau, widget.feature, widget.measure) == (0.4, "b", "entropy")
        assert len(widget.ice_filter) == 1
    assert one._frame["meta"]["rows"] == other._frame["meta"]["rows"] < 40
    calls = model.calls
    one.tau = -0.4
    assert one.wait(30)
    assert other.wait(30)
    assert model.calls == calls, "tau asks the model nothing, in none of them"
    assert other._frame["inputs"]["tau"] == -0.4
    tie.unlink()
    one.tau = 0.0
    assert other.tau == -0.4


def test_what_is_compared_is_tied_where_both_can_compare(model: Counting) -> None:
    two = uq.Explainer(model, *table(), others={"second": Counting()})
    one = uq.Explainer(model, *table())
    with (
        uq.ImportanceView(two, n_repeats=2) as first,
        uq.DependenceView(two, ice_lines=2) as second,
        uq.StressView(one) as third,
    ):
        first.compare_with = ""
        tie = uq.link(first, second, third)
        first.compare_with = "model:second"
        assert (second.compare_with, third.compare_with) == ("model:second", "")
        assert any("explorer 3 keeps its compare_with" in one for one in tie.remarks)
        first.ice_filter = [{"feature": "a", "low": 0.0}]
        second.compare_with = "rest"
        assert (first.compare_with, third.compare_with) == ("rest", "rest")
        assert tie.remarks == ()


def test_a_message_of_a_page_has_no_echo(pair: Any) -> None:
    one, other = pair
    uq.link(one, other)
    for widget in pair:
        assert widget.wait(30)
        widget.comm.sent.clear()
    send(one, {"tau": 0.5, "stress_feature": "b", "_seq": one._seq + 1})
    for widget in pair:
        assert widget.wait(30)

    def states(widget: uq.Explorer) -> list[dict[str, Any]]:
        return [m["state"] for m in widget.comm.sent if m.get("method") == "update"]

    inputs = [name for state in states(one) for name in state if not name.startswith("_")]
    assert inputs == [], "the page knows what it asked for"
    received = [name for state in states(other) for name in state if not name.startswith("_")]
    assert sorted(received) == ["stress_feature", "tau"], "each once"
    # Both were set together, so no frame has only one of them.
    frames = [state["_frame"]["inputs"] for state in states(other) if "_frame" in state]
    assert {(f["tau"], f["stress_feature"]) for f in frames} == {(0.5, "b")}


def test_a_change_that_waits_is_not_undone_by_that_of_another(pair: Any) -> None:
    one, other = pair
    uq.link(one, other)
    with one.hold_trait_notifications():
        one.tau = 0.5  # nobody has been told of it when the other explorer changes
        other.feature = "b"
    assert (one.tau, one.feature) == (0.5, "b")
    assert (other.tau, other.feature) == (0.5, "b")


def test_an_explorer_that_was_closed_before_can_still_be_set(pair: Any) -> None:
    one, other = pair
    other.close()
    uq.link(one, other)
    other.tau = 0.5
    assert other.tau == 0.5


def test_only_the_chosen_inputs_are_tied(pair: Any) -> None:
    one, other = pair
    uq.link(one, other, names=["tau"])
    feature = other.feature
    one.tau, one.feature = 0.2, "same"
    assert (other.tau, other.feature) == (0.2, feature)


def test_different_tables_tie_what_both_have(explainer: uq.Explainer) -> None:
    X, y = table(30)
    X = X.drop(columns="same").assign(d=np.arange(30.0))
    other = uq.Explainer(Counting(), pd.DataFrame(X), y)
    with uq.Explorer(explainer, n_repeats=2) as one, uq.Explorer(other, n_repeats=2) as two:
        with pytest.warns(UserWarning, match="not all explorers have the features 'same', 'd'"):
            tie = uq.link(one, two)
        one.feature = "b"
        assert two.feature == "b"
        one.feature = "same"
        assert two.feature == "b"
        assert "explorer 2 keeps its feature: there is no feature 'same'" in repr(tie)
        two.feature = "a"
        assert one.feature == "a"
        assert len(tie.remarks) == 1


def test_a_link_keeps_no_explorer_alive(explainer: uq.Explainer) -> None:
    one, other = (uq.Explorer(explainer, n_repeats=2) for _ in range(2))
    with one:
        tie = uq.link(one, other)
        other.wait(30)
        other.close()
        for worker in threading.enumerate():
            if worker.name == "uqwidgets":
                worker.join(5)
        freed = ref(other)
        del other
        gc.collect()
        assert freed() is None
        one.tau = 0.3
        assert one.wait(30)
        tie.unlink()


def test_what_is_no_explorer_is_not_linked(pair: Any) -> None:
    one, other = pair
    with pytest.raises(TypeError, match="two or more different explorers"):
        uq.link(one, one)
    with pytest.raises(TypeError, match="link got an object of type str; pass explorers"):
        uq.link(one, "tau")
    with pytest.raises(ValueError, match="there is no input 'taus'"):
        uq.link(one, other, names=["taus"])
