"""A column and its outputs as a small table of sums; the tables of two batches add up.

Source: Bachoc et al. 2023, eq. 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats, Positions
from uqwidgets.inference.sums import dot
from uqwidgets.stress.compressed.grids import Distinct, Panels, Sums, distinct_values

ValueGrid = Distinct | Panels


@dataclass(frozen=True, eq=False)
class Compressed:
    """Rows of a column with their outputs, reduced to sums over the nodes of a grid.

    The sum over rows of exp(xi x_i) o_i equals the sum over nodes of exp(xi x_j) mass_j, to about
    1e-12 of the sum of the absolute values, for every xi that moves the mean to a target between
    the anchors, and for 2 xi. The same holds with an additional factor that is a polynomial of x.
    Weights, reached mean, effective sample size, divergence and every weighted mean of the outputs
    therefore follow from the table, at a cost that does not depend on the number of rows.

    Attributes
    ----------
    least, most : float
        Minimum and maximum of the column.
    low, high : float
        Anchors: the means that tau = -1 and 1 stand for.
    grid : ValueGrid
    sums : Sums
    """

    least: float
    most: float
    low: float
    high: float
    grid: ValueGrid
    sums: Sums

    def __add__(self, other: Compressed) -> Compressed:
        """Compress the rows of both.

        Raises
        ------
        ValueError
            If they were compressed on different grids.
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

    @property
    def nbytes(self) -> int:
        """Bytes held: sums over the nodes and bins, and positions of the nodes."""
        masses, counts = self.sums.masses, self.sums.counts
        return int(masses.nbytes + 5 * masses[0].nbytes + counts.nbytes)

    @cached_property
    def n(self) -> int:
        """Number of rows."""
        return round(float(self.sums.counts.sum()))

    @property
    def mean(self) -> float:
        """Mean of the column."""
        return self.least + self.grid.unit * self.mean_below

    @property
    def std(self) -> float:
        """Standard deviation of the column, divided by n, not by n - 1."""
        return self.grid.unit * self.unit_std

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
        """Positions of the nodes with a mass other than 0."""
        return np.flatnonzero(self.sums.masses.any(axis=0))

    def quantiles(self, probabilities: Floats, *, upper: bool) -> Floats:
        """Quantiles from the counts of the bins, within which rows are assumed to be evenly spaced.

        They are exact where the nodes are the distinct values.

        Parameters
        ----------
        probabilities : ndarray of shape (k,)
        upper : bool
            Whether the quantiles are those of the negated column.

        Returns
        -------
        ndarray of shape (k,)
            Distances from the minimum, or from the maximum if ``upper``, in the column's unit.
        """
        distances = self.grid.bins_above if upper else self.grid.bins_below
        order = slice(None, None, -1 if upper else 1)
        centres, widths = distances[order], self.grid.bin_widths[order]
        counts = self.sums.counts[order]
        cumulative = np.cumsum(counts)

        def value_at(rank: Floats) -> Floats:
            at = np.searchsorted(cumulative, rank, side="right")
            within = (rank + 0.5 - cumulative[at]) / counts[at] + 0.5
            return np.asarray(self.grid.unit * (centres[at] + widths[at] * within))

        place = (self.n - 1) * probabilities
        first = np.floor(place)
        below, above = value_at(first), value_at(np.minimum(first + 1, self.n - 1))
        return below + (place - first) * (above - below)

    @cached_property
    def unit_std(self) -> float:
        """Standard deviation in the grid's unit."""
        deviation = self.grid.below - self.mean_below
        # Squares of very small numbers underflow.
        scale = float(np.abs(deviation).max()) or 1.0
        square = dot(self.sums.masses[0], np.square(deviation / scale))
        return scale * float(np.sqrt(max(0.0, square / self.n)))


def compress(
    values: Floats,
    outputs: Sequence[Floats] | Floats,
    low: float,
    high: float,
    rows: Positions | None = None,
) -> Compressed:
    """Compress the rows of a column in one pass.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Finite.
    outputs : q ndarrays of shape (n,), or of all rows of the table
        What is averaged.
    low, high : float
        Anchors: the means that tau = -1 and 1 stand for (Bachoc et al. 2023, section 2.2).
    rows : ndarray of shape (n,), optional
        Rows of the table that the values belong to; by default all of them.

    Returns
    -------
    Compressed
        Its nodes are the distinct values where these are few; then sums over them are exact.
    """
    least, most = float(values.min()), float(values.max())
    distinct = distinct_values(values)
    grid: ValueGrid
    if distinct is not None:
        grid = Distinct(distinct)
    else:
        panels = Panels(least, most, low, high, len(values))
        grid = Distinct(np.unique(values)) if panels.too_fine else panels
    return Compressed(least, most, low, high, grid, grid.sums(values, outputs, rows))
