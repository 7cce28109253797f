"""Change of a measure or of a metric on test rows, between fits with and without a feature.

With L the loss per row of the fit on all features and L_j that of the fit without feature j, LOCO
is the mean over test rows of L_j - L (Dankers et al. 2020, section 8.2), or the ratio of the means.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets._utils.remarks import Remark
from uqwidgets.evaluation.evaluations import Evaluations
from uqwidgets.importance.permutation import (
    build_result,
)
from uqwidgets.importance.remarks import (
    remarks_on_ceiling,
    remarks_on_open_ends,
)
from uqwidgets.importance.result import Importance
from uqwidgets.inference import (
    Bounds,
    Change,
    bounds,
    fieller,
    ratio_bounds,
    symmetric,
    without_groups,
)
from uqwidgets.inference.influence import interaction_of_weights
from uqwidgets.inference.population import Population
from uqwidgets.inference.rounding import difference
from uqwidgets.inference.sums import dot
from uqwidgets.measures import Measure
from uqwidgets.metrics import Metric, undefined
from uqwidgets.predictive import Distribution


@dataclass(frozen=True, eq=False)
class Losses:
    """Increase of the loss without each feature.

    Attributes
    ----------
    name, label, unit : str
    baseline : float
        Of the fit on all features.
    intervals : list of Bounds, length p
    per_row : ndarray of shape (p, m)
    remarks : tuple of Remark
    """

    name: str
    label: str
    unit: str
    baseline: float
    intervals: list[Bounds]
    per_row: Floats
    remarks: tuple[Remark, ...]

    def result(
        self,
        names: Sequence[str],
        population: Population,
        *,
        compare: str,
        replacement: str,
        level: float,
        seed: int,
        remarks: Sequence[str] = (),
    ) -> Importance:
        """Sort the features into an `Importance`, the most important first.

        Parameters
        ----------
        names : sequence of str, length p
        population : Population
            The test rows.
        compare, replacement : str
        level : float
        seed : int
        remarks : sequence of str
            Further remarks of the result.
        """
        return build_result(
            names,
            self.intervals,
            self.per_row.copy(),
            [np.array([interval.estimate]) for interval in self.intervals],
            measure=self.name,
            label=self.label,
            unit=self.unit,
            baseline=self.baseline,
            compare=compare,
            replacement=replacement,
            n_repeats=1,
            interval="model",
            level=level,
            reference="t",
            seed=seed,
            rows=None,
            weighted=population.weighted,
            ess=population.ess,
            remarks=(*self.remarks, *remarks),
        )


def compare_measure(
    measure: Measure,
    whole: Evaluations,
    predictions: Iterable[Distribution],
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
    predictions : iterable of Distribution, length p
        Of the same rows, by the fits without each feature.
    population : Population
    compare : {"difference", "ratio"}
    level : float

    Raises
    ------
    ValueError
        If ``compare`` is ``"ratio"`` and the mean is not positive.
    """
    original = whole.original_values(measure)
    baseline = dot(population.scored, original) / population.scored.sum()
    if compare == "ratio" and not baseline > 0:
        raise ValueError(
            f"the mean {measure.name} of the test rows is {baseline:.4g}, and a ratio needs a "
            "positive one; use compare='difference'."
        )
    changes = [
        _change(difference(measure.of(prediction, whole.truth), original), population)
        for prediction in predictions
    ]
    per_row = np.stack([change.per_row() for change in changes])
    if compare == "ratio":
        intervals = [
            ratio_bounds(change, original, "model", level, population) for change in changes
        ]
        per_row = 1 + per_row / baseline
    else:
        intervals = [bounds(change, "model", level, population) for change in changes]
    return Losses(
        name=measure.name,
        label=measure.label,
        unit=measure.unit if compare == "difference" else "times",
        baseline=baseline,
        intervals=intervals,
        per_row=per_row,
        remarks=remarks_on_ceiling(measure, original)
        + remarks_on_open_ends(intervals)
        + whole.remarks_on_answers,
    )


def compare_metric(
    metric: Metric,
    whole: Evaluations,
    predictions: Iterable[Distribution],
    population: Population,
    compare: str,
    level: float,
    seed: int,
) -> Losses:
    """Compare scores of all test rows, with the interval of a delete-a-group jackknife.

    Parameters
    ----------
    metric : Metric
    whole, predictions, population, compare, level
        As in `compare_measure`.
    seed : int
        Of the groups.

    Raises
    ------
    ValueError
        If the metric cannot score these predictions; for a ratio, if the metric is not a negated
        loss or its loss is zero.
    """
    base = metric.on(whole.original_for(metric), whole.truth)
    ratio = compare == "ratio"
    baseline = base(population.scored)
    if ratio:
        metric.check_ratio(baseline, "test")
    intervals = [
        _jackknife(base, metric.on(prediction, whole.truth), population, level, seed, ratio=ratio)
        for prediction in predictions
    ]
    missing = sum(np.isnan(interval.estimate) for interval in intervals)
    return Losses(
        name=metric.name,
        label=metric.loss_label if ratio else f"loss of {metric.label}",
        unit="times" if ratio else metric.unit,
        baseline=-baseline if ratio else baseline,
        intervals=intervals,
        per_row=np.full((len(intervals), len(whole.table)), np.nan),
        remarks=((undefined(metric.label, missing, len(intervals), "features"),) if missing else ())
        + remarks_on_open_ends(intervals)
        + whole.remarks_on_answers,
    )


def _change(values: Floats, population: Population) -> Change:
    """Weighted mean change over test rows, with the influence function of each row."""
    s = population.scored
    total = s.sum()
    estimate = dot(s, values) / total
    influence = s * (values - estimate) * (len(s) / total)
    return Change(
        estimate=estimate,
        influence_scored=influence,
        influence_donor=np.zeros_like(values),
        double_counted=np.zeros_like(values),
        interaction=math.cbrt(interaction_of_weights(influence, dot(influence, influence), s)),
        double_counted_cubes=0.0,
        pairs=np.inf,
        pair_variance=lambda: np.nan,
        repeats=np.array([estimate]),
        totals=np.array([total]),
        per_row=lambda: values,
    )


def _jackknife(
    base: Callable[[Floats], float],
    without: Callable[[Floats], float],
    population: Population,
    level: float,
    seed: int,
    *,
    ratio: bool,
) -> Bounds:
    """Loss of score, or ratio of the losses that the scores negate, with its interval."""
    s = population.scored

    def scores(weights: Floats) -> tuple[float, float]:
        return base(weights), without(weights)

    covariance, freedom = without_groups(lambda included: scores(s * included), len(s), seed)
    before, after = scores(s)

    def difference_to(times: float) -> Bounds:
        contrast = np.array([times, -1.0])
        error = math.sqrt(max(float(contrast @ covariance @ contrast), 0.0))
        return symmetric(times * before - after, error, freedom, level, "t")

    return fieller(difference_to, after / before, -before) if ratio else difference_to(1.0)
