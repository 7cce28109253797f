"""Selected rows: positions that can be set, observed and saved, and become a filter."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from uqwidgets.widgets.inputs.rows_text import rows_of_text, text_of_rows
from uqwidgets.widgets.views.dependence.feature_curves import FeatureCurves
from uqwidgets.widgets.views.dependence.histograms import Histograms
from widgets.wire import columns


@pytest.mark.parametrize("share", [0.0, 0.001, 0.02, 0.5, 0.98, 1.0])
def test_rows_survive_their_text_which_is_short(share: float) -> None:
    n = 100_000
    rows = np.flatnonzero(np.random.default_rng(1).random(n) < share)
    text = text_of_rows(rows)
    np.testing.assert_array_equal(rows_of_text(text, n), rows)
    assert len(text) <= n / 5.9
    blocks = np.arange(n)[np.arange(n) // 1000 % 2 == 0]
    assert len(text_of_rows(blocks)) < 700


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("3,", "not a text of positions"),
        ("a", "not a text of positions"),
        ("3-40", r"names position 40; X has 40 rows"),
        ("7-3", "runs backwards"),
        ("-1", "not a text of positions"),
        ("bits:?", "no bits in base64"),
        ("bits:AAAAAAAB", "names position 47"),
        ("1," * 1000, "a text of 2,000 characters"),
    ],
)
def test_a_wrong_text_of_rows_is_an_error(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        rows_of_text(text, 40)


def test_the_selection_is_set_in_many_forms_and_observed(explorer: uq.Explorer) -> None:
    a = explorer.explainer.table.numbers("a")
    changes: list[Any] = []
    explorer.observe(lambda change: changes.append(change["new"]), names="selection")
    assert explorer.selection == []
    assert explorer.selected.empty
    explorer.selection = np.array([7, 3, 3])
    explorer.selection = a > 0
    explorer.selection = "1-3"
    explorer.selection = [
        {"feature": "a", "low": 0.0, "high": 1.0},
        {"feature": "c", "values": ["red"]},
    ]
    explorer.selection = []
    red = explorer.explainer.table.column("c").to_numpy() == "red"
    within = np.flatnonzero((a >= 0) & (a <= 1) & red).tolist()
    assert changes == [[3, 7], np.flatnonzero(a > 0).tolist(), [1, 2, 3], within, []]
    for wrong in ([40], [-1], [0.5], [[1, 2]], np.ones(39, dtype=bool), {"a": 1}, "x"):
        with pytest.raises(ValueError, match="selection: "):
            explorer.selection = wrong
    assert explorer.selection == []


def test_the_selected_rows_are_those_of_x_with_what_the_model_says() -> None:
    X = pd.DataFrame({"entropy": [1.0, 2.0, 3.0, 4.0], "when": pd.date_range("2024", periods=4)})
    X.index = ["p", "q", "r", "s"]
    y = pd.Series([1.0, 2.5, 2.0, 4.0], name="dose", index=X.index)

    def model(X: pd.DataFrame) -> Any:
        return X["entropy"].to_numpy(), np.full(len(X), 2.0)

    with uq.explore(model, X, y, selection=[3, 1], n_repeats=2) as explorer:
        selected = explorer.selected
    assert selected.index.tolist() == ["q", "s"]
    pd.testing.assert_frame_equal(selected[["entropy", "when"]], X.loc[["q", "s"]])
    assert selected["dose"].tolist() == [2.5, 4.0]
    assert selected["predicted mean"].tolist() == [2.0, 4.0]
    # X has a column of this name.
    expected = 0.5 * np.log(2 * np.pi * np.e * 4)
    np.testing.assert_allclose(selected["entropy of the model"], expected)


def test_the_browser_sets_a_range_and_gets_positions(explorer: uq.Explorer) -> None:
    b = explorer.explainer.table.numbers("b")
    calls = explorer.explainer.model_calls
    explorer.set_state({"selection": [{"feature": "b", "low": 0.0, "high": None}], "_seq": 50})
    assert explorer.wait(30)
    rows = np.flatnonzero(b >= 0)
    assert explorer.selection == rows.tolist()
    assert explorer._frame["inputs"]["selection"] == text_of_rows(rows)
    explorer.set_state({"selection": "3-99", "_seq": 51})
    assert explorer.wait(30)
    assert "names position 99" in explorer._frame["meta"]["error"]
    assert explorer.selection == rows.tolist()
    assert explorer.explainer.model_calls == calls


def test_a_selection_stays_while_other_inputs_change_and_asks_the_model_nothing(
    explorer: uq.Explorer,
) -> None:
    explorer.selection = [2, 5, 11]
    assert explorer.wait(30)
    explorer.feature = "b"
    assert explorer.wait(30)
    calls = explorer.explainer.model_calls
    explorer.measure = "entropy"
    explorer.tau = 0.5
    explorer.selection = [2, 5, 11, 12]
    explorer.row = 5
    explorer.ice_filter = [{"rows": "0-20"}]
    assert explorer.wait(30)
    assert explorer.explainer.model_calls == calls
    assert explorer.selection == [2, 5, 11, 12]
    # Selected rows have lines, though others were drawn before.
    assert {2, 5, 11, 12} <= set(columns(explorer._frame)["dependence.ice_row"].tolist())


def test_a_selection_computes_only_what_it_changes(
    explorer: uq.Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No average of a curve, no other view; without rows, the frame has nothing of a row."""
    explorer.feature, explorer.stress_feature, explorer.tau = "a", "b", 0.5
    assert explorer.wait(30)
    assert not [name for name in columns(explorer._frame) if name.startswith("selection.")]
    assert explorer._frame["meta"]["selection"] == {"n_selected": 0, "stale": False}
    before = columns(explorer._frame)
    computed: list[str] = []

    def counted(of: type, name: str) -> None:
        original = getattr(of, name)

        def count(self: Any, *args: Any, **kwargs: Any) -> Any:
            computed.append(f"{getattr(self, 'name', of.__name__)}.{name}")
            return original(self, *args, **kwargs)

        monkeypatch.setattr(of, name, count)

    for view in explorer._session.views:
        counted(type(view), "compute")
    counted(FeatureCurves, "dependence")
    counted(Histograms, "shares")
    explorer.selection = [4, 2]
    assert explorer.wait(30)
    explorer.row = 4
    explorer.what_if = [{"feature": "b", "value": 0.125}]
    assert explorer.wait(30)
    explorer.selection = []
    assert explorer.wait(30)
    # The stress view puts together for each frame what it knows.
    assert set(computed) - {"stress.compute"} == {"dependence.compute", "selection.compute"}
    # Once for each selection, and not for the row of the card.
    assert computed.count("dependence.compute") == 2
    after = columns(explorer._frame)
    for name in ("average", "low", "high", "base", "counts", "counts_base"):
        np.testing.assert_array_equal(after[f"dependence.{name}"], before[f"dependence.{name}"])
    # Other rows have other averages.
    explorer.ice_filter = [{"rows": "0-20"}]
    assert explorer.wait(30)
    assert "FeatureCurves.dependence" in computed
    assert not np.array_equal(
        columns(explorer._frame)["dependence.average"], before["dependence.average"]
    )


