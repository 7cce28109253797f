"""A measure of every row under replacements, and what is derived from it and cached."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats, Positions
from uqwidgets._utils.errors import ModelError
from uqwidgets._utils.remarks import Remark
from uqwidgets.evaluation.answers import Reader
from uqwidgets.evaluation.batch import RowBlock
from uqwidgets.evaluation.cache import Derived, remarks_on_limit
from uqwidgets.evaluation.columns import Columns, check_texts
from uqwidgets.evaluation.predictions import Predictions
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.evaluation.replacement import (
    Original,
    PartOfRows,
    PredictAnswer,
    Replacement,
    Request,
    answer_to,
)
from uqwidgets.evaluation.row_dependence import remarks_on_rows
from uqwidgets.evaluation.table import Table
from uqwidgets.measures import UNKNOWN_TRUTH, Measure, Truth
from uqwidgets.predictive import Distribution, Point, Predictive
from uqwidgets.predictive.distributions import (
    Categorical,
    InvalidRowError,
    Mixture,
    PredictedLabels,
    class_codes,
    classes_among,
)

# The variance of larger numbers would overflow: its terms are squares, and there are many of them.
_LARGEST = 1e145
# Smaller probabilities of the observed class count as this, where rows are compared.
_LEAST = 1e-12

# Numbers per row that an analysis needs at least, two thirds of what there is at its peak: so many
# in any case, or so many and some predictions. They are measured by
# tests/explainer/test_memory_limit.py, also where the cache begins to hold two predictions.
_NUMBERS_PER_ROW, _BESIDE_PREDICTIONS, _PREDICTIONS = 22, 13, 4.5


class MeasureValues(Predictions):
    """A measure of every row under replacements, read from cached predictive distributions.

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
    extra : Columns
        Columns of the rows that the model does not use; empty until they are set.
    """

    def __init__(
        self, predictive: Predictive, table: Table, memory_limit: int, seed: int = 0
    ) -> None:
        super().__init__(predictive, table, memory_limit, seed)
        self.classes = _classes(self.original, predictive, table)
        if self.classes is not None:
            check_texts(self.classes, "the model's classes_")
            if self.original.classes is None:
                self._answers.name_classes(self.classes)
        self.extra = Columns(pd.DataFrame(index=range(len(table))), "extra column")
        self._truth = _truth(self.original, self.classes, table) if table.has_target else None
        if self.classes is None:
            self._remarks += _remarks_on_reading(self.original, table)
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

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """What a reader of results should know about the model, its predictions, and the memory."""
        of_model = self._remarks + self.remarks_on_answers + self._consistency.remarks
        return of_model + self.remarks_on_rows + self.remarks_on_memory()

    @property
    def remarks_on_rows(self) -> tuple[Remark, ...]:
        """Remarks on the groups of the rows, and on rows that are not independent without them."""
        return self.table.remarks + self.table.target_remarks + self._remarks_on_rows

    @cached_property
    def _remarks_on_rows(self) -> tuple[Remark, ...]:
        """Remarks on rows that are not independent, by their losses and their residuals."""
        if self._truth is None:
            return ()
        q, truth = self.original, self._truth
        mean = q.mean() if self.classes is None else None
        if mean is None and not isinstance(q, Categorical | Mixture):
            return ()

        def errors(rows: Positions) -> list[Floats]:
            if mean is not None:
                residual = truth[rows] - mean[rows]
                return [residual, np.square(residual)]
            assert isinstance(q, Categorical | Mixture)
            p, classes = q.probabilities[rows], truth[rows]
            of_truth = np.take_along_axis(p, classes[:, None], axis=1)[:, 0]
            return [(classes == 0) - p[:, 0], -np.log(np.maximum(of_truth, _LEAST))]

        return remarks_on_rows(self.table, self.extra, errors)

    @property
    def remarks_on_answers(self) -> tuple[Remark, ...]:
        """A remark if the model's own `predict` differs from the distributions that are read."""
        return self._answers.remarks

    def remarks_on_memory(self, further: int = 0) -> tuple[Remark, ...]:
        """Return a remark if an analysis does not keep to the memory limit.

        Parameters
        ----------
        further : int
            See `smallest_limit`.
        """
        return remarks_on_limit(
            self.memory_limit, self.smallest_limit(further), f"{len(self.table):,} rows"
        )

    def smallest_limit(self, further: int = 0) -> float:
        """Smallest memory limit that an analysis keeps to.

        However little is processed at a time, some arrays of all rows are in memory together:
        those of a single replacement, of the columns of the table, and of the result.

        Parameters
        ----------
        further : int
            Numbers per row that the analysis needs beside those that all analyses need.
        """
        n = len(self.table)
        with_predictions = _BESIDE_PREDICTIONS * 8 * n + _PREDICTIONS * self.original.nbytes
        further_numbers = len(self.table.features) + further
        return max(_NUMBERS_PER_ROW * 8 * n, with_predictions) + further_numbers * 8 * n

    def original_for(self, reader: Reader) -> Distribution:
        """Return what a measure or a metric reads of the rows as they are."""
        return self.answer if reader.reads_answer else self.original

    @property
    def answer(self) -> Distribution:
        """What `predict` answers for the rows as they are: `original` where that says the same."""
        return self._permanent.get(PredictAnswer(Original()), self.original)

    def predicted_codes(self, q: Distribution) -> Positions:
        """Position among `predicted_labels` of the class that each row of `answer` predicts.

        Parameters
        ----------
        q : Distribution
            Of a model of classes: what it answers, or a part of that.
        """
        if isinstance(q, Point) and not isinstance(q, PredictedLabels):
            return self._answers.codes(q.value)
        assert q.classes is not None
        return q.mode()

    @property
    def predicted_labels(self) -> npt.NDArray[Any]:
        """The classes, and other labels that the model predicted, as for rejected rows."""
        return self._answers.labels

    @property
    def answers_differ(self) -> bool:
        """Whether `predict` differs from the distributions in a row that was compared."""
        return self._answers.differ

    def reads_answers(self, reader: Reader) -> bool:
        """Whether a measure or a metric asks `predict`, because that differs."""
        return self.answers_differ and reader.reads_answer

    def requests(self, requests: Sequence[Request], *readers: Reader) -> list[Request]:
        """Return what the model is asked, for measures and metrics of some replacements.

        It is the distribution, and the answer of `predict` only for those that read it, where it
        differs. The model is not called.
        """
        if not self.answers_differ:
            return list(requests)
        kinds = set(map(self.reads_answers, readers))
        answers = [answer_to(r) for r in requests] if True in kinds else []
        return [*(requests if False in kinds else ()), *answers]

    def settled(
        self, requests: Sequence[Request], reader: Reader, callback: ProgressCallback | None = None
    ) -> list[Request]:
        """Return `requests` for a measure or a metric, once it is known what it has to read.

        Whether `predict` differs may show only in the first replaced rows, which are then
        evaluated.
        """
        if reader.reads_answer and self._answers.is_open:
            self.evaluate_all(requests[: self.max_in_memory(len(requests))], callback)
        return self.requests(requests, reader)

    def distributions(
        self,
        replacements: Sequence[Replacement],
        reader: Reader | None = None,
        callback: ProgressCallback | None = None,
    ) -> Iterator[Distribution]:
        """Yield what a reader reads under each, evaluated together as far as that fits in memory.

        By default the distribution.
        """
        step = self.max_in_memory(len(replacements))
        requests: Sequence[Request] = replacements
        if reader is not None:
            requests = self.settled(replacements, reader, callback)
        for first in range(0, len(requests), step):
            part = requests[first : first + step]
            self.evaluate_all(part, callback)
            for replacement in part:
                yield self.evaluate(replacement)

    def joined(
        self, requests: Sequence[Request], callback: ProgressCallback | None = None
    ) -> Distribution:
        """Return what the model says of all requests, one after the other."""
        first, *others = self._all_cached(requests, callback)
        joined: Distribution = first.joined(others) if others else first
        return joined

    def prepare(
        self, replacements: Sequence[Request], callback: ProgressCallback | None = None
    ) -> None:
        """Evaluate these ahead if their distributions fit in memory together, else nothing."""
        if self.max_in_memory(len(replacements)) == len(replacements):
            self.evaluate_all(replacements, callback)

    def cached(self, key: Hashable, compute: Callable[[], Derived]) -> Derived:
        """Return the array of this key, computed unless it is cached; kept while there is room."""
        with self._lock:
            return self._cache.cached(key, compute)

    def pinned(self, holder: object) -> dict[Hashable, Any]:
        """Return the arrays that stay cached until their holder is gone, see `Cache.pinned`."""
        with self._lock:
            return self._cache.pinned(holder)

    def memoized(self, function: Callable[..., Derived], *arguments: Hashable) -> Derived:
        """Return ``function(*arguments)``, computed unless it is cached.

        The function depends on nothing but its arguments, and the result has ``nbytes``.
        """
        return self.cached((function, *arguments), partial(function, *arguments))

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
        requests: Sequence[Request] = replacements
        if part is not None:
            requests = [PartOfRows(replacement, part) for replacement in replacements]
        requests = self.settled(requests, measure, callback)
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
        requests: Sequence[Request],
        measure: Measure,
        callback: ProgressCallback | None,
        part: int | None,
    ) -> Floats:
        with self._lock:
            joined = self.joined(requests, callback)
        try:
            with np.errstate(over="ignore"):  # refused below
                values = measure.of(joined, self._repeated_truth(len(requests), part))
        except InvalidRowError as error:
            where = self._calls.where([self._row_block(r) for r in requests], error.row)
            raise ModelError(
                f"there is no {measure.name}: {error.problem} {where}{error.advice}."
            ) from error
        if max(values.max(initial=0.0), -values.min(initial=0.0)) > _LARGEST:
            row = int(np.argmax(np.abs(values)))
            where = self._calls.where([self._row_block(r) for r in requests], row)
            raise ModelError(
                f"the {measure.name} is {values[row]:.3g} {where}; numbers beyond {_LARGEST:.0e} "
                "have no intervals, so divide y and the predictions by a constant."
            )
        # A measure may return one column of several; a copy frees the others.
        return np.ascontiguousarray(values.reshape(len(requests), -1))

    def _repeated_truth(self, times: int, part: int | None) -> Truth:
        if self._truth is None:
            unknown: Truth = UNKNOWN_TRUTH
            return unknown
        truth = self._truth if part is None else self._truth[self.row_order.part(part)]
        return truth if times == 1 else np.tile(truth, times)

    def values_at(self, q: Distribution, measure: Measure, rows: Positions) -> Floats:
        """Compute a measure of distributions that are those of some rows, shape (m,).

        Raises
        ------
        ModelError
            If there is none of a row.
        """
        truth = UNKNOWN_TRUTH if self._truth is None else self._truth[rows]
        try:
            return np.asarray(measure.of(q, truth))
        except InvalidRowError as error:
            where = self._calls.where([RowBlock(rows)], error.row)
            raise ModelError(
                f"there is no {measure.name}: {error.problem} {where}{error.advice}."
            ) from error

    def original_values(self, measure: Measure) -> Floats:
        """Compute a measure of every row as it is, shape (n,)."""
        return self.cached(("original", measure.key), lambda: self.values([Original()], measure)[0])

    def cached_prefix(
        self, key: Hashable, length: int, compute: Callable[[], npt.NDArray[Any]]
    ) -> npt.NDArray[Any]:
        """Return the first rows of a derived array, computed anew if it has fewer."""
        with self._lock:
            array = self._cache.array(key)
            if array is None or len(array) < length:
                array = compute()
                self._cache.put(key, array)
            return array[:length]


