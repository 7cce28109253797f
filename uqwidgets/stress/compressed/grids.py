"""Nodes on which exponential sums over a column can be taken instead of over its rows.

For a smooth f, the sum of f(x_i) o_i over rows is that of f(node_j) mass_j over nodes, the masses
being sums of Lagrange polynomials (those of the nodes around a row, at the row) times o_i. It
suffices to find nodes that serve f(x) = exp(xi x) for every xi that a level of tau can need.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats

# So many distinct values are kept as they are.
MOST_DISTINCT = 1024
# Rows to sort at a time.
_ROWS = 1 << 15

Positions = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Sums:
    """What a grid keeps of rows; sums of two batches add up.

    Attributes
    ----------
    masses : ndarray of shape (1 + q, m)
        For every node; of the rows themselves in line 0, of their outputs in the others.
    counts : ndarray of shape (b,)
        Rows in every bin.
    ends : ndarray of shape (1 + q, 2)
        Sums over the rows at the least and at the greatest value; zeros where these are no
        limit of the levels.
    """

    masses: Floats
    counts: Floats
    ends: Floats

    def __add__(self, other: Sums) -> Sums:
        return Sums(self.masses + other.masses, self.counts + other.counts, self.ends + other.ends)


class Distinct:
    """Every value of a column is a node of its own, which is exact.

    Parameters
    ----------
    values : ndarray of shape (m,)
        All that occur, in ascending order.

    Attributes
    ----------
    unit : float
        A power of two: distances are in this unit of the column.
    below, above : ndarray of shape (m,)
        Distance of every node from the column's least and greatest value.
    bins_below, bins_above : ndarray of shape (m,)
        The same of bins; here they are the nodes.
    bin_widths : ndarray of shape (m,)
        Here 0.
    """

    def __init__(self, values: Floats) -> None:
        self.values = values
        self.unit = unit_of(float(values[0]), float(values[-1]))
        scaled = values / self.unit
        self.below, self.above = scaled - scaled[0], scaled[-1] - scaled
        self.bins_below, self.bins_above = self.below, self.above
        self.bin_widths = np.zeros(len(values))

    def sums(self, values: Floats, outputs: Floats) -> Sums:
        """Sum rows over the nodes.

        Parameters
        ----------
        values : ndarray of shape (n,)
            All among those of the grid.
        outputs : ndarray of shape (n, q)
        """
        place = self._places(values)
        masses = np.empty((1 + outputs.shape[1], len(self.values)))
        masses[0] = np.bincount(place, minlength=len(self.values))
        for k, column in enumerate(outputs.T, start=1):
            masses[k] = np.bincount(place, column, len(self.values))
        return Sums(masses, masses[0].copy(), masses[:, [0, -1]])

    def _places(self, values: Floats) -> Positions:
        index = self._index
        if index is None:
            return np.searchsorted(self.values, values)
        codes = np.rint((values / self.unit - self.values[0] / self.unit) / self._step)
        return np.asarray(index[codes.astype(np.int64)])

    @cached_property
    def _step(self) -> float:
        return float(np.diff(self.below, prepend=-1.0).min())

    @cached_property
    def _index(self) -> Positions | None:
        # Values are mostly whole multiples of something: then a look-up replaces a search.
        if self._step == 0:
            return None
        with np.errstate(over="ignore"):  # steps next to nothing: no codes then
            codes = np.rint(self.below / self._step)
        if codes[-1] >= 1 << 16 or (np.diff(codes) == 0).any():
            return None
        index = np.zeros(int(codes[-1]) + 1, dtype=np.int64)
        index[codes.astype(np.int64)] = np.arange(len(codes))
        return index


def distinct_values(values: Floats) -> Floats | None:
    """Return all values that occur in a column (n,), ascending; None if there are many."""
    found = np.unique(values[: 2 * MOST_DISTINCT])
    for start in range(2 * MOST_DISTINCT, len(values), _ROWS):
        if len(found) > MOST_DISTINCT:
            break
        found = np.union1d(found, values[start : start + _ROWS])
    return found if len(found) <= MOST_DISTINCT else None


def unit_of(least: float, most: float) -> float:
    """Power of two of the size of a column with these ends.

    To divide by it is exact, and brings squares and the distances' bits into the range of floats.
    """
    exponent = int(np.frexp(max(abs(least), abs(most)))[1])
    return float(np.ldexp(1.0, min(max(exponent, -1000), 1000)))
