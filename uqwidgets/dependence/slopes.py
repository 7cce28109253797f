"""Slopes of curves along an uneven grid."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.inference.rounding import difference


def slopes(lines: Iterable[Floats], values: npt.NDArray[Any]) -> Iterator[Floats]:
    """Differentiate each row's curve along an uneven grid, one point after the other.

    At an inner point, the slope is that of the parabola through the point and its two neighbours;
    at an end, that of the line to its only neighbour. The slopes of a step function, such as a
    tree's, depend on how fine the grid is.

    Parameters
    ----------
    lines : iterable of ndarray of shape (n,), length g
        Values of all curves at one point after the other.
    values : ndarray of shape (g,)
        Ascending; at least two are finite.

    Yields
    ------
    ndarray of shape (n,)
        Slopes at each point, NaN where its value is not finite.
    """
    first, *_, last = np.flatnonzero(np.isfinite(values)).tolist()
    # Large integers may differ although they are the same float.
    exact = values.astype(object) if values.dtype.kind in "iu" else values
    steps = np.diff(exact).astype(np.float64)
    before = previous = np.empty(0)
    for g, line in enumerate(lines):
        if not first <= g <= last:
            yield np.full(len(line), np.nan)
            continue
        if g == first:  # the slope at a point needs the next one
            previous = line
            continue
        after = difference(line, previous)
        after /= steps[g - 1]
        slope = after
        if g > first + 1:
            share = steps[g - 1] / (steps[g - 2] + steps[g - 1])
            slope = (1 - share) * after
            slope += share * before
        # The arrays before do not stay in memory while others use the slope.
        before, previous = after, line
        yield slope
        del slope
        if g == last:
            yield before
