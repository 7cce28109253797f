"""Numbers of a whole set of rows that are no mean over rows: scikit-learn's scorers."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
from sklearn.metrics import auc, get_scorer, get_scorer_names, roc_curve

from uqwidgets._typing import Floats
from uqwidgets._utils.choices import unknown
from uqwidgets.metrics.bounds import bounds_of
from uqwidgets.metrics.inputs import Labels, ShownLabels, ShownProbabilities, numbers
from uqwidgets.metrics.metric import Metric, unfit

__all__ = ["Metric", "find_metric", "is_metric", "undefined"]

_SCORER: type = type(get_scorer("accuracy"))
# Metrics of one class of two, which their label then names.
_OF_ONE_CLASS = ("average_precision", "f1", "jaccard", "precision", "recall")
# Of more classes, the cells of the confusion matrix are too many to be scored instead of rows.
_MOST_CLASSES = 10


def is_metric(scoring: object) -> bool:
    """Whether this is the name of a scikit-learn scorer, or a scorer."""
    if isinstance(scoring, str):
        return scoring in get_scorer_names()
    return isinstance(scoring, _SCORER)


def find_metric(scoring: object, classes: Labels | None) -> Metric:
    """Return the metric of a scikit-learn scorer.

    To a scorer that is named, classes that are no numbers are shown by their position, so that
    of two the second is the positive one; a scorer of one's own sees the labels themselves.

    Parameters
    ----------
    scoring : str or scorer
        A name such as ``"roc_auc"`` or ``"r2"``, or what `sklearn.metrics.make_scorer` gives.
    classes : ndarray of shape (k,) or None
        Of the model; None where the target is a number.

    Raises
    ------
    ValueError
        If there is no such scorer, or it is none of such a target.
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
    function, arguments = scorer._score_func, dict(scorer._kwargs)
    bounds = bounds_of(function, arguments, scorer._sign)
    if scoring == "roc_auc" and classes is not None and len(classes) == 2:
        function = _area_under_roc
    parameters = signature(function).parameters
    name = str(scoring) if named else _name(scorer)
    methods = np.atleast_1d(scorer._response_method).tolist()
    by_position = named and classes is not None and classes.dtype.kind not in "iuf"
    if not {"predict", "predict_proba"}.intersection(methods):
        raise unfit(name, f"it reads {methods[0]}; only predictions and probabilities are known")
    if by_position and function.__module__.endswith("._regression"):
        raise unfit(name, "it is a metric of numbers, and the target is a class")
    label = name.replace("_", " ")
    read: Callable[[Any, Labels], tuple[Labels, Labels]] = numbers
    of_cells = None
    if classes is not None:
        shown = np.arange(len(classes)) if by_position else classes
        if by_position and len(classes) == 2 and name in _OF_ONE_CLASS:
            label = f"{label} of {classes[1]}"
        read = ShownLabels(classes, shown)
        if function.__module__.endswith("._classification") and len(classes) <= _MOST_CLASSES:
            of_cells = shown if "predict" in methods and "sample_weight" in parameters else None
        if "predict" not in methods:
            try:
                read = ShownProbabilities.of(shown, arguments, parameters)
            except ValueError as error:
                raise unfit(name, error) from error
    elif "predict" not in methods:
        raise unfit(name, "it needs probabilities of classes, and the target is a number")
    return Metric(
        name,
        label,
        unit="",
        key=name if named else (name, scorer),
        takes_weights="sample_weight" in parameters,
        bounds=bounds,
        _function=function,
        _arguments=arguments,
        _sign=scorer._sign,
        _read=read,
        _of_cells=of_cells,
    )


def undefined(label: str, missing: int, total: int, where: str) -> str:
    """Say where a metric has no value."""
    return f"{label} is not defined, as where one class is left, for {missing} of {total} {where}"


def _name(scorer: Any) -> str:
    function = scorer._score_func
    name = getattr(function, "__name__", type(function).__name__)
    arguments = ", ".join(f"{k}={v!r}" for k, v in scorer._kwargs.items())
    return f"{'' if scorer._sign > 0 else 'neg_'}{name}{arguments and f'({arguments})'}"


def _area_under_roc(
    truth: Labels, said: Floats, pos_label: Any = None, sample_weight: Floats | None = None
) -> float:
    """`roc_auc_score` of two classes, which spends most of its time on counting them."""
    rates = roc_curve(truth, said, pos_label=pos_label, sample_weight=sample_weight)
    return float(auc(*rates[:2]))
