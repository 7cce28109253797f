"""Permutation importance from a random sample of the rows: a first answer where all take long."""

from __future__ import annotations

from collections.abc import Sequence

from uqwidgets.evaluation.evaluations import Evaluations
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.evaluation.samples import sampled_differences
from uqwidgets.importance.permutation import (
    Estimates,
    build_result,
    check_ratio,
    provenance,
    remarks_on_ceiling,
    remarks_on_open_ends,
    remarks_on_pairs,
    subgroups_frame,
)
from uqwidgets.importance.result import Importance
from uqwidgets.importance.settings import Settings
from uqwidgets.inference import SampledRows
from uqwidgets.inference.population import Population
from uqwidgets.inference.sums import dot
from uqwidgets.measures import Measure


def sampled_importance(
    evaluations: Evaluations,
    measure: Measure,
    features: Sequence[str],
    population: Population,
    settings: Settings,
    n_rows: int,
    callback: ProgressCallback | None = None,
) -> Importance | None:
    """Rank features by the changes of a random sample of the rows, whose donors are all rows.

    Its changes are a part of those that `permutation_importance` averages.

    Parameters
    ----------
    evaluations, measure, features, population, settings, callback
        As in `permutation_importance`, with a number of repeats.
    n_rows : int
        One of the sizes of ``evaluations.row_order``.

    Returns
    -------
    Importance or None
        None if the population has no row of the sample.
    """
    columns = [evaluations.table.columns_of(feature) for feature in features]
    rows, original = evaluations.row_order.rows[:n_rows], evaluations.original_values(measure)
    estimates = Estimates(settings)
    sample: SampledRows | None = None
    differences = sampled_differences(
        evaluations, measure, columns, settings.draws, n_rows, callback
    )
    for moved, (changes, donors) in zip(columns, differences, strict=True):
        sample = SampledRows.of(rows, donors, population, evaluations.strata)
        if sample is None:
            return None
        subgroups = None
        if settings.replacement == "conditional":
            subgroups = evaluations.subgroups(moved, "conditional").codes
        change = sample.mean_change(changes, original, subgroups)
        own, scored = original[sample.members], sample.population
        baseline = dot(scored.scored, own) / scored.scored.sum()
        check_ratio(settings, measure, baseline)
        estimates.add(change, own, baseline, scored)
    assert sample is not None
    scored_rows = sample.members[sample.population.positions]
    so_far = f"{len(scored_rows):,} of {len(population.positions):,} rows so far"
    intervals = estimates.intervals()
    return build_result(
        features,
        intervals,
        estimates.per_row,
        estimates.repeats,
        measure=measure.name,
        label=measure.label,
        unit=measure.unit if settings.compare == "difference" else "times",
        baseline=baseline,
        subgroups=subgroups_frame(evaluations, features, settings),
        remarks=(
            so_far,
            *remarks_on_ceiling(measure, original),
            *remarks_on_pairs(estimates.pairs),
            *remarks_on_open_ends(intervals),
            *evaluations.remarks,
        ),
        **{**provenance(settings, sample.population), "rows": scored_rows},
    )
