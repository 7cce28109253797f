"""Every kind of predictive distribution, vectorised over rows, under one name."""

from __future__ import annotations

from uqwidgets.predictive.base import PerRow, Rows
from uqwidgets.predictive.categorical import Categorical, class_codes, classes_among
from uqwidgets.predictive.checks import InvalidRowError
from uqwidgets.predictive.mixture import Mixture
from uqwidgets.predictive.normal import Normal
from uqwidgets.predictive.point import Point
from uqwidgets.predictive.quantiles import Quantiles

Distribution = Categorical | Normal | Mixture | Quantiles | Point

__all__ = [
    "Categorical",
    "Distribution",
    "InvalidRowError",
    "Mixture",
    "Normal",
    "PerRow",
    "Point",
    "Quantiles",
    "Rows",
    "class_codes",
    "classes_among",
]
