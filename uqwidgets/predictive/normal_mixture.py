"""Mixtures of normal distributions: density, quantiles and score, vectorised over rows."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri

from uqwidgets._typing import Floats
from uqwidgets.predictive.base import blocks
from uqwidgets.predictive.normal import LOG_2_PI, SQRT_2_PI, SQRT_PI, Normal

# A quantile is found when it moves by less than this many of the row's smallest scales.
_STILL = 1e-12


def log_density(members: Normal, weights: Floats, y: Floats) -> Floats:
    """Log density of each row's mixture at its ``y`` (n,), in nats."""
    found = np.empty(len(members))
    for rows in blocks(*members.loc.shape):
        scale = members.scale[rows]
        z = (y[rows, None] - members.loc[rows]) / scale
        with np.errstate(divide="ignore"):
            each = np.log(weights[rows] / scale) - 0.5 * z * z
        most = each.max(axis=1)
        found[rows] = most + np.log(np.exp(each - most[:, None]).sum(axis=1))
    return found - 0.5 * LOG_2_PI


def quantile(members: Normal, weights: Floats, p: float) -> Floats:
    """Value that each row's mixture does not pass with probability ``p``.

    Newton's method on the distribution function, between bounds that close in: where a step
    would pass them, or is no shorter than half of the last, the middle is tried instead.
    """
    if p > 0.5:
        # Small probabilities are told apart where those near one are not.
        return -_lower_quantile(-members.loc, members.scale, weights, 1.0 - p)
    return _lower_quantile(members.loc, members.scale, weights, p)


def _lower_quantile(locs: Floats, scales: Floats, weights: Floats, p: float) -> Floats:
    found = np.empty(len(locs))
    for rows in blocks(*locs.shape):
        loc, scale, w = locs[rows], scales[rows], weights[rows]
        each = loc + scale * ndtri(p)
        low, high = each.min(axis=1), each.max(axis=1)
        x, last = np.einsum("nm,nm->n", w, each), high - low
        still = _STILL * scale.min(axis=1)
        waiting = np.arange(rows.start, rows.start + len(x))
        while len(x):
            z = (x[:, None] - loc) / scale
            short = p - np.einsum("nm,nm->n", w, ndtr(z))
            density = np.einsum("nm,nm->n", w / scale, np.exp(-0.5 * z * z)) / SQRT_2_PI
            low, high = np.where(short > 0, x, low), np.where(short > 0, high, x)
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                step = short / density
            inside = (low <= x + step) & (x + step <= high) & (2 * np.abs(step) <= last)
            to = np.where(inside, x + step, low + (high - low) / 2)
            last = np.abs(to - x)
            found[waiting] = to
            more = last > np.maximum(still, 2 * np.spacing(np.abs(to)))
            waiting, x, last, low, high, still, loc, scale, w = (
                of[more] for of in (waiting, to, last, low, high, still, loc, scale, w)
            )
    return found


def crps(members: Normal, weights: Floats, y: Floats) -> Floats:
    """Continuous ranked probability score in closed form (Grimit et al. 2006).

    Every pair of members takes part. For up to some four hundred that is quicker than the
    distribution functions that a quadrature as fine as that of the entropy would need.
    """
    found = np.empty(len(members))
    m = members.loc.shape[1]
    for rows in blocks(*members.loc.shape):
        # Members first: then pairs are stretches of memory.
        loc, scale, w = (of[rows].T.copy() for of in (members.loc, members.scale, weights))
        away = _mean_distance(y[rows] - loc, scale)
        score = np.einsum("mn,mn->n", w, away - w * scale / SQRT_PI)
        variance = np.square(scale)
        for k in range(1, m):
            both = np.sqrt(variance[k:] + variance[:-k])
            score -= np.einsum("mn,mn->n", w[k:] * w[:-k], _mean_distance(loc[k:] - loc[:-k], both))
        found[rows] = score
    return found


def _mean_distance(mean: Floats, std: Floats) -> Floats:
    """E|X| of a normal X."""
    z = mean / std
    return np.asarray(mean * (2 * ndtr(z) - 1) + 2 * std * np.exp(-0.5 * z * z) / SQRT_2_PI)
