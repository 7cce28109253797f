"""Partial dependence, individual conditional expectation, and surfaces of two features."""

from uqwidgets.dependence.curves import (
    POINTS,
    CurveTransform,
    checked_lines,
    curves_of_rows,
    dependence,
    dependences,
)
from uqwidgets.dependence.grids import Grid, grid_of
from uqwidgets.dependence.surface import surface, surface_features, surface_grids

__all__ = [
    "POINTS",
    "CurveTransform",
    "Grid",
    "checked_lines",
    "curves_of_rows",
    "dependence",
    "dependences",
    "grid_of",
    "surface",
    "surface_features",
    "surface_grids",
]
