"""Altair charts of results, to restyle, to combine or to save."""

from __future__ import annotations

from uqwidgets.charts.decomposition import decomposition_chart
from uqwidgets.charts.dependence import dependence_chart
from uqwidgets.charts.diagnosis import diagnosis_chart
from uqwidgets.charts.importance import importance_chart
from uqwidgets.charts.importance_over_tau import importance_over_tau_chart
from uqwidgets.charts.performance import comparison_chart, performance_chart
from uqwidgets.charts.pixels import pixel_chart
from uqwidgets.charts.redundancy import redundancy_chart
from uqwidgets.charts.stress import stress_chart
from uqwidgets.charts.surface import surface_chart

__all__ = [
    "comparison_chart",
    "decomposition_chart",
    "dependence_chart",
    "diagnosis_chart",
    "importance_chart",
    "importance_over_tau_chart",
    "performance_chart",
    "pixel_chart",
    "redundancy_chart",
    "stress_chart",
    "surface_chart",
]
