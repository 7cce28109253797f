r"""The difference of two models' importances, with an interval of its own.

With the measures :math:`\ell^A` and :math:`\ell^B` of the two models, the importance of a feature
for the measure :math:`\ell^A - \ell^B` is the difference of its importances, because the same
donors replace the same rows (Wood et al. 2024, eq. 5, is linear in the measure). So the influence
of every row, and of every pair of a row and a donor, is the difference of those of the models, and
the interval is that of one U-statistic (Hoeffding 1948). Errors that both models make in the same
rows cancel in it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

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
from uqwidgets.inference import bounds
from uqwidgets.inference.population import Population
from uqwidgets.inference.sums import dot
from uqwidgets.measures import Measure
from uqwidgets.metrics import Metric


def importance_difference(
    pair: Pair,
    measures: tuple[Measure, Measure] | tuple[Metric, Metric],
    units: Sequence[str],
    population: Population,
    settings: Settings,
    callback: ProgressCallback | None = None,
) -> Importance:
    """Return the importance for the difference of the models' measures, the largest first.

    Parameters
    ----------
    pair : Pair
    measures : tuple of two Measure, or of two Metric
        Of the first and of the second model.
    units : sequence of str, length p
        Features or groups that both models have.
    population : Population
    settings : Settings
        Without a ratio.
    callback : callable, optional
        See `Evaluations.ask`.

    Returns
    -------
    Importance
        Its ``baseline`` is the difference of the baselines.
    """
    own, other = measures
    remarks: tuple[str, ...] = ()
    intervals, per_row, repeats, pairs = [], [], [], []
    if isinstance(own, Metric):
        assert isinstance(other, Metric)
        sides = [(pair.first, own, population), (pair.second, other, population)]
        for interval, of_repeats in metric_differences(sides, units, settings, callback):
            intervals.append(interval)
            repeats.append(of_repeats)
            per_row.append(np.full(len(population.positions), np.nan))
        scores = [
            metric.on(each.original, each.truth)(population.scored) for each, metric, _ in sides
        ]
        baseline, label = scores[0] - scores[1], f"loss of {own.label}"
    else:
        assert isinstance(other, Measure)
        options = settings.interval, settings.level, population, settings.reference
        for differences in pair.differences((own, other), units, settings.draws, callback):
            change = change_of_differences(differences, population)
            intervals.append(bounds(change, *options))
            per_row.append(change.per_row()[population.positions])
            repeats.append(change.repeats)
            pairs.append(change.pairs)
            del differences, change  # otherwise their arrays stay in memory with the next ones
        original = pair.first.original_values(own) - pair.second.original_values(other)
        baseline = dot(population.scored, original) / population.scored.sum()
        label = own.label
        remarks = remarks_on_pairs(pairs) + remarks_on_weights(own, population, settings)
    return build_result(
        units,
        intervals,
        per_row,
        repeats,
        measure=own.name,
        label=f"{label}, {pair.title}",
        unit=own.unit,
        baseline=baseline,
        remarks=remarks,
        **provenance(settings, population),
    )
