"""Partial dependence and individual conditional expectation over evaluations."""

from uqwidgets.dependence.curves import POINTS, dependence, dependences
from uqwidgets.dependence.grids import Grid, grid_of
from uqwidgets.dependence.surface import surface, surface_grids
from uqwidgets.dependence.transforms import CurveTransform

__all__ = [
    "POINTS",
    "CurveTransform",
    "Grid",
    "dependence",
    "dependences",
    "grid_of",
    "surface",
    "surface_grids",
]
