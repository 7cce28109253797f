"""Differences of a measure that are exactly zero where a model ignores what was replaced."""

from __future__ import annotations

import numpy as np

from uqwidgets.predictive.distributions import Floats

# A model that ignores a feature may still answer a rounding error apart, for libraries sum in
# an order that depends on how many rows they get.
_ROUNDING = 64 * np.finfo(np.float64).eps


def difference(values: Floats, reference: Floats) -> Floats:
    """Values minus a reference, zero where only rounding tells them apart.

    Parameters
    ----------
    values : ndarray of shape (m, n)
    reference : ndarray of shape (n,) or (m, n)
    """
    found = values - reference
    size = np.abs(reference)
    rounding = _ROUNDING * (size + size.mean(axis=-1, keepdims=True))
    # Line by line: of many rows, arrays beside the result would take as much room again.
    for line, least in zip(
        np.atleast_2d(found), np.broadcast_to(rounding, np.atleast_2d(found).shape), strict=True
    ):
        line[np.abs(line) <= least] = 0.0
    return found
