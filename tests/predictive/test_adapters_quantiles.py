"""Quantile regressors."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import (
    BayesianRidge,
    LinearRegression,
    LogisticRegression,
    QuantileRegressor,
)

from models import table
from uqwidgets.predictive import Quantiles, as_predictive

X, Y = table(120)
LEVELS = (0.1, 0.5, 0.9)


@pytest.fixture(scope="module")
def linear():
    return {level: QuantileRegressor(quantile=level, alpha=0.0).fit(X, Y) for level in LEVELS}


def test_a_model_for_each_level(linear):
    predictive = as_predictive(linear)
    q = predictive(X)
    assert isinstance(q, Quantiles)
    assert predictive.name == "3 x QuantileRegressor"
    assert predictive.n_features == 3
    assert q.levels.tolist() == list(LEVELS)
    expected = np.sort([linear[level].predict(X) for level in LEVELS], axis=0)
    np.testing.assert_allclose(q.values, expected.T, rtol=1e-12)


def test_levels_come_in_any_order_and_beside_a_list(linear):
    expected = as_predictive(linear)(X).values
    backwards = {level: linear[level] for level in reversed(LEVELS)}
    np.testing.assert_array_equal(as_predictive(backwards)(X).values, expected)
    beside = as_predictive([linear[level] for level in LEVELS], levels=LEVELS)
    np.testing.assert_array_equal(beside(X).values, expected)


def test_crossing_quantiles_are_sorted():
    crossing = {0.1: lambda X: X[:, 0], 0.5: lambda X: X[:, 1], 0.9: lambda X: X[:, 2]}
    q = as_predictive(crossing)(X)
    np.testing.assert_array_equal(q.values, np.sort(X[:, :3], axis=1))


def test_boosting_with_one_model_per_level_has_its_nominal_coverage():
    models = {
        level: HistGradientBoostingRegressor(
            loss="quantile", quantile=level, max_iter=8, learning_rate=0.3, max_depth=2
        ).fit(X, Y)
        for level in LEVELS
    }
    low, high = as_predictive(models)(X).interval(0.8)
    assert np.mean((low <= Y) & (high >= Y)) == pytest.approx(0.8, abs=0.1)


def test_one_model_of_all_levels(linear):
    class Several:
        def predict(self, X):
            return np.column_stack([linear[level].predict(X) for level in LEVELS])

    class Knowing(Several):
        def get_params(self):
            return {"quantile_alpha": list(LEVELS)}

    expected = as_predictive(linear)(X).values
    for predictive in (
        as_predictive(Several(), levels=LEVELS),
        as_predictive(Several().predict, levels=LEVELS),
        as_predictive(Knowing()),
        as_predictive(Knowing(), levels=LEVELS),
    ):
        np.testing.assert_array_equal(predictive(X).values, expected)
    with pytest.raises(ValueError, match=r"levels are \[0\.2, 0\.8\], but Knowing was fitted for"):
        as_predictive(Knowing(), levels=[0.2, 0.8])


def test_a_model_that_modifies_its_batch_does_not_affect_the_next():
    def changing(X):
        X *= 0
        return X[:, 0] - 9

    q = as_predictive({0.1: changing, 0.9: lambda X: X[:, 0]})(X.copy())
    np.testing.assert_array_equal(q.values[:, 1], X[:, 0])


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        ({}, {}, r"levels are \[\]; they must be at least two increasing numbers"),
        ({0.5: LinearRegression()}, {}, r"levels are \[0.5\]; they must be at least two"),
        ({5: LinearRegression(), 95: LinearRegression()}, {}, r"keys of the models are \[5, 95\]"),
        ({"low": None, "high": None}, {}, r"keys.*must be the levels.*\{0\.05: low, 0\.5"),
        ({0.5: None, 1.5: None}, {}, r"levels are \[0\.5, 1\.5\]; they must be"),
        ([LinearRegression()] * 2, {"levels": LEVELS}, "there are 2 models for 3 levels"),
        ({0.1: LinearRegression()}, {"noise": 1.0}, "noise has no effect here, because models of"),
        (
            BayesianRidge(),
            {"levels": LEVELS, "members": True},
            "levels has no effect here, because",
        ),
        (LinearRegression(), {"levels": LEVELS, "noise": 1.0}, "noise has no effect here, because"),
    ],
)
def test_invalid_levels_are_refused(model, options, message):
    with pytest.raises(ValueError, match=message):
        as_predictive(model, **options)


def test_models_that_are_no_quantile_regressors_are_refused():
    ridge = BayesianRidge().fit(X, Y)
    with pytest.raises(ValueError, match=r"model of level 0\.1 answers with a Normal, not with o"):
        as_predictive({0.1: ridge, 0.9: ridge})(X)
    plain = LinearRegression().fit(X, Y)
    with pytest.raises(ValueError, match=r"values of shape \(120,\) do not fit 3 levels; exp"):
        as_predictive(plain, levels=LEVELS)(X)
    classifier = LogisticRegression().fit(X, Y > 0)
    with pytest.raises(ValueError, match=r"level 0\.1 answers with a Categorical"):
        as_predictive({0.1: classifier, 0.9: classifier})(X)
