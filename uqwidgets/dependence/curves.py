r"""Partial dependence and ICE: curves of a measure over the values of one feature.

With the measure :math:`\ell`, the ICE curve of row i over the values v of feature j is
:math:`c_i(v) = \ell(v, x_{i,-j}, y_i)`; partial dependence is the mean of the curves over rows,

.. math:: PD(v) = \frac{1}{n} \sum_{i=1}^{n} c_i(v)

(Wood et al. 2024, eq. 7 to 9; Friedman 2001; Goldstein et al. 2015).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.dependence.density import axis_of, near, support
from uqwidgets.dependence.grids import Grid, grid_of
from uqwidgets.dependence.result import Dependence
from uqwidgets.evaluation.evaluations import Evaluations
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.evaluation.replacement import Constant, Original, Replacement
from uqwidgets.importance import remarks_on_ceiling
from uqwidgets.inference import half_width, mean_over_rows
from uqwidgets.inference.population import Population
from uqwidgets.inference.rounding import difference
from uqwidgets.measures import Measure

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
        for name, value in (("derivative", derivative), ("relative", relative)):
            if not isinstance(value, (bool, np.bool_)):
                raise ValueError(f"{name} is {value!r}; it must be True or False.")
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
        return cls(center, bool(derivative), bool(relative))

    @property
    def plain(self) -> bool:
        """Whether curves are shown as they are."""
        # `is`, because a curve may be centred at the value 0, which equals False.
        return self.center is False and not self.derivative and not self.relative


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
        The curves of an earlier result of the same measure, grid and form, to be used again.

    Returns
    -------
    Dependence

    Raises
    ------
    ValueError
        If the feature has no curve of this form.
    """
    reference = _reference(evaluations, grid, form)
    if curves is None:
        (curves,) = _curves(evaluations, measure, [grid], [reference], form, callback)
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
        center=reference.values[0] if isinstance(reference, Constant) else None,
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
        + remarks_on_ceiling(measure, evaluations.original_values(measure))
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
    """Return the `dependence` over each grid; the model is evaluated for all of them together."""
    references = [_reference(evaluations, grid, form) for grid in grids]
    all_curves = _curves(evaluations, measure, grids, references, form, callback)
    return {
        grid.feature: dependence(
            evaluations, measure, grid, population, form=form, level=level, curves=curves
        )
        for grid, curves in zip(grids, all_curves, strict=True)
    }


def _curves(
    evaluations: Evaluations,
    measure: Measure,
    grids: Sequence[Grid],
    references: Sequence[Replacement | None],
    form: CurveTransform,
    callback: ProgressCallback | None,
) -> Iterator[Floats]:
    """Yield the transformed curves of all rows over each grid, shape (g, n)."""
    points = [grid.replacements for grid in grids]
    all_curves = evaluations.curves(measure, points, references, callback)
    for grid, curves in zip(grids, all_curves, strict=True):
        if form.derivative:
            key = ("slopes", measure.key, tuple(grid.replacements))
            yield evaluations.cached(key, partial(slopes, curves, grid.values))
        else:
            yield curves


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
            f"center is {form.center!r}; it must be True, for the first value of the grid, or a "
            f"value of {grid.feature!r}."
        ) from None
    return center


def slopes(curves: Floats, values: npt.NDArray[Any]) -> Floats:
    """Differentiate each row's curve along an uneven grid.

    At an inner point, the slope is that of the parabola through the point and its two neighbours;
    at an end, that of the line to its only neighbour. The slopes of a step function, such as a
    tree's, depend on how fine the grid is.

    Parameters
    ----------
    curves : ndarray of shape (g, n)
    values : ndarray of shape (g,)
        Ascending; at least two are finite.

    Returns
    -------
    ndarray of shape (g, n)
        NaN where the value is not finite.
    """
    first, *_, last = np.flatnonzero(np.isfinite(values))
    steps = np.diff(values.astype(np.float64))
    derivative = np.full(curves.shape, np.nan)
    before = derivative[first] = difference(curves[first + 1], curves[first]) / steps[first]
    for g in range(first + 1, last):
        after = difference(curves[g + 1], curves[g]) / steps[g]
        share = steps[g] / (steps[g - 1] + steps[g])
        derivative[g] = share * before + (1 - share) * after
        before = after
    derivative[last] = before
    return derivative
