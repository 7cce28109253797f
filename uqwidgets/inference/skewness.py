"""What it does to an interval that few rows have much influence."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

from uqwidgets._typing import Floats
from uqwidgets.inference.sums import dot

# A row or two may hold nearly all influence. What is known of the spread and the skewness is then
# that they are large, not how large: the degrees of freedom go no lower than this, and the
# transformation no nearer to where its slope is infinite. Coverage is none the worse for it.
_LEAST_FREEDOM = 10.0
_STEEPEST = 7 / 48  # 6 a t = 7/8: the cubic root is of no less than about 1/8


def steadiness(parts: Floats) -> float:
    r"""Squared ratio of a variance that was estimated without bias to its own standard error.

    Twice this are Satterthwaite's degrees of freedom.

    Parameters
    ----------
    parts : ndarray of shape (n,)
        One of each row, whose sum is a multiple of the variance; some may be negative.

    Returns
    -------
    float
        0 where their sum is not positive.
    """
    n, total = len(parts), float(parts.sum())
    if not total > 0:
        return 0.0
    shares = parts / total
    # Fourth powers of small and of large numbers are no floats; of equal parts nothing is left but
    # rounding.
    return 1 / max(dot(shares, shares) - 1 / n, 2 / n**2)


def positive_variance(parts: Floats) -> tuple[float, float]:
    r"""Estimate of the sum of parts that cannot be negative, with its degrees of freedom.

    The parts' sum V has a standard error s; the estimate is the mean of a normal distribution
    around V with this deviation, of which only what is positive is left, :math:`V + s \phi(V/s) /
    \Phi(V/s)`. It is V itself wherever V is known well, and wide where it is not.

    Parameters
    ----------
    parts : ndarray of shape (n,)
    """
    largest = float(np.abs(parts).max())
    if not largest > 0:
        return largest, math.inf
    relative = parts / largest  # fourth powers of small and of large influences are no floats
    total = float(relative.sum())
    error = float(np.sqrt(np.square(relative - total / len(parts)).sum()))
    if not error > 1e-12 * abs(total):
        return max(total, 0.0) * largest, math.inf
    ratio = total / error
    if ratio > -30:
        density = math.exp(-ratio * ratio / 2) / math.sqrt(2 * math.pi)
        total += error * density / float(ndtr(ratio))
    else:  # its limit, as numbers so small are no floats
        total = -error / ratio
    return total * largest, max(2 * (total / error) ** 2, _LEAST_FREEDOM)


def freedom_of(squares: Floats) -> float:
    r"""Degrees of freedom of a variance that was estimated from squared influences.

    Satterthwaite's: 2 over :math:`\sum \mathrm{IF}^4 / (\sum \mathrm{IF}^2)^2 - 1/n`, and at least
    10.

    Parameters
    ----------
    squares : ndarray of shape (n,)
        Not all of them zero.
    """
    return max(2 * steadiness(squares), _LEAST_FREEDOM)


def skewed(t: float, skewness: float) -> float:
    """Find the studentised value whose transformed value is t.

    Hall's cubic transformation takes the skewness out of a studentised mean (Hall 1992, On the
    removal of skewness by transformation, J. R. Stat. Soc. B 54, 221-228).

    Parameters
    ----------
    t : float
        A quantile of a distribution without skewness; not zero.
    skewness : float
        Of the mean.
    """
    steepest = _STEEPEST / abs(t)
    a = min(max(skewness / 6, -steepest), steepest)
    if abs(a) < 1e-8:  # where the cube root would round it all off
        return t
    return (math.cbrt(1 + 6 * a * (t - a)) - 1) / (2 * a)
