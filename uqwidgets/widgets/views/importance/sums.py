"""Importance of every feature by the repeats that are known, summed over all rows or a sample."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets._utils.choices import one_of
from uqwidgets.evaluation.evaluations import Evaluations
from uqwidgets.evaluation.samples import FIRST_SAMPLE, affordable_rows, sample_sizes
from uqwidgets.importance import (
    Sampled,
    Settings,
    importance_of_changes,
    importance_of_samples,
    mean_changes,
)
from uqwidgets.importance.permutation import Estimates
from uqwidgets.importance.result import Importance
from uqwidgets.importance.settings import COMPARISONS
from uqwidgets.inference import Change, checked_interval
from uqwidgets.inference.moments import times_rows_needed
from uqwidgets.inference.population import Population
from uqwidgets.inference.sums import dot
from uqwidgets.widgets.inputs.choices import LEVEL
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.kernel.work import ReportCount
from uqwidgets.widgets.views.importance.repeats import RepeatChanges

# Kinds of intervals that narrow with the number of rows.
_OF_ROWS = ("u-statistic", "model")


class ImportanceSums(NamedTuple):
    """Means of changes with their intervals, each of shape (measures, features).

    Attributes
    ----------
    value, low, high : ndarray
        NaN for a ratio to a mean that is not positive.
    needed : ndarray
        Number of rows, or of groups, at which each would be clear of no importance; infinite where
        no number is enough, NaN where it is not known. See `Importance.rows_needed`.
    pairs : list of float, length p
        Effective number of pairs of a scored row and its donor for each feature.
    n_rows : tuple of (int, int)
        Fewest and most scored rows of a feature.
    """

    value: Floats
    low: Floats
    high: Floats
    needed: Floats
    pairs: list[float]
    n_rows: tuple[int, int]


class RepeatSums:
    """Importance of every feature by the repeats that are known of all rows, or of a sample.

    It measures how long the sums take, so that they can be of fewer repeats while a control moves.

    Parameters
    ----------
    evaluations : Evaluations
    repeats : RepeatChanges

    Attributes
    ----------
    units : tuple of str, length p
        Features, or groups and the features in no group.
    repeats : RepeatChanges
    """

    def __init__(self, evaluations: Evaluations, repeats: RepeatChanges) -> None:
        self._evaluations = evaluations
        self.repeats, self.units = repeats, repeats.features
        self._measures = repeats.measures
        self._seconds_per_value = 1e-8
        # The sums of a sample, until more rows of the feature are known.
        self._of_samples: dict[tuple[str, bool], tuple[Any, Floats | None]] = {}

    def n_affordable(self, most: int, seconds: float) -> int:
        """Return how many repeats can be summed in so many seconds, at least one."""
        values = len(self._evaluations.table) * len(self.units) * len(self._measures)
        return int(np.clip(seconds / (values * self._seconds_per_value), 1, most))

    def sums(
        self, population: Population, inputs: Inputs, n_repeats: int, report: ReportCount
    ) -> ImportanceSums:
        """Return the means of all features with their intervals.

        Parameters
        ----------
        population : Population
        inputs : Inputs
        n_repeats : int
        report : callable
            Called with how many features are summed, and of how many.
        """
        settings, n_measures = self.settings(inputs, n_repeats), len(self._measures)
        p = len(self.units)
        values, pairs = np.empty((4, n_measures, p)), [math.nan]
        started = time.perf_counter()
        for m, measure in enumerate(self._measures):

            def check(j: int, m: int = m) -> None:
                report(m * p + j, n_measures * p)

            original = self._evaluations.original_values(measure)
            changes = self._changes(m, population, settings, check)
            values[:, m], pairs = _intervals(changes, original, population, settings)
        seconds = time.perf_counter() - started
        n_values = n_measures * p * n_repeats * len(self._evaluations.table)
        self._seconds_per_value = seconds / n_values
        n_rows = len(population.positions)
        value, low, high, needed = values
        return ImportanceSums(value, low, high, needed, pairs, (n_rows, n_rows))

    def sums_of_sample(
        self, population: Population, key: Any, inputs: Inputs, check: Callable[[], None]
    ) -> ImportanceSums | None:
        """Return the sums of the rows that are known, None if some feature has no scored one.

        Parameters
        ----------
        population : Population
        key : object
            Identifies the population.
        inputs : Inputs
        check : callable
            Called before each feature; what it raises ends the work.
        """
        n_repeats, every = self.n_sampled_repeats(inputs), []
        settings = self.settings(inputs, n_repeats)
        for feature, n_rows in zip(self.units, self.n_rows(inputs), strict=True):
            check()
            slot, state = (feature, population.weighted), (key, settings, n_rows)
            if self._of_samples.get(slot, (None,))[0] != state:
                sample = self.repeats.sample(feature, n_repeats, n_rows, population)
                self._of_samples[slot] = state, self._sum(sample, settings) if sample else None
            if (one := self._of_samples[slot][1]) is None:
                return None
            every.append(one)
        value, low, high, needed, pairs, n_scored = np.stack(every, axis=-1)
        counts = n_scored[0].astype(int).tolist()
        scored = min(counts), max(counts)
        return ImportanceSums(value, low, high, needed, pairs[0].tolist(), scored)

    def _sum(self, sample: Sequence[Sampled], settings: Settings) -> Floats:
        """Return the columns of `ImportanceSums` of one feature, shape (6, measures)."""
        if settings.simultaneous:
            # Each feature has rows of its own while they grow, so features count as independent
            # (Sidak 1967); intervals of all rows are narrower.
            level = settings.level ** (1 / len(self.units))
            settings = replace(settings, simultaneous=False, level=level)
        numbers = []
        for measure, (rows, change) in zip(self._measures, sample, strict=True):
            own = self._evaluations.original_values(measure)[rows.members]
            ends, pairs = _intervals([change], own, rows.population, settings)
            numbers.append([*ends[:, 0], *pairs, len(rows.population.positions)])
        return np.transpose(numbers)

    def results(
        self,
        inputs: Inputs,
        n_repeats: int,
        population: Population,
        check: Callable[[], None],
        measures: Iterable[int],
    ) -> list[Importance]:
        """Return the importance by some measures.

        Parameters
        ----------
        inputs : Inputs
        n_repeats : int
            0 for the rows that are known; there is no importance if some feature has none.
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
        settings = self.settings(inputs, n_repeats or self.n_sampled_repeats(inputs))
        results: list[Importance | None] = []
        for m in measures:
            options = self._evaluations, self._measures[m], self.units
            if n_repeats:
                changes = self._changes(m, population, settings, lambda _: check())
                results.append(importance_of_changes(*options, population, settings, changes))
            else:
                samples = self._samples(m, population, inputs, check)
                results.append(importance_of_samples(*options, population, settings, samples))
        return [result for result in results if result is not None]

    def settings(self, inputs: Inputs, n_repeats: int) -> Settings:
        """Return the settings of an importance with so many repeats."""
        return Settings(
            replacement=self.repeats.scheme,
            n_repeats=n_repeats,
            compare=one_of(COMPARISONS, inputs.compare, "comparison"),
            interval=checked_interval(inputs.interval),
            level=LEVEL,
            seed=self.repeats.seed,
            simultaneous=inputs.holds_at_once,
        )

    def n_sampled_repeats(self, inputs: Inputs) -> int:
        """Return how many repeats are evaluated while the rows grow: as few as possible.

        At the same cost, more rows with one donor each narrow an interval more than fewer rows
        with several.
        """
        fewest = self.settings(inputs, inputs.n_repeats).fewest_repeats
        return min(fewest, inputs.n_repeats, self.repeats.most_repeats)

    def n_rows(self, inputs: Inputs, features: Iterable[str] | None = None) -> list[int]:
        """How many rows are known of each feature."""
        chosen = self.units if features is None else features
        n_repeats = self.n_sampled_repeats(inputs)
        return [self.repeats.n_rows(feature, n_repeats) for feature in chosen]

    def is_sampled(self, inputs: Inputs) -> bool:
        """Whether a sample of the rows comes before all of them."""
        if self.repeats.n_repeats:
            return False
        n_replacements = len(self.units) * self.n_sampled_repeats(inputs)
        return any(self.n_rows(inputs)) or bool(sample_sizes(self._evaluations, n_replacements))

    def n_affordable_rows(self, inputs: Inputs, features: Sequence[str]) -> int:
        """Return how many rows of some features can be evaluated in a first sample."""
        n_replacements = max(1, len(features)) * self.n_sampled_repeats(inputs)
        return affordable_rows(self._evaluations, n_replacements, FIRST_SAMPLE / 2)

    def _changes(
        self, m: int, population: Population, settings: Settings, check: Callable[[int], None]
    ) -> Iterator[Change]:
        """Yield the mean change of each feature, with a check before each."""
        features = self.units
        of = self._evaluations, self._measures[m], features, population, settings
        changes = mean_changes(*of)
        for j in range(len(features)):
            check(j)
            yield next(changes)

    def _samples(
        self, m: int, population: Population, inputs: Inputs, check: Callable[[], None]
    ) -> Iterator[Sampled | None]:
        """Yield the sample of each feature, with a check before each."""
        n_repeats = self.n_sampled_repeats(inputs)
        for feature, n_rows in zip(self.units, self.n_rows(inputs), strict=True):
            check()
            sample = self.repeats.sample(feature, n_repeats, n_rows, population)
            yield sample[m] if sample else None


