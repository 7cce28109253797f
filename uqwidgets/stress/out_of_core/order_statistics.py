"""Exact order statistics of a column in batches, by radix selection on the bits of the numbers.

Numbers are mapped to 64-bit integers in the same order. The first pass counts the leading bits of
all numbers; each further pass counts the next bits of the numbers that share the leading bits of a
rank, until the number of this rank is known exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats

Keys = npt.NDArray[np.int64]

# Bits that a pass determines; it determines all that remain if at most FEW_ROWS rows share the
# leading bits.
DIGIT = 16
FEW_ROWS = 1 << 14


@dataclass(frozen=True, eq=False)
class KeyCounts:
    """Number of occurrences of each key; the counts of two batches add up.

    Attributes
    ----------
    keys : ndarray of shape (k,)
        Ascending.
    counts : ndarray of shape (k,)
    """

    keys: Keys
    counts: Keys

    @classmethod
    def of(cls, keys: Keys) -> KeyCounts:
        """Count the keys (n,)."""
        return cls(*np.unique(keys, return_counts=True))

    def __add__(self, other: KeyCounts) -> KeyCounts:
        keys, place = np.unique(np.concatenate([self.keys, other.keys]), return_inverse=True)
        counts = np.zeros(len(keys), dtype=np.int64)
        np.add.at(counts, place, np.concatenate([self.counts, other.counts]))
        return KeyCounts(keys, counts)

    @cached_property
    def n(self) -> int:
        """Number of all occurrences."""
        return int(self.counts.sum())

    def at(self, rank: int) -> tuple[int, int, int]:
        """Key of a rank (from 0), number of smaller keys, and number of equal keys."""
        upto = np.cumsum(self.counts)
        k = int(np.searchsorted(upto, rank, side="right"))
        return int(self.keys[k]), int(upto[k] - self.counts[k]), int(self.counts[k])


@dataclass(frozen=True)
class Rank:
    """The leading bits of the value of one rank.

    Attributes
    ----------
    rank : int
        Position in ascending order, from 0.
    key : int
        The leading bits of its key.
    shift : int
        Number of bits that are not known yet.
    below, equal : int
        Number of rows whose leading bits are smaller, and equal.
    """

    rank: int
    key: int
    shift: int
    below: int
    equal: int

    @classmethod
    def among(cls, counted: KeyCounts, rank: int, shift: int) -> Rank:
        """Start from the counts of all keys without their last ``shift`` bits."""
        return cls(rank, counted.at(rank)[0], shift, *counted.at(rank)[1:])

    @property
    def next_shift(self) -> int:
        """Number of bits that are not known after another pass."""
        return 0 if self.equal <= FEW_ROWS else max(0, self.shift - DIGIT)

    def count(self, keys: Keys) -> KeyCounts:
        """Count the next bits of the keys (n,) of a batch that have the leading bits."""
        return KeyCounts.of(keys[keys >> self.shift == self.key] >> self.next_shift)

    def refine(self, counted: KeyCounts) -> Rank:
        """Return the rank with the bits that the counts of all batches determine."""
        key, below, equal = counted.at(self.rank - self.below)
        return Rank(self.rank, key, self.next_shift, self.below + below, equal)

    @property
    def value(self) -> float:
        """The number of this rank; all bits have to be known."""
        return float(numbers_of(np.array([self.key]))[0])


def keys_of(values: Floats) -> Keys:
    """Integers in the same order as the numbers (n,), made of their bits."""
    return _reflect_negative((values + 0.0).view(np.int64))  # -0.0 is 0.0


def numbers_of(keys: Keys) -> Floats:
    """Return the numbers of keys (n,): the inverse of `keys_of`."""
    return _reflect_negative(keys).view(np.float64)


def quantile_ranks(n: int, probability: float) -> tuple[int, int, float]:
    """Ranks of the two values around a quantile, and the quantile's position between them."""
    place = (n - 1) * probability
    first = int(np.floor(place))
    return first, min(first + 1, n - 1), place - first


def interpolate(values: Sequence[float], position: float) -> float:
    """Interpolate linearly between two values, with the rounding of `numpy.quantile`."""
    return float(np.quantile(np.array(values), position))


def _reflect_negative(bits: Keys) -> Keys:
    # Read as integers, the bits of negative floats are in the reverse order.
    return np.asarray(bits ^ ((bits >> 63) & np.int64(2**63 - 1)))
