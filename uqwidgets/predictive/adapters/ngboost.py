"""Distributions of NGBoost, https://stanfordmlgroup.github.io/projects/ngboost."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats.distributions import rv_frozen

from uqwidgets.predictive.adapters.frozen import from_frozen
from uqwidgets.predictive.adapters.options import Options
from uqwidgets.predictive.adapters.reading import Labels, Reading, from_library, labels_of, unfitted
from uqwidgets.predictive.distributions import Categorical, Distribution, Normal


def pred_dist(model: Any, options: Options) -> Reading:
    """Read ``pred_dist`` of a fitted NGBoost model."""
    if getattr(model, "init_params", ()) is None:
        raise unfitted(model)
    labels = labels_of(model, options.classes)
    return Reading(lambda X: distribution(model.pred_dist(X), labels), labels)


def n_columns(model: Any) -> int | None:
    """Return how many columns an NGBoost model was fitted with; it would not mind more."""
    return model.n_features if from_library(model, "ngboost") else None


def distribution(answer: Any, classes: Labels | None) -> Distribution:
    """Read a distribution of NGBoost's as ours."""
    name = type(answer).__name__
    if from_library(answer, "ngboost", "ClassificationDistn"):
        probabilities = answer.class_probs()
        # NGBoost is fitted on classes numbered from zero, and keeps no labels.
        labels = np.arange(probabilities.shape[1]) if classes is None else classes
        return Categorical(probabilities, labels)
    if from_library(answer, "ngboost", "Normal"):
        return Normal(answer.loc, answer.scale)
    frozen = getattr(answer, "dist", None)
    if isinstance(frozen, rv_frozen):
        return from_frozen(frozen, classes)
    raise ValueError(
        f"NGBoost's {name} has neither class probabilities nor quantiles of a single target; "
        "pass a function that returns (mean, std) instead."
    )
