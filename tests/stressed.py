"""Rows under stress, and models with a target that depends on two columns."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import BayesianRidge, LogisticRegression

from uqwidgets.stress.columns import StressedColumn


def stressed_rows(column, tau, weights=None):
    """Return the rows of a column, weighted for the level tau unless there are other weights."""
    weights = column.project(tau).weights if weights is None else weights
    return StressedColumn("x", column, None).stressed_rows(tau, weights)


def classifier_and_regressor(X):
    """Yield a fitted classifier and a fitted regressor, each with its rows and target."""
    number = X["normal"] + 0.3 * X["count"] + np.random.default_rng(1).normal(size=len(X))
    label = np.where(number > 1, "yes", "no")
    yield LogisticRegression(max_iter=5000).fit(X, label), X, label
    yield BayesianRidge().fit(X, number + 1e4), X, number + 1e4
