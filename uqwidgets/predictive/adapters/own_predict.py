"""The model's own `predict`, where its answers may differ from the distribution that is read.

Labels are what the outermost `predict` returns, which need not be the most probable class: a
threshold was moved, or a subclass or a wrapper has a rule of its own. Only where the code of both
methods is known to agree, nothing has to be compared.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
)
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.linear_model import (
    ARDRegression,
    BayesianRidge,
    LogisticRegression,
    LogisticRegressionCV,
)
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from uqwidgets._typing import Labels
from uqwidgets.predictive.adapters.base import AdaptedModel, Options, one_column

# Models whose `predict` is the most probable class of their `predict_proba`, or the mean of their
# distribution, in the code of scikit-learn. It is not for `SVC`, nor for a tuned threshold.
_AGREEING: tuple[type, ...] = (
    *(LogisticRegression, LogisticRegressionCV, MLPClassifier),
    *(LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis),
    *(GaussianNB, BernoulliNB, CategoricalNB, ComplementNB, MultinomialNB),
    *(DecisionTreeClassifier, ExtraTreeClassifier, RandomForestClassifier, ExtraTreesClassifier),
    *(GradientBoostingClassifier, HistGradientBoostingClassifier, BaggingClassifier),
    *(CalibratedClassifierCV, VotingClassifier),
    *(RandomForestRegressor, ExtraTreesRegressor),
    *(GaussianProcessRegressor, BayesianRidge, ARDRegression),
)
# Methods of a model that decide what it predicts.
_METHODS = ("predict", "predict_proba", "predict_distribution", "pred_dist")

Predict = Callable[[Any], npt.NDArray[Any]]


def own_predict(model: Any, adapted: AdaptedModel, options: Options) -> Predict | None:
    """Return the model's own `predict`, which gives one value per row.

    None where it has none, or where it agrees by construction with the distribution that is read.

    Parameters
    ----------
    model : object
        As the user passed it.
    adapted : AdaptedModel
        How it is read.
    options : Options
        The arguments of `as_predictive`.
    """
    predict = getattr(model, "predict", None)
    if adapted.is_predict or not callable(predict) or _agrees(model):
        return None
    names = _names(model, adapted.classes) if options.classes is not None else {}

    def answers(X: Any) -> npt.NDArray[Any]:
        values = one_column(predict(X))
        if not names or values.ndim != 1:
            return values
        return np.array([names.get(value, value) for value in values.tolist()], dtype=object)

    return answers


def _agrees(model: Any) -> bool:
    """Whether both methods are scikit-learn's or this package's, and agree by their code."""
    if any(name in vars(model) for name in _METHODS if hasattr(model, "__dict__")):
        return False
    if _has_methods_of(model, Pipeline):
        return _agrees(model.steps[-1][1])
    if _has_methods_of(model, GridSearchCV):  # and other searches, which share them
        return _agrees(model.best_estimator_)
    owner = _definer(type(model), "predict")
    if owner is not None and owner.__module__.startswith("uqwidgets."):
        return True
    return any(_has_methods_of(model, known) for known in _AGREEING)


def _has_methods_of(model: Any, known: type) -> bool:
    """Whether a model has both methods from where a class of scikit-learn has them."""
    return all(_definer(type(model), name) is _definer(known, name) for name in _METHODS)


def _definer(kind: type, name: str) -> type | None:
    """Return the class whose code a method is; None without the method."""
    return next((base for base in kind.__mro__ if name in vars(base)), None)


def _names(model: Any, classes: Labels | None) -> dict[Any, Any]:
    """Return the label that the user gave to each of the model's own ones, or of 0, 1, ..."""
    if classes is None:
        return {}
    own = getattr(model, "classes_", None)
    known = np.arange(len(classes)) if own is None else np.asarray(own)
    names = dict(zip(known.tolist(), classes.tolist(), strict=True))
    # Of labels that the model may use as well, nobody knows which are meant.
    return names if own is not None or not set(names) & set(classes.tolist()) else {}
