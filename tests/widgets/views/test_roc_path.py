"""Both rates of a binary classifier over tau, in the stress view."""

from __future__ import annotations

import numpy as np
import pytest

import uqwidgets as uq
from widgets.conftest import Counting, table
from widgets.wire import columns


@pytest.mark.parametrize("indicator", ["tpr", "fpr"])
def test_both_rates_of_the_stressed_feature_are_sent_where_one_is_followed(
    explorer: uq.Explorer, model: Counting, indicator: str
) -> None:
    calls = model.calls
    explorer.indicator, explorer.stress_feature = indicator, "b"
    explorer.ice_filter = [{"feature": "a", "low": -1.0, "high": 9.0}]
    assert explorer.wait(30)
    shown = columns(explorer._frame)
    ex, rows = explorer.explainer, explorer.explainer.table.numbers("a") >= -1.0
    X, answers = table()
    y, yes = np.asarray(answers) == "yes", Counting().predict_proba(X)[:, 1] > 0.5
    for i, tau in enumerate(shown["stress.end_taus"]):
        weights = ex.stress_weights("b", tau, rows=rows) * rows if tau else rows * 1.0
        for name, of in (("tpr", y), ("fpr", ~y)):
            expected = np.sum(weights * of * yes) / np.sum(weights * of)
            assert shown[f"stress.{name}"][0, i] == pytest.approx(expected, abs=1e-8)
    assert model.calls == calls


@pytest.mark.parametrize("tau", [0.0, 0.53, -0.537])
def test_both_rates_have_the_intervals_of_python_at_the_level_of_tau(
    explorer: uq.Explorer, tau: float
) -> None:
    explorer.indicator, explorer.stress_feature, explorer.tau = "tpr", "b", tau
    assert explorer.wait(30)
    shown = columns(explorer._frame)
    taus = shown["stress.end_taus"]
    assert np.abs(taus - tau).min() < 1e-12
    result = explorer.explainer.stress(["b"], ["tpr", "fpr"], taus=taus, level=0.95)
    for name in ("tpr", "fpr"):
        expected = [of[name][0] for of in (result.values, result.low, result.high)]
        np.testing.assert_allclose(shown[f"stress.{name}"], expected, atol=1e-6)


def test_another_indicator_sends_no_rates(explorer: uq.Explorer) -> None:
    assert explorer.indicator == "error_rate"
    assert "stress.tpr" not in columns(explorer._frame)


def test_the_share_of_a_category_has_its_own_path(explorer: uq.Explorer) -> None:
    explorer.indicator, explorer.stress_feature = "tpr", "c"
    assert explorer.wait(30)
    first = columns(explorer._frame)["stress.tpr"][0]
    result = explorer.explainer.stress(["c"], ["tpr"], taus=len(first))
    lines = dict(zip(result.features, result.values["tpr"], strict=True))
    other = next(c for c in ("red", "blue") if not np.allclose(lines[f"c={c}"], first))
    explorer.stress_category = other
    assert explorer.wait(30)
    np.testing.assert_allclose(columns(explorer._frame)["stress.tpr"][0], lines[f"c={other}"])
