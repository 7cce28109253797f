"""Histograms: how the values of a feature are distributed in each class."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats, Positions
from uqwidgets.dependence import Grid
from uqwidgets.dependence.grids import dates_of
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.inference.population import Population
from uqwidgets.predictive.distributions import class_codes

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
    return np.histogram_bin_edges(finite, bins=BINS)


class Histograms:
    """Shares of the rows in each class and bin, or category, of a feature.

    Parameters
    ----------
    explainer : Explainer

    Attributes
    ----------
    classes : ndarray of shape (n,)
        Code of the class of each row; zero where the target is a number.
    """

    def __init__(self, explainer: Explainer) -> None:
        self._table = explainer.table
        self._bins: dict[str, tuple[Positions, Floats | None, int]] = {}
        self._n_classes = 1
        self.classes: npt.NDArray[np.intp] = np.zeros(len(self._table), dtype=np.intp)
        if explainer.classes is not None and self._table.has_target:
            self._n_classes = len(explainer.classes)
            self.classes = class_codes(self._table.y, explainer.classes)

    def edges(self, grid: Grid) -> Floats | None:
        """Edges of the bins of a grid's feature; None for a categorical one."""
        return self._binned(grid)[1]

    def shares(self, grid: Grid, population: Population) -> Floats:
        """Share of the scored rows in each class and bin, shape (classes, bins)."""
        cells, _, bins = self._binned(grid)
        shape = (self._n_classes, bins)
        inside = cells >= 0
        share = np.bincount(
            cells[inside], weights=population.scored[inside], minlength=shape[0] * bins
        )
        return np.asarray(share.reshape(shape) / population.scored.sum())

    def share_of(self, rows: Positions, grid: Grid, population: Population) -> Floats:
        """Share of the scored rows that are among some rows, in each bin, shape (bins,)."""
        cells, _, bins = self._binned(grid)
        inside = rows[cells[rows] >= 0]
        weights = population.scored[inside]
        share = np.bincount(cells[inside] % bins, weights=weights, minlength=bins)
        return np.asarray(share / population.scored.sum())

    def _binned(self, grid: Grid) -> tuple[Positions, Floats | None, int]:
        """Cell (class, bin) of each row, -1 where the value is missing; edges; number of bins."""
        feature, table = grid.feature, self._table
        if feature in self._bins:
            return self._bins[feature]
        if table.kind(feature) == "categorical":
            column = table.column(feature)
            dates = dates_of(column)
            if dates is None:
                place = pd.Index(grid.values).get_indexer(pd.Index(column.astype(object)))
            else:
                place = dates.nearest(grid.values)
            edges, bins = None, len(grid)
        else:
            numbers = table.numbers(feature)
            finite = numbers[np.isfinite(numbers)]
            edges = bin_edges(finite)
            bins = len(edges) - 1
            place = np.searchsorted(edges, numbers, side="right") - 1
            place[numbers == edges[-1]] = bins - 1
            place[~np.isfinite(numbers)] = -1
        cells = np.where(place < 0, -1, self.classes * bins + place)
        self._bins[feature] = (cells, edges, bins)
        return self._bins[feature]
