"""Importance over evaluations: how much a measure rises when values are replaced."""

from uqwidgets.importance.measure_importance import importance, summarised
from uqwidgets.importance.metric_importance import metric_importance
from uqwidgets.importance.permutation import changes, original_values, questions
from uqwidgets.importance.remarks import floored, unpaired
from uqwidgets.importance.settings import Settings
from uqwidgets.importance.streaming import streamed

__all__ = [
    "Settings",
    "changes",
    "floored",
    "importance",
    "metric_importance",
    "original_values",
    "questions",
    "streamed",
    "summarised",
    "unpaired",
]
