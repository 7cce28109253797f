"""The surface view: what it draws, what it asks of the model, and what it survives."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from widgets.conftest import Counting, table
from widgets.wire import columns


def test_a_second_feature_opens_the_surface_of_the_explainer(explorer: uq.Explorer) -> None:
    ex = explorer.explainer
    assert explorer._frame["meta"]["surface"] is None
    explorer.feature, explorer.second = "a", "c"
    explorer.stress_feature, explorer.tau = "b", 0.3
    assert explorer.wait(30)
    meta, cols = explorer._frame["meta"]["surface"], columns(explorer._frame)
    weights = ex.stress_weights("b", 0.3)
    result = ex.dependence(["a", "c"], explorer.measure, grid=15, sample_weight=weights)
    for name in ("average", "low", "high", "interaction", "near"):
        np.testing.assert_allclose(cols[f"surface.{name}"], getattr(result, name), atol=1e-12)
    assert meta["h_squared"] == pytest.approx(result.h_squared)
    assert meta["features"] == ["a", "c"]
    assert meta["labels"] == [None, ["blue", "red"]]
    assert not meta["stale"]
    shown = explorer.result("surface")
    np.testing.assert_allclose(shown.average, result.average)


def test_stress_filters_and_measures_of_a_surface_do_not_call_the_model(
    explorer: uq.Explorer, model: Counting
) -> None:
    explorer.feature, explorer.second = "a", "b"
    assert explorer.wait(30)
    calls = model.calls
    explorer.tau = -0.4
    explorer.measure = "entropy"
    explorer.ice_filter = [{"feature": "c", "values": ["red"]}]
    assert explorer.wait(30)
    assert explorer._frame["meta"]["surface"]["measure"] == "entropy"
    assert explorer._frame["meta"]["surface"]["n_rows"] < 40
    assert model.calls == calls


@pytest.mark.parametrize("second", ["", "a"])
def test_there_is_no_surface_of_one_feature(explorer: uq.Explorer, second: str) -> None:
    explorer.feature, explorer.second = "a", "b"
    assert explorer.wait(30)
    explorer.second = second
    assert explorer.wait(30)
    assert explorer._frame["meta"]["surface"] is None
    assert explorer._frame["meta"]["error"] is None
    assert not [name for name in explorer._frame["cols"] if name.startswith("surface.")]


def test_a_model_that_fails_leaves_the_other_views(explorer: uq.Explorer, model: Counting) -> None:
    model.broken = True
    explorer.second = "b" if explorer.feature != "b" else "a"
    assert explorer.wait(30)
    assert "out of order" in explorer._frame["meta"]["error"]
    assert explorer._frame["meta"]["importance"] is not None
    # The panel that lacks something says why: the call, its rows and columns, and the traceback.
    why, trace = explorer._frame["meta"]["failures"]["surface"]
    assert f"(call {model.calls} of the model, " in why
    assert why.endswith(f"columns {', '.join(explorer.explainer.features[:-1])} and same)")
    assert "Traceback" in trace
    assert "in predict_proba" in trace
    assert "importance" not in explorer._frame["meta"]["failures"]
    model.broken = False
    explorer.second = "c"
    assert explorer.wait(30)
    assert explorer._frame["meta"]["surface"]["features"][1] == "c"
    assert explorer._frame["meta"]["failures"] == {}


def test_missing_values_dates_and_few_rows_have_a_surface() -> None:
    X, y = table(20)
    X.loc[:4, "a"] = np.nan
    X["when"] = pd.date_range("2024-01-01", periods=20)

    class Tolerant(Counting):
        def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
            return super().predict_proba(X.assign(a=X["a"].fillna(0.0)))

    with uq.explore(Tolerant(), X, y, feature="a", second="when", n_repeats=2) as widget:
        assert widget.wait(30)
        assert widget._frame["meta"]["error"] is None
        assert widget._frame["meta"]["surface"]["labels"][1][0] == "2024-01-01"
        assert "Dependence" in widget._picture_html()
