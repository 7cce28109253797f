"""A column and what is averaged over its rows, as a small table that adds up.

Source: Bachoc et al. 2023, eq. 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.inference.sums import dot
from uqwidgets.stress.compressed.grids import Distinct, Sums, distinct_values
from uqwidgets.stress.compressed.panels import Panels

Grid = Distinct | Panels


@dataclass(frozen=True, eq=False)
class Compressed:
    """Rows of a column with their outputs, reduced to sums over the nodes of a grid.

    For every xi that a mean between the two ends calls for, and for twice as much,
    sum_i exp(xi x_i) o_i over rows equals sum_j exp(xi x_j) mass_j over nodes to about 1e-12 of
    the sum of the absolute values; so do sums with further factors that are polynomials of x.
    Weights, reached mean, effective sample size, divergence and every weighted mean of the
    outputs follow from the table alone, whatever the number of rows.

    Attributes
    ----------
    least, most : float
        Ends of the column.
    low, high : float
        Means that tau = -1 and 1 stand for.
    grid : Grid
    sums : Sums
    """

    least: float
    most: float
    low: float
    high: float
    grid: Grid
    sums: Sums

    def __add__(self, other: Compressed) -> Compressed:
        """Rows of both.

        Raises
        ------
        ValueError
            If they were compressed on different grids, whose nodes do not stand for each other.
        """
        if (self.least, self.low, self.high) != (other.least, other.low, other.high) or not (
            np.array_equal(self.grid.below, other.grid.below)
        ):
            raise ValueError(
                f"tables of a column from {self.least:g} to {self.most:g} and of one from "
                f"{other.least:g} to {other.most:g} do not add up; compress both on one grid."
            )
        return Compressed(
            self.least, self.most, self.low, self.high, self.grid, self.sums + other.sums
        )

    @cached_property
    def n(self) -> int:
        """Rows."""
        return round(float(self.sums.counts.sum()))

    @property
    def mean(self) -> float:
        """Mean of the column."""
        return self.least + self.grid.unit * self.mean_below

    @property
    def std(self) -> float:
        """Standard deviation of the column (of all rows, not a sample's)."""
        return self.grid.unit * self.spread

    @cached_property
    def mean_below(self) -> float:
        """Distance of the mean from the least value, in the grid's unit."""
        return dot(self.sums.masses[0], self.grid.below) / self.n

    @cached_property
    def mean_above(self) -> float:
        """Distance of the mean from the greatest value, in the grid's unit."""
        return dot(self.sums.masses[0], self.grid.above) / self.n

    @cached_property
    def occupied(self) -> npt.NDArray[np.intp]:
        """Positions of the nodes that stand for any rows."""
        return np.flatnonzero(self.sums.masses.any(axis=0))

    def quantiles(self, probabilities: Floats, *, upper: bool) -> Floats:
        """Quantiles from the counts of the bins, in which rows are taken to lie evenly.

        Those of the nodes are exact where these are the distinct values.

        Parameters
        ----------
        probabilities : ndarray of shape (k,)
        upper : bool
            Whether to start from the greatest value, with the column turned round.

        Returns
        -------
        ndarray of shape (k,)
            Distances from the least value, or from the greatest one, in the unit of the column.
        """
        distances = self.grid.bins_above if upper else self.grid.bins_below
        order = slice(None, None, -1 if upper else 1)
        middles, widths = distances[order], self.grid.bin_widths[order]
        counts = self.sums.counts[order]
        upto = np.cumsum(counts)

        def ranked(rank: Floats) -> Floats:
            at = np.searchsorted(upto, rank, side="right")
            within = (rank + 0.5 - upto[at]) / counts[at] + 0.5
            return np.asarray(self.grid.unit * (middles[at] + widths[at] * within))

        place = (self.n - 1) * probabilities
        first = np.floor(place)
        below, above = ranked(first), ranked(np.minimum(first + 1, self.n - 1))
        return below + (place - first) * (above - below)

    @cached_property
    def spread(self) -> float:
        """Standard deviation in the grid's unit."""
        deviation = self.grid.below - self.mean_below
        # Squares of small numbers leave the range of floats.
        scale = float(np.abs(deviation).max()) or 1.0
        square = dot(self.sums.masses[0], np.square(deviation / scale))
        return scale * float(np.sqrt(max(0.0, square / self.n)))


def compress(values: Floats, outputs: Floats, low: float, high: float) -> Compressed:
    """Compress the rows of a column in one pass.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Finite.
    outputs : ndarray of shape (n, q)
        What is to be averaged; fastest with contiguous columns.
    low, high : float
        Means that tau = -1 and 1 stand for (Bachoc et al. 2023, section 2.2).

    Returns
    -------
    Compressed
        Nodes are the distinct values where these are few, so that sums over them are exact.
    """
    least, most = float(values.min()), float(values.max())
    distinct = distinct_values(values)
    grid: Grid
    if distinct is not None:
        grid = Distinct(distinct)
    else:
        panels = Panels(least, most, low, high, len(values))
        grid = Distinct(np.unique(values)) if panels.too_fine else panels
    return Compressed(least, most, low, high, grid, grid.sums(values, outputs))
