r"""Accumulated local effects (ALE) of one feature on a measure, with their intervals.

The points :math:`z_0 < \dots < z_K` of a grid are the edges of bins. With the measure
:math:`\ell` and the rows of bin k, :math:`z_{k-1} < x_{ij} \le z_k` (the first has :math:`z_0`
too), with weights :math:`w_i`,

.. math::

    A_k = \frac{\sum_{i \in k} w_i \, [\ell(z_k, x_{i,-j}, y_i) - \ell(z_{k-1}, x_{i,-j}, y_i)]}
               {\sum_{i \in k} w_i}, \qquad
    G(z_k) = \sum_{m \le k} A_m, \qquad
    ALE(z_k) = G(z_k) - \frac{\sum_i w_i G(x_{ij})}{\sum_i w_i}

(Apley and Zhu 2020, the estimator of a main effect), with G straight between two edges. So a row's
value is moved to the ends of its own bin only, and the mean of ALE over the rows is zero.
Categories have a place in an order (`by_similarity`); the step from one to the next is the mean
difference over the rows of both. Where others take the middle of its bin for :math:`x_{ij}` in the
centre, their curve differs by a constant.

To first order, the error of ALE is a sum of influences of independent rows. With
:math:`u_i = w_i (d_i - A_k) / \sum_{i' \in k} w_{i'}` of a row with the difference :math:`d_i` in
its bin k, and the share :math:`T_k` of the step k that the centre contains, that of row i on
:math:`ALE(z_p)` is

.. math:: (1[k \le p] - T_k) \, u_i - w_i \, \bigl(G(x_{ij}) - \bar G\bigr) / \sum_{i'} w_{i'} .

The edges are taken as given.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats, Positions
from uqwidgets._utils.remarks import Remark
from uqwidgets.dependence.categories import by_similarity
from uqwidgets.dependence.curves import (
    AveragedCurves,
    CurveTransform,
    curve_blocks,
    dependence_of_averages,
    rows_with_curves,
    stacked,
)
from uqwidgets.dependence.density import GridAxis, axis_of
from uqwidgets.dependence.grids import Grid
from uqwidgets.dependence.result import Dependence
from uqwidgets.evaluation.evaluations import Evaluations
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.inference import Family
from uqwidgets.inference.mean_intervals import MeanIntervals
from uqwidgets.inference.population import Population, effective_sample_size
from uqwidgets.measures import Measure
from uqwidgets.plotting.text import counted, number, value_text

#: Effective rows, or groups of rows, of a bin at least: by default, and of bins of the user.
ROWS_OF_BIN, FEWEST_OF_BIN = 20, 2


def accumulated_effects(
    evaluations: Evaluations,
    measure: Measure,
    grid: Grid,
    population: Population,
    *,
    least: int,
    level: float,
    lines: int | None = None,
    family: Family | None = None,
    callback: ProgressCallback | None = None,
) -> Dependence:
    """Return the accumulated local effects of a feature at the points of a grid.

    All rows are evaluated at all points, which are the evaluations of partial dependence: what one
    of the two has evaluated, the other finds in the cache.

    Parameters
    ----------
    evaluations : Evaluations
    measure : Measure
    grid : Grid
        The edges of the bins, or the categories.
    population : Population
    least : int
        Effective rows, or groups of rows, of a bin; smaller bins are joined with a neighbour.
    level : float
    lines : int, optional
        Number of rows whose curves the result holds (see `rows_with_curves`).
    family : Family, optional
        An empty one; the band then holds at all points at once.
    callback : callable, optional
        See `Evaluations.evaluate_all`.

    Raises
    ------
    ValueError
        If the rows have fewer than two values, or too few rows for a bin.
    """
    grid, remarks = _with_rows(evaluations, grid, population, least)
    bins = _Bins.of(evaluations.memoized(axis_of, evaluations.table, grid))
    scored = np.where(bins.known, population.scored, 0.0)
    n_outside = int(np.count_nonzero(population.scored) - np.count_nonzero(scored))
    if n_outside:
        population = replace(population, scored=scored, rows=np.flatnonzero(scored))
        remarks += (
            Remark(
                "rows-outside-bins",
                f"{counted(n_outside, 'row')} without a value of {grid.feature!r} within the bins "
                f"{'does' if n_outside == 1 else 'do'} not count",
            ),
        )
    curve_rows, of_memory = rows_with_curves(evaluations, [grid], population, lines)
    differences = [np.zeros(len(scored)) for _ in bins.places]

    def kept_curves() -> Iterator[Floats]:
        previous, bin_below = np.zeros(len(scored)), -1
        for block in curve_blocks(evaluations, measure, grid, CurveTransform(), callback):
            for line in block:
                for places, of_rows in zip(bins.places, differences, strict=True):
                    rows = np.flatnonzero((places == bin_below) & (places >= 0))
                    of_rows[rows] = line[rows] - previous[rows]
                previous, bin_below = line.copy(), bin_below + 1
            yield block if curve_rows is None else block[:, curve_rows]
            del block, line  # otherwise they stay in memory while the next are made

    n_rows = len(scored) if curve_rows is None else len(curve_rows)
    curves = stacked(kept_curves(), len(grid), n_rows)
    rounding = 1e-9 * float(max(curves.max(), -curves.min()))
    curves = curves - bins.shares(scored) @ curves
    means = _intervals(*bins.effects(differences, population), population, family)
    remarks += of_memory
    if curve_rows is None:
        remarks += _remarks_on_gap(bins, differences, curves, grid, population, rounding)
    averages = AveragedCurves(means, curves, curve_rows, remarks, family)
    result = dependence_of_averages(
        evaluations, measure, grid, population, CurveTransform(), level, averages
    )
    return replace(result, accumulated=True)


@dataclass(frozen=True, eq=False)
class _Bins:
    """The bins between neighbours of g points, and the rows in them.

    Attributes
    ----------
    position : ndarray of shape (n,)
        Place of each row along the points, a fraction between two; NaN outside.
    places : list of ndarray of shape (n,)
        Bin of each row, from 0 to g - 2, and -1 for none. Categories have two: the bin below the
        category of the row, and the one above.
    points : int
    """

    position: Floats
    places: list[Positions]
    points: int

    @classmethod
    def of(cls, axis: GridAxis) -> _Bins:
        """Return the bins of the rows along a grid of ascending values, or of codes."""
        g = len(axis.points)
        inside = (axis.rows >= axis.points[0]) & (axis.rows <= axis.points[-1])
        position = np.full(len(inside), np.nan)
        position[inside] = np.interp(axis.rows[inside], axis.points, np.arange(g))
        below = np.searchsorted(axis.points, axis.rows, side="left") - 1
        if not axis.categories:
            return cls(position, [np.where(inside, np.maximum(below, 0), -1)], g)
        above = np.where(inside & (below < g - 2), below + 1, -1)
        return cls(position, [np.where(inside, below, -1), above], g)

    @property
    def known(self) -> npt.NDArray[np.bool_]:
        """Whether each row is inside, shape (n,)."""
        return np.isfinite(self.position)

    def shares(self, scored: Floats) -> Floats:
        """Return the share of each point in the mean over rows of a line through the points."""
        position, weights = self.position[self.known], scored[self.known]
        lower = np.minimum(position.astype(np.intp), self.points - 2)
        upper = weights * (position - lower)
        sums = np.bincount(lower, weights - upper, self.points)
        sums += np.bincount(lower + 1, upper, self.points)
        return np.asarray(sums / weights.sum())

    def weights_of(self, bin_: int, scored: Floats) -> Floats:
        """Return the weights of the rows of a bin, 0 for all others, shape (n,)."""
        is_member = np.logical_or.reduce([places == bin_ for places in self.places])
        return np.where(is_member, scored, 0.0)

    def effects(
        self, differences: list[Floats], population: Population
    ) -> tuple[Floats, Iterator[Floats]]:
        """Return ALE at each point (g,), and the influences of rows (n,) on it, point by point."""
        scored, n_bins = population.scored, self.points - 1
        totals, sums = np.zeros((2, n_bins))
        for places, of_rows in zip(self.places, differences, strict=True):
            rows = np.flatnonzero(places >= 0)
            totals += np.bincount(places[rows], scored[rows], n_bins)
            sums += np.bincount(places[rows], scored[rows] * of_rows[rows], n_bins)
        steps = sums / totals
        effects = np.concatenate([[0.0], np.cumsum(steps)])
        of_points = self.shares(scored)
        contained = np.cumsum(of_points[::-1])[::-1][1:]  # of each step, in the centre
        effects -= of_points @ effects

        of_bins = [
            effective_sample_size(population.of_units(self.weights_of(k, scored)))
            for k in range(n_bins)
        ]
        root = np.array([np.sqrt(m / (m - 1)) if m > 1 else np.nan for m in of_bins])
        of_centre = scored * self.heights(effects) / scored.sum()
        of_steps = []
        for places, of_rows in zip(self.places, differences, strict=True):
            influence = scored * (of_rows - steps[places]) / totals[places] * root[places]
            of_steps.append(np.where(places >= 0, influence, 0.0))

        def influences() -> Iterator[Floats]:
            for point in range(self.points):
                influence = -of_centre
                for places, of_row in zip(self.places, of_steps, strict=True):
                    influence += ((places < point) - contained[places]) * of_row
                yield influence

        return effects, influences()

    def heights(self, line: Floats) -> Floats:
        """Return the height of a line through the points at each row's own value, 0 outside."""
        heights = np.interp(self.position, np.arange(self.points), line)
        return np.where(self.known, heights, 0.0)


