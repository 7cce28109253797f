"""Polynomials through values at Chebyshev-Lobatto nodes (Berrut and Trefethen 2004)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats


@lru_cache
def nodes(m: int) -> Floats:
    """Chebyshev-Lobatto nodes of [0, 1], shape (m + 1,), ascending from 0."""
    at = np.asarray((1 - np.cos(np.pi * np.arange(m + 1) / m)) / 2)
    at.flags.writeable = False
    return at


def interpolated(samples: npt.ArrayLike, x: Floats) -> Floats:
    """Value at x (k,) of the polynomial through samples (m + 1, ...) at `nodes`."""
    y = np.asarray(samples, dtype=np.float64)
    flat = y.reshape(len(y), -1)
    # A sum without BLAS, and one in which a value that is not finite spoils its own line only.
    values = np.einsum("km,ml->kl", _shares(len(y) - 1, tuple(x.tolist())), flat)
    return np.asarray(values.reshape(len(x), *y.shape[1:]))


@lru_cache(maxsize=32)
def _shares(m: int, x: tuple[float, ...]) -> Floats:
    """Shares of the samples at the nodes in the value at each x, shape (k, m + 1)."""
    at = nodes(m)
    weights = np.where(np.arange(m + 1) % 2, -1.0, 1.0)
    weights[[0, -1]] /= 2
    difference = np.array(x)[:, None] - at
    exact = difference == 0
    ratio = weights / np.where(exact, 1.0, difference)
    hit = exact.any(axis=1)
    ratio[hit] = exact[hit]
    return np.asarray(ratio / ratio.sum(axis=1, keepdims=True))
