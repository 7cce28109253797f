"""What it costs to be without a feature, by a measure of each row or a metric of all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from uqwidgets.differences import difference
from uqwidgets.evaluation import Evaluations
from uqwidgets.importance.remarks import floored
from uqwidgets.inference import Bounds, Change, as_ratio, bounds, symmetric, without_groups
from uqwidgets.measures import Measure
from uqwidgets.metrics import Metric, undefined
from uqwidgets.population import Population
from uqwidgets.predictive import Distribution
from uqwidgets.predictive.distributions import Floats
from uqwidgets.sums import dot


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
    if compare == "ratio":
        changes = [as_ratio(change, original, population) for change in changes]
    return Losses(
        name=measure.name,
        label=measure.label,
        unit=measure.unit if compare == "difference" else "times",
        baseline=baseline,
        sides=[bounds(change, "model", level, population) for change in changes],
        per_row=np.stack([change.per_row() for change in changes]),
        remarks=floored(measure, original),
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
        If the metric cannot score these answers, or is asked for as a ratio.
    """
    if compare == "ratio":
        raise ValueError(
            f"{metric.name} is a score, of which greater is better, and has no ratio of errors; "
            "use compare='difference'."
        )
    base = metric.on(whole.original, whole.truth)
    sides = [
        _jackknifed(base, metric.on(answer, whole.truth), population, level, seed)
        for answer in answers
    ]
    missing = sum(np.isnan(side.estimate) for side in sides)
    return Losses(
        name=metric.name,
        label=f"loss of {metric.label}",
        unit=metric.unit,
        baseline=base(population.scored),
        sides=sides,
        per_row=np.full((len(sides), len(whole.table)), np.nan),
        remarks=(undefined(metric.label, missing, len(sides), "features"),) if missing else (),
    )


def _change(values: Floats, population: Population) -> Change:
    """Mean change over test rows, with the influence of each."""
    s = population.scored
    total = s.sum()
    estimate = dot(s, values) / total
    return Change(
        estimate=estimate,
        scored=s * (values - estimate) * (len(s) / total),
        donated=np.zeros_like(values),
        counted_twice=0.0,
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
) -> Bounds:
    """Loss of score, with its interval."""

    def loss(weights: Floats) -> float:
        return base(weights) - without(weights)

    scored = population.scored
    variance, freedom = without_groups(lambda kept: loss(scored * kept), len(scored), seed)
    return symmetric(loss(scored), float(np.sqrt(variance)), freedom, level, "t")
