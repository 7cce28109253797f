"""Permutation importance from a random sample of the rows: a first answer where all take long."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from uqwidgets._typing import Floats, Positions
from uqwidgets._utils.remarks import Remark
from uqwidgets.evaluation.evaluations import Evaluations
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.evaluation.samples import sampled_differences
from uqwidgets.importance.permutation import (
    Estimates,
    build_result,
    check_ratio,
    provenance,
    subgroups_frame,
)
from uqwidgets.importance.remarks import (
    remarks_on_ceiling,
    remarks_on_open_ends,
    remarks_on_pairs,
)
from uqwidgets.importance.result import Importance
from uqwidgets.importance.settings import Settings
from uqwidgets.inference import Change, SampledRows
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
    differences = sampled_differences(
        evaluations, measure, columns, settings.draws, n_rows, callback
    )

    def samples() -> Iterator[Sampled | None]:
        for moved, (changes, donors) in zip(columns, differences, strict=True):
            sample = SampledRows.of(rows, donors, population, evaluations.strata)
            if sample is None:
                yield None
                return
            subgroups = None
            if settings.replacement == "conditional":
                subgroups = evaluations.subgroups(moved, "conditional").codes
            yield Sampled(sample, sample.mean_change(changes, original, subgroups))

    return importance_of_samples(evaluations, measure, features, population, settings, samples())


class Sampled(NamedTuple):
    """The sample of the rows that is known of a feature, and the mean change of a measure."""

    rows: SampledRows
    change: Change


def importance_of_samples(
    evaluations: Evaluations,
    measure: Measure,
    features: Sequence[str],
    population: Population,
    settings: Settings,
    samples: Iterable[Sampled | None],
) -> Importance | None:
    """Rank features by the mean changes of samples of the rows, of which one contains the others.

    Parameters
    ----------
    evaluations, measure, features, population, settings
        As in `permutation_importance`, with a number of repeats.
    samples : iterable of Sampled or None
        For each feature; None if the population has no row of the sample.

    Returns
    -------
    Importance or None
        Its rows are those of the largest sample; the changes of the others are NaN. None if a
        sample is None.

    Raises
    ------
    ValueError
        If the comparison is a ratio and the measure's mean is not positive.
    """
    original = evaluations.original_values(measure)
    estimates = Estimates(settings)
    scored_rows: list[Positions] = []
    row_changes: list[Floats] = []
    baseline, largest = math.nan, population
    for sampled in samples:
        if sampled is None:
            return None
        members, scored = sampled.rows.members, sampled.rows.population
        own = original[members]
        mean = dot(scored.scored, own) / scored.scored.sum()
        check_ratio(settings, measure, mean)
        estimates.add(sampled.change, own, mean, scored)
        row_changes.append(estimates.row_changes(sampled.change, mean, scored))
        if len(scored.positions) > max(map(len, scored_rows), default=0):
            baseline, largest = mean, scored
        scored_rows.append(members[scored.positions])
    rows = max(scored_rows, key=len)
    per_row = np.full((len(scored_rows), len(rows)), np.nan)
    for j, known in enumerate(scored_rows):
        per_row[j, np.searchsorted(rows, known)] = row_changes[j]
    counts = sorted({len(known) for known in scored_rows})
    ends = " to ".join(f"{n:,}" for n in dict.fromkeys((counts[0], counts[-1])))
    so_far = Remark("sampled-rows", f"{ends} of {len(population.positions):,} rows so far")
    intervals = estimates.intervals()
    return build_result(
        features,
        intervals,
        per_row,
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
        **estimates.together,
        **{**provenance(settings, largest), "rows": rows},
    )
