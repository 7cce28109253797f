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
    """The feature's column, permuted: repeat ``repeat`` for the feature in column ``column``."""

    column: int
    repeat: int
    seed: int


@dataclass(frozen=True)
class Constant:
    """One value in every row: a point of a dependence curve's grid."""

    column: int
    value: Any


Replacement = Original | Permutation | Constant


def permuted_donors(column: int, seed: int, n_repeats: int, n: int) -> npt.NDArray[np.intp]:
    """Position of the row that each row takes its value from, shape (n_repeats, n).

    Every feature has permutations of its own, drawn from ``seed`` and its column alone, so
    that asking for fewer features changes nothing; more repeats begin with the same ones.
    """
    stream = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(column,)))
    return stream.permuted(np.tile(np.arange(n), (n_repeats, 1)), axis=1)
