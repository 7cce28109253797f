"""Weights of a column's rows without single rows, each of them solved anew, many together."""

from __future__ import annotations

import numpy as np

from uqwidgets._typing import Floats, Positions
from uqwidgets.inference.sums import dots

# Tolerance of the weighted mean, in standard deviations.
_TOLERANCE = 1e-12
_MOST_STEPS = 100
# The longest step of Newton's method, in units of the solution so far, or 1 if that is less.
_LONGEST = 10.0
# Weights that are solved at a time, so that intermediate arrays stay small.
_BLOCK = 1 << 12


def weights_without(
    levels: Positions, rows: Positions, share: Floats, deviation: Floats, target_change: Floats
) -> Floats:
    """Weights of sum 1 at levels of tau without one row each.

    Parameters
    ----------
    levels, rows : ndarray of shape (m,)
        The level of each of the weights, and the row that they lack.
    share, deviation, target_change : ndarray of shape (t, n)
        Weights with all rows at every level, distances of the column from its weighted mean, and
        how far this mean moves without each row.

    Returns
    -------
    ndarray of shape (m, n)
        On the extreme value where the mean to reach is at it or beyond it.
    """
    weights = np.empty((len(rows), share.shape[-1]))
    step = max(1, _BLOCK // share.shape[-1])
    for start in range(0, len(rows), step):
        some = slice(start, start + step)
        at, row = levels[some], rows[some]
        weights[some] = _solve(row, share[at], deviation[at], target_change[at, row])
    return weights


def _solve(rows: Positions, base: Floats, x: Floats, target: Floats) -> Floats:
    """Weights without one row each, from those with all rows; arrays (m, n), the target (m,)."""
    base[np.arange(len(rows)), rows] = 0.0
    has_weight = base > 0
    least = np.where(has_weight, x, np.inf).min(axis=1)
    most = np.where(has_weight, x, -np.inf).max(axis=1)
    is_inside = (least < target) & (target < most)
    extreme = np.where(target >= most, most, least)
    weights: Floats = (has_weight & (x == extreme[:, None])).astype(np.float64)
    weights /= weights.sum(axis=1, keepdims=True)
    inside = np.flatnonzero(is_inside)
    if len(inside):
        weights[inside] = _tilted(base[inside], x[inside], target[inside])
    return weights


def _tilted(base: Floats, x: Floats, target: Floats) -> Floats:
    """Weights (m, n) proportional to base exp(xi x) whose mean of x is the target (m,).

    Newton's method for each xi, within the interval that is known to hold it: the mean grows with
    xi (Bachoc et al. 2023, theorem 2.1).
    """
    base = base / base.sum(axis=1, keepdims=True)
    distance = x - dots(base, x)[:, None]
    unit = np.sqrt(dots(base, np.square(distance)))[:, None]
    # Where there is no weight, the distance may be too large to be multiplied.
    z = np.where(base > 0, (x - target[:, None]) / unit, 0.0)
    xi, low, high = np.zeros(len(z)), np.full(len(z), -np.inf), np.full(len(z), np.inf)
    weights: Floats = base
    for _ in range(_MOST_STEPS):
        gap = dots(weights, z)
        is_open = np.abs(gap) > _TOLERANCE
        if not is_open.any():
            break
        low, high = np.where(gap < 0, xi, low), np.where(gap > 0, xi, high)
        longest = _LONGEST * np.maximum(1.0, np.abs(xi))
        with np.errstate(divide="ignore", invalid="ignore"):
            step = -gap / dots(weights, np.square(z - gap[:, None]))
            following = xi + np.clip(step, -longest, longest)
            middle = (low + high) / 2
        is_within = (low < following) & (following < high)
        # The weights without one row do not depend on how many steps the others need.
        xi = np.where(is_open, np.where(is_within, following, middle), xi)
        exponents = xi[:, None] * z
        exponents -= np.where(base > 0, exponents, -np.inf).max(axis=1, keepdims=True)
        weights = base * np.exp(np.minimum(exponents, 0.0))
        weights /= weights.sum(axis=1, keepdims=True)
    return weights
