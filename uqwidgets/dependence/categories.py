"""The order of categories in which neighbours have similar rows."""

from __future__ import annotations

import numpy as np
import pandas as pd

from uqwidgets._typing import Floats, Positions
from uqwidgets.dependence.grids import Grid, dates_of
from uqwidgets.evaluation.distinct import distinct
from uqwidgets.evaluation.table import Table

# A number is compared at its percentiles. Features with more categories, such as names, differ
# between any two sets of rows.
_PERCENTILES, _MOST_CATEGORIES = 100, 100


def by_similarity(table: Table, grid: Grid, nearest: Positions) -> Positions:
    """Return the positions of the categories, ordered by how similar the rows of each are.

    The distance of two categories is the sum over the other features of the Kolmogorov-Smirnov
    distance of their numbers, or half the sum of the differences of the shares of their
    categories. Classical scaling to one dimension orders them (Apley and Zhu 2020, as
    in their package ALEPlot). An ordered dtype keeps its order, and so do categories that the
    user lists. Row weights do not count, so that the order is the same in every population.

    Parameters
    ----------
    table : Table
    grid : Grid
        Of a categorical feature.
    nearest : ndarray of shape (n,)
        Category of each row; -1 for none.
    """
    k, dtype = len(grid), table.column(grid.feature).dtype
    is_ordered = isinstance(dtype, pd.CategoricalDtype) and dtype.ordered
    if k < 3 or is_ordered or grid.spacing == "given":
        return np.arange(k)
    distances = np.zeros((k, k))
    for feature in table.features:
        if feature != grid.feature:
            distances += _distances(table, feature, nearest, k)
    if not distances.any():
        return np.arange(k)
    centring = np.eye(k) - 1 / k
    products = -centring @ np.square(distances) @ centring / 2
    order = np.argsort(np.linalg.eigh(products)[1][:, -1], kind="stable")
    return order if order[0] < order[-1] else order[::-1]


def _distances(table: Table, feature: str, nearest: Positions, k: int) -> Floats:
    """Return the distances of the rows of k categories along another feature, shape (k, k)."""
    column = table.column(feature)
    dates, is_number = dates_of(column), table.kind(feature) != "categorical"
    if is_number or dates is not None:
        numbers = table.numbers(feature) if dates is None else dates.numbers
        finite = numbers[np.isfinite(numbers)]
        if not len(finite):
            return np.zeros((k, k))
        edges = np.quantile(finite, np.linspace(0, 1, _PERCENTILES))
        places, size = np.searchsorted(edges, numbers, side="left"), _PERCENTILES
        counts = np.isfinite(numbers) & (nearest >= 0)
    else:
        values, places = distinct(column)
        size, counts = len(values), nearest >= 0
        if size > _MOST_CATEGORIES:
            return np.zeros((k, k))
    table_of = np.bincount(nearest[counts] * size + places[counts], minlength=k * size)
    shares = table_of.reshape(k, size) / np.maximum(table_of.reshape(k, size).sum(1), 1)[:, None]
    if is_number or dates is not None:
        shares = np.cumsum(shares, axis=1)
        return np.array([np.abs(shares - each).max(axis=1) for each in shares])
    return np.array([np.abs(shares - each).sum(axis=1) / 2 for each in shares])
