"""Functions of tau at all levels of sides, computed at as few of them as a tolerance allows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats, Positions

# Levels between the places that are computed first.
_APART = 50


def bisected(
    values: Floats,
    unknown: npt.NDArray[np.bool_],
    compute: Callable[[Positions, Positions], Floats],
    tolerance: Floats,
) -> Floats:
    """Return values with the unknown ones computed, or interpolated between those.

    Half-way between two levels the value is computed, and compared with the straight line. Where
    this is off by more than the tolerance, both halves are bisected in turn. What is computed next
    of all sides is computed together.

    Parameters
    ----------
    values : ndarray of shape (sides, levels, k)
    unknown : ndarray of shape (sides, levels)
    compute : callable
        From sides (p,) and positions (p,) among their levels to the values there (p, k).
    tolerance : ndarray of shape (sides, levels, k)
    """
    values, known = values.copy(), ~unknown
    levels = np.arange(values.shape[1])

    def add(sides: Positions, places: Positions) -> None:
        values[sides, places] = compute(sides, places)
        known[sides, places] = True

    sides, first = np.nonzero(unknown & ((levels % _APART == 0) | (levels == levels[-1])))
    if len(first):
        add(sides, first)
    sides, places = np.nonzero(known)
    sides, left, right = sides[1:], places[:-1], places[1:]
    # The first place of a side does not follow the last one of the side before it.
    is_gap = right - left > 1
    sides, left, right = sides[is_gap], left[is_gap], right[is_gap]
    while len(sides):
        middle = (left + right) // 2
        share = ((middle - left) / (right - left))[:, None]
        line = (1 - share) * values[sides, left] + share * values[sides, right]
        add(sides, middle)
        exact = values[sides, middle]
        is_near = np.abs(exact - line) <= tolerance[sides, middle]
        is_far = ~(is_near | (np.isnan(exact) & np.isnan(line))).all(axis=1)
        sides, left, middle, right = (each[is_far] for each in (sides, left, middle, right))
        sides, left, right = np.r_[sides, sides], np.r_[left, middle], np.r_[middle, right]
        is_gap = right - left > 1
        sides, left, right = sides[is_gap], left[is_gap], right[is_gap]
    for of_side, is_known in zip(values, known, strict=True):
        places = np.flatnonzero(is_known)
        for j in range(values.shape[2]):
            of_side[:, j] = np.interp(levels, places, of_side[places, j])
    return values
