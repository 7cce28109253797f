"""Answers of the model's own `predict`, compared with the distributions that are read.

Labels, and predicted numbers, are what the outermost `predict` returns. Where it always answers the
most probable class, or the mean of the distribution, the distribution says so without a call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Labels
from uqwidgets._utils.remarks import Remark
from uqwidgets.evaluation.batch import RowBlock
from uqwidgets.predictive import Distribution, Point, Predictive
from uqwidgets.predictive.distributions import Categorical, PredictedLabels, label_positions
from uqwidgets.predictive.rows_of_answers import answers_to

# Numbers that are equal up to the rounding of single precision, or by this share of the standard
# deviation of the predictions over rows, do not differ.
_ROUNDING = 4 * float(np.finfo(np.float32).eps)
_OF_SPREAD = 1e-5
# Rows of the first replacements that are compared, at most.
_MOST_COMPARED = 1000
# Labels that are none of the classes, such as that of rejected rows, at most.
_MOST_UNKNOWN = 20


class Reader(Protocol):
    """A measure or a metric: it says what it reads of the model."""

    @property
    def reads_answer(self) -> bool:
        """Whether it reads what `predict` answers, and not the distribution."""
        ...


class Reads(NamedTuple):
    """What else reads the model, such as a list of predictions."""

    reads_answer: bool


DISTRIBUTION, ANSWER = Reads(reads_answer=False), Reads(reads_answer=True)


class Answers:
    """What the model's own `predict` answers, and how often it differs from the distribution.

    Parameters
    ----------
    predictive : Predictive

    Attributes
    ----------
    differ : bool
        Whether a row was found in which they differ, so that `predict` decides.
    is_open : bool
        Whether some of the first replaced rows have yet to be compared.
    """

    def __init__(self, predictive: Predictive) -> None:
        self._predict = predictive.own_predict
        self._name = predictive.name
        self._classes: Labels | None = None
        # The classes, followed by labels that are none of them, as they come.
        self._labels: list[Any] = []
        self.differ = False
        self.is_open = self._predict is not None
        # Replaced rows that have yet to be compared; of a slow model, a batch may have few rows.
        self._left = 0
        self._found: list[str] = []

    def __call__(self, X: Any) -> Distribution:
        """Return the answers for the rows of X."""
        assert self._predict is not None
        n = len(X)  # counted first, since some models change X
        with answers_to(X):
            values = np.asarray(self._predict(X))
        if values.shape != (n,):
            raise ValueError(f"it returned shape {values.shape} for {n} rows.")
        if self._classes is None:
            return Point(values)
        return PredictedLabels(self.codes(values), self._labels)

    def name_classes(self, classes: Labels) -> None:
        """Take these as the classes, to which other labels that are predicted are added."""
        self._classes, self._labels = classes, classes.tolist()

    @property
    def labels(self) -> Labels:
        """The classes, and other labels that were predicted."""
        return PredictedLabels(np.arange(0), self._labels).classes

    def compare_original(self, q: Distribution, ask: Callable[[], Distribution]) -> None:
        """Compare the rows as they are, or note why that cannot be done.

        Parameters
        ----------
        q : Distribution
        ask : callable
            Asks `predict` about the same rows.
        """
        if q.classes is not None:
            self.name_classes(q.classes)
        self._left = min(len(q), _MOST_COMPARED)
        if self.is_open:
            self._compare(q, ask, "rows")

    def compare_replaced(
        self,
        q: Distribution,
        blocks: Sequence[RowBlock],
        ask: Callable[[Sequence[RowBlock]], Distribution],
    ) -> None:
        """Compare the first replaced rows, as many as the table has and no more than enough.

        Parameters
        ----------
        q : Distribution
            Of the rows of all blocks.
        blocks : sequence of RowBlock
        ask : callable
            Asks `predict` about the rows of blocks.
        """
        of_each = max(1, self._left // len(blocks))
        chosen, rows, start = [], [], 0
        for block in blocks[: self._left]:
            chosen.append(block.cut(0, min(of_each, len(block.rows))))
            rows.append(start + np.arange(len(chosen[-1].rows)))
            start += len(block.rows)
        self._left -= len(q)
        self.is_open = self._left > 0
        self._compare(q.take(np.concatenate(rows)), lambda: ask(chosen), "replaced rows")

    def _compare(self, q: Distribution, ask: Callable[[], Distribution], what: str) -> None:
        of, those, instead = "number", "predictions", "the mean"
        if q.classes is not None:
            of, those, instead = "label", "labels", "the most probable class"
        try:
            answers = ask()
            differs = (
                _apart(answers.mean(), q.mean())
                if q.classes is None
                else cast("PredictedLabels", answers).mode() != cast("Categorical", q).mode()
            )
        except ValueError as error:
            self.is_open = False
            self._found.append(
                f"predict of {self._name} cannot be used, and {instead} stands for its {those}: "
                f"{str(error).rstrip('.')}"
            )
            return
        if differs.any():
            self.differ, self.is_open = True, False
            self._found.append(
                f"predict of {self._name} answers another {of} than {instead} in "
                f"{int(differs.sum()):,} of {len(differs):,} {what}: {those}, and all that is made "
                "of them, are those of predict"
            )

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """What a reader of a result should know."""
        return tuple(Remark("own-predict", text) for text in self._found)

    def codes(self, labels: Labels) -> npt.NDArray[np.intp]:
        """Position of each label among `labels`, to which a new one is added."""
        assert self._classes is not None
        if labels.dtype == bool and self._classes.dtype.kind in "iuf":
            labels = labels.astype(np.intp)  # a probability above a threshold
        codes = label_positions(labels, self._classes)
        unknown = codes < 0
        if unknown.any():
            which, distinct = pd.factorize(labels[unknown], use_na_sentinel=False)
            codes[unknown] = np.array([self._place(label) for label in distinct.tolist()])[which]
        return codes

    def _place(self, label: Any) -> int:
        if pd.isna(label):
            label = None
        if label not in self._labels:
            assert self._classes is not None
            # Of labels there are few, and their numbers are whole.
            is_label = not isinstance(label, float) or label.is_integer()
            if not is_label or len(self._labels) >= len(self._classes) + _MOST_UNKNOWN:
                raise ValueError(f"it answers {label!r}, which is none of the classes.")
            self._labels.append(label)
        return self._labels.index(label)


def _apart(one: npt.NDArray[np.float64], other: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    spread = float(other.std()) if len(other) else 0.0
    tolerance = _ROUNDING * np.maximum(np.abs(one), np.abs(other)) + _OF_SPREAD * spread
    return np.asarray(np.abs(one - other) > tolerance)
