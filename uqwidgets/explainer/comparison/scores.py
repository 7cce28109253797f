"""The difference of two models' scores in the same rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import ndtri

from uqwidgets._typing import Floats
from uqwidgets.explainer.comparison.indicators import score_minus
from uqwidgets.explainer.comparison.pair import Pair
from uqwidgets.inference.population import Population
from uqwidgets.inference.sums import dot
from uqwidgets.performance.result import Scores
from uqwidgets.performance.scores import Score, are_shares, scores_of, without_empty_intervals
from uqwidgets.stress.indicators import MEAN, SHARE, Indicator
from uqwidgets.stress.result import Stress


def scores_difference(
    pair: Pair,
    of_models: Sequence[tuple[Score, Score]],
    population: Population,
    level: float,
    seed: int,
    first: Scores,
) -> Scores:
    """Return each score of the first model minus that of the second, with an interval of its own.

    The interval is that of a score (see `uqwidgets.performance.scores.scores`), whose influences
    are the differences of the two models' in each row; for a difference of shares that of Bonett
    and Price 2012.

    Parameters
    ----------
    pair : Pair
    of_models : sequence of (Score, Score)
        Each score of the first and of the second model.
    population : Population
    level : float
    seed : int
        Of the split of rows into the groups of the jackknife.
    first : Scores
        Those of the first model.

    Returns
    -------
    Scores
    """
    differences = [score_minus(own, other, pair.title, pair) for own, other in of_models]
    result = scores_of(differences, population, level, seed)
    low, high = result.low.copy(), result.high.copy()
    for k, (own, other) in enumerate(of_models):
        outputs = shares(own, other, population)
        if outputs is not None:
            low[k], high[k] = paired_shares(*outputs, population.scored, population.ess, level)
    return without_empty_intervals(replace(result, low=low, high=high), first)


def shares(own: Score, other: Score, population: Population) -> tuple[Floats, Floats] | None:
    """Return the outputs (n,) of both models if each score is a share of the rows, else None."""
    outputs = []
    for score in (own, other):
        if not isinstance(score, Indicator) or score.combination is not MEAN:
            return None
        outputs.append(np.asarray(score.per_row[0], dtype=np.float64))
        if not are_shares(outputs[-1], population.scored):
            return None
    return outputs[0], outputs[1]


def paired_shares(
    own: Floats, other: Floats, weights: Floats, size: float, level: float
) -> tuple[float, float]:
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
    level : float
    """
    total = float(weights.sum())
    only = [
        (size * dot(weights, np.asarray(one > two, dtype=np.float64)) / total + 1) / (size + 2)
        for one, two in ((own, other), (other, own))
    ]
    middle = only[0] - only[1]
    half = float(ndtri((1 + level) / 2)) * math.sqrt((sum(only) - middle**2) / (size + 2))
    return max(middle - half, -1.0), min(middle + half, 1.0)


def agreeing_shares(
    difference: Stress, of_models: Sequence[tuple[Any, Any]], level: float
) -> Stress:
    """Give intervals to differences of shares whose outputs differ in no row, or by 1 in every row.

    Their estimated variance is zero, which more rows would not confirm. The end is that of a share
    of zero of the effective rows (Clopper and Pearson 1934). A rate has none, because its
    denominator may have few of these rows.

    Parameters
    ----------
    difference : Stress
    of_models : sequence of (Indicator, Indicator)
        Each indicator of the first and of the second model.
    level : float
    """
    low, high = dict(difference.low), dict(difference.high)
    for own, _ in of_models:
        if not isinstance(own, Indicator) or own.bounds != SHARE:
            continue
        value, ends = difference.values[own.name], (low[own.name], high[own.name])
        reach = np.full(value.shape, np.nan)
        if own.combination is MEAN:
            reach = 1 - ((1 - level) / 2) ** (1 / difference.ess)
        certain = np.isfinite(value) & (ends[0] == ends[1])
        low[own.name] = np.where(certain, np.maximum(value - reach, -1.0), ends[0])
        high[own.name] = np.where(certain, np.minimum(value + reach, 1.0), ends[1])
    return replace(difference, low=low, high=high)
