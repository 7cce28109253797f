"""Changes of every row under each repeat, stored so that weights and filters need no model call."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from math import ceil
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets.evaluation.evaluations import Evaluations
from uqwidgets.evaluation.progress import Progress
from uqwidgets.evaluation.replacement import Replacement
from uqwidgets.importance import Settings
from uqwidgets.inference import Change, mean_change
from uqwidgets.inference.population import Population
from uqwidgets.inference.rounding import difference
from uqwidgets.measures import Measure

# Intervals need two repeats; these are stored however little memory there is.
FEWEST = 2
# Seconds of computing measures between two checks for a request to stop.
_SECONDS_READ = 0.2
# Share of `memory_limit`; the cache takes as much, and the rest is left to temporary arrays.
_SHARE = 2 / 5

Report = Callable[[str, int], None]


class RepeatChanges:
    """Per-row changes of every feature under each repeat, by some measures.

    The cache evicts answers that no longer fit, and would evaluate them again whenever weights
    move. So the changes that importance is computed from are stored here: whole repeats, as many
    as fit.

    Parameters
    ----------
    evaluations : Evaluations
    features : sequence of str, length p
    measures : sequence of Measure
    seed : int
    """

    def __init__(
        self,
        evaluations: Evaluations,
        features: Sequence[str],
        measures: Sequence[Measure],
        seed: int,
    ) -> None:
        self._evaluations = evaluations
        self._features = tuple(features)
        self._measures = tuple(measures)
        self._seed = seed
        self._rows = len(evaluations.table)
        self._capacity = 0
        empty = np.empty((0, self._rows))
        self._changes = {f: [empty for _ in self._measures] for f in self._features}
        self._donors = dict.fromkeys(self._features, empty.astype(np.int32))
        self._complete = dict.fromkeys(self._features, 0)
        self._seconds_per_row = 0.0

    @property
    def n_repeats(self) -> int:
        """How many repeats are known of every feature."""
        return min(self._complete.values())

    @property
    def nbytes_per_repeat(self) -> int:
        """Bytes that one repeat of every feature takes."""
        each = 8 * len(self._measures) + self._donors[self._features[0]].itemsize
        return len(self._features) * self._rows * each

    @property
    def most_repeats(self) -> int:
        """How many repeats the memory limit holds, and at least `FEWEST`."""
        room = int(self._evaluations.memory_limit * _SHARE)
        return max(FEWEST, room // max(1, self.nbytes_per_repeat))

    def required_memory(self, n_repeats: int) -> int:
        """Return the memory limit, in bytes, that holds so many repeats."""
        return ceil(n_repeats * self.nbytes_per_repeat / _SHARE)

    def work(self, n_repeats: int) -> int:
        """Rows to evaluate for so many repeats, counted twice: their measures take time as well."""
        return 2 * self._rows * sum(max(0, n_repeats - k) for k in self._complete.values())

    def seconds(self, n_repeats: int, answered: int = 0) -> float:
        """Time that so many repeats still take, from the time per row so far.

        Parameters
        ----------
        n_repeats : int
        answered : int
            Rows that are evaluated already, but whose measures are not computed.
        """
        rows = self.work(n_repeats) // 2
        return self._evaluations.seconds_for(rows - answered) + rows * self._seconds_per_row

    def replacements(self, n_repeats: int) -> list[Replacement]:
        """Return the replacements of so many repeats, repeat by repeat."""
        by_feature = self._replacements(n_repeats).values()
        return [replacement for repeat in zip(*by_feature, strict=True) for replacement in repeat]

    def extend(self, n_repeats: int, report: Report) -> None:
        """Evaluate what so many repeats lack, repeat by repeat, and compute the measures.

        Parameters
        ----------
        n_repeats : int
        report : callable
            Called with what is being done and the rows that are evaluated but whose measures are
            not computed yet, after each block. What it raises stops the work; measures that are
            computed stay.

        Raises
        ------
        ModelError
            If the model fails; the sentence names the feature.
        """
        evaluations = self._evaluations
        replacements = self._replacements(n_repeats)
        waiting = [
            (f, k) for k in range(n_repeats) for f in self._features if k >= self._complete[f]
        ]
        self._make_room(n_repeats)
        names = " and ".join(m.name for m in self._measures)
        first = 0
        while first < len(waiting):
            # No more than the cache holds until the measures are computed.
            window = waiting[first : first + evaluations.max_in_memory(len(waiting) - first)]

            def callback(progress: Progress) -> None:
                report("importance", progress.rows_done)

            report("importance", 0)
            evaluations.ask([replacements[f][k] for f, k in window], callback)
            start = 0
            while start < len(window):
                report(f"computing {names} for importance", (len(window) - start) * self._rows)
                part = window[start : start + self._read_at_once()]
                self._read(part, [replacements[f][k] for f, k in part])
                start += len(part)
            first += len(window)

    def change(self, measure: int, feature: str, n_repeats: int, population: Population) -> Change:
        """Return the mean change of a measure, by its position, over the first repeats."""
        lines, donors = self._changes[feature][measure], self._donors[feature]
        original = self._evaluations.original_values(self._measures[measure])
        drawn = donors[:n_repeats].astype(np.intp)
        return mean_change(lines[:n_repeats], drawn, original, population)

    def _replacements(self, n_repeats: int) -> dict[str, list[Replacement]]:
        settings = Settings(n_repeats=n_repeats, seed=self._seed)
        table, draws = self._evaluations.table, settings.draws
        return {f: draws.replacements(table, table.columns_of(f)) for f in self._features}

    def _make_room(self, n_repeats: int) -> None:
        if n_repeats <= self._capacity:
            return

        def larger(lines: npt.NDArray[Any]) -> npt.NDArray[Any]:
            room = np.empty((n_repeats, self._rows), dtype=lines.dtype)
            room[: len(lines)] = lines
            return room

        for feature in self._features:
            self._changes[feature] = [larger(lines) for lines in self._changes[feature]]
            columns = self._evaluations.table.columns_of(feature)
            drawn = self._evaluations.donors(columns, "permutation", self._seed, n_repeats)
            self._donors[feature] = drawn.astype(np.int32)
        self._capacity = n_repeats

    def _read_at_once(self) -> int:
        """How many replacements are read between two checks for a request to stop."""
        if self._seconds_per_row == 0.0:
            return 1
        return max(1, int(_SECONDS_READ / (self._seconds_per_row * self._rows)))

    def _read(self, part: Sequence[tuple[str, int]], replacements: Sequence[Replacement]) -> None:
        evaluations, started = self._evaluations, time.perf_counter()
        for m, measure in enumerate(self._measures):
            values = evaluations.values(replacements, measure)
            lines = difference(values, evaluations.original_values(measure))
            for (feature, k), line in zip(part, lines, strict=True):
                self._changes[feature][m][k] = line
        for feature, k in part:
            self._complete[feature] = k + 1
        self._seconds_per_row = (time.perf_counter() - started) / (len(part) * self._rows)
