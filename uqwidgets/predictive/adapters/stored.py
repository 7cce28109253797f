"""Predictions that are stored: the distributions of the rows at hand, without a model."""

from __future__ import annotations

from typing import Any

from uqwidgets.predictive.adapters.base import Adapt, AdaptedModel, Adapter, Options
from uqwidgets.predictive.distributions import Distribution

NO_MODEL = (
    "these predictions are stored, and no model predicts other rows; pass the model for "
    "importance, curves and whatever else changes values, or use what needs no new prediction, "
    "such as stress, scores, calibration, slices, prediction_sets, compare_rows and expected"
)


def _read(stored: Any, _options: Options, _: Adapt) -> AdaptedModel:
    def distribution_of(_X: Any) -> Distribution:
        raise ValueError(f"{NO_MODEL}.")

    return AdaptedModel(distribution_of, stored.classes, is_predict=True, stored=stored)


STORED = Adapter(lambda model, _: isinstance(model, Distribution), _read)
