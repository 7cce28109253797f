"""Columns of the importance view that take a while: scorers and the redundancy."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.evaluation.progress import Progress
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.importance import Settings, metric_importance
from uqwidgets.inference.population import Population
from uqwidgets.metrics import Metric
from uqwidgets.widgets.inputs.choices import LEVEL

# Results that stay cached, so that going back to a scorer or a population computes nothing.
_MOST_SCORERS = 16
_MOST_REDUNDANCIES = 4
# Trees of each forest: the fewest that predict every row out of bag.
_N_ESTIMATORS = 50


class LatestValues:
    """The results that were computed last, of shape (3, p); older ones are dropped.

    Parameters
    ----------
    most : int
        How many results stay cached.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: dict[Hashable, Floats] = {}

    def get(self, key: Hashable) -> Floats | None:
        """Return the values of a key; None if they are not computed, or were dropped."""
        return self._values.get(key)

    def add(self, key: Hashable, values: Floats) -> None:
        """Cache the values of a key."""
        # The dict is replaced as a whole, for another thread may read it.
        others = [item for item in self._values.items() if item[0] != key]
        self._values = dict([*others, (key, values)][-self._most :])


class ScorerColumns:
    """Loss of a scorer under the replacements of each feature, for the latest populations.

    Parameters
    ----------
    explainer : Explainer
    """

    def __init__(self, explainer: Explainer) -> None:
        self._evaluations = explainer.evaluations
        self._latest = LatestValues(_MOST_SCORERS)

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


class RedundancyColumn:
    """R2 of each feature from the others, in the latest populations.

    Parameters
    ----------
    explainer : Explainer
    """

    def __init__(self, explainer: Explainer) -> None:
        self._explainer = explainer
        self._latest = LatestValues(_MOST_REDUNDANCIES)

    def cached(self, key: Hashable) -> Floats | None:
        """Return R2 with both ends of its interval, shape (3, p); None if it is not computed."""
        return self._latest.get(key)

    def compute(
        self,
        key: Hashable,
        units: Sequence[str],
        population: Population,
        report: Callable[[int, int], None],
    ) -> None:
        """Fit the forests.

        Parameters
        ----------
        key : hashable
            Identifies units and population.
        units : sequence of str, length p
        population : Population
        report : callable
            Called after each forest with the numbers of rows fitted so far and in all. An exception
            that it raises ends the work.

        Raises
        ------
        ValueError
            See `Explainer.redundancy`.
        """

        def callback(progress: Progress) -> None:
            report(progress.rows_done, progress.rows_total)

        report(0, 0)
        result = self._explainer.redundancy(
            features=units,
            n_estimators=_N_ESTIMATORS,
            level=LEVEL,
            sample_weight=population.weights if population.weighted else None,
            rows=population.rows,
            callback=callback,
        )
        place = [result.features.index(unit) for unit in units]
        values = np.stack([result.r2, result.low, result.high])[:, place]
        self._latest.add(key, values)
