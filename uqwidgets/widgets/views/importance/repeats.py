"""Changes of every row under each repeat, pinned so that weights and filters need no model call."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from math import ceil, floor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets._utils.remarks import Remark
from uqwidgets.evaluation.cache import bytes_text, remarks_on_limit
from uqwidgets.evaluation.donors import donors_key
from uqwidgets.evaluation.evaluations import Evaluations, difference_key
from uqwidgets.evaluation.progress import Progress
from uqwidgets.evaluation.replacement import Drawn, Draws, Original, PartOfRows, Request, Scheme
from uqwidgets.importance import Sampled
from uqwidgets.inference import SampledRows
from uqwidgets.inference.population import Population
from uqwidgets.inference.rounding import difference
from uqwidgets.measures import Measure
from uqwidgets.metrics import Metric

# Intervals need two repeats; these are stored however little memory there is. A sample of the rows
# has no more.
FEWEST = 2
# Rows of one feature, and seconds of computing measures, between two checks for a request to stop.
_ROWS_AT_ONCE, _SECONDS_AT_ONCE = 1 << 18, 0.2
# Share of `memory_limit`; the cache takes as much, and the rest is left to temporary arrays.
_SHARE = 2 / 5
# Numbers per row that the other views need at their peak, two thirds of them, as measured in
# tests/widgets/kernel/test_work.py.
_NUMBERS_PER_ROW = 24


class _Task(NamedTuple):
    """Repeats of a feature, in all rows or in some parts of them."""

    feature: str
    repeats: range
    parts: range | None
    n_rows: int


class RepeatChanges:
    """Per-row changes of every feature under each repeat, by some measures.

    The cache evicts answers that no longer fit, and would evaluate them again whenever weights
    move. So the changes that importance is computed from are pinned in it, where
    `Evaluations.differences` finds them: whole repeats, as many as fit in a share of the memory.

    Parameters
    ----------
    evaluations : Evaluations
    features : sequence of str, length p
        Features, or groups of them that move together.
    measures : sequence of Measure
    seed : int
    scheme : {"permutation", "ablation", "conditional"}, default="permutation"
        How the values of a feature are replaced.
    scorers : sequence of Metric
        Scorers that read more of the same repeats than the measures do.

    Attributes
    ----------
    features, measures : tuple
    seed : int
    scheme : str
    """

    def __init__(
        self,
        evaluations: Evaluations,
        features: Sequence[str],
        measures: Sequence[Measure],
        seed: int,
        scheme: Scheme = "permutation",
        scorers: Sequence[Metric] = (),
    ) -> None:
        self._evaluations = evaluations
        self.features = tuple(features)
        self.measures = tuple(measures)
        self._readers: tuple[Measure | Metric, ...] = (*measures, *scorers)
        self.seed = seed
        self.scheme: Scheme = scheme
        self._rows = len(evaluations.table)
        # The donors and the changes in all rows, with the keys that all have. The changes of a
        # repeat that is known in a sample of the rows, of shape (measures, rows), are in the order
        # of `row_order`.
        self._pinned = evaluations.pinned(self)
        self._n_complete = dict.fromkeys(self.features, 0)
        self._seconds_per_row = 0.0

    @property
    def n_repeats(self) -> int:
        """How many repeats are known of every feature, in all rows."""
        return min(self._n_complete.values())

    def n_rows(self, feature: str, n_repeats: int) -> int:
        """How many rows are known of so many repeats of a feature."""
        known = self._n_complete[feature]
        sampled = (self._n_sampled(feature, k) for k in range(known, n_repeats))
        return min(sampled, default=self._rows)

    @property
    def nbytes_per_repeat(self) -> int:
        """Bytes that one repeat of every feature takes."""
        return len(self.features) * self._rows * (8 * len(self.measures) + 4)

    @property
    def most_repeats(self) -> int:
        """How many repeats the memory limit holds, and at least `FEWEST`."""
        room = int(self._evaluations.memory_limit * _SHARE)
        return max(FEWEST, room // max(1, self.nbytes_per_repeat))

    def required_memory(self, n_repeats: int) -> int:
        """Return the memory limit, in bytes, that holds so many repeats."""
        return ceil(n_repeats * self.nbytes_per_repeat / _SHARE)

    def notes_on_memory(self, n_repeats: int) -> list[Remark]:
        """Say how many repeats fit in the memory, if not all do."""
        notes = []
        if n_repeats > self.most_repeats:
            limit = bytes_text(self._evaluations.memory_limit, floor)
            required = bytes_text(self.required_memory(n_repeats), ceil)
            notes.append(
                Remark(
                    "memory-limit",
                    f"importance rests on {self.most_repeats} of {n_repeats} shuffles, because "
                    f"more would exceed memory_limit={limit!r}; "
                    f"memory_limit={required!r} holds all",
                )
            )
        smallest = self.required_memory(min(n_repeats, FEWEST))
        smallest += ceil(self._evaluations.smallest_limit(_NUMBERS_PER_ROW))
        what = f"the importance of {len(self.features):,} features in {self._rows:,} rows"
        return [*notes, *remarks_on_limit(self._evaluations.memory_limit, smallest, what)]

    def work(self, n_repeats: int) -> int:
        """Rows to evaluate for so many repeats, counted twice: their measures take time as well."""
        known = sum(
            self._rows * min(complete, n_repeats)
            + sum(self._n_sampled(f, k) for k in range(complete, min(FEWEST, n_repeats)))
            for f, complete in self._n_complete.items()
        )
        return 2 * (self._rows * n_repeats * len(self.features) - known)

    def seconds(self, n_repeats: int, answered: int = 0) -> float:
        """Time that so many repeats still take, from the time per row so far.

        Parameters
        ----------
        n_repeats : int
        answered : int
            Rows that are evaluated already, but whose measures are not computed.
        """
        rows = self.work(n_repeats) // 2
        evaluated = (rows - answered) * self._n_requests
        return self._evaluations.seconds_for(evaluated) + rows * self._seconds_per_row

    def is_long(self, n_repeats: int, seconds: float) -> bool:
        """Whether it is worth evaluating some of the repeats before the others."""
        rows = self.work(n_repeats) // 2
        beside = rows * self._seconds_per_row
        return self._evaluations.is_long(rows * self._n_requests, seconds - beside)

    def requests(self, n_repeats: int) -> list[Request]:
        """Return what the model is asked for so many repeats, repeat by repeat."""
        drawn = [self._drawn(feature, k) for k in range(n_repeats) for feature in self.features]
        return self._evaluations.requests(drawn, *self._readers)

    @property
    def _n_requests(self) -> int:
        """How often the model is asked about a row: for its distribution, its answer, or both."""
        return len(self._evaluations.requests([Original()], *self._readers))

    def extend(
        self,
        n_repeats: int,
        report: Callable[[str, int], None],
        features: Sequence[str] | None = None,
        n_rows: int | None = None,
    ) -> None:
        """Evaluate what so many repeats lack, and compute the measures.

        Parameters
        ----------
        n_repeats : int
        report : callable
            Called with what is being done and the rows that are evaluated but whose measures are
            not computed yet, after each block. What it raises stops the work; measures that are
            computed stay.
        features : sequence of str, optional
            All features if not given.
        n_rows : int, optional
            Rows of the sample that is evaluated, one of the sizes of `Evaluations.row_order`; all
            rows if not given. A sample has at most `FEWEST` repeats.

        Raises
        ------
        ModelError
            If the model fails; the sentence names the feature.
        """
        evaluations = self._evaluations
        waiting = list(self._waiting(n_repeats, features or self.features, n_rows))
        names = " and ".join(m.name for m in self.measures)

        def callback(progress: Progress) -> None:
            report("importance", progress.rows_done // self._n_requests)

        while waiting:
            # No more than the cache holds until the measures are computed.
            window = _first_of(waiting, self._rows_in_memory)
            waiting = waiting[len(window) :]
            answered = sum(task.n_rows for task in window)
            report("importance", 0)
            replacements = [r for task in window for r in self._replacements(task)]
            evaluations.evaluate_all(evaluations.requests(replacements, *self._readers), callback)
            while window:
                report(f"computing {names} for importance", answered)
                # At first one, which shows how long they take.
                each = self._seconds_per_row or _SECONDS_AT_ONCE
                tasks = _first_of(_first_alike(window), int(_SECONDS_AT_ONCE / each))
                self._compute(tasks)
                answered -= sum(task.n_rows for task in tasks)
                window = window[len(tasks) :]

    def changes(self, measure: int, feature: str, n_repeats: int) -> Floats:
        """Return the changes of a measure, by its position, over the first repeats."""
        return np.asarray(self._pinned[self._key(self.measures[measure], feature)][:n_repeats])

    def donors(self, feature: str, n_repeats: int) -> npt.NDArray[np.int32]:
        """Return the donors of the first repeats, shape (n_repeats, n)."""
        columns = self._evaluations.table.columns_of(feature)
        key = donors_key(columns, self.scheme, self.seed)
        if len(self._pinned.get(key, ())) < n_repeats:
            donors = self._evaluations.donors(columns, self.scheme, self.seed, n_repeats)
            self._pinned[key] = donors.astype(np.int32)
        return np.asarray(self._pinned[key][:n_repeats])

    def sample(
        self, feature: str, n_repeats: int, n_rows: int, population: Population
    ) -> list[Sampled] | None:
        """Return the rows of a sample with the mean change of each measure.

        None if the population has none of these rows, or there are none.

        Parameters
        ----------
        feature : str
        n_repeats : int
        n_rows : int
            At most as many as are known.
        population : Population
        """
        evaluations = self._evaluations
        rows = evaluations.row_order.rows[:n_rows]
        donors = self.donors(feature, n_repeats)[:, rows].astype(np.intp)
        sample = SampledRows.of(rows, donors, population, evaluations.strata) if n_rows else None
        if sample is None:
            return None
        subgroups = None
        if self.scheme == "conditional":
            columns = evaluations.table.columns_of(feature)
            subgroups = evaluations.subgroups(columns, self.scheme).codes
        # Read first, for a sample that is complete moves to the changes in all rows.
        of_sample = [self._pinned.get(_sample_key(feature, k)) for k in range(n_repeats)]
        every = []
        for m, measure in enumerate(self.measures):
            changes = np.stack(
                [
                    self.changes(m, feature, k + 1)[k, rows] if lines is None else lines[m, :n_rows]
                    for k, lines in enumerate(of_sample)
                ]
            )
            original = evaluations.original_values(measure)
            every.append(Sampled(sample, sample.mean_change(changes, original, subgroups)))
        return every

    def _n_sampled(self, feature: str, repeat: int) -> int:
        sample = self._pinned.get(_sample_key(feature, repeat))
        return 0 if sample is None else sample.shape[1]

    def _key(self, measure: Measure, feature: str) -> object:
        columns = self._evaluations.table.columns_of(feature)
        return difference_key(measure, columns, Draws(self.scheme, 1, self.seed))

    @property
    def _rows_in_memory(self) -> int:
        """How many evaluated rows fit in memory together."""
        most = self._evaluations.max_in_memory(1 << 30)
        return most * self._rows // self._n_requests

    def _waiting(
        self, n_repeats: int, features: Sequence[str], n_rows: int | None
    ) -> Iterator[_Task]:
        """Yield what has to be evaluated: whole repeats, or parts of those that were begun."""
        n, order = self._rows, self._evaluations.row_order
        at_once = max(1, min(self._rows_in_memory, _ROWS_AT_ONCE) // n)
        for feature in features:
            self.donors(feature, n_repeats)
            first = self._n_complete[feature]
            while first < n_repeats:
                begun = self._n_sampled(feature, first)
                if n_rows is None and not begun:
                    repeats = range(first, min(first + at_once, n_repeats))
                    yield _Task(feature, repeats, None, n * len(repeats))
                    first = repeats.stop
                    continue
                last = n if n_rows is None else n_rows
                if begun < last:
                    parts = range(order.n_parts(begun) if begun else 0, order.n_parts(last))
                    yield _Task(feature, range(first, first + 1), parts, last - begun)
                first += 1

    def _drawn(self, feature: str, repeat: int) -> Drawn:
        columns = self._evaluations.table.columns_of(feature)
        return Drawn(columns, self.scheme, repeat, self.seed)

    def _replacements(self, task: _Task) -> list[Drawn | PartOfRows]:
        drawn = [self._drawn(task.feature, k) for k in task.repeats]
        if task.parts is None:
            return [*drawn]
        return [PartOfRows(one, part) for one in drawn for part in task.parts]

    def _compute(self, tasks: Sequence[_Task]) -> None:
        """Compute the measures of the same repeats and rows of some features, and pin them."""
        evaluations, started = self._evaluations, time.perf_counter()
        _, repeats, parts, _ = tasks[0]
        drawn = [self._drawn(task.feature, k) for task in tasks for k in repeats]
        changes = []
        for measure in self.measures:
            original = evaluations.original_values(measure)
            if parts is None:
                values = evaluations.values(drawn, measure)
            else:
                order = evaluations.row_order
                original = np.concatenate([original[order.part(part)] for part in parts])
                values = np.hstack([evaluations.values(drawn, measure, part=k) for k in parts])
            changes.append(difference(values, original))
        for at, task in enumerate(tasks):
            of_task = slice(at * len(repeats), (at + 1) * len(repeats))
            self._pin(task, [lines[of_task] for lines in changes])
        rows = sum(task.n_rows for task in tasks)
        self._seconds_per_row = (time.perf_counter() - started) / rows

    def _pin(self, task: _Task, changes: Sequence[Floats]) -> None:
        """Pin the changes of each measure behind those that are known."""
        feature, repeats = task.feature, task.repeats
        sample_key = _sample_key(feature, repeats[0])
        if task.parts is not None:
            former = self._pinned.get(sample_key, np.empty((len(self.measures), 0)))
            sample = np.hstack([former, np.concatenate(changes)])
            if sample.shape[1] < self._rows:
                self._pinned[sample_key] = sample
                return
            # From here on the rows are in the order of the table, like those of whole repeats.
            changes = [lines[None, self._evaluations.row_order.places] for lines in sample]
        for measure, lines in zip(self.measures, changes, strict=True):
            key, known = self._key(measure, feature), repeats[0]
            if known:
                lines = np.concatenate([self._pinned[key][:known], lines])
            self._pinned[key] = lines
        self._n_complete[feature] = repeats.stop
        self._pinned.pop(sample_key, None)


def _sample_key(feature: str, repeat: int) -> tuple[str, str, int]:
    return ("sampled", feature, repeat)


def _first_alike(tasks: Sequence[_Task]) -> Sequence[_Task]:
    """Return the first tasks of the same repeats and rows."""
    return list(takewhile(lambda task: task[1:] == tasks[0][1:], tasks))


def _first_of(tasks: Sequence[_Task], most_rows: int) -> Sequence[_Task]:
    """Return the first tasks with at most so many rows together, at least one."""
    rows = 0
    for count, task in enumerate(tasks):
        rows += task.n_rows
        if count and rows > most_rows:
            return tasks[:count]
    return tasks
