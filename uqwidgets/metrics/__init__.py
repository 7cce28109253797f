"""Metrics: numbers of a whole set of rows that are no mean over rows, from scikit-learn's scorers.

A `Metric` is a scorer of scikit-learn that is applied to predictions, under any weights of rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.metrics import auc, get_scorer, get_scorer_names, roc_curve

from uqwidgets._typing import Floats
from uqwidgets._utils.choices import unknown
from uqwidgets.metrics.inputs import LabelInputs, Labels, ProbabilityInputs, number_inputs
from uqwidgets.metrics.metric import Metric, unfit
from uqwidgets.metrics.scorer import SCORER, ScorerParts

__all__ = ["Metric", "find_metric", "is_metric", "undefined"]

# Metrics of one of two classes, which their label then names.
_METRICS_OF_ONE_CLASS = ("average_precision", "f1", "jaccard", "precision", "recall")
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
    named = isinstance(scoring, str)
    if not is_metric(scoring):
        if named:
            raise ValueError(unknown("metric", scoring, get_scorer_names()))
        raise TypeError(
            f"metric is {scoring!r}; give the name of a scikit-learn scorer, or what "
            "sklearn.metrics.make_scorer makes of a function of (y_true, y_pred)."
        )
    scorer: Any = get_scorer(scoring)
    parts = ScorerParts.of(scorer)
    bounds, name = parts.bounds, str(scoring) if named else parts.name
    if scoring == "roc_auc" and classes is not None and len(classes) == 2:
        parts = replace(parts, function=_area_under_roc)
    methods, by_position = parts.response_methods, named and not _are_numeric(classes)
    if not {"predict", "predict_proba"}.intersection(methods):
        raise unfit(name, f"it reads {methods[0]}; only predictions and probabilities are known")
    if by_position and parts.is_regression_metric:
        raise unfit(name, "it is a metric of numbers, and the target is a class")
    takes_weights = "sample_weight" in parts.parameters
    label, arguments = name.replace("_", " "), dict(parts.arguments)
    read: Callable[[Any, Labels], tuple[Labels, Labels]] = number_inputs
    cell_labels = None
    if classes is not None:
        labels = np.arange(len(classes)) if by_position else classes
        if by_position and len(classes) == 2 and name in _METRICS_OF_ONE_CLASS:
            label = f"{label} of {classes[1]}"
        read = LabelInputs(classes, labels)
        if parts.is_label_metric and len(classes) <= _MAX_CLASSES_OF_CELLS:
            cell_labels = labels if "predict" in methods and takes_weights else None
        if "predict" not in methods:
            try:
                read = ProbabilityInputs.of(labels, arguments, parts.parameters)
            except ValueError as error:
                raise unfit(name, error) from error
    elif "predict" not in methods:
        raise unfit(name, "it needs probabilities of classes, and the target is a number")
    return Metric(
        name,
        label,
        unit="",
        key=name if named else (name, scorer),
        takes_weights=takes_weights,
        bounds=bounds,
        _function=parts.function,
        _arguments=arguments,
        _sign=parts.sign,
        _read=read,
        _cell_labels=cell_labels,
    )


def undefined(label: str, missing: int, total: int, where: str) -> str:
    """Return the remark that a metric has no value in some places."""
    return f"{label} is not defined, as where one class is left, for {missing} of {total} {where}"


def _are_numeric(classes: Labels | None) -> bool:
    return classes is None or classes.dtype.kind in "iuf"


def _area_under_roc(
    truth: Labels, scores: Floats, pos_label: Any = None, sample_weight: Floats | None = None
) -> float:
    """`roc_auc_score` of two classes without its validation, which takes most of its time."""
    rates = roc_curve(truth, scores, pos_label=pos_label, sample_weight=sample_weight)
    return float(auc(*rates[:2]))
