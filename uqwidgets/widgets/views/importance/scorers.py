"""Importance for scorers, which are no means over rows, in the importance view."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.importance import Settings, metric_importance
from uqwidgets.inference.population import Population
from uqwidgets.metrics import Metric
from uqwidgets.widgets.views.importance.latest import LatestValues

# Populations and scorers that stay cached, so that going back to one computes nothing.
_MOST_CACHED = 16


class ScorerColumns:
    """Loss of a scorer under the replacements of each feature, for the latest populations.

    Parameters
    ----------
    explainer : Explainer
    """

    def __init__(self, explainer: Explainer) -> None:
        self._evaluations = explainer.evaluations
        self._latest = LatestValues(_MOST_CACHED)

    def cached(self, key: Hashable) -> Floats | None:
        """Return estimates and intervals, shape (3, p); None if they are not computed."""
        return self._latest.get(key)

    def compute(
        self,
        key: Hashable,
        metric: Metric,
        units: Sequence[str],
        population: Population,
        settings: Settings,
        report: Callable[[int, int], None],
    ) -> None:
        """Compute the importance of each feature, or group.

        Parameters
        ----------
        key : hashable
            Identifies all other arguments.
        metric : Metric
        units : sequence of str, length p
        population : Population
        settings : Settings
        report : callable
            Called before each feature with the number that is computed and the number in all;
            what it raises ends the work.

        Raises
        ------
        ValueError
            See `metric_importance`.
        """
        values = np.empty((3, len(units)))
        for j, unit in enumerate(units):
            report(j, len(units))
            one = metric_importance(self._evaluations, metric, [unit], population, settings)
            values[:, j] = one.importance[0], one.low[0], one.high[0]
        self._latest.add(key, values)
