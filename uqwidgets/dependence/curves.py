r"""Partial dependence and ICE: curves of a measure over the values of one feature.

With the measure :math:`\ell`, the ICE curve of row i over the values v of feature j is
:math:`c_i(v) = \ell(v, x_{i,-j}, y_i)`; partial dependence is the mean of the curves over rows,

.. math:: PD(v) = \frac{1}{n} \sum_{i=1}^{n} c_i(v)

(Wood et al. 2024, eq. 7 to 9; Friedman 2001; Goldstein et al. 2015).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from uqwidgets._typing import Floats, Positions
from uqwidgets._utils.options import MOST_ROWS, brief, checked_count, checked_flag
from uqwidgets._utils.remarks import Remark
from uqwidgets.dependence.density import axis_of, near, support
from uqwidgets.dependence.grids import Grid, grid_of
from uqwidgets.dependence.result import Dependence
from uqwidgets.dependence.slopes import slopes
from uqwidgets.evaluation.evaluations import Evaluations
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.evaluation.replacement import Constant, Original, Replacement
from uqwidgets.importance import remarks_on_ceiling, remarks_on_tails
from uqwidgets.inference import Family, influences_on_means
from uqwidgets.inference.mean_intervals import MeanIntervals, mean_intervals
from uqwidgets.inference.population import Population
from uqwidgets.measures import Measure
from uqwidgets.plotting.choice import evenly

POINTS = 50


@dataclass(frozen=True)
class CurveTransform:
    """Transformation of each row's curve.

    Attributes
    ----------
    center : bool or object
        c-ICE (Goldstein et al. 2015): the curve minus its value at one value of the feature, the
        same for all rows. True for the first value of the grid, or that value.
    derivative : bool
        d-ICE (Goldstein et al. 2015): the slope of the curve.
    relative : bool
        Individual conditional importance, whose mean is the partial importance (Dankers et al.
        2020, chapter 8; Casalicchio et al. 2018): the curve minus the measure of the row as it is.
    """

    center: Any = False
    derivative: bool = False
    relative: bool = False

    @classmethod
    def of(
        cls, center: Any = False, derivative: bool = False, relative: bool = False
    ) -> CurveTransform:
        """Check the options of a call.

        Raises
        ------
        ValueError
            If an option has another type, or two of them exclude each other.
        """
        derivative = checked_flag(derivative, "derivative")
        relative = checked_flag(relative, "relative")
        if isinstance(center, np.bool_):
            center = bool(center)
        if center is None:
            raise ValueError("center is None; it must be True, False or a value of the feature.")
        if center is not False and relative:
            raise ValueError(
                "center and relative subtract different values from a row's curve; ask for one."
            )
        if derivative and (center is not False or relative):
            other = "relative" if relative else "center"
            raise ValueError(
                f"what {other} subtracts from a row's curve does not change its derivative; leave "
                f"{other} out."
            )
        return cls(center, derivative, relative)

    @property
    def plain(self) -> bool:
        """Whether curves are shown as they are."""
        # `is`, because a curve may be centred at the value 0, which equals False.
        return self.center is False and not self.derivative and not self.relative


def checked_lines(lines: Any) -> int | None:
    """Return the number of rows whose curves a result holds; None for as many as fit.

    Raises
    ------
    ValueError
        If it is not a whole number of at least 1.
    """
    if lines is None:
        return None
    otherwise = ", or None for all rows whose curves fit in the memory"
    return checked_count(lines, "lines", 1, MOST_ROWS, otherwise)


def dependence(
    evaluations: Evaluations,
    measure: Measure,
    grid: Grid,
    population: Population,
    *,
    form: CurveTransform,
    level: float,
    lines: int | None = None,
    callback: ProgressCallback | None = None,
    curves: Floats | None = None,
    sample: Positions | None = None,
    family: Family | None = None,
) -> Dependence:
    """PD and ICE of a measure (Wood et al. 2024, eq. 7 to 9).

    The band is that of Molnar et al. 2023, eq. 5, with the correction of `MeanIntervals`.

    Parameters
    ----------
    evaluations : Evaluations
    measure : Measure
    grid : Grid
    population : Population
    form : CurveTransform
    level : float
    lines : int, optional
        Number of rows whose curves the result holds (see `rows_with_curves`).
    callback : callable, optional
        See `Evaluations.evaluate_all`.
    curves : ndarray of shape (g, n), optional
        The `curves_of_rows` of the same measure, grid and form: the result holds all of them.
    sample : ndarray of shape (m,), optional
        With it, ``curves`` has shape (g, m) and is of these rows of the table alone; the rows of
        the result are counted among them.
    family : Family, optional
        An empty one; the band then holds at all points at once.

    Returns
    -------
    Dependence

    Raises
    ------
    ValueError
        If the feature has no curve of this form.
    """
    if curves is None:
        curve_rows, remarks = rows_with_curves(evaluations, [grid], population, lines)
        (blocks,) = _blocks(evaluations, measure, [grid], form, callback)
    else:
        curve_rows, remarks, blocks = None, (), iter([curves])
    scored = population if sample is None else population.among(sample)
    n = len(evaluations.table)
    averages = _average(blocks, len(grid), n, scored, curve_rows, remarks, family)
    return dependence_of_averages(
        evaluations, measure, grid, population, form, level, averages, sample
    )


def dependences(
    evaluations: Evaluations,
    measure: Measure,
    grids: Sequence[Grid],
    population: Population,
    *,
    form: CurveTransform,
    level: float,
    lines: int | None = None,
    callback: ProgressCallback | None = None,
    family: Family | None = None,
) -> dict[str, Dependence]:
    """Return the `dependence` over each grid; the model is evaluated for all of them together.

    With a family, an empty one, the bands of all grids hold at once.
    """
    curve_rows, remarks = rows_with_curves(evaluations, grids, population, lines)
    all_blocks = _blocks(evaluations, measure, grids, form, callback)
    n = len(evaluations.table)
    all_averages = [
        _average(blocks, len(grid), n, population, curve_rows, remarks, family)
        for grid, blocks in zip(grids, all_blocks, strict=True)
    ]
    return {
        grid.feature: dependence_of_averages(
            evaluations, measure, grid, population, form, level, averages
        )
        for grid, averages in zip(grids, all_averages, strict=True)
    }


def curves_of_rows(
    evaluations: Evaluations,
    measure: Measure,
    grid: Grid,
    form: CurveTransform,
    callback: ProgressCallback | None = None,
) -> Floats:
    """Return the curve of every row of the table, shape (g, n), whatever memory they take."""
    (blocks,) = _blocks(evaluations, measure, [grid], form, callback)
    return stacked(blocks, len(grid), len(evaluations.table))


def curve_blocks(
    evaluations: Evaluations,
    measure: Measure,
    grid: Grid,
    form: CurveTransform,
    callback: ProgressCallback | None = None,
) -> Iterator[Floats]:
    """Return the curves of all rows of the table in blocks of shape (points, n)."""
    (blocks,) = _blocks(evaluations, measure, [grid], form, callback)
    return blocks


def rows_with_curves(
    evaluations: Evaluations, grids: Sequence[Grid], population: Population, lines: int | None
) -> tuple[Positions | None, tuple[Remark, ...]]:
    """Choose the rows whose curves a result holds, None for all, with a remark if some lack.

    Averages are over all scored rows anyway. Without a number of ``lines``, the curves over all
    grids together take no more memory than `Evaluations.array_room`: those of all rows if they
    fit, else those of as many scored rows as do.
    """
    n, scored = len(evaluations.table), population.positions
    nbytes_per_row = 8 * sum(map(len, grids))
    room = evaluations.array_room // nbytes_per_row
    if lines is None and room >= n:
        return None, ()
    most = max(1, room) if lines is None else lines
    if most >= len(scored):
        return None if len(scored) == n else scored, ()
    curve_rows = scored[evenly(len(scored), most)]
    if lines is not None:
        return curve_rows, ()
    return curve_rows, (
        Remark(
            "curves-of-some-rows",
            f"the average is over {len(scored):,} rows; the curves of {len(curve_rows):,} of them, "
            f"evenly chosen, fit in the memory (lines={len(scored)} holds them all, in "
            f"{len(scored) * nbytes_per_row / 1e6:,.0f} MB)",
        ),
    )


@dataclass(frozen=True, eq=False)
class AveragedCurves:
    """The average of the curves of all scored rows, and the curves that a result holds.

    Attributes
    ----------
    means : MeanIntervals
        Of the g averages.
    curves : ndarray of shape (g, n) or (g, r)
        Of all rows, or of ``curve_rows``.
    curve_rows : ndarray of shape (r,) or None
    remarks : tuple of Remark
        On the rows whose curves the result holds.
    family : Family or None
        The averages whose band holds at all points at once.
    """

    means: MeanIntervals
    curves: Floats
    curve_rows: Positions | None = None
    remarks: tuple[Remark, ...] = ()
    family: Family | None = None


def _average(
    blocks: Iterator[Floats],
    n_points: int,
    n: int,
    scored: Population,
    curve_rows: Positions | None,
    remarks: tuple[Remark, ...],
    family: Family | None,
) -> AveragedCurves:
    """Average the curves of n rows, which arrive in blocks of points, and store some of them."""
    means: list[MeanIntervals] = []

    def curves_of_blocks() -> Iterator[Floats]:
        for block in blocks:
            means.append(mean_intervals(block, scored))
            if family is not None:
                family.add(influences_on_means(block, means[-1].estimate, scored))
            yield block if curve_rows is None else block[:, curve_rows]
            del block  # otherwise it stays in memory while the next is made

    n_rows = n if curve_rows is None else len(curve_rows)
    curves = stacked(curves_of_blocks(), n_points, n_rows)
    return AveragedCurves(MeanIntervals.joined(means), curves, curve_rows, remarks, family)


def dependence_of_averages(
    evaluations: Evaluations,
    measure: Measure,
    grid: Grid,
    population: Population,
    form: CurveTransform,
    level: float,
    averages: AveragedCurves,
    sample: Positions | None = None,
) -> Dependence:
    """Return the result of averages of curves that are known already.

    Parameters
    ----------
    evaluations, measure, grid, population, form, level, sample
        As in `dependence`.
    averages : AveragedCurves
    """
    reference = _reference(evaluations, grid, form)
    scored = population if sample is None else population.among(sample)
    pointwise_level = None
    if averages.family is not None:
        pointwise_level = averages.family.pointwise_level(level)
    low, high = averages.means.at(pointwise_level or level)
    axis = evaluations.memoized(axis_of, evaluations.table, grid)
    rows = scored.positions
    observed = evaluations.table.column(grid.feature).to_numpy().view()
    observed.flags.writeable = False  # it is the table's own column
    positions = rows if sample is None else sample[rows]
    return Dependence(
        feature=grid.feature,
        measure=measure.name,
        label=measure.label,
        unit=measure.unit,
        categorical=grid.categorical,
        grid=grid.values,
        spacing=grid.spacing,
        center=reference.values[0] if isinstance(reference, Constant) else None,
        derivative=form.derivative,
        relative=form.relative,
        average=averages.means.estimate,
        std_error=averages.means.error,
        low=low,
        high=high,
        curves=averages.curves,
        curve_rows=averages.curve_rows,
        rows=rows,
        observed=observed if scored.rows is None else observed[positions],
        support=support([axis], population.weights),
        near=near([axis], population.weights),
        level=level,
        weighted=population.weighted,
        ess=scored.ess,
        groups=scored.group_count,
        pointwise_level=pointwise_level,
        ends=averages.means.at,
        remarks=grid.remarks
        + averages.remarks
        + remarks_on_ceiling(measure, evaluations.original_values(measure))
        + _remarks_on_tails(measure, averages.means, scored)
        + evaluations.remarks,
    )


def _remarks_on_tails(
    measure: Measure, means: MeanIntervals, scored: Population
) -> tuple[Remark, ...]:
    """Return a remark if the band of a loss has heavy tails, at most points of the curve."""
    df = means.df[means.error > 0]
    if not measure.needs_truth or not len(df):
        return ()
    return remarks_on_tails([(f"the mean {measure.name}", float(np.median(df)))], scored)


def stacked(blocks: Iterator[Floats], n_points: int, n_rows: int) -> Floats:
    """Stack blocks of points; a block of all points is returned as it is."""
    curves, first = np.empty((0, n_rows)), 0
    for block in blocks:
        if len(block) == n_points:
            return block
        if not first:
            curves = np.empty((n_points, n_rows))
        curves[first : first + len(block)] = block
        first += len(block)
        del block  # otherwise it stays in memory while the next is made
    return curves


def _blocks(
    evaluations: Evaluations,
    measure: Measure,
    grids: Sequence[Grid],
    form: CurveTransform,
    callback: ProgressCallback | None,
) -> Iterator[Iterator[Floats]]:
    """Return the transformed curves of all rows over each grid, in blocks of shape (points, n)."""
    points = [grid.replacements for grid in grids]
    references = [_reference(evaluations, grid, form) for grid in grids]
    transforms = [_Slopes(grid) if form.derivative else None for grid in grids]
    return evaluations.curves(measure, points, references, transforms, callback)


@dataclass(frozen=True)
class _Slopes:
    """Slopes of curves over a grid, one point after the other."""

    grid: Grid

    def __call__(self, blocks: Iterator[Floats]) -> Iterator[Floats]:
        lines = (line for block in blocks for line in block)
        return (slope[None] for slope in slopes(lines, self.grid.values))


def _reference(evaluations: Evaluations, grid: Grid, form: CurveTransform) -> Replacement | None:
    """Return the replacement under which every row's curve of this form is zero.

    Raises
    ------
    ValueError
        If the feature has no curve of this form.
    """
    if form.derivative and grid.categorical:
        raise ValueError(
            f"{grid.feature!r} is categorical, so its curve has no derivative; leave derivative "
            "out, or the feature."
        )
    if form.derivative and np.isfinite(grid.values).sum() < 2:
        raise ValueError(f"a derivative needs a grid of at least 2 values of {grid.feature!r}.")
    if form.relative:
        return Original()
    if form.center is False:
        return None
    if form.center is True:
        return grid.replacements[0]
    try:
        # The value need not be a point of the grid.
        (center,) = grid_of(evaluations.table, grid.feature, [form.center]).replacements
    except (TypeError, ValueError):
        raise ValueError(
            f"center is {brief(form.center)}; it must be True, for the first value of the "
            f"grid, or a value of {grid.feature!r}."
        ) from None
    return center
