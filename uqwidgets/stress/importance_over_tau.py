"""Permutation importance in the populations that one stressed feature makes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.evaluation.evaluations import Evaluations
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.importance import Settings, mean_changes
from uqwidgets.inference import bounds
from uqwidgets.inference.population import Population
from uqwidgets.measures import Measure
from uqwidgets.stress.columns import Stressed
from uqwidgets.stress.importance_result import ImportanceOverTau


def importance_over_tau(
    evaluations: Evaluations,
    measure: Measure,
    features: Sequence[str],
    stressed: Stressed,
    taus: Floats,
    settings: Settings,
    callback: ProgressCallback | None = None,
) -> ImportanceOverTau:
    """Weigh one set of answers anew at each level: importance of each feature there.

    Parameters
    ----------
    evaluations : Evaluations
    measure : Measure
    features : sequence of str, length p
    stressed : Stressed
    taus : ndarray of shape (t,)
    settings, callback
        As in `uqwidgets.importance.importance`.

    Returns
    -------
    ImportanceOverTau
    """
    n = len(evaluations.table)
    projections = stressed.column.projections(taus)
    # Estimate, standard error, low and high end of every feature at every level.
    found = np.full((4, len(features), len(taus)), np.nan)
    ess = np.full(len(taus), np.nan)
    for t, projection in enumerate(projections):
        if projection.weights is None:
            continue
        weights = stressed.spread(projection.weights, n)
        population = Population.of(n, weights, stressed.rows)
        changed = mean_changes(evaluations, measure, features, population, settings, callback)
        for j, change in enumerate(changed):
            b = bounds(change, settings.interval, settings.level, population, settings.reference)
            found[:, j, t] = b.estimate, b.std_error, b.low, b.high
        ess[t] = population.ess
    return ImportanceOverTau(
        stressed=stressed.name,
        features=tuple(features),
        taus=taus,
        measure=measure.name,
        label=measure.label,
        unit=measure.unit,
        importance=found[0],
        std_error=found[1],
        low=found[2],
        high=found[3],
        ess=ess,
        reached=np.array([p.reached for p in projections]),
        status=np.array([p.status for p in projections]),
        interval=settings.interval,
        level=settings.level,
        reference=settings.reference,
        replacement=settings.replacement,
        n_repeats=settings.n_repeats,
        seed=settings.seed,
    )
