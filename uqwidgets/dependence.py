"""Partial dependence and individual conditional expectation over evaluations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets.data import Table
from uqwidgets.evaluation import Evaluations, Report
from uqwidgets.importance import original_values
from uqwidgets.importance.remarks import floored
from uqwidgets.inference import half_width, mean_over_rows
from uqwidgets.measures import Measure
from uqwidgets.population import Population
from uqwidgets.predictive.distributions import Floats
from uqwidgets.replacement import Constant
from uqwidgets.results import Dependence


def dependence(
    evaluations: Evaluations,
    measure: Measure,
    feature: str,
    population: Population,
    *,
    grid: int | npt.ArrayLike,
    level: float,
    report: Report | None = None,
) -> Dependence:
    """PD and ICE of a measure (000, eq. 7 to 9; band: 003, eq. 5).

    Parameters
    ----------
    evaluations : Evaluations
    measure : Measure
    feature : str
    population : Population
    grid : int or array-like of shape (g,)
        Number of values, or the values themselves.
    level : float
    report : callable, optional
        See `Evaluations.ask`.

    Returns
    -------
    Dependence
    """
    values, remarks = grid_of(evaluations.table, feature, grid)
    curves = _curves(evaluations, measure, feature, values, report)
    average, std_error = mean_over_rows(curves, population)
    width = half_width(std_error, level, population)
    rows = population.positions
    column = evaluations.table.column(feature)
    return Dependence(
        feature=feature,
        measure=measure.name,
        label=measure.label,
        unit=measure.unit,
        categorical=evaluations.table.kind(feature) == "categorical",
        grid=values,
        average=average,
        std_error=std_error,
        low=average - width,
        high=average + width,
        curves=curves,
        rows=rows,
        observed=column.to_numpy()[rows],
        level=level,
        weighted=population.weighted,
        ess=population.ess,
        remarks=remarks + floored(measure, original_values(evaluations, measure)),
    )


def dependences(
    evaluations: Evaluations,
    measure: Measure,
    features: Sequence[str],
    population: Population,
    *,
    grid: int,
    level: float,
    report: Report | None = None,
) -> dict[str, Dependence]:
    """`dependence` of each feature, the model being asked for all of them together."""
    table = evaluations.table
    questions = {f: questions_of(table, f, grid_of(table, f, grid)[0]) for f in features}
    found: dict[str, Dependence] = {}
    window = max(1, evaluations.fitting(grid * len(features)) // grid)
    for first in range(0, len(features), window):
        group = features[first : first + window]
        evaluations.prepare([q for name in group for q in questions[name]], report)
        for name in group:
            found[name] = dependence(evaluations, measure, name, population, grid=grid, level=level)
    return found


def questions_of(table: Table, feature: str, values: npt.NDArray[Any]) -> list[Constant]:
    """Return what has to be asked for a curve over these values."""
    column = table.index(feature)
    return [Constant((column,), (value,)) for value in values.tolist()]


def grid_of(
    table: Table, feature: str, grid: int | npt.ArrayLike
) -> tuple[npt.NDArray[Any], tuple[str, ...]]:
    """Values at which a feature's curve is drawn, and what to say of them.

    A number of points gives evenly spaced quantiles of what was observed, its extremes
    included, or every distinct value where there are no more than that. Integers stay
    integers, and categories are the observed ones, the most frequent where they are too many.

    Parameters
    ----------
    table : Table
    feature : str
    grid : int or array-like of shape (g,)

    Returns
    -------
    values : ndarray of shape (g,)
    remarks : tuple of str

    Raises
    ------
    ValueError
        If there is nothing to draw, or a value does not belong to the feature.
    """
    column = table.column(feature)
    if not isinstance(grid, (int, np.integer)):
        return _given(table, feature, grid), ()
    if grid < 2:
        raise ValueError(f"grid is {grid}; a curve needs at least 2 values.")
    present = column.dropna()
    if len(present) == 0:
        raise ValueError(f"{feature!r} has no value that is not missing; there is no curve.")
    if table.kind(feature) == "categorical":
        return _categories(present, int(grid))
    numbers = present.to_numpy()
    numbers = numbers[np.isfinite(numbers.astype(np.float64))]
    if len(numbers) == 0:
        raise ValueError(f"{feature!r} has no finite value; there is no curve.")
    distinct = np.unique(numbers)
    if len(distinct) <= grid:
        return distinct, ()
    whole = pd.api.types.is_integer_dtype(column.dtype)
    levels = np.linspace(0.0, 1.0, int(grid))
    method: Any = "closest_observation" if whole else "linear"
    return np.unique(np.quantile(numbers, levels, method=method)), ()


def _curves(
    evaluations: Evaluations,
    measure: Measure,
    feature: str,
    values: npt.NDArray[Any],
    report: Report | None,
) -> Floats:
    questions = questions_of(evaluations.table, feature, values)
    key = ("curves", measure.name, tuple(questions))
    evaluations.prepare(questions, report)
    return evaluations.memo(key, lambda: evaluations.values(questions, measure, report))


def _categories(present: pd.Series[Any], most: int) -> tuple[npt.NDArray[Any], tuple[str, ...]]:
    counts = present.value_counts()
    counts = counts[counts > 0]
    kept = list(counts.index[:most])
    if isinstance(present.dtype, pd.CategoricalDtype):
        kept.sort(key=list(present.cat.categories).index)
    else:
        kept.sort(key=str)
    remarks: tuple[str, ...] = ()
    if len(counts) > most:
        remarks = (f"the {most} most frequent of {len(counts)} categories are shown",)
    values = np.empty(len(kept), dtype=object)
    values[:] = kept
    return values, remarks


def _given(table: Table, feature: str, grid: npt.ArrayLike) -> npt.NDArray[Any]:
    if table.kind(feature) == "categorical":
        wanted = list(np.asarray(grid, dtype=object).ravel())
        known = set(table.column(feature).dropna().unique())
        if isinstance(table.column(feature).dtype, pd.CategoricalDtype):
            known |= set(table.column(feature).cat.categories)
        for value in wanted:
            if value not in known:
                raise ValueError(f"{feature!r} has no category {value!r}.")
        values = np.empty(len(wanted), dtype=object)
        values[:] = wanted
        return values
    values = np.asarray(grid)
    if values.ndim != 1 or len(values) == 0 or values.dtype.kind not in "iuf":
        raise ValueError(f"the grid of {feature!r} must be a list of numbers.")
    if not np.isfinite(values).all():
        raise ValueError(f"the grid of {feature!r} holds a value that is not finite.")
    return np.unique(values)
