"""Curves of a measure over the values of one feature."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.dependence.density import axis_of, near, support
from uqwidgets.dependence.grids import Grid, grid_of
from uqwidgets.dependence.result import Dependence
from uqwidgets.dependence.transforms import CurveTransform, slopes
from uqwidgets.evaluation.evaluations import Evaluations, ProgressCallback
from uqwidgets.evaluation.replacement import Constant
from uqwidgets.importance import original_values
from uqwidgets.importance.remarks import floored
from uqwidgets.inference import half_width, mean_over_rows
from uqwidgets.inference.population import Population
from uqwidgets.inference.rounding import difference
from uqwidgets.measures import Measure

POINTS = 50


def dependence(
    evaluations: Evaluations,
    measure: Measure,
    grid: Grid,
    population: Population,
    *,
    form: CurveTransform,
    level: float,
    callback: ProgressCallback | None = None,
    curves: Floats | None = None,
) -> Dependence:
    """PD and ICE of a measure (Wood et al. 2024, eq. 7 to 9; band: Molnar et al. 2023, eq. 5).

    Parameters
    ----------
    evaluations : Evaluations
    measure : Measure
    grid : Grid
    population : Population
    form : CurveTransform
    level : float
    callback : callable, optional
        See `Evaluations.ask`.
    curves : ndarray of shape (g, n), optional
        Those of an earlier result of the same measure, grid and form, so that none is made anew.

    Returns
    -------
    Dependence

    Raises
    ------
    ValueError
        If the feature has no curve of this form.
    """
    asked = questions(evaluations, grid, form)
    if curves is None:
        curves = _formed(evaluations, measure, grid, form, asked, callback)
    average, std_error = mean_over_rows(curves, population)
    width = half_width(std_error, level, population)
    axis = axis_of(evaluations, grid)
    rows = population.positions
    return Dependence(
        feature=grid.feature,
        measure=measure.name,
        label=measure.label,
        unit=measure.unit,
        categorical=grid.categorical,
        grid=grid.values,
        spacing=grid.spacing,
        center=None if form.center is False else asked[-1].values[0],
        derivative=form.derivative,
        relative=form.relative,
        average=average,
        std_error=std_error,
        low=average - width,
        high=average + width,
        curves=curves,
        rows=rows,
        observed=evaluations.table.column(grid.feature).to_numpy()[rows],
        support=support([axis], population.weights),
        near=near([axis], population.weights),
        level=level,
        weighted=population.weighted,
        ess=population.ess,
        remarks=grid.remarks
        + floored(measure, original_values(evaluations, measure))
        + evaluations.remarks,
    )


def dependences(
    evaluations: Evaluations,
    measure: Measure,
    grids: Sequence[Grid],
    population: Population,
    *,
    form: CurveTransform,
    level: float,
    callback: ProgressCallback | None = None,
) -> dict[str, Dependence]:
    """`dependence` over each grid, the model being asked for all of them together."""
    asked = [questions(evaluations, grid, form) for grid in grids]
    room = evaluations.fitting(sum(len(q) for q in asked))
    found: dict[str, Dependence] = {}
    for group in _windows([len(q) for q in asked], room):
        evaluations.prepare([q for j in group for q in asked[j]], callback)
        for grid in (grids[j] for j in group):
            found[grid.feature] = dependence(
                evaluations, measure, grid, population, form=form, level=level, callback=callback
            )
    return found


def questions(evaluations: Evaluations, grid: Grid, form: CurveTransform) -> list[Constant]:
    """Return what has to be asked for a curve of this form: its grid, then its anchor.

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
    anchor = _anchor(evaluations, grid, form)
    return grid.questions if anchor is None else [*grid.questions, anchor]


def _anchor(evaluations: Evaluations, grid: Grid, form: CurveTransform) -> Constant | None:
    """Where centred curves are zero, which need not be a point of the grid."""
    if form.center is False:
        return None
    if form.center is True:
        return grid.questions[0]
    try:
        (anchor,) = grid_of(evaluations.table, grid.feature, [form.center]).questions
    except (TypeError, ValueError):
        raise ValueError(
            f"center is {form.center!r}; it must be True, for the first value of the grid, or a "
            f"value of {grid.feature!r}."
        ) from None
    return anchor


def _formed(
    evaluations: Evaluations,
    measure: Measure,
    grid: Grid,
    form: CurveTransform,
    asked: list[Constant],
    callback: ProgressCallback | None,
) -> Floats:
    """Each row's curve in a form, shape (g, n)."""

    def values(wanted: list[Constant]) -> Floats:
        def compute() -> Floats:
            # All at once: an anchor beside the grid costs no model call of its own.
            evaluations.prepare(asked, callback)
            return evaluations.values(wanted, measure, callback)

        return evaluations.memo(("curves", measure.key, tuple(wanted)), compute)

    curves = values(grid.questions)

    def formed() -> Floats:
        if form.derivative:
            return slopes(curves, grid.values)
        if form.relative:
            return difference(curves, original_values(evaluations, measure))
        return difference(curves, values(asked[-1:])[0])

    if form.plain:
        return curves
    key = ("formed", measure.key, tuple(asked), form.derivative, form.relative)
    return evaluations.memo(key, formed)


def _windows(sizes: Sequence[int], room: int) -> list[list[int]]:
    """Positions of neighbours that fit into the room together, each at least alone."""
    windows: list[list[int]] = []
    held = 0
    for position, size in enumerate(sizes):
        if not windows or held + size > room:
            windows.append([])
            held = 0
        windows[-1].append(position)
        held += size
    return windows
