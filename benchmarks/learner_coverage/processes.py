"""Data generating processes: those of Molnar et al. 2023, section 8, and a held-out one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Table = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Process:
    """How tables are drawn, and the grid of partial dependence, the same for each feature."""

    draw: Callable[[int, np.random.Generator], Table]
    features: int
    grid: tuple[float, ...] = (0.1, 0.3, 0.5, 0.7, 0.9)


def linear(n: int, rng: np.random.Generator) -> Table:
    """Draw y = x1 - x2 + e."""
    X = rng.random((n, 2))
    return X, X[:, 0] - X[:, 1] + rng.normal(size=n)


def non_linear(n: int, rng: np.random.Generator) -> Table:
    """Draw y = x1 - sqrt(1 + x2) + x3 x4 + (x4 / 10)^2 + e.

    The paper prints sqrt(1 - x2); its tables belong to this sign.
    """
    X = rng.random((n, 4))
    signal = X[:, 0] - np.sqrt(1 + X[:, 1]) + X[:, 2] * X[:, 3] + (X[:, 3] / 10) ** 2
    return X, signal + rng.normal(size=n)


def correlated(n: int, rng: np.random.Generator) -> Table:
    """Draw from normal features that correlate, noise of heavy tails; x4 and x5 do nothing."""
    X = 0.6 * rng.normal(size=(n, 1)) + 0.8 * rng.normal(size=(n, 5))
    signal = X[:, 0] + np.abs(X[:, 1]) + 0.5 * X[:, 0] * X[:, 2]
    return X, signal + rng.standard_t(5, size=n)


def pairs(n: int, rng: np.random.Generator) -> Table:
    """Draw y = x1 + x2 / 2 + e from two normal features that correlate with 0.7."""
    X = rng.normal(size=(n, 2))
    X[:, 1] = 0.7 * X[:, 0] + np.sqrt(1 - 0.7**2) * X[:, 1]
    return X, X @ [1.0, 0.5] + rng.normal(size=n)


PROCESSES = {
    "linear": Process(linear, 2),
    "non-linear": Process(non_linear, 4),
    "correlated": Process(correlated, 5, (-1.0, -0.5, 0.0, 0.5, 1.0)),
    "pairs": Process(pairs, 2, (-1.0, -0.5, 0.0, 0.5, 1.0)),
}
