"""Grids: nodes over which exponential sums are computed instead of over the rows of a column.

For a smooth f, the sum of f(x_i) o_i over rows is approximated by the sum of f(node_j) mass_j over
nodes, where mass_j is the sum over rows of o_i times the Lagrange polynomial of node j at x_i
(barycentric interpolation). The nodes have to be accurate for f(x) = exp(xi x) with every xi that a
level of tau can have. A column of few distinct values has these as its nodes, which is exact; any
other column has Chebyshev nodes in panels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from scipy.special import lambertw

from uqwidgets._typing import Floats, Positions

# Up to this number of distinct values, every value is a node.
MOST_DISTINCT = 1024
# Rows that are sorted at a time.
_ROWS = 1 << 15


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums of rows over the nodes of a grid; the sums of two batches add up.

    Attributes
    ----------
    masses : ndarray of shape (1 + q, m)
        For every node: of the rows in line 0, and of their outputs in the other lines.
    counts : ndarray of shape (b,)
        Number of rows in every bin.
    ends : ndarray of shape (1 + q, 2)
        Sums over the rows at the minimum and at the maximum; zeros where no level of tau moves
        the mean to them.
    """

    masses: Floats
    counts: Floats
    ends: Floats

    def __add__(self, other: Sums) -> Sums:
        return Sums(self.masses + other.masses, self.counts + other.counts, self.ends + other.ends)


class Distinct:
    """A grid whose nodes are the distinct values of a column, which is exact.

    Parameters
    ----------
    values : ndarray of shape (m,)
        The distinct values in ascending order.

    Attributes
    ----------
    unit : float
        A power of two: distances are in this unit of the column.
    below, above : ndarray of shape (m,)
        Distance of every node from the column's minimum and maximum.
    bins_below, bins_above : ndarray of shape (m,)
        The same of the bins, which are the nodes here.
    bin_widths : ndarray of shape (m,)
        Widths of the bins, which are 0 here.
    """

    def __init__(self, values: Floats) -> None:
        self.values = values
        self.unit = unit_of(float(values[0]), float(values[-1]))
        scaled = values / self.unit
        self.below, self.above = scaled - scaled[0], scaled[-1] - scaled
        self.bins_below, self.bins_above = self.below, self.above
        self.bin_widths = np.zeros(len(values))

    def sums(
        self, values: Floats, outputs: Sequence[Floats] | Floats, rows: Positions | None = None
    ) -> Sums:
        """Sum rows over the nodes.

        Parameters
        ----------
        values : ndarray of shape (n,)
            All of them nodes of the grid.
        outputs : q ndarrays of shape (n,), or of all rows of the table
        rows : ndarray of shape (n,), optional
            Rows of the table that the values belong to; by default all of them.
        """
        place = self._places(values)
        masses = np.empty((1 + len(outputs), len(self.values)))
        masses[0] = np.bincount(place, minlength=len(self.values))
        for k, column in enumerate(outputs, start=1):
            of_rows = column if rows is None else column[rows]
            masses[k] = np.bincount(place, of_rows, len(self.values))
        return Sums(masses, masses[0].copy(), masses[:, [0, -1]])

    def _places(self, values: Floats) -> Positions:
        index = self._index()
        if index is None:
            return np.searchsorted(self.values, values)
        codes = np.rint((values / self.unit - self.values[0] / self.unit) / self._step)
        return np.asarray(index[codes.astype(np.int64)])

    @cached_property
    def _step(self) -> float:
        return float(np.diff(self.below, prepend=-1.0).min())

    def _index(self) -> Positions | None:
        # Values are often multiples of one number; then a look-up table replaces a binary search.
        # It may be far larger than the nodes, so it is not held.
        if self._step == 0:
            return None
        with np.errstate(over="ignore"):  # a denormal step has no codes
            codes = np.rint(self.below / self._step)
        if codes[-1] >= 1 << 16 or (np.diff(codes) == 0).any():
            return None
        index = np.zeros(int(codes[-1]) + 1, dtype=np.int64)
        index[codes.astype(np.int64)] = np.arange(len(codes))
        return index


