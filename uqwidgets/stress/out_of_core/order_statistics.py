"""Exact order statistics of a column that is only seen batch by batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats

Keys = npt.NDArray[np.int64]

# Every pass settles so many more of a number's 64 bits, or all of them where few rows are left.
DIGIT = 16
FEW_ROWS = 1 << 14


@dataclass(frozen=True, eq=False)
class Counted:
    """How often each key occurs; those of two batches add up.

    Attributes
    ----------
    keys : ndarray of shape (k,)
        Ascending.
    counts : ndarray of shape (k,)
    """

    keys: Keys
    counts: Keys

    @classmethod
    def of(cls, keys: Keys) -> Counted:
        """Count the keys (n,)."""
        return cls(*np.unique(keys, return_counts=True))

    def __add__(self, other: Counted) -> Counted:
        keys, place = np.unique(np.concatenate([self.keys, other.keys]), return_inverse=True)
        counts = np.zeros(len(keys), dtype=np.int64)
        np.add.at(counts, place, np.concatenate([self.counts, other.counts]))
        return Counted(keys, counts)

    @cached_property
    def n(self) -> int:
        """How many there are."""
        return int(self.counts.sum())

    def at(self, rank: int) -> tuple[int, int, int]:
        """Key of this rank from 0, how many are less, and how many equal it."""
        upto = np.cumsum(self.counts)
        k = int(np.searchsorted(upto, rank, side="right"))
        return int(self.keys[k]), int(upto[k] - self.counts[k]), int(self.counts[k])


@dataclass(frozen=True)
class Rank:
    """What is known of the value of one rank.

    Attributes
    ----------
    rank : int
        Place in ascending order, from 0.
    key : int
        The first bits of its key.
    shift : int
        How many bits are missing.
    below, equal : int
        Rows whose first bits are less, and equal.
    """

    rank: int
    key: int
    shift: int
    below: int
    equal: int

    @classmethod
    def among(cls, counted: Counted, rank: int, shift: int) -> Rank:
        """Begin with the counts of all keys, less their last ``shift`` bits."""
        return cls(rank, counted.at(rank)[0], shift, *counted.at(rank)[1:])

    @property
    def next_shift(self) -> int:
        """How many bits will still be missing after another pass."""
        return 0 if self.equal <= FEW_ROWS else max(0, self.shift - DIGIT)

    def look(self, keys: Keys) -> Counted:
        """Count those keys (n,) of a batch among which the one wanted is, in more bits."""
        return Counted.of(keys[keys >> self.shift == self.key] >> self.next_shift)

    def narrowed(self, counted: Counted) -> Rank:
        """Know what the counts of all batches tell."""
        key, below, equal = counted.at(self.rank - self.below)
        return Rank(self.rank, key, self.next_shift, self.below + below, equal)

    @property
    def value(self) -> float:
        """The number, once no bits are missing."""
        return float(numbers_of(np.array([self.key]))[0])


def keys_of(values: Floats) -> Keys:
    """Integers in the order of the numbers (n,), from the bits of these."""
    return _turned((values + 0.0).view(np.int64))  # -0.0 is 0.0


def numbers_of(keys: Keys) -> Floats:
    """Return the numbers of the keys (n,)."""
    return _turned(keys).view(np.float64)


def quantile_ranks(n: int, alpha: float) -> tuple[int, int, float]:
    """Ranks of the two values between which a quantile lies, and how far from the first."""
    place = (n - 1) * alpha
    first = int(np.floor(place))
    return first, min(first + 1, n - 1), place - first


def between(values: Sequence[float], part: float) -> float:
    """Go this part of the way between two values, rounding as `numpy.quantile` does."""
    return float(np.quantile(np.array(values), part))


def _turned(bits: Keys) -> Keys:
    # The bits of negative numbers count the wrong way.
    return np.asarray(bits ^ ((bits >> 63) & np.int64(2**63 - 1)))
