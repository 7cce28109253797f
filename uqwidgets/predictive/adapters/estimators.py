"""Estimators with scikit-learn's interface."""

from __future__ import annotations

import inspect
from typing import Any

from uqwidgets.predictive.adapters.base import (
    Adapt,
    AdaptedModel,
    Adapter,
    NoLabelsError,
    Options,
    attribute,
    estimator_kind,
    from_library,
    labels_of,
    name_of,
    offers,
    one_column,
    refuse_unfitted,
    several_targets,
)
from uqwidgets.predictive.adapters.catboost import loss_of
from uqwidgets.predictive.adapters.functions import read_answer
from uqwidgets.predictive.adapters.mixing import with_noise
from uqwidgets.predictive.adapters.probabilities import probabilities
from uqwidgets.predictive.distributions import Distribution, Normal, Point, class_codes

_SEVERAL_LABELS = (
    "{name} predicts several labels for each row; explain one of them: pass a function that "
    "returns its probability, as_predictive(lambda X: model.predict_proba(X)[:, 0], classes=[0, 1])"
)


def _read_probabilities(model: Any, options: Options, adapt: Adapt) -> AdaptedModel:
    labels = labels_of(model, options.classes)
    several = loss_of(model).startswith(("MultiLogloss", "MultiCrossEntropy"))
    if several or attribute(model, "multilabel_") is True:  # the latter of OneVsRestClassifier
        raise ValueError(_SEVERAL_LABELS.format(name=name_of(model)))
    if labels is None:
        refuse_unfitted(model)
        raise NoLabelsError(
            f"{name_of(model)} has predict_proba but no classes_; "
            "pass as_predictive(model, classes=[...])."
        )

    def distribution_of(X: Any) -> Distribution:
        def refuse_several_labels() -> None:
            predict = attribute(model, "predict")
            if predict is not None and one_column(predict(X[:1])).ndim == 2:
                raise ValueError(_SEVERAL_LABELS.format(name=name_of(model)))

        return probabilities(model.predict_proba(X), labels, options, refuse_several_labels)

    return AdaptedModel(
        distribution_of,
        labels,
        around=lambda wrapper: PREDICT_PROBA.adapt(wrapper, options, adapt),
    )


def _has_return_std(model: Any, _: Options) -> bool:
    predict = attribute(model, "predict")
    if predict is None:
        return False
    try:
        return "return_std" in inspect.signature(predict).parameters
    except (TypeError, ValueError):  # a built-in function without a signature
        return False


def _read_mean_and_std(model: Any, _options: Options, _: Adapt) -> AdaptedModel:
    return AdaptedModel(lambda X: Normal(*model.predict(X, return_std=True)))


def _read_value(model: Any, options: Options, adapt: Adapt) -> AdaptedModel:
    if from_library(model, "xgboost", "Booster"):
        raise TypeError(
            "a Booster of XGBoost predicts for a DMatrix, not for a table; pass "
            "lambda X: booster.predict(xgboost.DMatrix(X)), with as_predictive(..., classes=[...]) "
            "where it predicts probabilities."
        )
    noise = options.noise
    own = labels_of(model, None) if noise is None else None
    labels = labels_of(model, options.classes) if noise is None else None
    if noise is None and labels is None and estimator_kind(model) == "classifier":
        refuse_unfitted(model)
        raise NoLabelsError(
            f"{name_of(model)} is a classifier without classes_; pass "
            "as_predictive(model, classes=[...])."
        )
    if own is None and labels is not None:  # the answer may hold labels or their probabilities
        return AdaptedModel(
            lambda X: read_answer(model.predict(X), len(X), options, labels),
            labels,
            around=lambda wrapper: PREDICT.adapt(wrapper, options, adapt),
            is_predict=True,
        )

    def distribution_of(X: Any) -> Distribution:
        values = one_column(model.predict(X))
        if values.ndim == 2:
            raise ValueError(several_targets(name_of(model), values.shape[1]))
        if own is not None and labels is not None and options.classes is not None:
            values = labels[class_codes(values, own, predicted=True)]
        return Point(values) if noise is None else with_noise(values, noise)

    return AdaptedModel(
        distribution_of,
        labels,
        has_uncertainty=noise is not None,
        around=lambda wrapper: PREDICT.adapt(wrapper, options, adapt),
        is_predict=True,
    )


PREDICT_PROBA = Adapter(
    lambda model, _: offers(model, "predict_proba"),
    _read_probabilities,
    options=("classes", "normalize"),
    reason="{name} gives probabilities of classes",
)
RETURN_STD = Adapter(
    _has_return_std, _read_mean_and_std, reason="{name} gives a mean and a standard deviation"
)
PREDICT = Adapter(
    lambda model, _: offers(model, "predict"),
    _read_value,
    options=("classes", "noise", "normalize"),
    reason="{name} answers one value per row",
)
