"""Models of CatBoost that predict a mean and a variance, https://catboost.ai."""

from __future__ import annotations

from typing import Any

import numpy as np

from uqwidgets.predictive.adapters.base import (
    Adapt,
    AdaptedModel,
    Adapter,
    Options,
    attribute,
    from_library,
)
from uqwidgets.predictive.distributions import Normal

_UNCERTAINTY = "RMSEWithUncertainty"


def loss_of(model: Any) -> str:
    """Return the loss that a CatBoost model was fitted with, its parameters included; else ""."""
    if not from_library(model, "catboost") or not attribute(model, "tree_count_"):
        return ""
    return str(model.get_all_params().get("loss_function", ""))


def _read(model: Any, _options: Options, _: Adapt) -> AdaptedModel:
    def distribution_of(X: Any) -> Normal:
        # Without the type, the class CatBoost answers with the logarithm of the second column.
        mean, variance = np.asarray(model.predict(X, prediction_type=_UNCERTAINTY)).T
        return Normal(mean, np.sqrt(variance))

    return AdaptedModel(distribution_of, is_predict=True)


CATBOOST = Adapter(
    lambda model, _: loss_of(model) == _UNCERTAINTY,
    _read,
    reason="{name} was fitted with " + _UNCERTAINTY + " and gives a mean and a variance",
)
