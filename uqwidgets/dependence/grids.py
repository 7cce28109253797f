"""Grids: the values of a feature at which its curve is evaluated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Number
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets._utils.choices import one_of
from uqwidgets._utils.dtypes import is_time, of_pandas
from uqwidgets._utils.options import MOST_POINTS, brief, checked_count, has_truth_value, is_whole
from uqwidgets._utils.remarks import Remark
from uqwidgets.evaluation.constants import of_array
from uqwidgets.evaluation.distinct import distinct, distinct_rows
from uqwidgets.evaluation.labels import ColumnLabels
from uqwidgets.evaluation.replacement import Constant
from uqwidgets.evaluation.table import Table

Spacing = Literal["quantile", "even", "observed", "given"]
SPACINGS: tuple[Spacing, ...] = get_args(Spacing)[:-1]

# So many rows show first whether a number has more distinct values than its grid has points.
_FIRST_ROWS = 1000
# Points that a grid of quantiles has at least, if there are as many values and it may have so many.
_FEWEST = 8


@dataclass(frozen=True, eq=False)
class Grid:
    """Values of one feature, in order; grids are equal if their values are and were chosen alike.

    Attributes
    ----------
    feature : str
    column : int
        Its position.
    categorical : bool
    values : ndarray of shape (g,)
        Numbers, or objects if the feature is categorical. A missing value among numbers is NaN.
    points : tuple of object, length g
        The same values as plain Python objects, which are hashable and reach the model.
    spacing : {"quantile", "even", "observed", "given"}
    remarks : tuple of Remark
        What a reader of the curve should know about its grid.
    """

    feature: str
    column: int
    categorical: bool
    values: npt.NDArray[Any]
    points: tuple[Any, ...]
    spacing: Spacing
    remarks: tuple[Remark, ...] = ()

    def __len__(self) -> int:
        return len(self.points)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Grid) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @cached_property
    def _identity(self) -> tuple[Any, ...]:
        # Replacements distinguish values of different types.
        return self.feature, self.spacing, tuple(self.replacements)

    @property
    def replacements(self) -> list[Constant]:
        """The replacement that makes each point of the curve."""
        return [Constant((self.column,), (value,)) for value in self.points]

    def thinned(self, step: int) -> Grid:
        """Return the grid of every ``step``-th value."""
        return self.at(np.arange(0, len(self), step))

    def at(self, positions: npt.NDArray[np.intp]) -> Grid:
        """Return the grid of the values at these positions, in their order."""
        points = tuple(self.points[position] for position in positions.tolist())
        return replace(self, values=self.values[positions], points=points)


def grid_of(
    table: Table, feature: str, grid: int | npt.ArrayLike, spacing: str = "quantile"
) -> Grid:
    """Return the grid of a feature: observed quantiles, even steps, or the values of the user.

    Quantiles and even steps reach from the lowest to the highest observed value. A grid of 2 g - 1
    points contains the g points of the coarser grid, so refining it evaluates the new points only.
    At least 8 quantiles differ where the feature has as many values: if most rows have one value,
    it is one point, and the others are quantiles of the other rows. Integers stay integers. With no
    more distinct values than points, all distinct values are the grid. A categorical feature has
    its observed categories as points, the most frequent ones if there are too many; dates are
    spaced like numbers.

    Parameters
    ----------
    table : Table
    feature : str
    grid : int or array-like of shape (g,)
        Number of points, or the values themselves.
    spacing : {"quantile", "even", "observed"}
        ``"observed"`` takes every distinct value, including a missing one, however many.

    Raises
    ------
    ValueError
        If the feature has no values, or a value does not belong to the feature.
    """
    spacing = one_of(SPACINGS, spacing, "spacing")
    name = _single_feature(table, feature)
    column, categorical = table.column(name), table.kind(name) == "categorical"
    dates = dates_of(column)
    if not is_whole(grid):
        values = dates.parse(name, grid) if dates else _user_values(table, name, grid)
        return _grid(table, name, values, "given")
    if grid < 2:
        raise ValueError(f"grid is {brief(grid)}; it must be at least 2, or a list of values.")
    grid = checked_count(grid, "grid", 2, MOST_POINTS)
    reason = why_no_curve(table, name)
    if reason is not None:
        raise ValueError(f"{name!r} has {reason}.")
    if spacing == "observed":
        return _observed(table, name)
    present = column.dropna()
    if dates:
        return _grid(table, name, _spaced_dates(dates, int(grid), spacing), spacing)
    if categorical:
        frequent, remarks = _categories(present, int(grid))
        return _grid(table, name, frequent, spacing, remarks)
    return _grid(table, name, _numbers(present, int(grid), spacing), spacing)


def _listed(feature: str, grid: Any) -> npt.NDArray[Any]:
    """Return the user's values as an array (g,), one value as an array of length 1."""
    values: npt.NDArray[Any] = np.asarray(grid, getattr(grid, "dtype", object))
    if values.ndim > 1 or isinstance(grid, (Mapping, set, frozenset)):
        raise ValueError(f"the grid of {feature!r} is {brief(grid)}; pass a list of values.")
    checked_count(values.size, f"the number of values in the grid of {feature!r}", 0, MOST_POINTS)
    return np.asarray(values.ravel())