def _intervals(
    estimates: Floats, influences: Iterator[Floats], population: Population, family: Family | None
) -> MeanIntervals:
    """Return what the intervals of estimates (g,) with these influences of rows follow from."""
    units, parts = population.units, []
    most_df = np.full(1, units.ess - 1 if units.ess > 1 else np.nan)
    for estimate, influence in zip(estimates, influences, strict=True):
        of_units = population.of_units(influence[None])
        if family is not None:
            family.add(of_units)
        if units.rows is not None:
            of_units = np.take(of_units, units.rows, axis=1)
        parts.append(MeanIntervals.of(np.full(1, estimate), of_units, most_df))
    return MeanIntervals.joined(parts)


def _remarks_on_gap(
    bins: _Bins,
    differences: list[Floats],
    curves: Floats,
    grid: Grid,
    population: Population,
    rounding: float,
) -> tuple[Remark, ...]:
    """Return a remark if partial dependence clearly differs from the effects.

    That is: by more than a tenth of the range of either, at a point where the interval of the
    difference is clear of 0, at the level 95 % for all points together (Bonferroni). The
    difference is that of the same rows, both centred, so its influence is that of both.

    Parameters
    ----------
    bins, differences, grid, population
    curves : ndarray of shape (g, n)
        Of all rows, centred.
    rounding : float
        A difference that is none.
    """
    effects, influences = bins.effects(differences, population)
    share = population.scored / population.scored.sum()
    average = curves @ share
    own = bins.heights(average)
    gap = average - effects
    of_gap = (
        share * (line - mean - own) - influence
        for line, mean, influence in zip(curves, average, influences, strict=True)
    )
    low, high = _intervals(gap, of_gap, population, None).at(1 - 0.05 / len(gap))
    relevant = max(np.ptp(average) / 10, np.ptp(effects) / 10, rounding)
    is_clear = ((low > 0) | (high < 0)) & (np.abs(gap) > relevant)
    if not is_clear.any():
        return ()
    at = int(np.argmax(np.where(is_clear, np.abs(gap), 0.0)))
    return (
        Remark(
            "unlike-partial-dependence",
            f"at {grid.feature} = {value_text(grid.values.tolist()[at])} the effect is "
            f"{number(effects[at])}, and that of partial dependence, likewise centred, is "
            f"{number(average[at])}: it moves all rows to this value, also those that are unlike "
            "the rows that have it",
        ),
    )


