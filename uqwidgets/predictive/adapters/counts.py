"""Models of counts: their mean is what `predict` answers, and their family says the rest."""

from __future__ import annotations

from typing import Any

from sklearn.compose import TransformedTargetRegressor
from sklearn.linear_model import PoissonRegressor, TweedieRegressor
from sklearn.pipeline import Pipeline

from uqwidgets.predictive.adapters.base import (
    Adapt,
    AdaptedModel,
    Adapter,
    Options,
    attribute,
    from_library,
    name_of,
    offers,
    one_column,
    several_targets,
)
from uqwidgets.predictive.distributions import Distribution, NegativeBinomial, Poisson


def _innermost(model: Any) -> Any:
    """Return the model that was fitted, inside of transformed targets, pipelines and searches."""
    if isinstance(model, TransformedTargetRegressor):
        return _innermost(attribute(model, "regressor_"))
    if isinstance(model, Pipeline):
        return _innermost(model.steps[-1][1])
    return _innermost(model.best_estimator_) if offers(model, "best_estimator_") else model


def _dispersion(model: Any) -> float | None:
    """Dispersion of the counts that a model predicts, zero of a Poisson; None of another target."""
    if from_library(model, "statsmodels"):
        return _of_statsmodels(model)
    if from_library(model, "lightgbm"):  # an estimator, or a Booster
        parameters = attribute(model, "params") or {}
        objective = attribute(model, "objective_", parameters.get("objective"))
        return _zero_if(objective == "poisson")
    if from_library(model, "xgboost"):
        return _zero_if(attribute(model, "objective") == "count:poisson")
    if isinstance(model, TweedieRegressor):
        return _zero_if(model.power == 1)
    has_loss = from_library(model, "sklearn") and attribute(model, "loss") == "poisson"
    return _zero_if(isinstance(model, PoissonRegressor) or has_loss)


def _of_statsmodels(results: Any) -> float | None:
    """Dispersion by the family of a `GLM`, or of a discrete model, whose last parameter it is."""
    fitted = attribute(results, "model")
    family = attribute(fitted, "family", fitted)
    if type(family).__name__ != "NegativeBinomial":
        return _zero_if(type(family).__name__ == "Poisson")
    if attribute(fitted, "loglike_method") == "nb2":
        return float(list(results.params)[-1])
    alpha = attribute(family, "alpha")  # not of the discrete model whose variance is linear
    return None if alpha is None else float(alpha)


def _zero_if(poisson: bool) -> float | None:
    return 0.0 if poisson else None


def _is_of_counts(model: Any, options: Options) -> bool:
    if options.noise is not None or options.classes is not None or options.of_rates:
        return False
    return is_model_of_counts(model)


def is_model_of_counts(model: Any) -> bool:
    """Whether a model was fitted as one of counts, so that it predicts their mean."""
    return offers(model, "predict") and _dispersion(_innermost(model)) is not None


def _read(model: Any, options: Options, adapt: Adapt) -> AdaptedModel:
    inner = _innermost(model)
    dispersion = _dispersion(inner)
    fitted = attribute(inner, "model")
    if any(attribute(fitted, name) is not None for name in ("exposure", "offset")):
        raise ValueError(
            f"{name_of(model)} was fitted with an exposure or offset, which predict(X) leaves out; "
            "pass lambda X: uqwidgets.Poisson(model.predict(X, exposure=X[...])) for counts, or "
            "lambda X: model.predict(X) for rates without a distribution."
        )

    def distribution_of(X: Any) -> Distribution:
        mean = one_column(model.predict(X))
        if mean.ndim == 2:
            raise ValueError(several_targets(name_of(model), mean.shape[1]))
        return NegativeBinomial(mean, dispersion) if dispersion else Poisson(mean)

    # A wrapper may predict something else, so that it is read by its own predict.
    return AdaptedModel(
        distribution_of,
        around=lambda wrapper: COUNTS.adapt(wrapper, options, adapt),
        is_predict=True,
    )


COUNTS = Adapter(
    _is_of_counts,
    _read,
    reason="{name} gives counts; with noise, pass neither of the other options",
)
