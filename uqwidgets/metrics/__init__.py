"""Metrics: numbers of a whole set of rows that are no mean over rows, from scikit-learn's scorers.

A `Metric` is a scorer of scikit-learn that is applied to predictions, under any weights of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial, wraps
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import (
    average_precision_score,
    brier_score_loss,
    get_scorer,
    get_scorer_names,
    log_loss,
    roc_auc_score,
    top_k_accuracy_score,
)

from uqwidgets._typing import Floats
from uqwidgets._utils.choices import unknown
from uqwidgets._utils.remarks import Remark
from uqwidgets.metrics.confusion import OfConfusion, of_confusion
from uqwidgets.metrics.inputs import LabelInputs, Labels, ProbabilityInputs, number_inputs
from uqwidgets.metrics.means import OF_NUMBERS, OfWeights, brier, log_score
from uqwidgets.metrics.metric import Metric, ScoreOfWeights, unfit
from uqwidgets.metrics.ranks import area_of_classes, area_under_roc, average_precision
from uqwidgets.metrics.scorer import SCORER, ScorerParts

__all__ = ["Metric", "ScoreOfWeights", "find_metric", "is_metric", "undefined"]

# Metrics of one of two classes, which their label then names.
_METRICS_OF_ONE_CLASS = ("average_precision", "f1", "jaccard", "precision", "recall")
_OF_TWO_CLASSES: Mapping[Callable[..., Any], Callable[[Labels, Floats], OfWeights]] = {
    roc_auc_score: area_under_roc,
    average_precision_score: average_precision,
    brier_score_loss: brier,
}
# With more classes, the confusion matrix has so many cells that the rows are scored directly.
_MAX_CLASSES_OF_CELLS = 10


def is_metric(scoring: object) -> bool:
    """Whether this is the name of a scikit-learn scorer, or a scorer."""
    if isinstance(scoring, str):
        return scoring in get_scorer_names()
    return isinstance(scoring, SCORER)


def find_metric(scoring: object, classes: Labels | None) -> Metric:
    """Return the metric of a scikit-learn scorer.

    A scorer given by name receives class positions (0, 1, ...) if the labels are not numeric, so
    that the second of two classes is the positive one. A scorer object receives the original
    labels.

    Parameters
    ----------
    scoring : str or scorer
        A name such as ``"roc_auc"`` or ``"r2"``, or the result of `sklearn.metrics.make_scorer`.
    classes : ndarray of shape (k,) or None
        Of the model; None where the target is a number.

    Raises
    ------
    ValueError
        If there is no such scorer, or it does not fit the target.
    TypeError
        If it is neither a name nor a scorer.
    """
    scorer = _scorer_of(scoring)
    named = isinstance(scoring, str)
    parts = ScorerParts.of(scorer)
    bounds, name = parts.bounds, str(scoring) if named else parts.name
    if parts.function is top_k_accuracy_score:
        parts = replace(parts, function=_top_k_accuracy)
    by_position = named and not _are_numeric(classes)
    _check_predictions(parts, name, classes, by_position=by_position)
    label = name.replace("_", " ")
    of_numbers = None if parts.arguments else OF_NUMBERS.get(parts.function)
    inputs = _Inputs(number_inputs, parts.arguments, of_weights=of_numbers)
    if classes is not None:
        labels = np.arange(len(classes)) if by_position else classes
        inputs = _inputs_of_classes(parts, name, classes, labels)
        if by_position and len(classes) == 2 and name in _METRICS_OF_ONE_CLASS:
            label = f"{label} of {classes[1]}"
    return Metric(
        name,
        label,
        unit="",
        key=name if named else (name, scorer),
        takes_weights=parts.takes_weights,
        bounds=bounds,
        reads_answer="predict" in parts.response_methods,
        _function=parts.function,
        _arguments=inputs.arguments,
        _sign=parts.sign,
        _read=inputs.read,
        _zero_divisions=parts.zero_divisions,
        _cell_labels=inputs.cell_labels,
        _of_confusion=inputs.of_confusion,
        _of_weights=inputs.of_weights,
    )


def _scorer_of(scoring: object) -> Any:
    """Return the scorer of this name, or the scorer itself."""
    if is_metric(scoring):
        return get_scorer(scoring)
    if isinstance(scoring, str):
        raise ValueError(unknown("metric", scoring, get_scorer_names()))
    raise TypeError(
        f"metric is {scoring!r}; give the name of a scikit-learn scorer, or what "
        "sklearn.metrics.make_scorer makes of a function of (y_true, y_pred)."
    )


def _check_predictions(
    parts: ScorerParts, name: str, classes: Labels | None, *, by_position: bool
) -> None:
    """Raise a ValueError if a model of this target does not predict what the scorer reads."""
    methods = parts.response_methods
    if not {"predict", "predict_proba"}.intersection(methods):
        raise unfit(name, f"it reads {methods[0]}; only predictions and probabilities are known")
    if by_position and parts.is_regression_metric:
        raise unfit(name, "it is a metric of numbers, and the target is a class")
    if classes is None and "predict" not in methods:
        raise unfit(name, "it needs probabilities of classes, and the target is a number")


class _Inputs(NamedTuple):
    """What a scorer receives.

    Attributes
    ----------
    read : callable
        From a distribution and the target to the true values and the predictions.
    arguments : dict
        Keyword arguments of the scorer's function.
    cell_labels : ndarray of shape (k,) or None
    of_confusion, of_weights : callable or None
        See `Metric`.
    """

    read: Callable[[Any, Labels], tuple[Labels, Labels]]
    arguments: Mapping[str, Any]
    cell_labels: Labels | None = None
    of_confusion: OfConfusion | None = None
    of_weights: Callable[[Labels, Floats], OfWeights] | None = None


def _inputs_of_classes(parts: ScorerParts, name: str, classes: Labels, labels: Labels) -> _Inputs:
    """Return what a scorer of classes receives: labels, or probabilities.

    Parameters
    ----------
    parts : ScorerParts
    name : str
        Of the metric, for errors.
    classes, labels : ndarray of shape (k,)
        Classes of the model, and the label that the scorer receives for each.
    """
    if "predict" in parts.response_methods:
        has_cells = parts.is_label_metric and parts.takes_weights
        few = len(classes) <= _MAX_CLASSES_OF_CELLS
        read = LabelInputs(classes, labels)
        if not (has_cells and few):
            return _Inputs(read, parts.arguments)
        of_cells = of_confusion(parts.function, parts.arguments, labels)
        return _Inputs(read, parts.arguments, labels, of_confusion=of_cells)
    arguments = dict(parts.arguments)
    try:
        probabilities = ProbabilityInputs.of(labels, arguments, parts.parameters)
    except ValueError as error:
        raise unfit(name, error) from error
    of_weights = _of_probabilities(parts, labels, probabilities)
    return _Inputs(probabilities, arguments, of_weights=of_weights)


def _of_probabilities(
    parts: ScorerParts, labels: Labels, probabilities: ProbabilityInputs
) -> Callable[[Labels, Floats], OfWeights] | None:
    """Return a metric of probabilities without scikit-learn's function, if there is one."""
    arguments = parts.arguments
    if parts.function is log_loss and not arguments:
        return partial(log_score, np.sort(labels))
    if len(labels) == 2:
        of_two = _OF_TWO_CLASSES.get(parts.function)
        if of_two is None or not arguments.keys() <= {"pos_label", "average"}:
            return None
        return partial(_of_positive, of_two, labels[probabilities.columns])
    average = arguments.get("average", "macro")
    is_against_others = arguments.keys() <= {"average", "multi_class"}
    is_against_others &= arguments.get("multi_class") == "ovr" and average in ("macro", "weighted")
    if parts.function is roc_auc_score and is_against_others:
        return partial(area_of_classes, np.sort(labels), average)
    return None


def _of_positive(
    of_two: Callable[[Labels, Floats], OfWeights],
    positive: Any,
    truth: Labels,
    probabilities: Floats,
) -> OfWeights:
    return of_two(truth == positive, probabilities)


def undefined(label: str, missing: int, total: int, where: str) -> Remark:
    """Return the remark that a metric has no value in some places."""
    return Remark(
        "undefined-metric",
        f"{label} is not defined, as where one class is left, for {missing} of {total} {where}",
    )


def _are_numeric(classes: Labels | None) -> bool:
    return classes is None or classes.dtype.kind in "iuf"


@wraps(top_k_accuracy_score)
def _top_k_accuracy(truth: Labels, scores: Floats, *, k: int = 2, **rest: Any) -> float:
    """`top_k_accuracy_score`, which says nothing where the k classes are all that there are."""
    if k >= (2 if scores.ndim == 1 else scores.shape[1]):
        return np.nan
    return float(top_k_accuracy_score(truth, scores, k=k, **rest))
