"""Nodes for columns of many values: panels that widen with the distance from either end."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt
from scipy.special import lambertw

from uqwidgets._typing import Floats
from uqwidgets.stress.compressed.grids import Positions, Sums, unit_of

# Rows at a time, so that a block and what is made of it stay in the processor's cache.
_BLOCK = 1 << 15
# A panel is an eighth of an octave of the distance to the nearer end of the column, and holds so
# many Chebyshev nodes. It is cut into bins, over which rows are summed as moments 0 to 4: fine
# bins make a row cheap, few nodes make a level cheap.
_PANEL_BITS, _BIN_BITS = 3, 6
_NODES, _MOMENTS = 16, 5
_BINS = 1 << _BIN_BITS
_PANEL_SHIFT = 52 - _PANEL_BITS
_BIN_SHIFT = _PANEL_SHIFT - _BIN_BITS
_REMAINDER = (1 << _BIN_SHIFT) - 1
# Panels begin this far (in units of 1 / xi) outside of the column: nearer, exp(xi x) is smooth
# on their scale anyway.
_MARGIN = 8.0
# Of the size of an end of the column: any nearer to it, no digits are left for a place in a panel.
# Where the mean moves to the end itself, levels before it stay farther off than 1 / n.
_FINEST = 2.0**-50
# Of the size of a column: a mean still nearer to the end would need too many panels.
_NEAREST = 2.0**-200
# Between the ends of a column. It has no more distinct values than this then.
_FEWEST_FLOATS = 1 << 20


@dataclass(frozen=True)
class Panels:
    r"""Chebyshev nodes in panels that widen with the distance from either end of the column.

    A level that moves the mean to within :math:`\delta` of an end, weighs rows by
    :math:`e^{-k d}`, d their distance from this end. Over the rows beyond :math:`\delta`,
    :math:`(d - \delta) e^{-k (d - \delta)}` is at most 1 / (e k), and the row at the end has
    d = 0, so that :math:`k \delta e^{k \delta} \le n / e` and :math:`k \le W(n / e) / \delta`
    with Lambert's W. Farther out, where :math:`k d` is large, rows no longer matter; hence the
    half-width h of a panel may grow with d, and k h stays so small that 16 nodes reproduce
    :math:`e^{-2 k d}` (squared weights) to about :math:`10^{-12}` of the whole sum.

    Parameters
    ----------
    least, most : float
        Ends of the column.
    low, high : float
        Lowest and highest mean that levels will ask for.
    n : int
        Rows.
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
        """Whether panels fail, and the distinct values must do.

        So it is where a mean comes very near to an end, next to the whole column, and where the
        column spans so few floats that panels would be narrower than these.
        """
        nearest = (self.low - self.least, self.most - self.high)
        span = (self.most - self.least) / np.spacing(max(abs(self.least), abs(self.most)))
        return span < _FEWEST_FLOATS or any(0 < d < _NEAREST * self.unit for d in nearest)

    def sums(self, values: Floats, outputs: Floats) -> Sums:
        """Sum rows over the nodes.

        Parameters
        ----------
        values : ndarray of shape (n,)
            None beyond the ends of the column.
        outputs : ndarray of shape (n, q)
            Fastest with contiguous columns.
        """
        bins, q = self._n_panels * _BINS, outputs.shape[1]
        moments = np.zeros((1 + q, _MOMENTS, bins))
        ends = np.zeros((1 + q, 2))
        step = max(_BLOCK, 2 * bins)
        for start in range(0, len(values), step):
            block = values[start : start + step]
            columns = [np.ascontiguousarray(o[start : start + step]) for o in outputs.T]
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
        counts = moments[0, 0].copy()
        split = moments.reshape(1 + q, _MOMENTS, self._n_panels, _BINS)
        masses = np.zeros((1 + q, self._n_panels, _NODES))
        for degree, matrix in enumerate(_bins_to_nodes()):
            masses += split[:, degree] @ matrix
        return Sums(masses.reshape(1 + q, -1), counts[self._order], ends)

    @cached_property
    def below(self) -> Floats:
        """Distance of every node from the least value, shape (m,)."""
        return self._from_ends(_chebyshev(_NODES))[0]

    @cached_property
    def above(self) -> Floats:
        """Distance of every node from the greatest value, shape (m,)."""
        return self._from_ends(_chebyshev(_NODES))[1]

    @cached_property
    def bins_below(self) -> Floats:
        """Distance of every bin from the least value, ascending, shape (b,)."""
        return self._from_ends(_middles())[0][self._order]

    @cached_property
    def bins_above(self) -> Floats:
        """Distance of the same bins from the greatest value, shape (b,)."""
        return self._from_ends(_middles())[1][self._order]

    @cached_property
    def bin_widths(self) -> Floats:
        """Width of every bin, shape (b,)."""
        sides = zip(self._first, self._panels, strict=True)
        panels = np.concatenate([np.diff(_edges(first, count)) for first, count in sides])
        return np.repeat(panels / _BINS, _BINS)[self._order]

    @cached_property
    def _limits(self) -> tuple[float | None, float | None]:
        return (
            self.least if self.low <= self.least else None,
            self.most if self.high >= self.most else None,
        )

    @cached_property
    def _origins(self) -> tuple[float, float]:
        # Distances from here, a little outside of the column, decide on panels.
        least, most = self.least / self.unit, self.most / self.unit
        return (
            least - self._margin(least, self.low / self.unit - least),
            most + self._margin(most, most - self.high / self.unit),
        )

    def _margin(self, end: float, nearest: float) -> float:
        if nearest <= 0:
            return _FINEST
        wanted = _MARGIN * nearest / float(lambertw(self.n / math.e).real)
        return max(_FINEST * abs(end), min(wanted, (self.most - self.least) / self.unit))

    @cached_property
    def _first(self) -> tuple[int, int]:
        # The exponent and the first bits of a distance number its panel.
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

    @cached_property
    def _order(self) -> npt.NDArray[np.intp]:
        # Bins of the upper side are numbered from the upper end.
        lower, upper = (panels * _BINS for panels in self._panels)
        return np.concatenate([np.arange(lower), np.arange(lower + upper - 1, lower - 1, -1)])

    def _places(self, values: Floats) -> tuple[Positions, Floats]:
        """Bin of each value (n,), and place within it between -1 and 1."""
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
        """Distance from both ends of places (k,) within each panel, two of shape (panels k,)."""
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
    """Moments of bins to masses of nodes, shape (moments, bins, nodes), for every panel alike.

    Within a bin, each of the panel's Lagrange polynomials is replaced by the polynomial of
    degree 4 through its values at 5 Chebyshev nodes of the bin.
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
