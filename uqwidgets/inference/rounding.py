"""Differences of a measure that are exactly zero where a model ignores the replaced values."""

from __future__ import annotations

import numpy as np

from uqwidgets._typing import Floats

# Predictions of a model that ignores a feature may still differ by rounding errors, because
# libraries sum in an order that depends on the number of rows.
_ROUNDING = 64 * np.finfo(np.float64).eps
_CACHED_VALUES = 1 << 16


def difference(values: Floats, reference: Floats) -> Floats:
    """Values minus a reference, exactly zero where they differ only by rounding.

    Parameters
    ----------
    values : ndarray of shape (m, n)
    reference : ndarray of shape (n,) or (m, n)
    """
    result = values - reference
    rounding = np.abs(reference)
    rounding += rounding.mean(axis=-1, keepdims=True)
    rounding *= _ROUNDING
    lines = np.atleast_2d(result)
    tolerance = np.broadcast_to(rounding, lines.shape)
    # A few lines at a time: with many rows, temporary arrays would need as much memory again.
    step = max(1, _CACHED_VALUES // lines.shape[1])
    for first in range(0, len(lines), step):
        part = slice(first, first + step)
        lines[part][np.abs(lines[part]) <= tolerance[part]] = 0.0
    return result
