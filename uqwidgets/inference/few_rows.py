"""What it does to an interval that few rows have much influence."""

from __future__ import annotations

import math

from uqwidgets.predictive.distributions import Floats
from uqwidgets.sums import dot

# A row or two may hold nearly all influence. What is known of the spread and the skewness is then
# that they are large, not how large: the degrees of freedom go no lower than this, and the
# transformation no nearer to where its slope is infinite. Coverage is none the worse for it.
_LEAST_FREEDOM = 10.0
_STEEPEST = 7 / 48  # 6 a t = 7/8: the cubic root is of no less than about 1/8


def freedom_of(squares: Floats) -> float:
    r"""Degrees of freedom of a variance that was estimated from squared influences.

    Satterthwaite's: 2 over :math:`\sum \mathrm{IF}^4 / (\sum \mathrm{IF}^2)^2 - 1/n`, and at least
    10.

    Parameters
    ----------
    squares : ndarray of shape (n,)
        Not all of them zero.
    """
    # Fourth powers of small and of large numbers are no floats.
    n, shares = len(squares), squares / squares.sum()
    excess = dot(shares, shares) - 1 / n
    return max(2 / max(excess, 2 / n**2), _LEAST_FREEDOM)


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
