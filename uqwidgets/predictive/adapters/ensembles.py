"""Ensembles read as mixtures of their members."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, BaggingRegressor, VotingClassifier, VotingRegressor
from sklearn.utils.validation import validate_data

from uqwidgets._typing import Floats
from uqwidgets.predictive.adapters import forests
from uqwidgets.predictive.adapters.mixing import (
    Weights,
    at_least_two,
    mixture_of,
    mixture_of_values,
)
from uqwidgets.predictive.adapters.options import Options
from uqwidgets.predictive.adapters.reading import (
    Inner,
    Reading,
    labels_of,
    name_of,
    one_column,
    refuse_unfitted,
)
from uqwidgets.predictive.distributions import Categorical, Distribution, Mixture

_CLASSIFIERS = (
    *forests.CLASSIFIERS,
    BaggingClassifier,
    VotingClassifier,
    CalibratedClassifierCV,
)
_REGRESSORS = (*forests.REGRESSORS, BaggingRegressor, VotingRegressor)


def members(model: Any, options: Options, inner: Inner) -> Reading:
    """Read an ensemble, or a list of models, as the mixture of its members."""
    if isinstance(model, (list, tuple)):
        return _list(model, options, inner)
    if not isinstance(model, _CLASSIFIERS + _REGRESSORS):
        raise TypeError(
            f"{name_of(model)} has no members that are predictors of their own; members=True "
            f"reads {', '.join(kind.__name__ for kind in _CLASSIFIERS + _REGRESSORS)}, pipelines "
            "that end in one of them, and lists of models."
        )
    refuse_unfitted(model)
    if isinstance(model, _CLASSIFIERS):
        return _classifier(model, options)
    return _regressor(model, options, inner)


def _list(models: Sequence[Any], options: Options, inner: Inner) -> Reading:
    at_least_two(len(models), "the list")
    readings = [inner(model, Options(classes=options.classes)) for model in models]

    def ask(X: Any) -> Mixture:
        return mixture_of([_asked(reading, X) for reading in readings], options.noise)

    return Reading(ask, readings[0].classes)


def _classifier(model: Any, options: Options) -> Reading:
    name = name_of(model)
    if options.noise is not None:
        raise ValueError(f"noise is for members that predict numbers; {name} is a classifier.")
    if isinstance(model, VotingClassifier) and model.voting != "soft":
        raise ValueError(f"{name} votes with labels; members=True needs voting='soft'.")
    labels = labels_of(model, options.classes)
    assert labels is not None
    if isinstance(model, forests.CLASSIFIERS):
        at_least_two(len(model.estimators_), name)
        return Reading(lambda X: Mixture(forests.categorical_of_trees(model, X, labels)), labels)
    each, weights = _probabilities_of_members(model, len(labels))
    return Reading(lambda X: Mixture(Categorical(each(X), labels), weights), labels)


def _probabilities_of_members(model: Any, k: int) -> tuple[Callable[[Any], Floats], Weights]:
    """How members are asked for probabilities of shape (n, m, k), and their weights."""
    if isinstance(model, CalibratedClassifierCV):
        asked = [member.predict_proba for member in model.calibrated_classifiers_]
    else:
        asked = [_numbered(member, k) for member in model.estimators_]
    at_least_two(len(asked), name_of(model))

    def each(X: Any) -> Floats:
        parts = _parts(model, X)
        answers = [np.array(ask(part.copy())) for ask, part in zip(asked, parts, strict=True)]
        return np.stack(answers, axis=1)

    return each, _weights(model)


def _regressor(model: Any, options: Options, inner: Inner) -> Reading:
    at_least_two(len(model.estimators_), name_of(model))
    noise = options.noise
    if isinstance(model, forests.REGRESSORS):
        return Reading(lambda X: mixture_of_values(forests.values_of_trees(model, X), noise))
    readings = [inner(member, Options()) for member in model.estimators_]
    weights = _weights(model)

    def ask(X: Any) -> Mixture:
        parts = _parts(model, X)
        answers = [_asked(one, part) for one, part in zip(readings, parts, strict=True)]
        return mixture_of(answers, noise, weights)

    return Reading(ask)


def _asked(member: Reading, X: Any) -> Distribution:
    # Each gets a table of its own: one that changes it must not reach the next. And members may
    # answer with one and the same buffer.
    return member.ask(X.copy()).owned()


def _parts(model: Any, X: Any) -> Sequence[Any]:
    """Return what each member is asked about: all columns, or those it was fitted with."""
    if isinstance(model, (BaggingClassifier, BaggingRegressor)):
        rows = validate_data(
            model,
            X,
            reset=False,
            dtype=None,
            accept_sparse=["csr", "csc"],
            ensure_all_finite=False,
        )
        return [rows[:, columns] for columns in model.estimators_features_]
    asked = getattr(model, "calibrated_classifiers_", None) or model.estimators_
    return [X] * len(asked)


def _numbered(member: Any, k: int) -> Callable[[Any], Floats]:
    """Probabilities of all classes from a member fitted on their positions, maybe not on all."""
    if not hasattr(member, "predict_proba"):
        # As scikit-learn does: probability one for the class that it chose.
        return lambda X: np.eye(k)[one_column(member.predict(X))]
    own = getattr(member, "classes_", np.arange(k))

    def ask(X: Any) -> Floats:
        found = member.predict_proba(X)
        if len(own) == k:
            return np.asarray(found)
        all_classes = np.zeros((len(found), k))
        all_classes[:, own] = found
        return all_classes

    return ask


def _weights(model: Any) -> Weights:
    if getattr(model, "weights", None) is None:
        return None
    pairs = zip(model.estimators, model.weights, strict=True)
    shares = np.array([weight for (_, member), weight in pairs if member != "drop"], dtype=float)
    return np.asarray(shares / shares.sum())
