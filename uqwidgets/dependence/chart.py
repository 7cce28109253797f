"""Altair charts of a dependence, and of a surface as a map."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from uqwidgets._utils.options import MOST_POINTS, checked_count
from uqwidgets.dependence.curve_grid_result import CurveGrid
from uqwidgets.dependence.result import Dependence, thin_lines
from uqwidgets.dependence.rows_chart import colours_of
from uqwidgets.dependence.rows_chart import own_values as own_of
from uqwidgets.dependence.surface_result import Surface
from uqwidgets.plotting.altair import FAINT, WIDTH, tooltips
from uqwidgets.plotting.choice import segments
from uqwidgets.plotting.svg import BLUE
from uqwidgets.plotting.text import value_text, with_unit

# The average over lines that have colours of their own.
_DARK = "#222222"
_CURVE = ["average:Q", "low:Q", "high:Q"]
_MAP = [*_CURVE, "interaction:Q"]


def dependence_chart(
    result: Dependence, color_by: Any = None, own_values: bool = False, rug: bool = False
) -> alt.LayerChart:
    """Return a curve with its band over lines of single rows; for categories, dots with whiskers.

    Parameters
    ----------
    result : Dependence
    color_by, own_values, rug
        See `Dependence.to_altair`.

    Returns
    -------
    alt.LayerChart
    """
    frame, lines = result.frame, _thin(result)
    drawn, values = thin_lines(result)
    colour: Any = {}
    if color_by is not None:
        if result.per_refit is not None:
            raise ValueError(
                "the lines of a learner are its refits, which color_by cannot colour; draw the "
                "curve of a fitted model."
            )
        colours, encoding = colours_of(result, color_by, drawn)
        lines["colour"] = np.repeat(np.array(colours, dtype=object), len(result.grid))
        colour = {"color": encoding}
    own = own_of(result, drawn, values) if own_values or rug else None
    if own is not None and color_by is not None:
        own["colour"] = own["row"].map(dict(zip(drawn.tolist(), colours, strict=True)))
    # A curve needs two values; a single one is a dot, as a category is.
    is_apart = result.categorical or len(result.grid) == 1
    draw = _values_apart if is_apart else _curve
    average = BLUE if color_by is None else _DARK
    looks: dict[str, Any] = {"average": average, "own_values": own_values, "rug": rug}
    layers = draw(result, frame, lines, own, colour, **looks)
    spread, far = ("interval", "hollow") if is_apart else ("band", "dashed")
    return alt.LayerChart(layer=layers).properties(
        width=WIDTH,
        title=alt.Title(
            result.title,
            subtitle=f"{_mean(result)} with {result.level:.0%} {spread}; "
            f"{_drawn(result, lines['row'].nunique())}"
            + ("" if result.near.all() else f"; {far} far from the data"),
        ),
    )


def _values_apart(
    result: Dependence,
    frame: pd.DataFrame,
    lines: pd.DataFrame,
    own: pd.DataFrame | None,
    colour: Any,
    *,
    average: str,
    own_values: bool,
    rug: bool,  # noqa: ARG001  a rug needs an axis of numbers
) -> list[alt.Chart]:
    """Return layers with a dot, its whiskers and the ticks of single rows for every value."""
    for table in (frame, lines):
        # A category may be anything, but JSON knows text.
        table["value"] = table["value"].map(value_text)
    measured = _measured(result)
    grid = alt.Y("value:N", title=result.feature, sort=None)
    base = alt.Chart(frame).encode(y=grid, tooltip=tooltips(["value:N"], _CURVE))
    layers = [
        alt.Chart(lines)
        .mark_tick(color=FAINT, opacity=0.4)
        .encode(y=grid, x=alt.X("ice:Q", **measured), **colour),
        base.mark_rule(color=average, strokeWidth=2).encode(
            x=alt.X("low:Q", **measured), x2="high:Q"
        ),
        base.mark_point(color=average, fill=average, size=80, opacity=1).encode(
            x=alt.X("average:Q", **measured),
            fillOpacity=alt.condition("datum.near", alt.value(1), alt.value(0)),
        ),
    ]
    if own is not None and own_values:
        layers.append(
            alt.Chart(own)
            .mark_circle(color=FAINT, size=24, opacity=0.9)
            .encode(y=grid, x=alt.X("ice:Q", **measured), **colour)
        )
    return layers


def _curve(
    result: Dependence,
    frame: pd.DataFrame,
    lines: pd.DataFrame,
    own: pd.DataFrame | None,
    colour: Any,
    *,
    average: str,
    own_values: bool,
    rug: bool,
) -> list[alt.Chart]:
    """Return layers with the curve, its band and the lines of single rows."""
    measured = _measured(result)
    scale = alt.Scale(zero=False, nice=False)
    along = alt.X("value:Q", title=result.feature, scale=scale, axis=alt.Axis(tickCount=8))
    base = alt.Chart(frame).encode(x=along, tooltip=tooltips([], ["value:Q", *_CURVE]))
    layers = [
        alt.Chart(lines)
        .mark_line(color=FAINT, opacity=0.3, strokeWidth=1)
        .encode(x=along, y=alt.Y("ice:Q", **measured), detail="row:N", **colour),
        base.mark_area(color=average, opacity=0.3).encode(
            y=alt.Y("low:Q", **measured), y2="high:Q"
        ),
        alt.Chart(_parts(result))
        .mark_line(color=average, strokeWidth=3)
        .encode(
            x=along,
            y=alt.Y("average:Q", **measured),
            detail="part:N",
            strokeDash=alt.condition("datum.solid", alt.value([1, 0]), alt.value([2, 4])),
        ),
    ]
    if own is not None and own_values:
        layers.append(
            alt.Chart(own)
            .mark_circle(color=FAINT, size=24, opacity=0.9)
            .encode(x=along, y=alt.Y("ice:Q", **measured), **colour)
        )
    if own is not None and rug:
        layers.append(
            alt.Chart(own)
            .mark_tick(color=FAINT, orient="vertical", size=8, opacity=0.6)
            .encode(x=along, y=alt.value("height"), **colour)
        )
    return layers


def _measured(result: Dependence) -> dict[str, Any]:
    """Return the title and the scale of the axis of the measure."""
    title = with_unit(result.quantity, result.unit)
    return {"title": title, "scale": alt.Scale(zero=False)}


def _parts(result: Dependence) -> pd.DataFrame:
    """Points of the average, part by part, with whether its part is near the data."""
    frame = result.frame[["value", "average"]]
    parts = segments(result.near)
    return pd.concat(
        [frame[start:stop].assign(part=k, solid=s) for k, (start, stop, s) in enumerate(parts)],
        ignore_index=True,
    )


def _mean(result: Dependence) -> str:
    return f"mean over {result.n_refits} refits" if result.n_refits else "average"


def _drawn(result: Dependence, drawn: int) -> str:
    return f"{drawn} refits" if result.n_refits else f"{drawn} of {len(result.rows)} rows"


def _thin(result: Dependence) -> pd.DataFrame:
    """Long table of the lines that are drawn, of rows or refits: columns ``row, value, ice``."""
    points = len(result.grid)
    rows, lines = thin_lines(result)
    return pd.DataFrame(
        {
            "row": np.repeat(rows, points),
            "value": np.tile(result.grid, len(rows)),
            "ice": lines.ravel(),
        }
    )


def curve_grid_chart(grid: CurveGrid, columns: int) -> alt.ConcatChart:
    """Return a panel for each feature; all have the same vertical axis.

    Parameters
    ----------
    grid : CurveGrid
    columns : int

    Returns
    -------
    alt.ConcatChart
    """
    ends = np.concatenate([[one.average, one.low, one.high] for one in grid.curves], axis=1)
    finite = ends[np.isfinite(ends)]
    shared = alt.Scale(zero=False)
    if len(finite):
        shared = alt.Scale(domain=[float(finite.min()), float(finite.max())])
    columns = checked_count(columns, "columns", 1, MOST_POINTS)
    panels = []
    for at, one in enumerate(grid.curves):
        frame = one.frame
        title = grid.quantity if at % columns == 0 else None
        names, numbers = [], ["value:Q", *_CURVE]
        measured: Any = {"title": title, "scale": shared}
        along = alt.X("value:Q", title=one.feature, scale=alt.Scale(zero=False, nice=False))
        is_one = one.categorical or len(one.grid) == 1
        if is_one:
            # A category may be anything, but JSON knows text.
            frame["value"] = frame["value"].map(value_text)
            names, numbers = ["value:N"], _CURVE
            along = alt.X("value:N", title=one.feature, sort=None)
        base = alt.Chart(frame).encode(x=along, tooltip=tooltips(names, numbers))
        spread = base.mark_rule(color=BLUE) if is_one else base.mark_area(color=BLUE, opacity=0.3)
        average = base.mark_point(color=BLUE, fill=BLUE) if is_one else base.mark_line(color=BLUE)
        panel = alt.LayerChart(
            layer=[
                spread.encode(y=alt.Y("low:Q", **measured), y2="high:Q"),
                average.encode(y=alt.Y("average:Q", **measured)),
            ]
        )
        panels.append(panel.properties(width=WIDTH / 2, height=WIDTH / 3))
    return alt.ConcatChart(concat=panels, columns=columns)


def surface_chart(result: Surface) -> alt.LayerChart:
    """Return a map of the average, with a cross on what is far from the data.

    Parameters
    ----------
    result : Surface

    Returns
    -------
    alt.LayerChart
    """
    quantity = with_unit(result.label, result.unit)
    frame, kinds = result.frame, []
    cells: dict[str, Any] = {}
    points: dict[str, Any] = {}
    for which, (name, axis, place) in enumerate((("first", "x", alt.X), ("second", "y", alt.Y))):
        grid, title = result.grids[which], result.features[which]
        if _banded(result, which):
            # A category may be anything, but JSON knows text.
            frame[name] = frame[name].map(value_text)
            kinds.append(f"{name}:N")
            cells[axis] = points[axis] = place(f"{name}:N", title=title, sort=None)
            continue
        at = np.indices(result.near.shape)[which].ravel()
        middles = grid[:-1] + np.diff(grid) / 2
        edges = np.concatenate([grid[:1], middles, grid[-1:]])
        frame[f"{name}_from"], frame[f"{name}_to"] = edges[at], edges[at + 1]
        scale: Any = alt.Scale(zero=False, nice=False)
        kinds.append(f"{name}:Q")
        cells[axis] = place(f"{name}_from:Q", title=title, scale=scale)
        cells[f"{axis}2"] = f"{name}_to:Q"
        points[axis] = place(f"{name}:Q", title=title, scale=scale)
    # Altair does not limit data in line: a map has as many points as it has.
    base = alt.Chart(alt.InlineData(values=alt.to_values(frame)["values"]))
    numbers = [kind for kind in kinds if kind.endswith("Q")]
    names = [kind for kind in kinds if kind.endswith("N")]
    shade = alt.Color("average:Q", title=quantity, scale=alt.Scale(scheme="blues"))
    tips = tooltips([*names, "near:N"], [*numbers, *_MAP])
    refits = f"{result.n_refits} refits and " if result.n_refits else ""
    far = int((~result.near).sum())
    return alt.LayerChart(
        layer=[
            base.mark_rect().encode(color=shade, tooltip=tips, **cells),
            base.transform_filter("!datum.near")
            .mark_point(shape="cross", angle=45, size=30, fill="white", stroke="black", opacity=1)
            .encode(tooltip=tips, **points),
        ]
    ).properties(
        width=WIDTH,
        height=WIDTH * 0.8,
        title=alt.Title(
            f"Dependence of {quantity} on {result.features[0]} and {result.features[1]}",
            subtitle=f"average over {refits}{len(result.rows)} rows"
            + (f"; crosses: {far} points far from the data" if far else ""),
        ),
    )


def _banded(result: Surface, which: int) -> bool:
    grid = result.grids[which]
    return result.categorical[which] or len(grid) == 1 or not np.isfinite(grid).all()
