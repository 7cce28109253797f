"""Entropy of mixtures of normal distributions, by quadrature that follows their scales.

The density of a mixture may have bumps a thousand times narrower than its range, and its
logarithm bends sharply wherever one member takes over from another; no rule with nodes set
beforehand serves for all. So the line is cut into panels, each at most `_PANEL` standard
deviations long of any member that is felt in it, and each has a Gauss-Legendre rule. Stretches
where no member is felt cost nothing. Everything is vectorised over the panels of many rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.polynomial.legendre import leggauss

from uqwidgets.predictive.base import blocks
from uqwidgets.predictive.checks import Floats, InvalidRowError
from uqwidgets.predictive.normal import LOG_2_PI, Normal

# Where a member is felt, in its standard deviations: 6e-14 of its mass lie beyond.
_REACH = 7.5
# With this length and order, 45,000 mixtures of 2 to 10 members of all scales were within 3e-10
# nats of panels six times as fine; the zeros of the density in the complex plane set the pace.
_PANEL = 3.0
_NODES, _NODE_WEIGHTS = leggauss(20)
_POWERS = np.stack([np.ones_like(_NODES), _NODES, np.square(_NODES)])
# Densities of this many nodes and members at once stay in the processor's cache.
_TOGETHER = 1 << 16
# Below what double precision can add to a density, and above what makes it slow.
_NO_WEIGHT = 1e-280
# Of what a row extends over: the ends of narrower panels would be one and the same number.
_NARROWEST = 1e-14


class _Mixtures(NamedTuple):
    """Members of some rows, each (n, m), by where they begin to be felt."""

    loc: Floats
    scale: Floats
    log_weight: Floats
    begin: Floats
    end: Floats


class _Panels(NamedTuple):
    """Stretches of the line, each for a row."""

    row: npt.NDArray[np.intp]
    low: Floats
    high: Floats

    def some(self, which: slice) -> _Panels:
        return _Panels(self.row[which], self.low[which], self.high[which])


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
    found = np.empty(len(members))
    for rows in blocks(*members.loc.shape):
        of = _side_by_side(members.loc[rows], members.scale[rows], weights[rows])
        _check_resolved(of, rows.start)
        all_panels = _panels(of)
        step = max(1, _TOGETHER // (of.loc.shape[1] * len(_NODES)))
        pieces = [
            _integrals(of, all_panels.some(slice(first, first + step)))
            for first in range(0, len(all_panels.row), step)
        ]
        found[rows] = np.bincount(all_panels.row, np.concatenate(pieces), len(of.loc))
    return found


def _side_by_side(loc: Floats, scale: Floats, weights: Floats) -> _Mixtures:
    """Sort the members and close the gaps between them.

    Entropy does not change when members that do not overlap are moved; but the distance of a
    narrow member from its neighbours can be too long for its width to be added to.
    """
    # Members without weight would ask for panels; as copies of the heaviest they ask for none.
    heaviest = weights.argmax(axis=1)[:, None]
    counts = weights > 0
    loc = np.where(counts, loc, np.take_along_axis(loc, heaviest, axis=1))
    scale = np.where(counts, scale, np.take_along_axis(scale, heaviest, axis=1))
    order = np.argsort(loc - _REACH * scale, axis=1)
    loc, scale, weights = (np.take_along_axis(a, order, axis=1) for a in (loc, scale, weights))
    begin, end = loc - _REACH * scale, loc + _REACH * scale
    # As much is left of a gap as rounding may have taken from the members beside it.
    rounding = 8 * np.spacing(np.abs(loc).max(axis=1, keepdims=True))
    gap = begin[:, 1:] - np.maximum.accumulate(end, axis=1)[:, :-1] - rounding
    loc = loc - loc[:, :1]
    loc[:, 1:] -= np.cumsum(np.maximum(gap, 0.0), axis=1)
    log_weight = np.log(np.maximum(weights, _NO_WEIGHT))
    return _Mixtures(loc, scale, log_weight, loc - _REACH * scale, loc + _REACH * scale)


def _check_resolved(of: _Mixtures, first: int) -> None:
    extent = np.maximum(-of.begin, of.end).max(axis=1)
    unresolved = of.scale.min(axis=1) < _NARROWEST * extent
    if unresolved.any():
        row = int(unresolved.argmax())
        low, high = of.scale[row].min(), of.scale[row].max()
        raise InvalidRowError(
            f"standard deviations of members from {low:g} to {high:g} are too far apart for "
            "entropy by quadrature (method='moments' gives an upper bound)",
            first + row,
        )


def _panels(of: _Mixtures) -> _Panels:
    """Cut the line into panels, from left to right in all rows at once."""
    begin, end, longest = of.begin, of.end, _PANEL * of.scale
    row, low, last = np.arange(len(begin)), begin.min(axis=1), end.max(axis=1)
    found = []
    while len(row):
        # A member that is not felt yet lets a panel go on to where it begins.
        until = np.maximum(begin, low[:, None] + longest)
        until[end <= low[:, None]] = np.inf
        high = until.min(axis=1)
        found.append((row, low, high))
        more = high < last
        row, low, last = row[more], high[more], last[more]
        if not more.all():
            begin, end, longest = begin[more], end[more], longest[more]
    rows, lows, highs = zip(*found, strict=True)
    return _Panels(np.concatenate(rows), np.concatenate(lows), np.concatenate(highs))


def _integrals(of: _Mixtures, panels: _Panels) -> Floats:
    """Integral of -q log q over each of these panels."""
    row, low, half = panels.row, panels.low, (panels.high - panels.low) / 2
    felt = (of.begin[row] < panels.high[:, None]) & (of.end[row] > low[:, None])
    panel, member = np.nonzero(felt)
    pair = row[panel], member
    scale = of.scale[pair]
    width = half[panel] / scale
    # The middle of a narrow panel is better known from its end than as a number of its own.
    z = (low[panel] - of.loc[pair]) / scale + width
    # A log density is a parabola in the place of the node: one product gives it at all nodes.
    peak = of.log_weight[pair] - np.log(scale) - 0.5 * LOG_2_PI
    densities = np.stack([peak - 0.5 * z * z, -z * width, -0.5 * width * width], axis=1) @ _POWERS
    np.exp(densities, out=densities)
    found = np.zeros(len(row))
    begun, first = np.unique(panel, return_index=True)
    q = np.add.reduceat(densities, first, axis=0)
    found[begun] = -half[begun] * ((q * np.log(q)) @ _NODE_WEIGHTS)
    return found
