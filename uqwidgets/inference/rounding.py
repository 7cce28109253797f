"""Differences of a measure that are exactly zero where a model ignores what was replaced."""

from __future__ import annotations

import numpy as np

from uqwidgets._typing import Floats

# A model that ignores a feature may still answer a rounding error apart, for libraries sum in
# an order that depends on how many rows they get.
_ROUNDING = 64 * np.finfo(np.float64).eps
_CACHED_VALUES = 1 << 16


def difference(values: Floats, reference: Floats) -> Floats:
    """Values minus a reference, zero where only rounding tells them apart.

    Parameters
    ----------
    values : ndarray of shape (m, n)
    reference : ndarray of shape (n,) or (m, n)
    """
    found = values - reference
    rounding = np.abs(reference)
    rounding += rounding.mean(axis=-1, keepdims=True)
    rounding *= _ROUNDING
    lines = np.atleast_2d(found)
    least = np.broadcast_to(rounding, lines.shape)
    # A few lines at a time: of many rows, arrays beside the result would take as much room again.
    step = max(1, _CACHED_VALUES // lines.shape[1])
    for first in range(0, len(lines), step):
        part = slice(first, first + step)
        lines[part][np.abs(lines[part]) <= least[part]] = 0.0
    return found
