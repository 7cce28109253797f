"""Functions of tau at all levels of sides, computed at as few of them as a tolerance allows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats, Positions


def bisected(
    values: Floats,
    unknown: npt.NDArray[np.bool_],
    compute: Callable[[Positions, Positions], Floats],
    tolerance: Floats,
    apart: int,
) -> Floats:
    """Return values with the unknown ones computed, or interpolated between those.

    First some levels are computed that are ``apart`` from each other. Then the value half-way
    between two levels is computed and compared with the straight line. Where the error of the line
    exceeds the tolerance, both halves are bisected in turn. A line may be accurate half-way and
    still miss a hump on one side of it. So the lines of both halves have to be accurate half-way,
    too, unless the error is about a quarter of that of the line of twice the length, as it is where
    the curve is smooth. The next levels of all sides are computed together.

    Parameters
    ----------
    values : ndarray of shape (sides, levels, k)
    unknown : ndarray of shape (sides, levels)
    compute : callable
        From sides (p,) and positions (p,) among their levels to the values there (p, k).
    tolerance : ndarray of shape (sides, levels, k)
    apart : int
        Number of levels; with 1, all that are unknown are computed.
    """
    values, known = values.copy(), ~unknown
    levels = np.arange(values.shape[1])

    def add(sides: Positions, places: Positions) -> None:
        values[sides, places] = compute(sides, places)
        known[sides, places] = True

    sides, first = np.nonzero(unknown & ((levels % apart == 0) | (levels == levels[-1])))
    if len(first):
        add(sides, first)
    sides, places = np.nonzero(known)
    sides, left, right = sides[1:], places[:-1], places[1:]
    # The first place of a side does not follow the last one of the side before it.
    is_gap = right - left > 1
    sides, left, right = sides[is_gap], left[is_gap], right[is_gap]
    # Whether a piece is half of one whose line is near half-way.
    is_half_of_near = np.zeros(len(sides), dtype=bool)
    error_before = np.zeros((len(sides), values.shape[2]))
    while len(sides):
        middle = (left + right) // 2
        share = ((middle - left) / (right - left))[:, None]
        line = (1 - share) * values[sides, left] + share * values[sides, right]
        add(sides, middle)
        exact = values[sides, middle]
        error = np.where(np.isnan(exact) & np.isnan(line), 0.0, exact - line)
        limit = tolerance[sides, middle]
        is_near = (np.abs(error) <= limit).all(axis=1)
        is_smooth = (np.abs(error - error_before / 4) <= limit / 2).all(axis=1)
        is_open = ~(is_near & (is_smooth | is_half_of_near))
        sides, left, middle, right, is_near, error = (
            each[is_open] for each in (sides, left, middle, right, is_near, error)
        )
        sides, left, right = np.r_[sides, sides], np.r_[left, middle], np.r_[middle, right]
        is_gap = right - left > 1
        sides, left, right = sides[is_gap], left[is_gap], right[is_gap]
        is_half_of_near = np.r_[is_near, is_near][is_gap]
        error_before = np.r_[error, error][is_gap]
    for of_side, is_known in zip(values, known, strict=True):
        places = np.flatnonzero(is_known)
        for j in range(values.shape[2]):
            of_side[:, j] = np.interp(levels, places, of_side[places, j])
    return values