def _intervals(
    changes: Iterable[Change], original: Floats, population: Population, settings: Settings
) -> tuple[Floats, list[float]]:
    """Return estimates, ends of intervals and rows needed, shape (4, p), and the pairs of each."""
    baseline = dot(population.scored, original) / population.scored.sum()
    has_ratio = settings.compare == "difference" or baseline > 0
    estimates = Estimates(settings if has_ratio else replace(settings, compare="difference"))
    for change in changes:
        estimates.add(change, original, baseline, population)
        del change  # otherwise its arrays stay in memory while the next are made
    ends = np.array([(b.estimate, b.low, b.high) for b in estimates.intervals()]).T
    ends = np.vstack([ends, _rows_needed(estimates, population, settings)])
    return ends if has_ratio else np.full_like(ends, math.nan), estimates.pairs


def _rows_needed(estimates: Estimates, population: Population, settings: Settings) -> Floats:
    """Return how many rows or groups each interval needs, NaN for one that is not about rows."""
    if settings.interval not in _OF_ROWS:
        return np.full(len(estimates.pairs), math.nan)
    together, groups = estimates.together, population.group_count
    level = together["pointwise_level"] or settings.level
    times = times_rows_needed(together["moments"], level, settings.reference)
    return np.ceil(times * (len(population.positions) if groups is None else groups.number))
