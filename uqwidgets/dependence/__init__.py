"""Partial dependence, individual conditional expectation, and surfaces of two features."""

from uqwidgets.dependence.curves import (
    POINTS,
    AveragedCurves,
    CurveTransform,
    checked_lines,
    curve_blocks,
    curves_of_rows,
    dependence,
    dependence_of_averages,
    dependences,
)
from uqwidgets.dependence.grids import Grid, grid_of
from uqwidgets.dependence.surface import (
    surface,
    surface_features,
    surface_grids,
    surface_replacements,
)

__all__ = [
    "POINTS",
    "AveragedCurves",
    "CurveTransform",
    "Grid",
    "checked_lines",
    "curve_blocks",
    "curves_of_rows",
    "dependence",
    "dependence_of_averages",
    "dependences",
    "grid_of",
    "surface",
    "surface_features",
    "surface_grids",
    "surface_replacements",
]
