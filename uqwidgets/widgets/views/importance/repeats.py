"""Changes of every row under each repeat, stored so that weights and filters need no model call."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from math import ceil, floor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets._utils.remarks import Remark
from uqwidgets.evaluation.cache import bytes_text, remarks_on_limit
from uqwidgets.evaluation.evaluations import Evaluations
from uqwidgets.evaluation.progress import Progress
from uqwidgets.evaluation.replacement import (
    Drawn,
    Original,
    PartOfRows,
    Replacement,
    Request,
    Scheme,
)
from uqwidgets.inference import Change, SampledRows, mean_change
from uqwidgets.inference.population import Population
from uqwidgets.inference.populations import Populations, mean_changes_in
from uqwidgets.inference.rounding import difference
from uqwidgets.measures import Measure
from uqwidgets.metrics import Metric
from uqwidgets.widgets.views.importance.drawn_changes import DrawnChanges

# Intervals need two repeats; these are stored however little memory there is.
FEWEST = 2
# Seconds of computing measures between two checks for a request to stop.
_SECONDS_READ = 0.2
# Share of `memory_limit`; the cache takes as much, and the rest is left to temporary arrays.
_SHARE = 2 / 5
# Numbers per row that the other views need at their peak, two thirds of them, as measured in
# tests/widgets/test_work.py.
_NUMBERS_PER_ROW = 24

Report = Callable[[str, int], None]


class Piece(NamedTuple):
    """One unit of evaluation: a repeat of a feature, in all rows or in one part of them."""

    feature: str
    repeat: int
    part: int | None


class RepeatChanges:
    """Per-row changes of every feature under each repeat, by some measures.

    The cache evicts answers that no longer fit, and would evaluate them again whenever weights
    move. So the changes that importance is computed from are stored here: whole repeats, as many
    as fit.

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
        self._seed = seed
        self.scheme: Scheme = scheme
        self._rows = len(evaluations.table)
        self._capacity = 0
        empty = np.empty((0, self._rows))
        # Of a repeat that is known of a sample only, the changes are in the order of `row_order`.
        self._changes = {f: [empty for _ in self.measures] for f in self.features}
        self._donors = dict.fromkeys(self.features, empty.astype(np.int32))
        # How many parts of the rows are known of each repeat.
        self._parts: dict[str, list[int]] = {f: [] for f in self.features}
        self._seconds_per_row = 0.0

    @property
    def n_repeats(self) -> int:
        """How many repeats are known of every feature, in all rows."""
        return min(self._complete(feature) for feature in self.features)

    def n_rows(self, feature: str, n_repeats: int) -> int:
        """How many rows are known of so many repeats of a feature."""
        parts = min([*self._parts[feature], *([0] * n_repeats)][:n_repeats], default=0)
        return self._evaluations.row_order.sizes[parts - 1] if parts else 0

    @property
    def nbytes_per_repeat(self) -> int:
        """Bytes that one repeat of every feature takes."""
        each = 8 * len(self.measures) + self._donors[self.features[0]].itemsize
        return len(self.features) * self._rows * each

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
                    f"importance rests on {self.most_repeats} of {n_repeats} shuffles, for more do "
                    f"not fit in memory_limit={limit!r}; memory_limit={required!r} holds all",
                )
            )
        smallest = self.required_memory(min(n_repeats, FEWEST))
        smallest += ceil(self._evaluations.smallest_limit(_NUMBERS_PER_ROW))
        what = f"the importance of {len(self.features):,} features in {self._rows:,} rows"
        return [*notes, *remarks_on_limit(self._evaluations.memory_limit, smallest, what)]

    def work(self, n_repeats: int) -> int:
        """Rows to evaluate for so many repeats, counted twice: their measures take time as well."""
        sizes = (0, *self._evaluations.row_order.sizes)
        known = sum(
            sizes[parts] for of_feature in self._parts.values() for parts in of_feature[:n_repeats]
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
        asked = (rows - answered) * self._n_asked
        return self._evaluations.seconds_for(asked) + rows * self._seconds_per_row

    def is_long(self, n_repeats: int, seconds: float) -> bool:
        """Whether it is worth evaluating some of the repeats before the others."""
        rows = self.work(n_repeats) // 2
        asked = rows * self._n_asked
        return self._evaluations.is_long(asked, seconds - rows * self._seconds_per_row)

    def requests(self, n_repeats: int) -> list[Request]:
        """Return what the model is asked for so many repeats, repeat by repeat."""
        return self._asked(
            [self._replacement(feature, k) for k in range(n_repeats) for feature in self.features]
        )

    def _asked(self, requests: Sequence[Request]) -> list[Request]:
        return self._evaluations.requests(requests, *self._readers)

    @property
    def _n_asked(self) -> int:
        """How often the model is asked about a row: for its distribution, its answer, or both."""
        return len(self._asked([Original()]))

    def extend(
        self,
        n_repeats: int,
        report: Report,
        features: Sequence[str] | None = None,
        n_rows: int | None = None,
    ) -> None:
        """Evaluate what so many repeats lack, repeat by repeat, and compute the measures.

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
            rows if not given.

        Raises
        ------
        ModelError
            If the model fails; the sentence names the feature.
        """
        evaluations = self._evaluations
        waiting = list(self._waiting(n_repeats, features or self.features, n_rows))
        self._make_room(n_repeats)
        names = " and ".join(m.name for m in self.measures)
        first = 0
        while first < len(waiting):
            # No more than the cache holds until the measures are computed.
            window = self._next_window(waiting[first:])
            answered = sum(self._n_rows_of(each) for each in window)

            def callback(progress: Progress) -> None:
                report("importance", progress.rows_done // self._n_asked)

            report("importance", 0)
            requests = self._asked([self._request(each) for each in window])
            evaluations.evaluate_all(requests, callback)
            start = 0
            while start < len(window):
                report(f"computing {names} for importance", answered)
                part = self._read_at_once(window[start:])
                self._read(part)
                answered -= sum(self._n_rows_of(each) for each in part)
                start += len(part)
            first += len(window)

    def change(self, measure: int, feature: str, n_repeats: int, population: Population) -> Change:
        """Return the mean change of a measure, by its position, over the first repeats."""
        lines, donors = self._changes[feature][measure], self._donors[feature]
        original = self._evaluations.original_values(self.measures[measure])
        drawn = donors[:n_repeats].astype(np.intp)
        return mean_change(lines[:n_repeats], drawn, original, population, self._subgroups(feature))

    def estimates(
        self,
        measures: Sequence[int],
        feature: str,
        n_repeats: int,
        populations: Populations,
        check: Callable[[], None],
    ) -> Floats:
        """Return the mean change of some measures over the first repeats, in each population."""
        changes = [self._changes[feature][m][:n_repeats] for m in measures]
        return mean_changes_in(populations, changes, self._donors[feature][:n_repeats], check)

    def drawn(self, measures: Sequence[int], n_repeats: int) -> DrawnChanges:
        """Return the changes of some measures, by their positions, over the first repeats."""
        return DrawnChanges(
            self.features,
            {f: [lines[m][:n_repeats] for m in measures] for f, lines in self._changes.items()},
            {feature: donors[:n_repeats] for feature, donors in self._donors.items()},
            [self._evaluations.original_values(self.measures[m]) for m in measures],
        )

    def sample(
        self, feature: str, n_repeats: int, n_rows: int, population: Population
    ) -> tuple[SampledRows, list[Change]] | None:
        """Return the rows of a sample with the mean change of each measure.

        None if the population has none of these rows.

        Parameters
        ----------
        feature : str
        n_repeats : int
        n_rows : int
            At most as many as are known.
        population : Population
        """
        order = self._evaluations.row_order
        rows = order.rows[:n_rows]
        donors = self._donors[feature][:n_repeats, rows].astype(np.intp)
        sample = SampledRows.of(rows, donors, population, order.strata)
        if sample is None:
            return None
        is_whole = [parts == len(order.sizes) for parts in self._parts[feature][:n_repeats]]
        changes = []
        for lines, measure in zip(self._changes[feature], self.measures, strict=True):
            of_rows = np.empty((n_repeats, n_rows))
            for k, whole in enumerate(is_whole):
                of_rows[k] = lines[k, rows] if whole else lines[k, :n_rows]
            original = self._evaluations.original_values(measure)
            changes.append(sample.mean_change(of_rows, original, self._subgroups(feature)))
        return sample, changes

    def _subgroups(self, feature: str) -> npt.NDArray[np.intp] | None:
        """Return the subgroup of each row within which values move, None for all rows."""
        if self.scheme != "conditional":
            return None
        columns = self._evaluations.table.columns_of(feature)
        return self._evaluations.subgroups(columns, self.scheme).codes

    def _complete(self, feature: str) -> int:
        """How many of the first repeats of a feature are known in all rows."""
        n_parts = len(self._evaluations.row_order.sizes)
        return next(
            (k for k, parts in enumerate(self._parts[feature]) if parts < n_parts),
            len(self._parts[feature]),
        )

    def _waiting(
        self, n_repeats: int, features: Sequence[str], n_rows: int | None
    ) -> Iterator[Piece]:
        """Yield what has to be evaluated: whole repeats, or parts of those that were begun."""
        order = self._evaluations.row_order
        n_parts = len(order.sizes) if n_rows is None else order.n_parts(n_rows)
        for k in range(n_repeats):
            for feature in features:
                known = self._parts[feature][k] if k < len(self._parts[feature]) else 0
                if n_rows is None and not known:
                    yield Piece(feature, k, None)
                    continue
                for part in range(known, n_parts):
                    yield Piece(feature, k, part)

    def _replacement(self, feature: str, repeat: int) -> Replacement:
        columns = self._evaluations.table.columns_of(feature)
        return Drawn(columns, self.scheme, repeat, self._seed)

    def _request(self, piece: Piece) -> Replacement | PartOfRows:
        replacement = self._replacement(piece.feature, piece.repeat)
        return replacement if piece.part is None else PartOfRows(replacement, piece.part)

    def _n_rows_of(self, piece: Piece) -> int:
        if piece.part is None:
            return self._rows
        return len(self._evaluations.row_order.part(piece.part))

    def _next_window(self, waiting: Sequence[Piece]) -> Sequence[Piece]:
        """Return as many of the first pieces as fit in memory together, at least one."""
        n_asked = len(waiting) * self._n_asked
        most_rows = self._evaluations.max_in_memory(n_asked) * self._rows // self._n_asked
        return _first_of(waiting, most_rows, self._n_rows_of)

    def _make_room(self, n_repeats: int) -> None:
        if n_repeats <= self._capacity:
            return

        def larger(lines: npt.NDArray[Any]) -> npt.NDArray[Any]:
            room = np.empty((n_repeats, self._rows), dtype=lines.dtype)
            room[: len(lines)] = lines
            return room

        for feature in self.features:
            self._changes[feature] = [larger(lines) for lines in self._changes[feature]]
            columns = self._evaluations.table.columns_of(feature)
            drawn = self._evaluations.donors(columns, self.scheme, self._seed, n_repeats)
            self._donors[feature] = drawn.astype(np.int32)
            known = self._parts[feature]
            self._parts[feature] = known + [0] * (n_repeats - len(known))
        self._capacity = n_repeats

    def _read_at_once(self, waiting: Sequence[Piece]) -> Sequence[Piece]:
        """Return the first pieces of one part that are read between two checks for a stop."""
        part = waiting[0].part
        alike = list(takewhile(lambda piece: piece.part == part, waiting))
        if self._seconds_per_row == 0.0:
            return alike[:1]
        return _first_of(alike, int(_SECONDS_READ / self._seconds_per_row), self._n_rows_of)

    def _read(self, pieces: Sequence[Piece]) -> None:
        """Compute the measures of pieces of one part of the rows."""
        evaluations, started = self._evaluations, time.perf_counter()
        order, part = evaluations.row_order, pieces[0].part
        span = slice(None) if part is None else order.span(part)
        replacements = [self._replacement(piece.feature, piece.repeat) for piece in pieces]
        for m, measure in enumerate(self.measures):
            values = evaluations.values(replacements, measure, part=part)
            original = evaluations.original_values(measure)
            reference = original if part is None else original[order.part(part)]
            lines = difference(values, reference)
            for piece, line in zip(pieces, lines, strict=True):
                self._changes[piece.feature][m][piece.repeat, span] = line
        n_parts = len(order.sizes)
        for feature, k, _ in pieces:
            if part is not None and part + 1 == n_parts:
                # From here on the rows are in the order of the table, like those of whole repeats.
                for changes in self._changes[feature]:
                    changes[k] = changes[k][order.places]
            self._parts[feature][k] = n_parts if part is None else part + 1
        rows = sum(self._n_rows_of(piece) for piece in pieces)
        self._seconds_per_row = (time.perf_counter() - started) / rows


def _first_of(
    pieces: Sequence[Piece], most_rows: int, n_rows: Callable[[Piece], int]
) -> Sequence[Piece]:
    """Return the first pieces with at most so many rows together, at least one."""
    rows = 0
    for count, piece in enumerate(pieces):
        rows += n_rows(piece)
        if count and rows > most_rows:
            return pieces[:count]
    return pieces
