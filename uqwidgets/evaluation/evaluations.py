"""Measures of every row under replacements: differences from the original, and curves.

The cache's policy lives here, in `MeasureValues` and in `Predictions`: what is evaluated together,
what fits in memory, what is read ahead. The rooms that compute statistics iterate over the results.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from uqwidgets._typing import Floats, Positions
from uqwidgets.evaluation.distinct import distinct_rows
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.evaluation.replacement import (
    Constant,
    Drawn,
    Draws,
    Original,
    Replacement,
)
from uqwidgets.evaluation.values import MeasureValues
from uqwidgets.inference.rounding import difference
from uqwidgets.measures import Measure


class DifferenceBlock(NamedTuple):
    """Changes of a measure in every row under k of the replacements of one feature.

    Attributes
    ----------
    replacements : slice
        Which of the feature's replacements.
    values : ndarray of shape (k, n)
    donors : ndarray of shape (k, n) or None
        Rows that the values come from; None for constant replacements.
    """

    replacements: slice
    values: Floats
    donors: Positions | None = None


@dataclass(frozen=True, eq=False)
class Differences:
    """Changes of a measure in every row under all replacements of one feature, or group.

    Attributes
    ----------
    original : ndarray of shape (n,)
        The measure of each row as it is.
    subgroups : ndarray of shape (n,) or None
        Subgroup of each row, within which donors are drawn; None for all rows.
    codes : ndarray of shape (n,) or None
        With every row as a donor: which of the replacements has the row's own value. None where
        donors are drawn.
    n_replacements, n_blocks : int
    blocks : iterator of DifferenceBlock
        To be iterated over once; the model is evaluated on the way.
    donors : iterator of ndarray of shape (n,)
        Donors of each draw, one draw at a time.
    """

    original: Floats
    subgroups: Positions | None
    codes: Positions | None
    n_replacements: int
    n_blocks: int
    blocks: Iterator[DifferenceBlock]
    donors: Iterator[Positions]


#: Transformation of the curves of all rows, in blocks of points: a function with a hash of its own.
BlockTransform = Callable[[Iterator[Floats]], Iterator[Floats]]

# Features with few values are computed together: one pass over up to so many values is faster.
_VALUES_TOGETHER = 1 << 17


class Evaluations(MeasureValues):
    """Changes of measures under replacements, and curves of measures over grids, for all rows.

    Parameters
    ----------
    predictive, table, memory_limit, seed
        As in `MeasureValues`, which has the attributes too.
    """

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
        before the next one is requested, because it holds arrays of all rows and repeats.

        Parameters
        ----------
        measure : Measure
        columns : sequence of tuple of int
            Positions of each feature, or of the features of each group.
        draws : Draws
        callback : callable, optional
            See `evaluate_all`.
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
            # Derived values may still be cached after the model's predictions were evicted; those
            # features need no model call.
            missing = {
                moved: draws.replacements(self.table, moved)
                for moved in group
                if not self._has_rows(difference_key(measure, moved, draws), n_repeats)
            }
            waiting = [r for each in missing.values() for r in each]
            self.prepare(self.requests(waiting, measure), callback)
            for start in range(0, len(group), together):
                part = group[start : start + together]
                of_part = {moved: missing[moved] for moved in part if moved in missing}
                if len(of_part) > 1:
                    self._cache_differences(measure, of_part, draws, callback)
                for moved in part:
                    yield self._drawn_donors(measure, moved, draws, callback)

    def curves(
        self,
        measure: Measure,
        grids: Sequence[Sequence[Constant]],
        relative_to: Sequence[Replacement | None],
        transforms: Sequence[BlockTransform | None],
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
        transforms : sequence of callable or None
            For each grid, what is applied to the blocks afterwards; equal ones do the same.
        callback : callable, optional
            See `evaluate_all`.
        """
        requests = list(zip(grids, relative_to, transforms, strict=True))
        sizes = [len(grid) + isinstance(reference, Constant) for grid, reference, _ in requests]
        for window in _windows(sizes, self.max_in_memory(sum(sizes))):
            missing = [r for j in window for r in self._missing_points(measure, *requests[j])]
            self.prepare(self.requests(missing, measure), callback)
            for j in window:
                yield self._curve_blocks(measure, *requests[j], callback)

    def _missing_points(
        self,
        measure: Measure,
        grid: Sequence[Constant],
        reference: Replacement | None,
        transform: BlockTransform | None,
    ) -> list[Replacement]:
        """Return the replacements whose values are not cached, evaluated with one model call."""
        keys = {_curve_key(measure, grid, reference, one) for one in (transform, None)}
        if any(self._has_rows(key, 1) for key in keys):
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
        transform: BlockTransform | None,
        callback: ProgressCallback | None,
    ) -> Iterator[Floats]:
        if len(grid) * len(self.table) * 8 <= self.array_room:
            yield self._curves(measure, grid, reference, callback, transform)
            return
        step = self.max_in_memory(len(grid))

        def blocks() -> Iterator[Floats]:
            for first in range(0, len(grid), step):
                values = self.values(grid[first : first + step], measure, callback)
                yield self._relative(values, measure, reference, callback)

        yield from blocks() if transform is None else transform(blocks())

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
        transform: BlockTransform | None = None,
    ) -> Floats:
        def compute() -> Floats:
            if transform is not None:
                return _transformed(self._curves(measure, grid, reference, callback), transform)
            if reference is None:
                return self.values(grid, measure, callback)
            curves = self._curves(measure, grid, None, callback)
            return self._relative(curves, measure, reference, callback)

        return self.cached(_curve_key(measure, grid, reference, transform), compute)

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
                self._cache.put(difference_key(measure, moved, draws), part)

    def _drawn_donors(
        self,
        measure: Measure,
        columns: tuple[int, ...],
        draws: Draws,
        callback: ProgressCallback | None,
    ) -> Differences:
        drawn: list[Any] = draws.replacements(self.table, columns)
        is_known = self._has_rows(difference_key(measure, columns, draws), len(drawn))
        if is_known or self._donors.repeats_fit(len(drawn)):
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
        values = self.cached_prefix(
            difference_key(measure, columns, draws),
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
                    for one in self.requests(part, measure):
                        self._cache.drop(one)
            with self._lock:
                donors = self._donors.of_several(part)
            yield DifferenceBlock(slice(first, first + len(part)), values, donors)
            del values, donors  # otherwise they stay in memory while the next are made

    def _every_donor(
        self,
        measure: Measure,
        columns: tuple[int, ...],
        draws: Draws,
        callback: ProgressCallback | None,
    ) -> Differences:
        values, codes = distinct_rows(self.table, columns)
        constants = [Constant(columns, value) for value in values]
        self.prepare(self.requests(constants, measure), callback)
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


def difference_key(measure: Measure, columns: tuple[int, ...], draws: Draws) -> Hashable:
    """Return the key of the changes of a measure under some draws in the cache, shape (K, n)."""
    return ("change", measure.key, columns, draws.scheme, draws.seed)


def _curve_key(
    measure: Measure,
    grid: Sequence[Replacement],
    reference: Replacement | None,
    transform: BlockTransform | None = None,
) -> Hashable:
    return ("curves", measure.key, tuple(grid), reference, transform)


def _transformed(curves: Floats, transform: BlockTransform) -> Floats:
    result, first = np.empty_like(curves), 0
    for block in transform(iter([curves])):
        result[first : first + len(block)] = block
        first += len(block)
    return result


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