def test_positions_are_a_condition_that_is_saved(explorer: uq.Explorer) -> None:
    explorer.ice_filter = [{"rows": [9, 3, 4]}]
    explorer.pin("three rows")
    assert explorer.wait(30)
    assert explorer._frame["meta"]["rows"] == 3
    assert explorer.ice_filter == [{"rows": "3-4,9"}]
    assert "ice_filter=[{'rows': '3-4,9'}]" in explorer.code()
    again = json.loads(json.dumps(explorer.state))
    assert explorer._session.populations.build(
        explorer._inputs()[0], lambda: None
    ).now.rows.tolist() == [3, 4, 9]
    explorer.ice_filter = []
    explorer.state = again
    assert explorer.pins[0]["state"]["ice_filter"] == [{"rows": "3-4,9"}]
    explorer.cohorts = [{"name": "three", "ice_filter": [{"rows": "3-4,9"}]}]
    with pytest.raises(ValueError, match="names position 40"):
        explorer.ice_filter = [{"rows": [40]}]


def test_a_hundred_thousand_rows_make_a_small_frame_of_the_selection() -> None:
    n = 100_000
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    calls: list[int] = []

    def model(X: np.ndarray) -> np.ndarray:
        calls.append(len(X))
        return X[:, 0]

    explainer = uq.Explainer(model, X, X[:, 0] + rng.normal(size=n))
    from uqwidgets.widgets.inputs.inputs import Inputs
    from uqwidgets.widgets.rows.population import PopulationBuilder
    from uqwidgets.widgets.views.selection import SelectionView

    text = text_of_rows(np.flatnonzero(X[:, 1] > 0))
    inputs = Inputs(selection=text, row=99_998, measure="prediction")
    populations = PopulationBuilder(explainer).build(inputs, lambda: None)
    assert populations is not None
    before = len(calls)
    content = SelectionView(explainer).compute(inputs, populations)
    assert content.meta["n_selected"] == (X[:, 1] > 0).sum()
    # The first hundred, and the row of the card if it is another one.
    assert len(content.columns["listed"]) in (100, 101)
    assert sum(values.nbytes for values in content.columns.values()) + len(text) < 40_000
    assert len(calls) == before
