"""Importance of every feature by the repeats that are known, summed over the rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from uqwidgets._utils.choices import one_of
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.importance import Settings, importance_of_changes
from uqwidgets.importance.result import Importance
from uqwidgets.importance.settings import COMPARISONS
from uqwidgets.inference import Change, checked_interval
from uqwidgets.inference.population import Population
from uqwidgets.widgets.inputs.choices import LEVEL
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.views.importance.comparison import compared
from uqwidgets.widgets.views.importance.repeats import RepeatChanges
from uqwidgets.widgets.views.importance.sampled_sums import Sums

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
    """

    def __init__(self, explainer: Explainer, repeats: RepeatChanges) -> None:
        self._explainer = explainer
        self._repeats = repeats
        self._measures = repeats.measures
        self._seconds_per_value = 1e-8

    def n_affordable(self, most: int, seconds: float) -> int:
        """Return how many repeats can be summed in so many seconds, at least one."""
        n_features = len(self._repeats.features)
        values = len(self._explainer.table) * n_features * len(self._measures)
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
        settings, features = self.settings(inputs, n_repeats), self._repeats.features
        p, n = len(features), len(self._explainer.table)
        original_values = self._explainer.evaluations.original_values
        chunk = max(1, _CHUNK // (n * n_repeats))
        values = np.empty((3, len(self._measures), p))
        pairs: dict[str, float] = {}
        started = time.perf_counter()
        for m, measure in enumerate(self._measures):
            original = original_values(measure)
            for j, feature in enumerate(features):
                if j % chunk == 0:
                    report(m * p + j, len(self._measures) * p)
                change = self._repeats.change(m, feature, n_repeats, population)
                b = compared(change, original, settings.compare, settings.interval, population)
                values[:, m, j] = b.estimate, b.low, b.high
                pairs[feature] = change.pairs  # of weights and donors alone
        seconds = time.perf_counter() - started
        self._seconds_per_value = seconds / (values[0].size * n_repeats * n)
        n_rows = len(population.positions)
        return Sums(values[0], values[1], values[2], list(pairs.values()), (n_rows, n_rows))

    def results(
        self,
        inputs: Inputs,
        n_repeats: int,
        population: Population,
        check: Callable[[], None],
        measures: Sequence[int],
    ) -> list[Importance]:
        """Return the importance by some measures, with its rows and repeats.

        Parameters
        ----------
        inputs : Inputs
        n_repeats : int
        population : Population
        check : callable
            Called before each feature; what it raises ends the work.
        measures : sequence of int
            Positions of the measures.

        Raises
        ------
        ValueError
            If the comparison is a ratio and the mean of a measure is not positive.
        """
        settings, features = self.settings(inputs, n_repeats), self._repeats.features

        def change(m: int, feature: str) -> Change:
            check()
            return self._repeats.change(m, feature, n_repeats, population)

        return [
            importance_of_changes(
                self._explainer.evaluations,
                self._measures[m],
                features,
                population,
                settings,
                (change(m, feature) for feature in features),
            )
            for m in measures
        ]

    def settings(self, inputs: Inputs, n_repeats: int) -> Settings:
        """Return the settings of an importance with so many repeats."""
        return Settings(
            replacement=self._repeats.scheme,
            n_repeats=n_repeats,
            compare=one_of(COMPARISONS, inputs.compare, "comparison"),
            interval=checked_interval(inputs.interval),
            level=LEVEL,
            seed=self._explainer.seed,
        )