def distinct_values(values: Floats) -> Floats | None:
    """Return the distinct values of a column (n,), ascending; None if there are many."""
    distinct = np.unique(values[: 2 * MOST_DISTINCT])
    for start in range(2 * MOST_DISTINCT, len(values), _ROWS):
        if len(distinct) > MOST_DISTINCT:
            break
        distinct = np.union1d(distinct, values[start : start + _ROWS])
    return distinct if len(distinct) <= MOST_DISTINCT else None


def unit_of(least: float, most: float) -> float:
    """Power of two of the magnitude of a column with this minimum and maximum.

    Division by it is exact, and keeps squares and distances within the range of floats.
    """
    exponent = int(np.frexp(max(abs(least), abs(most)))[1])
    return float(np.ldexp(1.0, min(max(exponent, -1000), 1000)))


# Rows at a time, so that a block and its intermediate results stay in the processor's cache.
_BLOCK = 1 << 15
# A panel is an eighth of an octave of the distance to the nearer end of the column, and has _NODES
# Chebyshev nodes. It is divided into bins, in which rows are summed as moments 0 to 4: the cost of
# a row depends on the number of moments, the cost of a level on the number of nodes.
_PANEL_BITS, _BIN_BITS = 3, 6
_NODES, _MOMENTS = 16, 5
_BINS = 1 << _BIN_BITS
_PANEL_SHIFT = 52 - _PANEL_BITS
_BIN_SHIFT = _PANEL_SHIFT - _BIN_BITS
_REMAINDER = (1 << _BIN_SHIFT) - 1
# Panels start this far (in units of 1 / xi) outside of the column, because at smaller distances
# exp(xi x) is smooth on the scale of a panel anyway.
_MARGIN = 8.0
# Smallest distance from an end of the column, relative to the end: below it, a float has no digits
# for the position in a panel. Where tau = 1 moves the mean to the end itself, the other levels have
# targets that are farther from it than 1 / n.
_FINEST = 2.0**-50
# Smallest distance of an anchor from an end, relative to the column's magnitude: a smaller one
# would need too many panels.
_NEAREST = 2.0**-200
# Smallest number of floats between the ends of a column with panels; a column with fewer has at
# most as many distinct values.
_FEWEST_FLOATS = 1 << 20


