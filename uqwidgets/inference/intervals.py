"""The intervals of a mean change: their names, what each accounts for, and their formulas.

The table shows how often each interval contains the importance in the population: the share of
1500 simulated tables of 200 rows (10 repeats, one fitted model, squared loss) in which the nominal
95 % interval contained it, for a feature that matters much and for one that matters little.
`benchmarks/bench_coverage.py` has more sizes, `benchmarks/importance_coverage.md` the default
interval of other measures. For a feature that the model ignores, importance and interval are
exactly zero.

=================== ============================= ================================== ===== =====
interval            accounts for                  takes as fixed                     much  little
=================== ============================= ================================== ===== =====
``u-statistic``     rows, as scored and as        the fitted model                   .947  .948
                    donors; the draws
``model``           rows as scored                the model, the donors, the draws   .838  .933
``random-variable`` pairs of a row and a donor,   the model; that a row is in many   .509  .571
                    as if all independent         pairs
``fixed-data``      the draws                     the model and all rows             .419  .457
``quantile``        the spread of single repeats  the model and all rows; it is no   .701  .771
                                                  interval for their mean
=================== ============================= ================================== ===== =====

The lower three do not answer what would be estimated with other rows. None of them accounts for
the variation between refits of the model: see `uqwidgets.Learner`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets._utils.choices import one_of
from uqwidgets._utils.options import brief, is_real
from uqwidgets.inference.influence import Change
from uqwidgets.inference.moments import (
    REFERENCES,
    Moments,
    Reference,
    bounds_of_moments,
    quantile,
    row_moments,
)
from uqwidgets.inference.population import Population
from uqwidgets.inference.sums import dot

Interval = Literal["u-statistic", "model", "fixed-data", "random-variable", "quantile"]
INTERVALS: tuple[Interval, ...] = get_args(Interval)
# What each accounts for and what it takes as fixed: the table above, in the words of a report.
_DESCRIPTIONS: dict[Interval, tuple[str, str]] = {
    "u-statistic": ("rows, as scored and as donors; the draws", "the fitted model"),
    "model": ("rows as scored", "the model, the donors, the draws"),
    "random-variable": (
        "pairs of a row and a donor, as if all independent",
        "the model; that a row is in many pairs",
    ),
    "fixed-data": ("the draws", "the model and all rows"),
    "quantile": (
        "the spread of single repeats",
        "the model and all rows; it is no interval for their mean",
    ),
}


@dataclass(frozen=True)
class Bounds:
    """An estimate with its interval.

    Attributes
    ----------
    estimate, std_error, low, high : float
        NaN where the data do not determine them.
    """

    estimate: float
    std_error: float
    low: float
    high: float


def bounds(
    change: Change,
    interval: Interval,
    level: float,
    population: Population,
    reference: Reference = "t",
) -> Bounds:
    r"""Compute an interval for a mean change.

    ``u-statistic``
        From the influence of every row in both roles,
        :math:`\sum_i (\psi_i^2 - \mathrm{double\ counted}_i) / n^2`. Pairs that share a row depend
        on each other whatever its role, and the noise of each pair counts once (Aronow et al.
        2015). With few rows the influences are skewed and have heavy tails, so the t quantile has
        the degrees of freedom of the estimated variance (Satterthwaite 1946), and a cubic
        transformation corrects it for the skewness (Hall 1992): the interval is asymmetric.
        Unequal weights add the leverage of each row, its share of the weight, to the variance.
        If rows belong together, the influence of a group is the sum of those of its rows.
    ``model``
        A mean over rows with a t quantile of n - 1 degrees of freedom (Molnar et al. 2023, eq. 6).
    ``fixed-data``
        A mean over repeats with K - 1 degrees of freedom (Merrick 2019, section 5, with the
        variance of a sample).
    ``random-variable``
        A mean over all pairs as if they were independent (Merrick 2019, section 5).
    ``quantile``
        The median of the repeats, and the quantiles with a probability of (1 - level) / 2 on
        either side (Dankers et al. 2020, figure 8.2, uses the level 0.9). It has no standard
        error.

    Degrees of freedom never exceed those of the effective numbers of rows and of pairs.

    Parameters
    ----------
    change : Change
    interval : {"u-statistic", "model", "fixed-data", "random-variable", "quantile"}
    level : float
    population : Population
    reference : {"t", "normal"}
        Distribution whose quantiles are used; ``normal`` is the limit of large samples.

    Returns
    -------
    Bounds
    """
    if np.isnan(change.estimate):
        return Bounds(np.nan, np.nan, np.nan, np.nan)
    match interval:
        case "u-statistic":
            return u_statistic_bounds([row_moments(change, population)], level, reference)[0]
        case "quantile":
            tail = (1 - level) / 2
            low, median, high = np.nanquantile(change.repeats, [tail, 0.5, 1 - tail])
            return Bounds(float(median), np.nan, float(low), float(high))
    error, df = _error_and_df(change, interval, population)
    return symmetric(change.estimate, error, df, level, reference)


def interval_moments(change: Change, interval: Interval, population: Population) -> Moments:
    """Return the numbers that an interval follows from at any level, arrays of shape ().

    Parameters
    ----------
    change, interval, population
        As in `bounds`; those of ``quantile`` are NaN, because it is no interval for the mean.
    """
    if interval == "u-statistic":
        return row_moments(change, population)
    if interval == "quantile" or np.isnan(change.estimate):
        return Moments.symmetric(np.nan, np.nan, np.nan)
    return Moments.symmetric(change.estimate, *_error_and_df(change, interval, population))


def _error_and_df(
    change: Change, interval: Interval, population: Population
) -> tuple[float, float]:
    """Return the standard error of a symmetric interval, and its degrees of freedom."""
    match interval:
        case "model":
            variance = _variance_of_mean(change.influence_scored, population)
            return float(np.sqrt(variance)), min(population.units.ess, change.pairs) - 1
        case "fixed-data":
            return _over_repeats(change)
        case _:
            return float(np.sqrt(change.pair_variance())), change.pairs - 1


def u_statistic_bounds(
    moments: Sequence[Moments], level: float, reference: Reference = "t"
) -> list[Bounds]:
    """Compute the ``u-statistic`` interval of several changes at once, see `bounds`.

    Parameters
    ----------
    moments : sequence of Moments
        Of each change, arrays of shape ().
    level, reference
        As in `bounds`.
    """
    return listed_bounds(Moments.stacked(moments), level, reference)


def listed_bounds(moments: Moments, level: float, reference: Reference = "t") -> list[Bounds]:
    """Return the bounds of each of p estimates from moments of shape (p,)."""
    ends = bounds_of_moments(moments, level, reference)
    columns = (moments.estimate, *ends)
    return [Bounds(*numbers) for numbers in zip(*(c.tolist() for c in columns), strict=True)]


def symmetric(
    estimate: float, error: float, df: float, level: float, reference: Reference
) -> Bounds:
    """Compute an interval symmetric about the estimate; NaN without degrees of freedom."""
    half = float(quantile(df, level, reference)) * error if error else 0.0
    return Bounds(estimate, error, estimate - half, estimate + half)


def _variance_of_mean(influence: Floats, population: Population) -> float:
    """Variance of the mean of n influences whose own mean is zero."""
    of_units = population.of_units(influence)
    return dot(of_units, of_units) / len(influence) ** 2 * population.units.small_sample


def _over_repeats(change: Change) -> tuple[float, float]:
    """Return the standard error of the weighted mean of repeats, with its degrees of freedom."""
    weights = change.totals
    used = int(np.count_nonzero(weights))
    if not len(weights):  # every donor is used, so that nothing is random
        return 0.0, np.inf
    if used < 2:
        return np.nan, np.nan
    deviation = np.where(weights > 0, change.repeats, change.estimate) - change.estimate
    squared = np.square(weights * deviation).sum() / weights.sum() ** 2
    return float(np.sqrt(squared * used / (used - 1))), used - 1


def checked_interval(interval: str) -> Interval:
    """Return the interval of this name.

    Raises
    ------
    ValueError
        If there is none.
    """
    return one_of(INTERVALS, interval, "interval")


def described_interval(interval: str) -> tuple[str, str]:
    """Return what an interval accounts for, and what it takes as fixed.

    Raises
    ------
    ValueError
        If there is none of this name.
    """
    return _DESCRIPTIONS[checked_interval(interval)]


def checked_reference(reference: str) -> Reference:
    """Return the reference distribution of this name.

    Raises
    ------
    ValueError
        If there is none.
    """
    return one_of(REFERENCES, reference, "reference distribution")


def checked_level(level: Any) -> float:
    """Return the level of an interval as a float.

    Raises
    ------
    ValueError
        If it is not between 0 and 1.
    """
    if not is_real(level) or not 0 < level < 1:
        raise ValueError(f"level is {brief(level)}; it must be between 0 and 1, such as 0.95.")
    return float(level)
