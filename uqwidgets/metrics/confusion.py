"""Scikit-learn's metrics of labels as functions of a confusion matrix.

Scikit-learn checks its inputs in every call, for milliseconds, and importance needs a metric under
thousands of weights. The confusion matrix has few numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    cohen_kappa_score,
    f1_score,
    fbeta_score,
    hamming_loss,
    jaccard_score,
    matthews_corrcoef,
    precision_score,
    recall_score,
    zero_one_loss,
)

from uqwidgets._typing import Floats, Labels
from uqwidgets._utils.quiet import hidden_warnings
from uqwidgets.metrics.clusters import OF_COUNTS
from uqwidgets.metrics.means import divided, weighted_mean
from uqwidgets.metrics.scorer import LIKELIHOOD_RATIOS

#: From confusion matrices (s, k, k), whose lines are the true classes, to their scores (s,).
OfConfusion = Callable[[Floats], Floats]


class _ClassWeights(NamedTuple):
    """Weights of the rows by class, each (s, k): truly of it, predicted to be, and rightly so."""

    true: Floats
    predicted: Floats
    right: Floats

    @classmethod
    def of(cls, matrices: Floats) -> _ClassWeights:
        right = np.ascontiguousarray(matrices.diagonal(axis1=1, axis2=2))
        return cls(matrices.sum(axis=2), matrices.sum(axis=1), right)

    def at(self, chosen: Any) -> _ClassWeights:
        return _ClassWeights(*(each[:, chosen] for each in self))

    def together(self) -> _ClassWeights:
        return _ClassWeights(*(each.sum(axis=1, keepdims=True) for each in self))


def of_confusion(
    function: Callable[..., Any], arguments: Mapping[str, Any], labels: Labels
) -> OfConfusion | None:
    """Return a metric of scikit-learn as a function of the confusion matrix.

    It is NaN where a denominator is 0, unless the argument ``zero_division`` gives the quotient. An
    average over classes has those that have true rows or predicted ones, or the given ``labels``.

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
    chosen = arguments.get("labels")
    positions = None if chosen is None else _positions(chosen, labels)
    if chosen is not None and positions is None:
        return None
    if function in _QUOTIENTS:
        return _of_quotient(function, arguments, labels, positions)
    if function in LIKELIHOOD_RATIOS:
        return _of_ratio(function, labels)
    of_all, names = _OF_ALL.get(function, (None, ()))
    if of_all is None or not arguments.keys() <= set(names):
        return None
    others = {name: value for name, value in arguments.items() if name != "labels"}
    if function is not cohen_kappa_score:
        return partial(of_all, **others)
    if positions is not None:
        return partial(of_all, positions, **others)
    try:
        return partial(of_all, np.argsort(labels), only_present=True, **others)
    except TypeError:  # classes without an order
        return None


def _positions(chosen: Any, labels: Labels) -> Any:
    """Return the positions of some labels among those of all classes, None if one is no class."""
    known = labels.tolist()
    names = np.asarray(chosen).tolist()
    return np.array([known.index(name) for name in names]) if set(names) <= set(known) else None


# A score of 1 is exactly 1 under all weights: both sums have the same numbers in the same order.


def _accuracy(matrices: Floats, *, normalize: bool = True) -> Floats:
    of = _ClassWeights.of(matrices)
    right, total = of.right.sum(axis=1), of.true.sum(axis=1)
    return divided(right, total) if normalize else np.where(total > 0, right, np.nan)


def _error_rate(matrices: Floats, *, normalize: bool = True) -> Floats:
    total = matrices.sum(axis=(1, 2))
    return (1.0 if normalize else total) - _accuracy(matrices, normalize=normalize)


def _balanced_accuracy(matrices: Floats, *, adjusted: bool = False) -> Floats:
    of = _ClassWeights.of(matrices)
    has_rows = of.true > 0
    recall = np.where(has_rows, divided(of.right, of.true), 0.0)
    score = weighted_mean(recall, has_rows.astype(np.float64))
    if not adjusted:
        return score
    chance = divided(np.ones(len(score)), np.count_nonzero(has_rows, axis=1))
    return divided(score - chance, 1 - chance)


def _matthews(matrices: Floats) -> Floats:
    of = _ClassWeights.of(matrices)
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


def _kappa(
    order: Any, matrices: Floats, *, only_present: bool = False, weights: str | None = None
) -> Floats:
    """Return the kappa of Cohen 1960, and with weights that of Cohen 1968.

    If so chosen, distances between classes count only the classes that have rows.
    """
    matrices = matrices[:, order][:, :, order]
    of = _ClassWeights.of(matrices)
    if weights is None:
        costs = 1 - np.eye(len(order))[None]
    else:
        present = (of.true + of.predicted > 0) | (not only_present)
        place = np.cumsum(present, axis=1, dtype=np.float64)
        gaps = place[:, :, None] - place[:, None, :]
        costs = np.abs(gaps) if weights == "linear" else np.square(gaps)
    expected = of.true[:, :, None] * divided(of.predicted, of.true.sum(axis=1)[:, None])[:, None, :]
    return 1 - divided((costs * matrices).sum(axis=(1, 2)), (costs * expected).sum(axis=(1, 2)))


