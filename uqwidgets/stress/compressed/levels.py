"""Every level of tau at once, on a compressed column."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.special import lambertw

from uqwidgets._typing import Floats
from uqwidgets.inference.sums import weighted_sums
from uqwidgets.stress.compressed.compression import Compressed

# In standard deviations of the weighted column: where the weights crowd near an end, a small
# error in standard deviations of the column itself would be a large one of the weights.
_TOLERANCE = 1e-12
_NEWTON_STEPS = 40
_STEEPEST = 1e300
_MOST_STEPS = 200
_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Levels:
    """What levels of tau make of a compressed column.

    Attributes
    ----------
    compressed : Compressed
    taus : ndarray of shape (t,)
    target : ndarray of shape (t,)
        Mean that each stands for, in the column's unit.
    status : ndarray of str, shape (t,)
        See `uqwidgets.Stress`.
    xi : ndarray of shape (t,)
        Weights are proportional to exp(xi z), z the column in standard units (Bachoc et al. 2023,
        eq. 4); infinite at an edge, NaN where there are no weights.
    """

    compressed: Compressed
    taus: Floats
    target: Floats
    status: npt.NDArray[np.str_]
    xi: Floats
    _tilt: _Tilt

    def moments(
        self, power: int, degree: int, of: Compressed | None = None, *, standard: bool = False
    ) -> Floats:
        """Means over all rows of w^power (x - target)^degree o, for o = 1 and every output.

        Squared weights are exp(2 xi x) but for a factor, which the nodes serve too.

        Parameters
        ----------
        power : {0, 1, 2}
            Of the weights, which have mean 1.
        degree : int
            Of the deviation from the target, in the column's unit.
        of : Compressed, optional
            Some of the rows, compressed on the same grid: only these are summed. The sums are
            still divided by the number of all rows.
        standard : bool, default=False
            Whether deviations are in standard deviations of the column instead, as squares of
            very small and very large numbers are no floats.

        Returns
        -------
        ndarray of shape (t, 1 + q)
            NaN where there are no weights.
        """
        part, n = self.compressed if of is None else of, self.compressed.n
        found = np.full((len(self.taus), len(part.sums.masses)), np.nan)
        kernel = self._tilt.weights**power
        if degree:
            unit = 1 / (self.compressed.spread or 1.0) if standard else self.compressed.grid.unit
            kernel = kernel * (self._tilt.deviations * unit) ** degree
        masses = part.sums.masses[:, self.compressed.occupied]
        found[self.status == "ok"] = np.einsum("tm,km->tk", kernel, masses) / n
        for t in self._edges:
            weight = n / self._rows_at_edge(t)
            ends = part.sums.ends[:, int(self.taus[t] > 0)]
            found[t] = ends * (weight**power / n if degree == 0 else 0.0)
        return found

    def row_weights(self, level: int, values: Floats) -> Floats:
        """Weights of the rows themselves at one level.

        Parameters
        ----------
        level : int
            Its position among ``taus``.
        values : ndarray of shape (n,)
            The column that was compressed.

        Returns
        -------
        ndarray of shape (n,)
            Mean 1; NaN where there are no weights.
        """
        c, xi = self.compressed, self.xi[level]
        end = c.least if self.taus[level] < 0 else c.most
        if np.isnan(xi) or xi == 0:
            return np.full(len(values), xi + 1)
        if np.isinf(xi):
            weights = (values == end).astype(np.float64)
        else:
            distance = values / c.grid.unit - end / c.grid.unit
            weights = np.exp(xi * (distance / c.spread))
        return np.asarray(weights / weights.mean())

    @cached_property
    def means(self) -> Floats:
        """Weighted mean of every output, shape (t, q)."""
        return self.moments(1, 0)[:, 1:]

    @cached_property
    def reached(self) -> Floats:
        """Weighted mean of the column, shape (t,)."""
        return self.target + self.moments(1, 1)[:, 0]

    @cached_property
    def ess(self) -> Floats:
        """Effective sample size of the weights, shape (t,)."""
        return self.compressed.n / self.moments(2, 0)[:, 0]

    @cached_property
    def kl(self) -> Floats:
        """Kullback-Leibler divergence of the weights from equal ones in nats, shape (t,)."""
        found = np.full(len(self.taus), np.nan)
        found[self.status == "ok"] = self._tilt.divergence
        for t in self._edges:
            found[t] = np.log(self.compressed.n / self._rows_at_edge(t))
        return found

    @cached_property
    def half_share(self) -> Floats:
        """Smallest share of the rows that carries half the weight, shape (t,).

        Exact where the nodes are the distinct values; else within a bin the rows are taken to
        weigh the same, which leaves an error of two rows, or of 1e-4 where they are many.
        """
        found = np.full(len(self.taus), np.nan)
        c, lower = self.compressed, self.taus < 0
        bins = np.flatnonzero(c.sums.counts)
        # Heaviest first: bins are in ascending order of the value.
        for side, order, ends in (
            (lower, bins, c.grid.bins_below),
            (~lower, bins[::-1], c.grid.bins_above),
        ):
            solved = np.flatnonzero(side & (self.status == "ok"))
            if not len(solved):
                continue
            counts, distance = c.sums.counts[order], ends[order] - ends[order[0]]
            each = np.exp(np.outer(-np.abs(self.xi[solved]), distance / c.spread))
            weight = np.cumsum(each * counts, axis=1)
            half = weight[:, -1:] / 2
            last = np.argmax(weight >= half, axis=1)[:, None]
            spare, single = (np.take_along_axis(v, last, axis=1) for v in (weight - half, each))
            rows = np.cumsum(counts)[last] - spare // single
            found[solved] = rows[:, 0] / c.n
        for t in self._edges:
            found[t] = np.ceil(self._rows_at_edge(t) / 2) / self.compressed.n
        return found

    @property
    def _edges(self) -> list[int]:
        return list(np.flatnonzero(self.status == "edge").tolist())

    def _rows_at_edge(self, t: int) -> float:
        return float(self.compressed.sums.ends[0, int(self.taus[t] > 0)])


@dataclass(frozen=True, eq=False)
class _Tilt:
    """Weights exp(-steepness d) over mean, d the distance of a node from an end of the column.

    Attributes
    ----------
    steepness : ndarray of shape (s,)
        In the reciprocal of the grid's unit.
    weights, deviations : ndarray of shape (s, m)
        Weight of every occupied node, and what it lies above the target, in the grid's unit.
    divergence : ndarray of shape (s,)
    """

    steepness: Floats
    weights: Floats
    deviations: Floats
    divergence: Floats


def levels(compressed: Compressed, taus: Floats) -> Levels:
    """Solve for the weights of every level of tau.

    Source: Bachoc et al. 2023, section 2.2 and theorem 2.3.

    Costs nothing that depends on the number of rows.

    Parameters
    ----------
    compressed : Compressed
    taus : ndarray of shape (t,)
        Within [-1, 1].

    Returns
    -------
    Levels
    """
    c = compressed
    size, lower = np.abs(taus), taus < 0
    unit = c.grid.unit
    # Distances from the end that the mean moves to keep their digits however near it comes.
    start = np.where(lower, c.mean_below, c.mean_above)
    last = np.where(lower, c.low / unit - c.least / unit, c.most / unit - c.high / unit)
    distance = (1 - size) * start + size * last
    target = (1 - size) * c.mean + size * np.where(lower, c.low, c.high)
    status = np.full(len(taus), "ok", dtype="<U15")
    status[distance == 0] = "edge"
    status[distance < 0] = "infeasible"
    status[(last >= start) & (taus != 0)] = "beyond quantile"
    if c.least == c.most:
        status[:] = "constant"
    solved = np.flatnonzero(status == "ok")
    tilt = _tilted(c, lower[solved], distance[solved], taus[solved] == 0)
    xi = np.full(len(taus), np.nan)
    xi[solved] = np.where(lower[solved], -1.0, 1.0) * tilt.steepness * c.spread
    xi[status == "edge"] = np.where(lower, -np.inf, np.inf)[status == "edge"]
    return Levels(c, taus, target, status, xi, tilt)


def _tilted(
    c: Compressed, lower: npt.NDArray[np.bool_], goals: Floats, still: npt.NDArray[np.bool_]
) -> _Tilt:
    counts = c.sums.masses[0, c.occupied]
    ends = np.stack([c.grid.above[c.occupied], c.grid.below[c.occupied]])
    excess = ends[lower.astype(np.intp)] - goals[:, None]
    steepness = np.zeros(len(goals))
    moving = np.flatnonzero(~still)
    with np.errstate(over="ignore"):  # a goal next to nothing
        most = np.minimum(lambertw(c.n / math.e).real / goals[moving], _STEEPEST)  # see `Panels`
    steepness[moving] = _solve(excess[moving], counts, goals[moving], most, c)
    # The mean is 1 but for a divergence that may be so small that it would drown in the 1.
    exponent = -steepness[:, None] * excess
    less = weighted_sums(np.expm1(exponent), counts) / c.n
    # Nor are small weights to drown in it: an output may have its rows among these alone.
    weights = np.exp(exponent)
    weights *= (c.n / weighted_sums(weights, counts))[:, None]
    # Mean of w log w, the logarithm of w being -steepness * excess - log(mean).
    gap = weighted_sums(weights * excess, counts) / c.n
    divergence = np.where(still, 0.0, np.maximum(0.0, -steepness * gap - np.log1p(less)))
    return _Tilt(steepness, weights, np.where(lower[:, None], excess, -excess), divergence)


def _solve(excess: Floats, counts: Floats, goals: Floats, most: Floats, c: Compressed) -> Floats:
    """Steepness k > 0 at which the mean of ``excess`` (s, m) under exp(-k excess) is 0.

    Newton's method on log Z(k) (Bachoc et al. 2023, theorem 2.1), for all levels at once, within a
    bracket. Its steps are lengthened by the ratio of the mean distance to the goal: where the
    distance has a gamma distribution, its mean is the reciprocal of a linear function of k, and
    this step leads straight to the solution.
    """
    low, high = np.zeros(len(goals)), most * (1 + 1e-9)
    start = weighted_sums(excess, counts) / c.n
    with np.errstate(over="ignore"):
        k = np.minimum(start / c.spread**2 * (1 + start / goals), high / 2)
    active = np.arange(len(goals))
    for step in range(_MOST_STEPS):
        at = excess[active]
        weights = np.exp(-k[active, None] * at) * counts
        total = weights.sum(axis=1)
        weights *= at
        gap = weights.sum(axis=1) / total
        variance = np.einsum("ij,ij->i", weights, at) / total - gap**2
        with np.errstate(invalid="ignore"):
            precise = np.abs(gap) <= _TOLERANCE * np.sqrt(variance)
        low[active] = np.where(gap > 0, k[active], low[active])
        high[active] = np.where(gap > 0, high[active], k[active])
        with np.errstate(divide="ignore", invalid="ignore"):
            new = k[active] + gap / variance * (1 + gap / goals[active])
        middle = 0.5 * (low[active] + high[active])
        inside = (new > low[active]) & (new < high[active]) & (step < _NEWTON_STEPS)
        new = np.where(inside, new, middle)
        stuck = np.abs(new - k[active]) <= 2 * _EPS * k[active]
        k[active] = np.where(precise, k[active], new)
        active = active[~(precise | stuck)]
        if not len(active):
            break
    return k
