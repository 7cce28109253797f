"""Histograms: how the values of a feature are distributed in each group of rows."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from uqwidgets._typing import Floats, Positions
from uqwidgets.dependence import Grid
from uqwidgets.dependence.density import nearest_category
from uqwidgets.dependence.grids import dates_of
from uqwidgets.evaluation.table import Table
from uqwidgets.inference.population import Population
from uqwidgets.widgets.rows.places import axis_places
from uqwidgets.widgets.rows.population import Populations
from uqwidgets.widgets.views.dependence.groups import RowGroups

BINS = 24


def bin_edges(finite: Floats) -> Floats:
    """Edges of bins of equal width; of fewer where so many do not differ in floats.

    Parameters
    ----------
    finite : ndarray of shape (m,)
        Without NaN and infinities.
    """
    if len(finite) and finite.min() < finite.max():
        return np.unique(np.linspace(finite.min(), finite.max(), BINS + 1))
    if len(finite) and (spacing := float(np.spacing(np.abs(finite[0])))) > 1 / BINS**2:
        # A bin about the only number, which no narrower bins tell apart.
        return np.array([finite[0] - spacing, finite[0] + spacing])
    return np.histogram_bin_edges(finite, bins=BINS)


class Histograms:
    """Shares of the rows in each group and bin, or category, of a feature.

    Parameters
    ----------
    table : Table
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._bins: dict[str, tuple[Positions, Floats | None, int]] = {}
        # The latest shares of groups: other lines or another measure do not change them.
        self._latest: dict[Hashable, tuple[Floats, Floats]] = {}

    def edges(self, grid: Grid) -> Floats | None:
        """Edges of the bins of a grid's feature; None for a categorical one."""
        return self._binned(grid)[1]

    def bins(self, grid: Grid) -> Positions:
        """Bin of each row's own value, shape (n,); -1 where there is none."""
        return self._binned(grid)[0]

    def of_groups(
        self, grid: Grid, populations: Populations, groups: RowGroups
    ) -> tuple[Floats, Floats]:
        """Return the `shares` of the rows as they are stressed now, and unstressed."""
        key = groups, grid.feature, populations.key
        if key not in self._latest:
            different = dict.fromkeys([populations.now, populations.unstressed])
            shares = self.shares(grid, list(different), groups)
            self._latest = {key: (shares[0], shares[-1])}
        return self._latest[key]

    def shares(self, grid: Grid, populations: Sequence[Population], groups: RowGroups) -> Floats:
        """Share of the scored rows in each group and bin, shape (populations, groups, bins)."""
        places, _, bins = self._binned(grid)
        inside = np.flatnonzero(places >= 0)
        cells = groups.codes[inside] * bins + places[inside]
        shares = np.empty((len(populations), groups.count * bins))
        for share, population in zip(shares, populations, strict=True):
            scored = population.scored
            share[:] = np.bincount(cells, scored[inside], len(share)) / scored.sum()
        return shares.reshape(len(populations), groups.count, bins)

    def share_of(self, rows: Positions, grid: Grid, population: Population) -> Floats:
        """Share of the scored rows that are among some rows, in each bin, shape (bins,)."""
        places, _, bins = self._binned(grid)
        inside = rows[places[rows] >= 0]
        share = np.bincount(places[inside], weights=population.scored[inside], minlength=bins)
        return np.asarray(share / population.scored.sum())

    def _binned(self, grid: Grid) -> tuple[Positions, Floats | None, int]:
        """Bin of each row, -1 where the value is missing; edges; number of bins."""
        feature, table = grid.feature, self._table
        if feature in self._bins:
            return self._bins[feature]
        numbers = axis_places(table, feature)
        if numbers is None:
            dates = dates_of(table.column(feature))
            place = nearest_category(table, grid) if dates is None else dates.nearest(grid.values)
            edges, bins = None, len(grid)
        else:
            finite = numbers[np.isfinite(numbers)]
            edges = bin_edges(finite)
            bins = len(edges) - 1
            place = np.searchsorted(edges, numbers, side="right") - 1
            place[numbers == edges[-1]] = bins - 1
            place[~np.isfinite(numbers)] = -1
        self._bins[feature] = (place, edges, bins)
        return self._bins[feature]
