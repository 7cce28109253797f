"""Differences of the importances of two features, with intervals of their own."""

from __future__ import annotations

import numpy as np
import pytest

import uqwidgets as uq
from uqwidgets.importance import Settings
from uqwidgets.importance.order import pairwise_differences
from uqwidgets.inference.population import Population

SLOPES = np.array([1.0, 0.8, 0.0])


def model(X):
    return X @ SLOPES


def differences(X, y, **options):
    explainer = uq.Explainer(model, X, y)
    return explainer, pairwise_differences(
        explainer.evaluations,
        explainer.measure("squared_error"),
        explainer.features,
        Population.of(len(X)),
        Settings(**options),
    )


def test_a_difference_is_that_of_the_importances_of_the_same_repeats():
    X = np.random.default_rng(0).normal(size=(60, 3))
    explainer, of_pairs = differences(X, model(X), n_repeats=4)
    result = explainer.importance("squared_error", n_repeats=4)
    importance = dict(zip(result.features, result.importance, strict=True))
    assert list(of_pairs) == [("x0", "x1"), ("x0", "x2"), ("x1", "x2")]
    for (first, second), bounds in of_pairs.items():
        assert np.isclose(bounds.estimate, importance[first] - importance[second])
        assert bounds.low < bounds.estimate < bounds.high


@pytest.mark.thorough
@pytest.mark.parametrize("n_repeats", [10, 2])
def test_an_interval_holds_the_difference_in_the_population(n_repeats):
    # The features are independent and standard normal, so that an importance is 2 slope^2.
    true = 2 * (SLOPES[0] ** 2 - SLOPES[1] ** 2)
    rng, runs, n_covered = np.random.default_rng(0), 200, 0
    for _ in range(runs):
        X = rng.normal(size=(80, 3))
        _, of_pairs = differences(X, model(X) + rng.normal(size=80), n_repeats=n_repeats)
        bounds = of_pairs["x0", "x1"]
        n_covered += bounds.low <= true <= bounds.high
    # Four standard errors of a coverage of 0.94.
    assert abs(n_covered / runs - 0.94) < 4 * np.sqrt(0.94 * 0.06 / runs)
