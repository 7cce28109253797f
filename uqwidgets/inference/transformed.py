"""Intervals on a logit or log scale, for quantities with bounds."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from uqwidgets._typing import Floats


def transformed_interval(
    value: npt.ArrayLike,
    half: npt.ArrayLike | tuple[npt.ArrayLike, npt.ArrayLike],
    bounds: tuple[npt.ArrayLike, npt.ArrayLike],
) -> tuple[Floats, Floats]:
    """Compute intervals on a logit or log scale, so that they keep the bounds of the quantity.

    A quantity with two bounds, such as a share, is transformed by the logit; a quantity with one
    bound, such as a variance, by the logarithm of its distance from the bound. Beyond one unit of
    such a scale the inverse is continued linearly, because the exponential function would lead to
    ever larger numbers.

    Parameters
    ----------
    value : array-like of shape (...)
        The estimates.
    half : array-like of shape (...), or tuple of two
        Half width on the scale of the quantity, or the widths below and above.
    bounds : tuple of two array-likes of shape (...)
        Lower and upper bound of the quantity; infinite where there is none.

    Returns
    -------
    low, high : ndarray of shape (...)
    """
    value = np.asarray(value, dtype=np.float64)
    widths = half if isinstance(half, tuple) else (half, half)
    below, above = (np.asarray(width, dtype=np.float64) for width in widths)
    low, high = (np.asarray(bound, dtype=np.float64) for bound in bounds)
    is_transformed = (low < value) & (value < high) & (np.isfinite(low) | np.isfinite(high))
    if is_transformed.any():
        from_low, from_high = value - low, high - value
        below = np.where(is_transformed, _transformed_width(from_low, from_high, below), below)
        above = np.where(is_transformed, _transformed_width(from_high, from_low, above), above)
    # On a bound, rounding may put an end beyond it.
    return (
        np.minimum(np.maximum(value - below, low), value),
        np.maximum(np.minimum(value + above, high), value),
    )


def _transformed_width(ahead: Floats, behind: Floats, half: Floats) -> Floats:
    """Distance of an end from the estimate, given the distances of both bounds from it.

    Parameters
    ----------
    ahead, behind : ndarray of shape (...)
        Distance of the bound on the side of the end, and on the other side; may be infinite.
    half : ndarray of shape (...)
        Half width before the transformation.
    """
    # Each formula is computed everywhere, and used where its bounds are finite.
    with np.errstate(all="ignore"):
        # On the scale of log(behind) the width grows exponentially.
        near = np.minimum(half / behind, 1.0)
        growing = behind * np.expm1(near) + np.exp(near) * (half - near * behind)
        shrinking = -ahead * np.expm1(-half / ahead)
        span = ahead + behind
        share = ahead / span
        step = half / (span * share * (1 - share))
        near = np.minimum(step, 1.0)
        logit = np.log(share / (1 - share))
        remaining = expit(logit - near)
        linear = remaining - remaining * (1 - remaining) * (step - near)
        within = span * (share - np.maximum(linear, expit(logit - step)))
    return np.where(np.isinf(ahead), growing, np.where(np.isinf(behind), shrinking, within))
