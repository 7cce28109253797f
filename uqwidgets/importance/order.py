"""Whether one feature is clearly more important than another, in the same rows.

The difference of two importances is a statistic of the same rows, so the influence of a row on it
is the difference of its two influences (Hoeffding 1948). What makes a row hard under any
replacement cancels, and two intervals may overlap although the difference is clear. The draws of
two features are independent, so the noise that is counted twice is the sum of both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from uqwidgets.evaluation.evaluations import Evaluations
from uqwidgets.importance.permutation import mean_changes
from uqwidgets.importance.settings import Settings
from uqwidgets.inference import Bounds, Change, bounds
from uqwidgets.inference.population import Population
from uqwidgets.measures import Measure


def pairwise_differences(
    evaluations: Evaluations,
    measure: Measure,
    features: Sequence[str],
    population: Population,
    settings: Settings,
) -> dict[tuple[str, str], Bounds]:
    """Return the importance of the first feature minus that of the second, for every pair.

    Parameters
    ----------
    evaluations, measure, features, population, settings
        As in `permutation_importance`, without a ratio.

    Returns
    -------
    dict
        Bounds by (first, second), in the order of ``features``.
    """
    changes = list(mean_changes(evaluations, measure, features, population, settings))
    options = settings.interval, settings.level, population, settings.reference
    return {
        (features[i], features[j]): bounds(_minus(changes[i], changes[j]), *options)
        for i, j in combinations(range(len(features)), 2)
    }


def _minus(first: Change, second: Change) -> Change:
    def minus_cubes(a: float, b: float) -> float:
        return float(np.cbrt(a**3 - b**3))

    return replace(
        first,
        estimate=first.estimate - second.estimate,
        influence_scored=first.influence_scored - second.influence_scored,
        influence_donor=first.influence_donor - second.influence_donor,
        double_counted=first.double_counted + second.double_counted,
        interaction=minus_cubes(first.interaction, second.interaction),
        double_counted_cubes=minus_cubes(first.double_counted_cubes, second.double_counted_cubes),
        pairs=min(first.pairs, second.pairs),
        pair_variance=lambda: first.pair_variance() + second.pair_variance(),
        repeats=first.repeats - second.repeats,
        per_row=lambda: first.per_row() - second.per_row(),
    )
