"""The jackknife of stressed means: leave out each row in turn and solve the weights anew."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.inference.sums import dots
from uqwidgets.stress.left_out import weights_without

# The power series is accurate to about 1e-4 of a row's influence if the row's leverage (the
# leverages sum to 2), its change of xi (per standard deviation) and the truncated term (in
# weights of a row) are at most these. Rows beyond these limits are left out one by one.
_MAX_LEVERAGE, _MAX_XI_CHANGE, _MAX_TRUNCATION = 0.1, 0.3, 1e-3
_ORDER = 8
# Newton's method for the change of xi: bounds of a step, number of steps, tolerance.
MAX_STEP = 1.0
NEWTON_STEPS = 8
TOLERANCE = 1e-6
# The exponential function overflows beyond about 709.
_MAX_EXPONENT = 700.0
# Lower bound of the weight and of the variance that remain without a row.
MIN_REMAINDER = 0.05
# Rows that are solved at a time, so that intermediate arrays stay small.
_BLOCK = 1 << 13


class Jackknife:
    r"""Means of a column's rows at levels of tau, without each row in turn.

    Without row i the weights are still exponential in the column (Bachoc et al. 2023, eq. 4), but
    the target moves, and :math:`\xi` changes by some :math:`\delta_i` to meet it. With :math:`u`
    the distance from the target in standard deviations, the sums over the other rows are

    .. math:: \sum_{j \ne i} w_j e^{\delta_i u_j} o_j
              = \sum_q \frac{\delta_i^q}{q!} \sum_j w_j u_j^q o_j - w_i e^{\delta_i u_i} o_i,

    so that all n solutions, and all means under them, cost as much as a few sums over the rows.
    A few rows have so much leverage that the series is inaccurate without them (see
    `uqwidgets.stress.influence.StressedRows`); these are left out one by one.

    Parameters
    ----------
    share, deviation : ndarray of shape (..., n)
        Weights of the rows at each level, of sum 1, and their distances from the target.
    inverse_variance : ndarray of shape (...)
        1 over the weighted variance of the deviation; 0 where all weight lies on one value, so
        that there is nothing to solve.
    target_change, xi_change : ndarray of shape (..., n)
        How far the target moves without each row; how far xi then changes, to first order.
    """

    def __init__(
        self,
        share: Floats,
        deviation: Floats,
        inverse_variance: Floats,
        target_change: Floats,
        xi_change: Floats,
    ) -> None:
        unit = np.sqrt(inverse_variance)[..., None]
        self._share, self._u = share, deviation * unit
        first = np.where(unit > 0, xi_change / np.where(unit > 0, unit, 1.0), 0.0)
        self._delta, self._own, self._weight = self._solve_all(target_change * unit, first)
        leverage = share * (1 + np.square(self._u))
        truncation = share * np.abs(first * self._u) ** (_ORDER + 1) / math.factorial(_ORDER + 1)
        inaccurate = (
            (leverage > _MAX_LEVERAGE)
            | (np.abs(first) > _MAX_XI_CHANGE)
            | (truncation > _MAX_TRUNCATION / share.shape[-1])
        )
        n = share.shape[-1]
        levels, rows = np.nonzero((inaccurate & (unit > 0)).reshape(-1, n))
        self._exact_at = levels, rows
        self._weights_without = weights_without(
            levels,
            rows,
            share.reshape(-1, n),
            deviation.reshape(-1, n),
            target_change.reshape(-1, n),
        )

    def _solve_all(self, targets: Floats, first: Floats) -> tuple[Floats, Floats, Floats]:
        """Solve for the change of xi without each row, by Newton's method on the power series.

        Targets are in standard deviations, changes of xi in 1 over them.

        Parameters
        ----------
        targets, first : ndarray of shape (..., n)
            The mean to reach without each row; where Newton's method starts.

        Returns
        -------
        delta, own, weight : ndarray of shape (..., n)
            The change of xi, the row's own weight after it, and the weight of all other rows.
        """
        moments = self._moments(np.ones_like(first), _ORDER + 3)
        # The derivatives of the series have the same coefficients, shifted by one place.
        series = np.stack([_over_factorials(moments[k : k + _ORDER + 1]) for k in range(3)], axis=1)
        solved = np.empty((3, *first.shape))
        for start in range(0, first.shape[-1], _BLOCK):
            some = slice(start, start + _BLOCK)
            parts = (each[..., some] for each in (self._share, self._u, targets, first))
            solved[..., some] = _solve(series, *parts)
        return solved[0], solved[1], solved[2]

    def _moments(self, outputs: Floats, terms: int) -> Floats:
        """Weighted sums of outputs (..., n) times powers of u, shape (terms, ...)."""
        term, sums = self._share * outputs, np.empty((terms, *outputs.shape[:-1]))
        for q in range(terms):
            sums[q] = term.sum(axis=-1)
            term *= self._u
        return sums

    def means(self, outputs: Floats) -> Floats:
        """Weighted means of outputs without each of the rows, both of shape (..., n)."""
        centre = dots(self._share, outputs)[..., None]
        centred = outputs - centre
        flat = centred.reshape(-1, *self._share.shape)
        means = _polynomials(_over_factorials(self._moments(flat, _ORDER + 1)), self._delta)
        means -= self._own * flat
        means /= self._weight
        # A mean lies within the range of the output, however inaccurate the series is.
        least, most = flat.min(axis=-1, keepdims=True), flat.max(axis=-1, keepdims=True)
        np.clip(means, least, most, out=means)
        each_level = (len(flat), -1, flat.shape[-1])
        levels, rows = self._exact_at
        without = dots(self._weights_without, flat.reshape(each_level)[:, levels])
        means.reshape(each_level)[:, levels, rows] = without
        return centre + means.reshape(centred.shape)


def _solve(
    series: Floats, share: Floats, u: Floats, targets: Floats, first: Floats
) -> tuple[Floats, Floats, Floats]:
    """Solve for the change of xi without each of some rows, see `Jackknife._solve_all`."""
    powers = np.stack([np.ones_like(u), u, np.square(u)])
    delta, following = np.full_like(first, np.inf), first
    is_open = np.ones((*first.shape[:-1], 1), dtype=np.bool_)
    for _ in range(NEWTON_STEPS):
        following = np.clip(following, -MAX_STEP, MAX_STEP)
        is_open &= np.abs(following - delta).max(axis=-1, keepdims=True) >= TOLERANCE
        if not is_open.any():
            break
        # A level does not depend on how many steps the others need.
        delta = np.where(is_open, following, delta)
        own = tilt_weights(share, delta * u)
        others = _polynomials(series, delta)
        others -= own * powers
        weight = np.maximum(others[0], MIN_REMAINDER)
        mean, square = others[1:] / weight
        variance = np.maximum(square - np.square(mean), MIN_REMAINDER)
        following = delta + (targets - mean) / variance
    return delta, own, weight


def tilt_weights(weights: Floats, exponents: Floats) -> Floats:
    """Weights (n,) times exponentials; rows of weight 0 may have exponents of any size."""
    return np.asarray(weights * np.exp(np.minimum(exponents, _MAX_EXPONENT)))


def influence_and_bias(without: Floats, value: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Jackknife influence of each row on estimates, and jackknife bias of the estimates.

    Parameters
    ----------
    without : ndarray of shape (..., n)
        The estimates without each row.
    value : array-like of shape (...)
        The estimates.

    Returns
    -------
    influence : ndarray of shape (..., n)
        Its mean square over n is the variance of the estimate.
    bias : ndarray of shape (...)
    """
    n, mean = without.shape[-1], without.mean(axis=-1)
    return np.sqrt(n * (n - 1)) * (mean[..., None] - without), (n - 1) * (mean - value)


def _polynomials(coefficients: Floats, x: Floats) -> Floats:
    """Polynomials (terms, m, ...) of x (..., n), shape (m, ..., n), by Horner's rule in place."""
    values = np.zeros((coefficients.shape[1], *x.shape))
    for line in coefficients[::-1]:
        values *= x
        values += line[..., None]
    return values


def _over_factorials(moments: Floats) -> Floats:
    """Divide moments (terms, ...) of the orders 0, 1, ... by the factorials of these."""
    return moments / _FACTORIALS.reshape(-1, *[1] * (moments.ndim - 1))


_FACTORIALS = np.array([math.factorial(q) for q in range(_ORDER + 1)], dtype=np.float64)
