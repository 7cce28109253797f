r"""The numbers that a U-statistic interval is computed from, and the interval as their function.

They are sums over rows of powers of influences, of leverages and of weights.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
from numpy.polynomial import Chebyshev
from scipy.special import ndtri, stdtrit

from uqwidgets._typing import Floats
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
    variance, df = positive_variance(moments.variance, moments.error)
    # Where few rows have much weight, their number differs between samples, and so does the
    # variance, by more than a single sample shows. How much more is from simulations.
    df = df * np.sqrt(moments.evenness)
    df = np.minimum(df, np.minimum(1 / moments.row_spread, 1 / moments.pair_spread) - 1)
    error = np.sqrt(variance) * moments.size
    scale = np.maximum(variance, 1.0) ** 1.5
    skewness, interaction = moments.cubes / scale, moments.interaction / scale
    t = quantile(df, level, reference)
    below, above = (
        np.where(error == 0, 0.0, error * skewness_corrected(q, skewness, interaction))
        for q in (t, -t)
    )
    shows_nothing = (moments.row_spread >= _SPREAD_OF_TWO) & (moments.estimate != 0)
    below, above = (np.where(shows_nothing, np.nan, end) for end in (below, above))
    return error, moments.estimate - below, moments.estimate - above


def quantile(df: npt.ArrayLike, level: float, reference: Reference) -> Floats:
    """Return the quantile that ends a central interval of a level; NaN without any df."""
    upper, known = (1 + level) / 2, np.asarray(df, dtype=np.float64) > 0
    if reference == "normal":
        return np.where(known, ndtri(upper), np.nan)
    df = np.where(known, df, np.nan)
    if df.size < _MANY_QUANTILES:
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
