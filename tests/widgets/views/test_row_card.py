"""The card of a selected row: its numbers are those of the Explainer, also with changed values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from uqwidgets.evaluation.replacement import Constant, SingleRow
from uqwidgets.widgets.inputs.what_if import changes, replacement_of
from widgets.conftest import Counting
from widgets.session.test_state import Tolerant, dated
from widgets.wire import columns


def card(explorer: uq.Explorer) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The rows' part of the last frame."""
    assert explorer.wait(30)
    shown = columns(explorer._frame).items()
    own = {name.removeprefix("selection."): values for name, values in shown}
    return explorer._frame["meta"]["selection"], own


@pytest.fixture
def explorer() -> Any:
    X, y = dated()
    with uq.explore(Tolerant(), X, y, n_repeats=2, feature="b", selection=[2, 30, 58]) as widget:
        yield widget


def test_the_card_shows_values_prediction_and_rank(explorer: uq.Explorer) -> None:
    explorer.row = 30
    meta, own = card(explorer)
    X, y = dated()
    ex = explorer.explainer
    q = ex.evaluations.original
    assert own["listed"].tolist() == [2, 30, 58]
    assert own["card"].tolist() == [30]
    np.testing.assert_allclose(own["prediction"][0], q.probabilities[30])
    numeric = [name for name in X if ex.table.kind(name) == "numeric"]
    np.testing.assert_array_equal(own["numbers"][0], X.loc[30, numeric].astype(float))
    assert meta["texts"] == [[X.loc[30, "c"], X.loc[30, "when"].isoformat()]]
    assert own["true"].tolist() == [ex.classes.tolist().index(y[row]) for row in (2, 30, 58)]
    for k, measure in enumerate(meta["measures"]):
        every = ex.evaluations.original_values(ex.measure(measure["name"]))
        np.testing.assert_allclose(own["measures"][:, k], every[[2, 30, 58]])
        below = [(every < every[row]).mean() for row in (2, 30, 58)]
        np.testing.assert_allclose(own["rank"][:, k], below, atol=1e-6)


def test_weights_and_ranks_follow_tau(explorer: uq.Explorer) -> None:
    explorer.stress_feature = "b"
    explorer.tau = 0.7
    meta, own = card(explorer)
    ex = explorer.explainer
    weights = ex.stress_weights("b", 0.7)
    np.testing.assert_allclose(own["weight"], weights[[2, 30, 58]], rtol=1e-6)
    k = [m["name"] for m in meta["measures"]].index("entropy")
    every = ex.evaluations.original_values(ex.measure("entropy"))
    below = [weights[every < every[row]].sum() / weights.sum() for row in (2, 30, 58)]
    np.testing.assert_allclose(own["rank"][:, k], below, atol=1e-6)


def test_a_value_on_the_grid_is_read_from_the_line_and_another_one_is_asked(
    explorer: uq.Explorer,
) -> None:
    explorer.row = 30
    card(explorer)
    ex = explorer.explainer
    grid = columns(explorer._frame)["dependence.grid"]
    line = list(columns(explorer._frame)["dependence.ice_row"]).index(30)
    ice = columns(explorer._frame)["dependence.ice"][line]
    before = ex.rows_evaluated
    explorer.what_if = [{"feature": "b", "value": float(grid[4])}]
    meta, own = card(explorer)
    assert ex.rows_evaluated == before
    shown = [m["name"] for m in meta["measures"]].index(explorer.measure)
    assert own["if_measures"][0, shown] == pytest.approx(ice[4], rel=1e-6)
    between = float((grid[4] + grid[5]) / 2)
    explorer.what_if = [{"feature": "b", "value": between}]
    card(explorer)
    assert ex.rows_evaluated == before + 1
    # The answer is cached.
    explorer.what_if = []
    card(explorer)
    explorer.what_if = [{"feature": "b", "value": between}]
    card(explorer)
    assert ex.rows_evaluated == before + 1


def test_numbers_of_a_changed_row_are_the_models_own(explorer: uq.Explorer) -> None:
    X, y = dated()
    explorer.row = 30
    explorer.what_if = [
        {"feature": "a", "value": None},
        {"feature": "b", "value": 1.25},
        {"feature": "c", "value": "red" if X.loc[30, "c"] == "blue" else "blue"},
        {"feature": "when", "value": "2024-01-03"},
    ]
    meta, own = card(explorer)
    assert meta["what_if"]["error"] is None
    changed = X.loc[[30]].copy()
    changed["a"] = np.nan
    changed["b"] = 1.25
    changed["c"] = explorer.what_if[2]["value"]
    changed["when"] = pd.Timestamp("2024-01-03")
    alone = uq.Explainer(Tolerant(), changed, y[[30]])
    np.testing.assert_allclose(own["if_prediction"], alone.evaluations.original.probabilities)
    for k, measure in enumerate(meta["measures"]):
        value = alone.evaluations.original_values(alone.measure(measure["name"]))
        np.testing.assert_allclose(own["if_measures"][:, k], value)


def test_own_values_are_no_change(explorer: uq.Explorer) -> None:
    explorer.row = 30
    _, own = card(explorer)
    before = explorer.explainer.rows_evaluated
    value = float(explorer.explainer.table.numbers("b")[30])
    explorer.what_if = [{"feature": "b", "value": value}]
    _, after = card(explorer)
    assert explorer.explainer.rows_evaluated == before
    np.testing.assert_array_equal(after["if_prediction"], own["prediction"])


