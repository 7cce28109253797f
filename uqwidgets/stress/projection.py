"""Entropic projection: weights that move a feature's mean, as close to the data as possible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from uqwidgets.predictive.distributions import Floats
from uqwidgets.stress.anchors import Anchor, anchors_of
from uqwidgets.sums import dot

Status = Literal["ok", "edge", "infeasible", "constant", "beyond quantile"]

# In standard deviations of the column.
TOLERANCE = 1e-10
# Newton's steps grow short where the mean hardly answers; halving the bracket always ends.
_NEWTON_STEPS = 40
_MOST_STEPS = 200


@dataclass(frozen=True, eq=False)
class Projection:
    """Row weights for a column whose mean is to be ``target``.

    Attributes
    ----------
    weights : ndarray of shape (n,) or None
        Mean 1; None where there are none.
    target, reached : float
        In the unit of the column; ``reached`` is NaN where there are no weights.
    status : str
        See `uqwidgets.Stress`.
    """

    weights: Floats | None
    target: float
    reached: float
    status: Status


class Column:
    """A numeric column, standardised once, ready to be stressed to many means.

    Solving in standard units makes the weights independent of the column's unit and origin.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Finite.
    alpha : float
    anchor : {"quantile", "tail-mean"}, default="quantile"
        What tau = -1 and 1 stand for, see `uqwidgets.stress.anchors.Anchors`.
    """

    def __init__(self, values: Floats, alpha: float, anchor: Anchor = "quantile") -> None:
        self.mean = float(values.mean())
        self.anchors = anchors_of(values, alpha, anchor)
        self.least, self.most = float(values.min()), float(values.max())
        self.values = values
        self.std, self._z = 0.0, None
        if self.most > self.least:
            # Squares of very small or large numbers leave the range of floats.
            deviation = values - self.mean
            scale = float(np.abs(deviation).max())
            relative = float(np.sqrt(np.square(deviation / scale).mean()))
            self.std, self._z = scale * relative, deviation / scale / relative

    def target(self, tau: float) -> float:
        """Mean that tau stands for (004, section 2.2)."""
        # At tau = -1 and 1 this is the anchor to the last bit: whether it is the edge of the
        # data must not hang on a rounding error.
        return (1.0 - abs(tau)) * self.mean + abs(tau) * self._end(tau)

    def project(self, tau: float, start: float = 0.0) -> tuple[Projection, float]:
        """Weights at level ``tau``, and the multiplier xi that gave them.

        Parameters
        ----------
        tau : float
            Within [-1, 1].
        start : float, optional
            A guess of xi, in standard units: that of a level nearby.
        """
        target = self.target(tau)
        if self._z is None:
            return Projection(None, target, np.nan, "constant"), 0.0
        if tau == 0:
            return Projection(np.ones(len(self._z)), target, self.mean, "ok"), 0.0
        if (self._end(tau) - self.mean) * np.sign(tau) <= 0:
            return Projection(None, target, np.nan, "beyond quantile"), 0.0
        if target <= self.least or target >= self.most:
            return self._edge(target), start
        weights, xi = _solve(self._z, (target - self.mean) / self.std, start)
        reached = self.mean + self.std * dot(weights, self._z) / len(weights)
        return Projection(weights, target, reached, "ok"), xi

    def _end(self, tau: float) -> float:
        return self.anchors.low if tau < 0 else self.anchors.high

    def _edge(self, target: float) -> Projection:
        # The limit of the weights as the target goes to the edge: the extreme rows, equally.
        at = self.values == (self.least if target <= self.least else self.most)
        if not self.least <= target <= self.most:
            return Projection(None, target, np.nan, "infeasible")
        return Projection(at * (len(at) / at.sum()), target, target, "edge")


def project_levels(column: Column, taus: Floats) -> list[Projection]:
    """Weights at every level, each solved from its neighbour nearer to zero."""
    found: dict[int, Projection] = {}
    levels = taus.tolist()
    outwards = sorted(range(len(levels)), key=lambda i: abs(levels[i]))
    for upwards in (True, False):
        xi = previous = step = 0.0
        for i in outwards:
            tau = levels[i]
            if (tau >= 0) != upwards:
                continue
            # Along tau, xi moves almost evenly.
            guess = xi + step * (tau - previous)
            found[i], new = column.project(tau, guess)
            if tau != previous:
                step = (new - xi) / (tau - previous)
            xi, previous = new, tau
    return [found[i] for i in range(len(taus))]


def _solve(z: Floats, target: float, xi: float) -> tuple[Floats, float]:
    """Weights exp(xi z) / mean (004, eq. 4) whose weighted mean of ``z`` is ``target``.

    Newton's method on the strictly convex H(xi) = log Z(xi) - xi target (004, theorem 2.1),
    kept within a bracket of its minimum.
    """
    low, high = -np.inf, np.inf
    for step in range(_MOST_STEPS):
        weights = np.exp(xi * z - (xi * z).max())
        total = float(weights.sum())
        moment = weights * z
        mean = float(moment.sum()) / total
        gap = mean - target
        if abs(gap) <= TOLERANCE:
            break
        low, high = (xi, high) if gap < 0 else (low, xi)
        spread = dot(moment, z) / total - mean**2
        newton = xi - gap / spread if spread > 0 and step < _NEWTON_STEPS else np.nan
        if low < newton < high and abs(newton - xi) <= 10 * max(1.0, abs(xi)):
            xi = newton
        elif np.isfinite(low) and np.isfinite(high):
            xi = 0.5 * (low + high)
        else:
            xi -= np.sign(gap) * max(1.0, abs(xi))
        if xi in (low, high):  # the bracket is as narrow as numbers get
            break
    weights *= len(z) / total
    return weights, xi


def checked_taus(taus: int | npt.ArrayLike) -> Floats:
    """Levels to look at; -1, 0 and 1 are always among them.

    A number gives evenly spaced levels; an even one is rounded up, so that 0 is exactly there.

    Raises
    ------
    ValueError
        If a level is outside [-1, 1], or there are fewer than three.
    """
    if isinstance(taus, (int, np.integer)):
        if taus < 3:
            raise ValueError(f"taus is {taus}; give at least 3 levels, or the levels themselves.")
        half = np.linspace(0.0, 1.0, (int(taus) + 1) // 2 + (int(taus) % 2 == 0))
        return np.concatenate([-half[:0:-1], half])
    levels = np.asarray(taus, dtype=np.float64).ravel()
    if not (np.abs(levels) <= 1).all():
        worst = levels[np.argmin(np.abs(levels) <= 1)]
        raise ValueError(f"tau is {worst:g}; a stress level lies within [-1, 1].")
    return np.union1d(levels, [-1.0, 0.0, 1.0])
