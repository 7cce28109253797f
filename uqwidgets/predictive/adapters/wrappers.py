"""Models around another model: pipelines, searches, transformed targets."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.compose import TransformedTargetRegressor
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    RobustScaler,
    StandardScaler,
)

from uqwidgets._typing import Floats
from uqwidgets.predictive.adapters.base import (
    Adapt,
    AdaptedModel,
    Adapter,
    Options,
    name_of,
    offers,
)
from uqwidgets.predictive.adapters.conversion import LEVELS
from uqwidgets.predictive.adapters.estimators import PREDICT, RETURN_STD
from uqwidgets.predictive.distributions import Distribution, Normal, Quantiles

_AFFINE = (StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler)
# The slope of an affine transformation is measured between -_FAR and _FAR: so far apart that the
# target's own offset leaves no rounding error in it.
_FAR = 2.0**20


def _is_pipeline(model: Any, options: Options) -> bool:
    """Whether this only transforms the rows before its last step predicts."""
    return (
        isinstance(model, Pipeline)
        and _is_looked_into(model, options)
        and all(
            step in (None, "passthrough") or hasattr(step, "transform")
            for _, step in model.steps[:-1]
        )
    )


def _is_looked_into(model: Any, options: Options) -> bool:
    """Whether the model inside is read, because a wrapper gives no distribution itself."""
    own = ("predict_distribution", "pred_dist")
    gives = any(hasattr(model, name) for name in own) or RETURN_STD.matches(model, options)
    return options.members or not gives


def _read_pipeline(model: Any, options: Options, adapt: Adapt) -> AdaptedModel:
    # The pipeline itself does not show all methods of its last step, such as pred_dist.
    last = adapt(model.steps[-1][1], options)
    if last.around is not None:
        return last.around(model)
    if len(model.steps) == 1:
        return last
    transformers = model[:-1]
    return replace(
        last,
        distribution_of=lambda X: last.distribution_of(transformers.transform(X)),
    )


def _read_search(model: Any, options: Options, adapt: Adapt) -> AdaptedModel:
    best = adapt(model.best_estimator_, options)
    return best if best.around is None else best.around(model)


def _read_transformed_target(model: Any, options: Options, adapt: Adapt) -> AdaptedModel:
    """Adapt a model of a transformed target to the target's own scale.

    A normal distribution stays normal under an affine transformation. Any other transformation
    is monotone, since it has an inverse, so that it carries quantiles to quantiles.
    """
    inner = adapt(model.regressor_, Options())
    if not inner.has_uncertainty:
        return PREDICT.adapt(model, options, adapt)
    options.allow_only((), f"{name_of(model)} is read by the distribution of the model inside it")
    transformer = model.transformer_

    def own_scale(values: Floats) -> Floats:
        column = np.asarray(transformer.inverse_transform(values.reshape(-1, 1)), dtype=np.float64)
        return column.reshape(values.shape)

    def distribution_of(X: Any) -> Distribution:
        q = inner.distribution_of(X)
        if isinstance(q, Normal) and _is_affine(transformer):
            low, high = own_scale(np.array([-_FAR, _FAR]))
            return Normal(own_scale(q.loc), q.scale * abs(high - low) / (2 * _FAR))
        values = own_scale(np.column_stack([q.quantile(level) for level in LEVELS]))
        decreasing = values[0, 0] > values[0, -1]
        # The levels are symmetric about 1/2: a decreasing transformation reverses their order.
        return Quantiles(LEVELS, values[:, ::-1] if decreasing else values)

    return AdaptedModel(distribution_of)


def _is_affine(transformer: Any) -> bool:
    if isinstance(transformer, FunctionTransformer):
        return transformer.func is None and transformer.inverse_func is None
    return isinstance(transformer, _AFFINE)


PIPELINE = Adapter(_is_pipeline, _read_pipeline, options=None)
SEARCH = Adapter(
    lambda model, options: offers(model, "best_estimator_") and _is_looked_into(model, options),
    _read_search,
    options=None,
)
TRANSFORMED_TARGET = Adapter(
    lambda model, _: isinstance(model, TransformedTargetRegressor) and hasattr(model, "regressor_"),
    _read_transformed_target,
    options=None,
)
