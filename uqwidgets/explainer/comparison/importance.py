r"""The difference of two models' importances, with an interval of its own.

With the measures :math:`\ell^A` and :math:`\ell^B` of the two models, the importance of a feature
for the measure :math:`\ell^A - \ell^B` is the difference of its importances, because the same
donors replace the same rows (Wood et al. 2024, eq. 5, is linear in the measure). So the influence
of every row, and of every pair of a row and a donor, is the difference of those of the models, and
the interval is that of one U-statistic (Hoeffding 1948). Errors that both models make in the same
rows cancel in it.

A ratio is the importance for the measure divided by its mean :math:`b` without replacement, plus 1.
So the difference of two ratios is the importance for :math:`\ell^A / b^A - \ell^B / b^B`, and the
influence of every row on it has a part from each mean that is divided by (`ratio_change`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets._utils.remarks import Remark
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.explainer.comparison.pair import Pair
from uqwidgets.importance import (
    Settings,
    build_result,
    change_of_differences,
    metric_differences,
    provenance,
    remarks_on_pairs,
    remarks_on_weights,
)
from uqwidgets.importance.result import Importance
from uqwidgets.inference import bounds, minus_influence
from uqwidgets.inference.population import Population
from uqwidgets.inference.sums import dot
from uqwidgets.measures import Measure
from uqwidgets.metrics import Metric


def importance_difference(
    pair: Pair,
    measures: tuple[Measure, Measure] | tuple[Metric, Metric],
    features: Sequence[str],
    population: Population,
    settings: Settings,
    callback: ProgressCallback | None = None,
    ratios: tuple[Importance, Importance] | None = None,
) -> Importance:
    """Return the importance for the difference of the models' measures, the largest first.

    Parameters
    ----------
    pair : Pair
    measures : tuple of two Measure, or of two Metric
        Of the first and of the second model.
    features : sequence of str, length p
        Features or groups that both models have.
    population : Population
    settings : Settings
    callback : callable, optional
        See `Evaluations.evaluate_all`.
    ratios : tuple of Importance, optional
        Of the first and of the second model, where they are compared by ratios.

    Returns
    -------
    Importance
        Its ``baseline`` is the difference of the baselines.
    """
    own, other = measures
    remarks: tuple[Remark, ...] = ()
    intervals, repeats, pairs = [], [], []
    per_row = np.full((len(features), len(population.positions)), np.nan)
    if isinstance(own, Metric):
        assert isinstance(other, Metric)
        sides = [(pair.first, own, population), (pair.second, other, population)]
        for interval, of_repeats in metric_differences(sides, features, settings, callback):
            intervals.append(interval)
            repeats.append(of_repeats)
        scores = [
            metric.on(each.original_for(metric), each.truth)(population.scored)
            for each, metric, _ in sides
        ]
        baseline, label = scores[0] - scores[1], f"loss of {own.label}"
    else:
        assert isinstance(other, Measure)
        options = settings.interval, settings.level, population, settings.reference
        originals = pair.first.original_values(own), pair.second.original_values(other)
        before = (1.0, 1.0) if ratios is None else (ratios[0].baseline, ratios[1].baseline)
        both = pair.differences((own, other), features, settings.draws, callback, before)
        for j, (feature, differences) in enumerate(zip(features, both, strict=True)):
            change = change_of_differences(differences, population)
            if ratios is not None:
                change = minus_influence(
                    change, _of_baselines(feature, ratios, originals), population
                )
            intervals.append(bounds(change, *options))
            per_row[j] = change.per_row()[population.positions]
            repeats.append(change.repeats)
            pairs.append(change.pairs)
            del differences, change  # otherwise their arrays stay in memory with the next ones
        baseline = dot(population.scored, originals[0] - originals[1]) / population.scored.sum()
        label = own.label
        remarks = remarks_on_pairs(pairs) + remarks_on_weights(own, population, settings)
    return build_result(
        features,
        intervals,
        per_row,
        repeats,
        measure=own.name,
        label=f"{label}, {pair.title}",
        unit=own.unit if ratios is None else "times",
        baseline=baseline,
        remarks=remarks,
        # Whatever is compared, zero is no difference.
        **provenance(replace(settings, compare="difference"), population),
    )


def _of_baselines(
    feature: str, ratios: tuple[Importance, Importance], originals: tuple[Floats, Floats]
) -> Floats:
    """Return the values of rows whose mean moves the difference of the ratios like the baselines.

    See `ratio_change`.
    """
    own, other = (
        (ratio.importance[ratio.features.index(feature)] - 1) * original / ratio.baseline
        for ratio, original in zip(ratios, originals, strict=True)
    )
    return np.asarray(own - other)
