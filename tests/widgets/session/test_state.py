"""State, code and results of the widget: each reproduces the inputs and the numbers."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from uqwidgets.widgets.inputs.inputs import NAMES, Inputs
from uqwidgets.widgets.views import View, registered_views
from widgets.conftest import Counting, table
from widgets.test_explorer import change, in_order
from widgets.wire import columns

# Every input differs from its default; the filters are of all kinds.
CHANGED: dict[str, Any] = {
    "tau": 0.35,
    "stress_feature": "b",
    "feature": "b",
    "shown_model": "second",
    "views": ["importance", "dependence"],
    "stress_category": "red",
    "anchor": "tail-mean",
    "tail": 0.1,
    "small_curves": 2,
    "image_rows": 1,
    "second": "a",
    "measure": "entropy",
    "indicator": "entropy",
    "ice_filter": [
        {"feature": "a", "low": -2.0, "high": None, "missing": True},
        {"feature": "when", "values": ["2024-01-01", "2024-01-02", None]},
        {"feature": "c", "values": ["red", "blue"]},
        {"feature": None, "values": ["yes", "no"]},
    ],
    "complement": True,
    "held": [
        {"feature": "b", "value": 0.1},
        {"feature": "c", "value": 0.4, "category": "red"},
    ],
    "cohorts": [
        {"name": "red", "ice_filter": [{"feature": "c", "values": ["red"]}], "complement": False}
    ],
    "ice_lines": 7,
    "n_repeats": 3,
    "interval": "model",
    "simultaneous": True,
    "groups": "c",
    "time": "b",
    "importance_of": ["brier", "accuracy"],
    "replacement": "ablation",
    "compare": "ratio",
    "grouped": True,
    "verdict": True,
    "redundancy": True,
    "sort": "feature",
    "top": 7,
    "slices_of": "entropy",
    "compare_with": "model:first",
    "center": True,
    "derivative": True,
    "relative": True,
    "center_at": "0.5",
    "spacing": "even",
    "color_by": "c",
    "group_averages": True,
    "own_values": True,
    "rug": True,
    "category_order": "count",
    "calibration_by": "b",
    "logit": True,
    "clip_lines": True,
    "selection": "3,7-9",
    "row": 8,
    "what_if": [{"feature": "c", "value": "red"}, {"feature": "a", "value": 0.5}],
}


def dated() -> tuple[pd.DataFrame, pd.Series]:
    """The table of the other tests with dates and with missing values."""
    X, y = table(60)
    days = pd.date_range("2024-01-01", periods=3).repeat(20)
    X = X.assign(when=days)
    X.loc[:4, "a"] = np.nan
    X.loc[57:, "when"] = pd.NaT
    return X, y


class Tolerant(Counting):
    """The classifier of the other tests with missing numbers read as zeros."""

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        return super().predict_proba(X.assign(a=X["a"].fillna(0)))


@pytest.fixture
def dated_explainer() -> uq.Explainer:
    return uq.Explainer(Tolerant(), *dated(), name="first", others={"second": Tolerant()})


# The grid of a surface is coarser for a slow model.
@pytest.mark.usefixtures("frozen_clock")
def test_every_input_survives_json(dated_explainer: uq.Explainer) -> None:
    assert set(CHANGED) == set(NAMES)
    for declared in fields(Inputs):
        assert CHANGED[declared.name] != declared.default, f"{declared.name} is not changed"
    with uq.Explorer(dated_explainer, **CHANGED) as widget:
        widget.pin("a note – with ü")
        saved = json.loads(json.dumps(widget.state, allow_nan=False))
        assert {name: saved[name] for name in NAMES} == CHANGED
        assert widget.wait(60)
        shown = columns(widget._frame)
    with uq.Explorer(dated_explainer, state=saved) as again:
        assert again.state == saved
        assert again.pins == [{"note": "a note – with ü", "state": CHANGED, "ghost": False}]
        assert again.wait(60)
        assert_same_numbers(columns(again._frame), shown)


def assert_same_numbers(ours: dict[str, np.ndarray], theirs: dict[str, np.ndarray]) -> None:
    assert ours.keys() == theirs.keys()
    for name, values in ours.items():
        np.testing.assert_array_equal(values, theirs[name], err_msg=name)


def test_a_keyword_argument_overrides_the_state(explainer: uq.Explainer) -> None:
    with uq.Explorer(explainer, state={"tau": 0.5, "feature": "b"}, tau=-0.5) as widget:
        assert (widget.tau, widget.feature) == (-0.5, "b")


def test_setting_the_state_replaces_all_inputs_at_once(explorer: uq.Explorer) -> None:
    explorer.pin("stays")
    explorer.tau = 0.5
    seen = []
    explorer.observe(lambda _: seen.append((explorer.tau, explorer.feature)), names=["tau"])
    explorer.state = {"tau": -0.25, "feature": "b", "measure": "nll"}
    assert seen == [(-0.25, "b")]
    assert explorer.n_repeats == 10, "an input missing in the state gets its default"
    assert [pin["note"] for pin in explorer.pins] == ["stays"]
    assert explorer.wait(30)
    assert explorer._frame["inputs"] == {k: v for k, v in explorer.state.items() if k != "pins"}


def test_the_state_is_a_copy(explorer: uq.Explorer) -> None:
    explorer.pin("original")
    explorer.state["pins"][0]["note"] = "changed"
    assert explorer.pins[0]["note"] == "original"


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        ([], "state is of type list; it must be a dict of inputs"),
        ({"tua": 0.5}, "state: there is no input 'tua'; did you mean 'tau'"),
        ({3: 0.5}, "state: there is no input '3'"),
        ({"x" * 10**6: 1}, "there is no input"),
        ({"tau": 2}, r"state: tau is 2; it lies within \[-1, 1\]"),
        ({"feature": "age"}, "state: there is no feature 'age'"),
        ({"ice_filter": [{"feature": "age", "low": 1}]}, "state: there is no feature 'age'"),
        ({"pins": {}}, "pins is of type dict; it must be a list"),
        ({"pins": [{"note": "n"}]}, "pin 1 must be a dict of 'note', 'state' and 'ghost'"),
    ],
)
def test_an_invalid_state_is_an_error_of_one_sentence(
    explorer: uq.Explorer, state: Any, sentence: str
) -> None:
    before = explorer.state
    with pytest.raises(ValueError, match=sentence) as error:
        explorer.state = state
    assert len(str(error.value)) < 400
    assert explorer.state == before
    with pytest.raises(ValueError, match=sentence):
        uq.Explorer(explorer.explainer, state=state)


# The grid of a surface is coarser for a slow model.
@pytest.mark.usefixtures("frozen_clock")
def test_the_code_reproduces_the_view(dated_explainer: uq.Explainer) -> None:
    X, y = dated()
    with uq.Explorer(dated_explainer, **CHANGED) as widget:
        assert widget.wait(60)
        code, frame = widget.code(), widget._frame
    assert frame["meta"]["code"] == code
    assert "\n" not in code
    names: dict[str, Any] = {"uq": uq, "X": X, "y": y}
    names |= {"first": Tolerant(), "second": Tolerant()}
    exec(f"again = {code}", names)
    with names["again"] as again:
        assert again.wait(60)
        assert again.code() == code
        # The groups and the order are those of the explainer.
        assert {**again._frame["inputs"], "groups": "c", "time": "b"} == frame["inputs"]
        assert_same_numbers(columns(again._frame), columns(frame))


def test_the_code_lists_only_what_differs_from_the_defaults() -> None:
    X, y = table()
    with uq.explore(Counting(), X, y, feature="b", stress_feature="a", tau=0.0) as widget:
        assert widget.code() == "uq.explore(model, X, y, stress_feature='a', feature='b')"
    with uq.explore(Counting(), X, feature="b", stress_feature="a") as widget:
        assert widget.code() == "uq.explore(model, X, stress_feature='a', feature='b')"
    groups = {"both": ["a", "b"]}
    seeded = uq.Explainer(
        Counting(), X, y, feature_groups=groups, random_state=7, memory_limit="2GiB"
    )
    with uq.Explorer(seeded, feature="b", stress_feature="a") as widget:
        names: dict[str, Any] = {"uq": uq, "model": Counting(), "X": X, "y": y}
        exec(f"again = {widget.code()}", names)
    with names["again"] as again:
        assert again.explainer.seed == 7
        assert again.explainer.table.groups == seeded.table.groups
        assert again.explainer.evaluations.memory_limit == seeded.evaluations.memory_limit


def test_results_have_the_numbers_of_the_frame(explorer: uq.Explorer) -> None:
    ex = explorer.explainer
    filters = [{"feature": "b", "low": -1.0, "high": None}]
    frame = change(
        explorer, tau=0.6, stress_feature="b", ice_filter=filters, measure="entropy", center=True
    )[-1]
    cols, meta, calls = columns(frame), frame["meta"], ex.model_calls
    for m, measure in enumerate(("nll", "entropy")):
        importance = explorer.result("importance", measure)
        assert isinstance(importance, uq.Importance)
        for name in ("value", "low", "high"):
            values = importance.importance if name == "value" else getattr(importance, name)
            np.testing.assert_array_equal(
                in_order(ex, importance, values), cols[f"importance.{name}"][m]
            )
        assert importance.n_repeats == meta["importance"]["n_repeats"] == 4
        assert importance.interval == "u-statistic"
        np.testing.assert_array_equal(importance.rows, np.flatnonzero(ex.table.numbers("b") >= -1))
    assert explorer.result("importance").frame.equals(explorer.result("importance", "nll").frame)

    curve = explorer.result("dependence")
    assert isinstance(curve, uq.Dependence)
    assert (curve.feature, curve.measure, curve.weighted) == ("a", "entropy", True)
    for name, values in (
        ("grid", curve.grid),
        ("average", curve.average),
        ("low", curve.low),
        ("high", curve.high),
    ):
        np.testing.assert_array_equal(values, cols[f"dependence.{name}"])

    stress = explorer.result("stress")
    assert isinstance(stress, uq.Stress)
    assert stress.features == ("a", "b", "c=blue", "c=red", "same")
    np.testing.assert_array_equal(stress.taus, cols["stress.taus"])
    np.testing.assert_allclose(stress.values["error_rate"], cols["stress.value"], rtol=1e-6)
    np.testing.assert_allclose(stress.reached, cols["stress.reached"], rtol=1e-6)
    for ends, shown in zip((stress.low, stress.high), cols["stress.ends"], strict=True):
        np.testing.assert_allclose(ends["error_rate"][1], shown, rtol=1e-6)
    assert np.isnan(stress.low["error_rate"][0]).all(), "only the shown feature has an interval"
    assert ex.model_calls == calls


def test_every_view_that_declares_results_has_one(explorer: uq.Explorer) -> None:
    explorer.second = "b" if explorer.feature == "a" else "a"
    explorer.ice_filter = [{"feature": "a", "low": 0.0}]
    explorer.compare_with, explorer.small_curves = "rest", 2
    declared = [view for view in registered_views() if view.results is not View.results]
    assert len(declared) >= 9
    for view in declared:
        if view.is_offered(explorer.explainer):
            # So few rows hold no slice.
            assert explorer.result(view.name).frame.empty == (view.name == "slices")


@pytest.mark.parametrize(
    ("inputs", "view", "shown", "sentence"),
    [
        ({}, "importances", None, "there is no view 'importances'; did you mean 'importance'"),
        ({}, "importance", "nlll", "no measure or indicator 'nlll' in importance.*'nll'"),
        ({"ice_filter": [{"feature": "a", "low": 50}]}, "stress", None, "no row meets the filter"),
    ],
)
def test_a_missing_result_is_an_error_of_one_sentence(
    explorer: uq.Explorer, inputs: dict[str, Any], view: str, shown: str | None, sentence: str
) -> None:
    change(explorer, **inputs)
    with pytest.raises(ValueError, match=sentence):
        explorer.result(view, shown)


def test_a_stress_level_that_cannot_be_reached_has_no_result(explorer: uq.Explorer) -> None:
    change(explorer, stress_feature="same", tau=0.5)
    for view in ("importance", "dependence"):
        with pytest.raises(ValueError, match=r"same cannot be stressed to tau 0.5 \(constant\)"):
            explorer.result(view)
    assert not explorer.result("stress").frame.empty


def test_the_result_of_a_failed_view_is_an_error_with_its_cause() -> None:
    model = Counting()
    with uq.Explorer(uq.Explainer(model, *table()), n_repeats=2) as widget:
        assert widget.wait(30)
        model.broken = True
        widget.feature = "b"
        with pytest.raises(ValueError, match=r"dependence shows nothing of .*: .* out of order"):
            widget.result("dependence")
        assert not widget.result("importance").frame.empty
