r"""The difference of one model in two groups of rows, which may overlap.

Each side is a statistic of all rows of the table, in which the rows of the other group have no
weight as scored rows. So every row has an influence on both sides, and its influence on the
difference is the difference of the two: zero covariance where the groups share nothing, and the
exact one where they share rows, or donors of replaced values, which come from all rows.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.inference import Bounds, Change, Reference, symmetric, without_groups
from uqwidgets.inference.moments import Moments, bounds_of_moments, quantile
from uqwidgets.inference.population import Population
from uqwidgets.inference.sums import dot
from uqwidgets.inference.variance import satterthwaite_df, skewness_corrected
from uqwidgets.performance.scores import Score, value_and_influence
from uqwidgets.stress.indicators import MetricIndicator

Sides = tuple[Population, Population]


def change_difference(
    changes: tuple[Change, Change], sides: Sides, level: float, reference: Reference
) -> Bounds:
    r"""Return the mean change in the first population minus that in the second, with an interval.

    As in `uqwidgets.inference.bounds` with ``u-statistic``: the sum of the squared influences
    :math:`\psi^A_i - \psi^B_i`, without the noise of the drawn pairs that it contains twice. A pair
    whose scored row belongs to both groups has the same noise in both, so that :math:`(a - b)^2`
    is counted twice of it, where :math:`a^2` and :math:`b^2` are counted twice on the sides.

    Parameters
    ----------
    changes : tuple of Change
        Over the same pairs of a scored row and a donor.
    sides : tuple of Population
    level : float
    reference : {"t", "normal"}
    """
    own, other = changes
    estimate = own.estimate - other.estimate
    if math.isnan(estimate):
        return Bounds(np.nan, np.nan, np.nan, np.nan)
    influences = [c.influence_scored + c.influence_donor for c in changes]
    relative = influences[0] - influences[1]
    unit = float(np.abs(relative).max()) or 1.0
    relative = relative / unit
    total = dot(relative, relative) or 1.0
    leverage = [side.leverage**1.5 for side in sides]
    spread = [g * psi / unit for g, psi in zip(leverage, influences, strict=True)]
    noise = [
        g * np.sqrt(np.maximum(c.double_counted, 0)) / unit
        for g, c in zip(leverage, changes, strict=True)
    ]
    parts = np.square(spread[0] - spread[1]) - np.square(noise[0] - noise[1])
    deviations = parts - parts.mean()
    cubes = dot(np.square(relative), relative)
    cubes -= _minus_cubes(own.double_counted_cubes / unit, other.double_counted_cubes / unit)
    moments = (
        estimate,
        unit * math.sqrt(total) / len(parts),
        parts.sum() / total,
        math.sqrt(dot(deviations, deviations)) / total,
        cubes / total**1.5,
        _minus_cubes(own.interaction / unit, other.interaction / unit) / total**1.5,
        max(1 / side.ess for side in sides),
        max(1 / change.pairs for change in changes),
        min(side.evenness for side in sides),
    )
    error, low, high = bounds_of_moments(Moments(*map(np.asarray, moments)), level, reference)
    return Bounds(estimate, float(error), float(low), float(high))


def mean_difference(values: Floats, sides: Sides) -> tuple[Floats, Floats]:
    """Return the mean of each line in the first population minus the second, with its error.

    Parameters
    ----------
    values : ndarray of shape (m, n)
    sides : tuple of Population

    Returns
    -------
    difference, std_error : ndarray of shape (m,)
    """
    means, influences = [], []
    for side in sides:
        share = side.scored / side.scored.sum()
        mean = values @ share
        means.append(mean)
        influences.append(share * (values - mean[:, None]) * math.sqrt(side.small_sample))
    return means[0] - means[1], np.sqrt(np.square(influences[0] - influences[1]).sum(axis=1))


def score_difference(score: Score, sides: Sides, level: float, seed: int) -> Bounds:
    """Return a score in the first population minus that in the second, with an interval.

    The influence of every row on the difference is that on the first score minus that on the
    second, with the quantiles of `uqwidgets.performance.scores.scores`; a metric without
    influences has a delete-a-group jackknife over all rows (Kott 2001).

    Parameters
    ----------
    score : Indicator, RankIndicator or MetricIndicator
    sides : tuple of Population
    level : float
    seed : int
        Of the split of the rows into the groups of the jackknife.
    """
    n = len(sides[0].scored)
    if isinstance(score, MetricIndicator):
        values = [score.score(side.scored) for side in sides]

        def without(remaining: npt.NDArray[np.bool_]) -> tuple[float]:
            own, other = (
                score.score(side.scored * remaining) if (side.scored * remaining).any() else np.nan
                for side in sides
            )
            return (own - other,)

        covariance, df = without_groups(without, n, seed)
        error = float(np.sqrt(covariance[0, 0]))
        return symmetric(values[0] - values[1], error, df, level, "t")
    estimates, influences = [], []
    for side in sides:
        estimate, of_rows = value_and_influence(score, side)
        influence = np.zeros(n)
        influence[side.positions] = of_rows * math.sqrt(side.small_sample)
        estimates.append(estimate)
        influences.append(influence)
    estimate, influence = estimates[0] - estimates[1], influences[0] - influences[1]
    squares = np.square(influence)
    error = math.sqrt(float(squares.sum()))
    if math.isnan(estimate) or not error > 0:
        return Bounds(estimate, error, estimate, estimate)
    smallest = min(side.ess for side in sides) - 1
    df_of_both = max(min(float(satterthwaite_df(squares)), 2 * smallest), 1.0)
    t = float(quantile(df_of_both, level, "t"))
    skewness = dot(squares, influence) / dot(influence, influence) ** 1.5
    upper, lower = (float(skewness_corrected(q, skewness)) for q in (t, -t))
    return Bounds(estimate, error, estimate - upper * error, estimate - lower * error)


def _minus_cubes(own: float, other: float) -> float:
    return own**3 - other**3
