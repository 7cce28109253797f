"""Mixtures of normal distributions: density, quantiles, score and entropy, over rows.

The entropy has no closed form and is computed by quadrature. The density of a mixture may have
bumps a thousand times narrower than its range, and its logarithm bends sharply where one member
takes over from another, so that no fixed set of nodes serves for all mixtures. The line is
therefore cut into panels, each at most `_PANEL` standard deviations long for any member that
contributes to it, with a Gauss-Legendre rule on each panel. All rows of a block advance from left
to right together, one panel at a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.polynomial.legendre import leggauss
from scipy.special import ndtr, ndtri

from uqwidgets._typing import Floats
from uqwidgets.predictive.base import InvalidRowError, blocks
from uqwidgets.predictive.normal import LOG_2_PI, SQRT_2_PI, SQRT_PI, Normal

# Newton's method for a quantile has converged when a step is shorter than this many of the row's
# smallest standard deviations.
_CONVERGED = 1e-12

# A member contributes within this many of its standard deviations: 6e-14 of its mass lie beyond.
_REACH = 7.5
# With this panel length and order, the entropies of 45,000 mixtures of 2 to 10 members of all
# scales were within 3e-10 nats of those with panels six times as fine. The rate of convergence
# depends on the zeros of the density in the complex plane.
_PANEL = 3.0
_NODES, _NODE_WEIGHTS = leggauss(20)
_POWERS = np.stack([np.ones_like(_NODES), _NODES, np.square(_NODES)])
# Smaller weights are lost when densities are added in double precision; far below this, subnormal
# numbers make the sums slow.
_NO_WEIGHT = 1e-280
# Smallest standard deviation, as a share of the row's extent: both ends of a narrower panel would
# round to the same number.
_NARROWEST = 1e-14


def log_density(members: Normal, weights: Floats, y: Floats) -> Floats:
    """Log density of each row's mixture at its ``y`` (n,), in nats."""
    log_densities = np.empty(len(members))
    for rows in blocks(*members.loc.shape):
        scale = members.scale[rows]
        z = (y[rows, None] - members.loc[rows]) / scale
        with np.errstate(divide="ignore"):
            each = np.log(weights[rows] / scale) - 0.5 * z * z
        most = each.max(axis=1)
        log_densities[rows] = most + np.log(np.exp(each - most[:, None]).sum(axis=1))
    return log_densities - 0.5 * LOG_2_PI


def quantile(members: Normal, weights: Floats, p: float) -> Floats:
    """Quantile of each row's mixture at level ``p``, shape (n,).

    Newton's method on the distribution function, safeguarded by bisection: a step that would
    leave the bracket, or is longer than half of the last one, is replaced by its middle.
    """
    if p > 0.5:
        # Probabilities near zero have a finer resolution in double precision than those near one.
        return -_lower_quantile(-members.loc, members.scale, weights, 1.0 - p)
    return _lower_quantile(members.loc, members.scale, weights, p)


def _lower_quantile(locs: Floats, scales: Floats, weights: Floats, p: float) -> Floats:
    quantiles = np.empty(len(locs))
    for rows in blocks(*locs.shape):
        loc, scale, w = locs[rows], scales[rows], weights[rows]
        of_members = loc + scale * ndtri(p)
        low, high = of_members.min(axis=1), of_members.max(axis=1)
        x, last_step = np.einsum("nm,nm->n", w, of_members), high - low
        tolerance = _CONVERGED * scale.min(axis=1)
        active = np.arange(rows.start, rows.start + len(x))
        while len(x):
            z = (x[:, None] - loc) / scale
            deficit = p - np.einsum("nm,nm->n", w, ndtr(z))
            density = np.einsum("nm,nm->n", w / scale, np.exp(-0.5 * z * z)) / SQRT_2_PI
            low, high = np.where(deficit > 0, x, low), np.where(deficit > 0, high, x)
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                newton = deficit / density
            accepted = (
                (low <= x + newton) & (x + newton <= high) & (2 * np.abs(newton) <= last_step)
            )
            new = np.where(accepted, x + newton, low + (high - low) / 2)
            last_step = np.abs(new - x)
            quantiles[active] = new
            moving = last_step > np.maximum(tolerance, 2 * np.spacing(np.abs(new)))
            active, x, last_step, low, high, tolerance, loc, scale, w = (
                array[moving]
                for array in (active, new, last_step, low, high, tolerance, loc, scale, w)
            )
    return quantiles


def crps(members: Normal, weights: Floats, y: Floats) -> Floats:
    """Continuous ranked probability score in closed form (Grimit et al. 2006).

    E|X - y| - E|X - X'| / 2, summed over all pairs of members. Up to about four hundred members,
    this is quicker than a quadrature of the distribution function as fine as that of the entropy.
    """
    scores = np.empty(len(members))
    m = members.loc.shape[1]
    for rows in blocks(*members.loc.shape):
        # With the members first, the pairs at one distance are contiguous slices.
        loc, scale, w = (array[rows].T.copy() for array in (members.loc, members.scale, weights))
        away = _mean_distance(y[rows] - loc, scale)
        score = np.einsum("mn,mn->n", w, away - w * scale / SQRT_PI)
        variance = np.square(scale)
        for k in range(1, m):
            both = np.sqrt(variance[k:] + variance[:-k])
            score -= np.einsum("mn,mn->n", w[k:] * w[:-k], _mean_distance(loc[k:] - loc[:-k], both))
        scores[rows] = score
    return scores