def _with_rows(
    evaluations: Evaluations, grid: Grid, population: Population, least: int
) -> tuple[Grid, tuple[Remark, ...]]:
    """Return the points between which each bin has rows enough, categories in their order."""
    table = evaluations.table
    axis = evaluations.memoized(axis_of, table, grid)
    if axis.categories:
        order = by_similarity(table, grid, axis.nearest)
        has_rows = population.scored[axis.nearest >= 0] > 0
        present = np.unique(axis.nearest[axis.nearest >= 0][has_rows])
        kept = order[np.isin(order, present)]
        if len(kept) < 2:
            raise ValueError(_too_few(grid, "categories"))
        return grid.at(kept), ()
    if len(grid) < 2:
        raise ValueError(_too_few(grid, "values"))
    bins = _Bins.of(axis)
    # Weight of each independent unit in each bin, the empty ones at both ends left out.
    of_units = [
        population.of_units(bins.weights_of(k, population.scored)) for k in range(len(grid) - 1)
    ]
    filled = np.flatnonzero([each.any() for each in of_units])
    if not len(filled):
        raise ValueError(
            f"no scored row has a value of {grid.feature!r} from {grid.points[0]} to "
            f"{grid.points[-1]}; give edges around the values."
        )
    edges, weights = [int(filled[0])], np.zeros(len(of_units[0]))
    for k in range(filled[0], filled[-1] + 1):
        weights = weights + of_units[k]
        if weights.any() and effective_sample_size(weights) >= least * (1 - 1e-9):
            edges.append(k + 1)
            weights = np.zeros(len(weights))
    if edges[-1] <= filled[-1]:  # what is left joins the last bin
        edges[max(len(edges) - 1, 1) :] = [int(filled[-1]) + 1]
    n_joined = int(filled[-1] + 1 - filled[0]) - (len(edges) - 1)
    remarks: tuple[Remark, ...] = ()
    if n_joined and least == FEWEST_OF_BIN:
        remarks = (
            Remark(
                "joined-bins",
                f"{counted(n_joined, 'bin')} with fewer than {least} effective rows "
                f"{'was' if n_joined == 1 else 'were'} joined with a neighbour",
            ),
        )
    return grid.at(np.array(edges)), remarks


def _too_few(grid: Grid, what: str) -> str:
    return (
        f"accumulated effects of {grid.feature!r} need rows with at least 2 different {what} of "
        "it; choose another feature, other rows or other bins."
    )
