"""Models around a model: what the inner one says, seen through the outer one."""

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
from uqwidgets.predictive.adapters.conversion import LEVELS
from uqwidgets.predictive.adapters.options import Options
from uqwidgets.predictive.adapters.reading import Inner, Reading
from uqwidgets.predictive.distributions import Distribution, Normal, Quantiles

_AFFINE = (StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler)
# Far enough from zero that a shift of the target leaves no rounding in its factor.
_FAR = 2.0**20


def is_pipeline(model: Any) -> bool:
    """Whether this only transforms and then asks its last step."""
    return isinstance(model, Pipeline) and all(
        step in (None, "passthrough") or hasattr(step, "transform") for _, step in model.steps[:-1]
    )


def pipeline(model: Any, options: Options, inner: Inner) -> Reading:
    """Read the last step of a pipeline, whose face the pipeline shows only in part."""
    last = inner(model.steps[-1][1], options)
    if len(model.steps) == 1:
        return last
    first = model[:-1]
    return replace(last, ask=lambda X: last.ask(first.transform(X)))


def is_transformed(model: Any) -> bool:
    """Whether this fits a model to a transformed target."""
    return isinstance(model, TransformedTargetRegressor) and hasattr(model, "regressor_")


def transformed(model: Any, inside: Reading) -> Reading:
    """Read the distribution of a transformed target on the target's own scale.

    A normal distribution stays normal under an affine transformation. Under any other, which
    is monotone since it can be undone, quantiles are the transformed quantiles.
    """
    back = model.transformer_

    def own_scale(values: Floats) -> Floats:
        column = np.asarray(back.inverse_transform(values.reshape(-1, 1)), dtype=np.float64)
        return column.reshape(values.shape)

    def ask(X: Any) -> Distribution:
        found = inside.ask(X)
        if isinstance(found, Normal) and _is_affine(back):
            low, high = own_scale(np.array([-_FAR, _FAR]))
            return Normal(own_scale(found.loc), found.scale * abs(high - low) / (2 * _FAR))
        values = own_scale(np.column_stack([found.quantile(level) for level in LEVELS]))
        falling = values[0, 0] > values[0, -1]
        # The levels are as symmetric as a normal distribution: a fall turns them round.
        return Quantiles(LEVELS, values[:, ::-1] if falling else values)

    return Reading(ask)


def _is_affine(transformer: Any) -> bool:
    if isinstance(transformer, FunctionTransformer):
        return transformer.func is None and transformer.inverse_func is None
    return isinstance(transformer, _AFFINE)
