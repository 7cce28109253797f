"""Columns of the importance view that take a while: scorers and the redundancy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.evaluation.progress import Progress
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.importance import Settings, metric_importance
from uqwidgets.inference.population import Population
from uqwidgets.metrics import Metric
from uqwidgets.widgets.inputs.choices import LEVEL
from uqwidgets.widgets.kernel.work import ReportCount

# Trees of each forest: the fewest that predict every row out of bag.
_N_ESTIMATORS = 50


def scorer_column(
    explainer: Explainer,
    metric: Metric,
    units: Sequence[str],
    population: Population,
    settings: Settings,
    report: ReportCount,
) -> Floats:
    """Return the loss of a scorer under the replacements of each feature, with its interval.

    Parameters
    ----------
    explainer : Explainer
    metric : Metric
    units : sequence of str, length p
        Features, or groups of them.
    population : Population
    settings : Settings
    report : callable
        Called before each feature with the number that is computed and the number in all; what it
        raises ends the work.

    Returns
    -------
    ndarray of shape (3, p)

    Raises
    ------
    ValueError
        See `metric_importance`.
    """
    values = np.empty((3, len(units)))
    if settings.simultaneous:
        report(0, len(units))
        every = metric_importance(explainer.evaluations, metric, units, population, settings)
        at = [every.features.index(unit) for unit in units]
        return np.stack([every.importance, every.low, every.high])[:, at]
    for j, unit in enumerate(units):
        report(j, len(units))
        one = metric_importance(explainer.evaluations, metric, [unit], population, settings)
        values[:, j] = one.importance[0], one.low[0], one.high[0]
    return values


def redundancy_column(
    explainer: Explainer,
    units: Sequence[str],
    population: Population,
    report: ReportCount,
) -> Floats:
    """Return R2 of each feature from the others, with its interval; it fits forests.

    Parameters
    ----------
    explainer, units, population
        As in `scorer_column`; the explainer has the groups of the population.
    report : callable
        Called after each forest with the numbers of rows fitted so far and in all. An exception
        that it raises ends the work.

    Returns
    -------
    ndarray of shape (3, p)

    Raises
    ------
    ValueError
        See `Explainer.redundancy`.
    """

    def callback(progress: Progress) -> None:
        report(progress.rows_done, progress.rows_total)

    report(0, 0)
    result = explainer.redundancy(
        features=units,
        n_estimators=_N_ESTIMATORS,
        level=LEVEL,
        sample_weight=population.weights if population.weighted else None,
        rows=population.rows,
        callback=callback,
    )
    place = [result.features.index(unit) for unit in units]
    return np.stack([result.r2, result.low, result.high])[:, place]