def _single_feature(table: Table, feature: str) -> str:
    """Return the name of a single feature; a group is an error."""
    if str(feature) in table.groups:
        members = ", ".join(repr(name) for name in table.groups[str(feature)])
        raise ValueError(f"{feature!r} is a group; name a feature of it, one of {members}.")
    return table.features[table.index(feature)]


def why_no_curve(table: Table, feature: str) -> str | None:
    """Return what a feature has, and so has no curve, with what to do; None if it has one."""
    if table.missing(feature) == len(table):
        return "no values, so there is no curve; name a feature with values"
    if table.kind(feature) == "categorical":
        return None
    low, high, _ = table.span(feature)
    if np.isnan(low):
        return "no finite value, so there is no curve; name another feature"
    if np.isinf(high - low):
        return (
            f"values from {low:.3g} to {high:.3g}, so far apart that floats overflow, so there is "
            "no curve; divide the column by a constant"
        )
    return None


def _grid(
    table: Table, feature: str, values: Any, spacing: Any, remarks: tuple[Remark, ...] = ()
) -> Grid:
    categorical, points = table.kind(feature) == "categorical", tuple(values.tolist())
    return Grid(feature, table.index(feature), categorical, values, points, spacing, remarks)


def _observed(table: Table, feature: str) -> Grid:
    column = table.index(feature)
    points = tuple(value for (value,) in distinct_rows(table, (column,))[0])
    if table.kind(feature) == "categorical":
        return Grid(feature, column, True, object_array(list(points)), points, "observed")
    if any(pd.isna(value) for value in points):
        values = np.array([np.nan if pd.isna(value) else value for value in points], dtype=float)
    else:
        values = _in_floats(np.array(points))
    return Grid(feature, column, False, values, points, "observed")


def _numbers(present: pd.Series[Any], points: int, spacing: str) -> npt.NDArray[Any]:
    numbers = _in_floats(present.to_numpy())
    numbers = numbers[np.isfinite(numbers.astype(np.float64))]
    whole = pd.api.types.is_integer_dtype(present.dtype)
    levels = _levels(points)
    if spacing == "even":
        low, high = numbers.min(), numbers.max()
        steps = low * (1 - levels) + high * levels
        # In the column's own dtype, which is what the model expects.
        return np.unique((np.rint(steps) if whole else steps).astype(numbers.dtype))
    # Most columns need not be sorted as a whole.
    distinct = np.unique(numbers[:_FIRST_ROWS])
    if len(distinct) <= points:
        distinct = np.unique(numbers)
    if len(distinct) <= points:
        return distinct
    method: Any = "closest_observation" if whole else "linear"

    def quantiles(numbers: npt.NDArray[Any], points: int) -> npt.NDArray[Any]:
        return np.asarray(
            np.quantile(numbers, _levels(points), method=method).astype(numbers.dtype)
        )

    return _without_ties(numbers, points, quantiles)


def _without_ties(
    numbers: npt.NDArray[Any],
    points: int,
    quantiles: Callable[[npt.NDArray[Any], int], npt.NDArray[Any]],
) -> npt.NDArray[Any]:
    """Return so many quantiles, or all values; where few of them differ, also those of the others.

    Where most rows have one value, such as 0, most quantiles are that value. It is a single point
    then, and the others are quantiles of the rows with other values.
    """
    values, counts = np.unique(quantiles(numbers, points), return_counts=True)
    if len(values) >= min(_FEWEST, points):
        return values
    distinct = np.unique(numbers)
    if len(distinct) <= points:
        return distinct
    tied = values[counts > 1]
    others = _without_ties(numbers[~np.isin(numbers, tied)], points - len(tied), quantiles)
    return np.asarray(np.union1d(tied, others))


