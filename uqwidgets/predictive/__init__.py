"""Predictive distributions, and the adapters that read them off a fitted model."""

from uqwidgets.predictive.adapters import Predictive, as_predictive
from uqwidgets.predictive.distributions import (
    Categorical,
    Distribution,
    Mixture,
    NegativeBinomial,
    Normal,
    Point,
    Poisson,
    Quantiles,
)

__all__ = [
    "Categorical",
    "Distribution",
    "Mixture",
    "NegativeBinomial",
    "Normal",
    "Point",
    "Poisson",
    "Predictive",
    "Quantiles",
    "as_predictive",
]
