"""Permutation importance in the populations that one stressed feature makes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from uqwidgets.evaluation import Evaluations, Report
from uqwidgets.importance import changes
from uqwidgets.inference import Interval, half_width
from uqwidgets.measures import Measure
from uqwidgets.population import Population
from uqwidgets.predictive.distributions import Floats
from uqwidgets.results import ImportanceOverTau
from uqwidgets.stress.columns import Stressed


def importance_over_tau(
    evaluations: Evaluations,
    measure: Measure,
    features: Sequence[str],
    stressed: Stressed,
    taus: Floats,
    *,
    n_repeats: int,
    interval: Interval,
    level: float,
    seed: int,
    report: Report | None = None,
) -> ImportanceOverTau:
    """Weigh one set of answers anew at each level: importance of each feature there.

    Parameters
    ----------
    evaluations : Evaluations
    measure : Measure
    features : sequence of str, length p
    stressed : Stressed
    taus : ndarray of shape (t,)
    n_repeats, interval, level, seed, report
        As in `uqwidgets.importance.importance`.

    Returns
    -------
    ImportanceOverTau
    """
    n = len(evaluations.table)
    projections = stressed.column.projections(taus)
    estimates = np.full((2, len(features), len(taus)), np.nan)
    widths = np.full((len(features), len(taus)), np.nan)
    ess = np.full(len(taus), np.nan)
    for t, projection in enumerate(projections):
        if projection.weights is None:
            continue
        population = Population.of(n, stressed.spread(projection.weights, n))
        found = changes(
            evaluations,
            measure,
            features,
            population,
            n_repeats=n_repeats,
            interval=interval,
            seed=seed,
            report=report,
        )
        sums = np.transpose([(c.estimate, c.std_error, c.pairs) for c in found])
        estimates[:, :, t] = sums[:2]
        widths[:, t] = half_width(sums[1], level, population, pairs=sums[2])
        ess[t] = population.ess
    return ImportanceOverTau(
        stressed=stressed.name,
        features=tuple(features),
        taus=taus,
        measure=measure.name,
        label=measure.label,
        unit=measure.unit,
        importance=estimates[0],
        std_error=estimates[1],
        low=estimates[0] - widths,
        high=estimates[0] + widths,
        ess=ess,
        reached=np.array([p.reached for p in projections]),
        status=np.array([p.status for p in projections]),
        interval=interval,
        level=level,
        n_repeats=n_repeats,
        seed=seed,
    )
