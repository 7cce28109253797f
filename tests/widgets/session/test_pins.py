"""Pins and their ghost without a browser: their validation, their results and their cost."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import uqwidgets as uq
from cases import thorough_after
from uqwidgets.widgets.session.pins import MOST_CHARACTERS, MOST_CONDITIONS_OF_ALL, MOST_PINS
from widgets.conftest import Counting, table
from widgets.test_explorer import change, in_order
from widgets.wire import columns


def pin(note: str = "", *, ghost: bool = False, **state: Any) -> dict[str, Any]:
    return {"note": note, "state": state, "ghost": ghost}


def test_a_pin_is_the_current_state_with_a_note(explorer: uq.Explorer) -> None:
    change(explorer, tau=0.5, feature="b", ice_filter=[{"feature": "c", "values": ["red"]}])
    explorer.pin("red ones")
    change(explorer, tau=0.0, ice_filter=[])
    explorer.pin()
    assert [each["note"] for each in explorer.pins] == ["red ones", ""]
    state = explorer.pins[0]["state"]
    assert (state["tau"], state["feature"]) == (0.5, "b")
    assert state["ice_filter"] == [{"feature": "c", "values": ["red"]}]
    assert json.loads(json.dumps(explorer.pins)) == explorer.pins
    explorer.state = state
    assert explorer.tau == 0.5


def test_an_older_pin_gets_the_defaults_of_missing_inputs(
    explorer: uq.Explorer,
) -> None:
    explorer.pins = [{"state": {"tau": 0.5}}]
    state = explorer.pins[0]["state"]
    assert (state["tau"], state["n_repeats"], state["measure"]) == (0.5, 10, "prediction")
    assert (explorer.pins[0]["note"], explorer.pins[0]["ghost"]) == ("", False)


MANY = [{"feature": "a", "low": 0.0}] * 200
HOSTILE = [
    (5, "pins is of type int; it must be a list of pins"),
    ([5], "pin 1 must be a dict of 'note', 'state' and 'ghost'"),
    ([pin(), {"note": "n"}], "pin 2 must be a dict"),
    ([{**pin(), "html": "<img>"}], "pin 1 must be a dict"),
    ([{**pin(), "note": 5}], "the note of pin 1 is of type int; it must be a text"),
    ([pin("x" * (MOST_CHARACTERS + 1))], "the note of pin 1 has 10,001 characters"),
    ([{**pin(), "ghost": 1}], "ghost of pin 1 is of type int; it must be True or False"),
    ([pin(ghost=True), pin(ghost=True)], "more than one pin is a ghost"),
    ([pin()] * (MOST_PINS + 1), "there are 201 pins, and 200 at most"),
    ([{"note": "", "state": []}], "the state of pin 1 is of type list"),
    ([pin(tau="0.5")], "the state of pin 1: tau is '0.5'; it must be a number"),
    ([pin(tau=float("inf"))], "the state of pin 1: tau is inf; it must be finite"),
    ([pin(), pin(feature="age")], "the state of pin 2: there is no feature 'age'"),
    ([pin(__class__=1)], "the state of pin 1: there is no input '__class__'"),
    ([pin(n_repeats=10**9)], "the state of pin 1: n_repeats is 1000000000"),
    ([pin(ice_filter=MANY)] * 11, "have 2,200 conditions; they can have 2,000"),
    (
        [pin(ice_filter=[{"feature": "c", "values": ["red"] * 60_000}])] * 2,
        "have 120,000 values; they can have 100,000",
    ),
]


@pytest.mark.parametrize(("pins", "sentence"), thorough_after(5, HOSTILE))
def test_invalid_pins_are_refused_and_the_previous_pins_stay(
    explorer: uq.Explorer, pins: Any, sentence: str
) -> None:
    explorer.pin("stays")
    before = explorer.pins
    explorer.set_state({"pins": pins})
    assert explorer.wait(30)
    assert explorer.pins == before
    assert sentence in explorer._frame["meta"]["error"]
    assert len(explorer._frame["meta"]["error"]) < 400
    explorer.set_state({"pins": [pin("better")]})
    assert explorer.wait(30)
    assert explorer._frame["meta"]["error"] is None
    assert [each["note"] for each in explorer.pins] == ["better"]


def test_setting_invalid_pins_in_python_is_an_error(explorer: uq.Explorer) -> None:
    with pytest.raises(ValueError, match="the state of pin 1: tau is 3"):
        explorer.pins = [pin(tau=3)]
    with pytest.raises(ValueError, match="the note of pin 1 is of type int"):
        explorer.pin(5)  # type: ignore[arg-type]
    assert explorer.pins == []
    assert MOST_CONDITIONS_OF_ALL < MOST_PINS * 200


def test_the_page_gets_the_previous_pins_when_its_own_are_refused(explorer: uq.Explorer) -> None:
    sent = []
    explorer.send_state = lambda key=None: sent.append(key)  # type: ignore[method-assign]
    explorer.set_state({"pins": [5]})
    assert "pins" in sent


def test_changing_notes_sends_no_frame(explorer: uq.Explorer) -> None:
    frames: list[Any] = []
    explorer.observe(lambda change: frames.append(change["new"]), names="_frame")
    explorer.pin("one")
    explorer.set_state({"pins": [{**explorer.pins[0], "note": "two"}]})
    assert explorer.wait(30)
    assert not frames


def with_ghost(explorer: uq.Explorer, **inputs: Any) -> dict[str, Any]:
    """Change the view, show the first pin as its ghost, and return the frame."""
    change(explorer, **inputs)
    return change(explorer, pins=[{**explorer.pins[0], "ghost": True}])[-1]


def test_the_ghost_has_the_numbers_of_the_pinned_view(explorer: uq.Explorer) -> None:
    ex = explorer.explainer
    pinned = columns(
        change(
            explorer,
            tau=0.6,
            stress_feature="b",
            feature="b",
            ice_filter=[{"feature": None, "values": ["yes"]}],
        )[-1]
    )
    explorer.pin("stressed")
    profile = explorer.result("stress")
    calls = ex.model_calls
    frame = with_ghost(explorer, tau=-0.2, ice_filter=[])
    shown = columns(frame)
    assert frame["meta"]["ghost"] == {"note": "stressed", "state": explorer.pins[0]["state"]}
    np.testing.assert_array_equal(shown["importance.ghost"], pinned["importance.value"])
    np.testing.assert_array_equal(shown["dependence.ghost"], pinned["dependence.average"])
    np.testing.assert_array_equal(shown["dependence.ghost_grid"], pinned["dependence.grid"])
    row = profile.features.index("b")  # type: ignore[attr-defined]
    np.testing.assert_array_equal(
        shown["stress.ghost"],
        profile.values["error_rate"][row],  # type: ignore[attr-defined]
    )
    assert not np.array_equal(shown["importance.value"], pinned["importance.value"])
    assert ex.model_calls == calls
    frame = change(explorer, pins=[{**explorer.pins[0], "ghost": False}])[-1]
    assert frame["meta"]["ghost"] is None
    assert not [name for name in frame["cols"] if "ghost" in name]


def test_a_ghost_is_computed_once(explorer: uq.Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    explorer.pin()
    with_ghost(explorer, tau=0.5)
    computed = []
    ghost = explorer._session.ghost
    compute = ghost.compute
    monkeypatch.setattr(ghost, "compute", lambda *args: computed.append(compute(*args)))
    for tau in (0.1, 0.2, 0.3):
        frame = change(explorer, tau=tau)[-1]
        assert "importance.ghost" in frame["cols"]
    assert not computed
    change(explorer, n_repeats=6)
    assert len(computed) == 1, "new repeats change the results of the pin"


def test_a_ghost_never_calls_the_model() -> None:
    # After a page is opened again, only the inputs of the pin are known.
    model = Counting()
    with uq.Explorer(
        uq.Explainer(model, *table()),
        n_repeats=3,
        feature="a",
        pins=[pin("earlier", feature="b", n_repeats=50, ghost=True)],
    ) as widget:
        assert widget.wait(30)
        with uq.Explorer(uq.Explainer(Counting(), *table()), n_repeats=3, feature="a") as plain:
            assert plain.wait(30)
            assert widget.explainer.rows_evaluated == plain.explainer.rows_evaluated
        shown = columns(widget._frame)
        result = widget.explainer.importance("nll", n_repeats=3)
        np.testing.assert_allclose(
            shown["importance.ghost"][0],
            in_order(widget.explainer, result, result.importance),
            rtol=1e-12,
        )
        assert "dependence.ghost" not in shown, "no view has computed its curve"


@pytest.mark.parametrize(
    "state",
    [
        {"ice_filter": [{"feature": "a", "low": 50.0}]},
        {"stress_feature": "same", "tau": 0.5},
    ],
)
def test_a_pin_without_results_has_no_ghost_and_no_error(
    explorer: uq.Explorer, state: dict[str, Any]
) -> None:
    frame = change(explorer, pins=[pin("empty", ghost=True, **state)])[-1]
    assert frame["meta"]["error"] is None
    assert frame["meta"]["final"]
    assert "importance.ghost" not in frame["cols"]
