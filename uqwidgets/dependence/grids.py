"""Values at which a feature's curve is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets._utils.choices import unknown
from uqwidgets.dependence.dates import Dates, dates_of
from uqwidgets.evaluation.distinct import check_hashable, distinct, distinct_rows, kind_of
from uqwidgets.evaluation.replacement import Constant
from uqwidgets.evaluation.table import Table

Spacing = Literal["quantile", "even", "observed", "given"]
SPACINGS: tuple[Spacing, ...] = get_args(Spacing)[:-1]


@dataclass(frozen=True, eq=False)
class Grid:
    """Values of one feature, in order.

    Attributes
    ----------
    feature : str
    column : int
        Its position.
    categorical : bool
    values : ndarray of shape (g,)
        As they are drawn: numbers, or objects where the feature is categorical. A missing value
        among numbers is NaN.
    asked : tuple of object, length g
        The same as the model is asked about them: plain Python values, equal ones found again
        in a cache.
    spacing : {"quantile", "even", "observed", "given"}
    remarks : tuple of str
        What is to be said of them.
    """

    feature: str
    column: int
    categorical: bool
    values: npt.NDArray[Any]
    asked: tuple[Any, ...]
    spacing: Spacing
    remarks: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.asked)

    @property
    def questions(self) -> list[Constant]:
        """What has to be asked for a curve over these values."""
        return [Constant((self.column,), (value,)) for value in self.asked]

    def thinned(self, step: int) -> Grid:
        """Every so many of the values."""
        return Grid(
            self.feature,
            self.column,
            self.categorical,
            self.values[::step],
            self.asked[::step],
            self.spacing,
            self.remarks,
        )


def grid_of(
    table: Table, feature: str, grid: int | npt.ArrayLike, spacing: str = "quantile"
) -> Grid:
    """Values at which a feature's curve is drawn, and what to say of them.

    A number of points gives evenly spaced quantiles of what was observed, or even steps, both
    between its extremes. A grid of 2 g - 1 points holds the g points of the coarser one, so that
    the model is asked about the new ones only. Integers stay integers. Where there are no more
    distinct values than points, they are the quantiles. Categories are the observed ones, the
    most frequent where they are too many; dates among them are spaced as numbers are.

    Parameters
    ----------
    table : Table
    feature : str
    grid : int or array-like of shape (g,)
        How many values, or the values themselves.
    spacing : {"quantile", "even", "observed"}
        ``"observed"`` takes every distinct value, missing ones included, whatever their number.

    Raises
    ------
    ValueError
        If there is nothing to draw, or a value does not belong to the feature.
    """
    if spacing not in SPACINGS:
        raise ValueError(unknown("spacing", spacing, list(SPACINGS)))
    name = _curved(table, feature)
    column, categorical = table.column(name), table.kind(name) == "categorical"
    dates = dates_of(column)
    if isinstance(grid, bool) or not isinstance(grid, (int, np.integer)):
        values = dates.given(name, grid) if dates else _given(table, name, grid)
        return _made(table, name, values, "given")
    if grid < 2:
        raise ValueError(f"grid is {grid}; a curve needs at least 2 values.")
    present = column.dropna()
    if len(present) == 0:
        raise ValueError(f"{name!r} has no value that is not missing; there is no curve.")
    if spacing == "observed":
        return _observed(table, name)
    if dates:
        return _made(table, name, _spaced_dates(dates, int(grid), spacing), spacing)
    if categorical:
        if present.dtype == object:
            check_hashable(name, present)
        kept, remarks = _categories(present, int(grid))
        return _made(table, name, kept, spacing, remarks)
    return _made(table, name, _numbers(name, present, int(grid), spacing), spacing)


def _curved(table: Table, feature: str) -> str:
    """Name of a feature, if it is a single one."""
    if str(feature) in table.groups:
        members = ", ".join(repr(name) for name in table.groups[str(feature)])
        raise ValueError(f"{feature!r} is a group; name a feature of it, one of {members}.")
    return table.features[table.index(feature)]


def _made(
    table: Table, feature: str, values: Any, spacing: Any, remarks: tuple[str, ...] = ()
) -> Grid:
    categorical, asked = table.kind(feature) == "categorical", tuple(values.tolist())
    return Grid(feature, table.index(feature), categorical, values, asked, spacing, remarks)


def _observed(table: Table, feature: str) -> Grid:
    column = table.index(feature)
    asked = tuple(value for (value,) in distinct_rows(table, (column,))[0])
    if table.kind(feature) == "categorical":
        return Grid(feature, column, True, _objects(list(asked)), asked, "observed")
    if any(pd.isna(value) for value in asked):
        values = np.array([np.nan if pd.isna(value) else value for value in asked], dtype=float)
    else:
        values = np.array(asked)
    return Grid(feature, column, False, values, asked, "observed")


def _numbers(feature: str, present: pd.Series[Any], points: int, spacing: str) -> npt.NDArray[Any]:
    numbers = present.to_numpy()
    numbers = numbers[np.isfinite(numbers.astype(np.float64))]
    if len(numbers) == 0:
        raise ValueError(f"{feature!r} has no finite value; there is no curve.")
    whole = pd.api.types.is_integer_dtype(present.dtype)
    levels = _levels(points)
    if spacing == "even":
        low, high = numbers.min(), numbers.max()
        steps = low * (1 - levels) + high * levels
        # In the column's own type, for this is what the model is asked.
        return np.unique((np.rint(steps) if whole else steps).astype(numbers.dtype))
    distinct = np.unique(numbers)
    if len(distinct) <= points:
        return distinct
    method: Any = "closest_observation" if whole else "linear"
    return np.unique(np.quantile(numbers, levels, method=method).astype(numbers.dtype))


def _spaced_dates(dates: Dates, points: int, spacing: str) -> npt.NDArray[Any]:
    levels = _levels(points)
    return dates.even(levels) if spacing == "even" else dates.quantiles(levels)


def _levels(points: int) -> Floats:
    # Divided, not multiplied by a step: equal shares of finer grids are then equal floats.
    return np.arange(points) / (points - 1)


def _categories(present: pd.Series[Any], most: int) -> tuple[npt.NDArray[Any], tuple[str, ...]]:
    values, codes = distinct(present)
    _, first, counts = np.unique(codes, return_index=True, return_counts=True)
    # Of equally frequent ones those that come first.
    kept = [values[j] for j in np.lexsort((first, -counts))[:most]]
    if isinstance(present.dtype, pd.CategoricalDtype):
        kept.sort(key=list(present.cat.categories).index)
    else:
        kept.sort(key=str)
    remarks: tuple[str, ...] = ()
    if len(values) > most:
        remarks = (f"the {most} most frequent of {len(values)} categories are shown",)
    return _objects(kept), remarks


def _given(table: Table, feature: str, grid: npt.ArrayLike) -> npt.NDArray[Any]:
    if table.kind(feature) == "categorical":
        given = np.asarray(grid, dtype=object).ravel()
        wanted = list({(kind_of(value), value): value for value in given}.values())
        known = set(table.column(feature).dropna().unique())
        if isinstance(table.column(feature).dtype, pd.CategoricalDtype):
            known |= set(table.column(feature).cat.categories)
        for value in wanted:
            if value not in known:
                raise ValueError(f"{feature!r} has no category {value!r}.")
        if not wanted:
            raise ValueError(f"the grid of {feature!r} is empty; name at least one category.")
        return _objects(wanted)
    values = np.asarray(grid)
    if values.ndim != 1 or len(values) == 0 or values.dtype.kind not in "iuf":
        raise ValueError(f"the grid of {feature!r} must be a list of numbers.")
    if not np.isfinite(values).all():
        raise ValueError(f"the grid of {feature!r} holds a value that is not finite.")
    return np.unique(values)


def _objects(values: list[Any]) -> npt.NDArray[Any]:
    held = np.empty(len(values), dtype=object)
    held[:] = values
    return held
