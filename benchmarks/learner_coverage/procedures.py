"""The three learners of Molnar et al. 2023, section 8, as its authors set them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.tree import DecisionTreeRegressor

Predict = Callable[[np.ndarray], np.ndarray]
Fit = Callable[[np.ndarray, np.ndarray, np.random.Generator], Predict]

TREES = 100


def linear_model(X: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> Predict:  # noqa: ARG001
    """Least squares with an intercept."""
    design = np.column_stack([np.ones(len(X)), X])
    coefficients = np.linalg.lstsq(design, y, rcond=None)[0]
    return lambda Z: coefficients[0] + Z @ coefficients[1:]


def tree(X: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> Predict:
    """CART with the defaults of rpart: splits that reduce the SSE by less than 1 % are pruned."""
    fitted = DecisionTreeRegressor(
        min_samples_split=20,
        min_samples_leaf=7,
        ccp_alpha=0.01 * y.var(),
        random_state=int(rng.integers(2**31)),
    ).fit(X.astype(np.float32), y, check_input=False)
    grown = fitted.tree_
    return lambda Z: grown.predict(Z.astype(np.float32))[:, 0]


def forest(X: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> Predict:
    """Forest (Breiman 2001) of 100 trees: one feature tried at a split, nodes of 5 rows not split.

    scikit-learn's own forest counts a row that its bootstrap drew twice once when it asks whether
    a node is large enough, and takes twice as long for small tables.
    """
    X32 = X.astype(np.float32)
    grown = []
    for seed in rng.integers(2**31, size=TREES):
        rows = rng.integers(len(y), size=len(y))
        fitted = DecisionTreeRegressor(
            min_samples_split=6, max_features=1, random_state=int(seed)
        ).fit(X32[rows], y[rows], check_input=False)
        grown.append(fitted.tree_)

    def predict(Z: np.ndarray) -> np.ndarray:
        Z32 = Z.astype(np.float32)
        total = grown[0].predict(Z32)[:, 0]
        for one in grown[1:]:
            total += one.predict(Z32)[:, 0]
        return total / TREES

    return predict


PROCEDURES: dict[str, Fit] = {"lm": linear_model, "tree": tree, "rf": forest}
