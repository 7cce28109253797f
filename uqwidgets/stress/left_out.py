"""Stressed means without each row in turn: the jackknife, with weights solved anew."""

from __future__ import annotations

import math

import numpy as np

from uqwidgets.predictive.distributions import Floats
from uqwidgets.stress.constrained.tilting import tilt
from uqwidgets.sums import dot

# Sums without a row follow to about 1e-4 of its influence where its leverage, of which all rows
# have 2 together, how far the solution turns without it, in 1 over standard deviations, and what
# its own term is cut by, in weights of a row, are no more than these.
_HOLD, _TURN, _CUT = 0.1, 0.3, 1e-3
_ORDER = 8
FARTHEST = 1.0
STEPS = 8
SOLVED = 1e-6
_LARGEST = 700.0
# What is left without a row, of the weight and of the variance: no less than this.
LEAST = 0.05


class LeftOut:
    r"""The rows of a column at one level of tau, without each of them in turn.

    Without row i, weights are still exponential in the column (004, eq. 4), but the target moves,
    and :math:`\xi` turns by some :math:`\delta_i` to meet it. With :math:`u` the distance from the
    target in standard deviations, sums over the other rows are

    .. math:: \sum_{j \ne i} w_j e^{\delta_i u_j} o_j
              = \sum_q \frac{\delta_i^q}{q!} \sum_j w_j u_j^q o_j - w_i e^{\delta_i u_i} o_i,

    so that all of the solutions, and all means under them, cost as much as a few sums over the
    rows. The few rows without which the solution would be another altogether, by their leverage
    (see `uqwidgets.stress.reweighted.Reweighted`), are left out one by one.

    Parameters
    ----------
    share, deviation : ndarray of shape (n,)
        Weight of the rows, of sum 1, and how far they lie from the target.
    inverse : float
        1 over the weighted variance of the deviation; 0 where all weight lies on one value and
        there is nothing to turn.
    retarget, turn : ndarray of shape (n,)
        How far the target moves without a row; how far the solution then turns, roughly.
    """

    def __init__(
        self, share: Floats, deviation: Floats, inverse: float, retarget: Floats, turn: Floats
    ) -> None:
        unit = math.sqrt(inverse)
        self._share, self._u = share, deviation * unit
        first = turn / unit if unit else np.zeros_like(turn)
        self._delta, self._own, self._weight = self._all_at_once(retarget * unit, first)
        hold = share * (1 + np.square(self._u))
        cut = share * np.abs(first * self._u) ** (_ORDER + 1) / math.factorial(_ORDER + 1)
        far = (hold > _HOLD) | (np.abs(first) > _TURN) | (cut > _CUT / len(share))
        self._heavy = np.flatnonzero(far & (unit > 0)).tolist()
        self._solved = [_without(row, share, deviation, retarget[row]) for row in self._heavy]

    def _all_at_once(self, wanted: Floats, first: Floats) -> tuple[Floats, Floats, Floats]:
        """Turn to these means without each row; each row's own weight then, and that of the rest.

        Means and turns are in standard deviations, and in 1 over them; ``first`` is where Newton's
        method sets out.
        """
        moments = self._series(np.ones_like(first), _ORDER + 3)
        # The derivatives of a series have the same coefficients, one place on.
        series = np.stack([moments[k : k + _ORDER + 1] / _FACTORIALS for k in range(3)], axis=1)
        powers = np.vander(self._u, 3, increasing=True).T
        delta, turned = np.full_like(first, np.inf), first
        for _ in range(STEPS):
            turned = np.clip(turned, -FARTHEST, FARTHEST)
            if np.abs(turned - delta).max() < SOLVED:
                break
            delta = turned
            own = tilted(self._share, delta * self._u)
            rest = _polynomial(series, delta)
            rest -= own * powers
            weight = np.maximum(rest[0], LEAST)
            mean, square = rest[1:] / weight
            turned = delta + (wanted - mean) / np.maximum(square - np.square(mean), LEAST)
        return delta, own, weight

    def _series(self, output: Floats, terms: int) -> Floats:
        """Weighted sums of an output times the powers of u."""
        term, sums = self._share * output, np.empty(terms)
        for q in range(terms):
            sums[q] = term.sum()
            term *= self._u
        return sums

    def means(self, output: Floats) -> Floats:
        """Weighted mean of an output (n,) without each of the rows, shape (n,)."""
        middle = dot(self._share, output)
        centred = output - middle
        series = self._series(centred, _ORDER + 1) / _FACTORIALS
        sums = _polynomial(series[:, None], self._delta)[0] - self._own * centred
        # Means lie between the least and the most, however far a series is from its sum.
        found = np.clip(sums / self._weight, centred.min(), centred.max())
        found[self._heavy] = [dot(weights, centred) for weights in self._solved]
        return np.asarray(middle + found)


def _without(row: int, share: Floats, deviation: Floats, target: float) -> Floats:
    """Weights (n,) of sum 1 without a row; those of the outermost where the target is beyond."""
    kept = (share > 0) & (np.arange(len(share)) != row)
    base, x, weights = share[kept] / share[kept].sum(), deviation[kept], np.zeros_like(share)
    if not x.min() < target < x.max():
        weights[kept] = x == (x.max() if target >= x.max() else x.min())
        return np.asarray(weights / weights.sum())
    mean = dot(base, x)
    spread = math.sqrt(dot(base, np.square(x - mean)))
    goal = np.array([target - mean]) / spread
    weights[kept] = tilt((x - mean)[:, None] / spread, base, goal).weights
    return weights


def tilted(weights: Floats, exponents: Floats) -> Floats:
    """Weights (n,) times exponentials; those without weight may lie any distance away."""
    return np.asarray(weights * np.exp(np.minimum(exponents, _LARGEST)))


def jackknifed(without: Floats, value: float) -> tuple[Floats, float]:
    """Influence of each row on an estimate, and the bias of the estimate.

    Parameters
    ----------
    without : ndarray of shape (n,)
        The estimate without each row.
    value : float
        The estimate.

    Returns
    -------
    influence : ndarray of shape (n,)
        The variance of the estimate is the mean square, over n.
    bias : float
    """
    n, mean = len(without), float(without.mean())
    return np.sqrt(n * (n - 1)) * (mean - without), (n - 1) * (mean - value)


def _polynomial(coefficients: Floats, x: Floats) -> Floats:
    """Polynomials (terms, m) of x (n,), shape (m, n), by Horner's rule and without copies."""
    found = np.zeros((coefficients.shape[1], len(x)))
    for line in coefficients[::-1]:
        found *= x
        found += line[:, None]
    return found


_FACTORIALS = np.array([math.factorial(q) for q in range(_ORDER + 1)], dtype=np.float64)
