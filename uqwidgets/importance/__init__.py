"""Importance: how much a measure rises, or a score falls, when values are replaced."""

from uqwidgets.importance.metric_importance import metric_importance
from uqwidgets.importance.permutation import (
    importance_of_changes,
    mean_changes,
    permutation_importance,
    remarks_on_ceiling,
    remarks_on_pairs,
)
from uqwidgets.importance.sampled import sampled_importance
from uqwidgets.importance.settings import Settings

__all__ = [
    "Settings",
    "importance_of_changes",
    "mean_changes",
    "metric_importance",
    "permutation_importance",
    "remarks_on_ceiling",
    "remarks_on_pairs",
    "sampled_importance",
]
