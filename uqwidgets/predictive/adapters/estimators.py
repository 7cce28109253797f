"""Estimators with scikit-learn's manners."""

from __future__ import annotations

import inspect
from typing import Any

from uqwidgets.predictive.adapters.elsewhere import distribution_of
from uqwidgets.predictive.adapters.mixing import with_noise
from uqwidgets.predictive.adapters.options import Options
from uqwidgets.predictive.adapters.reading import (
    Reading,
    labels_of,
    name_of,
    one_column,
    refuse_unfitted,
)
from uqwidgets.predictive.distributions import Categorical, Distribution, Normal, Point


def probabilities(model: Any, options: Options) -> Reading:
    """Read ``predict_proba``."""
    labels = labels_of(model, options.classes)
    if labels is None:
        refuse_unfitted(model)
        raise TypeError(
            f"{name_of(model)} has predict_proba but no classes_; "
            "pass as_predictive(model, classes=[...])."
        )
    return Reading(lambda X: Categorical(model.predict_proba(X), labels), labels)


def distribution(model: Any) -> Reading:
    """Read ``predict_distribution``."""

    def ask(X: Any) -> Distribution:
        answer = model.predict_distribution(X)
        found = distribution_of(answer, None)
        if found is None:
            raise ValueError(
                f"predict_distribution of {name_of(model)} returned a {type(answer).__name__}; it "
                "must return a distribution, such as uqwidgets.Normal(mean, std)."
            )
        return found

    return Reading(ask, labels_of(model, None))


def gives_std(model: Any) -> bool:
    """Whether ``predict(X, return_std=True)`` is meant to work."""
    predict = getattr(model, "predict", None)
    if predict is None:
        return False
    try:
        return "return_std" in inspect.signature(predict).parameters
    except (TypeError, ValueError):  # built-in without a signature
        return False


def mean_and_std(model: Any) -> Reading:
    """Read ``predict(X, return_std=True)``."""
    return Reading(lambda X: Normal(*model.predict(X, return_std=True)))


def point(model: Any, options: Options) -> Reading:
    """Read plain ``predict``, with the spread around it where it is given."""

    def ask(X: Any) -> Distribution:
        values = one_column(model.predict(X))
        return Point(values) if options.noise is None else with_noise(values, options.noise)

    noisy = options.noise is not None
    return Reading(ask, None if noisy else labels_of(model, options.classes), uncertain=noisy)
