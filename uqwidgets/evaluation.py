"""The only place that asks the model."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets.cache import Cache
from uqwidgets.data import Segment, Table
from uqwidgets.measures import Measure
from uqwidgets.pace import Pace
from uqwidgets.predictive import Categorical, Distribution, Predictive
from uqwidgets.predictive.distributions import Floats, InvalidRowError, class_codes
from uqwidgets.replacement import (
    Constant,
    Original,
    Permutation,
    Replacement,
    permuted_donors,
)


class ModelError(ValueError):
    """The model raised, or answered with something that is no distribution of its rows."""


@dataclass(frozen=True)
class Progress:
    """How far a stretch of model calls has come.

    Attributes
    ----------
    rows_done, rows_total : int
    seconds_left : float
        From the pace of the model so far.
    """

    rows_done: int
    rows_total: int
    seconds_left: float


Report = Callable[[Progress], None]


class Evaluations:
    """Asks the model about replaced rows, in large blocks, and remembers the answers.

    Many replacements of many features go to the model in one call. Answers are kept as
    distributions, so that every measure of them is free afterwards.

    Parameters
    ----------
    predictive : Predictive
    table : Table
    memory_limit : int
        Bytes of answers and derived arrays to keep (see `Cache` for what is dropped first).

    Attributes
    ----------
    model_calls, rows_evaluated : int
        What the model was asked so far.
    """

    def __init__(self, predictive: Predictive, table: Table, memory_limit: int) -> None:
        self.table = table
        self.model_calls = 0
        self.rows_evaluated = 0
        self._predictive = predictive
        self._cache: Cache[Distribution] = Cache(memory_limit)
        self._unfinished: dict[Replacement, _Unfinished] = {}
        self._pace = Pace(memory_limit // (8 * 8 * max(1, len(table.features))))
        self._lock = threading.RLock()
        self.original = self.answer(Original())
        self.truth = (
            class_codes(table.y, self.original.classes)
            if isinstance(self.original, Categorical)
            else table.y
        )

    def ask(self, questions: Sequence[Replacement], report: Report | None = None) -> None:
        """Ask the model all of these that have no answer yet.

        Parameters
        ----------
        questions : sequence of Replacement
        report : callable, optional
            Called with a `Progress` after every block. What it raises stops the work; the
            blocks that are finished stay.

        Raises
        ------
        ModelError
            If the model fails; the sentence names the feature.
        """
        done = 0
        while True:
            with self._lock:
                waiting = [q for q in dict.fromkeys(questions) if self._cache.get(q) is None]
                if not waiting:
                    return
                left = sum(len(self.table) - self._asked(q) for q in waiting)
                rows = self._pace.rows(left)
                self._ask_block(list(self._block(waiting, rows)))
                seconds_left = self._pace.seconds(left - rows) if left > rows else 0.0
            done += rows
            if report is not None:
                report(Progress(done, done + left - rows, seconds_left))

    def answer(self, question: Replacement) -> Distribution:
        """Distribution of every row under this replacement; asked if it is not known."""
        with self._lock:
            found = self._cache.get(question)
            while found is None:
                self.ask([question])
                found = self._cache.get(question)
            return found

    def known(self, question: Replacement) -> bool:
        """Whether this was asked already."""
        return question in self._cache.answers

    def values(self, questions: Sequence[Replacement], measure: Measure) -> Floats:
        """Compute a measure of every row under each replacement, shape (questions, n)."""
        with self._lock:
            self.ask(questions)
            answers: list[Any] = [self.answer(q) for q in questions]
            joined = answers[0].joined(answers[1:]) if len(answers) > 1 else answers[0]
        values = measure.of(joined, np.tile(self.truth, len(answers)))
        return values.reshape(len(answers), len(self.table))

    def memo(self, key: Hashable, compute: Callable[[], npt.NDArray[Any]]) -> npt.NDArray[Any]:
        """Return an array derived from answers, kept as long as there is room."""
        with self._lock:
            return self._cache.memo(key, compute)

    def grown(
        self, key: Hashable, length: int, compute: Callable[[], npt.NDArray[Any]]
    ) -> npt.NDArray[Any]:
        """Return the first ``length`` lines of a derived array, made anew if it has fewer."""
        with self._lock:
            found = self._cache.derived.get(key)
            if found is None or len(found) < length:
                found = compute()
                self._cache.put(key, found)
            return found[:length]

    def donors(self, column: int, seed: int, n_repeats: int) -> npt.NDArray[np.intp]:
        """Donors of the first ``n_repeats`` permutations of a column, shape (n_repeats, n)."""
        n = len(self.table)
        return self.grown(
            ("donors", column, seed),
            n_repeats,
            lambda: permuted_donors(column, seed, n_repeats, n),
        )

    def seconds(self, questions: Sequence[Replacement]) -> float:
        """Time that asking those of these that are not known will take, from the pace so far."""
        waiting = sum(not self.known(q) for q in questions)
        return self._pace.seconds(waiting * len(self.table)) if waiting else 0.0

    def fitting(self, questions: int) -> int:
        """How many of this many questions have answers that fit in the memory together."""
        bytes_each = max(1, 2 * self.original.nbytes)
        return max(1, min(questions, self._cache.limit // (2 * bytes_each)))

    def _asked(self, question: Replacement) -> int:
        begun = self._unfinished.get(question)
        return 0 if begun is None else begun.asked

    def _block(
        self, waiting: Sequence[Replacement], rows: int
    ) -> Iterator[tuple[Replacement, Segment]]:
        n = len(self.table)
        for question in waiting:
            begun = self._unfinished.get(question)
            if begun is None:
                begun = self._unfinished[question] = _Unfinished(self._whole(question), [])
            segment = begun.segment.cut(begun.asked, min(n, begun.asked + rows))
            yield question, segment
            rows -= len(segment.rows)
            if rows == 0:
                return

    def _whole(self, question: Replacement) -> Segment:
        rows = np.arange(len(self.table))
        match question:
            case Original():
                return Segment(rows)
            case Permutation(column, repeat, seed):
                return Segment(rows, column, donors=self.donors(column, seed, repeat + 1)[repeat])
            case Constant(column, value):
                return Segment(rows, column, value=value)

    def _ask_block(self, block: list[tuple[Replacement, Segment]]) -> None:
        answer: Any = self._call([segment for _, segment in block])
        start = 0
        for question, segment in block:
            stop = start + len(segment.rows)
            begun = self._unfinished[question]
            begun.pieces.append(answer.take(slice(start, stop)))
            if begun.asked == len(self.table):
                del self._unfinished[question]
                self._cache.keep(question, begun.pieces[0].joined(begun.pieces[1:]))
            start = stop

    def _call(self, segments: list[Segment]) -> Distribution:
        rows = sum(len(s.rows) for s in segments)
        X = self.table.stacked(segments)
        self.model_calls += 1
        self.rows_evaluated += rows
        started = time.perf_counter()
        try:
            answer = self._predictive(X)
        except InvalidRowError as error:
            where = self._where(segments, error.row)
            raise ModelError(f"the model's {error.problem} {where}.") from error
        except Exception as error:
            names = dict.fromkeys(self._name(s) for s in segments)
            raise ModelError(
                f"the model failed while {_listed(list(names))} asked: "
                f"{type(error).__name__}: {error}"
            ) from error
        self._pace.observe(rows, time.perf_counter() - started)
        return answer

    def _name(self, segment: Segment) -> str:
        return "" if segment.column is None else self.table.features[segment.column]

    def _where(self, segments: list[Segment], row: int) -> str:
        for segment in segments:
            if row < len(segment.rows):
                name = self._name(segment)
                place = f"in row {segment.rows[row]} of X"
                return f"{place}, with {name!r} replaced" if name else place
            row -= len(segment.rows)
        return f"in row {row} of the block"


@dataclass(frozen=True)
class _Unfinished:
    """A question of which some rows are answered."""

    segment: Segment
    pieces: list[Any]

    @property
    def asked(self) -> int:
        return sum(len(piece) for piece in self.pieces)


def _listed(names: list[str]) -> str:
    replaced = [repr(name) for name in names if name]
    if not replaced:
        return "the rows of X were"
    more = f" and {len(replaced) - 3} more" if len(replaced) > 3 else ""
    return f"rows with {', '.join(replaced[:3])}{more} replaced were"
