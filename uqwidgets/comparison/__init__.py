"""Differences of two models of the same rows: paired, row by row and pair by pair."""

from uqwidgets.comparison.dependence import dependence_difference
from uqwidgets.comparison.importance import importance_difference
from uqwidgets.comparison.indicators import indicator_minus
from uqwidgets.comparison.pair import Pair
from uqwidgets.comparison.result import Difference
from uqwidgets.comparison.scores import agreeing_shares, scores_difference

__all__ = [
    "Difference",
    "Pair",
    "agreeing_shares",
    "dependence_difference",
    "importance_difference",
    "indicator_minus",
    "scores_difference",
]
