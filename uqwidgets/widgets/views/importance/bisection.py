"""Functions of tau at all levels of sides, computed at as few of them as a tolerance allows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats, Positions


def bisected(
    values: Floats,
    unknown: npt.NDArray[np.bool_],
    is_rough: npt.NDArray[np.bool_],
    compute: Callable[[Positions, Positions], Floats],
    tolerance: Floats,
    derive: Callable[[Floats], Floats],
) -> Floats:
    """Return values whose unknown ones are computed, or corrected like computed ones beside them.

    A correction is the difference of the computed value from the given estimate of it. Corrections
    are closer to a straight line than the values are, except where the estimates are rough. There
    the line is that of the values. The correction half-way between two levels is computed and
    compared with the straight line, by what is derived from both. Where the error of the line
    exceeds the tolerance, both halves are bisected in turn. A line may be accurate half-way and
    still miss a hump on one side of it. So the lines of both halves have to be accurate half-way,
    too, unless the error is about a quarter of that of the line of twice the length, as it is where
    the curve is smooth. The next levels of all sides are computed together.

    Parameters
    ----------
    values : ndarray of shape (sides, levels, k)
        Estimates of the unknown ones; NaN where there is no value.
    unknown : ndarray of shape (sides, levels)
    is_rough : ndarray of shape (sides,)
        Where the estimates of a side are not used.
    compute : callable
        From sides (p,) and positions (p,) among their levels to the values there (p, k).
    tolerance : ndarray of shape (sides, levels, q)
        Of what is derived from the values.
    derive : callable
        From values (p, k) to what they are needed for (p, q). It may have kinks where the values
        have none.
    """
    estimates = np.where(is_rough[:, None, None], 0.0, values)
    corrections, known = np.where(is_rough[:, None, None], values, 0.0), ~unknown
    levels = np.arange(values.shape[1])

    def add(sides: Positions, places: Positions) -> None:
        new = np.unique(np.ravel_multi_index((sides, places), known.shape))
        sides, places = np.unravel_index(new[~known.flat[new]], known.shape)
        if not len(sides):
            return
        exact, near = compute(sides, places), estimates[sides, places]
        has_none = np.isnan(exact) & np.isnan(near)
        corrections[sides, places] = np.where(has_none, 0.0, exact - near)
        known[sides, places] = True

    edges = np.nonzero(known | (levels == 0) | (levels == levels[-1]))
    sides, left, right = edges[0][1:], edges[1][:-1], edges[1][1:]
    # The first place of a side does not follow the last one of the side before it.
    is_gap = right - left > 1
    sides, left, right = sides[is_gap], left[is_gap], right[is_gap]
    middle = (left + right) // 2
    # No line is taken for straight before those of both halves are known to be near.
    first = np.r_[edges[1], middle, (left + middle) // 2, (middle + right) // 2]
    add(np.r_[edges[0], sides, sides, sides], first)
    # Whether a piece is half of one whose line is near half-way.
    is_half_of_near = np.zeros(len(sides), dtype=bool)
    error_before = np.full((len(sides), tolerance.shape[2]), np.inf)
    while len(sides):
        middle = (left + right) // 2
        share = ((middle - left) / (right - left))[:, None]
        line = (1 - share) * corrections[sides, left] + share * corrections[sides, right]
        add(sides, middle)
        near = estimates[sides, middle]
        exact, line = (derive(near + each) for each in (corrections[sides, middle], line))
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
    result = estimates
    for of_side, own, is_known in zip(result, corrections, known, strict=True):
        places = np.flatnonzero(is_known)
        before = np.searchsorted(places, levels, side="right") - 1
        left, right = places[before], places[np.minimum(before + 1, len(places) - 1)]
        share = ((levels - left) / np.maximum(right - left, 1))[:, None]
        # A computed value does not depend on those beside it, which may be unknown.
        line = (1 - share) * own[left] + share * own[right]
        of_side += np.where(share > 0, line, own[left])
    return result
