"""Static HTML of curves side by side on one vertical axis."""

from __future__ import annotations

import numpy as np

from uqwidgets.dependence.curve_grid_result import CurveGrid
from uqwidgets.dependence.figure import curve_grid_figure
from uqwidgets.plotting.html import Markup, panel, table
from uqwidgets.plotting.static import drawn
from uqwidgets.plotting.text import (
    NOT_AVAILABLE,
    counted,
    counted_rows,
    number,
    sentence,
    value_text,
)


def curve_grid_html(grid: CurveGrid) -> str:
    """Show the curves with their bands; for categories, dots with their intervals.

    Parameters
    ----------
    grid : CurveGrid

    Returns
    -------
    str
    """
    summary = _summary(grid)
    first = grid.curves[0]
    notes = [
        f"All panels have one vertical axis. Bands and strokes: {first.level:.0%} intervals, over "
        f"{counted_rows(len(first.rows), first.groups)}."
    ]
    return panel(
        f"{sentence(grid.quantity)} along {counted(len(grid.curves), 'feature')}",
        summary,
        drawn(curve_grid_figure(grid), summary),
        [*notes, *grid.remarks],
        _table(grid),
    )


def _summary(grid: CurveGrid) -> str:
    known = [one for one in grid.curves if np.isfinite(one.average).any()]
    if not known:
        return f"{sentence(grid.quantity)} is {NOT_AVAILABLE}."
    spread = [float(np.nanmax(one.average) - np.nanmin(one.average)) for one in known]
    most = int(np.argmax(spread))
    if not spread[most] > 0:
        return f"{sentence(grid.quantity)} is the same at every value of every feature."
    return (
        f"{sentence(grid.quantity)} changes most along {known[most].feature}, by "
        f"{number(spread[most])} between its highest and its lowest average."
    )


def _table(grid: CurveGrid) -> Markup:
    lines = [
        (one.feature, value_text(value), *of_value)
        for one in grid.curves
        for value, *of_value in zip(one.grid.tolist(), one.average, one.low, one.high, strict=True)
    ]
    return table("value", ["feature", "value", grid.quantity, "low", "high"], lines)
