"""Weighted sums over many rows, and values of the rows of many pairs.

The sums avoid BLAS: after a product of two vectors its threads keep spinning on the cores that a
browser needs to paint the result.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats, Positions

# Rows that are summed at a time, so that intermediate arrays stay small.
_BLOCK = 1 << 11


def dot(one: Floats, other: Floats) -> float:
    """Sum of products of two arrays (n,)."""
    return float(np.einsum("i,i->", one, other))


def dots(one: Floats, other: Floats) -> Floats:
    """Sum of products over the last axis of two arrays of shape (..., n) or (n,)."""
    return np.asarray(np.einsum("...i,...i->...", one, other))


def dots_over_rows(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Sum of products over the first axis of two arrays (n, t), in their precision."""
    return np.asarray(np.einsum("it,it->t", one, other))


def weighted_sums(lines: Floats, weights: Floats) -> Floats:
    """Weighted sum of every line: (m, n) and (n,) to (m,)."""
    sums: Floats = np.einsum("mi,i->m", lines, weights)
    return sums


def values_at(values: npt.NDArray[Any], positions: Positions) -> npt.NDArray[Any]:
    """Return the value at every position, an array of the shape of the positions.

    Parameters
    ----------
    values : ndarray of shape (n,) or (n, t)
        With a second axis, the result has it as well.
    positions : ndarray
        Each between 0 and n - 1, which makes indexing with a check of all of them unnecessary.
    """
    return np.take(values, positions, axis=0, mode="clip")
