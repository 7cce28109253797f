"""Indicators that are summarised together have the numbers of each of them alone."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from uqwidgets.stress import summaries as module
from uqwidgets.stress.influence import StressedRows
from uqwidgets.stress.projection import Column
from uqwidgets.stress.summaries import summaries


class Classifier:
    classes_ = np.array(["no", "yes"])

    def predict_proba(self, X):
        p = 1 / (1 + np.exp(-2 * np.nan_to_num(X["a"]) - X["b"]))
        return np.column_stack([1 - p, p])


@pytest.fixture(scope="module")
def explainer():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(120, 2)), columns=["a", "b"])
    X["same"] = 1.0
    X["missing"] = np.where(np.arange(120) % 4, X["a"], np.nan)
    X["far"] = np.where(np.arange(120) == 7, 100.0, X["b"])
    y = np.where(rng.random(120) < Classifier().predict_proba(X)[:, 1], "yes", "no")
    return uq.Explainer(Classifier(), X, y)


@pytest.mark.parametrize("block", [1, 700, 1 << 14])
def test_indicators_together_have_the_intervals_of_each_alone(explainer, monkeypatch, block):
    monkeypatch.setattr(module, "_BLOCK", block)
    names = list(explainer.indicators)
    assert {"tpr", "fpr", "error_rate", "entropy"} < set(names)
    together = explainer.stress(indicators=names, taus=5, level=0.95)
    assert np.isfinite(together.low["nll"]).mean() > 0.7
    for name in names:
        alone = explainer.stress(indicators=[name], taus=5, level=0.95)
        for numbers in ("values", "low", "high"):
            one, other = (getattr(result, numbers)[name] for result in (together, alone))
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


def test_under_calibrated_weights_too(explainer):
    x, b = (np.asarray(explainer.table.column(name)) for name in ("a", "b"))
    projection = next(iter(Column(x, 0.05).projections(np.array([0.7]))))
    weights = projection.weights
    moments = np.stack([b - b @ weights / 120, x - x @ weights / 120])
    rows = StressedRows(weights, moments, np.stack([0 * x, (x - x.mean()) * 0.3]))
    indicators = list(explainer.indicators.values())
    together = summaries(indicators, np.asarray, weights, rows, 0.95)
    assert np.isfinite(together).all()
    each = [summaries([one], np.asarray, weights, rows, 0.95) for one in indicators]
    np.testing.assert_allclose(together, np.concatenate(each, axis=1), rtol=1e-9)


def test_a_root_of_zero_leaves_the_intervals_of_the_others():
    X = np.random.default_rng(1).normal(size=(60, 2))
    explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
    profile = explainer.stress(["x1"], ["rmse", "mean"], taus=5, level=0.95)
    for numbers in (profile.values, profile.low, profile.high):
        assert (numbers["rmse"] == 0).all()
    assert np.isfinite(profile.low["mean"]).all()
