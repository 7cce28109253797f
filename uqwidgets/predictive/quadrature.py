"""Entropy of mixtures of normal distributions, by quadrature that follows their scales.

The density of a mixture may have bumps a thousand times narrower than its range, and its
logarithm bends sharply wherever one member takes over from another; no rule with nodes set
beforehand serves for all. So the line is cut into panels, each at most `_PANEL` standard
deviations long of any member that is felt in it, and each has a Gauss-Legendre rule, over the
members that are felt. Many rows go from left to right together, a panel each at a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.polynomial.legendre import leggauss

from uqwidgets._typing import Floats
from uqwidgets.predictive.base import blocks
from uqwidgets.predictive.checks import InvalidRowError
from uqwidgets.predictive.normal import LOG_2_PI, Normal

# Where a member is felt, in its standard deviations: 6e-14 of its mass lie beyond.
_REACH = 7.5
# With this length and order, 45,000 mixtures of 2 to 10 members of all scales were within 3e-10
# nats of panels six times as fine; the zeros of the density in the complex plane set the pace.
_PANEL = 3.0
_NODES, _NODE_WEIGHTS = leggauss(20)
_POWERS = np.stack([np.ones_like(_NODES), _NODES, np.square(_NODES)])
# Below what double precision can add to a density, and above what makes it slow.
_NO_WEIGHT = 1e-280
# Of what a row extends over: the ends of narrower panels would be one and the same number.
_NARROWEST = 1e-14


class _Mixtures(NamedTuple):
    """Members of some rows, each (n, m): where and how high they are, and where they are felt."""

    loc: Floats
    scale: Floats
    log_peak: Floats
    begin: Floats
    end: Floats

    def some(self, rows: npt.NDArray[np.bool_]) -> _Mixtures:
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
    found = np.empty(len(members))
    for rows in blocks(*members.loc.shape):
        of = _side_by_side(members.loc[rows], members.scale[rows], weights[rows])
        _check_resolved(of, rows.start)
        found[rows] = _from_left_to_right(of)
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
    log_peak = np.log(np.maximum(weights, _NO_WEIGHT)) - np.log(scale) - 0.5 * LOG_2_PI
    return _Mixtures(loc, scale, log_peak, loc - _REACH * scale, loc + _REACH * scale)


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


def _from_left_to_right(of: _Mixtures) -> Floats:
    """Entropy of each row, shape (n,), a panel of every row at a time."""
    found = np.zeros(len(of.loc))
    row, low, last = np.arange(len(found)), of.begin.min(axis=1), of.end.max(axis=1)
    while len(row):
        felt = of.end > low[:, None]
        # A member that is not felt yet lets the panel go on to where it begins.
        until = np.maximum(of.begin, low[:, None] + _PANEL * of.scale)
        high = np.where(felt, until, np.inf).min(axis=1)
        felt &= of.begin < high[:, None]
        found[row] += _integrals(of, low, high, felt)
        more = high < last
        row, low, last = row[more], high[more], last[more]
        if not more.all():
            of = of.some(more)
    return found


def _integrals(of: _Mixtures, low: Floats, high: Floats, felt: npt.NDArray[np.bool_]) -> Floats:
    """Integral of -q log q over a panel of each row, with the members that are felt there."""
    found, half = np.zeros(len(low)), (high - low) / 2
    count = np.count_nonzero(felt, axis=1)
    row, scale = np.repeat(np.arange(len(low)), count), of.scale[felt]
    width = half[row] / scale
    # The middle of a narrow panel is better known from its end than as a number of its own.
    z = (low[row] - of.loc[felt]) / scale + width
    # A log density is a parabola in the place of the node: one product gives it at all nodes.
    parabola = np.stack([of.log_peak[felt] - 0.5 * z * z, -z * width, -0.5 * width * width], axis=1)
    densities = parabola @ _POWERS
    np.exp(densities, out=densities)
    # In a gap that rounding has left, none is felt.
    some = count > 0
    q = np.add.reduceat(densities, (np.cumsum(count) - count)[some], axis=0)
    found[some] = -half[some] * ((q * np.log(q)) @ _NODE_WEIGHTS)
    return found
