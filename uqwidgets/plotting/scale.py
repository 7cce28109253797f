"""From numbers to pixels, with round numbers along the way."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.plotting.text import EXPONENT_FROM, minus


@dataclass(frozen=True)
class Scale:
    """A linear scale.

    Attributes
    ----------
    low, high : float
        Its ends, in the unit of the data.
    start, stop : float
        Their pixels.
    """

    low: float
    high: float
    start: float
    stop: float

    def __call__(self, value: float) -> float:
        """Return the pixel of a value."""
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.stop - self.start)

    def ticks(self, spacing: float) -> list[tuple[float, str]]:
        """Pixels and labels of round numbers, at least about ``spacing`` pixels apart."""
        marked = ticks(self.low, self.high, max(1.0, abs(self.stop - self.start) / spacing))
        return [(self(value), label) for value, label in marked]


def fitted(
    values: list[npt.ArrayLike], start: float, stop: float, margin: float = 0.04
) -> Scale | None:
    """Return a scale on which all finite values have a place, or None if there are none."""
    numbers: Floats = np.concatenate([np.ravel(np.asarray(v, dtype=np.float64)) for v in values])
    numbers = numbers[np.isfinite(numbers)]
    if numbers.size == 0:
        return None
    low, high = float(numbers.min()), float(numbers.max())
    # All alike: a scale needs some length.
    spare = margin * (high - low) if high > low else 0.1 * abs(low) or 1.0
    # The margin does not lead to the other side of zero: most quantities have no values there.
    low, high = (
        max(low - spare, 0.0) if low >= 0 else low - spare,
        min(high + spare, 0.0) if high <= 0 and low < 0 else high + spare,
    )
    return Scale(low, high, start, stop)


def ticks(low: float, high: float, count: float) -> list[tuple[float, str]]:
    """Multiples of 1, 2 or 5 times a power of ten between ``low`` and ``high``, about ``count``."""
    least = (high - low) / count
    power = 10.0 ** math.floor(math.log10(least))
    step = power * next(m for m in (1, 2, 5, 10) if m * power >= least * (1 - 1e-9))
    values = [
        i * step for i in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    ]
    magnitude = math.floor(math.log10(step) + 1e-9)
    largest = max(abs(low), abs(high))
    if largest >= EXPONENT_FROM or largest < 1e-3:
        digits = max(1, math.floor(math.log10(largest)) - magnitude + 1)
        return [(v, minus(f"{v:.{digits}g}")) for v in values]
    grouping = "," if largest >= 1e4 else ""
    return [(v, minus(f"{v:{grouping}.{max(0, -magnitude)}f}")) for v in values]
