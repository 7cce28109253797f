"""Scores of a model in a population, with intervals over other rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets._utils.remarks import Remark
from uqwidgets.inference import Bounds, symmetric, without_groups
from uqwidgets.inference.moments import quantile
from uqwidgets.inference.population import Population
from uqwidgets.inference.sums import dot
from uqwidgets.inference.variance import satterthwaite_df, skewness_corrected
from uqwidgets.performance.metrics import RankDifference, RankIndicator
from uqwidgets.performance.result import Scores
from uqwidgets.performance.shares import wilson
from uqwidgets.stress.indicators import MEAN, Indicator, MetricIndicator

# In the order in which they are shown; a model has those that fit its predictions.
_SCORES_OF_CLASSES = ("error_rate", "nll", "brier")
_SCORES_OF_NUMBERS = ("rmse", "absolute_error", "nll", "crps")


OfRows = Indicator | RankIndicator | RankDifference
# Rounding error of a score, relative to its value.
_ROUNDING = 1e-12
Score = OfRows | MetricIndicator


def default_scores(
    available: Mapping[str, Indicator], classes: npt.NDArray[np.generic] | None, *, ranks: bool
) -> list[str]:
    """Return the names of the scores that are computed unless others are named.

    Parameters
    ----------
    available : mapping of str to Indicator
        Indicators of the model.
    classes : ndarray of shape (k,) or None
    ranks : bool
        Whether the model gives probabilities, by which rows can be ranked.
    """
    if classes is None:
        return [*(name for name in _SCORES_OF_NUMBERS if name in available), "r2"]
    names = [name for name in _SCORES_OF_CLASSES if name in available]
    return [*names, "roc_auc" if len(classes) == 2 and ranks else "balanced_accuracy"]


def scores(
    indicators: Sequence[Score],
    population: Population,
    level: float,
    seed: int,
) -> Scores:
    """Compute scores of the scored rows of a population, with intervals.

    Parameters
    ----------
    indicators : sequence of Indicator, RankIndicator, RankDifference or MetricIndicator
    population : Population
    level : float
    seed : int
        Of the split of rows into the groups of the jackknife.

    Returns
    -------
    Scores

    Raises
    ------
    ValueError
        If a metric cannot score the model.
    """
    return without_empty_intervals(scores_of(indicators, population, level, seed))


def scores_of(
    indicators: Sequence[Score], population: Population, level: float, seed: int
) -> Scores:
    """Compute `scores` with intervals that may have no width."""
    intervals = [
        _of_metric(one, population, level, seed)
        if isinstance(one, MetricIndicator)
        else _of_rows(one, population, level)
        for one in indicators
    ]
    undefined = [
        one
        for one, interval in zip(indicators, intervals, strict=True)
        if math.isnan(interval.estimate)
    ]
    return Scores(
        names=tuple(one.name for one in indicators),
        labels=tuple(one.label for one in indicators),
        units=tuple(one.unit for one in indicators),
        value=np.array([interval.estimate for interval in intervals]),
        std_error=np.array([interval.std_error for interval in intervals]),
        low=np.array([interval.low for interval in intervals]),
        high=np.array([interval.high for interval in intervals]),
        level=level,
        weighted=population.weighted,
        n_rows=len(population.positions),
        ess=population.ess,
        remarks=tuple(
            Remark(
                "undefined-metric",
                f"{one.label} is not defined for these rows, "
                + ("whose y is constant" if one.name == "r2" else "as where one class is left"),
            )
            for one in undefined
        ),
    )


def without_empty_intervals(result: Scores, of: Scores | None = None) -> Scores:
    """Remove intervals without a width, with a remark that gives the reason.

    Where no row changes a score, such as an area under the curve of 1, its estimated error is 0.
    This zero holds for these rows only, not for other ones.

    Parameters
    ----------
    result : Scores
    of : Scores, optional
        The scores of which ``result`` is a difference; beside their values an error is 0.
    """
    rounding = _ROUNDING * np.abs((result if of is None else of).value)
    is_empty = np.isfinite(result.value) & (result.std_error <= rounding)
    is_empty &= ~(result.high - result.low > 4 * rounding)
    if not is_empty.any():
        return result
    labels = [label for label, empty in zip(result.labels, is_empty, strict=True) if empty]
    why = Remark(
        "no-interval",
        f"{' and '.join(labels)}: there is no interval, because leaving out any one row does not "
        "change the value; other rows of the population may change it",
    )
    low, high = (np.where(is_empty, np.nan, ends) for ends in (result.low, result.high))
    return replace(result, low=low, high=high, remarks=(*result.remarks, why))


def _of_rows(score: OfRows, population: Population, level: float) -> Bounds:
    """Interval of a score from the influence of every row on it.

    The degrees of freedom are those of Satterthwaite 1946, and the quantiles of t are corrected for
    skewness (Hall 1992). A share of rows has the score interval (Wilson 1927).
    """
    estimate, influence = value_and_influence(score, population)
    if isinstance(score, Indicator) and score.combination is MEAN:
        output = np.asarray(score.per_row[0])
        if are_shares(output, population.scored):
            error = math.sqrt(dot(influence, influence) * population.small_sample)
            low, high = wilson(np.array(estimate), np.array(population.ess), level)
            return Bounds(estimate, error, float(low), float(high))
    squares = np.square(influence)
    error = math.sqrt(float(squares.sum()) * population.small_sample)
    if math.isnan(estimate) or not error > 0:
        end = estimate if error == 0 else np.nan
        return Bounds(estimate, error, end, end)
    df = min(float(satterthwaite_df(squares)), population.ess - 1)
    t = float(quantile(df, level, "t"))
    skewness = dot(squares, influence) / dot(influence, influence) ** 1.5
    upper, lower = skewness_corrected([t, -t], skewness).tolist()
    return _within(
        Bounds(estimate, error, estimate - upper * error, estimate - lower * error), score.bounds
    )


def value_and_influence(score: OfRows, population: Population) -> tuple[float, Floats]:
    """Value of a score in the scored rows, and the influence of each of them on it.

    Parameters
    ----------
    score : Indicator, RankIndicator or RankDifference
    population : Population

    Returns
    -------
    value : float
    influence : ndarray of shape (m,)
        Of the scored rows; to first order, their sum is the error of the value.
    """
    rows = slice(None) if population.rows is None else population.rows
    s = population.scored[rows]
    if isinstance(score, RankIndicator | RankDifference):
        return score.of(rows).influence(s)
    return _means(score, [np.asarray(output)[rows] for output in score.per_row], s / s.sum())


def _means(indicator: Indicator, outputs: list[Floats], share: Floats) -> tuple[float, Floats]:
    r"""Value of a function of weighted means, and the influence of every row on it.

    With shares s of the weight and the derivatives :math:`g_k` of the function, row i has the
    influence :math:`s_i \sum_k g_k (o_{ki} - \bar o_k)`: the delta method.
    """
    means = [np.asarray(dot(share, output)) for output in outputs]
    estimate = float(indicator.combine(*means))
    if not math.isfinite(estimate):
        return np.nan, np.zeros(len(share))
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = indicator.combination.slopes(*means)
    influence = np.zeros(len(share))
    for slope, output, mean in zip(slopes, outputs, means, strict=True):
        # At the end of its range the square root has no derivative.
        influence += (float(slope) if np.isfinite(slope) else 0.0) * (output - mean)
    return estimate, share * influence


def _of_metric(
    indicator: MetricIndicator, population: Population, level: float, seed: int
) -> Bounds:
    """Interval of a metric of all rows together, by the delete-a-group jackknife (Kott 2001)."""
    rows = population.positions
    s = population.scored
    estimate = indicator.score(s)
    if len(rows) < 2 or math.isnan(estimate):
        return Bounds(estimate, np.nan, np.nan, np.nan)

    def without(remaining: npt.NDArray[np.bool_]) -> tuple[float]:
        weights = np.zeros(len(s))
        weights[rows[remaining]] = s[rows[remaining]]
        return (indicator.score(weights) if weights.any() else np.nan,)

    covariance, df = without_groups(without, len(rows), seed)
    error = float(np.sqrt(covariance[0, 0]))
    return _within(symmetric(estimate, error, df, level, "t"), indicator.bounds)


def _within(interval: Bounds, ends: tuple[float, float]) -> Bounds:
    low, high = np.clip([interval.low, interval.high], *ends).tolist()
    return Bounds(interval.estimate, interval.std_error, low, high)


def are_shares(output: Floats, weights: Floats) -> bool:
    """Whether the output is 0 or 1 in every row of positive weight."""
    counted = output[weights > 0]
    return bool(((counted == 0) | (counted == 1)).all())
