"""Intervals of a ratio of two means, from those of differences."""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy.optimize import brentq

from uqwidgets._typing import Floats
from uqwidgets.inference.bounds import Bounds, Reference, bounds
from uqwidgets.inference.influence import Change, compared
from uqwidgets.inference.kinds import Interval
from uqwidgets.inference.population import Population
from uqwidgets.inference.sums import dot

# A ratio this far beyond the estimate is as good as any.
_FARTHEST = 1e6
_PRECISION = 1e-10


def ratio_bounds(
    change: Change,
    original: Floats,
    interval: Interval,
    level: float,
    population: Population,
    reference: Reference = "t",
) -> Bounds:
    r"""Find the ends of an interval for the measure after replacement over the measure before.

    It is the ratio of Dankers et al. 2020, section 8.4. Over rows (``u-statistic``, ``model``), a
    ratio
    :math:`\rho` is within the interval if zero is within that of the mean after replacement minus
    :math:`\rho` times the mean before (Fieller 1954, J. R. Stat. Soc. B 16, 175-185), which has
    the joint influence of both. The interval lies above 1 exactly if that of the difference lies
    above 0. The other intervals take the rows as they are, and so the mean before as fixed.

    Parameters
    ----------
    change : Change
        As a difference.
    original : ndarray of shape (n,)
        The measure of each row as it is, of a positive mean.
    interval, level, population, reference
        As in `bounds`.
    """
    s = population.scored
    baseline = dot(s, original) / s.sum()
    if interval not in ("u-statistic", "model"):
        return over_baseline(bounds(change, interval, level, population, reference), baseline)

    def differing(ratio: float) -> Bounds:
        moved = compared(change, original, population, ratio)
        return bounds(moved, interval, level, population, reference)

    return fieller(differing, 1 + change.estimate / baseline, baseline)


def over_baseline(difference: Bounds, baseline: float) -> Bounds:
    """Return the bounds of a ratio to a baseline that is taken as fixed, and positive."""
    ratio, low = 1 + difference.estimate / baseline, 1 + difference.low / baseline
    return Bounds(
        ratio,
        difference.std_error / baseline,
        0.0 if low < 0 <= ratio else low,
        1 + difference.high / baseline,
    )


def fieller(differing: Callable[[float], Bounds], ratio: float, baseline: float) -> Bounds:
    """Return the bounds of a ratio to an estimated baseline.

    Parameters
    ----------
    differing : callable
        From a ratio to the interval of the mean after minus that many times the mean before.
    ratio : float
        The estimate, of which the difference is zero.
    baseline : float
        The mean before.

    Returns
    -------
    Bounds
        Where no ratio is too large, for the mean before may be zero as well, ``high`` is NaN.
    """
    low, high = _inverted(differing, ratio)
    return Bounds(ratio, differing(ratio).std_error / baseline, low, high)


def _inverted(differing: Callable[[float], Bounds], ratio: float) -> tuple[float, float]:
    """Find between which ratios the interval of the difference that belongs to each holds zero.

    None of them is negative, and an estimate that is has no interval: the measure has both signs.
    """
    at_one, here = differing(1.0), differing(ratio)
    if not (math.isfinite(at_one.low) and math.isfinite(here.low) and ratio >= 0):
        return math.nan, math.nan
    if not here.low < 0 < here.high:  # no spread, or none but rounding
        return ratio, ratio

    def root(end: Callable[[float], float], first: float, last: float) -> float:
        return float(brentq(end, first, last, xtol=_PRECISION * max(1.0, abs(ratio))))

    def low_end(ratio: float) -> float:
        return differing(ratio).low

    def high_end(ratio: float) -> float:
        return differing(ratio).high

    # From 1 on, so that both intervals agree where the curve of an end has more than one root.
    if at_one.low > 0:
        low = root(low_end, 1.0, ratio)
    else:
        least = min(1.0, ratio)
        low = root(low_end, 0.0, least) if low_end(0.0) > 0 else 0.0
    if at_one.high < 0:
        return low, root(high_end, ratio, 1.0)
    inner = max(1.0, ratio)
    step = max(ratio - low, _PRECISION)
    while high_end(inner + step) > 0:
        step *= 2
        if step > _FARTHEST * max(1.0, ratio):
            return low, math.nan
    return low, root(high_end, inner, inner + step)
