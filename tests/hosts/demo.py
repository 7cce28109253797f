"""What every host shows: a model that costs nothing, and its rows."""

from __future__ import annotations

import numpy as np

import uqwidgets as uq

X = np.random.default_rng(0).normal(size=(80, 3))
Y = X[:, 0] + 0.5 * X[:, 1] ** 2
INPUTS = {"n_repeats": 2, "feature": "x0", "stress_feature": "x0"}


def model(A):
    return A[:, 0] + 0.4 * A[:, 1] ** 2, 0.5 + 0.1 * A[:, 2] ** 2


def make() -> uq.Explorer:
    """Return the explorer that the hosts show."""
    return uq.explore(model, X, Y, **INPUTS)
