"""How the values that replace a feature's own are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Original:
    """No replacement: the rows as they are."""


@dataclass(frozen=True)
class Permutation:
    """The feature's column, permuted: repeat ``repeat`` for the feature in column ``column``.

    Every feature and every repeat has a permutation of its own, drawn from ``seed``, the
    column and the repeat alone: asking for more repeats or fewer features changes no other.
    """

    column: int
    repeat: int
    seed: int

    def donors(self, n: int) -> npt.NDArray[np.intp]:
        """Position of the row that each of ``n`` rows takes its value from, shape (n,)."""
        sequence = np.random.SeedSequence(self.seed, spawn_key=(self.column, self.repeat))
        return np.random.Generator(np.random.PCG64(sequence)).permutation(n)


@dataclass(frozen=True)
class Constant:
    """One value in every row: a point of a dependence curve's grid."""

    column: int
    value: Any


Replacement = Original | Permutation | Constant
