"""Distributions of other libraries as ours."""

from __future__ import annotations

from typing import Any

from scipy.stats.distributions import rv_frozen

from uqwidgets.predictive.adapters import ngboost, skpro
from uqwidgets.predictive.adapters.frozen import from_frozen
from uqwidgets.predictive.adapters.reading import Labels, from_library
from uqwidgets.predictive.distributions import Distribution


def distribution_of(answer: Any, classes: Labels | None) -> Distribution | None:
    """Return a distribution as ours, exact where we have its kind; None for anything else.

    Ours, NGBoost's, skpro's and frozen ones of `scipy.stats`, with one entry per row. What is
    neither normal nor a mixture of normals nor categorical is read by its own quantiles. Counts
    are read as probabilities of ``classes``, the counts that are possible.
    """
    if isinstance(answer, Distribution):
        return answer
    if from_library(answer, "ngboost"):
        return ngboost.distribution(answer, classes)
    if from_library(answer, "skpro"):
        return skpro.distribution(answer, classes)
    if isinstance(answer, rv_frozen):
        return from_frozen(answer, classes)
    return None
