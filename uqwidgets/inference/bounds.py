"""From a mean change to an interval around it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from scipy.special import ndtri, stdtrit

from uqwidgets._typing import Floats
from uqwidgets._utils.choices import one_of
from uqwidgets.inference.influence import Change
from uqwidgets.inference.kinds import Interval
from uqwidgets.inference.population import Population
from uqwidgets.inference.skewness import positive_variance, skewed
from uqwidgets.inference.sums import dot

Reference = Literal["t", "normal"]
REFERENCES: tuple[Reference, ...] = get_args(Reference)


@dataclass(frozen=True)
class Bounds:
    """An estimate with its interval.

    Attributes
    ----------
    estimate, std_error, low, high : float
        NaN where the data do not tell.
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
    r"""Find the ends of an interval for a mean change.

    ``u-statistic``
        From the influence of every row in both its roles, the variance of each pair counted
        once, as pairs that share a row depend on each other whatever the row's role (Aronow,
        Samii and Assenova 2015, Polit. Anal. 23, 564-577). With few rows the influences are
        skewed and of heavy tails, so the t quantile has as many degrees of freedom as the
        variance itself was estimated with (Satterthwaite), and the skewness is taken out by
        Hall's cubic transformation (Hall 1992, J. R. Stat. Soc. B 54, 221-228): the interval
        reaches farther to one side.
    ``model``
        A mean over rows with t of n - 1 (Molnar et al. 2023, eq. 6).
    ``fixed-data``
        Over repeats, K - 1 (Merrick 2019, section 5, with the variance of a sample).
    ``random-variable``
        All pairs as if independent (Merrick 2019, section 5).
    ``quantile``
        The median of the repeats, and the quantiles that leave (1 - level) / 2 on either side
        (Dankers et al. 2020, figure 8.2, has level 0.9). It has no standard error.

    Degrees of freedom never exceed those of the effective numbers of rows and of pairs.

    Parameters
    ----------
    change : Change
    interval : str
    level : float
    population : Population
    reference : {"t", "normal"}
        Which distribution's quantiles are used; ``normal`` is that of large samples.

    Returns
    -------
    Bounds
    """
    if np.isnan(change.estimate):
        return Bounds(np.nan, np.nan, np.nan, np.nan)
    rows = min(population.ess, change.pairs) - 1
    match interval:
        case "u-statistic":
            return _two_roles(change, rows, level, population, reference)
        case "model":
            error = float(np.sqrt(_mean_square(change.scored, population)))
            return symmetric(change.estimate, error, rows, level, reference)
        case "fixed-data":
            error, freedom = _over_repeats(change)
            return symmetric(change.estimate, error, freedom, level, reference)
        case "random-variable":
            error = float(np.sqrt(change.pair_variance()))
            return symmetric(change.estimate, error, change.pairs - 1, level, reference)
        case "quantile":
            tail = (1 - level) / 2
            low, middle, high = np.nanquantile(change.repeats, [tail, 0.5, 1 - tail])
            return Bounds(float(middle), np.nan, float(low), float(high))


def checked_reference(reference: str) -> Reference:
    """Return the reference distribution of this name.

    Raises
    ------
    ValueError
        If there is none.
    """
    return one_of(REFERENCES, reference, "reference distribution")


def _two_roles(
    change: Change, rows: float, level: float, population: Population, reference: Reference
) -> Bounds:
    influence = change.scored + change.donated
    squares = np.square(influence)
    # To second order the jackknife's factor m (m - 1) / (m - 2)^2 for a statistic of pairs
    # (Arvesen 1969), in a form that holds for the smallest m.
    parts = population.small_sample**3 * (squares - change.counted_twice)
    variance, freedom = positive_variance(parts)
    error = math.sqrt(variance) / len(parts)
    largest = float(np.abs(influence).max())
    if not largest > 0:  # exactly nothing, or nothing known
        return Bounds(change.estimate, error, change.estimate - error, change.estimate + error)
    relative = influence / largest  # third powers of small and of large numbers are no floats
    skewness = dot(np.square(relative), relative) / dot(relative, relative) ** 1.5
    t = _quantile(min(rows, freedom), level, reference)
    up, down = skewed(t, skewness), skewed(-t, skewness)
    return Bounds(
        change.estimate, error, change.estimate - up * error, change.estimate - down * error
    )


def symmetric(
    estimate: float, error: float, freedom: float, level: float, reference: Reference
) -> Bounds:
    """Find an interval of so many standard errors to both sides; NaN without freedom."""
    half = _quantile(freedom, level, reference) * error if error else 0.0
    return Bounds(estimate, error, estimate - half, estimate + half)


def _quantile(freedom: float, level: float, reference: Reference) -> float:
    if not freedom > 0:
        return np.nan
    upper = (1 + level) / 2
    return float(ndtri(upper) if reference == "normal" else stdtrit(freedom, upper))


def _mean_square(influence: Floats, population: Population) -> float:
    # Variance of the mean of n influences whose own mean is zero.
    return dot(influence, influence) / len(influence) ** 2 * population.small_sample


def _over_repeats(change: Change) -> tuple[float, float]:
    """Return the standard error of the weighted mean of repeats, and its degrees of freedom."""
    weights = change.totals
    used = int(np.count_nonzero(weights))
    if not len(weights):  # every donor: nothing was drawn
        return 0.0, np.inf
    if used < 2:
        return np.nan, np.nan
    deviation = np.where(weights > 0, change.repeats, change.estimate) - change.estimate
    squared = np.square(weights * deviation).sum() / weights.sum() ** 2
    return float(np.sqrt(squared * used / (used - 1))), used - 1
