"""Comparison: differences of two models of the same rows, and several results in one picture."""

from uqwidgets.explainer.comparison.dependence import dependence_difference
from uqwidgets.explainer.comparison.importance import importance_difference
from uqwidgets.explainer.comparison.indicators import indicator_minus
from uqwidgets.explainer.comparison.pair import Pair
from uqwidgets.explainer.comparison.result import Difference
from uqwidgets.explainer.comparison.scores import agreeing_shares, scores_difference

__all__ = [
    "Difference",
    "Pair",
    "agreeing_shares",
    "dependence_difference",
    "importance_difference",
    "indicator_minus",
    "scores_difference",
]
