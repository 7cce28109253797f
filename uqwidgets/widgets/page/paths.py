r"""Averages as polynomials of tau, and the errors that a page may make of them.

On each side of 0, an average is a polynomial through its values at Chebyshev-Lobatto nodes. Its
coefficients at :math:`T_j(2 x - 1) - T_j(-1)`, with :math:`T_j` the Chebyshev polynomials and x the
distance from 0, decrease quickly with the order j, and all sides have the same value at 0.

An error is a share of the axis of its level. Some sides have levels with short axes, where the rows
with weight are alike, so each side has a scale of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.widgets.interpolation import nodes

Single = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Paths:
    """Polynomials on all sides, with the errors that they may have.

    Attributes
    ----------
    coefficients : ndarray of shape (orders, sides, k)
        See `coefficients`; finite.
    tolerance : ndarray of shape (k,)
        Unit of the errors, above 0.
    room : sequence of ndarray of shape (points, sides, n or 1)
        Largest errors of some of the columns at the `points`, in units.
    widths : sequence of int
        Numbers of these columns.
    sides : ndarray of shape (sides,), optional
        Scales of the sides; 1 if not given.
    """

    coefficients: Floats
    tolerance: Floats
    room: Sequence[Floats]
    widths: Sequence[int]
    sides: Floats | None = None

    @property
    def shape(self) -> tuple[int, int, int]:
        """Numbers of orders, sides and columns."""
        orders, sides, k = self.coefficients.shape
        return orders, sides, k

    @cached_property
    def center(self) -> Floats:
        """Whole numbers of units that are taken from all levels, shape (k,)."""
        return np.asarray(np.rint(self.coefficients[0, 0] / self.tolerance))

    @property
    def scales(self) -> Floats:
        """Scales of the sides, shape (sides,)."""
        return np.ones(self.shape[1]) if self.sides is None else self.sides

    @property
    def matrix(self) -> Single:
        """Coefficients in units and scales of their side, shape (orders * sides, k).

        Single precision is far below a unit, and takes half of the time.
        """
        scales = self.scales[:, None]
        relative = np.empty(self.shape, dtype=np.float32)
        relative[0] = (self.coefficients[0] / self.tolerance - self.center) / scales
        unit = scales * self.tolerance
        np.divide(self.coefficients[1:], unit, out=relative[1:], casting="same_kind")
        return relative.reshape(-1, relative.shape[2])

    @cached_property
    def least_room(self) -> Floats:
        """Least room of each side, shape (sides,)."""
        return np.asarray(np.min([each.min(axis=(0, 2)) for each in self.room], axis=0))

    def largest(self, error: Single) -> float:
        """Return the largest error at a point as a share of its room, from errors of `matrix`."""
        orders, sides, k = self.shape
        values = at_points(orders - 1).astype(np.float32) @ error.reshape(orders, -1)
        np.abs(values, out=values)
        values = values.reshape(-1, sides, k)
        values *= self._shares
        return float(values.max(initial=0.0))

    @cached_property
    def _shares(self) -> Single:
        """Shares of the room in an error of 1, shape (points, sides, k)."""
        shares = [
            np.broadcast_to((self.scales[:, None] / room).astype(np.float32), (*room.shape[:2], n))
            for room, n in zip(self.room, self.widths, strict=True)
        ]
        return np.concatenate(shares, axis=2)


def side_by_side(paths: Sequence[Paths]) -> Paths:
    """Return the columns of several paths, which have the same scales."""
    if len(paths) == 1:
        return paths[0]
    return Paths(
        np.concatenate([one.coefficients for one in paths], axis=2),
        np.concatenate([one.tolerance for one in paths]),
        [room for one in paths for room in one.room],
        [width for one in paths for width in one.widths],
        paths[0].sides,
    )


def points(m: int) -> Floats:
    """Return the distances from 0 at which errors are measured: nodes, and levels between them."""
    return nodes(2 * m)


def basis(m: int, x: Floats) -> Floats:
    """Return the functions at distances x from 0, shape (len(x), m + 1 orders)."""
    chebyshev = np.polynomial.chebyshev.chebvander(2 * x - 1, m)
    chebyshev[:, 1:] -= (-1.0) ** np.arange(1, m + 1)
    return np.asarray(chebyshev)


@lru_cache
def at_points(m: int) -> Floats:
    """Return the values of the functions at the `points`, shape (points, m + 1 orders)."""
    return basis(m, points(m))


@lru_cache
def _from_samples(m: int) -> Floats:
    """Return the matrix that turns samples at the nodes into coefficients."""
    return np.asarray(np.linalg.inv(basis(m, nodes(m))), dtype=np.float64)


def coefficients(samples: Floats, orders: int) -> Floats:
    """Return the coefficients (orders + 1, k) of the polynomial through samples (m + 1, k)."""
    m = len(samples) - 1
    coefficients = np.zeros((orders + 1, samples.shape[1]))
    np.matmul(_from_samples(m), samples, out=coefficients[: m + 1])
    return coefficients
