"""Intervals of a ratio of two means, from those of differences."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from scipy.optimize import brentq

from uqwidgets._typing import Floats
from uqwidgets.inference.influence import Change, minus_multiple_of_baseline
from uqwidgets.inference.intervals import Bounds, Interval, bounds
from uqwidgets.inference.moments import Reference
from uqwidgets.inference.population import Population
from uqwidgets.inference.sums import dot

# The search for the upper end stops this far beyond the estimate: the interval is unbounded.
_LARGEST_STEP = 1e6
_PRECISION = 1e-10


def ratio_bounds(
    change: Change,
    original: Floats,
    interval: Interval,
    level: float,
    population: Population,
    reference: Reference = "t",
) -> Bounds:
    r"""Compute an interval for the measure after replacement over the measure before.

    It is the ratio of Dankers et al. 2020, section 8.4. Over rows (``u-statistic``, ``model``), a
    ratio :math:`\rho` is inside the interval if zero is inside that of the mean after replacement
    minus :math:`\rho` times the mean before (Fieller 1954), whose influences are those of both
    means. The interval lies above 1 exactly if that of the difference lies above 0. The other
    intervals take the rows as fixed, and so the mean before.

    Parameters
    ----------
    change : Change
        As a difference.
    original : ndarray of shape (n,)
        The measure of each row without replacement, of a positive mean.
    interval, level, population, reference
        As in `bounds`.
    """
    s = population.scored
    baseline = dot(s, original) / s.sum()
    if interval not in ("u-statistic", "model"):
        return over_baseline(bounds(change, interval, level, population, reference), baseline)

    # brentq leaves a reference cycle around the function that it solves. Emptied afterwards, the
    # list does not keep the arrays of the change in memory.
    holder = [change]

    def difference_bounds(ratio: float) -> Bounds:
        contrast = minus_multiple_of_baseline(holder[0], original, population, ratio)
        return bounds(contrast, interval, level, population, reference)

    try:
        return fieller(difference_bounds, 1 + change.estimate / baseline, baseline)
    finally:
        holder.clear()


def ratio_change(change: Change, original: Floats, population: Population) -> Change:
    r"""Return the ratio of the mean after replacement to the mean before, minus 1, as a change.

    To first order, with the ratio :math:`\rho`, the mean before b, the influences :math:`\psi` on
    the difference and :math:`\varphi` on b, the influences on :math:`\rho` are
    :math:`(\psi_i - (\rho - 1) \varphi_i) / b`: those of Fieller's contrast (see `ratio_bounds`)
    over b. So ratios of two models, or of two groups of rows, are subtracted like differences.

    Parameters
    ----------
    change, original, population
        As in `ratio_bounds`.
    """
    s = population.scored
    baseline = dot(s, original) / s.sum()
    relative = replace(
        change,
        estimate=change.estimate / baseline,
        influence_scored=change.influence_scored / baseline,
        influence_donor=change.influence_donor / baseline,
        double_counted=change.double_counted / baseline**2,
        interaction=change.interaction / baseline,
        double_counted_cubes=change.double_counted_cubes / baseline,
        pair_variance=lambda: change.pair_variance() / baseline**2,
        repeats=change.repeats / baseline,
        per_row=lambda: change.per_row() / baseline,
    )
    return minus_influence(relative, relative.estimate / baseline * original, population)


def minus_influence(change: Change, values: Floats, population: Population) -> Change:
    """Return the change without the influence of every row on the mean of some values.

    Parameters
    ----------
    change : Change
    values : ndarray of shape (n,)
    population : Population
    """
    without = minus_multiple_of_baseline(change, values, population, 2.0)
    return replace(without, estimate=change.estimate)


def over_baseline(difference: Bounds, baseline: float) -> Bounds:
    """Return the bounds of a ratio to a positive baseline that is taken as fixed."""
    ratio, low = 1 + difference.estimate / baseline, 1 + difference.low / baseline
    return Bounds(
        ratio,
        difference.std_error / baseline,
        0.0 if low < 0 <= ratio else low,
        1 + difference.high / baseline,
    )


def fieller(difference_bounds: Callable[[float], Bounds], ratio: float, baseline: float) -> Bounds:
    """Return the bounds of a ratio to an estimated baseline (Fieller 1954).

    Parameters
    ----------
    difference_bounds : callable
        From a ratio to the interval of the mean after minus that multiple of the mean before.
    ratio : float
        The estimate, for which this difference is zero.
    baseline : float
        The mean before.

    Returns
    -------
    Bounds
        ``high`` is NaN if the interval has no upper end, because that of the mean before contains
        zero.
    """
    low, high = _ratios_with_zero_inside(difference_bounds, ratio)
    return Bounds(ratio, difference_bounds(ratio).std_error / baseline, low, high)


def _ratios_with_zero_inside(
    difference_bounds: Callable[[float], Bounds], ratio: float
) -> tuple[float, float]:
    """Least and largest ratio whose interval of the difference contains zero, none below 0.

    A negative estimate has no interval (NaN): the measure takes both signs.
    """
    at_one, at_ratio = difference_bounds(1.0), difference_bounds(ratio)
    if not (math.isfinite(at_one.low) and math.isfinite(at_ratio.low) and ratio >= 0):
        return math.nan, math.nan
    if not at_ratio.low < 0 < at_ratio.high:  # the standard error is zero, up to rounding
        return ratio, ratio

    def root(end: Callable[[float], float], first: float, last: float) -> float:
        return float(brentq(end, first, last, xtol=_PRECISION * max(1.0, abs(ratio))))

    def low_end(ratio: float) -> float:
        return difference_bounds(ratio).low

    def high_end(ratio: float) -> float:
        return difference_bounds(ratio).high

    # The search starts at 1, so that the intervals of ratio and difference agree even where an
    # end, as a function of the ratio, has several roots.
    if at_one.low > 0:
        low = root(low_end, 1.0, ratio)
    else:
        start = min(1.0, ratio)
        low = root(low_end, 0.0, start) if low_end(0.0) > 0 else 0.0
    if at_one.high < 0:
        return low, root(high_end, ratio, 1.0)
    start = max(1.0, ratio)
    step = max(ratio - low, _PRECISION)
    while high_end(start + step) > 0:
        step *= 2
        if step > _LARGEST_STEP * max(1.0, ratio):
            return low, math.nan
    return low, root(high_end, start, start + step)
