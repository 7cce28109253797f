"""Importance of a sample of the rows, while the model has not evaluated all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets._utils.choices import one_of
from uqwidgets.evaluation.samples import FIRST_SAMPLE, affordable_rows, sample_sizes
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.importance import Sampled, Settings, importance_of_samples
from uqwidgets.importance.result import Importance
from uqwidgets.importance.settings import COMPARISONS, OVER_REPEATS, Compare
from uqwidgets.inference import Interval, checked_interval
from uqwidgets.inference.population import Population
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.views.importance.comparison import compared
from uqwidgets.widgets.views.importance.repeats import RepeatChanges


class Sums(NamedTuple):
    """Means of changes with their intervals, each of shape (measures, features).

    Attributes
    ----------
    value, low, high : ndarray
    pairs : list of float, length p
        Effective number of pairs of a scored row and its donor for each feature.
    n_rows : tuple of (int, int)
        Fewest and most scored rows of a feature.
    """

    value: Floats
    low: Floats
    high: Floats
    pairs: list[float]
    n_rows: tuple[int, int]


class _Sum(NamedTuple):
    """The sums of one feature; ``values`` has shape (3, measures)."""

    values: Floats
    pairs: float
    n_rows: int


class SampledSums:
    """Importance of every feature by the rows of it that are known.

    The sums of a feature are cached until more of its rows are known, for the features grow one
    group after the other.

    Parameters
    ----------
    explainer : Explainer
    repeats : RepeatChanges
    """

    def __init__(self, explainer: Explainer, repeats: RepeatChanges) -> None:
        self._explainer = explainer
        self._repeats = repeats
        self._cached: dict[tuple[str, bool], tuple[Any, _Sum | None]] = {}

    def n_repeats(self, inputs: Inputs) -> int:
        """Return how many repeats are evaluated while the rows grow: as few as possible.

        At the same cost, more rows with one donor each narrow an interval more than fewer rows
        with several.
        """
        fewest = 2 if inputs.interval in OVER_REPEATS else 1
        return min(fewest, inputs.n_repeats, self._repeats.most_repeats)

    def n_rows(self, inputs: Inputs, features: Iterable[str] | None = None) -> list[int]:
        """How many rows are known of each feature."""
        chosen = self._repeats.features if features is None else features
        n_repeats = self.n_repeats(inputs)
        return [self._repeats.n_rows(feature, n_repeats) for feature in chosen]

    def n_known(self, inputs: Inputs) -> int:
        """How many rows are known of all features together."""
        return sum(self.n_rows(inputs))

    def is_worthwhile(self, inputs: Inputs) -> bool:
        """Whether a sample of the rows comes before all of them."""
        if self._repeats.n_repeats:
            return False
        n_replacements = len(self._repeats.features) * self.n_repeats(inputs)
        sizes = sample_sizes(self._explainer.evaluations, n_replacements)
        return bool(self.n_known(inputs) or sizes)

    def n_affordable(self, inputs: Inputs, features: Sequence[str]) -> int:
        """Return how many rows of some features can be evaluated in a first sample."""
        n_replacements = max(1, len(features)) * self.n_repeats(inputs)
        return affordable_rows(self._explainer.evaluations, n_replacements, FIRST_SAMPLE / 2)

    def sums(
        self, population: Population, key: Any, inputs: Inputs, check: Callable[[], None]
    ) -> Sums | None:
        """Return the sums of all features, None if no scored row of some feature is known.

        Parameters
        ----------
        population : Population
        key : object
            Identifies the population.
        inputs : Inputs
        check : callable
            Called before each feature; what it raises ends the work.
        """
        interval, n_repeats = checked_interval(inputs.interval), self.n_repeats(inputs)
        compare = one_of(COMPARISONS, inputs.compare, "comparison")
        sums: list[_Sum] = []
        for feature, n_rows in zip(self._repeats.features, self.n_rows(inputs), strict=True):
            check()
            slot = feature, population.weighted
            state = key, interval, compare, n_repeats, n_rows
            if self._cached.get(slot, (None, None))[0] != state:
                one = self._sum(feature, population, interval, compare, n_repeats, n_rows)
                self._cached[slot] = state, one
            one = self._cached[slot][1]
            if one is None:
                return None
            sums.append(one)
        value, low, high = np.stack([one.values for one in sums], axis=-1)
        counts = [one.n_rows for one in sums]
        return Sums(value, low, high, [one.pairs for one in sums], (min(counts), max(counts)))

    def results(
        self,
        settings: Settings,
        inputs: Inputs,
        population: Population,
        check: Callable[[], None],
        measures: Sequence[int],
    ) -> list[Importance]:
        """Return the importance by some measures, none if no row of some feature is known.

        Parameters
        ----------
        settings : Settings
            With the number of repeats of a sample.
        inputs : Inputs
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

        def sampled(m: int, feature: str, n_rows: int) -> Sampled | None:
            check()
            if not n_rows:
                return None
            sample = self._repeats.sample(feature, n_repeats, n_rows, population)
            return Sampled(sample[0], sample[1][m]) if sample else None

        n_repeats = self.n_repeats(inputs)
        features, n_rows = self._repeats.features, self.n_rows(inputs)
        results = (
            importance_of_samples(
                self._explainer.evaluations,
                self._repeats.measures[m],
                features,
                population,
                settings,
                (sampled(m, *each) for each in zip(features, n_rows, strict=True)),
            )
            for m in measures
        )
        return [result for result in results if result is not None]

    def _sum(
        self,
        feature: str,
        population: Population,
        interval: Interval,
        compare: Compare,
        n_repeats: int,
        n_rows: int,
    ) -> _Sum | None:
        if not n_rows:
            return None
        sample = self._repeats.sample(feature, n_repeats, n_rows, population)
        if sample is None:
            return None
        rows, changes = sample
        originals = map(self._explainer.evaluations.original_values, self._repeats.measures)
        ends = [
            compared(change, original[rows.members], compare, interval, rows.population)
            for change, original in zip(changes, originals, strict=True)
        ]
        values = np.array([[b.estimate, b.low, b.high] for b in ends]).T
        return _Sum(values, changes[0].pairs, len(rows.population.positions))
