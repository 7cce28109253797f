"""Change of a measure or of a metric on test rows, between fits with and without a feature.

With L the loss per row of the fit on all features and L_j that of the fit without feature j, LOCO
is the mean over test rows of L_j - L (Dankers et al. 2020, section 8.2), or the ratio of the means.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

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
from uqwidgets.learner.loco_importance.fits import OfFit
from uqwidgets.measures import Measure
from uqwidgets.metrics import Metric, undefined


def importance_without(
    reader: Measure | Metric,
    whole: Evaluations,
    fits: Iterable[OfFit],
    names: Sequence[str],
    population: Population,
    *,
    compare: str,
    replacement: str,
    level: float,
    seed: int,
    remarks: Sequence[Remark] = (),
) -> Importance:
    """Rank features by the increase of a loss, or the loss of a score, without each of them.

    Means over test rows have the paired t interval, scores that of a delete-a-group jackknife.

    Parameters
    ----------
    reader : Measure or Metric
    whole : Evaluations
        Of the fit on all features.
    fits : iterable of OfFit, length p
        What the fits without each feature predict for the same rows.
    names : sequence of str, length p
    population : Population
        The test rows.
    compare : {"difference", "ratio"}
    replacement : str
    level : float
    seed : int
        Of the groups of the jackknife.
    remarks : sequence of Remark
        Further remarks of the result.

    Raises
    ------
    ValueError
        If the metric cannot score these predictions; for a ratio, if the mean is not positive, or
        the metric is not a negated loss or its loss is zero.
    """
    predictions = (fit.read_by(reader) for fit in fits)
    ratio = compare == "ratio"
    of_reader: tuple[Remark, ...] = ()
    if isinstance(reader, Metric):
        base = reader.on(whole.original_for(reader), whole.truth)
        score = base(population.scored)
        if ratio:
            reader.check_ratio(score, "test")
        baseline = -score if ratio else score
        intervals = [
            _jackknife(
                base, reader.on(prediction, whole.truth), population, level, seed, ratio=ratio
            )
            for prediction in predictions
        ]
        label = reader.loss_label if ratio else f"loss of {reader.label}"
        per_row = np.full((len(intervals), len(whole.table)), np.nan)
        missing = sum(np.isnan(interval.estimate) for interval in intervals)
        of_reader = (
            (undefined(reader.label, missing, len(intervals), "features"),) if missing else ()
        )
    else:
        original = whole.original_values(reader)
        baseline = dot(population.scored, original) / population.scored.sum()
        if ratio and not baseline > 0:
            raise ValueError(
                f"the mean {reader.name} of the test rows is {baseline:.4g}, and a ratio needs a "
                "positive one; use compare='difference'."
            )
        changes = [
            _change(difference(reader.of(prediction, whole.truth), original), population)
            for prediction in predictions
        ]
        per_row = np.stack([change.per_row() for change in changes])
        if ratio:
            intervals = [
                ratio_bounds(change, original, "model", level, population) for change in changes
            ]
            per_row = 1 + per_row / baseline
        else:
            intervals = [bounds(change, "model", level, population) for change in changes]
        label, of_reader = reader.label, remarks_on_ceiling(reader, original)
    return build_result(
        names,
        intervals,
        per_row,
        [np.array([interval.estimate]) for interval in intervals],
        measure=reader.name,
        label=label,
        unit="times" if ratio else reader.unit,
        baseline=baseline,
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
        groups=population.group_count,
        remarks=(
            *of_reader,
            *remarks_on_open_ends(intervals),
            *whole.remarks_on_answers,
            *remarks,
        ),
    )


def _change(values: Floats, population: Population) -> Change:
    """Weighted mean change over test rows, with the influence function of each row."""
    s = population.scored
    total = s.sum()
    estimate = dot(s, values) / total
    influence = s * (values - estimate) * (len(s) / total)
    of_units = population.of_units(influence)
    return Change(
        estimate=estimate,
        influence_scored=influence,
        influence_donor=np.zeros_like(values),
        double_counted=np.zeros_like(values),
        interaction=math.cbrt(
            interaction_of_weights(of_units, dot(of_units, of_units), population.units.scored)
        ),
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

    covariance, freedom = without_groups(
        lambda included: scores(s * included), len(s), seed, population.groups
    )
    before, after = scores(s)

    def difference_to(times: float) -> Bounds:
        contrast = np.array([times, -1.0])
        error = math.sqrt(max(float(contrast @ covariance @ contrast), 0.0))
        return symmetric(times * before - after, error, freedom, level, "t")

    return fieller(difference_to, after / before, -before) if ratio else difference_to(1.0)
