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
from uqwidgets.metrics.means import divided, weighted_mean

#: From confusion matrices (s, k, k), whose lines are the true classes, to their scores (s,).
OfConfusion = Callable[[Floats], Floats]


class _Classes(NamedTuple):
    """Weights of the rows by class, each (s, k): truly of it, predicted to be, and rightly so."""

    true: Floats
    predicted: Floats
    right: Floats

    @classmethod
    def of(cls, matrices: Floats) -> _Classes:
        right = np.ascontiguousarray(matrices.diagonal(axis1=1, axis2=2))
        return cls(matrices.sum(axis=2), matrices.sum(axis=1), right)


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
    >>> precision(np.array([[[5.0, 1.0], [1.0, 3.0]]]))
    array([0.75])
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


def _accuracy(matrices: Floats) -> Floats:
    of = _Classes.of(matrices)
    return divided(of.right.sum(axis=1), of.true.sum(axis=1))


def _balanced_accuracy(matrices: Floats) -> Floats:
    of = _Classes.of(matrices)
    has_rows = of.true > 0
    recall = np.where(has_rows, divided(of.right, of.true), 0.0)
    return weighted_mean(recall, has_rows.astype(np.float64))


def _matthews(matrices: Floats) -> Floats:
    of = _Classes.of(matrices)
    right, total = of.right.sum(axis=1), of.true.sum(axis=1)
    together = right * total - (of.true * of.predicted).sum(axis=1)
    squares = total * total
    of_true, of_predicted = (
        squares - (each * each).sum(axis=1) for each in (of.true, of.predicted)
    )
    score = divided(together, np.sqrt(np.maximum(of_true * of_predicted, 0.0)))
    # Of one class alone there is no correlation, which scikit-learn calls 0.
    counts = [np.count_nonzero(each, axis=1) for each in (of.true, of.predicted)]
    score[np.minimum(*counts) < 2] = 0.0
    score[total == 0] = np.nan
    return score


def _of_one_class(quotient: _Quotient, number: int, matrices: Floats) -> Floats:
    above, below = quotient(_Classes.of(matrices))
    return divided(above[:, number], below[:, number])


def _average(quotient: _Quotient, average: str, matrices: Floats) -> Floats:
    of = _Classes.of(matrices)
    above, below = quotient(of)
    if average == "micro":
        return divided(above.sum(axis=1), below.sum(axis=1))
    weights = of.true
    if average == "macro":
        weights = (of.true + of.predicted > 0).astype(np.float64)
    # A class without weight does not count, whether its quotient is defined or not.
    each = np.where(weights > 0, divided(above, below), 0.0)
    return weighted_mean(each, weights)


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