def _mean_distance(mean: Floats, std: Floats) -> Floats:
    """E|X| of a normal X (Grimit et al. 2006)."""
    z = mean / std
    return np.asarray(mean * (2 * ndtr(z) - 1) + 2 * std * np.exp(-0.5 * z * z) / SQRT_2_PI)


class _Mixtures(NamedTuple):
    """Members of a block of rows, each array (n, m): place, log peak density, and support."""

    loc: Floats
    scale: Floats
    log_peak: Floats
    begin: Floats
    end: Floats

    def take(self, rows: npt.NDArray[np.bool_]) -> _Mixtures:
        return _Mixtures(*(array[rows] for array in self))


def entropy(members: Normal, weights: Floats) -> Floats:
    """Differential entropy of each row's mixture in nats, shape (n,).

    Parameters
    ----------
    members : Normal
        Of shape (n, m).
    weights : ndarray of shape (n, m)

    Raises
    ------
    InvalidRowError
        If standard deviations are further apart than double precision resolves.
    """
    entropies = np.empty(len(members))
    for rows in blocks(*members.loc.shape):
        mixtures = _without_gaps(members.loc[rows], members.scale[rows], weights[rows])
        _check_resolved(mixtures, rows.start)
        entropies[rows] = _integrate(mixtures)
    return entropies


def _without_gaps(loc: Floats, scale: Floats, weights: Floats) -> _Mixtures:
    """Sort the members and close the gaps between them.

    Entropy does not change when members that do not overlap are moved. It must be done, since
    the width of a narrow member is lost when it is added to a much longer distance.
    """
    # Members without weight become copies of the heaviest, so that they need no panels.
    heaviest = weights.argmax(axis=1)[:, None]
    positive = weights > 0
    loc = np.where(positive, loc, np.take_along_axis(loc, heaviest, axis=1))
    scale = np.where(positive, scale, np.take_along_axis(scale, heaviest, axis=1))
    order = np.argsort(loc - _REACH * scale, axis=1)
    loc, scale, weights = (np.take_along_axis(a, order, axis=1) for a in (loc, scale, weights))
    begin, end = loc - _REACH * scale, loc + _REACH * scale
    # The part of a gap that is left is as long as the rounding errors of the members beside it.
    rounding = 8 * np.spacing(np.abs(loc).max(axis=1, keepdims=True))
    gap = begin[:, 1:] - np.maximum.accumulate(end, axis=1)[:, :-1] - rounding
    loc = loc - loc[:, :1]
    loc[:, 1:] -= np.cumsum(np.maximum(gap, 0.0), axis=1)
    log_peak = np.log(np.maximum(weights, _NO_WEIGHT)) - np.log(scale) - 0.5 * LOG_2_PI
    return _Mixtures(loc, scale, log_peak, loc - _REACH * scale, loc + _REACH * scale)


def _check_resolved(mixtures: _Mixtures, first: int) -> None:
    extent = np.maximum(-mixtures.begin, mixtures.end).max(axis=1)
    unresolved = mixtures.scale.min(axis=1) < _NARROWEST * extent
    if unresolved.any():
        row = int(unresolved.argmax())
        low, high = mixtures.scale[row].min(), mixtures.scale[row].max()
        raise InvalidRowError(
            f"standard deviations of members from {low:g} to {high:g} are too far apart for "
            "entropy by quadrature (method='moments' gives an upper bound)",
            first + row,
        )


def _integrate(mixtures: _Mixtures) -> Floats:
    """Entropy of each row, shape (n,), over one panel of every row at a time."""
    totals = np.zeros(len(mixtures.loc))
    low, last = mixtures.begin.min(axis=1), mixtures.end.max(axis=1)
    row = np.arange(len(totals))
    while len(row):
        present = mixtures.end > low[:, None]
        # A member further to the right lets the panel extend to where the member begins.
        until = np.maximum(mixtures.begin, low[:, None] + _PANEL * mixtures.scale)
        high = np.where(present, until, np.inf).min(axis=1)
        present &= mixtures.begin < high[:, None]
        totals[row] += _panel_integrals(mixtures, low, high, present)
        unfinished = high < last
        row, low, last = row[unfinished], high[unfinished], last[unfinished]
        if not unfinished.all():
            mixtures = mixtures.take(unfinished)
    return totals


def _panel_integrals(
    mixtures: _Mixtures, low: Floats, high: Floats, present: npt.NDArray[np.bool_]
) -> Floats:
    """Integral of -q log q over one panel of each row, with the members present in it."""
    integrals, half = np.zeros(len(low)), (high - low) / 2
    count = np.count_nonzero(present, axis=1)
    row, scale = np.repeat(np.arange(len(low)), count), mixtures.scale[present]
    width = half[row] / scale
    # Computed from the end of the panel: its middle, rounded to a float, would be less exact.
    z = (low[row] - mixtures.loc[present]) / scale + width
    # A normal log density is a parabola in the node: one matrix product gives it at all nodes.
    log_peak = mixtures.log_peak[present]
    parabola = np.stack([log_peak - 0.5 * z * z, -z * width, -0.5 * width * width], axis=1)
    densities = parabola @ _POWERS
    np.exp(densities, out=densities)
    # In a gap that rounding has left, no member is present.
    some = count > 0
    q = np.add.reduceat(densities, (np.cumsum(count) - count)[some], axis=0)
    integrals[some] = -half[some] * ((q * np.log(q)) @ _NODE_WEIGHTS)
    return integrals