_OF_ALL: Mapping[Callable[..., Any], tuple[Callable[..., Floats], tuple[str, ...]]] = {
    accuracy_score: (_accuracy, ("normalize",)),
    zero_one_loss: (_error_rate, ("normalize",)),
    hamming_loss: (_error_rate, ()),
    balanced_accuracy_score: (_balanced_accuracy, ("adjusted",)),
    matthews_corrcoef: (_matthews, ()),
    cohen_kappa_score: (_kappa, ("labels", "weights")),
    **OF_COUNTS,
}


def _of_ratio(function: Callable[..., Any], labels: Labels) -> OfConfusion | None:
    """Return a likelihood ratio of two classes, of which the last in order is positive."""
    try:
        order = np.argsort(labels)
    except TypeError:
        return None
    if len(order) != 2:
        return None
    with hidden_warnings(Warning, module=r"sklearn\."):
        # Versions of scikit-learn differ in its value where a denominator is 0, as without rows
        # of the other class.
        instead = float(function([1, 1], [0, 1]))
    answer = order[1 - LIKELIHOOD_RATIOS.index(function)]
    return partial(_likelihood_ratio, order, answer, instead)


def _likelihood_ratio(order: Any, answer: int, instead: float, matrices: Floats) -> Floats:
    """Return how often rows of the positive class have this answer, relative to other rows."""
    negative, positive = (matrices[:, number] for number in order)
    above = positive[:, answer] * negative.sum(axis=1)
    ratio = divided(above, negative[:, answer] * positive.sum(axis=1))
    ratio = np.where(negative[:, answer] == 0, instead, ratio)
    return np.where(matrices.any(axis=(1, 2)), ratio, np.nan)


#: From classes to the numerator and the denominator of each.
_Quotient = Callable[[_ClassWeights], tuple[Floats, Floats]]


def _precision(of: _ClassWeights) -> tuple[Floats, Floats]:
    return of.right, of.predicted


def _recall(of: _ClassWeights) -> tuple[Floats, Floats]:
    return of.right, of.true


def _fbeta(of: _ClassWeights, beta: float = 1.0) -> tuple[Floats, Floats]:
    return (1 + beta**2) * of.right, beta**2 * of.true + of.predicted


def _jaccard(of: _ClassWeights) -> tuple[Floats, Floats]:
    return of.right, of.true + of.predicted - of.right


_QUOTIENTS: Mapping[Callable[..., Any], Callable[..., tuple[Floats, Floats]]] = {
    precision_score: _precision,
    recall_score: _recall,
    f1_score: _fbeta,
    fbeta_score: _fbeta,
    jaccard_score: _jaccard,
}


def _of_quotient(
    function: Callable[..., Any], arguments: Mapping[str, Any], labels: Labels, positions: Any
) -> OfConfusion | None:
    """Return the quotient of one class, or the average of those of some classes."""
    quotient: _Quotient = _QUOTIENTS[function]
    names = {"average", "pos_label", "labels", "zero_division"}
    if function is fbeta_score:
        if not np.isfinite(arguments["beta"]):
            return None
        quotient, names = partial(_fbeta, beta=arguments["beta"]), {*names, "beta"}
    if not arguments.keys() <= names:
        return None
    average = arguments.get("average", "binary")
    instead = arguments.get("zero_division", "warn")
    if average in ("micro", "macro", "weighted"):
        return partial(_average, quotient, average, positions, instead)
    positive = arguments.get("pos_label", 1)
    if average != "binary" or len(labels) != 2 or positive not in labels.tolist():
        return None
    return partial(_of_one_class, quotient, labels.tolist().index(positive), instead)


def _quotients(quotient: _Quotient, of: _ClassWeights, instead: Any) -> Floats:
    """Quotients of classes; without a denominator, NaN or the value that is chosen instead."""
    above, below = quotient(of)
    values = divided(above, below)
    return values if instead == "warn" else np.where(below > 0, values, instead)


def _of_one_class(quotient: _Quotient, number: int, instead: Any, matrices: Floats) -> Floats:
    of = _ClassWeights.of(matrices)
    score = _quotients(quotient, of.at([number]), instead)[:, 0]
    return np.where(of.true.sum(axis=1) > 0, score, np.nan)


def _average(
    quotient: _Quotient, average: str, positions: Any, instead: Any, matrices: Floats
) -> Floats:
    every = _ClassWeights.of(matrices)
    of = every if positions is None else every.at(positions)
    if average == "micro":
        each = _quotients(quotient, of.together(), instead)
        weights = np.ones_like(each)
    else:
        each = _quotients(quotient, of, instead)
        weights = of.true
    if average == "macro":
        # Without given labels, a class counts if a row has it.
        weights = ((of.true + of.predicted > 0) | (positions is not None)).astype(np.float64)
    if instead != "warn":
        # A chosen NaN leaves the class out; without any weight, all classes count equally.
        weights = np.where(np.isnan(each), 0.0, weights)
        none = weights.sum(axis=1, keepdims=True) == 0
        weights = np.where(none, ~np.isnan(each), weights)
    # A class without weight does not count, whether its quotient is defined or not.
    score = weighted_mean(np.where(weights > 0, each, 0.0), weights)
    return np.where(every.true.sum(axis=1) > 0, score, np.nan)
