"""Scikit-learn's metrics of labels as functions of a confusion matrix.

Scikit-learn checks its inputs in every call, for milliseconds, and importance needs a metric under
thousands of weights. The confusion matrix of few classes has a few numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    f1_score,
    jaccard_score,
    matthews_corrcoef,
    precision_score,
    recall_score,
)

from uqwidgets._typing import Floats
from uqwidgets.metrics.inputs import Labels

#: From a confusion matrix (k, k), whose lines are the true classes, to a score.
OfConfusion = Callable[[Floats], float]


class _Classes(NamedTuple):
    """Weights of the rows by class, each (k,): truly of it, predicted to be, and rightly so."""

    true: Floats
    predicted: Floats
    right: Floats

    @classmethod
    def of(cls, matrix: Floats) -> _Classes:
        return cls(matrix.sum(axis=1), matrix.sum(axis=0), matrix.diagonal())


#: From classes to the numerator and the denominator of each.
_Quotient = Callable[[_Classes], tuple[Floats, Floats]]


def of_confusion(
    function: Callable[..., Any], arguments: Mapping[str, Any], labels: Labels
) -> OfConfusion | None:
    """Return a metric of scikit-learn as a function of the confusion matrix.

    It is NaN where a denominator is 0. An average over classes has those that have true rows or
    predicted ones.

    Parameters
    ----------
    function : callable
        ``function(y_true, y_pred, **arguments)``.
    arguments : mapping
    labels : ndarray of shape (k,)
        Of the classes.

    Returns
    -------
    callable or None
        None for what scikit-learn has to compute, which includes what it refuses.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.metrics import precision_score
    >>> from uqwidgets.metrics.confusion import of_confusion
    >>> precision = of_confusion(precision_score, {}, np.array([0, 1]))
    >>> precision(np.array([[5.0, 1.0], [1.0, 3.0]]))
    0.75
    """
    if not arguments and function in _OF_ALL:
        return _OF_ALL[function]
    quotient = _QUOTIENTS.get(function)
    average, positive = arguments.get("average", "binary"), arguments.get("pos_label", 1)
    if quotient is None or not arguments.keys() <= {"average", "pos_label"}:
        return None
    if average in ("micro", "macro", "weighted"):
        return partial(_average, quotient, average)
    if average != "binary" or len(labels) != 2 or positive not in labels.tolist():
        return None
    return partial(_of_one_class, quotient, labels.tolist().index(positive))


# A score of 1 is exactly 1 under all weights: both sums have the same numbers in the same order.


def _accuracy(matrix: Floats) -> float:
    of = _Classes.of(matrix)
    return _divided(of.right.sum(), of.true.sum())


def _balanced_accuracy(matrix: Floats) -> float:
    of = _Classes.of(matrix)
    has_rows = of.true > 0
    return _divided((of.right[has_rows] / of.true[has_rows]).sum(), has_rows.sum())


def _matthews(matrix: Floats) -> float:
    of = _Classes.of(matrix)
    if np.count_nonzero(of.true) < 2 or np.count_nonzero(of.predicted) < 2:
        return 0.0 if matrix.any() else np.nan
    right, total = of.right.sum(), of.true.sum()
    of_true, of_predicted = (
        total * total - (each * each).sum() for each in (of.true, of.predicted)
    )
    together = right * total - (of.true * of.predicted).sum()
    return float(together / np.sqrt(of_true * of_predicted))


def _of_one_class(quotient: _Quotient, number: int, matrix: Floats) -> float:
    above, below = quotient(_Classes.of(matrix))
    return _divided(above[number], below[number])


def _average(quotient: _Quotient, average: str, matrix: Floats) -> float:
    of = _Classes.of(matrix)
    above, below = quotient(of)
    if average == "micro":
        return _divided(above.sum(), below.sum())
    every = of.true if average == "weighted" else (of.true + of.predicted > 0) * 1.0
    counts = every > 0
    weights = every[counts]
    if not below[counts].all():
        return np.nan
    return _divided((weights * (above[counts] / below[counts])).sum(), weights.sum())


def _divided(above: Any, below: Any) -> float:
    return float(above / below) if below > 0 else np.nan


def _precision(of: _Classes) -> tuple[Floats, Floats]:
    return of.right, of.predicted


def _recall(of: _Classes) -> tuple[Floats, Floats]:
    return of.right, of.true


def _f1(of: _Classes) -> tuple[Floats, Floats]:
    return 2 * of.right, of.true + of.predicted


def _jaccard(of: _Classes) -> tuple[Floats, Floats]:
    return of.right, of.true + of.predicted - of.right


_OF_ALL: Mapping[Callable[..., Any], OfConfusion] = {
    accuracy_score: _accuracy,
    balanced_accuracy_score: _balanced_accuracy,
    matthews_corrcoef: _matthews,
}
_QUOTIENTS: Mapping[Callable[..., Any], _Quotient] = {
    precision_score: _precision,
    recall_score: _recall,
    f1_score: _f1,
    jaccard_score: _jaccard,
}
