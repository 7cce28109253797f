"""What intervals need of the rows: products of outputs, and the tails that the ends are of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.stress.compressed.grids import Distinct, Sums
from uqwidgets.stress.out_of_core.columns import Placed

Pairs = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Squared:
    """Sums of the rows of a batch, or of several, from which mean squares follow.

    Products are of outputs less their centres: squares of numbers far from 0 would drown what
    the numbers differ by. Those of two batches add up around the centres of the first.

    Attributes
    ----------
    sums : Sums
        Of the rows, of each of q outputs, and of each of k products.
    low, high : Sums
        Of the rows in the lower and in the upper tail, and of each output there.
    centres : ndarray of shape (q,)
    pairs : ndarray of shape (k, 2)
        The two outputs that each product is of.
    """

    sums: Sums
    low: Sums
    high: Sums
    centres: Floats
    pairs: Pairs

    def __add__(self, other: Squared) -> Squared:
        return Squared(
            self.sums + other._around(self.centres),
            self.low + other.low,
            self.high + other.high,
            self.centres,
            self.pairs,
        )

    def centred(self) -> tuple[Sums, Sums, Sums]:
        """Return the sums of all rows and of both tails, with outputs less their centres."""
        whole, low, high = (_less(s, self.centres) for s in (self.sums, self.low, self.high))
        return whole, low, high

    def _around(self, centres: Floats) -> Sums:
        """Return the sums of all rows, with products around other centres."""
        moved, q = self.centres - centres, len(centres)
        one, other = self.pairs.T

        def shifted(lines: Floats) -> Floats:
            rows, less = lines[0], lines[1 : 1 + q] - self.centres[:, None] * lines[0]
            more = moved[one, None] * less[other] + moved[other, None] * less[one]
            more += (moved[one] * moved[other])[:, None] * rows
            return np.concatenate([lines[: 1 + q], lines[1 + q :] + more])

        return replace(self.sums, masses=shifted(self.sums.masses), ends=shifted(self.sums.ends))


def pairs_within(lengths: Sequence[int]) -> Pairs:
    """Pairs of outputs that belong to one indicator, of which each has so many; shape (k, 2)."""
    found, start = [], 0
    for length in lengths:
        one, other = np.triu_indices(length)
        found.append(start + np.stack([one, other], axis=1))
        start += length
    return np.concatenate(found)


def with_products(outputs: Floats, centres: Floats, pairs: Pairs) -> Floats:
    """Append products of outputs less their centres: (n, q) to (n, q + k)."""
    n, q = outputs.shape
    found = np.empty((n, q + len(pairs)), order="F")
    found[:, :q] = outputs
    less = outputs - centres
    for k, (one, other) in enumerate(pairs.tolist(), start=q):
        np.multiply(less[:, one], less[:, other], out=found[:, k])
    return found


def squared(
    column: Placed, values: Floats, outputs: Floats, centres: Floats, pairs: Pairs
) -> Squared:
    """Sum rows of a batch over the nodes of a column.

    Parameters
    ----------
    column : Placed
    values : ndarray of shape (n,)
        Of the column, all finite.
    outputs : ndarray of shape (n, q + k)
        See `with_products`.
    centres : ndarray of shape (q,)
    pairs : ndarray of shape (k, 2)
    """
    grid, (lower, upper), q = column.grid, column.ends.tails, len(centres)
    sums = grid.sums(values, outputs)
    if isinstance(grid, Distinct):
        low, high = (_some(sums, q, at) for at in (grid.values <= lower, grid.values >= upper))
    else:
        low, high = (
            grid.sums(values[at], outputs[at, :q]) for at in (values <= lower, values >= upper)
        )
    return Squared(sums, low, high, centres, pairs)


def _some(sums: Sums, q: int, nodes: npt.NDArray[np.bool_]) -> Sums:
    """Keep the rows at some of the distinct values, without products."""
    masses = sums.masses[: 1 + q] * nodes
    return Sums(masses, sums.counts * nodes, masses[:, [0, -1]])


def _less(sums: Sums, centres: Floats) -> Sums:
    q = len(centres)

    def less(lines: Floats) -> Floats:
        outputs = lines[1 : 1 + q] - centres[:, None] * lines[0]
        return np.concatenate([lines[:1], outputs, lines[1 + q :]])

    return replace(sums, masses=less(sums.masses), ends=less(sums.ends))