@dataclass(frozen=True)
class Panels:
    r"""Chebyshev nodes in panels that widen with the distance from either end of a column.

    A level that moves the mean to within :math:`\delta` of an end gives the rows weights
    :math:`e^{-k d}`, where d is the distance from this end. Over the rows beyond :math:`\delta`,
    :math:`(d - \delta) e^{-k (d - \delta)}` is at most 1 / (e k), and the row at the end has
    d = 0, so that :math:`k \delta e^{k \delta} \le n / e` and :math:`k \le W(n / e) / \delta`
    with Lambert's W. Rows with large :math:`k d` have negligible weight; hence the half-width h
    of a panel may grow with d, and k h stays so small that 16 nodes reproduce
    :math:`e^{-2 k d}` (squared weights) to about :math:`10^{-12}` of the whole sum.

    Parameters
    ----------
    least, most : float
        Minimum and maximum of the column.
    low, high : float
        Anchors: the lowest and the highest target of all levels.
    n : int
        Number of rows.
    """

    least: float
    most: float
    low: float
    high: float
    n: int

    @cached_property
    def unit(self) -> float:
        """A power of two: distances are in this unit of the column."""
        return unit_of(self.least, self.most)

    @property
    def too_fine(self) -> bool:
        """Whether panels would be too narrow, so that the distinct values are the nodes instead.

        This is the case where an anchor is very near to an end, relative to the whole column, and
        where the column spans so few floats that panels would be narrower than their spacing.
        """
        nearest = (self.low - self.least, self.most - self.high)
        span = (self.most - self.least) / np.spacing(max(abs(self.least), abs(self.most)))
        return span < _FEWEST_FLOATS or any(0 < d < _NEAREST * self.unit for d in nearest)

    def sums(
        self, values: Floats, outputs: Sequence[Floats] | Floats, rows: Positions | None = None
    ) -> Sums:
        """Sum rows over the nodes.

        Parameters
        ----------
        values : ndarray of shape (n,)
            Within the minimum and maximum of the column.
        outputs : q ndarrays of shape (n,), or of all rows of the table
            Contiguous ones are fastest.
        rows : ndarray of shape (n,), optional
            Rows of the table that the values belong to; by default all of them.
        """
        bins, q = self._n_panels * _BINS, len(outputs)
        moments = np.zeros((1 + q, _MOMENTS, bins))
        ends = np.zeros((1 + q, 2))
        step = max(_BLOCK, 2 * bins)
        for start in range(0, len(values), step):
            some = slice(start, start + step)
            block, of_block = values[some], some if rows is None else rows[some]
            columns = [np.ascontiguousarray(output[of_block]) for output in outputs]
            place, t = self._places(block)
            moments[0, 0] += np.bincount(place, minlength=bins)
            for k, column in enumerate(columns):
                moments[1 + k, 0] += np.bincount(place, column, bins)
            power = t
            for degree in range(1, _MOMENTS):
                moments[0, degree] += np.bincount(place, power, bins)
                for k, column in enumerate(columns):
                    moments[1 + k, degree] += np.bincount(place, power * column, bins)
                power = power * t
            for end, limit in enumerate(self._limits):
                if limit is not None:
                    at = block == limit
                    ends[:, end] += [at.sum(), *(column[at].sum() for column in columns)]
        counts = moments[0, 0]
        split = moments.reshape(1 + q, _MOMENTS, self._n_panels, _BINS)
        masses = np.zeros((1 + q, self._n_panels, _NODES))
        for degree, matrix in enumerate(_bins_to_nodes()):
            masses += split[:, degree] @ matrix
        return Sums(masses.reshape(1 + q, -1), self._ascending(counts), ends)

    @cached_property
    def below(self) -> Floats:
        """Distance of every node from the minimum, shape (m,)."""
        return self._from_ends(_chebyshev(_NODES))[0]

    @cached_property
    def above(self) -> Floats:
        """Distance of every node from the maximum, shape (m,)."""
        return self._from_ends(_chebyshev(_NODES))[1]

    # Positions of bins are computed whenever they are needed: there are four times as many bins as
    # nodes, and compressed columns stay in memory.

    @property
    def bins_below(self) -> Floats:
        """Distance of every bin from the minimum, ascending, shape (b,)."""
        return self._ascending(self._from_ends(_middles())[0])

    @property
    def bins_above(self) -> Floats:
        """Distance of the same bins from the maximum, shape (b,)."""
        return self._ascending(self._from_ends(_middles())[1])

    @property
    def bin_widths(self) -> Floats:
        """Width of every bin, shape (b,)."""
        sides = zip(self._first, self._panels, strict=True)
        panels = np.concatenate([np.diff(_edges(first, count)) for first, count in sides])
        return self._ascending(np.repeat(panels / _BINS, _BINS))

    @cached_property
    def _limits(self) -> tuple[float | None, float | None]:
        return (
            self.least if self.low <= self.least else None,
            self.most if self.high >= self.most else None,
        )

    @cached_property
    def _origins(self) -> tuple[float, float]:
        # Panels are numbered by the distance from these points, just outside of the column.
        least, most = self.least / self.unit, self.most / self.unit
        return (
            least - self._margin(least, self.low / self.unit - least),
            most + self._margin(most, most - self.high / self.unit),
        )

    def _margin(self, end: float, nearest: float) -> float:
        if nearest <= 0:
            return _FINEST
        margin = _MARGIN * nearest / float(lambertw(self.n / math.e).real)
        return max(_FINEST * abs(end), min(margin, (self.most - self.least) / self.unit))

    @cached_property
    def _first(self) -> tuple[int, int]:
        # The number of a panel is the exponent and the leading bits of the distance.
        least, most = self.least / self.unit, self.most / self.unit
        nearest = np.array([least - self._origins[0], self._origins[1] - most])
        first = nearest.view(np.int64) >> _PANEL_SHIFT
        return int(first[0]), int(first[1])

    @cached_property
    def _panels(self) -> tuple[int, int]:
        middle = np.array([(self._origins[1] - self._origins[0]) / 2])
        last = int((middle.view(np.int64) >> _PANEL_SHIFT)[0]) + 1  # one more for rounding
        return last + 1 - self._first[0], last + 1 - self._first[1]

    @property
    def _n_panels(self) -> int:
        return sum(self._panels)

    def _ascending(self, of_bins: Floats) -> Floats:
        """Bring numbers of bins (b,) into ascending order of the column."""
        # Bins of the upper half are numbered from the upper end.
        lower = self._panels[0] * _BINS
        return np.concatenate([of_bins[:lower], of_bins[: lower - 1 : -1]])

    def _places(self, values: Floats) -> tuple[Positions, Floats]:
        """Bin of each value (n,), and its position within the bin between -1 and 1."""
        scaled = values * (1 / self.unit)
        lower = scaled - self._origins[0]
        upper = self._origins[1] - scaled
        bits = np.minimum(lower, upper).view(np.int64)
        starts = (-self._first[0] * _BINS, (self._panels[0] - self._first[1]) * _BINS)
        place = bits >> _BIN_SHIFT
        place += np.where(lower <= upper, *starts)
        bits &= _REMAINDER
        t = bits.astype(np.float64)
        t *= 2.0 ** (1 - _BIN_SHIFT)
        t -= 1.0
        return place, t

    def _from_ends(self, within: Floats) -> tuple[Floats, Floats]:
        """Distances from both ends of positions (k,) in each panel, two of shape (panels k,)."""
        near = []
        least, most = self.least / self.unit, self.most / self.unit
        margins = (least - self._origins[0], self._origins[1] - most)
        for first, panels, margin in zip(self._first, self._panels, margins, strict=True):
            edges = _edges(first, panels)
            middle, half = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2
            near.append((middle[:, None] + half[:, None] * within - margin).ravel())
        span = most - least
        below, above = near
        return np.concatenate([below, span - above]), np.concatenate([span - below, above])


def _edges(first: int, panels: int) -> Floats:
    return (np.arange(first, first + panels + 1) << _PANEL_SHIFT).view(np.float64)


@cache
def _chebyshev(n: int) -> Floats:
    return -np.cos(np.pi * (np.arange(n) + 0.5) / n)


@cache
def _middles() -> Floats:
    return (2 * np.arange(_BINS) + 1) / _BINS - 1


@cache
def _bins_to_nodes() -> Floats:
    """Matrices (moments, bins, nodes) from moments of bins to masses of nodes, for any panel.

    Within a bin, each Lagrange polynomial of the panel is replaced by the polynomial of degree 4
    that interpolates it at 5 Chebyshev nodes of the bin.
    """
    vander = np.polynomial.chebyshev.chebvander
    local = _chebyshev(_MOMENTS)
    places = _middles()[:, None] + local / _BINS
    degrees = _NODES - 1
    weights = np.full(_NODES, 2.0 / _NODES)
    weights[0] /= 2
    lagrange = vander(places, degrees) * weights @ vander(_chebyshev(_NODES), degrees).T
    inverse = np.linalg.inv(np.vander(local, _MOMENTS, increasing=True))
    return np.asarray(np.einsum("dl,blj->dbj", inverse, lagrange))
