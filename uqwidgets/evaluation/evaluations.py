"""Measures of every row under replacements: values, differences from the original, curves.

The cache's policy lives here and in `Predictions`: what is evaluated together, what fits in
memory, what is read ahead. The rooms that compute statistics iterate over the results.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets._utils.errors import ModelError
from uqwidgets.evaluation.cache import Derived
from uqwidgets.evaluation.differences import DifferenceBlock, Differences
from uqwidgets.evaluation.distinct import distinct_rows
from uqwidgets.evaluation.predictions import Predictions
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.evaluation.replacement import (
    Constant,
    Drawn,
    Draws,
    Original,
    Part,
    Replacement,
)
from uqwidgets.evaluation.table import Table
from uqwidgets.inference.rounding import difference
from uqwidgets.measures import UNKNOWN_TRUTH, Measure, Truth
from uqwidgets.predictive import Distribution, Point, Predictive
from uqwidgets.predictive.distributions import InvalidRowError, class_codes, classes_among

# Features with few values are computed together: one pass over up to so many values is faster.
_VALUES_TOGETHER = 1 << 17


class Evaluations(Predictions):
    """Measures of every row under replacements, computed from cached predictive distributions.

    Parameters
    ----------
    predictive : Predictive
    table : Table
    memory_limit, seed : int
        See `Predictions`.

    Attributes
    ----------
    classes : ndarray of shape (k,) or None
        Labels, where the target is a class.
    """

    def __init__(
        self, predictive: Predictive, table: Table, memory_limit: int, seed: int = 0
    ) -> None:
        super().__init__(predictive, table, memory_limit, seed)
        self.classes = _classes(self.original, predictive, table)
        self._truth = _truth(self.original, self.classes, table) if table.has_target else None
        if self._truth is not None:
            self._truth.flags.writeable = False
        if self.classes is not None and table.has_target:
            self.strata = class_codes(table.y, self.classes)

    @property
    def truth(self) -> Truth:
        """The target in the form that measures need (see `Measure`), shape (n,).

        Raises
        ------
        ValueError
            If it is not known.
        """
        self.table.require_target("this")
        assert self._truth is not None
        return self._truth

    def cached(self, key: Hashable, compute: Callable[[], Derived]) -> Derived:
        """Return the array of this key, computed unless it is cached; kept while there is room."""
        with self._lock:
            return self._cache.cached(key, compute)

    def values(
        self,
        replacements: Sequence[Replacement],
        measure: Measure,
        callback: ProgressCallback | None = None,
        part: int | None = None,
    ) -> Floats:
        """Compute a measure of every row under each replacement, shape (replacements, n).

        With the number of a part of `row_order`, of the rows of that part alone.
        """
        requests: Sequence[Replacement | Part] = replacements
        if part is not None:
            requests = [Part(replacement, part) for replacement in replacements]
        step = self.max_in_memory(len(requests), part)
        if step >= len(requests):
            return self._values_together(requests, measure, callback, part)
        n_rows = len(self.table) if part is None else len(self.row_order.part(part))
        values = np.empty((len(requests), n_rows))
        for first in range(0, len(requests), step):
            some = requests[first : first + step]
            values[first : first + step] = self._values_together(some, measure, callback, part)
        return values

    def _values_together(
        self,
        requests: Sequence[Replacement | Part],
        measure: Measure,
        callback: ProgressCallback | None,
        part: int | None,
    ) -> Floats:
        with self._lock:
            answers = self._all_cached(requests, callback)
            joined = answers[0].joined(answers[1:]) if len(answers) > 1 else answers[0]
        try:
            values = measure.of(joined, self._repeated_truth(len(answers), part))
        except InvalidRowError as error:
            where = self._calls.where([self._row_block(r) for r in requests], error.row)
            raise ModelError(f"there is no {measure.name}: {error.problem} {where}.") from error
        # A measure may return one column of several; a copy frees the others.
        return np.ascontiguousarray(values.reshape(len(requests), -1))

    def _repeated_truth(self, times: int, part: int | None) -> Truth:
        if self._truth is None:
            unknown: Truth = UNKNOWN_TRUTH
            return unknown
        truth = self._truth if part is None else self._truth[self.row_order.part(part)]
        return truth if times == 1 else np.tile(truth, times)

    def original_values(self, measure: Measure) -> Floats:
        """Compute a measure of every row as it is, shape (n,)."""
        return self.cached(("original", measure.key), lambda: self.values([Original()], measure)[0])

    def differences(
        self,
        measure: Measure,
        columns: Sequence[tuple[int, ...]],
        draws: Draws,
        callback: ProgressCallback | None = None,
    ) -> Iterator[Differences]:
        """Yield the change of a measure in every row under the replacements of each feature.

        The change is the measure after the replacement minus that of the same row as it is.
        Features are evaluated together as far as they fit in memory. Each result is to be used
        before the next one is asked for, because it holds arrays of all rows and repeats.

        Parameters
        ----------
        measure : Measure
        columns : sequence of tuple of int
            Positions of each feature, or of the features of each group.
        draws : Draws
        callback : callable, optional
            See `ask`.
        """
        if draws.n_repeats == "all":
            for moved in columns:
                yield self._every_donor(measure, moved, draws, callback)
            return
        n_repeats = draws.n_repeats
        window = max(1, self.max_in_memory(n_repeats * len(columns)) // n_repeats)
        most_values = min(_VALUES_TOGETHER, self.array_room // 32)  # in up to four arrays
        together = max(1, most_values // (n_repeats * len(self.table)))
        for first in range(0, len(columns), window):
            group = columns[first : first + window]
            # Derived values may still be cached after the model's answers were evicted; those
            # features need no model call.
            missing = {
                moved: draws.replacements(self.table, moved)
                for moved in group
                if not self._has_rows(_difference_key(measure, moved, draws), n_repeats)
            }
            self.prepare([r for each in missing.values() for r in each], callback)
            for start in range(0, len(group), together):
                part = group[start : start + together]
                waiting = {moved: missing[moved] for moved in part if moved in missing}
                if len(waiting) > 1:
                    self._cache_differences(measure, waiting, draws, callback)
                for moved in part:
                    yield self._drawn_donors(measure, moved, draws, callback)

    def curves(
        self,
        measure: Measure,
        grids: Sequence[Sequence[Constant]],
        relative_to: Sequence[Replacement | None],
        callback: ProgressCallback | None = None,
    ) -> Iterator[Iterator[Floats]]:
        """Yield the curves of all rows over each grid, or surface, in blocks of shape (points, n).

        Grids are evaluated together as far as they fit in memory. Curves that fit in `array_room`
        are a single block, which is cached; all others are computed a few points at a time. The
        blocks of one grid are to be used before the next grid.

        Parameters
        ----------
        measure : Measure
        grids : sequence of sequences of Constant
            The points of each grid.
        relative_to : sequence of Replacement or None
            For each grid, the replacement under which every row's curve is zero; None for
            curves as they are.
        callback : callable, optional
            See `ask`.
        """
        requests = list(zip(grids, relative_to, strict=True))
        sizes = [len(grid) + isinstance(reference, Constant) for grid, reference in requests]
        for window in _windows(sizes, self.max_in_memory(sum(sizes))):
            missing = [r for j in window for r in self._missing_points(measure, *requests[j])]
            self.prepare(missing, callback)
            for j in window:
                yield self._curve_blocks(measure, *requests[j], callback)

    def _missing_points(
        self, measure: Measure, grid: Sequence[Constant], reference: Replacement | None
    ) -> list[Replacement]:
        """Return the replacements whose values are not cached, evaluated with one model call."""
        if self._has_rows(_curve_key(measure, grid, reference), 1):
            return []
        missing: list[Replacement] = []
        if not self._has_rows(_curve_key(measure, grid, None), 1):
            missing.extend(grid)
        if isinstance(reference, Constant) and not self._has_rows(
            _curve_key(measure, [reference], None), 1
        ):
            missing.append(reference)
        return missing

    def _curve_blocks(
        self,
        measure: Measure,
        grid: Sequence[Replacement],
        reference: Replacement | None,
        callback: ProgressCallback | None,
    ) -> Iterator[Floats]:
        if len(grid) * len(self.table) * 8 <= self.array_room:
            yield self._curves(measure, grid, reference, callback)
            return
        step = self.max_in_memory(len(grid))
        for first in range(0, len(grid), step):
            part = grid[first : first + step]
            yield self._relative(self.values(part, measure, callback), measure, reference, callback)

    def _relative(
        self,
        curves: Floats,
        measure: Measure,
        reference: Replacement | None,
        callback: ProgressCallback | None,
    ) -> Floats:
        """Subtract from each row's curve its value under the reference, if there is one."""
        if reference is None:
            return curves
        if isinstance(reference, Original):
            return difference(curves, self.original_values(measure))
        (row_values,) = self._curves(measure, [reference], None, callback)
        return difference(curves, row_values)

    def _curves(
        self,
        measure: Measure,
        grid: Sequence[Replacement],
        reference: Replacement | None,
        callback: ProgressCallback | None,
    ) -> Floats:
        def compute() -> Floats:
            if reference is None:
                return self.values(grid, measure, callback)
            curves = self._curves(measure, grid, None, callback)
            return self._relative(curves, measure, reference, callback)

        return self.cached(_curve_key(measure, grid, reference), compute)

    def _difference(
        self,
        measure: Measure,
        replacements: Sequence[Replacement],
        callback: ProgressCallback | None,
    ) -> Floats:
        values = self.values(replacements, measure, callback)
        return difference(values, self.original_values(measure))

    def _cache_differences(
        self,
        measure: Measure,
        replacements: dict[tuple[int, ...], list[Replacement]],
        draws: Draws,
        callback: ProgressCallback | None,
    ) -> None:
        """Compute the differences of several features in one pass, and cache those of each."""
        everything = [r for each in replacements.values() for r in each]
        values = self._difference(measure, everything, callback)
        for moved, part in zip(replacements, np.split(values, len(replacements)), strict=True):
            with self._lock:
                self._cache.put(_difference_key(measure, moved, draws), part)

    def _cached_prefix(
        self, key: Hashable, length: int, compute: Callable[[], npt.NDArray[Any]]
    ) -> npt.NDArray[Any]:
        """Return the first rows of a derived array, computed anew if it has fewer."""
        with self._lock:
            array = self._cache.array(key)
            if array is None or len(array) < length:
                array = compute()
                self._cache.put(key, array)
            return array[:length]

    def _drawn_donors(
        self,
        measure: Measure,
        columns: tuple[int, ...],
        draws: Draws,
        callback: ProgressCallback | None,
    ) -> Differences:
        drawn: list[Any] = draws.replacements(self.table, columns)
        if self._donors.repeats_fit(len(drawn)):
            n_blocks, blocks = 1, self._whole_block(measure, columns, draws, drawn, callback)
        else:
            step = 1
            while self._donors.repeats_fit(step + 1):
                step += 1
            room = self.max_in_memory(len(drawn))
            step = min(step, room)
            # Distributions that do not fit together would be evicted before they are read again.
            blocks = self._blocks(measure, drawn, step, callback, evict=room < len(drawn))
            n_blocks = -(-len(drawn) // step)
        conditional = draws.scheme == "conditional"
        return Differences(
            original=self.original_values(measure),
            subgroups=self.subgroups(columns, draws.scheme).codes if conditional else None,
            codes=None,
            n_replacements=len(drawn),
            n_blocks=n_blocks,
            blocks=blocks,
            donors=self.donors_in_turn(drawn),
        )

    def _whole_block(
        self,
        measure: Measure,
        columns: tuple[int, ...],
        draws: Draws,
        drawn: list[Any],
        callback: ProgressCallback | None,
    ) -> Iterator[DifferenceBlock]:
        """Yield the differences of all draws at once."""
        values = self._cached_prefix(
            _difference_key(measure, columns, draws),
            len(drawn),
            partial(self._difference, measure, drawn, callback),
        )
        donors = self.donors(columns, draws.scheme, draws.seed, len(drawn))
        yield DifferenceBlock(slice(0, len(drawn)), values, donors)

    def _blocks(
        self,
        measure: Measure,
        drawn: list[Drawn],
        step: int,
        callback: ProgressCallback | None,
        *,
        evict: bool,
    ) -> Iterator[DifferenceBlock]:
        """Yield the differences of as many draws at a time as there is room for."""
        for first in range(0, len(drawn), step):
            part = drawn[first : first + step]
            values = self._difference(measure, part, callback)
            if evict:
                with self._lock:
                    for one in part:
                        self._cache.drop(one)
            lines = [self._donors_of(one) for one in part]
            donors = np.stack(lines) if len(lines) > 1 else lines[0][None]
            yield DifferenceBlock(slice(first, first + len(part)), values, donors)
            del values, lines, donors  # otherwise they stay in memory while the next are made

    def _every_donor(
        self,
        measure: Measure,
        columns: tuple[int, ...],
        draws: Draws,
        callback: ProgressCallback | None,
    ) -> Differences:
        values, codes = distinct_rows(self.table, columns)
        constants = [Constant(columns, value) for value in values]
        self.prepare(constants, callback)
        step = self.max_in_memory(len(constants))

        def blocks() -> Iterator[DifferenceBlock]:
            for first in range(0, len(constants), step):
                part = constants[first : first + step]
                key = ("every donor", measure.key, columns, first, len(part))
                compute = partial(self._difference, measure, part, callback)
                yield DifferenceBlock(slice(first, first + len(part)), self.cached(key, compute))

        return Differences(
            original=self.original_values(measure),
            subgroups=self.subgroups(columns, draws.scheme).codes,
            codes=codes,
            n_replacements=len(constants),
            n_blocks=-(-len(constants) // step),
            blocks=blocks(),
            donors=iter(()),
        )


def _difference_key(measure: Measure, columns: tuple[int, ...], draws: Draws) -> Hashable:
    return ("change", measure.key, columns, draws.scheme, draws.seed)


def _curve_key(
    measure: Measure, grid: Sequence[Replacement], reference: Replacement | None
) -> Hashable:
    return ("curves", measure.key, tuple(grid), reference)


def _windows(sizes: Sequence[int], room: int) -> list[list[int]]:
    """Positions of neighbours that fit in the room together, at least one in each window."""
    windows: list[list[int]] = []
    size_of_window = 0
    for position, size in enumerate(sizes):
        if not windows or size_of_window + size > room:
            windows.append([])
            size_of_window = 0
        windows[-1].append(position)
        size_of_window += size
    return windows


def _classes(q: Distribution, predictive: Predictive, table: Table) -> npt.NDArray[Any] | None:
    if not isinstance(q, Point):
        return q.classes
    if predictive.classes is None and q.value.dtype.kind not in "iuf":
        # A function that gives labels names no classes: those it gave and those of y are some.
        predicted = q.value.astype(object)
        return classes_among(predicted, table.y if table.has_target else predicted[:0])
    return predictive.classes


def _truth(q: Distribution, classes: npt.NDArray[Any] | None, table: Table) -> Truth:
    if classes is not None:
        codes = class_codes(table.y, classes)
        return codes if q.classes is not None else table.y
    return table.target_numbers()
