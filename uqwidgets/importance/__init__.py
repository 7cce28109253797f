"""Importance: how much a measure rises, or a score falls, when values are replaced."""

from uqwidgets.importance.metric_importance import metric_differences, metric_importance
from uqwidgets.importance.permutation import (
    Estimates,
    FeatureRanking,
    build_result,
    change_of_differences,
    importance_of_changes,
    mean_changes,
    permutation_importance,
    provenance,
)
from uqwidgets.importance.remarks import (
    remarks_on_ceiling,
    remarks_on_many,
    remarks_on_measure,
    remarks_on_pairs,
    remarks_on_tails,
    remarks_on_weights,
)
from uqwidgets.importance.sampled import Sampled, importance_of_samples, sampled_importance
from uqwidgets.importance.settings import ImportanceOptions, Settings

__all__ = [
    "Estimates",
    "FeatureRanking",
    "ImportanceOptions",
    "Sampled",
    "Settings",
    "build_result",
    "change_of_differences",
    "importance_of_changes",
    "importance_of_samples",
    "mean_changes",
    "metric_differences",
    "metric_importance",
    "permutation_importance",
    "provenance",
    "remarks_on_ceiling",
    "remarks_on_many",
    "remarks_on_measure",
    "remarks_on_pairs",
    "remarks_on_tails",
    "remarks_on_weights",
    "sampled_importance",
]
