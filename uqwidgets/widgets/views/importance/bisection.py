"""Functions of tau at all levels of a side, computed at as few of them as a tolerance allows."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats, Positions

# Levels between the places that are computed first.
_APART = 50


def bisected(
    values: Floats,
    unknown: npt.NDArray[np.bool_],
    compute: Callable[[Positions], Floats],
    tolerance: Floats,
) -> Floats:
    """Return values with the unknown ones computed, or interpolated between those.

    Half-way between two levels the value is computed, and compared with the straight line. Where
    this is off by more than the tolerance, both halves are bisected in turn.

    Parameters
    ----------
    values : ndarray of shape (levels, k)
    unknown : ndarray of shape (levels,)
    compute : callable
        From positions (p,) among the levels to their values (p, k).
    tolerance : ndarray of shape (levels, k)
    """
    values, known = values.copy(), ~unknown
    levels = np.arange(len(values))

    def add(places: Positions) -> None:
        values[places] = compute(places)
        known[places] = True

    first = np.flatnonzero(unknown & ((levels % _APART == 0) | (levels == levels[-1])))
    if len(first):
        add(first)
    places = np.flatnonzero(known)
    gaps = [(a, b) for a, b in pairwise(places.tolist()) if b - a > 1]
    while gaps:
        left, right = np.array(gaps).T
        middle = (left + right) // 2
        share = ((middle - left) / (right - left))[:, None]
        line = (1 - share) * values[left] + share * values[right]
        add(middle)
        is_near = np.abs(values[middle] - line) <= tolerance[middle]
        is_near = (is_near | (np.isnan(values[middle]) & np.isnan(line))).all(axis=1)
        halves = [*zip(left, middle, strict=True), *zip(middle, right, strict=True)]
        is_done = [*is_near, *is_near]
        gaps = [
            (a, b) for (a, b), done in zip(halves, is_done, strict=True) if not done and b - a > 1
        ]
    places = np.flatnonzero(known)
    for j in range(values.shape[1]):
        values[:, j] = np.interp(levels, places, values[places, j])
    return values
