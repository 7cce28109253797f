"""Models of NGBoost, https://stanfordmlgroup.github.io/projects/ngboost."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats.distributions import rv_frozen

from uqwidgets._typing import Labels
from uqwidgets.predictive.adapters.base import (
    Adapt,
    AdaptedModel,
    Adapter,
    Options,
    from_library,
    labels_of,
    offers,
    unfitted,
)
from uqwidgets.predictive.adapters.conversion import from_frozen
from uqwidgets.predictive.distributions import Categorical, Distribution, Normal


def distribution(answer: Any, classes: Labels | None) -> Distribution:
    """Convert a distribution of NGBoost."""
    name = type(answer).__name__
    if from_library(answer, "ngboost", "ClassificationDistn"):
        probabilities = answer.class_probs()
        # NGBoost before 0.6 is fitted on classes numbered from zero, and stores no labels.
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


def _read(model: Any, options: Options, _: Adapt) -> AdaptedModel:
    # NGBoost sets init_params to None when it is made and fills it in fit.
    if getattr(model, "init_params", ()) is None:
        raise unfitted(model)
    labels = labels_of(model, options.classes)
    return AdaptedModel(lambda X: distribution(model.pred_dist(X), labels), labels)


NGBOOST = Adapter(lambda model, _: offers(model, "pred_dist"), _read, options=("classes",))
