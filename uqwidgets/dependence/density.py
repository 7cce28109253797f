"""Density of the rows around the points of a grid: which points are far from the data.

Where a model has seen no data its answers are extrapolation, and a curve does not show where that
is. The neighbourhood of a point is, along a numeric feature, a window of a tenth of the range of
the central 98 % of the rows, or a wider one if a window of that width would hold fewer than six
rows on average; along a categorical feature, the category. The point is near the data if its
neighbourhood holds

* at least a tenth of the weight that it would hold if the rows were spread evenly over that
  range, or over the categories of the grid (at least ten), and
* at least two effective rows, (sum w)^2 / sum w^2 >= 2.

For many normal rows this marks points beyond about 2.4 standard deviations, and gaps. The rule
does not depend on how fine the grid is. The row weights count, so other points may be far from
the data in another population.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats, Positions
from uqwidgets.dependence.grids import Grid, dates_of
from uqwidgets.evaluation.distinct import distinct, distinct_rows, kind_of
from uqwidgets.evaluation.table import Table
from uqwidgets.inference.population import effective_sample_size

_CENTRAL = (0.01, 0.99)
_TENTH = 0.1
_ROWS_EXPECTED = 6
_ROWS_NEEDED = 2


@dataclass(frozen=True, eq=False)
class Axis:
    """A grid, and the position of every row along it.

    Attributes
    ----------
    rows : ndarray of shape (n,)
        Values of the rows: numbers, or codes of categories; NaN for missing ones.
    points : ndarray of shape (g,)
        Values of the grid, ascending unless they are codes.
    categories : int
        Number of categories of the grid; 0 for numbers.
    order : ndarray of shape (n,)
        Positions that sort the rows.
    nearest : ndarray of shape (n,)
        Position of the point that is nearest to each row; -1 for none.
    """

    rows: Floats
    points: Floats
    categories: int
    order: Positions
    nearest: Positions

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(a.nbytes for a in (self.rows, self.points, self.order, self.nearest))


def axis_of(table: Table, grid: Grid) -> Axis:
    """Return the position of the rows of the table along a grid."""
    dates = dates_of(table.column(grid.feature))
    if grid.categorical and dates is None:
        nearest = _nearest_category(table, grid)
        rows, points = nearest.astype(np.float64), np.arange(len(grid), dtype=np.float64)
        return Axis(rows, points, len(grid), np.argsort(rows, kind="stable"), nearest)
    rows = table.numbers(grid.feature) if dates is None else dates.numbers
    points = grid.values.astype(np.float64) if dates is None else dates.to_numbers(grid.points)
    observed = grid.spacing == "observed"
    nearest = distinct_rows(table, (grid.column,))[1] if observed else _nearest(rows, points)
    return Axis(rows, points, 0, np.argsort(rows, kind="stable"), nearest)


def _nearest_category(table: Table, grid: Grid) -> Positions:
    """Position of the point with the category of each row; -1 for none."""
    column = table.column(grid.feature)
    if grid.spacing == "observed":
        return distinct_rows(table, (grid.column,))[1]
    if column.dtype == object:
        return _category_positions(column, grid)
    places = pd.Index(grid.values).get_indexer(pd.Index(column.astype(object)))
    return np.asarray(places, dtype=np.intp)


def _category_positions(column: pd.Series[Any], grid: Grid) -> Positions:
    """Position of the point with the value and type of each row; -1 for none."""
    points = {(kind_of(value), value): place for place, value in enumerate(grid.points)}
    values, codes = distinct(column)
    places = [points.get((kind_of(value), value), -1) for value in values]
    return np.array(places, dtype=np.intp)[codes]


def support(axes: Sequence[Axis], weights: Floats) -> Floats:
    """Share of the weight of rows that are nearest to each point, shape (g,) or (g1, g2)."""
    shape = tuple(len(axis.points) for axis in axes)
    cells = np.zeros(len(weights), dtype=np.intp)
    has_point = np.ones(len(weights), dtype=np.bool_)
    for axis in axes:
        cells = cells * len(axis.points) + axis.nearest
        has_point &= axis.nearest >= 0
    cells, cell_weights = cells[has_point], weights[has_point]
    totals = np.bincount(cells, weights=cell_weights, minlength=int(np.prod(shape)))
    return np.asarray(totals.reshape(shape) / weights.sum())


def near(axes: Sequence[Axis], weights: Floats) -> npt.NDArray[np.bool_]:
    """Whether each point is near the data (see the module), shape (g,) or (g1, g2)."""
    even = float(np.prod([min(_TENTH, 1 / axis.categories) for axis in axes if axis.categories]))
    numeric = sum(axis.categories == 0 for axis in axes)
    width = 0.0
    if numeric:
        required = _ROWS_EXPECTED / (even * effective_sample_size(weights))
        width = min(1.0, max(_TENTH, required ** (1 / numeric)))
        even *= width**numeric
    half = width / 2
    reaches = [0.0 if axis.categories else half * _central_range(axis, weights) for axis in axes]
    totals, squares = _neighbourhood_sums(axes, reaches, weights)
    enough = totals >= _TENTH * even * weights.sum()
    # Two equal weights are two effective rows only up to rounding.
    return np.asarray(enough & (np.square(totals) >= _ROWS_NEEDED * (1 - 1e-9) * squares))


def _neighbourhood_sums(
    axes: Sequence[Axis], reaches: Sequence[float], weights: Floats
) -> tuple[Floats, Floats]:
    """Sum the weights, and their squares, in the neighbourhood of each point."""
    axis, reach = axes[0], reaches[0]
    sorted_rows = axis.rows[axis.order]
    first = np.searchsorted(sorted_rows, axis.points - reach, side="left")
    stop = np.searchsorted(sorted_rows, axis.points + reach, side="right")
    if len(axes) == 1:
        ordered = weights[axis.order]
        sums = [np.concatenate([[0.0], np.cumsum(w)]) for w in (ordered, np.square(ordered))]
        totals, squares = (each[stop] - each[first] for each in sums)
        return totals, squares
    results = []
    for start, end in zip(first, stop, strict=True):
        inside = np.zeros(len(weights))
        members = axis.order[start:end]
        inside[members] = weights[members]
        results.append(_neighbourhood_sums(axes[1:], reaches[1:], inside))
    totals, squares = (np.stack(each) for each in zip(*results, strict=True))
    return totals, squares


def _central_range(axis: Axis, weights: Floats) -> float:
    """Range of the central 98 % of the weight."""
    values, share = axis.rows[axis.order], np.cumsum(weights[axis.order])
    finite = np.isfinite(values)
    values, share = values[finite], share[finite]
    if len(values) == 0:
        return 0.0
    low, high = np.searchsorted(share, share[-1] * np.array(_CENTRAL))
    return float(values[min(high, len(values) - 1)] - values[low])


def _nearest(rows: Floats, points: Floats) -> Positions:
    middles = points[:-1] + (points[1:] - points[:-1]) / 2
    positions = np.searchsorted(middles, rows, side="left")
    return np.where(np.isfinite(rows), positions, -1).astype(np.intp)
