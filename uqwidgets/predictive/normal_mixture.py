"""Mixtures of normal distributions: what has no closed form, vectorised over rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from numpy.polynomial.legendre import leggauss
from scipy.special import logsumexp, ndtr, xlogy

from uqwidgets.predictive.checks import Floats, targets
from uqwidgets.predictive.normal import LOG_2_PI, Normal

# Beyond this many standard deviations a normal density is below the rounding of its integral.
_REACH = 9.0
_NODES, _NODE_WEIGHTS = leggauss(8)
_BLOCK = 1 << 16


def log_density(members: Normal, weights: Floats, y: npt.ArrayLike) -> Floats:
    """Log density of each row's mixture at its ``y``, in nats."""
    targets(y, len(members))
    with np.errstate(divide="ignore"):
        each = members.log_prob(y) + np.log(weights)
    return np.asarray(logsumexp(each, axis=1))


def entropy(members: Normal, weights: Floats) -> Floats:
    """Differential entropy by Gauss-Legendre quadrature on panels that the members' scales set."""
    found = np.empty(len(members))
    steps = np.arange(-_REACH, _REACH + 1)
    for rows in _blocks(members, len(steps) * len(_NODES) * members.loc.shape[1]):
        loc, scale, w = members.loc[rows], members.scale[rows], weights[rows]
        ends = np.sort((loc[:, :, None] + scale[:, :, None] * steps).reshape(len(loc), -1))
        half = np.diff(ends)[:, :, None] / 2
        x = (ends[:, :-1, None] + half * (1 + _NODES)).reshape(len(loc), -1)
        z = (x[:, :, None] - loc[:, None, :]) / scale[:, None, :]
        q = np.einsum("nxm,nm->nx", np.exp(-0.5 * z * z - 0.5 * LOG_2_PI), w / scale)
        found[rows] = -np.einsum("nx,nx->n", xlogy(q, q), (half * _NODE_WEIGHTS).reshape(q.shape))
    return found


def quantile(members: Normal, weights: Floats, p: float) -> Floats:
    """Quantile by bisection between the least and the greatest of the members' quantiles."""
    each = members.quantile(p)
    low, high = each.min(axis=1), each.max(axis=1)
    for _ in range(100):
        middle = low + (high - low) / 2
        z = (middle[:, None] - members.loc) / members.scale
        below = np.einsum("nm,nm->n", weights, ndtr(z)) < p
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.asarray(high)


def crps(members: Normal, weights: Floats, y: Floats) -> Floats:
    """Continuous ranked probability score in closed form (Grimit et al. 2006, eq. 5 and 6)."""
    found = np.empty(len(members))
    m = members.loc.shape[1]
    for rows in _blocks(members, m * m):
        loc, scale, w = members.loc[rows], members.scale[rows], weights[rows]
        away = np.einsum("nm,nm->n", w, _mean_distance(y[rows, None] - loc, scale))
        apart = loc[:, :, None] - loc[:, None, :]
        both = np.hypot(scale[:, :, None], scale[:, None, :])
        spread = np.einsum("nl,nm,nlm->n", w, w, _mean_distance(apart, both))
        found[rows] = away - 0.5 * spread
    return found


def _mean_distance(mean: Floats, std: Floats) -> Floats:
    """E|X| of a normal X."""
    z = mean / std
    return np.asarray(mean * (2 * ndtr(z) - 1) + 2 * std * np.exp(-0.5 * z * z - 0.5 * LOG_2_PI))


def _blocks(members: Normal, numbers_per_row: int) -> Iterator[slice]:
    """Stretches of rows of which all intermediate numbers stay in the processor's cache."""
    step = max(1, _BLOCK // numbers_per_row)
    for first in range(0, len(members), step):
        yield slice(first, first + step)
