"""Numbers of a whole set of rows that are no mean over rows: scikit-learn's scorers."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn import config_context
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import get_scorer, get_scorer_names

from uqwidgets.names import unknown
from uqwidgets.predictive.distributions import Categorical, Distribution, Floats, Mixture, Point

Labels = npt.NDArray[Any]

_SCORER: type = type(get_scorer("accuracy"))
# What average precision says, and nothing else, where it is not defined.
_NO_POSITIVE = "No positive class found"
# Metrics of one class of two, which their label then names.
_OF_ONE_CLASS = ("average_precision", "f1", "jaccard", "precision", "recall")


@dataclass(frozen=True, eq=False)
class Metric:
    """One of scikit-learn's scorers, applied to what a model answered.

    Attributes
    ----------
    name, label, unit : str
    key : hashable
        Tells it from any other metric of the same name.
    takes_weights : bool
        Whether rows may have unequal weights.
    """

    name: str
    label: str
    unit: str
    key: Hashable
    takes_weights: bool
    _function: Callable[..., Any]
    _arguments: Mapping[str, Any]
    _sign: int
    _read: Callable[[Any, Labels], tuple[Labels, Labels]]

    def score(self, q: Distribution, y: Labels, weights: Floats | None = None) -> float:
        """Score answers; greater is better, as scikit-learn has it.

        Parameters
        ----------
        q : Distribution
        y : ndarray of shape (n,)
            Class positions where the distribution has classes, the target's own values
            otherwise, as for a `Measure`.
        weights : ndarray of shape (n,), optional
            None for equal ones. Rows of weight zero are left out.

        Returns
        -------
        float
            NaN where scikit-learn holds the metric to be undefined, as with one class left.

        Raises
        ------
        ValueError
            If the metric is none of such a target or such answers, or takes no weights.
        """
        return self.on(q, y)(weights)

    def on(self, q: Distribution, y: Labels) -> Callable[[Floats | None], float]:
        """Return `score` of these answers as a function of the weights alone.

        What the scorer is shown is read off the answers once.
        """
        try:
            truth, said = self._read(q, y)
        except ValueError as error:
            raise _unfit(self.name, error) from error
        return lambda weights: self._scored(truth, said, weights)

    def _scored(self, truth: Labels, said: Labels, weights: Floats | None) -> float:
        arguments = dict(self._arguments)
        if weights is not None:
            if not weights.all():
                kept = np.flatnonzero(weights)
                truth, said, weights = truth[kept], said[kept], weights[kept]
            if len(weights) == 0:
                return np.nan
            if weights.min() < weights.max() or (self.takes_weights and weights[0] != 1):
                if not self.takes_weights:
                    raise _unfit(self.name, "it takes no weights of rows; ask for it without")
                arguments["sample_weight"] = weights
        # What is scored here thousands of times was checked when it was made.
        with (
            config_context(assume_finite=True, skip_parameter_validation=True),
            warnings.catch_warnings(),
            np.errstate(all="ignore"),
        ):
            warnings.filterwarnings("ignore", module=r"sklearn\.")
            warnings.filterwarnings("error", _NO_POSITIVE, UserWarning)
            warnings.simplefilter("error", UndefinedMetricWarning)
            try:
                return self._sign * float(self._function(truth, said, **arguments))
            except Exception as error:
                of_nothing = isinstance(error, UndefinedMetricWarning)
                if of_nothing or str(error).startswith(_NO_POSITIVE):
                    return np.nan
                raise _unfit(self.name, error) from error


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
    parameters = signature(function).parameters
    name = str(scoring) if named else _name(scorer)
    methods = np.atleast_1d(scorer._response_method).tolist()
    by_position = named and classes is not None and classes.dtype.kind not in "iuf"
    if not {"predict", "predict_proba"}.intersection(methods):
        raise _unfit(name, f"it reads {methods[0]}; only predictions and probabilities are known")
    if by_position and function.__module__.endswith("._regression"):
        raise _unfit(name, "it is a metric of numbers, and the target is a class")
    label = name.replace("_", " ")
    read: Callable[[Any, Labels], tuple[Labels, Labels]] = _numbers
    if classes is not None:
        shown = np.arange(len(classes)) if by_position else classes
        if by_position and len(classes) == 2 and name in _OF_ONE_CLASS:
            label = f"{label} of {classes[1]}"
        read = _Labels(classes, shown)
        if "predict" not in methods:
            try:
                read = _Probabilities.of(shown, arguments, parameters)
            except ValueError as error:
                raise _unfit(name, error) from error
    elif "predict" not in methods:
        raise _unfit(name, "it needs probabilities of classes, and the target is a number")
    return Metric(
        name,
        label,
        unit="",
        key=name if named else (name, scorer),
        takes_weights="sample_weight" in parameters,
        _function=function,
        _arguments=arguments,
        _sign=scorer._sign,
        _read=read,
    )


def undefined(label: str, missing: int, total: int, where: str) -> str:
    """Say where a metric has no value."""
    return f"{label} is not defined, as where one class is left, for {missing} of {total} {where}"


def _numbers(q: Distribution, y: Labels) -> tuple[Labels, Labels]:
    return y, q.mean()


@dataclass(frozen=True, eq=False)
class _Labels:
    """Reads true and predicted labels, each class as it is shown to the scorer, shape (k,)."""

    classes: Labels
    shown: Labels

    def __call__(self, q: Categorical | Mixture | Point, y: Labels) -> tuple[Labels, Labels]:
        if isinstance(q, Point):
            return self._as_shown(y), self._as_shown(q.value)
        return self.shown[y], self.shown[q.mode()]

    def _as_shown(self, labels: Labels) -> Labels:
        if self.shown is self.classes:
            return labels
        # What is none of the classes is a wrong prediction all the same: -1.
        return np.asarray(pd.Index(self.classes).get_indexer(pd.Index(labels)))


@dataclass(frozen=True, eq=False)
class _Probabilities:
    """Reads true labels and probabilities, in the sorted order that scikit-learn wants."""

    shown: Labels
    columns: Any

    @classmethod
    def of(
        cls, shown: Labels, arguments: dict[str, Any], parameters: Mapping[str, Parameter]
    ) -> _Probabilities:
        """Say in the arguments which classes there are: some rows may leave some of them out."""
        try:
            order = np.argsort(shown)
        except TypeError:
            raise ValueError("its classes have no order; make them all texts or numbers") from None
        columns: Any = order
        if len(shown) == 2:
            default = parameters["pos_label"].default if "pos_label" in parameters else None
            positive = arguments.get("pos_label", default)
            if positive is None:
                positive = shown[order[-1]]
            if positive not in shown.tolist():
                raise ValueError(f"its pos_label is {positive!r}, which is none of the classes")
            columns = shown.tolist().index(positive)
            if "pos_label" in parameters:
                arguments["pos_label"] = positive
        if "labels" in parameters:
            arguments.setdefault("labels", shown[order])
        return cls(shown, columns)

    def __call__(self, q: Categorical | Mixture | Point, y: Labels) -> tuple[Labels, Labels]:
        if isinstance(q, Point):
            raise ValueError("it needs probabilities, and the model gives labels only")
        return self.shown[y], q.probabilities[:, self.columns]


def _name(scorer: Any) -> str:
    function = scorer._score_func
    name = getattr(function, "__name__", type(function).__name__)
    arguments = ", ".join(f"{k}={v!r}" for k, v in scorer._kwargs.items())
    return f"{'' if scorer._sign > 0 else 'neg_'}{name}{arguments and f'({arguments})'}"


def _unfit(name: str, reason: object) -> ValueError:
    first_line = next(iter(str(reason).splitlines()), type(reason).__name__).rstrip(".")
    return ValueError(f"{name} cannot score this model: {first_line}.")
