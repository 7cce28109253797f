"""Importance of every feature by the repeats that are known, summed over the rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from uqwidgets.explainer.explainer import Explainer
from uqwidgets.importance import Settings, importance_of_changes
from uqwidgets.importance.result import Importance
from uqwidgets.inference import Change, bounds, checked_interval
from uqwidgets.inference.population import Population
from uqwidgets.measures import Measure
from uqwidgets.widgets.inputs import Inputs
from uqwidgets.widgets.model_info import LEVEL
from uqwidgets.widgets.repeats import RepeatChanges
from uqwidgets.widgets.sampled_sums import Sums

# Values that are summed before the work checks for a newer request.
_CHUNK = 2_000_000

#: Called with how many features are summed, and of how many; what it raises stops the sums.
Report = Callable[[int, int], None]


class RepeatSums:
    """Importance of every feature by the repeats that are known of all rows.

    It measures how long the sums take, so that they can be of fewer repeats while a control moves.

    Parameters
    ----------
    explainer : Explainer
    repeats : RepeatChanges
    measures : sequence of Measure
    """

    def __init__(
        self, explainer: Explainer, repeats: RepeatChanges, measures: Sequence[Measure]
    ) -> None:
        self._explainer = explainer
        self._repeats = repeats
        self._measures = tuple(measures)
        self._seconds_per_value = 1e-8

    def n_affordable(self, most: int, seconds: float) -> int:
        """Return how many repeats can be summed in so many seconds, at least one."""
        ex = self._explainer
        values = len(ex.table) * len(ex.features) * len(self._measures)
        return int(np.clip(seconds / (values * self._seconds_per_value), 1, most))

    def sums(self, population: Population, inputs: Inputs, n_repeats: int, report: Report) -> Sums:
        """Return the means of all features with their intervals.

        Parameters
        ----------
        population : Population
        inputs : Inputs
        n_repeats : int
        report : callable
            See `Report`.
        """
        ex, settings = self._explainer, self._settings(inputs, n_repeats)
        p = len(ex.features)
        chunk = max(1, _CHUNK // (len(ex.table) * n_repeats))
        values = np.empty((3, len(self._measures), p))
        pairs: dict[str, float] = {}
        started = time.perf_counter()
        for m in range(len(self._measures)):
            for j, feature in enumerate(ex.features):
                if j % chunk == 0:
                    report(m * p + j, len(self._measures) * p)
                change = self._repeats.change(m, feature, n_repeats, population)
                b = bounds(change, settings.interval, LEVEL, population)
                values[:, m, j] = b.estimate, b.low, b.high
                pairs[feature] = change.pairs  # of weights and donors alone
        seconds = time.perf_counter() - started
        self._seconds_per_value = seconds / (values[0].size * n_repeats * len(ex.table))
        n_rows = len(population.positions)
        return Sums(values[0], values[1], values[2], list(pairs.values()), (n_rows, n_rows))

    def results(
        self,
        inputs: Inputs,
        n_repeats: int,
        population: Population,
        check: Callable[[], None],
    ) -> list[Importance]:
        """Return the importance by each measure, with its rows and repeats.

        Parameters
        ----------
        inputs : Inputs
        n_repeats : int
        population : Population
        check : callable
            Called before each feature; what it raises ends the work.
        """
        ex, settings = self._explainer, self._settings(inputs, n_repeats)

        def change(m: int, feature: str) -> Change:
            check()
            return self._repeats.change(m, feature, n_repeats, population)

        return [
            importance_of_changes(
                ex.evaluations,
                measure,
                ex.features,
                population,
                settings,
                (change(m, feature) for feature in ex.features),
            )
            for m, measure in enumerate(self._measures)
        ]

    def _settings(self, inputs: Inputs, n_repeats: int) -> Settings:
        return Settings(
            n_repeats=n_repeats,
            interval=checked_interval(inputs.interval),
            level=LEVEL,
            seed=self._explainer.seed,
        )
