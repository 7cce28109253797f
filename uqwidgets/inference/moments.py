r"""The numbers that a U-statistic interval is computed from, and the interval as their function.

They are sums over rows of powers of influences, of leverages and of weights.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
from numpy.polynomial import Chebyshev
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from uqwidgets._typing import Floats, Positions
from uqwidgets.inference.influence import Change
from uqwidgets.inference.pooled_skewness import PooledSkewness
from uqwidgets.inference.population import Population
from uqwidgets.inference.sums import dot
from uqwidgets.inference.variance import positive_variance, skewness_corrected

Reference = Literal["t", "normal"]
REFERENCES: tuple[Reference, ...] = get_args(Reference)

# From so many quantiles of t on, their polynomial takes less time. Relative to the quantile, its
# largest error is 5e-13 at the levels 0.01 to 0.999, and 2e-11 at 0.9999.
_MANY_QUANTILES, _DEGREE = 100, 24
# One over the number of two effective rows, up to rounding.
_SPREAD_OF_TWO = 0.5 * (1 - 1e-9)
# Of the steps that find where an end of an interval is at zero; among numbers of rows, up to so
# many doublings or halvings of those that there are.
_HALVINGS, _MOST_DOUBLINGS = 80, 60.0


class Moments(NamedTuple):
    r"""Moments of the influences :math:`\psi` of n rows; arrays of any one shape.

    If rows belong together, the influence of their group, the sum of theirs, takes their place.

    Attributes
    ----------
    estimate : ndarray
    size : ndarray
        :math:`\sqrt{\sum \psi_i^2} / n`, the standard error without any correction. The unit of
        the following four is its power.
    variance, error : ndarray
        Sum of the squared influences without what is counted twice, with the leverage of each
        row; and the standard error of this sum.
    cubes, interaction : ndarray
        Sum of the cubes without what is counted twice, with the excess of `PooledSkewness`; and
        cube of `Change.interaction`.
    row_spread, pair_spread : ndarray
        Reciprocals of the effective numbers of rows and of pairs.
    evenness : ndarray
        See `uqwidgets.inference.population.Population`.
    """

    estimate: Floats
    size: Floats
    variance: Floats
    error: Floats
    cubes: Floats
    interaction: Floats
    row_spread: Floats
    pair_spread: Floats
    evenness: Floats

    @classmethod
    def symmetric(cls, estimate: float, error: float, df: float) -> Moments:
        """Return the moments of an estimate whose interval is that of t, arrays of shape ()."""
        numbers = (estimate, error, 1.0, 0.0, 0.0, 0.0, 0.0, 1 / (df + 1), 1.0)
        return cls(*map(np.asarray, numbers))

    @classmethod
    def stacked(cls, moments: Sequence[Moments]) -> Moments:
        """Return the moments of several estimates, arrays of shape (p,), from those of each."""
        return cls(*map(np.array, zip(*moments, strict=True)))

    def of(self, positions: Positions) -> Moments:
        """Return the moments of some of the estimates."""
        return Moments(*(each[positions] for each in self))

    def with_rows(self, factor: Floats) -> Moments:
        """Return the moments of so many times the rows, of the same distribution."""
        root = np.sqrt(factor)
        return self._replace(
            size=self.size / root,
            error=self.error / root,
            cubes=self.cubes / root,
            interaction=self.interaction / root,
            row_spread=self.row_spread / factor,
            pair_spread=self.pair_spread / factor,
        )


def row_moments(change: Change, population: Population) -> Moments:
    """Return the moments of a change in one population, arrays of shape (); NaN if it has none."""
    if math.isnan(change.estimate):
        return Moments(*[np.asarray(math.nan)] * len(Moments._fields))
    units, n = population.units, len(population.weights)
    influence = population.of_units(change.influence_scored + change.influence_donor)
    largest = float(np.abs(influence).max())
    # Relative influences avoid overflow and underflow of third powers.
    unit = largest if largest > 0 else 1.0
    influence /= unit
    relative = influence
    squares = np.square(relative)
    total = float(squares.sum())
    # The cube is to second order the jackknife's factor m (m - 1) / (m - 2)^2 for a statistic of
    # pairs (Arvesen 1969), in a form that is valid for the smallest m, and for unequal weights.
    parts = units.leverage_cubed * (squares - population.of_units(change.double_counted) / unit**2)
    variance = float(parts.sum())
    parts -= variance / len(parts)
    deviations = parts
    scale = total if total > 0 else 1.0
    # The squares contain the noise of the draws twice, which takes third moments towards zero
    # where that noise hides them.
    of_rows = dot(squares, relative)
    cubes = of_rows - (change.double_counted_cubes / unit) ** 3
    del squares  # so that a block of rows of the pooled skewness has room
    excess = 0.0
    if total > 0 and np.ptp(units.weights) > 0:
        pooled = PooledSkewness(1)
        as_scored = population.of_units(change.influence_scored) / unit
        rows = (as_scored, relative, units.weights)
        pooled.add(*(each[:, None] for each in rows))
        excess = float(pooled.excess(np.array([total]), np.array([of_rows]))[0])
    moments = (
        change.estimate,
        unit * math.sqrt(total) / n,
        variance / scale,
        math.sqrt(dot(deviations, deviations)) / scale,
        cubes / scale**1.5 + excess,
        (change.interaction / unit) ** 3 / scale**1.5,
        1 / units.ess,
        1 / change.pairs,
        units.evenness,
    )
    return Moments(*map(np.asarray, moments))


def moments_of_influences(estimate: float, influences: Floats, most_df: float) -> Moments:
    """Return the moments of an estimate that is a mean over rows, arrays of shape ().

    Parameters
    ----------
    estimate : float
    influences : ndarray of shape (u,)
        Of rows or groups of rows; to first order, their sum is the error of the estimate.
    most_df : float
        Degrees of freedom at most.
    """
    squares = np.square(influences)
    total = float(squares.sum())
    scale = total if total > 0 else 1.0
    deviations = (squares - total / len(squares)) / scale
    moments = (
        estimate,
        math.sqrt(total),
        1.0 if total > 0 else 0.0,
        math.sqrt(dot(deviations, deviations)),
        dot(squares, influences) / scale**1.5,
        0.0,
        1 / (most_df + 1),
        1 / (most_df + 1),
        1.0,
    )
    return Moments(*map(np.asarray, moments))


def bounds_of_moments(
    moments: Moments, level: float, reference: Reference = "t"
) -> tuple[Floats, Floats, Floats]:
    """Return the standard error and the ends of the interval, see `uqwidgets.inference.bounds`.

    Two effective rows have the same influence, since each is the other's donor. They show nothing
    of other rows: the ends are NaN, unless there is no change.

    Parameters
    ----------
    moments : Moments
    level : float
    reference : {"t", "normal"}
    """
    error, df, skewness, interaction = _studentised(moments)
    t = quantile(df, level, reference)
    below, above = (
        np.where(error == 0, 0.0, error * skewness_corrected(q, skewness, interaction))
        for q in (t, -t)
    )
    shows_nothing = _shows_nothing(moments)
    below, above = (np.where(shows_nothing, np.nan, end) for end in (below, above))
    return error, moments.estimate - below, moments.estimate - above


def one_sided_p_values(moments: Moments, reference: Reference) -> tuple[Floats, Floats]:
    """Return the p-values of no change that agree with `bounds_of_moments`.

    The level of the interval that has an end at zero leaves half of the rest on each side.

    Parameters
    ----------
    moments : Moments
        Arrays of shape (p,).
    reference : {"t", "normal"}

    Returns
    -------
    greater, less : ndarray of shape (p,)
        1 for a change of exactly zero without any error; NaN where there is no interval.
    """
    error, df, skewness, interaction = _studentised(moments)
    is_certain = error == 0
    ratio = moments.estimate / np.where(is_certain, 1.0, error)
    # The corrected quantile rises with the quantile, and differs by less than this factor.
    low, high = -2 * np.abs(ratio) - 10, 2 * np.abs(ratio) + 10
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        is_below = skewness_corrected(middle, skewness, interaction) < ratio
        low, high = np.where(is_below, middle, low), np.where(is_below, high, middle)
    t = (low + high) / 2
    is_unknown = _shows_nothing(moments) | np.isnan(moments.estimate) | ~(df > 0) & ~is_certain
    results = []
    for sign in (1, -1):
        end = -sign * t
        p = np.asarray(ndtr(end) if reference == "normal" else stdtr(np.maximum(df, 0), end))
        p = np.where(is_certain, np.where(sign * moments.estimate > 0, 0.0, 1.0), p)
        results.append(np.where(is_unknown, np.nan, p))
    return results[0], results[1]


def degrees_of_freedom(moments: Moments) -> Floats:
    """Return the degrees of freedom of `bounds_of_moments`."""
    return _studentised(moments)[1]


def times_rows_needed(moments: Moments, level: float, reference: Reference = "t") -> Floats:
    """Return how many times the rows leave zero outside the interval, if the estimates stay.

    Parameters
    ----------
    moments : Moments
        Arrays of shape (p,).
    level : float
    reference : {"t", "normal"}

    Returns
    -------
    ndarray of shape (p,)
        Infinite where the estimate is at most its standard error; NaN where it is not known.
    """
    error, *_ = _studentised(moments)
    high = np.full(moments.estimate.shape, _MOST_DOUBLINGS)
    low = -high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        _, *ends = bounds_of_moments(moments.with_rows(2.0**middle), level, reference)
        is_clear = (ends[0] > 0) | (ends[1] < 0)
        low, high = np.where(is_clear, low, middle), np.where(is_clear, middle, high)
    return np.select(
        [np.isnan(moments.estimate), np.abs(moments.estimate) <= error], [np.nan, np.inf], 2.0**high
    )


def _studentised(moments: Moments) -> tuple[Floats, Floats, Floats, Floats]:
    """Return standard errors, degrees of freedom, and the skewness of rows and of pairs."""
    variance, df = positive_variance(moments.variance, moments.error)
    # Where few rows have much weight, their number differs between samples, and so does the
    # variance, by more than a single sample shows. How much more is from simulations.
    df = df * np.sqrt(moments.evenness)
    with np.errstate(divide="ignore"):  # no limit by rows, or by pairs
        df = np.minimum(df, np.minimum(1 / moments.row_spread, 1 / moments.pair_spread) - 1)
    scale = np.maximum(variance, 1.0) ** 1.5
    error = np.sqrt(variance) * moments.size
    return error, df, moments.cubes / scale, moments.interaction / scale


def _shows_nothing(moments: Moments) -> npt.NDArray[np.bool_]:
    """Whether the rows are worth two: each is the other's donor."""
    return np.asarray((moments.row_spread >= _SPREAD_OF_TWO) & (moments.estimate != 0))


def quantile(df: npt.ArrayLike, level: float | Floats, reference: Reference) -> Floats:
    """Return the quantile that ends a central interval of a level; NaN without any df.

    An array of levels has the shape of the degrees of freedom.
    """
    upper, known = (1 + level) / 2, np.asarray(df, dtype=np.float64) > 0
    if reference == "normal":
        return np.where(known, ndtri(upper), np.nan)
    df = np.where(known, df, np.nan)
    if df.size < _MANY_QUANTILES or isinstance(upper, np.ndarray):
        return np.asarray(stdtrit(df, upper))
    quantiles = np.asarray(_quantiles_of_t(upper)(1 / np.maximum(df, 1.0)))
    is_small = df < 1
    quantiles[is_small] = stdtrit(df[is_small], upper)
    return quantiles


@lru_cache
def _quantiles_of_t(upper: float) -> Chebyshev:
    """Return a quantile of t as a polynomial of 1 / df, for at least one degree of freedom."""

    def exact(reciprocal: Floats) -> Floats:
        return np.asarray(stdtrit(1 / reciprocal, upper))

    return Chebyshev.interpolate(exact, _DEGREE, domain=[0, 1])
