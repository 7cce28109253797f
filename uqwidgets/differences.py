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
    found[np.abs(found) <= _ROUNDING * (size + size.mean(axis=-1, keepdims=True))] = 0.0
    return found
