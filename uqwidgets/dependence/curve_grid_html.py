"""Static HTML of curves side by side on one vertical axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from uqwidgets.dependence.curve_grid_result import CurveGrid
from uqwidgets.dependence.result import Dependence
from uqwidgets.plotting.html import Markup, element, panel, table
from uqwidgets.plotting.svg import (
    BLUE,
    FONT,
    PAGE,
    WIDTH,
    Scale,
    band,
    curve,
    fitted,
    label,
    left_axis,
    line,
    picture,
)
from uqwidgets.plotting.text import (
    NOT_AVAILABLE,
    clipped,
    counted,
    number,
    pixels,
    sentence,
    value_text,
)

COLUMNS, HEIGHT, GAP = 3, 84.0, 14.0
# Above a panel its feature, below it the ends of its axis.
HEAD, FOOT, TITLE = 20.0, 22.0, 22.0


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
    ends: list[Any] = [values for one in grid.curves for values in (one.average, one.low, one.high)]
    y = fitted(ends, HEIGHT, 0.0)
    title = label(clipped(grid.quantity, WIDTH), 0, FONT / 2)
    if y is None:
        drawing = picture(TITLE + 20, summary, title, label(NOT_AVAILABLE, 0, TITLE + 10))
    else:
        margin = max(pixels(text) for _, text in y.ticks(30)) + 14
        panels = [_panel(one, y, margin, at) for at, one in enumerate(grid.curves)]
        n_lines = -(-len(grid.curves) // COLUMNS)
        drawing = picture(TITLE + n_lines * (HEAD + HEIGHT + FOOT), summary, title, *panels)
    first = grid.curves[0]
    notes = [
        f"All panels have one vertical axis. Bands and strokes: {first.level:.0%} intervals, over "
        f"{counted(len(first.rows), 'row')}."
    ]
    return panel(
        f"{sentence(grid.quantity)} along {counted(len(grid.curves), 'feature')}",
        summary,
        drawing,
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


def _panel(of: Dependence, y: Scale, margin: float, at: int) -> Markup:
    width = (WIDTH - margin - GAP * (COLUMNS - 1)) / COLUMNS
    left = margin + at % COLUMNS * (width + GAP)
    top = TITLE + at // COLUMNS * (HEAD + HEIGHT + FOOT) + HEAD
    n = len(of.grid)
    if of.categorical or n == 1:
        xs = [(i + 0.5) / n * width for i in range(n)]
        marks = [
            mark
            for x, average, low, high in zip(xs, of.average, of.low, of.high, strict=True)
            if np.isfinite(average)
            for mark in _dot(x, y, average, low, high)
        ]
    else:
        grid = of.grid.astype(np.float64)
        scale = Scale(float(grid[0]), float(grid[-1]), 0.0, width)
        xs = [scale(value) for value in grid.tolist()]
        low, high, average = (
            [y(v) for v in values.tolist()] for values in (of.low, of.high, of.average)
        )
        marks = [
            band(xs, low, high, BLUE, 0.3),
            curve(xs, average, stroke=BLUE, stroke_width=2.2),
        ]
    first, last = value_text(of.grid[0]), value_text(of.grid[-1])
    axis = left_axis(y, 0, width, 30) if at % COLUMNS == 0 else _lines(y, width)
    parts = [
        *axis,
        line(0, HEIGHT, width, HEIGHT, 0.5),
        *marks,
        label(clipped(of.feature, width), 0, -9, font_weight="bold"),
        label(clipped(first, width / 2 - 4), 0, HEIGHT + 10),
        *([label(clipped(last, width / 2 - 4), width, HEIGHT + 10, "end")] if n > 1 else []),
    ]
    return element("g", *parts, transform=f"translate({left:.1f} {top:.1f})")


def _lines(y: Scale, width: float) -> list[Markup]:
    return [line(0, at, width, at, 0.13) for at, _ in y.ticks(30)]


def _dot(x: float, y: Scale, average: float, low: float, high: float) -> list[Markup]:
    whisker = []
    if np.isfinite(low) and np.isfinite(high):
        whisker = [line(x, y(low), x, y(high), 0.8)]
    return [*whisker, element("circle", cx=x, cy=y(average), r=3, fill=BLUE, stroke=PAGE)]


def _table(grid: CurveGrid) -> Markup:
    lines = [
        (one.feature, value_text(value), *(number(v, 4) for v in of_value))
        for one in grid.curves
        for value, *of_value in zip(one.grid.tolist(), one.average, one.low, one.high, strict=True)
    ]
    return table("value", ["feature", "value", grid.quantity, "low", "high"], lines)
