"""Estimators with scikit-learn's interface."""

from __future__ import annotations

import inspect
from typing import Any

from uqwidgets.predictive.adapters.base import (
    Adapt,
    AdaptedModel,
    Adapter,
    Options,
    labels_of,
    name_of,
    one_column,
    refuse_unfitted,
)
from uqwidgets.predictive.adapters.mixing import with_noise
from uqwidgets.predictive.distributions import Categorical, Distribution, Normal, Point


def _read_probabilities(model: Any, options: Options, adapt: Adapt) -> AdaptedModel:
    labels = labels_of(model, options.classes)
    if labels is None:
        refuse_unfitted(model)
        raise TypeError(
            f"{name_of(model)} has predict_proba but no classes_; "
            "pass as_predictive(model, classes=[...])."
        )
    return AdaptedModel(
        lambda X: Categorical(model.predict_proba(X), labels),
        labels,
        around=lambda wrapper: PREDICT_PROBA.adapt(wrapper, options, adapt),
    )


def _has_return_std(model: Any, _: Options) -> bool:
    predict = getattr(model, "predict", None)
    if predict is None:
        return False
    try:
        return "return_std" in inspect.signature(predict).parameters
    except (TypeError, ValueError):  # a built-in function without a signature
        return False


def _read_mean_and_std(model: Any, _options: Options, _: Adapt) -> AdaptedModel:
    return AdaptedModel(lambda X: Normal(*model.predict(X, return_std=True)))


def _read_value(model: Any, options: Options, adapt: Adapt) -> AdaptedModel:
    noise = options.noise

    def distribution_of(X: Any) -> Distribution:
        values = one_column(model.predict(X))
        return Point(values) if noise is None else with_noise(values, noise)

    classes = labels_of(model, options.classes) if noise is None else None
    return AdaptedModel(
        distribution_of,
        classes,
        has_uncertainty=noise is not None,
        around=lambda wrapper: PREDICT.adapt(wrapper, options, adapt),
        is_predict=True,
    )


PREDICT_PROBA = Adapter(
    lambda model, _: hasattr(model, "predict_proba"),
    _read_probabilities,
    options=("classes",),
    reason="{name} gives probabilities of classes",
)
RETURN_STD = Adapter(
    _has_return_std, _read_mean_and_std, reason="{name} gives a mean and a standard deviation"
)
PREDICT = Adapter(
    lambda model, _: hasattr(model, "predict"),
    _read_value,
    options=("classes", "noise"),
    reason="{name} answers one value per row",
)