def _classes(q: Distribution, predictive: Predictive, table: Table) -> npt.NDArray[Any] | None:
    if not isinstance(q, Point):
        return q.classes
    if predictive.classes is None and q.value.dtype.kind not in "iuf":
        # A function that returns labels does not list its classes: its labels and y show some.
        predicted = q.value.astype(object)
        return classes_among(predicted, table.y if table.has_target else predicted[:0])
    if predictive.classes is not None:
        class_codes(q.value, predictive.classes, predicted=True)
    return predictive.classes


def _truth(q: Distribution, classes: npt.NDArray[Any] | None, table: Table) -> Truth:
    if classes is not None:
        codes = class_codes(table.y, classes)
        return codes if q.classes is not None else table.y
    return table.target_numbers()


def _remarks_on_reading(q: Distribution, table: Table) -> tuple[Remark, ...]:
    """Remark on numbers that may be probabilities: they are read as numbers."""
    if not (isinstance(q, Point) and table.has_target and set(table.y.tolist()) == {0, 1}):
        return ()
    values = q.value.astype(np.float64)
    if ((values < 0) | (values > 1)).any() or np.isin(values, [0.0, 1.0]).all():
        return ()
    return (
        Remark(
            "numbers-like-probabilities",
            "y holds 0 and 1, and the model predicts numbers between them, which are read as "
            "numbers; if they are probabilities of 1, pass as_predictive(model, classes=[0, 1])",
        ),
    )
