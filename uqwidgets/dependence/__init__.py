"""Partial dependence, accumulated local effects, curves of rows, and surfaces."""

from uqwidgets.dependence.accumulated import FEWEST_OF_BIN, ROWS_OF_BIN, accumulated_effects
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
    "FEWEST_OF_BIN",
    "POINTS",
    "ROWS_OF_BIN",
    "AveragedCurves",
    "CurveTransform",
    "Grid",
    "accumulated_effects",
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
