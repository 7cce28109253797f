"""Scores of a model in a population, with intervals over other rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats, Positions
from uqwidgets._utils.remarks import Remark
from uqwidgets.importance import remarks_on_tails
from uqwidgets.inference import Bounds, Family, without_groups
from uqwidgets.inference.mean_intervals import MeanIntervals
from uqwidgets.inference.population import Population
from uqwidgets.inference.sums import dot
from uqwidgets.inference.tested import Ends, LevelOrLevels
from uqwidgets.measures import UNBOUNDED
from uqwidgets.performance.metrics import RankIndicator
from uqwidgets.performance.result import Scores
from uqwidgets.performance.shares import area_of_few, paired_shares, wilson_of
from uqwidgets.stress.indicators import MEAN, Indicator, MetricIndicator

# In the order in which they are shown; a model has those that fit its predictions.
_SCORES_OF_CLASSES = ("error_rate", "nll", "brier")
_SCORES_OF_NUMBERS = ("rmse", "absolute_error", "nll", "crps")


# Rounding error of a score, relative to its value.
_ROUNDING = 1e-12
# With fewer effective rows of a class, influences of rows hardly show the error of an area.
FEW_EVENTS = 20
Score = Indicator | RankIndicator | MetricIndicator


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
    simultaneous: bool = False,
) -> Scores:
    """Compute scores of the scored rows of a population, with intervals.

    Parameters
    ----------
    indicators : sequence of Indicator, RankIndicator or MetricIndicator
    population : Population
    level : float
    seed : int
        Of the split of rows into the groups of the jackknife.
    simultaneous : bool, default=False
        Whether all intervals hold at once.

    Returns
    -------
    Scores

    Raises
    ------
    ValueError
        If a metric cannot score the model.
    """
    terms = [[(one, population)] for one in indicators]
    pointwise_level = _family(terms, seed).pointwise_level(level) if simultaneous else None
    intervals = [_interval(each, seed) for each in terms]
    result = Scores(
        names=tuple(one.name for one in indicators),
        labels=tuple(one.label for one in indicators),
        units=tuple(one.unit for one in indicators),
        level=level,
        weighted=population.weighted,
        n_rows=len(population.positions),
        ess=population.ess,
        groups=population.group_count,
        pointwise_level=pointwise_level,
        **_columns(intervals, pointwise_level or level),
    )
    remarks = _remarks_on_undefined(result) + _remarks_on_few(indicators, population)
    tails = zip(result.labels, (each.df for each in intervals), strict=True)
    remarks += remarks_on_tails(list(tails), population)
    return without_empty_intervals(replace(result, remarks=remarks))


def scores_difference(
    first: Scores,
    of_sides: Sequence[tuple[Score, Score]],
    sides: tuple[Population, Population],
    title: str,
    seed: int,
) -> Scores:
    """Return each score of the first side minus that of the second, with an interval of its own.

    The influence of every row on the difference is that on the first score minus that on the
    second, whether the sides are two models in one population or one model in two, which may share
    rows.

    Parameters
    ----------
    first : Scores
        Those of the first side; the differences hold at once if these do.
    of_sides : sequence of (Score, Score)
        Each score of the first side and of the second.
    sides : tuple of Population
        One and the same for two models.
    title : str
        The difference in words.
    seed : int
        Of the split of rows into the groups of the jackknife.
    """
    terms = [list(zip(pair, sides, strict=True)) for pair in of_sides]
    level, pointwise_level = first.level, None
    if first.simultaneous:
        level = pointwise_level = _family(terms, seed).pointwise_level(level)
    intervals = [_interval(each, seed) for each in terms]
    labels = tuple(f"{label}, {title}" for label in first.labels)
    difference = replace(
        first,
        labels=labels,
        remarks=(),
        pointwise_level=pointwise_level,
        **_columns(intervals, level),
    )
    if sides[0] is sides[1]:
        difference = replace(difference, remarks=_remarks_on_undefined(difference))
    return without_empty_intervals(difference, first)


def differences_at_once(
    terms: Sequence[Sequence[tuple[Score, Population]]], level: float, seed: int
) -> tuple[list[Bounds], float]:
    """Return differences of scores in two populations each, whose intervals hold all at once.

    Parameters
    ----------
    terms : sequence of pairs of (Score, Population)
    level : float
    seed : int
        Of the multipliers, and of the split of rows into the groups of the jackknife.

    Returns
    -------
    bounds : list of Bounds
    pointwise_level : float
    """
    pointwise_level = _family(terms, seed).pointwise_level(level)
    intervals = [_interval(each, seed) for each in terms]
    bounds = [
        Bounds(each.estimate, each.std_error, *map(float, each.ends(pointwise_level)))
        for each in intervals
    ]
    return bounds, pointwise_level


class _Interval(NamedTuple):
    """A score, its standard error, the ends of its interval by their level.

    ``df`` are the degrees of freedom of the variance of a function of means.
    """

    estimate: float
    std_error: float
    ends: Ends
    df: float = math.inf


def _columns(intervals: Sequence[_Interval], level: float) -> dict[str, Any]:
    ends = tuple(each.ends for each in intervals)
    lines = [(each.estimate, each.std_error, *map(float, each.ends(level))) for each in intervals]
    columns = np.reshape(lines, (-1, 4)).T
    names = ("value", "std_error", "low", "high")
    return {"ends": ends, **dict(zip(names, columns, strict=True))}


def _remarks_on_undefined(result: Scores) -> tuple[Remark, ...]:
    return tuple(
        Remark(
            "undefined-metric",
            f"{label} is not defined for these rows, "
            + ("whose y is constant" if name == "r2" else "as where one class is left"),
        )
        for name, label, value in zip(result.names, result.labels, result.value, strict=True)
        if math.isnan(value)
    )


def _remarks_on_few(indicators: Sequence[Score], population: Population) -> tuple[Remark, ...]:
    """Return a remark if the area under a ROC curve rests on few rows of a class."""
    areas = [one for one in indicators if isinstance(one, RankIndicator)]
    if not areas:
        return ()
    number = min(areas[0].effective_numbers(population))
    if not 0 < number < FEW_EVENTS:
        return ()
    return (
        Remark(
            "few-events",
            f"{areas[0].label} rests on {number:.0f} effective rows of one class; with fewer than "
            f"{FEW_EVENTS} its interval is wide, and what holds for other rows is hardly known",
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


def _interval(terms: Sequence[tuple[Score, Population]], seed: int) -> _Interval:
    """Interval of a score in a population, or of the first minus the second of two.

    It follows from the influence of every row of the table, see `MeanIntervals`. A share of rows
    has the score interval (Wilson 1927), the difference of two shares of the same rows that of
    Bonett and Price 2012, and an area with few rows of a class that of Newcombe 2006.
    """
    score, population = terms[0]
    units = population.units
    is_paired = all(of is population for _, of in terms)
    if isinstance(score, MetricIndicator):
        rows = population.positions if is_paired else np.arange(len(population.scored))
        return _of_metric(terms, rows, seed)
    estimate, influence = _difference_and_influence(terms)
    if is_paired:
        influence = influence[units.positions]
    error = math.sqrt(float(np.square(influence).sum()))
    outputs = [_share_of_rows(one, of) for one, of in terms] if is_paired else [None]
    if (own := outputs[0]) is not None and (other := outputs[-1]) is not None:
        if len(terms) == 1:
            of_share = wilson_of(np.array([estimate]), own[None], population)
            return _Interval(estimate, error, partial(_single, of_share))
        if population.groups is None:
            ends = paired_shares(own, other, population.scored, population.ess)
            return _Interval(estimate, error, ends)
    if math.isnan(estimate) or not error > 0:
        end = np.asarray(estimate if error == 0 else np.nan)
        return _Interval(estimate, error, _without_width(end))
    most = min(of.units.ess for _, of in terms) - 1
    if isinstance(score, RankIndicator):
        numbers = [score.effective_numbers(of) for _, of in terms]
        if len(terms) == 1 and population.groups is None and min(numbers[0]) < FEW_EVENTS:
            return _Interval(estimate, error, partial(area_of_few, estimate, *numbers[0]))
        most = min(most, max(1.0, min(map(min, numbers)) - 1))
    mean = MeanIntervals.of(estimate, influence, most if is_paired else max(2 * most, 1.0))
    df = float(mean.df) if isinstance(score, Indicator) else math.inf
    return _Interval(estimate, error, partial(_within, mean.at, _ends(terms)), df)


def _without_width(end: Floats) -> Ends:
    """Return the ends of an interval without a width, or of none for NaN."""
    return MeanIntervals(end, np.zeros(()), np.ones(()), np.zeros(())).at


def _single(ends: Ends, level: LevelOrLevels) -> tuple[Floats, Floats]:
    """Return the ends of a single interval without its axis."""
    low, high = ends(level)
    return low[0], high[0]


def _difference_and_influence(terms: Sequence[tuple[Score, Population]]) -> tuple[float, Floats]:
    """Return a score, or the first minus the second, and the influences of units (u,) on it."""
    population = terms[0][1]
    estimate, influence = 0.0, np.zeros(len(population.scored))
    for sign, (one, of) in zip((1, -1), terms, strict=False):
        value, of_rows = value_and_influence(one, of)
        estimate += sign * value
        influence[of.positions] += sign * math.sqrt(of.units.small_sample) * of_rows
    return estimate, population.of_units(influence)


def _family(all_terms: Sequence[Sequence[tuple[Score, Population]]], seed: int) -> Family:
    """Return the scores, or differences, whose intervals are to hold at once.

    One without influences of rows counts as independent of the others.
    """
    family = Family(seed)
    for terms in all_terms:
        if isinstance(terms[0][0], MetricIndicator):
            family.add_unknown()
            continue
        _, influence = _difference_and_influence(terms)
        if influence.any():
            family.add(influence)
        else:
            family.add_unknown()
    return family


def _ends(terms: Sequence[tuple[Score, Population]]) -> tuple[float, float]:
    """Least and largest possible value."""
    if len(terms) == 1:
        return terms[0][0].bounds
    return (-1.0, 1.0) if isinstance(terms[0][0], RankIndicator) else UNBOUNDED


def _share_of_rows(score: Score, population: Population) -> Floats | None:
    """Output (n,) of a score that is a share of the rows, else None."""
    if not isinstance(score, Indicator) or score.combination is not MEAN:
        return None
    output = np.asarray(score.per_row[0], dtype=np.float64)
    counted = output[population.scored > 0]
    return output if ((counted == 0) | (counted == 1)).all() else None


def value_and_influence(score: Score, population: Population) -> tuple[float, Floats]:
    """Value of a score in the scored rows, and the influence of each of them on it.

    Parameters
    ----------
    score : Indicator or RankIndicator
    population : Population

    Returns
    -------
    value : float
    influence : ndarray of shape (m,)
        Of the scored rows; to first order, their sum is the error of the value.
    """
    rows = slice(None) if population.rows is None else population.rows
    s = population.scored[rows]
    if isinstance(score, RankIndicator):
        return score.of(rows).influence(s)
    assert isinstance(score, Indicator)
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


def _of_metric(terms: Sequence[tuple[Score, Population]], rows: Positions, seed: int) -> _Interval:
    """Interval of a metric of all rows together, by the delete-a-group jackknife (Kott 2001)."""

    def value(kept: Positions) -> float:
        total = 0.0
        for sign, (metric, of) in zip((1, -1), terms, strict=False):
            assert isinstance(metric, MetricIndicator)
            weights = np.zeros(len(of.scored))
            weights[kept] = of.scored[kept]
            total += sign * (metric.score(weights) if weights.any() else np.nan)
        return total

    estimate = value(rows)
    if len(rows) < 2 or math.isnan(estimate):
        return _Interval(estimate, np.nan, _without_width(np.asarray(np.nan)))
    of = terms[0][1]
    units = None if of.groups is None else of.groups.among(rows)
    covariance, df = without_groups(lambda kept: (value(rows[kept]),), len(rows), seed, units)
    numbers = map(np.asarray, (estimate, np.sqrt(covariance[0, 0]), df, 0.0))
    mean = MeanIntervals(*numbers)
    return _Interval(estimate, float(mean.error), partial(_within, mean.at, _ends(terms)))


def _within(ends: Ends, bounds: tuple[float, float], level: LevelOrLevels) -> tuple[Floats, Floats]:
    low, high = ends(level)
    return np.clip(low, *bounds), np.clip(high, *bounds)
