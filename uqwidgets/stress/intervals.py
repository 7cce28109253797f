"""Intervals of stressed summaries, from what each row does to them."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, stdtrit

from uqwidgets.inference.few_rows import freedom_of, skewed
from uqwidgets.predictive.distributions import Floats
from uqwidgets.stress.indicators import SHARE

# By how much more than the jackknife tells a sample is drawn aside, for it lacks heavy rows.
_UNTOLD = 5.0
# By no more than this is it reckoned with, in standard errors: a bias is hardly known then.
_AT_MOST = 2.0
# Of a share: so near to none or all of the rows, it is that.
_ROUNDING = 1e-12


def reach(influence: Floats, lean: float, level: float) -> tuple[float, float]:
    r"""How far an interval reaches below and above an estimate.

    Under stress few rows carry much of a sum, so the degrees of freedom of the t interval are
    those of the estimated variance itself, and the quantiles are those of a statistic whose
    skewness is twice the lean (see `uqwidgets.inference.few_rows`).

    Parameters
    ----------
    influence : ndarray of shape (n,)
    lean : float
        See `Reweighted.influence`.
    level : float

    Returns
    -------
    below, above : float
        In the unit of the influence, never negative.
    """
    n = len(influence)
    squares = np.square(influence)
    total = float(squares.sum())
    if total == 0:
        return 0.0, 0.0
    t = float(stdtrit(min(n - 1.0, freedom_of(squares)), (1 + level) / 2))
    error = np.sqrt(total) / n
    return error * max(skewed(t, 2 * lean), 0.0), error * max(-skewed(-t, 2 * lean), 0.0)


def leaning_interval(
    value: float,
    influence: Floats,
    bias: float,
    lean: float,
    level: float,
    bounds: tuple[float, float],
    kept: float,
    told: float,
) -> tuple[float, float]:
    """Interval of an estimate whose errors lean, on the scale of `interval`.

    A logarithm or logit takes out skewness by itself, as much as it bends, which leaves less to
    be taken out. The rows that would weigh most, a sample lacks: errors lean more than it tells,
    so that only a part of the bend is reckoned with, and the estimate is drawn to one side by more
    than it tells, so that the interval reaches farther to the other.

    Parameters
    ----------
    value : float
        The estimate.
    influence : ndarray of shape (n,)
        Of rows, or of groups of rows.
    bias : float
        Of the estimate, as far as the sample tells.
    lean : float
        See `uqwidgets.stress.reweighted.Reweighted.influence`.
    level : float
    bounds : tuple of float
        What the estimate lies between.
    kept : float
        Effective sample size of the weights, over the number of rows.
    told : float
        The part of the bend that is reckoned with, between 0 and 1.
    """
    low, high = bounds
    error = float(np.sqrt(np.square(influence).sum())) / len(influence)
    if low < value < high:
        lean += told * (error / (high - value) - error / (value - low))
    below, above = reach(influence, lean, level)
    drawn = min(max(_UNTOLD * (1 - kept) * bias, -_AT_MOST * error), _AT_MOST * error)
    return interval(value, (below + max(drawn, 0.0), above + max(-drawn, 0.0)), bounds)


def none_or_all(value: float, bounds: tuple[float, float]) -> bool:
    """Whether an estimate within these bounds is a share, of none or of all of the rows."""
    return bounds == SHARE and min(value, 1 - value) < _ROUNDING


def unseen(value: float, size: float, level: float) -> tuple[float, float]:
    """Interval of a share of none or of all of the rows.

    That of Clopper and Pearson, with the effective sample size for the size (Korn and Graubard
    1998, Confidence intervals for proportions with small expected number of positive counts
    estimated from survey data, Survey Methodology 24, 193-201).

    Parameters
    ----------
    value : float
        The share: 0 or 1, but for rounding.
    size : float
        Effective number of the rows of which it is the share.
    level : float
    """
    end = float(1 - ((1 - level) / 2) ** (1 / size))
    return (0.0, max(end, value)) if value < 0.5 else (min(1 - end, value), 1.0)


def interval(
    value: float, half: float | tuple[float, float], bounds: tuple[float, float]
) -> tuple[float, float]:
    """Find the ends of an interval on the scale on which an estimate has room to both sides.

    What is bounded on both sides, as a share, is taken on the logit scale, and what is bounded on
    one side, as a positive quantity, on that of the logarithm of its distance from the bound; so
    the ends never leave what the quantity can be. Farther than one unit of such a scale, where
    the way back would lead to ever larger numbers, it goes on straight.

    Parameters
    ----------
    value : float
        The estimate.
    half : float or tuple of float
        How far the interval reaches to both sides on the quantity's own scale, or below and above.
    bounds : tuple of float
        What the quantity lies between; infinite where it has no bound.
    """
    below, above = half if isinstance(half, tuple) else (half, half)
    low, high = bounds
    if low < value < high and not np.isinf([low, high]).all():
        below, above = (
            _length(value - low, high - value, below),
            _length(high - value, value - low, above),
        )
    # On a bound, and by rounding, an end may lie beyond: min and max keep a NaN that comes first.
    return min(max(value - below, low), value), max(min(value + above, high), value)


def _length(room: float, behind: float, half: float) -> float:
    """How far an end lies from an estimate, which has so much room to its side and behind it."""
    if np.isinf(room):
        # With the logarithm of what lies behind, it grows.
        near = min(half / behind, 1.0)
        return behind * float(np.expm1(near)) + float(np.exp(near)) * (half - near * behind)
    if np.isinf(behind):
        return -room * float(np.expm1(-half / room))
    span = room + behind
    share = room / span
    step = half / (span * share * (1 - share))
    near = min(step, 1.0)

    def left(step: float) -> float:
        return float(expit(np.log(share / (1 - share)) - step))

    straight = left(near) - left(near) * (1 - left(near)) * (step - near)
    return span * (share - max(straight, left(step)))
