"""The figure of slices: how much higher a measure is in each."""

from __future__ import annotations

from uqwidgets.plotting.figure import Axis, Figure, Panel, dots
from uqwidgets.plotting.text import population, with_unit
from uqwidgets.slices.result import Slices


def slices_figure(result: Slices) -> Figure:
    """Return a dot with a whisker for each slice.

    Parameters
    ----------
    result : Slices
    """
    names = list(result.slices)
    tips = ["slice", "rows", "share", "value", "elsewhere", "difference", "low", "high"]
    marks = dots(result.frame, "difference", "slice", tips=[*tips, "p_adjusted"])
    title = with_unit(f"{result.label} in the slice minus elsewhere", result.unit)
    panel = Panel(Axis(title), Axis(names=names), marks, rules=[("x", 0.0)])
    rows = population(result.weighted, result.ess, result.n_rows, result.groups)
    subtitle = f"{result.tested_text}, {rows}"
    return Figure("Where is it worst?", subtitle, [panel], size=(640.0, 24.0 * max(1, len(names))))
