"""Density of the rows around the points of a grid: which points are far from the data.

Where a model has seen no data its answers are extrapolation, and a curve does not show where that
is. The neighbourhood of a point is, along a numeric feature, a window of a tenth of the range of
the central 98 % of the rows, or a wider one if a window of that width would hold fewer than six
rows on average; along a categorical feature, the category. The point is near the data if its
neighbourhood holds

* at least a tenth of the weight that it would hold if the rows were spread evenly over that
  range, or over the categories of the grid (at least ten), and
* at least two effective rows, (sum w)^2 / sum w^2 >= 2; a category along a single axis at least
  30, or half of what each would have if all were equally frequent, where that is less.

For many normal rows this marks points beyond about 2.4 standard deviations, and gaps. The rule
does not depend on how fine the grid is. The row weights count, so other points may be far from
the data in another population.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats, Positions
from uqwidgets.dependence.grids import Grid, dates_of
from uqwidgets.evaluation.distinct import distinct_rows, positions_of
from uqwidgets.evaluation.table import Table
from uqwidgets.inference.population import effective_sample_sizes

_CENTRAL = (0.01, 0.99)
_TENTH = 0.1
_ROWS_EXPECTED = 6
_ROWS_NEEDED = 2
_OF_CATEGORY = 30


@dataclass(frozen=True, eq=False)
class GridAxis:
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


def axis_of(table: Table, grid: Grid) -> GridAxis:
    """Return the position of the rows of the table along a grid."""
    dates = dates_of(table.column(grid.feature))
    if grid.categorical and dates is None:
        nearest = nearest_category(table, grid)
        rows, points = nearest.astype(np.float64), np.arange(len(grid), dtype=np.float64)
        return GridAxis(rows, points, len(grid), np.argsort(rows, kind="stable"), nearest)
    rows = table.numbers(grid.feature) if dates is None else dates.numbers
    points = grid.values.astype(np.float64) if dates is None else dates.to_numbers(grid.points)
    observed = grid.spacing == "observed"
    nearest = distinct_rows(table, (grid.column,))[1] if observed else _nearest(rows, points)
    return GridAxis(rows, points, 0, np.argsort(rows, kind="stable"), nearest)


def nearest_category(table: Table, grid: Grid) -> Positions:
    """Position of the point with the category of each row; -1 for none."""
    if grid.spacing == "observed":
        return distinct_rows(table, (grid.column,))[1]
    return positions_of(table.column(grid.feature), grid.points)


def support(axes: Sequence[GridAxis], weights: Floats) -> Floats:
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


def near(axes: Sequence[GridAxis], weights: Floats) -> npt.NDArray[np.bool_]:
    """Whether each point is near the data (see the module).

    Parameters
    ----------
    axes : sequence of one or two GridAxis
    weights : ndarray of shape (n,) or (t, n)
        Of the rows, in one or several populations.

    Returns
    -------
    ndarray of shape (g,) or (g1, g2), or with the populations first
    """
    each = np.atleast_2d(weights)
    even = float(np.prod([min(_TENTH, 1 / axis.categories) for axis in axes if axis.categories]))
    numeric = sum(axis.categories == 0 for axis in axes)
    width = np.zeros(len(each))
    if numeric:
        required = _ROWS_EXPECTED / (even * effective_sample_sizes(each))
        width = np.clip(required ** (1 / numeric), _TENTH, 1.0)
    reaches = [
        0 * width if axis.categories else width / 2 * _central_range(axis, each) for axis in axes
    ]
    totals, squares = _neighbourhood_sums(axes, reaches, each)
    least = _TENTH * even * width**numeric * each.sum(axis=1)
    enough = totals >= least.reshape(-1, *(1 for _ in axes))
    needed = np.full(len(each), float(_ROWS_NEEDED))
    if len(axes) == 1 and axes[0].categories:
        of_equal = effective_sample_sizes(each) / (2 * axes[0].categories)
        needed = np.maximum(needed, np.minimum(_OF_CATEGORY, of_equal))
    # Two equal weights are two effective rows only up to rounding.
    rounded = (1 - 1e-9) * needed.reshape(-1, *(1 for _ in axes))
    enough &= np.square(totals) >= rounded * squares
    return np.asarray(enough if weights.ndim == 2 else enough[0])


def _neighbourhood_sums(
    axes: Sequence[GridAxis], reaches: Sequence[Floats], weights: Floats
) -> tuple[Floats, Floats]:
    """Sum the weights (t, n), and their squares, in the neighbourhood of each point.

    The reach of a neighbourhood along each of the axes has the shape (t,).
    """
    axis, reach = axes[0], reaches[0][:, None]
    sorted_rows = axis.rows[axis.order]
    first = np.searchsorted(sorted_rows, axis.points - reach, side="left")
    stop = np.searchsorted(sorted_rows, axis.points + reach, side="right")
    if len(axes) == 1:
        ordered = weights[:, axis.order]
        sums = [np.zeros((len(weights), len(axis.rows) + 1)) for _ in range(2)]
        for each, summed in zip((ordered, np.square(ordered)), sums, strict=True):
            np.cumsum(each, axis=1, out=summed[:, 1:])
        totals, squares = (
            np.take_along_axis(each, stop, axis=1) - np.take_along_axis(each, first, axis=1)
            for each in sums
        )
        return totals, squares
    totals, squares = np.empty((2, *first.shape, len(axes[1].points)))
    for at, (start, end) in enumerate(zip(first.T, stop.T, strict=True)):
        inside = np.zeros_like(weights)
        for of_population, own, one, other in zip(inside, weights, start, end, strict=True):
            members = axis.order[one:other]
            of_population[members] = own[members]
        totals[:, at], squares[:, at] = _neighbourhood_sums(axes[1:], reaches[1:], inside)
    return totals, squares


def _central_range(axis: GridAxis, weights: Floats) -> Floats:
    """Range of the central 98 % of the weight of each population, shape (t,)."""
    order = axis.order[np.isfinite(axis.rows[axis.order])]
    if len(order) == 0:
        return np.zeros(len(weights))
    values, share = axis.rows[order], np.cumsum(weights[:, order], axis=1)
    low, high = (
        values[np.minimum((share < share[:, -1:] * end).sum(axis=1), len(values) - 1)]
        for end in _CENTRAL
    )
    return np.asarray(high - low)


def _nearest(rows: Floats, points: Floats) -> Positions:
    middles = points[:-1] + (points[1:] - points[:-1]) / 2
    positions = np.searchsorted(middles, rows, side="left")
    return np.where(np.isfinite(rows), positions, -1).astype(np.intp)
