"""Scikit-learn's metrics of probabilities as functions of the weights of rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from inspect import signature
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import sklearn.metrics
from sklearn.metrics import (
    average_precision_score,
    brier_score_loss,
    d2_log_loss_score,
    log_loss,
    roc_auc_score,
    top_k_accuracy_score,
)

from uqwidgets._typing import Floats, Labels
from uqwidgets.metrics.inputs import ProbabilityInputs
from uqwidgets.metrics.means import OfWeights, divided, weighted_mean
from uqwidgets.metrics.ranks import (
    OfTwo,
    area_of_pairs,
    area_under_roc,
    average_of_classes,
    average_precision,
    partial_area_under_roc,
)


class _ClassProbabilities(NamedTuple):
    """Whether a row has a class, and its probability, each (n, k); of two, the second counts."""

    own: npt.NDArray[np.bool_]
    p: Floats

    def shares(self, weights: Floats) -> Floats:
        """Shares (s, k) of the classes under weights (s, n)."""
        return divided(weights @ self.own, weights.sum(axis=1, keepdims=True))


_Builder = Callable[[_ClassProbabilities], OfWeights]


def of_probabilities(
    function: Callable[..., Any], arguments: Mapping[str, Any], inputs: ProbabilityInputs
) -> Callable[[Labels, Floats], OfWeights] | None:
    """Return a metric as a function of the true labels, the probabilities and the weights.

    Parameters
    ----------
    function : callable
        ``function(y_true, y_proba, **arguments)``.
    arguments : mapping
    inputs : ProbabilityInputs
        Give the labels and the probabilities.

    Returns
    -------
    callable or None
        None for what scikit-learn has to compute, which includes what it refuses.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.metrics import log_loss
    >>> from uqwidgets.metrics.inputs import ProbabilityInputs
    >>> from uqwidgets.metrics.probabilities import of_probabilities
    >>> inputs = ProbabilityInputs.of(np.array(["no", "yes"]), {}, {})
    >>> score = of_probabilities(log_loss, {}, inputs)
    >>> score(np.array(["yes", "no"]), np.array([0.8, 0.5]))(np.array([[1.0, 3.0]])).round(3)
    array([0.576])
    """
    ordered = np.sort(inputs.labels)
    if not np.array_equal(arguments.get("labels", ordered), ordered):
        return None
    others = {key: value for key, value in arguments.items() if key not in ("labels", "pos_label")}
    builder = _builder(function, len(ordered), others)
    if builder is None:
        return None
    order = ordered
    if len(ordered) == 2:
        positive = inputs.labels[inputs.columns]
        order = np.array([ordered[ordered != positive][0], positive])

    return partial(_of_classes, builder, order)


def _of_classes(
    builder: _Builder, order: Labels, truth: Labels, probabilities: Floats
) -> OfWeights:
    p = probabilities
    if p.ndim == 1:
        p = np.column_stack([1 - p, p])
    return builder(_ClassProbabilities(truth[:, None] == order, p))


def _builder(function: Callable[..., Any], k: int, arguments: Mapping[str, Any]) -> _Builder | None:
    """Return the metric of k classes with these arguments, if it is known."""
    if function in (roc_auc_score, average_precision_score):
        names = {"average", "max_fpr", "multi_class"} & signature(function).parameters.keys()
        return _of_ranks(function, k, **arguments) if arguments.keys() <= names else None
    known, others = _KNOWN.get(function, (None, ()))
    # Scikit-learn has the Brier score of several classes since version 1.7.
    if known is _brier and k > 2 and "labels" not in signature(function).parameters:
        return None
    return partial(known, **arguments) if known and arguments.keys() <= set(others) else None


def _log_losses(p: Floats) -> Floats:
    # As in scikit-learn, no probability is 0 or 1.
    eps = np.finfo(p.dtype).eps
    return np.asarray(-np.log(np.clip(p, eps, 1 - eps)))


def _log_score(of: _ClassProbabilities, *, normalize: bool = True) -> OfWeights:
    losses = _log_losses((of.p * of.own).sum(axis=1))
    return _mean_or_sum(losses, normalize=normalize)


def _mean_or_sum(values: Floats, *, normalize: bool) -> OfWeights:
    if normalize:
        return lambda weights: weighted_mean(values, weights)
    return lambda weights: np.where(weights.any(axis=1), (values * weights).sum(axis=1), np.nan)


def _squares(of: _ClassProbabilities) -> Floats:
    return np.asarray(np.square(of.own - of.p).sum(axis=1))


def _brier(of: _ClassProbabilities, *, scale_by_half: bool | str = "auto") -> OfWeights:
    half = of.p.shape[1] < 3 if scale_by_half == "auto" else scale_by_half
    losses = np.asarray(_squares(of) * (0.5 if half else 1.0))
    return lambda weights: weighted_mean(losses, weights)


def _explained(
    losses: Floats, null: Callable[[Floats], Floats], of: _ClassProbabilities
) -> OfWeights:
    """Share of a loss that is explained, compared with the shares of the classes as predictions."""

    def scores(weights: Floats) -> Floats:
        explained = 1 - divided(weighted_mean(losses, weights), null(of.shares(weights)))
        return np.where(np.count_nonzero(weights, axis=1) < 2, np.nan, explained)

    return scores


def _d2_brier(of: _ClassProbabilities) -> OfWeights:
    return _explained(_squares(of), lambda share: 1 - np.square(share).sum(axis=1), of)


def _d2_log_loss(of: _ClassProbabilities) -> OfWeights:
    losses = _log_losses((of.p * of.own).sum(axis=1))
    return _explained(losses, lambda share: (share * _log_losses(share)).sum(axis=1), of)


def _top_k(of: _ClassProbabilities, *, k: int = 2, normalize: bool = True) -> OfWeights:
    """Accuracy of the k most probable classes, which says nothing where these are all."""
    if k >= of.p.shape[1]:
        return lambda weights: np.full(len(weights), np.nan)
    if of.p.shape[1] == 2:
        first = (of.p[:, 1:] > 0.5).astype(np.intp)
    else:
        first = np.argsort(of.p, axis=1, kind="stable")[:, ::-1][:, :k]
    hits = np.asarray(np.take_along_axis(of.own, first, axis=1).any(axis=1), dtype=np.float64)
    return _mean_or_sum(hits, normalize=normalize)


def _of_ranks(
    function: Callable[..., Any],
    k: int,
    *,
    average: str = "macro",
    max_fpr: float | None = None,
    multi_class: str = "raise",
) -> _Builder | None:
    """Return a metric of the order of probabilities, of two classes or averaged over more."""
    of_two: OfTwo = area_under_roc if function is roc_auc_score else average_precision
    if k == 2:
        if max_fpr is not None and max_fpr != 1:
            if not 0 < max_fpr < 1:
                return None
            of_two = partial(partial_area_under_roc, max_fpr)
        return partial(_of_second, of_two)
    if max_fpr not in (None, 1):
        return None
    if average not in ("macro", "weighted", "micro"):
        return None
    if function is average_precision_score or multi_class == "ovr":
        return partial(_averaged, partial(average_of_classes, of_two, average))
    if multi_class == "ovo" and average != "micro":
        return partial(_averaged, partial(area_of_pairs, average))
    return None


def _of_second(of_two: OfTwo, of: _ClassProbabilities) -> OfWeights:
    return of_two(of.own[:, 1], of.p[:, 1])


def _averaged(average: OfTwo, of: _ClassProbabilities) -> OfWeights:
    return average(of.own, of.p)


#: Metrics of probabilities, and their arguments that are known beside the labels.
_KNOWN: Mapping[Callable[..., Any], tuple[Callable[..., OfWeights], tuple[str, ...]]] = {
    log_loss: (_log_score, ("normalize",)),
    brier_score_loss: (_brier, ("scale_by_half",)),
    d2_log_loss_score: (_d2_log_loss, ()),
    # Scikit-learn has it since version 1.8.
    getattr(sklearn.metrics, "d2_brier_score", _d2_brier): (_d2_brier, ()),
    top_k_accuracy_score: (_top_k, ("k", "normalize")),
}
