"""The weights of all levels of tau at once, on a compressed column."""

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

# Tolerance of the mean, in standard deviations of the weighted column: where the weight is
# concentrated near an end, the standard deviation of the unweighted column is too large a unit.
_TOLERANCE = 1e-12
_NEWTON_STEPS = 40
_STEEPEST = 1e300
_MOST_STEPS = 200
_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Levels:
    """A compressed column at several levels of tau.

    Attributes
    ----------
    compressed : Compressed
    taus : ndarray of shape (t,)
    target : ndarray of shape (t,)
        Mean that each level stands for, in the column's unit.
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
        self, power: int, degree: int, rows: Compressed | None = None, *, standard: bool = False
    ) -> Floats:
        """Means over all rows of w^power (x - target)^degree o, for o = 1 and every output.

        The nodes are accurate for squared weights too, which are proportional to exp(2 xi x).

        Parameters
        ----------
        power : {0, 1, 2}
            Exponent of the weights, which have mean 1.
        degree : int
            Exponent of the deviation from the target, in the column's unit.
        rows : Compressed, optional
            Some of the rows, compressed on the same grid: only these are summed, but the sums are
            divided by the number of all rows.
        standard : bool, default=False
            Whether deviations are in standard deviations of the column instead, because squares of
            very small and very large numbers underflow or overflow.

        Returns
        -------
        ndarray of shape (t, 1 + q)
            NaN where there are no weights.
        """
        part, n = self.compressed if rows is None else rows, self.compressed.n
        means = np.full((len(self.taus), len(part.sums.masses)), np.nan)
        kernel = self._tilt.weights**power
        if degree:
            unit = 1 / (self.compressed.unit_std or 1.0) if standard else self.compressed.grid.unit
            kernel = kernel * (self._tilt.deviations * unit) ** degree
        masses = part.sums.masses[:, self.compressed.occupied]
        means[self.status == "ok"] = np.einsum("tm,km->tk", kernel, masses) / n
        for t in self._edges:
            weight = n / self._rows_at_edge(t)
            ends = part.sums.ends[:, int(self.taus[t] > 0)]
            means[t] = ends * (weight**power / n if degree == 0 else 0.0)
        return means

    def row_weights(self, some: slice, values: Floats) -> Floats:
        """Weights of the rows themselves at some levels.

        Parameters
        ----------
        some : slice
            Positions among ``taus``.
        values : ndarray of shape (n,)
            The column that was compressed.

        Returns
        -------
        ndarray of shape (levels, n)
            Mean 1; NaN where there are no weights.
        """
        c, xi = self.compressed, self.xi[some, None]
        ends = np.where(self.taus[some, None] < 0, c.least, c.most)
        weights = np.where(np.isinf(xi), values == ends, np.where(np.isnan(xi), np.nan, 1.0))
        is_tilted = (np.isfinite(xi) & (xi != 0))[:, 0]
        distance = values / c.grid.unit - ends[is_tilted] / c.grid.unit
        weights[is_tilted] = np.exp(xi[is_tilted] * (distance / c.unit_std))
        weights /= weights.mean(axis=1, keepdims=True)
        return weights

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
        divergence = np.full(len(self.taus), np.nan)
        divergence[self.status == "ok"] = self._tilt.divergence
        for t in self._edges:
            divergence[t] = np.log(self.compressed.n / self._rows_at_edge(t))
        return divergence

    @property
    def half_share(self) -> Floats:
        """Smallest share of the rows that carries half the weight, shape (t,)."""
        return self.half_share_beside(0)

    def half_share_beside(self, n_others: int) -> Floats:
        """Smallest share of the rows that carries half the weight, with others of weight 1.

        It is exact where the nodes are the distinct values. Otherwise the rows in a bin are
        assumed to have equal weights, which leaves an error of at most two rows, or of 1e-4 where
        there are many.

        Parameters
        ----------
        n_others : int
            How many rows of weight 1 there are besides those of the column.

        Returns
        -------
        ndarray of shape (t,)
        """
        shares = np.full(len(self.taus), np.nan)
        c, lower = self.compressed, self.taus < 0
        n_rows = c.n + n_others
        bins = np.flatnonzero(c.sums.counts)
        # Heaviest first: bins are in ascending order of the value.
        for side, order, ends in (
            (lower, bins, c.grid.bins_below),
            (~lower, bins[::-1], c.grid.bins_above),
        ):
            solved = np.flatnonzero(side & (self.status == "ok"))
            if not len(solved):
                continue
            distance = ends[order] - ends[order[0]]
            each = np.exp(np.outer(-np.abs(self.xi[solved]), distance / c.unit_std))
            counts = c.sums.counts[order]
            if n_others:
                unit = (each @ counts)[:, None] / c.n
                each = np.hstack([each, unit])
                heaviest = np.argsort(-each, axis=1, kind="stable")
                each = np.take_along_axis(each, heaviest, axis=1)
                counts = np.append(counts, n_others)[heaviest]
            weight = np.cumsum(each * counts, axis=1)
            half = weight[:, -1] / 2
            last = np.argmax(weight >= half[:, None], axis=1)
            at_last = np.arange(len(solved)), last
            n_heaviest = np.cumsum(counts, axis=-1)[at_last if n_others else last]
            rows = n_heaviest - (weight[at_last] - half) // each[at_last]
            shares[solved] = rows / n_rows
        for t in self._edges:
            at_edge = self._rows_at_edge(t)
            # All the weight of the column is at its edge, where a row has more than weight 1.
            most = min(n_rows / 2, c.n) * at_edge / c.n
            shares[t] = (np.ceil(most) + np.ceil(max(0.0, n_rows / 2 - c.n))) / n_rows
        return shares

    @cached_property
    def _edges(self) -> list[int]:
        return list(np.flatnonzero(self.status == "edge").tolist())

    def _rows_at_edge(self, t: int) -> float:
        return float(self.compressed.sums.ends[0, int(self.taus[t] > 0)])


@dataclass(frozen=True, eq=False)
class _Tilt:
    """Weights exp(-steepness d) over their mean, with d the distance of a node from an end.

    Attributes
    ----------
    steepness : ndarray of shape (s,)
        In 1 over the grid's unit.
    weights, deviations : ndarray of shape (s, m)
        Weight of every occupied node, and its value minus the target, in the grid's unit.
    divergence : ndarray of shape (s,)
    """

    steepness: Floats
    weights: Floats
    deviations: Floats
    divergence: Floats


def levels(compressed: Compressed, taus: Floats) -> Levels:
    """Solve for the weights of every level of tau, at a cost independent of the number of rows.

    Source: Bachoc et al. 2023, section 2.2 and theorem 2.3.

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
    # Distances from the end towards which the mean moves keep their digits near that end.
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
    tilt = _tilt_levels(c, lower[solved], distance[solved], taus[solved] == 0)
    xi = np.full(len(taus), np.nan)
    xi[solved] = np.where(lower[solved], -1.0, 1.0) * tilt.steepness * c.unit_std
    xi[status == "edge"] = np.where(lower, -np.inf, np.inf)[status == "edge"]
    return Levels(c, taus, target, status, xi, tilt)


