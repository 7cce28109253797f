"""Changes of every row under each repeat, kept so that weights and filters never ask the model."""

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

# Intervals need two; so many are kept however little memory there is.
FEWEST = 2
# Seconds of computing measures after which a wish to stop is heard.
_SECONDS_READ = 0.2
# Of `memory_limit`; as much is the cache's, the rest is left to what is being worked on.
_SHARE = 2 / 5

Tell = Callable[[str, int], None]


class RepeatChanges:
    """Per-row changes of every feature under each repeat, by some measures.

    The cache of answers drops what no longer fits, and what it dropped would be asked again
    whenever weights move. So what importance is computed from is kept here: whole repeats, as
    many as fit.

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
        """Rows that remain to be asked, and once more to be read, for so many repeats."""
        return 2 * self._rows * sum(max(0, n_repeats - k) for k in self._complete.values())

    def seconds(self, n_repeats: int, answered: int = 0) -> float:
        """Time that so many repeats still take, from the pace so far.

        Parameters
        ----------
        n_repeats : int
        answered : int
            Rows that are answered already, but not read.
        """
        rows = self.work(n_repeats) // 2
        return self._evaluations.seconds_for(rows - answered) + rows * self._seconds_per_row

    def extend(self, n_repeats: int, tell: Tell) -> None:
        """Ask for what so many repeats lack, repeat by repeat, and read the measures off.

        Parameters
        ----------
        n_repeats : int
        tell : callable
            Called with what is being done and the rows that are answered but not yet read, after
            each block. What it raises stops the work; what is read stays.

        Raises
        ------
        ModelError
            If the model fails; the sentence names the feature.
        """
        evaluations = self._evaluations
        settings = Settings(n_repeats=n_repeats, seed=self._seed)
        table, draws = evaluations.table, settings.draws
        asked = {f: draws.replacements(table, table.columns_of(f)) for f in self._features}
        waiting = [
            (f, k) for k in range(n_repeats) for f in self._features if k >= self._complete[f]
        ]
        self._make_room(n_repeats)
        names = " and ".join(m.name for m in self._measures)
        first = 0
        while first < len(waiting):
            # No more than the cache holds until it is read.
            window = waiting[first : first + evaluations.max_in_memory(len(waiting) - first)]

            def callback(progress: Progress) -> None:
                tell("importance", progress.rows_done)

            tell("importance", 0)
            evaluations.ask([asked[f][k] for f, k in window], callback)
            start = 0
            while start < len(window):
                tell(f"computing {names} for importance", (len(window) - start) * self._rows)
                part = window[start : start + self._read_at_once()]
                self._read(part, [asked[f][k] for f, k in part])
                start += len(part)
            first += len(window)

    def change(self, measure: int, feature: str, n_repeats: int, population: Population) -> Change:
        """Return the mean change of a measure, by its position, over the first repeats."""
        lines, donors = self._changes[feature][measure], self._donors[feature]
        original = self._evaluations.original_values(self._measures[measure])
        drawn = donors[:n_repeats].astype(np.intp)
        return mean_change(lines[:n_repeats], drawn, original, population)

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
        """How many questions are read before a wish to stop is heard."""
        if self._seconds_per_row == 0.0:
            return 1
        return max(1, int(_SECONDS_READ / (self._seconds_per_row * self._rows)))

    def _read(self, part: Sequence[tuple[str, int]], asked: Sequence[Replacement]) -> None:
        evaluations, started = self._evaluations, time.perf_counter()
        for m, measure in enumerate(self._measures):
            values = evaluations.values(asked, measure)
            lines = difference(values, evaluations.original_values(measure))
            for (feature, k), line in zip(part, lines, strict=True):
                self._changes[feature][m][k] = line
        for feature, k in part:
            self._complete[feature] = k + 1
        self._seconds_per_row = (time.perf_counter() - started) / (len(part) * self._rows)