def test_an_error_of_the_model_stands_on_the_card_and_is_not_repeated(model: Counting) -> None:
    X = pd.DataFrame({"a": np.linspace(-1, 1, 40), "b": 0.0, "c": "red", "same": 1.0})
    X["b"] = np.linspace(1, 2, 40)
    y = np.where(np.arange(40) % 3 == 0, "yes", "no")
    with uq.explore(model, X, y, n_repeats=2, feature="a", selection=[4]) as explorer:
        card(explorer)
        model.broken = True
        explorer.what_if = [{"feature": "b", "value": 1.2345}]
        meta, own = card(explorer)
        assert "the model is out of order" in meta["what_if"]["error"]
        assert "'b' replaced" in meta["what_if"]["error"]
        assert "if_prediction" not in own
        calls = model.calls
        explorer.stress_feature = "a"
        explorer.tau = 0.3
        explorer.tau = 0.4
        meta, _ = card(explorer)
        assert "out of order" in meta["what_if"]["error"]
        assert model.calls == calls
        model.broken = False
        explorer.what_if = [{"feature": "b", "value": 1.5678}]
        meta, own = card(explorer)
        assert meta["what_if"]["error"] is None
        assert len(own["if_prediction"]) == 1


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ({}, "must be a list"),
        ([{"feature": "a"}], "must be {'feature', 'value'}"),
        ([{"feature": "A", "value": 1}], "there is no feature 'A'"),
        ([{"feature": "b", "value": "high"}], "must be a number"),
        ([{"feature": "b", "value": float("inf")}], "must be finite"),
        ([{"feature": "b", "value": None}], "no row of X lacks it"),
        ([{"feature": "c", "value": "green"}], "there is no value 'green' of 'c'"),
        ([{"feature": "c", "value": ["red"]}], "not a single value"),
        ([{"feature": "when", "value": "today"}], "must be a date"),
        ([{"feature": "b", "value": 1}] * 2, "changes 'b' twice"),
    ],
)
def test_an_invalid_change_is_an_error_of_one_sentence(value: Any, sentence: str) -> None:
    explainer = uq.Explainer(Tolerant(), *dated())
    with pytest.raises(ValueError, match=sentence):
        changes(value, explainer)


def test_changes_of_all_types_are_values_of_the_curves_grids() -> None:
    """A value of a grid is the same replacement, so it is never asked again."""
    n = 80
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "number": rng.normal(size=n),
            "small": rng.normal(size=n).astype(np.float32),
            "whole": rng.integers(0, 90, n),
            "nullable": pd.array(rng.integers(0, 90, n), dtype="Int64"),
            "flag": rng.random(n) < 0.5,
            "kind": pd.Categorical(rng.choice(["x", "y", "z"], n)),
            "code": rng.choice([1, 2, 3], n).astype(object),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), unit="D"),
            "zoned": pd.date_range("2024", periods=n, tz="Europe/Rome"),
        }
    )
    explainer = uq.Explainer(lambda X: X["number"].to_numpy(), X, X["number"])
    table = explainer.table
    from uqwidgets.dependence import grid_of

    for feature in X:
        grid = grid_of(table, feature, 49)
        for point, replacement in zip(grid.points, grid.replacements, strict=True):
            if table.holds_dates(feature):
                plain: Any = point.isoformat()
            elif table.kind(feature) == "numeric":
                plain = float(point)
            else:
                plain = table.labels(feature).text(point, feature)
            changed = changes([{"feature": feature, "value": plain}], explainer)
            row = next(i for i, own in enumerate(table.column(feature)) if own != point)
            assert replacement_of(table, row, changed) == replacement


def test_a_single_row_is_taken_from_a_part_or_from_all_rows() -> None:
    X = np.random.default_rng(0).normal(size=(400, 2))
    explainer = uq.Explainer(lambda X: X[:, 0] + X[:, 1], X, X[:, 0])
    evaluations = explainer.evaluations
    from uqwidgets.evaluation.replacement import PartOfRows

    constant = Constant((0,), (0.5,))
    order = evaluations.row_order
    evaluations.evaluate_all([PartOfRows(constant, 1)])
    inside, outside = int(order.part(1)[3]), int(order.part(2)[3])
    # A row is not taken for the part of the rows with its number.
    assert len(evaluations.evaluate(SingleRow(constant, 1))) == 1
    before = evaluations.rows_evaluated
    assert evaluations.is_cached(SingleRow(constant, inside))
    assert evaluations.evaluate(SingleRow(constant, inside)).value[0] == 0.5 + X[inside, 1]
    assert evaluations.rows_evaluated == before
    assert not evaluations.is_cached(SingleRow(constant, outside))
    assert evaluations.evaluate(SingleRow(constant, outside)).value[0] == 0.5 + X[outside, 1]
    assert evaluations.rows_evaluated == before + 1
    evaluations.evaluate_all([constant])
    before = evaluations.rows_evaluated
    assert evaluations.evaluate(SingleRow(constant, outside)).value[0] == 0.5 + X[outside, 1]
    assert evaluations.rows_evaluated == before
