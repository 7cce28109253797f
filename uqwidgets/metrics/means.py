"""Scikit-learn's metrics that follow from means over rows, for many weights of the same rows.

Scikit-learn checks all rows in every call, and importance needs a metric under thousands of
weights. Here the loss of each row is computed once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.metrics import (
    mean_absolute_error,
    mean_squared_error,
    r2_score,
    root_mean_squared_error,
)

from uqwidgets._typing import Floats
from uqwidgets.metrics.inputs import Labels

#: From samples of weights (s, n) to their scores (s,).
OfWeights = Callable[[Floats], Floats]


def divided(above: Floats, below: Floats) -> Floats:
    """Return quotients, NaN where the denominator is not above 0."""
    unknown = np.full(np.broadcast_shapes(np.shape(above), np.shape(below)), np.nan)
    return np.asarray(np.divide(above, below, out=unknown, where=below > 0))


def weighted_mean(values: Floats, weights: Floats) -> Floats:
    """Return means along the last axis, NaN without weight; that of ones is exactly 1."""
    # Sums depend on the order in memory, which is the same here.
    products = np.multiply(values, weights, order="C")
    return divided(products.sum(axis=-1), np.ascontiguousarray(weights).sum(axis=-1))


def squared_error(y: Floats, predicted: Floats) -> OfWeights:
    """Return `sklearn.metrics.mean_squared_error` as a function of the weights."""
    losses = _squares(y, predicted)
    return lambda weights: weighted_mean(losses, weights)


def root_squared_error(y: Floats, predicted: Floats) -> OfWeights:
    """Return `sklearn.metrics.root_mean_squared_error` as a function of the weights."""
    losses = _squares(y, predicted)
    return lambda weights: np.sqrt(weighted_mean(losses, weights))


def absolute_error(y: Floats, predicted: Floats) -> OfWeights:
    """Return `sklearn.metrics.mean_absolute_error` as a function of the weights."""
    losses = np.abs(y - predicted)
    return lambda weights: weighted_mean(losses, weights)


def r2(y: Floats, predicted: Floats) -> OfWeights:
    """Return `sklearn.metrics.r2_score` as a function of the weights.

    It is NaN for fewer than two rows. Where the target is constant, it is 1 for predictions without
    error and 0 for others.

    Examples
    --------
    >>> import numpy as np
    >>> from uqwidgets.metrics.means import r2
    >>> r2(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 2.0]))(np.ones((1, 3)))
    array([0.5])
    """
    losses = _squares(y, predicted)

    def scores(weights: Floats) -> Floats:
        lost = (losses * weights).sum(axis=-1)
        spread = (_squares(y, weighted_mean(y, weights)[:, None]) * weights).sum(axis=-1)
        explained = np.where(spread == 0, lost == 0, 1 - divided(lost, spread))
        return np.where(np.count_nonzero(weights, axis=-1) < 2, np.nan, explained)

    return scores


def brier(is_positive: Labels, probabilities: Floats) -> OfWeights:
    """Return `sklearn.metrics.brier_score_loss` of two classes as a function of the weights."""
    return squared_error(is_positive.astype(np.float64), probabilities)


def log_score(labels: Labels, truth: Labels, probabilities: Floats) -> OfWeights:
    """Return `sklearn.metrics.log_loss` as a function of the weights.

    Parameters
    ----------
    labels : ndarray of shape (k,)
        In ascending order.
    truth : ndarray of shape (n,)
    probabilities : ndarray of shape (n, k), or of shape (n,) for the second of two labels

    Examples
    --------
    >>> import numpy as np
    >>> from uqwidgets.metrics.means import log_score
    >>> score = log_score(np.array(["no", "yes"]), np.array(["yes", "no"]), np.array([0.8, 0.5]))
    >>> score(np.array([[1.0, 3.0]])).round(3)
    array([0.576])
    """
    if probabilities.ndim == 1:
        probabilities = np.column_stack([1 - probabilities, probabilities])
    of_truth = probabilities[np.arange(len(truth)), np.searchsorted(labels, truth)]
    # As in scikit-learn, no probability is 0 or 1.
    eps = np.finfo(of_truth.dtype).eps
    losses = -np.log(np.clip(of_truth, eps, 1 - eps))
    return lambda weights: weighted_mean(losses, weights)


def _squares(y: Floats, predicted: Floats) -> Floats:
    return np.asarray(np.square(y - predicted))


#: Metrics of numbers, from the target and the predictions, each (n,).
OF_NUMBERS: Mapping[Callable[..., Any], Callable[[Floats, Floats], OfWeights]] = {
    mean_squared_error: squared_error,
    root_mean_squared_error: root_squared_error,
    mean_absolute_error: absolute_error,
    r2_score: r2,
}
