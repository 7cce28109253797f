"""The model's predictive distribution of every row under each replacement: evaluated, cached."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from uqwidgets._typing import Positions
from uqwidgets._utils.errors import ModelError
from uqwidgets._utils.forking import renew_after_fork
from uqwidgets.evaluation.answers import Answers
from uqwidgets.evaluation.batch import RowBlock
from uqwidgets.evaluation.cache import Cache
from uqwidgets.evaluation.consistency import Consistency
from uqwidgets.evaluation.donors import Donors, Subgroups
from uqwidgets.evaluation.model_calls import ModelCalls
from uqwidgets.evaluation.progress import Progress, ProgressCallback
from uqwidgets.evaluation.replacement import (
    Constant,
    Drawn,
    Original,
    PartOfRows,
    PredictAnswer,
    Replacement,
    Request,
    Scheme,
    SingleRow,
    whole_of,
)
from uqwidgets.evaluation.residuals import ResidualSampler
from uqwidgets.evaluation.row_order import RowOrder
from uqwidgets.evaluation.table import Table
from uqwidgets.predictive import Distribution, Predictive
from uqwidgets.predictive.adapters.stored import NO_MODEL

# Work that takes less than so many calls of few rows is not split: each part would have a call of
# its own, and the time of that may be all overhead.
CALLS_OF_LONG_WORK = 4
# What `predict` answers for the rows as they are.
_ANSWER = PredictAnswer(Original())


class Predictions:
    """Evaluates the model on rows with replaced values, in large batches, and caches the results.

    Many replacements of many features go to the model in one call. Predictive distributions are
    cached rather than measures, so that every further measure costs no model call.

    Parameters
    ----------
    predictive : Predictive
    table : Table
    memory_limit : int
        Bytes to work in. Two fifths of them are the limit of the `Cache`; the rest is left to
        the current batch, to intermediate sums and to the result.
    seed : int, default=0
        Of `row_order`.

    Attributes
    ----------
    memory_limit : int
    original : Distribution
        Of the rows as they are.
    strata : ndarray of shape (n,) or None
        Code of the class of each row, by which `row_order` is stratified.
    """

    def __init__(
        self, predictive: Predictive, table: Table, memory_limit: int, seed: int = 0
    ) -> None:
        self.table = table
        self.memory_limit = memory_limit
        self._remarks = predictive.remarks
        self._calls = ModelCalls(predictive, table, memory_limit)
        self._answers = Answers(predictive)
        self._cache: Cache[Distribution] = Cache(memory_limit * 2 // 5)
        self._donors = Donors(table, self._cache)
        # The first rows of replacements that are not yet evaluated on all rows.
        self._unfinished: dict[Request, list[Distribution]] = {}
        # Those of them that were begun with parts, so that their rows are in random order.
        self._by_parts: set[Request] = set()
        self._rows = range(len(table))
        self._seed = seed
        self.renew_locks()
        renew_after_fork(self)
        # Every result compares with the rows as they are: they are never evicted.
        self._permanent: dict[Request, Distribution] = {}
        self._stored = predictive.stored
        if self._stored is not None:
            if len(self._stored) != len(table):
                raise ValueError(
                    f"there are {len(self._stored):,} stored predictions for {len(table):,} rows "
                    "of X; pass one for each row, in the same order."
                )
            self._permanent[Original()] = self._stored
        self.original = self._permanent[Original()] = self.evaluate(Original())
        self._consistency = Consistency(self.original, in_one_call=self._calls.made == 1)
        self._answers.compare_original(self.original, lambda: self.evaluate(_ANSWER))
        if self._answers.differ:
            self._permanent[_ANSWER] = self.evaluate(_ANSWER)
        self._cache.drop(_ANSWER)
        self.strata: Positions | None = None

    def renew_locks(self) -> None:
        """Make new locks in a forked process, where the threads that held them do not exist."""
        self._lock = threading.RLock()

    @property
    def model_calls(self) -> int:
        """Number of calls of the model so far."""
        return self._calls.made

    @property
    def model_seconds(self) -> float:
        """Seconds in these calls."""
        return self._calls.seconds

    @property
    def rows_evaluated(self) -> int:
        """Number of rows in these calls."""
        return self._calls.rows

    @cached_property
    def row_order(self) -> RowOrder:
        """The order in which rows are evaluated where a few of them give a first answer."""
        return RowOrder(len(self.table), self.strata, self._seed)

    def evaluate_all(
        self,
        replacements: Sequence[Request],
        callback: ProgressCallback | None = None,
    ) -> None:
        """Evaluate the model under each of these replacements that is not cached.

        Parameters
        ----------
        replacements : sequence of Replacement, PartOfRows or SingleRow
            On all rows, on those of the part, or on the single row.
        callback : callable, optional
            Called with a `Progress` after every block. An exception that it raises stops the
            work; finished blocks are kept.

        Raises
        ------
        ModelError
            If the model fails; the sentence names the feature.
        """
        done = 0
        with self._lock:
            # `_cached` marks the LRU entry as used, unlike `is_cached`, so that what this call
            # needs is evicted last.
            waiting = [r for r in dict.fromkeys(replacements) if self._cached(r) is None]
            if waiting and self._stored is not None:
                raise ValueError(f"{NO_MODEL}.")
            self._donors.expect(r for r in map(_replacement_of, waiting) if isinstance(r, Drawn))
        while True:
            with self._lock:
                waiting = [r for r in waiting if not self.is_cached(r)]
                if not waiting:
                    return
                for r in waiting:
                    self._begin(r)
                begun = sum(len(piece) for r in waiting for piece in self._unfinished.get(r, ()))
                remaining = sum(self._n_rows(r) for r in waiting) - begun
                rows = self._calls.pace.rows(remaining)
                batch = list(self._next_batch(waiting, rows))
                rows = sum(len(block.rows) for _, block in batch)
                finished = self._evaluate_batch(batch)
                # Without room in the cache, a replacement is still evaluated only once here.
                waiting = [r for r in waiting if r not in finished]
                remaining -= rows
                seconds_left = self._calls.pace.seconds(remaining)
            done += rows
            if callback is not None:
                callback(Progress(done, done + remaining, seconds_left))

    def evaluate(self, replacement: Request) -> Distribution:
        """Distribution of the rows under this replacement, from the cache or from the model."""
        with self._lock:
            distribution = self._cached(replacement)
            while distribution is None:
                self.evaluate_all([replacement])
                distribution = self._cached(replacement)
            return distribution

    def is_cached(self, replacement: Request) -> bool:
        """Whether `evaluate` costs no model call for this replacement."""
        if replacement in self._permanent or replacement in self._cache.predictions:
            return True
        if isinstance(replacement, SingleRow):
            parts = self._part_of(replacement)
            return self.is_cached(replacement.replacement) or any(map(self.is_cached, parts))
        return isinstance(replacement, PartOfRows) and self.is_cached(replacement.replacement)

    def donors(
        self, columns: tuple[int, ...], scheme: Scheme, seed: int, n_repeats: int
    ) -> Positions:
        """Donors of the first ``n_repeats`` draws for some columns, shape (n_repeats, n)."""
        with self._lock:
            return self._donors.of_repeats(columns, scheme, seed, n_repeats)

    def donors_in_turn(self, drawn: Sequence[Drawn]) -> Iterator[Positions]:
        """Yield the donors of all draws of one feature, shape (n,) each."""
        if self._donors.repeats_fit(len(drawn)):
            columns, scheme, _, seed = drawn[0]
            yield from self.donors(columns, scheme, seed, len(drawn))
            return
        for one in drawn:
            yield self._donors_of(one)

    def subgroups(self, columns: tuple[int, ...], scheme: Scheme) -> Subgroups:
        """Subgroups within which values of some columns move; all rows unless conditional."""
        with self._lock:
            return self._donors.subgroups(columns, scheme)

    def sampler(self, columns: tuple[int, ...]) -> ResidualSampler:
        """Model of a feature given all others, and the residuals of the rows.

        Raises
        ------
        ValueError
            See `residual_sampler`.
        """
        with self._lock:
            return self._donors.sampler(columns)

    def seconds(self, replacements: Sequence[Request]) -> float:
        """Estimated time to evaluate those of these replacements that are not cached."""
        waiting = sum(not self.is_cached(r) for r in replacements)
        return self.seconds_for(waiting * len(self.table))

    def seconds_for(self, rows: int) -> float:
        """Estimated time to evaluate so many rows."""
        return self._calls.pace.seconds(rows)

    def most_seconds_for(self, rows: int) -> float:
        """Estimated time to evaluate so many rows, which is too long rather than too short."""
        return max(self.seconds_for(rows), self._calls.pace.most_seconds(rows))

    def is_long(self, rows: int, seconds: float) -> bool:
        """Whether it is worth evaluating a part of so many rows first, by calls of its own.

        It is if all rows take longer than so many seconds, and much longer than such a call.
        """
        call = self.seconds_for(1)
        return self.most_seconds_for(rows) - call > max(seconds, CALLS_OF_LONG_WORK * call)

    @property
    def array_room(self) -> int:
        """Bytes that the arrays of one result may take, two fifths of the memory limit."""
        return self._cache.limit

    def max_in_memory(self, n_replacements: int, part: int | None = None) -> int:
        """Return how many of so many replacements have distributions that fit in memory together.

        At least one; of a part of the rows, if its number is given.
        """
        rows = len(self.table)
        of_rows = rows if part is None else len(self.row_order.part(part))
        bytes_each = max(1, 2 * self.original.nbytes * of_rows // rows)
        return max(1, min(n_replacements, self._cache.limit // (2 * bytes_each)))

    def _all_cached(
        self, replacements: Sequence[Request], callback: ProgressCallback | None
    ) -> list[Any]:
        distributions = [self._cached(r) for r in replacements]
        # With thousands of replacements the look-ups dominate, so they are done only once where
        # everything is cached.
        if any(distribution is None for distribution in distributions):
            self.evaluate_all(replacements, callback)
            distributions = [self.evaluate(r) for r in replacements]
        return distributions

    def _cached(self, replacement: Request) -> Distribution | None:
        distribution = self._cache.get(replacement)
        if distribution is not None:
            return distribution
        if isinstance(replacement, SingleRow):
            return self._cached_row(replacement)
        if not isinstance(replacement, PartOfRows):
            return self._permanent.get(replacement)
        whole = self._cached(replacement.replacement)
        return None if whole is None else whole.take(self.row_order.part(replacement.number))

    def _cached_row(self, single: SingleRow) -> Distribution | None:
        """Return the distribution of a row from that of all rows, or of the row's part."""
        whole = self._cached(single.replacement)
        if whole is not None:
            return whole.owned(slice(single.row, single.row + 1))
        for part in self._part_of(single):
            rows = self._cache.get(part)
            if rows is not None:
                place = int(self.row_order.places[single.row])
                place -= self.row_order.span(part.number).start
                return rows.owned(slice(place, place + 1))
        return None

    def _part_of(self, single: SingleRow) -> tuple[PartOfRows, ...]:
        """Return the replacement in the part of the row; none while there are no parts."""
        if "row_order" not in self.__dict__:
            return ()
        place = int(self.row_order.places[single.row])
        number = int(np.searchsorted(self.row_order.sizes, place, side="right"))
        return (PartOfRows(single.replacement, number),)

    def _n_rows(self, replacement: Request) -> int:
        if isinstance(replacement, PartOfRows):
            return len(self.row_order.part(replacement.number))
        return 1 if isinstance(replacement, SingleRow) else len(self.table)

    def _begin(self, replacement: Request) -> None:
        """Begin the evaluation on all rows with the first parts, as far as these are cached."""
        if isinstance(replacement, (PartOfRows, SingleRow)) or replacement in self._unfinished:
            return
        if pieces := self._first_parts(replacement):
            for number in range(len(pieces)):
                self._cache.drop(PartOfRows(replacement, number))
            self._unfinished[replacement] = pieces
            self._by_parts.add(replacement)

    def _first_parts(self, replacement: Replacement | PredictAnswer) -> list[Distribution]:
        """Return the distributions of the first parts, up to the first that is not cached."""
        pieces: list[Distribution] = []
        if "row_order" in self.__dict__:  # else no part was ever evaluated
            for number in range(len(self.row_order.sizes)):
                piece = self._cache.get(PartOfRows(replacement, number))
                if piece is None:
                    break
                pieces.append(piece)
        return pieces

    def _keep(self, replacement: Request, distribution: Distribution) -> None:
        """Store a distribution; the last part of a replacement makes it one of all rows."""
        self._cache.keep(replacement, distribution)
        if not isinstance(replacement, PartOfRows):
            return
        whole, sizes = replacement.replacement, self.row_order.sizes
        pieces = self._first_parts(whole)
        if len(pieces) == len(sizes):
            for number in range(len(sizes)):
                self._cache.drop(PartOfRows(whole, number))
            self._cache.keep(whole, self._in_table_order(pieces))

    def _in_table_order(self, pieces: list[Any]) -> Distribution:
        """Join the distributions of all rows in random order, and return them in the table's."""
        joined = pieces[0].joined(pieces[1:]) if len(pieces) > 1 else pieces[0]
        ordered: Distribution = joined.take(self.row_order.places)
        return ordered

    def _has_rows(self, key: Hashable, length: int) -> bool:
        """Whether a derived array with at least so many rows is cached."""
        with self._lock:
            array = self._cache.longest(key)
            return array is not None and len(array) >= length

    def _donors_of(self, drawn: Drawn) -> Positions:
        with self._lock:
            return self._donors.of(drawn)

    def _row_block(self, replacement: Request) -> RowBlock:
        if isinstance(replacement, PartOfRows):
            number = replacement.number
            return self._block(replacement.replacement).of(self.row_order.part(number))
        if isinstance(replacement, SingleRow):
            return self._block(replacement.replacement).of(np.array([replacement.row]))
        whole = self._block(replacement)
        return whole.of(self.row_order.rows) if replacement in self._by_parts else whole

    def _block(self, replacement: Replacement | PredictAnswer) -> RowBlock:
        rows = self._rows
        match replacement:
            case PredictAnswer():
                return self._block(replacement.replacement)
            case Original():
                return RowBlock(rows)
            case Drawn():
                return RowBlock(rows, replacement.columns, donors=self._donors_of(replacement))
            case Constant(columns, values):
                return RowBlock(rows, columns, values=values)

    def _next_batch(
        self, waiting: Sequence[Request], rows: int
    ) -> Iterator[tuple[Request, RowBlock]]:
        """Yield the next so many rows, with the replacement that they belong to.

        Distributions and answers of `predict` are not asked for in one call.
        """
        for replacement in waiting:
            if isinstance(whole_of(replacement), PredictAnswer) != isinstance(
                whole_of(waiting[0]), PredictAnswer
            ):
                return
            n = self._n_rows(replacement)
            begun = self._unfinished.get(replacement)
            first = sum(map(len, begun)) if begun else 0
            block = self._row_block(replacement)
            if first or rows < n:
                block = block.cut(first, min(n, first + rows))
            yield replacement, block
            rows -= len(block.rows)
            if rows == 0:
                return

    def _evaluate_batch(self, batch: list[tuple[Request, RowBlock]]) -> set[Request]:
        """Evaluate a batch and return the replacements that are now evaluated on all rows."""
        distribution: Any = None
        blocks = [block for _, block in batch]
        is_answer = isinstance(whole_of(batch[0][0]), PredictAnswer)
        try:
            distribution = self._calls.evaluate(blocks, self._answers if is_answer else None)
        except ModelError:
            if len(batch) == 1:
                raise
        if distribution is None:
            # Bisection names the one replacement that the model fails on.
            half = len(batch) // 2
            return self._evaluate_batch(batch[:half]) | self._evaluate_batch(batch[half:])
        is_compared = bool(blocks[0].columns) and not is_answer  # with the rows as they are
        if is_compared:
            self._consistency.compare(distribution, blocks, self.table)
        finished: set[Request] = set()
        start = 0
        for replacement, block in batch:
            stop = start + len(block.rows)
            # A copy: a view would keep the whole batch alive, and the model may reuse its memory.
            piece = distribution.owned(slice(start, stop))
            pieces = [*self._unfinished.pop(replacement, ()), piece]
            if sum(map(len, pieces)) == self._n_rows(replacement):
                if replacement in self._by_parts:
                    self._by_parts.discard(replacement)
                    self._keep(replacement, self._in_table_order(pieces))
                else:
                    whole = piece if len(pieces) == 1 else pieces[0].joined(pieces[1:])
                    self._keep(replacement, whole)
                finished.add(replacement)
            else:
                self._unfinished[replacement] = pieces
            start = stop
        # At the end, because the model may write to the memory of its former answer.
        if is_compared:
            self._consistency.compare_alone(self._calls.evaluate)
        if is_compared and self._answers.is_open and not isinstance(batch[0][0], SingleRow):
            ask = partial(self._calls.evaluate, model=self._answers)
            self._answers.compare_replaced(distribution, blocks, ask)
        return finished


def _replacement_of(request: Request) -> Replacement:
    whole = whole_of(request)
    return whole.replacement if isinstance(whole, PredictAnswer) else whole
