"""How many curves and points pictures show, and which ones."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Positions

MOST_CURVES = 100
# Points of all lines together: more make a page heavy, and Altair refuses them.
MOST_POINTS = 5000
EMPHASISED = 5
# Emphasised lines of several indicators together: as many as there are colours.
MOST_EMPHASISED = 7


def evenly(count: int, most: int) -> Positions:
    """At most ``most`` of ``count`` positions, evenly spaced, the first and the last included."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(np.intp))


def segments(near: npt.NDArray[np.bool_]) -> list[tuple[int, int, bool]]:
    """Cut a curve into segments that are near the data, and segments that are not.

    A step between two points is near the data if both points are.

    Parameters
    ----------
    near : ndarray of shape (g,)

    Returns
    -------
    list of (start, stop, near)
        Slices that share their end points; a single point is one segment.
    """
    if len(near) == 1:
        return [(0, 1, bool(near[0]))]
    steps = near[1:] & near[:-1]
    cuts = [0, *(np.flatnonzero(np.diff(steps)) + 1).tolist(), len(steps)]
    return [(a, b + 1, bool(steps[a])) for a, b in itertools.pairwise(cuts)]
