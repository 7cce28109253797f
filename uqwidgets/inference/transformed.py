"""Intervals on a logit or log scale, for quantities with bounds."""

from __future__ import annotations

import numpy as np
from scipy.special import expit


def transformed_interval(
    value: float, half: float | tuple[float, float], bounds: tuple[float, float]
) -> tuple[float, float]:
    """Compute an interval on a logit or log scale, so that it keeps the bounds of the quantity.

    A quantity with two bounds, such as a share, is transformed by the logit; a quantity with one
    bound, such as a variance, by the logarithm of its distance from the bound. Beyond one unit of
    such a scale the inverse is continued linearly, because the exponential function would lead to
    ever larger numbers.

    Parameters
    ----------
    value : float
        The estimate.
    half : float or tuple of float
        Half width on the scale of the quantity, or the widths below and above.
    bounds : tuple of float
        Lower and upper bound of the quantity; infinite where there is none.
    """
    below, above = half if isinstance(half, tuple) else (half, half)
    low, high = bounds
    if low < value < high and not np.isinf([low, high]).all():
        below, above = (
            _transformed_width(value - low, high - value, below),
            _transformed_width(high - value, value - low, above),
        )
    # On a bound, rounding may put an end beyond it; min and max keep a NaN that comes first.
    return min(max(value - below, low), value), max(min(value + above, high), value)


def _transformed_width(ahead: float, behind: float, half: float) -> float:
    """Distance of an end from the estimate, given the distances of both bounds from it.

    Parameters
    ----------
    ahead, behind : float
        Distance of the bound on the side of the end, and on the other side; may be infinite.
    half : float
        Half width before the transformation.
    """
    if np.isinf(ahead):
        # On the scale of log(behind) the width grows exponentially.
        near = min(half / behind, 1.0)
        return behind * float(np.expm1(near)) + float(np.exp(near)) * (half - near * behind)
    if np.isinf(behind):
        return -ahead * float(np.expm1(-half / ahead))
    span = ahead + behind
    share = ahead / span
    step = half / (span * share * (1 - share))
    near = min(step, 1.0)

    def remaining(step: float) -> float:
        return float(expit(np.log(share / (1 - share)) - step))

    linear = remaining(near) - remaining(near) * (1 - remaining(near)) * (step - near)
    return span * (share - max(linear, remaining(step)))
