"""Which values of a grid lie where there are rows, and which are far from the data.

A model's answers where it has seen nothing are guesses, and a curve does not show which these
are. Around every point of a grid lies a neighbourhood: in the direction of a number, a tenth of
the range of the central 98 % of the rows, or wider where so few rows would leave fewer than six
in it; in the direction of a category, that category. The point is near the data if its
neighbourhood holds

* at least a tenth of the weight that it would hold if the rows were spread evenly over that
  range, or over the categories of the grid (at least ten), and
* at least two effective rows.

For many normal rows this marks what is farther out than about 2.4 standard deviations, and it
marks gaps. It does not depend on how fine the grid is. Weights count: in another population,
other values are far from the data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets.dependence.dates import dates_of
from uqwidgets.dependence.grids import Grid
from uqwidgets.evaluation.distinct import distinct, distinct_rows, kind_of
from uqwidgets.evaluation.evaluations import Evaluations
from uqwidgets.inference.population import effective_sample_size

_CENTRAL = (0.01, 0.99)
_TENTH = 0.1
_ROWS_EXPECTED = 6
_ROWS_NEEDED = 2


@dataclass(frozen=True, eq=False)
class Axis:
    """A grid, and where the rows lie along it.

    Attributes
    ----------
    rows : ndarray of shape (n,)
        Numbers, or codes of categories; NaN where there is neither.
    points : ndarray of shape (g,)
        Those of the grid, ascending unless they are codes.
    categories : int
        How many the grid has; 0 for numbers.
    order : ndarray of shape (n,)
        Positions that sort the rows.
    nearest : ndarray of shape (n,)
        Position of the point that each row is nearest to, -1 for none.
    """

    rows: Floats
    points: Floats
    categories: int
    order: npt.NDArray[np.intp]
    nearest: npt.NDArray[np.intp]


def axis_of(evaluations: Evaluations, grid: Grid) -> Axis:
    """Where the rows of the table lie along a grid."""
    table = evaluations.table
    column, dates = table.column(grid.feature), dates_of(table.column(grid.feature))
    key = tuple(grid.questions)

    def codes() -> npt.NDArray[np.intp]:
        if grid.spacing == "observed":
            return distinct_rows(table, (grid.column,))[1]
        if grid.categorical and dates is None:
            if column.dtype == object:
                return _places(column, grid)
            places = pd.Index(grid.values).get_indexer(pd.Index(column.astype(object)))
            return np.asarray(places, dtype=np.intp)
        return _nearest(rows, points)

    if grid.categorical and dates is None:
        nearest = evaluations.memo(("nearest", key), codes)
        rows, points = nearest.astype(np.float64), np.arange(len(grid), dtype=np.float64)
        order = evaluations.memo(("order", key), lambda: np.argsort(rows, kind="stable"))
        return Axis(rows, points, len(grid), order, nearest)
    rows = table.numbers(grid.feature) if dates is None else dates.numbers
    points = grid.values.astype(np.float64) if dates is None else dates.placed(grid.asked)
    nearest = evaluations.memo(("nearest", key), codes)
    order = evaluations.memo(("order", grid.column), lambda: np.argsort(rows, kind="stable"))
    return Axis(rows, points, 0, order, nearest)


def _places(column: pd.Series[Any], grid: Grid) -> npt.NDArray[np.intp]:
    """Position of the point that is each row's own value, of its own type; -1 for none."""
    points = {(kind_of(value), value): place for place, value in enumerate(grid.asked)}
    values, codes = distinct(column)
    places = [points.get((kind_of(value), value), -1) for value in values]
    return np.array(places, dtype=np.intp)[codes]


def support(axes: Sequence[Axis], weights: Floats) -> Floats:
    """Share of the weight of rows that are nearest to each point, shape (g,) or (g1, g2)."""
    shape = tuple(len(axis.points) for axis in axes)
    cells = np.zeros(len(weights), dtype=np.intp)
    known = np.ones(len(weights), dtype=np.bool_)
    for axis in axes:
        cells = cells * len(axis.points) + axis.nearest
        known &= axis.nearest >= 0
    held = np.bincount(cells[known], weights=weights[known], minlength=int(np.prod(shape)))
    return np.asarray(held.reshape(shape) / weights.sum())


def near(axes: Sequence[Axis], weights: Floats) -> npt.NDArray[np.bool_]:
    """Whether each point is near the data, shape (g,) or (g1, g2)."""
    even = float(np.prod([min(_TENTH, 1 / axis.categories) for axis in axes if axis.categories]))
    numeric = sum(axis.categories == 0 for axis in axes)
    wide = 0.0
    if numeric:
        wanted = _ROWS_EXPECTED / (even * effective_sample_size(weights))
        wide = min(1.0, max(_TENTH, wanted ** (1 / numeric)))
        even *= wide**numeric
    wide /= 2
    reaches = [0.0 if axis.categories else wide * _central_range(axis, weights) for axis in axes]
    held, squares = _around(axes, reaches, weights)
    enough = held >= _TENTH * even * weights.sum()
    # Effective rows are (sum w)^2 / sum w^2; of two equal ones, two but for rounding.
    return np.asarray(enough & (np.square(held) >= _ROWS_NEEDED * (1 - 1e-9) * squares))


def _around(
    axes: Sequence[Axis], reaches: Sequence[float], weights: Floats
) -> tuple[Floats, Floats]:
    """Sum weights, and their squares, in the neighbourhood of each point."""
    axis, reach = axes[0], reaches[0]
    lying = axis.rows[axis.order]
    first = np.searchsorted(lying, axis.points - reach, side="left")
    stop = np.searchsorted(lying, axis.points + reach, side="right")
    if len(axes) == 1:
        ordered = weights[axis.order]
        sums = [np.concatenate([[0.0], np.cumsum(w)]) for w in (ordered, np.square(ordered))]
        held, squares = (each[stop] - each[first] for each in sums)
        return held, squares
    found = []
    for start, end in zip(first, stop, strict=True):
        inside = np.zeros(len(weights))
        members = axis.order[start:end]
        inside[members] = weights[members]
        found.append(_around(axes[1:], reaches[1:], inside))
    return np.stack([held for held, _ in found]), np.stack([squares for _, squares in found])


def _central_range(axis: Axis, weights: Floats) -> float:
    """Range of the central 98 % of the weight."""
    lying, share = axis.rows[axis.order], np.cumsum(weights[axis.order])
    inside = np.isfinite(lying)
    lying, share = lying[inside], share[inside]
    if len(lying) == 0:
        return 0.0
    low, high = np.searchsorted(share, share[-1] * np.array(_CENTRAL))
    return float(lying[min(high, len(lying) - 1)] - lying[low])


def _nearest(rows: Floats, points: Floats) -> npt.NDArray[np.intp]:
    middles = points[:-1] + (points[1:] - points[:-1]) / 2
    found = np.searchsorted(middles, rows, side="left")
    return np.where(np.isfinite(rows), found, -1).astype(np.intp)
