"""From mean changes to an `Importance`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from uqwidgets.evaluation.evaluations import Evaluations, ProgressCallback
from uqwidgets.importance.assemble import asked, ranked
from uqwidgets.importance.permutation import changes, original_values
from uqwidgets.importance.remarks import dominated, floored, open_ended, unpaired
from uqwidgets.importance.result import Importance
from uqwidgets.importance.settings import Settings
from uqwidgets.inference import Change, bounds, ratio_bounds
from uqwidgets.inference.population import Population
from uqwidgets.inference.sums import dot
from uqwidgets.measures import Measure


def importance(
    evaluations: Evaluations,
    measure: Measure,
    units: Sequence[str],
    population: Population,
    settings: Settings,
    callback: ProgressCallback | None = None,
) -> Importance:
    """Rank features, or groups of features, by importance, the most important first.

    Parameters
    ----------
    evaluations : Evaluations
    measure : Measure
    units : sequence of str, length p
    population : Population
    settings : Settings
    callback : callable, optional
        See `Evaluations.ask`.

    Returns
    -------
    Importance

    Raises
    ------
    ValueError
        If a ratio is asked for and the measure's mean is not positive.
    """
    made = changes(evaluations, measure, units, population, settings, callback)
    return summarised(evaluations, measure, units, population, settings, made)


def summarised(
    evaluations: Evaluations,
    measure: Measure,
    units: Sequence[str],
    population: Population,
    settings: Settings,
    made: Iterable[Change],
) -> Importance:
    """Rank features by changes that are made already, or one by one; see `importance`.

    Parameters
    ----------
    evaluations : Evaluations
    measure : Measure
    units : sequence of str, length p
    population : Population
    settings : Settings
    made : iterable of Change, length p
        In the order of ``units``.
    """
    original = original_values(evaluations, measure)
    baseline = dot(population.scored, original) / population.scored.sum()
    if settings.compare == "ratio" and not baseline > 0:
        raise ValueError(
            f"the mean {measure.name} of the scored rows is {baseline:.4g}, and a ratio needs a "
            "positive one; use compare='difference'."
        )
    sides, per_row, repeats, pairs = [], [], [], []
    for change in made:
        how = settings.interval, settings.level, population, settings.reference
        rows_changed = change.per_row()[population.positions]
        if settings.compare == "ratio":
            sides.append(ratio_bounds(change, original, *how))
            per_row.append(1 + rows_changed / baseline)
            repeats.append(1 + change.repeats / baseline)
        else:
            sides.append(bounds(change, *how))
            per_row.append(rows_changed)
            repeats.append(change.repeats)
        pairs.append(change.pairs)
        del change  # else its arrays would stay while the next are made
    return ranked(
        units,
        sides,
        per_row,
        repeats,
        measure=measure.name,
        label=measure.label,
        unit=measure.unit if settings.compare == "difference" else "times",
        baseline=baseline,
        subgroups=subgroups_frame(evaluations, units, settings),
        remarks=floored(measure, original)
        + dominated(measure, original, population.scored)
        + unpaired(pairs)
        + open_ended(sides)
        + evaluations.remarks,
        **asked(settings, population),
    )


def subgroups_frame(
    evaluations: Evaluations, units: Sequence[str], settings: Settings
) -> pd.DataFrame | None:
    """Say how many subgroups each feature moves within, and how well they separate it."""
    if settings.replacement != "conditional":
        return None
    table = evaluations.table
    found = [evaluations.subgroups(table.columns_of(unit), "conditional") for unit in units]
    return pd.DataFrame(
        {
            "feature": list(units),
            "subgroups": [len(groups.sizes) for groups in found],
            "smallest": [int(groups.sizes.min()) for groups in found],
            "separation": [groups.separation for groups in found],
        }
    )