def _tilt_levels(
    c: Compressed, lower: npt.NDArray[np.bool_], goals: Floats, unmoved: npt.NDArray[np.bool_]
) -> _Tilt:
    counts = c.sums.masses[0, c.occupied]
    ends = np.stack([c.grid.above[c.occupied], c.grid.below[c.occupied]])
    excess = ends[lower.astype(np.intp)] - goals[:, None]
    steepness = np.zeros(len(goals))
    moving = np.flatnonzero(~unmoved)
    with np.errstate(over="ignore"):  # a denormal goal
        most = np.minimum(lambertw(c.n / math.e).real / goals[moving], _STEEPEST)  # see `Panels`
    steepness[moving] = _solve(excess[moving], counts, goals[moving], most, c)
    # The divergence may be so small that it would be lost beside a mean of 1: hence expm1.
    exponent = -steepness[:, None] * excess
    less = weighted_sums(np.expm1(exponent), counts) / c.n
    # Small weights have to keep their digits too: an output may be non-zero only where they are.
    weights = np.exp(exponent)
    weights *= (c.n / weighted_sums(weights, counts))[:, None]
    # Mean of w log w, where log w = -steepness * excess - log(mean).
    gap = weighted_sums(weights * excess, counts) / c.n
    divergence = np.where(unmoved, 0.0, np.maximum(0.0, -steepness * gap - np.log1p(less)))
    return _Tilt(steepness, weights, np.where(lower[:, None], excess, -excess), divergence)


def _solve(excess: Floats, counts: Floats, goals: Floats, most: Floats, c: Compressed) -> Floats:
    """Steepness k > 0 at which the mean of ``excess`` (s, m) under exp(-k excess) is 0.

    Bracketed Newton's method on log Z(k) (Bachoc et al. 2023, theorem 2.1), for all levels at once.
    A step is multiplied by the ratio of the mean distance to the goal: for a distance with a gamma
    distribution the mean is the reciprocal of a linear function of k, and one such step is exact.
    """
    low, high = np.zeros(len(goals)), most * (1 + 1e-9)
    start = weighted_sums(excess, counts) / c.n
    with np.errstate(over="ignore"):
        k = np.minimum(start / c.unit_std**2 * (1 + start / goals), high / 2)
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
