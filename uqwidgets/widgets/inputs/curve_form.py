"""The values and the form of the picked feature's curve that the inputs choose."""

from __future__ import annotations

from typing import Any

from uqwidgets.dependence import CurveTransform, Grid, grid_of
from uqwidgets.evaluation.table import Table
from uqwidgets.widgets.inputs.center import nearest_point
from uqwidgets.widgets.inputs.inputs import Inputs

#: At most so many values of a number have a curve.
N_VALUES = 49


def curve_grid(table: Table, inputs: Inputs) -> Grid:
    """Return the values of the picked feature at which the inputs draw its curve."""
    return grid_of(table, inputs.feature, N_VALUES, inputs.spacing)


def curve_form(table: Table, grid: Grid, inputs: Inputs) -> CurveTransform:
    """Return the form of the curves; categories and single values have no slope.

    Parameters
    ----------
    table : Table
    grid : Grid
        Values at which the curves are evaluated.
    inputs : Inputs

    Returns
    -------
    CurveTransform
    """
    if inputs.derivative and not grid.categorical and len(grid) > 1:
        return CurveTransform(derivative=True)
    if inputs.relative:
        return CurveTransform(relative=True)
    return CurveTransform(center=inputs.center and _center(table, grid, inputs.center_at))


def _center(table: Table, grid: Grid, at: str) -> Any:
    """Return the value at which lines are 0; True for the first."""
    place = nearest_point(table, grid, at) if at else None
    # True and False stand for a choice, so a point that is one of them cannot be named.
    if not place or isinstance(grid.points[place], bool):
        return True
    return grid.points[place]
