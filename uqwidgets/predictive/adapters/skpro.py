"""Models of skpro, https://skpro.readthedocs.io."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats, Labels
from uqwidgets.predictive.adapters.base import (
    Adapt,
    AdaptedModel,
    Adapter,
    Options,
    from_library,
    labels_of,
    unfitted,
)
from uqwidgets.predictive.adapters.conversion import LEVELS, of_counts
from uqwidgets.predictive.base import floats
from uqwidgets.predictive.distributions import Distribution, Mixture, Normal, Point, Quantiles


def distribution(answer: Any, classes: Labels | None) -> Distribution:
    """Convert a distribution of skpro, of shape (n, 1)."""
    if answer.ndim != 2 or answer.shape[1] != 1:
        raise ValueError(
            f"skpro's distribution of shape {answer.shape} must be (rows, 1); pass a function "
            "that predicts one target."
        )
    match type(answer).__name__:
        case "Normal":
            return Normal(_column(answer.mean()), np.sqrt(_column(answer.var())))
        case "NormalMixture":
            return _normal_mixture(answer)
        case "Mixture":
            return _mixture(answer, classes)
        case "Delta":
            return Point(_column(answer.mean()))
        case "Empirical" if answer.weights is None:
            return Mixture.from_samples(_by_row(answer.spl, answer.index).T)
        case "QPD_Empirical":
            return Quantiles(_levels(answer.quantiles), _by_row(answer.quantiles, answer.index))
    return _by_quantiles(answer, classes)


def _normal_mixture(answer: Any) -> Mixture:
    n = len(answer)
    pi, mu, sigma = (np.asarray(a, dtype=np.float64) for a in (answer.pi, answer.mu, answer.sigma))
    weights = pi / pi.sum(axis=-1, keepdims=True)
    return Mixture(Normal(mu.reshape(n, -1), sigma.reshape(n, -1)), weights.reshape(n, -1))


def _mixture(answer: Any, classes: Labels | None) -> Mixture:
    parts = [part[1] if isinstance(part, tuple) else part for part in answer.distributions]
    components = [distribution(part, classes) for part in parts]
    normal = [one for one in components if isinstance(one, Normal)]
    if len(normal) < len(components):
        kinds = ", ".join(sorted({type(part).__name__ for part in parts}))
        raise ValueError(
            f"skpro's Mixture is read where its components are normal, but these are {kinds}; "
            "pass a list of the models instead, or a function that returns (mean, std)."
        )
    shares = np.ones(len(components)) if answer.weights is None else np.asarray(answer.weights)
    members = Normal(
        np.stack([one.loc for one in normal], axis=1),
        np.stack([one.scale for one in normal], axis=1),
    )
    return Mixture(members, shares / shares.sum())


def _by_quantiles(answer: Any, classes: Labels | None) -> Distribution:
    name = type(answer).__name__
    if answer.get_tag("distr:measuretype") == "discrete":
        return of_counts(name, classes, lambda counts: _mass(answer, counts))
    if _inverts_its_cdf(answer):
        raise ValueError(
            f"skpro's {name} has no quantiles of its own; pass a function that returns "
            "(mean, std) instead."
        )
    return Quantiles(LEVELS, answer.quantile(LEVELS.tolist()))


def _inverts_its_cdf(answer: Any) -> bool:
    # skpro would compute every single quantile by bisection: minutes for a thousand rows.
    owner = next((base for base in type(answer).__mro__ if "_ppf" in vars(base)), None)
    return owner is not None and owner.__name__ == "BaseDistribution"


def _mass(answer: Any, counts: npt.NDArray[Any]) -> Floats:
    def at(count: Any) -> pd.DataFrame:
        return pd.DataFrame(float(count), index=answer.index, columns=answer.columns)

    return np.column_stack([_column(answer.pmf(at(count))) for count in counts.tolist()])


def _column(frame: pd.DataFrame) -> Floats:
    return floats(frame, "parameters")[:, 0]


def _by_row(samples: pd.DataFrame, index: pd.Index[Any]) -> Floats:
    """Reshape samples or quantiles, which skpro stores in long form, to (n, m)."""
    wide = samples.iloc[:, 0].unstack(0)
    return floats(wide.loc[index], "parameters")


def _levels(quantiles: pd.DataFrame) -> Floats:
    return np.asarray(sorted(set(quantiles.index.get_level_values(0))), dtype=np.float64)


def _read(model: Any, options: Options, _: Adapt) -> AdaptedModel:
    if not model.is_fitted:
        raise unfitted(model)
    labels = labels_of(None, options.classes)
    return AdaptedModel(lambda X: distribution(model.predict_proba(X), labels), labels)


SKPRO = Adapter(lambda model, _: from_library(model, "skpro"), _read, options=("classes",))
