"""Curves and importance of one fitted model on rows that it was not trained on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.learner_coverage.procedures import Predict
from benchmarks.learner_coverage.processes import Table

PERMUTATIONS = 5


def held_out_values(
    predict: Predict,
    rows: Table,
    grid: tuple[float, ...],
    rng: np.random.Generator,
    donors: Callable[[], np.ndarray] | None = None,
) -> np.ndarray:
    """Evaluate the model once for everything that the study needs.

    Parameters
    ----------
    predict : callable
    rows : tuple of ndarray
        X of shape (n, p) and y of shape (n,).
    grid : tuple of float
        Values of each feature at which its curve is computed.
    rng : numpy.random.Generator
    donors : callable, optional
        Draws a fresh table of shape (n, p) whose columns replace those of the rows; without it
        the rows' own are permuted.

    Returns
    -------
    ndarray of shape (n, p * (len(grid) + 1))
        Predictions of each row along each feature's grid (Molnar et al. 2023, eq. 2), then, for
        each feature, the mean change of the squared error over five replacements (Molnar et al.
        2023, eq. 4).
    """
    X, y = rows
    n, p = X.shape
    n_values, replaced = len(grid), PERMUTATIONS
    tables = np.broadcast_to(X, (1 + p * (n_values + replaced), n, p)).copy()
    curves, shuffled = tables[1 : 1 + p * n_values], tables[1 + p * n_values :]
    for j in range(p):
        curves[j * n_values : (j + 1) * n_values, :, j] = np.asarray(grid)[:, None]
        for table in shuffled[j * replaced : (j + 1) * replaced]:
            table[:, j] = X[rng.permutation(n), j] if donors is None else donors()[:, j]
    predicted = predict(tables.reshape(-1, p)).reshape(-1, n)
    loss = (y - predicted[0]) ** 2
    change = (y - predicted[1 + p * n_values :]) ** 2 - loss
    importance = change.reshape(p, replaced, n).mean(axis=1)
    return np.concatenate([predicted[1 : 1 + p * n_values], importance]).T
