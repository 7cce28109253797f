"""What is asked of the model, and what it said."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets._utils.errors import ModelError
from uqwidgets._utils.forking import renew_after_fork
from uqwidgets.evaluation.batch import RowBlock
from uqwidgets.evaluation.cache import Cache
from uqwidgets.evaluation.consistency import Consistency
from uqwidgets.evaluation.model_calls import ModelCalls
from uqwidgets.evaluation.replacement import (
    Constant,
    Drawn,
    Original,
    Replacement,
    Scheme,
    drawn_donors,
    stream_of,
)
from uqwidgets.evaluation.subgroups import Subgroups, subgroups_of
from uqwidgets.evaluation.table import Table
from uqwidgets.measures import Measure
from uqwidgets.predictive import Distribution, Point, Predictive
from uqwidgets.predictive.distributions import InvalidRowError, class_codes, classes_among

# Bytes that are no matter, however little may be kept.
_SMALL = 1 << 22


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


ProgressCallback = Callable[[Progress], None]


class Evaluations:
    """Has the model asked about replaced rows, in large blocks, and remembers the answers.

    Many replacements of many features go to the model in one call. Answers are kept as
    distributions, so that every measure of them is free afterwards.

    Parameters
    ----------
    predictive : Predictive
    table : Table
    memory_limit : int
        Bytes to work in. Two fifths of them keep answers and derived arrays (see `Cache` for
        what is dropped first); the rest is left to the block that is asked, to what is being
        summed, and to the result.

    Attributes
    ----------
    memory_limit : int
    original : Distribution
        Of the rows as they are.
    classes : ndarray of shape (k,) or None
        Labels, where the target is a class.
    truth : ndarray of shape (n,)
        The target as measures want it (see `Measure`).
    """

    def __init__(self, predictive: Predictive, table: Table, memory_limit: int) -> None:
        self.table = table
        self.memory_limit = memory_limit
        self._calls = ModelCalls(predictive, table, memory_limit)
        self._cache: Cache[Distribution] = Cache(memory_limit * 2 // 5)
        # Answers about their first rows, of questions that are not yet answered in full.
        self._unfinished: dict[Replacement, list[Distribution]] = {}
        self._subgroups: dict[tuple[int, ...], Subgroups] = {}
        self._rows = range(len(table))
        self._line: tuple[Drawn, npt.NDArray[np.intp]] | None = None
        self.renew_locks()
        renew_after_fork(self)
        # Everything is compared with the rows as they are: the cache must not let them go.
        self._lasting: dict[Replacement, Distribution] = {}
        self.original = self._lasting[Original()] = self.answer(Original())
        self._consistency = Consistency(self.original)
        self.classes = _classes(self.original, predictive, table)
        self.truth = _truth(self.original, self.classes, table)
        self.truth.flags.writeable = False

    def renew_locks(self) -> None:
        """Free what a thread that does not exist in a forked process held."""
        self._lock = threading.RLock()

    @property
    def model_calls(self) -> int:
        """ModelCalls of the model so far."""
        return self._calls.made

    @property
    def rows_evaluated(self) -> int:
        """Rows that it was asked in them."""
        return self._calls.rows

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the answers so far tell of the model that a reader of results should know."""
        return self._consistency.remarks

    def ask(
        self, questions: Sequence[Replacement], callback: ProgressCallback | None = None
    ) -> None:
        """Ask the model all of these that have no answer yet.

        Parameters
        ----------
        questions : sequence of Replacement
        callback : callable, optional
            Called with a `Progress` after every block. What it raises stops the work; the
            blocks that are finished stay.

        Raises
        ------
        ModelError
            If the model fails; the sentence names the feature.
        """
        done = 0
        with self._lock:
            # Found, not only known: what is wanted now is the last to be dropped.
            waiting = [q for q in dict.fromkeys(questions) if self._found(q) is None]
        while True:
            with self._lock:
                waiting = [q for q in waiting if not self.known(q)]
                if not waiting:
                    return
                begun = sum(len(piece) for q in waiting for piece in self._unfinished.get(q, ()))
                left = len(waiting) * len(self.table) - begun
                rows = self._calls.pace.rows(left)
                finished = self._ask_block(list(self._block(waiting, rows)))
                # Where there is no room to keep it, an answer is not asked for twice.
                waiting = [q for q in waiting if q not in finished]
                seconds_left = self._calls.pace.seconds(left - rows) if left > rows else 0.0
            done += rows
            if callback is not None:
                callback(Progress(done, done + left - rows, seconds_left))

    def answer(self, question: Replacement) -> Distribution:
        """Distribution of every row under this replacement; asked if it is not known."""
        with self._lock:
            found = self._found(question)
            while found is None:
                self.ask([question])
                found = self._found(question)
            return found

    def known(self, question: Replacement) -> bool:
        """Whether this was asked already."""
        return question in self._lasting or question in self._cache.answers

    def prepare(
        self, questions: Sequence[Replacement], callback: ProgressCallback | None = None
    ) -> None:
        """Ask these ahead, if their answers fit together; if not, `values` goes piece by piece."""
        if self.fitting(len(questions)) == len(questions):
            self.ask(questions, callback)

    def values(
        self,
        questions: Sequence[Replacement],
        measure: Measure,
        callback: ProgressCallback | None = None,
    ) -> Floats:
        """Compute a measure of every row under each replacement, shape (questions, n)."""
        pieces = []
        step = self.fitting(len(questions))
        for first in range(0, len(questions), step):
            with self._lock:
                piece = questions[first : first + step]
                answers = self._answers(piece, callback)
                joined = answers[0].joined(answers[1:]) if len(answers) > 1 else answers[0]
            try:
                truth = self.truth if len(answers) == 1 else np.tile(self.truth, len(answers))
                pieces.append(measure.of(joined, truth))
            except InvalidRowError as error:
                where = self._calls.where([self._whole(q) for q in piece], error.row)
                raise ModelError(f"there is no {measure.name}: {error.problem} {where}.") from error
        values = pieces[0] if len(pieces) == 1 else np.concatenate(pieces)
        return values.reshape(len(questions), len(self.table))

    def forget(self, questions: Sequence[Replacement]) -> None:
        """Let go of the answers to these, which will not be read again while they would be here."""
        with self._lock:
            for question in questions:
                self._cache.drop(question)

    def memo(self, key: Hashable, compute: Callable[[], npt.NDArray[Any]]) -> npt.NDArray[Any]:
        """Return an array derived from answers, kept as long as there is room."""
        with self._lock:
            return self._cache.memo(key, compute)

    def kept(self, key: Hashable, length: int) -> bool:
        """Whether an array of this many lines that was derived from answers is still here."""
        with self._lock:
            found = self._cache.derived.get(key)
            return found is not None and len(found) >= length

    def grown(
        self, key: Hashable, length: int, compute: Callable[[], npt.NDArray[Any]]
    ) -> npt.NDArray[Any]:
        """Return the first ``length`` lines of a derived array, made anew if it has fewer."""
        with self._lock:
            lines = self._cache.array(key)
            if lines is None or len(lines) < length:
                lines = compute()
                self._cache.put(key, lines)
            return lines[:length]

    def donors(
        self, columns: tuple[int, ...], scheme: Scheme, seed: int, n_repeats: int
    ) -> npt.NDArray[np.intp]:
        """Donors of the first ``n_repeats`` draws for some columns, shape (n_repeats, n).

        They are kept while there is room, and more are drawn to them.
        """
        key = ("donors", columns, scheme, seed)
        with self._lock:
            kept = self._cache.array(key)
            known = 0 if kept is None else len(kept)
            if kept is not None and n_repeats <= known:
                return kept[:n_repeats]
            lines = self._drawn(columns, scheme, seed, known, n_repeats)
            if kept is not None:
                lines = np.concatenate([kept, lines])
            if self.keeps(len(lines)):
                self._cache.put(key, lines)
            return lines

    def donors_of(self, question: Drawn) -> npt.NDArray[np.intp]:
        """Donors of one draw, shape (n,)."""
        columns, scheme, repeat, seed = question
        with self._lock:
            kept = self._cache.array(("donors", columns, scheme, seed))
            if kept is not None and repeat < len(kept):
                return np.asarray(kept[repeat])
            # Rows of one question may be asked in many blocks, one after the other.
            if self._line is None or self._line[0] != question:
                line = self._drawn(columns, scheme, seed, repeat, repeat + 1)[0]
                self._line = question, line
            return self._line[1]

    def keeps(self, n_repeats: int) -> bool:
        """Whether there is room for the donors and changes of this many repeats of a feature."""
        return n_repeats * len(self.table) * 16 <= max(_SMALL, self._cache.limit // 2)

    def subgroups(self, columns: tuple[int, ...], scheme: Scheme) -> Subgroups:
        """Within which rows values of these columns move: all of them, unless conditional."""
        with self._lock:
            key = columns if scheme == "conditional" else ()
            if key not in self._subgroups:
                self._subgroups[key] = subgroups_of(self.table, key)
            return self._subgroups[key]

    def seconds(self, questions: Sequence[Replacement]) -> float:
        """Time that asking those of these that are not known will take, from the pace so far."""
        waiting = sum(not self.known(q) for q in questions)
        return self.seconds_for(waiting * len(self.table))

    def seconds_for(self, rows: int) -> float:
        """Time that asking so many rows will take, from the pace so far."""
        return self._calls.pace.seconds(rows) if rows > 0 else 0.0

    def fitting(self, questions: int) -> int:
        """How many of this many questions have answers that fit in the memory together."""
        bytes_each = max(1, 2 * self.original.nbytes)
        return max(1, min(questions, self._cache.limit // (2 * bytes_each)))

    def _answers(
        self, questions: Sequence[Replacement], callback: ProgressCallback | None
    ) -> list[Any]:
        found = [self._found(q) for q in questions]
        # Looked up once where all are known: of thousands of questions, that is what costs.
        if any(answer is None for answer in found):
            self.ask(questions, callback)
            found = [self.answer(q) for q in questions]
        return found

    def _found(self, question: Replacement) -> Distribution | None:
        found = self._cache.get(question)
        return self._lasting.get(question) if found is None else found

    def _block(
        self, waiting: Sequence[Replacement], rows: int
    ) -> Iterator[tuple[Replacement, RowBlock]]:
        n = len(self.table)
        for question in waiting:
            begun = self._unfinished.get(question)
            asked = sum(map(len, begun)) if begun else 0
            segment = self._whole(question)
            if asked or rows < n:
                segment = segment.cut(asked, min(n, asked + rows))
            yield question, segment
            rows -= len(segment.rows)
            if rows == 0:
                return

    def _drawn(
        self, columns: tuple[int, ...], scheme: Scheme, seed: int, first: int, stop: int
    ) -> npt.NDArray[np.intp]:
        stream = stream_of(self.table.features[column] for column in columns)
        codes = self.subgroups(columns, scheme).codes
        return drawn_donors(scheme, stream, seed, stop - first, codes, first)

    def _whole(self, question: Replacement) -> RowBlock:
        rows = self._rows
        match question:
            case Original():
                return RowBlock(rows)
            case Drawn():
                return RowBlock(rows, question.columns, donors=self.donors_of(question))
            case Constant(columns, values):
                return RowBlock(rows, columns, values=values)

    def _ask_block(self, block: list[tuple[Replacement, RowBlock]]) -> set[Replacement]:
        """Ask a block and return the questions that are answered in full."""
        answer: Any = None
        try:
            answer = self._calls.ask([segment for _, segment in block])
        except ModelError:
            if len(block) == 1:
                raise
        if answer is None:
            # Half by half the one that the model cannot answer is found, and named alone.
            half = len(block) // 2
            return self._ask_block(block[:half]) | self._ask_block(block[half:])
        finished = set()
        start, n = 0, len(self.table)
        for question, segment in block:
            stop = start + len(segment.rows)
            # What is cut would keep all of the block alive, and may be the model's own memory.
            piece = answer.take(slice(start, stop)).owned()
            if segment.columns and not self._consistency.settled:
                self._consistency.compare(piece, self.table.unchanged(segment), segment.rows)
            pieces = [*self._unfinished.pop(question, ()), piece]
            if sum(map(len, pieces)) == n:
                whole = piece if len(pieces) == 1 else pieces[0].joined(pieces[1:])
                self._cache.keep(question, whole)
                finished.add(question)
            else:
                self._unfinished[question] = pieces
            start = stop
        return finished


def _classes(q: Distribution, predictive: Predictive, table: Table) -> npt.NDArray[Any] | None:
    if not isinstance(q, Point):
        return q.classes
    if predictive.classes is None and q.value.dtype.kind not in "iuf":
        # A function that gives labels names no classes: those it gave and those of y are some.
        return classes_among(q.value.astype(object), table.y)
    return predictive.classes


def _truth(q: Distribution, classes: npt.NDArray[Any] | None, table: Table) -> npt.NDArray[Any]:
    if classes is not None:
        codes = class_codes(table.y, classes)
        return codes if q.classes is not None else table.y
    return table.target_numbers()
