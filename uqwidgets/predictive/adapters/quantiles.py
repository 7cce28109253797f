"""Models of quantiles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets.predictive.adapters.options import Options, increasing_levels
from uqwidgets.predictive.adapters.reading import Inner, Reading, name_of
from uqwidgets.predictive.distributions import Distribution, Point, Quantiles


def own_levels(model: Any) -> Any:
    """Levels that a model says it answers at once (XGBoost's ``quantile_alpha``), or None."""
    levels = model.get_params().get("quantile_alpha") if hasattr(model, "get_params") else None
    return None if levels is None or np.ndim(levels) == 0 or len(levels) < 2 else levels


def one_model(model: Any, options: Options) -> Reading:
    """Read a model whose ``predict`` answers several quantiles, shape (n, q)."""
    own = own_levels(model)
    levels = options.levels if own is None else increasing_levels(own)
    if options.levels is not None and not np.array_equal(levels, options.levels):
        raise ValueError(
            f"levels are {options.levels.tolist()}, but {name_of(model)} was fitted for "
            f"{levels.tolist()}; leave them out."
        )
    return Reading(lambda X: Quantiles(levels, model.predict(X)))


def one_per_level(models: Any, options: Options, inner: Inner) -> Reading:
    """Read ``{level: model}``, or a list of models beside their levels."""
    if not isinstance(models, Mapping):
        if len(models) != len(options.levels):
            raise ValueError(f"there are {len(models)} models for {len(options.levels)} levels.")
        models = dict(zip(options.levels.tolist(), models, strict=True))
    if not all(isinstance(level, (float, np.floating)) for level in models):
        raise ValueError(
            f"the keys of the models are {list(models)!r}; they must be the levels of the "
            "quantiles, as in {0.05: low, 0.5: median, 0.95: high}."
        )
    levels = increasing_levels(sorted(models))
    readings = [inner(models[level], Options()) for level in levels.tolist()]

    def ask(X: Any) -> Quantiles:
        # Each gets a table of its own: one that changes it must not reach the next. And models may
        # answer with one and the same buffer.
        answers = [reading.ask(X.copy()).owned() for reading in readings]
        values = [_one(answer, level) for answer, level in zip(answers, levels, strict=True)]
        return Quantiles(levels, np.column_stack(values))

    return Reading(ask)


def _one(answer: Distribution, level: float) -> npt.NDArray[np.float64]:
    if not isinstance(answer, Point):
        raise ValueError(
            f"the model of level {level:g} answers with a {type(answer).__name__}, not with one "
            "value per row; pass regressors that were fitted for a quantile."
        )
    return answer.mean()
