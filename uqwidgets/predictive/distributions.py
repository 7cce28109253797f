"""All kinds of predictive distributions, vectorised over rows."""

from __future__ import annotations

from uqwidgets.predictive.base import InvalidRowError, PredictiveDistribution, Rows, SumError
from uqwidgets.predictive.categorical import (
    Categorical,
    class_codes,
    classes_among,
    label_positions,
    positive_position,
)
from uqwidgets.predictive.counts import Counts, NegativeBinomial, Poisson
from uqwidgets.predictive.member_values import MemberValues
from uqwidgets.predictive.mixture import Mixture
from uqwidgets.predictive.normal import Normal
from uqwidgets.predictive.point import Point, PredictedLabels
from uqwidgets.predictive.quantiles import Quantiles

Distribution = Categorical | Normal | Poisson | NegativeBinomial | Mixture | Quantiles | Point

__all__ = [
    "Categorical",
    "Counts",
    "Distribution",
    "InvalidRowError",
    "MemberValues",
    "Mixture",
    "NegativeBinomial",
    "Normal",
    "Point",
    "Poisson",
    "PredictedLabels",
    "PredictiveDistribution",
    "Quantiles",
    "Rows",
    "SumError",
    "class_codes",
    "classes_among",
    "label_positions",
    "positive_position",
]
