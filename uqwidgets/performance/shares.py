"""Intervals of a share of rows or of pairs of rows, and of the difference of two shares."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import ndtri

from uqwidgets._typing import Floats
from uqwidgets.inference.moments import quantile
from uqwidgets.inference.population import Population, mean_over_rows
from uqwidgets.inference.sums import dot
from uqwidgets.inference.tested import Ends, LevelOrLevels


def wilson_of(share: Floats, happened: npt.NDArray[Any], population: Population) -> Ends:
    r"""Wilson's score interval of shares of the scored rows, which may belong together.

    Rows of a group depend on each other, so that they are worth fewer rows than there are: as many
    independent ones as have the variance :math:`\hat V` of the share over groups,
    :math:`\hat\pi (1 - \hat\pi) / \hat V`, and the quantile is that of t (Korn and Graubard 1998).
    They are worth at most as many as there are, and at least as many as groups.

    Parameters
    ----------
    share : ndarray of shape (m,)
    happened : ndarray of shape (m, n)
        0 or 1 in each row; the share is its weighted mean.
    population : Population

    Returns
    -------
    callable
        From a level to the lower and upper ends, of shape (m,).
    """
    units = population.units
    if units is population:
        return partial(wilson, share, np.full(len(share), population.ess))
    _, error = mean_over_rows(happened, population)
    least = min(units.ess, population.ess)
    with np.errstate(divide="ignore", invalid="ignore"):
        worth = np.clip(share * (1 - share) / np.square(error), least, population.ess)
    ess = np.where(error > 0, worth, least)
    return partial(wilson, share, ess, df=np.full(len(share), units.ess - 1))


def wilson(
    share: Floats, ess: Floats, level: LevelOrLevels, df: Floats | None = None
) -> tuple[Floats, Floats]:
    r"""Wilson's score interval of a share (Wilson 1927).

    It is the set of shares :math:`\pi` with :math:`|\hat\pi - \pi| \le z \sqrt{\pi (1 - \pi) / m}`,
    where m is the effective number of rows. Unlike the interval of Wald it covers well near 0 and
    1, and never leaves them.

    Parameters
    ----------
    share : ndarray
        Between 0 and 1.
    ess : ndarray of the same shape
        Effective number of rows m.
    level : float or ndarray of the same shape
    df : ndarray of the same shape, optional
        Degrees of freedom of t; by default the quantile is that of the normal distribution.

    Returns
    -------
    low, high : ndarray
        NaN where there is no row.
    """
    z2 = np.square(ndtri((1 + level) / 2) if df is None else quantile(df, level, "t"))
    with np.errstate(invalid="ignore", divide="ignore"):
        centre = (share + z2 / (2 * ess)) / (1 + z2 / ess)
        half = np.sqrt(z2 * (share * (1 - share) / ess + z2 / (4 * ess**2))) / (1 + z2 / ess)
    return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)


def area_of_few(
    area: float, positive: float, negative: float, level: LevelOrLevels
) -> tuple[Floats, Floats]:
    r"""Interval of an area under the ROC curve with few rows of a class (Newcombe 2006).

    It is his method 5: the areas :math:`A` with :math:`|\hat A - A| \le z \sqrt{V(A)}`, where
    the variance is that of Hanley and McNeil 1982 for exponential distributions with the mean
    :math:`m^* = (m_+ + m_-) / 2 - 1` in place of each number of rows less 1,
    :math:`V(A) = A (1 - A) \{1 + m^* (1 - A) / (2 - A) + m^* A / (1 + A)\} / (m_+ m_-)`. With few
    rows of a class their influences hardly show the variance, and this needs the area alone.

    Parameters
    ----------
    area : float
        Between 0 and 1.
    positive, negative : float
        Effective numbers of rows of both classes, :math:`m_+` and :math:`m_-`.
    level : float
    """
    z, m = float(ndtri((1 + level) / 2)), (positive + negative) / 2 - 1
    # At 0 and 1 the variance is zero, so that they are solutions of their own.
    area = min(max(area, 1e-9), 1 - 1e-9)

    def excess(value: float, sign: int) -> float:
        pairs = 1 + m * ((1 - value) / (2 - value) + value / (1 + value))
        variance = value * (1 - value) * pairs / (positive * negative)
        return sign * (area - value) - z * math.sqrt(variance)

    low = float(brentq(excess, 0.0, area, args=(1,))) if excess(0.0, 1) > 0 else 0.0
    high = float(brentq(excess, area, 1.0, args=(-1,))) if excess(1.0, -1) > 0 else 1.0
    return np.asarray(low), np.asarray(high)


def paired_shares(own: Floats, other: Floats, weights: Floats, size: float) -> Ends:
    r"""Interval of the difference of two shares of the same rows (Bonett and Price 2012).

    With :math:`f_{10}` and :math:`f_{01}` the numbers of rows in which only one of both outputs is
    1, of n rows, and :math:`p = (f + 1) / (n + 2)` for each, it is
    :math:`p_{10} - p_{01} \pm z \sqrt{(p_{10} + p_{01} - (p_{10} - p_{01})^2) / (n + 2)}`. It has a
    width even where the outputs agree in every row.

    Parameters
    ----------
    own, other : ndarray of shape (n,)
        0 or 1 in each row.
    weights : ndarray of shape (n,)
    size : float
        Effective number of rows, which counts as n.

    Returns
    -------
    callable
        From a level to the lower and upper end.
    """
    total = float(weights.sum())
    only = [
        (size * dot(weights, np.asarray(one > two, dtype=np.float64)) / total + 1) / (size + 2)
        for one, two in ((own, other), (other, own))
    ]
    middle = only[0] - only[1]
    return partial(_normal_ends, middle, math.sqrt((sum(only) - middle**2) / (size + 2)))


def _normal_ends(difference: float, error: float, level: LevelOrLevels) -> tuple[Floats, Floats]:
    half = ndtri((1 + level) / 2) * error
    return np.maximum(difference - half, -1.0), np.minimum(difference + half, 1.0)