def _in_floats(numbers: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return numbers, which are floats in the place of decimals."""
    return numbers.astype(np.float64) if numbers.dtype == object else numbers


def _spaced_dates(dates: Dates, points: int, spacing: str) -> npt.NDArray[Any]:
    levels = _levels(points)
    return dates.even(levels) if spacing == "even" else dates.quantiles(levels)


def _levels(points: int) -> Floats:
    # Division, because equal shares of coarse and fine grids are then exactly equal floats.
    return np.arange(points) / (points - 1)


def _categories(present: pd.Series[Any], most: int) -> tuple[npt.NDArray[Any], tuple[Remark, ...]]:
    values, codes = distinct(present)
    _, first, counts = np.unique(codes, return_index=True, return_counts=True)
    # Among equally frequent categories the first in the table win.
    frequent = [values[j] for j in np.lexsort((first, -counts))[:most]]
    if isinstance(present.dtype, pd.CategoricalDtype):
        frequent.sort(key=list(present.cat.categories).index)
    else:
        frequent.sort(key=str)
    remarks: tuple[Remark, ...] = ()
    if len(values) > most:
        remarks = (
            Remark(
                "rare-categories", f"the {most} most frequent of {len(values)} categories are shown"
            ),
        )
    return object_array(frequent), remarks


def _user_values(table: Table, feature: str, grid: npt.ArrayLike) -> npt.NDArray[Any]:
    if table.kind(feature) == "categorical":
        column = table.column(feature)
        if isinstance(column.dtype, pd.CategoricalDtype):  # also those that no row has
            column = pd.Series(column.cat.categories)
        labels, flat = ColumnLabels.of(column), _listed(feature, grid)
        places = dict.fromkeys(labels.place(value, repr(feature), "category") for value in flat)
        if not places:
            raise ValueError(f"the grid of {feature!r} is empty; name at least one category.")
        return object_array([labels.values[place] for place in places])
    try:
        values = np.asarray(grid)
    except ValueError:  # lists of several lengths
        values = np.empty(())
    is_list = values.ndim == 1 and len(values) > 0 and not has_truth_value(grid)
    if not is_list or values.dtype.kind not in "iuf":
        raise ValueError(f"the grid of {feature!r} must be a list of numbers, or their count.")
    if not np.isfinite(values).all():
        raise ValueError(f"the grid of {feature!r} has a value that is not finite; leave it out.")
    checked_count(len(values), f"the number of values in the grid of {feature!r}", 1, MOST_POINTS)
    return np.unique(values)


def _observed_quantiles(sorted_numbers: npt.NDArray[Any], points: int) -> npt.NDArray[Any]:
    at = np.rint(_levels(points) * (len(sorted_numbers) - 1)).astype(np.intp)
    return sorted_numbers[at]


def object_array(values: list[Any]) -> npt.NDArray[Any]:
    """Return a one-dimensional array of Python objects, whatever they are."""
    return of_array(values, np.dtype(object))


class Dates:
    """Dates or durations of a column: categories in pictures, numbers when they are spaced.

    Parameters
    ----------
    column : Series of dates or durations, shape (n,)
    """

    def __init__(self, column: pd.Series[Any]) -> None:
        self._dtype = of_pandas(column.dtype)
        self._index: Any = pd.Index(column.astype(self._dtype))

    @property
    def numbers(self) -> Floats:
        """Points in time as numbers, shape (n,); NaN for missing dates."""
        return np.where(self._index.isna(), np.nan, self._index.asi8)

    def to_numbers(self, values: Any) -> Floats:
        """Points in time of other values of the same dtype as numbers, shape (g,)."""
        return Dates(pd.Series(list(values), dtype=self._dtype)).numbers

    def nearest(self, values: Any) -> npt.NDArray[np.intp]:
        """Position of the nearest of some ascending values, shape (n,); -1 for missing dates."""
        points = self.to_numbers(values)
        middles = (points[1:] + points[:-1]) / 2
        return np.where(np.isnan(self.numbers), -1, np.searchsorted(middles, self.numbers))

    def quantiles(self, levels: Floats) -> npt.NDArray[Any]:
        """Return observed dates at these quantile levels, or all if there are no more of them."""
        present = self._index.dropna().sort_values()
        distinct = present.unique()
        if len(distinct) > len(levels):
            numbers = _without_ties(present.asi8, len(levels), _observed_quantiles)
            distinct = self._from_numbers(numbers)
        return object_array(distinct.tolist())

    def even(self, levels: Floats) -> npt.NDArray[Any]:
        """Return even steps from the first date to the last."""
        first, last = self._index.min(), self._index.max()
        ends = pd.Index([first, last], dtype=self._dtype).asi8
        # Only the span is a float: today's dates in nanoseconds exceed the precision of a float.
        steps = ends[0] + np.rint(levels * (ends[1] - ends[0])).astype(np.int64)
        return object_array(self._from_numbers(steps).unique().tolist())

    def parse(self, feature: str, grid: npt.ArrayLike) -> npt.NDArray[Any]:
        """Convert the user's values, texts included, to sorted dates.

        Raises
        ------
        ValueError
            If a value cannot be converted.
        """
        values = pd.Series(_listed(feature, grid))
        try:
            # pandas would read numbers as nanoseconds.
            if any(isinstance(value, Number) for value in values):
                raise TypeError
            dates: Any = pd.Index(values.astype(self._dtype))
        except (TypeError, ValueError, OverflowError):
            dates = pd.Index([])
        if len(dates) == 0 or dates.isna().any():
            raise ValueError(
                f"the grid of {feature!r} must be a list of values such as "
                f"{str(self._index.dropna()[0])!r}."
            )
        return object_array(dates.unique().sort_values().tolist())

    def _from_numbers(self, numbers: npt.NDArray[np.int64]) -> Any:
        kind = "timedelta64" if isinstance(self._index, pd.TimedeltaIndex) else "datetime64"
        dates: Any = pd.Index(numbers.view(f"{kind}[{self._index.unit}]"))
        zone = getattr(self._index, "tz", None)
        return dates if zone is None else dates.tz_localize("UTC").tz_convert(zone)


def dates_of(column: pd.Series[Any]) -> Dates | None:
    """Return the dates or durations of a column, or None if its dtype is another."""
    if is_time(column.dtype) or pd.api.types.is_timedelta64_dtype(column.dtype):
        return Dates(column)
    return None
