"""What it costs to be without a feature, by a measure of each row or a metric of all of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.evaluation.evaluations import Evaluations
from uqwidgets.importance.permutation import remarks_on_ceiling, remarks_on_open_ends
from uqwidgets.inference import (
    Bounds,
    Change,
    bounds,
    fieller,
    ratio_bounds,
    symmetric,
    without_groups,
)
from uqwidgets.inference.population import Population
from uqwidgets.inference.rounding import difference
from uqwidgets.inference.sums import dot
from uqwidgets.measures import Measure
from uqwidgets.metrics import Metric, undefined
from uqwidgets.predictive import Distribution


@dataclass(frozen=True, eq=False)
class Losses:
    """How much worse each fit is than that on all features.

    Attributes
    ----------
    name, label, unit : str
    baseline : float
        Of the fit on all features.
    sides : list of Bounds, length p
    per_row : ndarray of shape (p, m)
    remarks : tuple of str
    """

    name: str
    label: str
    unit: str
    baseline: float
    sides: list[Bounds]
    per_row: Floats
    remarks: tuple[str, ...]


def measured(
    measure: Measure,
    whole: Evaluations,
    answers: Iterable[Distribution],
    population: Population,
    compare: str,
    level: float,
) -> Losses:
    """Compare means over test rows, by difference or ratio, with the paired t interval.

    Parameters
    ----------
    measure : Measure
    whole : Evaluations
        Of the fit on all features.
    answers : iterable of Distribution, length p
        About the same rows, without each feature.
    population : Population
    compare : {"difference", "ratio"}
    level : float

    Raises
    ------
    ValueError
        If a ratio is asked for and the mean is not positive.
    """
    original = measure.of(whole.original, whole.truth)
    baseline = dot(population.scored, original) / population.scored.sum()
    if compare == "ratio" and not baseline > 0:
        raise ValueError(
            f"the mean {measure.name} of the test rows is {baseline:.4g}, and a ratio needs a "
            "positive one; use compare='difference'."
        )
    changes = [
        _change(difference(measure.of(answer, whole.truth), original), population)
        for answer in answers
    ]
    per_row = np.stack([change.per_row() for change in changes])
    if compare == "ratio":
        sides = [ratio_bounds(change, original, "model", level, population) for change in changes]
        per_row = 1 + per_row / baseline
    else:
        sides = [bounds(change, "model", level, population) for change in changes]
    return Losses(
        name=measure.name,
        label=measure.label,
        unit=measure.unit if compare == "difference" else "times",
        baseline=baseline,
        sides=sides,
        per_row=per_row,
        remarks=remarks_on_ceiling(measure, original) + remarks_on_open_ends(sides),
    )


def scored(
    metric: Metric,
    whole: Evaluations,
    answers: Iterable[Distribution],
    population: Population,
    compare: str,
    level: float,
    seed: int,
) -> Losses:
    """Compare scores of all test rows, with the interval of a delete-a-group jackknife.

    Parameters
    ----------
    metric : Metric
    whole, answers, population, compare, level
        As in `measured`.
    seed : int
        Of the groups.

    Raises
    ------
    ValueError
        If the metric cannot score these answers, or is asked for as a ratio though it is no loss
        or nothing is lost.
    """
    base = metric.on(whole.original, whole.truth)
    ratio = compare == "ratio"
    baseline = base(population.scored)
    if ratio:
        metric.check_ratio(baseline, "test")
    sides = [
        _jackknifed(base, metric.on(answer, whole.truth), population, level, seed, ratio=ratio)
        for answer in answers
    ]
    missing = sum(np.isnan(side.estimate) for side in sides)
    return Losses(
        name=metric.name,
        label=metric.loss_label if ratio else f"loss of {metric.label}",
        unit="times" if ratio else metric.unit,
        baseline=-baseline if ratio else baseline,
        sides=sides,
        per_row=np.full((len(sides), len(whole.table)), np.nan),
        remarks=((undefined(metric.label, missing, len(sides), "features"),) if missing else ())
        + remarks_on_open_ends(sides),
    )


def _change(values: Floats, population: Population) -> Change:
    """Mean change over test rows, with the influence of each."""
    s = population.scored
    total = s.sum()
    estimate = dot(s, values) / total
    return Change(
        estimate=estimate,
        influence_scored=s * (values - estimate) * (len(s) / total),
        influence_donor=np.zeros_like(values),
        double_counted=np.zeros_like(values),
        pairs=np.inf,
        pair_variance=lambda: np.nan,
        repeats=np.array([estimate]),
        totals=np.array([total]),
        per_row=lambda: values,
    )


def _jackknifed(
    base: Callable[[Floats], float],
    without: Callable[[Floats], float],
    population: Population,
    level: float,
    seed: int,
    *,
    ratio: bool,
) -> Bounds:
    """Loss of score, or ratio of the losses that are negated, with its interval."""
    s = population.scored

    def scores(weights: Floats) -> tuple[float, float]:
        return base(weights), without(weights)

    covariance, freedom = without_groups(lambda kept: scores(s * kept), len(s), seed)
    before, after = scores(s)

    def differing(times: float) -> Bounds:
        along = np.array([times, -1.0])
        error = math.sqrt(max(float(along @ covariance @ along), 0.0))
        return symmetric(times * before - after, error, freedom, level, "t")

    return fieller(differing, after / before, -before) if ratio else differing(1.0)
