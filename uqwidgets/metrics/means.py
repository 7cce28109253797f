"""Scikit-learn's metrics that follow from means over rows, for many weights of the same rows.

Scikit-learn checks all rows in every call, and importance needs a metric under thousands of
weights. Here the loss of each row is computed once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy
from sklearn.metrics import (
    d2_tweedie_score,
    explained_variance_score,
    mean_absolute_error,
    mean_absolute_percentage_error,
    mean_gamma_deviance,
    mean_pinball_loss,
    mean_poisson_deviance,
    mean_squared_error,
    mean_squared_log_error,
    mean_tweedie_deviance,
    r2_score,
    root_mean_squared_error,
    root_mean_squared_log_error,
)

from uqwidgets._typing import Floats

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


def of_numbers(
    function: Callable[..., Any], arguments: Mapping[str, Any]
) -> Callable[[Floats, Floats], OfWeights] | None:
    """Return a metric of numbers as a function of the target, the predictions and the weights.

    Parameters
    ----------
    function : callable
        ``function(y_true, y_pred, **arguments)``.
    arguments : mapping

    Returns
    -------
    callable or None
        None for what scikit-learn has to compute.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.metrics import mean_pinball_loss
    >>> from uqwidgets.metrics.means import of_numbers
    >>> pinball = of_numbers(mean_pinball_loss, {"alpha": 0.9})
    >>> pinball(np.array([1.0, 3.0]), np.array([2.0, 2.0]))(np.ones((1, 2)))
    array([0.5])
    """
    known, names = _OF_NUMBERS.get(function, (None, ()))
    if known is None or not arguments.keys() <= set(names):
        return None
    return partial(known, **arguments)


def mean_of(losses: Floats, is_valid: npt.NDArray[np.bool_], needs: str) -> OfWeights:
    """Return a mean of losses as a function of the weights.

    Rows without weight may have values that the loss does not exist for.

    Raises
    ------
    ValueError
        In the function, for a row with weight and without a loss.
    """
    invalid = np.flatnonzero(~is_valid)
    known = np.where(is_valid, losses, 0.0)

    def scores(weights: Floats) -> Floats:
        if len(invalid) and weights[:, invalid].any():
            raise ValueError(f"it needs {needs}")
        return weighted_mean(known, weights)

    return scores


def _of_losses(loss: Callable[[Floats, Floats], Floats], y: Floats, predicted: Floats) -> OfWeights:
    losses = loss(y, predicted)
    return lambda weights: weighted_mean(losses, weights)


def _root(of_numbers: Callable[[Floats, Floats], OfWeights], y: Floats, p: Floats) -> OfWeights:
    squared = of_numbers(y, p)
    return lambda weights: np.sqrt(squared(weights))


def _squares(y: Floats, predicted: Floats) -> Floats:
    return np.asarray(np.square(y - predicted))


def _absolute(y: Floats, predicted: Floats) -> Floats:
    return np.abs(y - predicted)


def _percentages(y: Floats, predicted: Floats) -> Floats:
    return np.asarray(np.abs(predicted - y) / np.maximum(np.abs(y), np.finfo(np.float64).eps))


def _pinball(y: Floats, predicted: Floats, *, alpha: float = 0.5) -> OfWeights:
    gaps = y - predicted
    losses = np.where(gaps >= 0, alpha * gaps, (alpha - 1) * gaps)
    return lambda weights: weighted_mean(losses, weights)


def _squared_log_error(y: Floats, predicted: Floats) -> OfWeights:
    is_valid = (y > -1) & (predicted > -1)
    losses = _squares(np.log1p(y), np.log1p(predicted))
    return mean_of(losses, is_valid, "targets and predictions above -1")


def _deviances(y: Floats, predicted: Floats, power: float) -> Floats:
    """Return the unit deviances of Tweedie distributions (Jorgensen 1997)."""
    if power == 0:
        return _squares(y, predicted)
    if power == 1:
        return np.asarray(2 * (xlogy(y, y / predicted) - y + predicted))
    if power == 2:
        return np.asarray(2 * (np.log(predicted / y) + y / predicted - 1))
    first = np.where(y > 0, y, 0.0) if power < 0 else y
    return np.asarray(
        2
        * (
            np.power(first, 2 - power) / ((1 - power) * (2 - power))
            - y * np.power(predicted, 1 - power) / (1 - power)
            + np.power(predicted, 2 - power) / (2 - power)
        )
    )


def _deviance(y: Floats, predicted: Floats, *, power: float = 0) -> OfWeights:
    is_valid = (predicted > 0) | (power == 0)
    needs = "positive predictions"
    if power >= 1:
        is_valid &= (y >= 0) if power < 2 else (y > 0)
        needs += f" and {'no negative' if power < 2 else 'positive'} targets"
    return mean_of(_deviances(y, predicted, power), is_valid, needs)


def _d2_deviance(y: Floats, predicted: Floats, *, power: float = 0) -> OfWeights:
    lost = _deviance(y, predicted, power=power)

    def scores(weights: Floats) -> Floats:
        after = lost(weights)
        centre = weighted_mean(y, weights)[:, None]
        # Rows without weight count nothing, whatever their deviance is.
        deviances = np.where(weights > 0, _deviances(y, centre, power), 0.0)
        return _explained(after, weighted_mean(deviances, weights), weights)

    return scores


def _explained(lost: Floats, spread: Floats, weights: Floats) -> Floats:
    """Return the share of a loss that is explained, which one row does not have."""
    return np.where(np.count_nonzero(weights, axis=-1) < 2, np.nan, 1 - divided(lost, spread))


def _finite(lost: Floats, spread: Floats) -> Floats:
    """Return the share of a spread that is explained; of none, 1 without error and 0 else."""
    return np.where(spread == 0, lost == 0, 1 - divided(lost, spread))


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
        explained = _finite(lost, spread)
        return np.where(np.count_nonzero(weights, axis=-1) < 2, np.nan, explained)

    return scores


def _explained_variance(y: Floats, predicted: Floats) -> OfWeights:
    errors = y - predicted

    def scores(weights: Floats) -> Floats:
        total = weights.sum(axis=1)

        def variance(values: Floats) -> Floats:
            gaps = values - divided(np.einsum("sn,n->s", weights, values), total)[:, None]
            return divided(np.einsum("sn,sn,sn->s", weights, gaps, gaps), total)

        return np.where(total > 0, _finite(variance(errors), variance(y)), np.nan)

    return scores


_squared_error = partial(_of_losses, _squares)

#: Metrics of numbers, and their arguments that are known.
_OF_NUMBERS: Mapping[Callable[..., Any], tuple[Callable[..., OfWeights], tuple[str, ...]]] = {
    mean_squared_error: (_squared_error, ()),
    root_mean_squared_error: (partial(_root, _squared_error), ()),
    mean_absolute_error: (partial(_of_losses, _absolute), ()),
    mean_absolute_percentage_error: (partial(_of_losses, _percentages), ()),
    mean_squared_log_error: (_squared_log_error, ()),
    root_mean_squared_log_error: (partial(_root, _squared_log_error), ()),
    mean_pinball_loss: (_pinball, ("alpha",)),
    mean_tweedie_deviance: (_deviance, ("power",)),
    mean_poisson_deviance: (partial(_deviance, power=1), ()),
    mean_gamma_deviance: (partial(_deviance, power=2), ()),
    d2_tweedie_score: (_d2_deviance, ("power",)),
    r2_score: (r2, ()),
    explained_variance_score: (_explained_variance, ()),
}
