"""Curves, and functions of tau, as polylines with few knots in whole numbers, within a tolerance.

The ends of intervals have kinks, so they are known at many levels of tau; the curve of a row is
nearly straight, or has steps. A line from a knot goes on as long as one slope fits all levels to
within the tolerance, and ends at the next knot.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats

# Knots are rounded to multiples of a quantum, by at most half of it; with lines that are off by
# the remainder of the tolerance, no value is off by more than all of it.
_QUANTUM = 0.5
# Most quanta of a value, and of a rise, in whole numbers of 32 bits.
_MOST_QUANTA = 1 << 30


class Polylines(NamedTuple):
    """Knots of all lines, one line after the other.

    Attributes
    ----------
    steps : ndarray of uint8, or of int32 where there are many levels
        Levels from a knot to the next; the steps of a line add up to its last level.
    rises : ndarray of int32
        Of each line the value at its first level, then from each knot to the next; all in multiples
        of the quantum of the line, the first less the center of its column.
    quantum : ndarray of shape (sides, k)
    """

    steps: npt.NDArray[np.uint8 | np.int32]
    rises: npt.NDArray[np.int32]
    quantum: npt.NDArray[np.float32]


def polylines(values: Floats, tolerance: Floats, center: Floats) -> Polylines:
    """Return lines that differ by at most the tolerance from the values at every level.

    Parameters
    ----------
    values : ndarray of shape (sides, levels, k)
        Finite, at evenly spaced levels.
    tolerance : ndarray of shape (sides, levels, k)
        Above 0.
    center : ndarray of shape (k,)
        A value of each column that is known.
    """
    sides, levels, k = values.shape
    quantum = (_QUANTUM * tolerance.min(axis=1)).astype(np.float32)
    unit = quantum.astype(np.float64).ravel()
    y = (values - center).transpose(1, 0, 2).reshape(levels, -1) / unit
    free = tolerance.transpose(1, 0, 2).reshape(levels, -1) / unit - 0.5
    lines = _Lines(y)
    for level in range(1, levels):
        low, high = lines.slopes(level, free[level])
        ends = np.flatnonzero(low > high)
        lines.end(ends, level - 1)
        if len(ends):
            low, high = lines.slopes(level, free[level])
        lines.low, lines.high = low, high
    if levels > 1:
        lines.end(np.arange(sides * k), levels - 1)
    is_knot = lines.steps > 0
    is_value = is_knot.copy()
    is_value[:, 0] = True
    steps, rises = lines.steps[is_knot], lines.rises[is_value]
    kind = np.uint8 if levels <= 1 + np.iinfo(np.uint8).max else np.int32
    return Polylines(steps.astype(kind), rises.astype(np.int32), quantum)


def within_reach(offsets: Floats, tolerance: Floats) -> npt.NDArray[np.bool_]:
    """Return which values whole numbers of 32 bits can hold, as many of each line as possible.

    The quantum of a line suits its least tolerance, so values that are many orders of magnitude
    larger are beyond reach, or else the values that need the least tolerance.

    Parameters
    ----------
    offsets : ndarray of shape (sides, levels, k)
        Values less the center of their column.
    tolerance : ndarray of shape (sides, levels, k)
        Above 0; infinite where there is no value.
    """
    most = np.abs(offsets) / (_QUANTUM * _MOST_QUANTA)
    is_within = np.asarray(most <= tolerance.min(axis=1, keepdims=True))
    for side, line in zip(*np.nonzero(~is_within.all(axis=1)), strict=True):
        size, error = most[side, :, line], tolerance[side, :, line]
        # One row for each tolerance that may be the least one.
        fits = (error >= error[:, None]) & (size <= error[:, None]) & np.isfinite(error)
        is_within[side, :, line] = fits[fits.sum(axis=1).argmax()]
    return is_within


class _Lines:
    """Lines that grow level by level.

    Parameters
    ----------
    y : ndarray of shape (levels, lines)
    """

    def __init__(self, y: Floats) -> None:
        n = y.shape[1]
        self._y = y
        # The last knot of each line, and the slopes that fit all levels since.
        self._start, self._knot = np.zeros(n, dtype=np.intp), np.rint(y[0])
        self.low, self.high = np.full(n, -np.inf), np.full(n, np.inf)
        self.steps = np.zeros((n, len(y)), dtype=np.intp)
        self.rises = np.zeros((n, len(y)))
        self.rises[:, 0] = self._knot

    def slopes(self, level: int, free: Floats) -> tuple[Floats, Floats]:
        """Return the least and the largest slope that fit all levels up to this one."""
        distance = level - self._start
        low = (self._y[level] - free - self._knot) / distance
        high = (self._y[level] + free - self._knot) / distance
        return np.maximum(self.low, low), np.minimum(self.high, high)

    def end(self, lines: npt.NDArray[np.intp], level: int) -> None:
        """Add a knot to these lines at a level after their last one."""
        distance, knot = level - self._start[lines], self._knot[lines]
        ends = knot + self.low[lines] * distance, knot + self.high[lines] * distance
        self.steps[lines, level] = distance
        self.rises[lines, level] = np.rint(np.clip(self._y[level, lines], *ends)) - knot
        self._start[lines] = level
        self._knot[lines] += self.rises[lines, level]
        self.low[lines], self.high[lines] = -np.inf, np.inf
