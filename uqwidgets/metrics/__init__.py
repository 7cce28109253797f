"""Metrics: numbers of a whole set of rows that are no mean over rows, from scikit-learn's scorers.

A `Metric` is a scorer of scikit-learn that is applied to predictions, under any weights of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import get_scorer, get_scorer_names

from uqwidgets._typing import Floats, Labels
from uqwidgets._utils.choices import unknown
from uqwidgets._utils.options import brief
from uqwidgets._utils.remarks import Remark
from uqwidgets.metrics.confusion import OfConfusion, of_confusion
from uqwidgets.metrics.inputs import LabelInputs, ProbabilityInputs, number_inputs
from uqwidgets.metrics.means import OfWeights, of_numbers
from uqwidgets.metrics.metric import Metric, ScoreOfWeights, unfit
from uqwidgets.metrics.probabilities import of_probabilities
from uqwidgets.metrics.scorer import SCORER, ScorerParts
from uqwidgets.predictive.distributions import positive_position

__all__ = ["Metric", "ScoreOfWeights", "find_metric", "is_metric", "undefined"]

# Metrics of one of two classes, which their label then names.
_METRICS_OF_ONE_CLASS = ("average_precision", "f1", "jaccard", "precision", "recall")
# With more classes, the confusion matrix has so many cells that the rows are scored directly.
_MAX_CLASSES_OF_CELLS = 100


def is_metric(scoring: object) -> bool:
    """Whether this is the name of a scikit-learn scorer, or a scorer."""
    if isinstance(scoring, str):
        return scoring in get_scorer_names()
    return isinstance(scoring, SCORER)


def find_metric(scoring: object, classes: Labels | None) -> Metric:
    """Return the metric of a scikit-learn scorer.

    A scorer given by name receives class positions (0, 1, ...) if the labels are not numeric, so
    that the positive one of two classes is 1 (see `positive_position`). A scorer object receives
    the original labels, and of numbers every scorer has scikit-learn's positive class.

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
    by_position = named and not _are_numeric(classes)
    _check_predictions(parts, name, classes, by_position=by_position)
    label = name.replace("_", " ")
    of_weights = of_numbers(parts.function, parts.arguments)
    inputs = _Inputs(number_inputs, parts.arguments, of_weights=of_weights)
    if classes is not None:
        labels = np.arange(len(classes)) if by_position else classes
        if by_position and len(classes) == 2 and not positive_position(classes):
            labels = labels[::-1]
        inputs = _inputs_of_classes(parts, name, classes, labels)
        if named and len(classes) == 2 and name in _METRICS_OF_ONE_CLASS:
            # Of numbers, scikit-learn means 1, which need not be said where 0 is the other.
            positive = classes[positive_position(classes)] if by_position else 1
            if by_position or 0 not in classes:
                label = f"{label} of {positive}"
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
        f"metric is {brief(scoring)}; give the name of a scikit-learn scorer, or what "
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
    of_confusion, of_weights : callable or None
        See `Metric`.
    """

    read: Callable[[Any, Labels], tuple[Labels, Labels]]
    arguments: Mapping[str, Any]
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
        few = len(classes) <= _MAX_CLASSES_OF_CELLS
        of_cells = of_confusion(parts.function, parts.arguments, labels) if few else None
        return _Inputs(LabelInputs(classes, labels), parts.arguments, of_confusion=of_cells)
    arguments = dict(parts.arguments)
    try:
        probabilities = ProbabilityInputs.of(labels, arguments, parts.parameters)
    except ValueError as error:
        raise unfit(name, error) from error
    of_weights = of_probabilities(parts.function, parts.arguments, probabilities)
    return _Inputs(probabilities, arguments, of_weights=of_weights)


def undefined(label: str, missing: int, total: int, where: str) -> Remark:
    """Return the remark that a metric has no value in some places."""
    return Remark(
        "undefined-metric",
        f"{label} is not defined, as where one class is left, for {missing} of {total} {where}",
    )


def _are_numeric(classes: Labels | None) -> bool:
    return classes is None or classes.dtype.kind in "iuf"
