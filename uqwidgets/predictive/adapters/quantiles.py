"""Models of quantiles: one that predicts several of them, or one model per level."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets.predictive.adapters.base import (
    Adapt,
    AdaptedModel,
    Adapter,
    Options,
    attribute,
    increasing_levels,
    name_of,
    offers,
)
from uqwidgets.predictive.adapters.catboost import loss_of
from uqwidgets.predictive.distributions import Distribution, Point, Quantiles


def _own_levels(model: Any) -> Any:
    """Levels that a model of XGBoost or CatBoost predicts at once, or None."""
    kind, _, alpha = loss_of(model).partition(":alpha=")
    if kind == "MultiQuantile":
        return [float(level) for level in alpha.split(",")]
    parameters = attribute(model, "get_params")
    levels = parameters().get("quantile_alpha") if callable(parameters) else None
    return None if levels is None or np.ndim(levels) == 0 or len(levels) < 2 else levels


def _predicts_several(model: Any, options: Options) -> bool:
    levels_passed = options.levels is not None and offers(model, "predict")
    return levels_passed or _own_levels(model) is not None


def _read_one_model(model: Any, options: Options, _: Adapt) -> AdaptedModel:
    own = _own_levels(model)
    levels = options.levels if own is None else increasing_levels(own)
    if options.levels is not None and not np.array_equal(levels, options.levels):
        raise ValueError(
            f"levels are {options.levels.tolist()}, but {name_of(model)} was fitted for "
            f"{levels.tolist()}; leave them out."
        )

    def read(one: Any) -> AdaptedModel:
        return AdaptedModel(
            lambda X: Quantiles(levels, one.predict(X)), around=read, is_predict=True
        )

    return read(model)


def _read_one_model_per_level(models: Any, options: Options, adapt: Adapt) -> AdaptedModel:
    if not isinstance(models, Mapping):
        if len(models) != len(options.levels):
            raise ValueError(
                f"there are {len(models)} models for {len(options.levels)} levels; pass one for "
                "each."
            )
        models = dict(zip(options.levels.tolist(), models, strict=True))
    if not all(isinstance(level, (float, np.floating)) for level in models):
        raise ValueError(
            f"the keys of the models are {list(models)!r}; they must be the levels of the "
            "quantiles, as in {0.05: low, 0.5: median, 0.95: high}."
        )
    levels = increasing_levels(sorted(models))
    adapted = [adapt(models[level], Options()) for level in levels.tolist()]

    def distribution_of(X: Any) -> Quantiles:
        # Each model gets its own copy of X, since it may change it; and each answer is copied,
        # since models may answer with one shared buffer.
        answers = [model.distribution_of(X.copy()).owned() for model in adapted]
        values = [_point(answer, level) for answer, level in zip(answers, levels, strict=True)]
        return Quantiles(levels, np.column_stack(values))

    return AdaptedModel(distribution_of)


def _point(answer: Distribution, level: float) -> npt.NDArray[np.float64]:
    if not isinstance(answer, Point):
        raise ValueError(
            f"the model of level {level:g} answers with a {type(answer).__name__}, not with one "
            "value per row; pass regressors that were fitted for a quantile."
        )
    return answer.mean()


# The rows of lists: those without levels are ensembles, which come first.
MODEL_PER_LEVEL = Adapter(
    lambda model, _: isinstance(model, (list, tuple, dict)),
    _read_one_model_per_level,
    options=("levels",),
    reason="models of one level each give quantiles",
)
SEVERAL_LEVELS = Adapter(
    _predicts_several,
    _read_one_model,
    options=("levels",),
    reason="{name} is read as giving quantiles",
)
