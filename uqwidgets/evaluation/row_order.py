"""A random order of the rows, in which the first rows are a sample of all."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Positions

# Rows of the smallest sample; every further sample has twice as many.
SMALLEST = 50


class RowOrder:
    """Parts of the rows in random order: the first parts together are a random sample.

    A sample of twice the size contains the smaller one, so that what the model answered for the
    smaller one is a part of the larger. With classes, the order is stratified: in any number of
    first rows, the number of rows of a class is within one of its share.

    Parameters
    ----------
    n : int
        Number of rows.
    strata : ndarray of shape (n,) or None
        Code of the class of each row.
    seed : int
        The order depends on it, on the number of rows and on the strata alone.

    Attributes
    ----------
    sizes : tuple of int
        Rows in the first part, in the first two parts, ..., in all.
    strata : ndarray of shape (n,) or None
    """

    def __init__(self, n: int, strata: npt.NDArray[Any] | None, seed: int) -> None:
        sizes, size = [], SMALLEST
        while size < 3 * n // 4:
            sizes.append(size)
            size *= 2
        self.sizes = (*sizes, n)
        self.strata = strata
        self._seed = seed
        self._parts: dict[int, Positions] = {}

    @cached_property
    def rows(self) -> Positions:
        """All rows, part by part, shape (n,); within a part, the rows ascend."""
        order = self._drawn()
        for start, stop in zip((0, *self.sizes), self.sizes, strict=False):
            # The model's batches are stacked faster from rows that ascend.
            order[start:stop].sort()
        return order

    @cached_property
    def places(self) -> Positions:
        """Place of each row in `rows`, shape (n,)."""
        return places_in(self.rows)

    def span(self, part: int) -> slice:
        """Return where the rows of a part are among `rows`."""
        return slice(self.sizes[part - 1] if part else 0, self.sizes[part])

    def part(self, part: int) -> Positions:
        """Return the rows of a part; the same array at each call."""
        if part not in self._parts:
            self._parts[part] = self.rows[self.span(part)]
        return self._parts[part]

    def n_parts(self, n_rows: int) -> int:
        """Return how many of the first parts have so many rows, which is one of `sizes`."""
        return self.sizes.index(n_rows) + 1

    def largest(self, n_rows: float) -> int:
        """Return the largest of `sizes` of at most so many rows, or the smallest of all."""
        return max((size for size in self.sizes if size <= n_rows), default=self.sizes[0])

    def _drawn(self) -> Positions:
        n = self.sizes[-1]
        generator = np.random.default_rng([self._seed, n])
        shuffled = generator.permutation(n)
        if self.strata is None:
            return shuffled
        # The rows of each class are spread evenly, each at a random place of its interval.
        codes = self.strata[shuffled]
        by_class = np.argsort(codes, kind="stable")
        counts = np.bincount(codes)
        rank = np.arange(n) - np.repeat(np.cumsum(counts) - counts, counts)
        place = (rank + generator.random(n)) / np.repeat(counts, counts)
        return np.asarray(shuffled[by_class][np.argsort(place, kind="stable")])


def places_in(order: Positions) -> Positions:
    """Return the place of each row in an order of all rows, shape (n,)."""
    places = np.empty_like(order)
    places[order] = np.arange(len(places))
    return places
