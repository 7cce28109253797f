"""Redundancy of every feature in the importance view: how well the others predict its values."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.evaluation.progress import Progress
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.inference.population import Population
from uqwidgets.widgets.model_info import LEVEL
from uqwidgets.widgets.views.importance.latest import LatestValues

# Trees of each forest: the fewest that predict every row out of bag.
_N_ESTIMATORS = 50
# Populations that stay cached.
_MOST_CACHED = 4


class RedundancyColumn:
    """R2 of each feature from the others, in the latest populations.

    Parameters
    ----------
    explainer : Explainer
    """

    def __init__(self, explainer: Explainer) -> None:
        self._explainer = explainer
        self._latest = LatestValues(_MOST_CACHED)

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
