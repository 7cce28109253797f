"""Draws a figure as an Altair chart, to restyle or save."""

from __future__ import annotations

import json
import sys
import warnings
from dataclasses import replace
from importlib.util import find_spec
from typing import Any, Literal

import altair as alt
import pandas as pd

from uqwidgets.plotting.figure import (
    Axis,
    Columns,
    Figure,
    Mark,
    Panel,
    Shade,
    edges,
    present,
    values_along,
)
from uqwidgets.plotting.svg import COLOURS, DASHES, PAGE, extent_with_bands

# Charts have a white background, so that the black of Okabe and Ito 2008 can be used.
PALETTE = ["#000000" if colour == PAGE else colour for colour in COLOURS]
_DASHES = [[int(length) for length in dash.split()] or [1, 0] for dash in DASHES]
FAINT = "#888888"
WIDTH = 420

# Columns of the frames have fixed names. Features never become a column: their names may hold
# what Vega-Lite reads as a path, such as dots and brackets.


def show_without_network() -> None:
    """Have notebooks show charts as SVG, which vl-convert draws without the network.

    Altair's default display loads scripts from the network. A renderer that the user has chosen,
    before or after the first chart, is left unchanged.
    """
    if alt.renderers.active != "default":
        return
    if find_spec("vl_convert"):
        alt.renderers.enable("svg")
    elif _is_in_kernel():
        warnings.warn(
            "Altair needs the network to show charts in this notebook; install the extra "
            "uqwidgets[charts], or show the result itself, which needs no network.",
            stacklevel=2,
        )


def _is_in_kernel() -> bool:
    # A script may import ipykernel too: ipywidgets does.
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


show_without_network()


def tooltips(names: list[str], numbers: list[str]) -> list[alt.Tooltip]:
    """Return tooltips: names are shown as they are, numbers with four significant digits."""
    return [
        *(alt.Tooltip(name) for name in names),
        *(alt.Tooltip(number, format=".4~g") for number in numbers),
    ]


def chart(figure: Figure) -> alt.LayerChart | alt.ConcatChart:
    """Draw a figure: its layers, or its panels."""
    return layered(figure) if len(figure.panels) == 1 else concatenated(figure)


def layered(figure: Figure) -> alt.LayerChart:
    """Draw a figure of one panel as layers.

    Parameters
    ----------
    figure : Figure

    Returns
    -------
    alt.LayerChart
        Lines of reference, then a layer for each mark.
    """
    title = alt.Title(figure.title, subtitle=figure.subtitle)
    panel = figure.panels[0]
    is_map = any(mark.kind == "cell" for mark in panel.marks)
    size: dict[str, Any] = {"width": WIDTH}
    if is_map and panel.x.names and panel.y.names:
        size = {"width": alt.Step(44), "height": alt.Step(44)}
    elif is_map or figure.size[0] < 2 * figure.size[1]:
        size["height"] = WIDTH
    return _layers(figure, panel).properties(title=title, **size)


def concatenated(figure: Figure) -> alt.ConcatChart:
    """Draw a figure of several panels.

    Parameters
    ----------
    figure : Figure

    Returns
    -------
    alt.ConcatChart
    """
    panels = []
    for panel in figure.panels:
        # All panels have rows of one height, however many series they show.
        room = 10 * len(figure.series[1]) + 10 if figure.series else 20
        height = WIDTH / 3 if panel.y.names is None else alt.Step(room, **{"for": "position"})
        layers = _layers(figure, panel).properties(width=WIDTH / 2, height=height)
        panels.append(layers.properties(title=panel.title) if panel.title else layers)
    title = alt.Title(figure.title, subtitle=figure.subtitle)
    return alt.ConcatChart(concat=panels, columns=figure.columns).properties(title=title)


def _layers(figure: Figure, panel: Panel) -> alt.LayerChart:
    """Return the marks of a panel in layers, its lines of reference behind them."""
    layers = []
    for side, value in panel.rules:
        axis = getattr(panel, side)
        scale = _scale(figure, axis, side)
        at: Any = {side: alt.datum(value, title=axis.title, scale=scale)}
        layers.append(alt.Chart().mark_rule(color=FAINT).encode(**at))
    for mark in panel.marks:
        layers.append(_layer(figure, panel, mark))
        if mark.kind == "cell" and mark.solid:
            crosses = replace(mark, kind="cross", shade=None, solid="")
            layer = _layer(figure, panel, crosses)
            layers.append(layer.transform_filter(f"!datum.{mark.solid}"))
    # Lines of reference have no data of their own.
    data = pd.DataFrame(panel.marks[0].data) if panel.rules else alt.Undefined
    return alt.LayerChart(layer=layers, data=data)


def _layer(figure: Figure, panel: Panel, mark: Mark) -> alt.Chart:
    # Only points have a shape, or are hollow.
    plain = mark.kind == "dot" and not mark.in_series and not mark.solid
    kind = "circle" if plain else _MARKS[mark.kind]
    drawn: alt.Chart = getattr(alt.Chart(_data(panel, mark)), f"mark_{kind}")(**_look(mark))
    encoding: dict[str, Any] = _places(figure, panel, mark)
    if mark.in_series:
        encoding |= _series(figure, panel, mark)
    if mark.shade is not None:
        encoding["color"] = shade_colour(mark.shade, mark.data)
    if mark.each:
        encoding["detail"] = f"{mark.each}:N"
    if mark.order:
        encoding["order"] = f"{mark.order}:Q"
    if mark.solid and mark.kind == "line":
        encoding["strokeDash"] = alt.condition(
            f"datum.{mark.solid}", alt.value([1, 0]), alt.value([2, 4])
        )
    if mark.solid and mark.kind == "dot":
        encoding["fillOpacity"] = alt.condition(f"datum.{mark.solid}", alt.value(1), alt.value(0))
    if mark.text:
        encoding["text"] = alt.Text(mark.text, format=".0%" if mark.percent else alt.Undefined)
    if mark.tips:
        is_number = {name: _is_number(mark.data[name]) for name in mark.tips}
        encoding["tooltip"] = tooltips(
            [f"{name}:N" for name in mark.tips if not is_number[name]],
            [f"{name}:Q" for name in mark.tips if is_number[name]],
        )
    return drawn.encode(**encoding)


_MARKS = {
    "line": "line",
    "band": "area",
    "interval": "rule",
    "dot": "point",
    "ring": "point",
    "square": "point",
    "stroke": "tick",
    "rug": "tick",
    "cell": "rect",
    "cross": "point",
    "text": "text",
}


def _look(mark: Mark) -> dict[str, Any]:
    """Return the style of a mark but what its data say."""
    own = {} if mark.in_series else {"color": mark.colour or FAINT}
    # A faint mark of the page's colour is as dark as a stronger one in grey.
    opacity = mark.opacity if mark.colour else min(1.0, 2 * mark.opacity)
    kinds: dict[str, dict[str, Any]] = {
        "line": {"strokeWidth": mark.width if mark.colour else 1, "opacity": opacity},
        "band": {"opacity": opacity, "clip": True},
        "interval": {"strokeWidth": 2},
        "dot": {"filled": True, "size": 60 if mark.colour else 24, "opacity": 1},
        "ring": {"filled": False, "size": 130, "strokeWidth": 2},
        "square": {"filled": False, "size": 50, "shape": "square", "opacity": 1},
        "stroke": {"opacity": 0.4},
        "text": {"align": "left", "dx": 8, "dy": -8, "limit": 160},
        "cross": {
            "shape": "cross",
            "angle": 45,
            "size": 30,
            "fill": "white",
            "stroke": "black",
            "opacity": 1,
        },
        "rug": {"orient": "vertical", "size": 8, "opacity": 0.6},
    }
    look = own | kinds.get(mark.kind, {})
    if mark.kind == "dot" and mark.solid:
        look |= {"filled": False, "fill": mark.colour}
    if mark.kind == "cell" or mark.percent:
        look = {}
    return look | ({"strokeDash": [5, 4]} if mark.dashed else {})


def _data(panel: Panel, mark: Mark) -> pd.DataFrame | alt.InlineData:
    data = pd.DataFrame(mark.data)
    if mark.kind not in ("cell", "cross"):
        return data
    for axis, name in ((panel.x, mark.x), (panel.y, mark.y)):
        if axis.names is None:
            data[f"{name}_from"], data[f"{name}_to"] = edges(data[name])
    # Altair does not limit data in line: a map has as many points as it has.
    return alt.InlineData(values=alt.to_values(data)["values"])


def _places(figure: Figure, panel: Panel, mark: Mark) -> dict[str, Any]:
    """Return where a mark stands."""
    encoding: dict[str, Any] = {}
    is_single = len(figure.panels) == 1
    sides: tuple[tuple[Literal["x", "y"], Any], ...] = (("x", alt.X), ("y", alt.Y))
    for side, of in sides:
        axis, name = getattr(panel, side), getattr(mark, side)
        if not name:
            encoding[side] = alt.value("height")  # of a rug
        elif axis.names is not None:
            labels = alt.Axis(labelLimit=240)
            encoding[side] = of(f"{name}:N", title=axis.title, sort=None, axis=labels)
        else:
            is_cell = mark.kind == "cell"
            second = f"{name}_to" if is_cell else getattr(mark, f"{side}2")
            encoding[side] = of(
                f"{name}_from:Q" if is_cell else f"{name}:Q",
                title=axis.title,
                scale=_scale(figure, axis, side),
                axis=_axis(axis, is_single=is_single),
            )
            if second:
                encoding[f"{side}2"] = f"{second}:Q"
    return encoding


def _axis(axis: Axis, *, is_single: bool) -> Any:
    if axis.ticks is not None:
        at, texts = [value for value, _ in axis.ticks], [text for _, text in axis.ticks]
        return alt.Axis(values=at, labelExpr=f"{json.dumps(texts)}[indexof({at}, datum.value)]")
    return alt.Axis(tickCount=8) if axis.tight and is_single else alt.Undefined


def _scale(figure: Figure, axis: Axis, side: Literal["x", "y"]) -> alt.Scale:
    if axis.ends is not None:
        return alt.Scale(domain=list(axis.ends))
    if axis.tight:
        return alt.Scale(zero=False, nice=False)
    values, bands = values_along(figure, axis, side)
    extent = extent_with_bands(values, bands)
    is_shared = sum(getattr(panel, side) is axis for panel in figure.panels) > 1
    # Without a finite value, Altair chooses.
    if extent is None or (bands is None and not is_shared):
        return alt.Scale(zero=False)
    return alt.Scale(domain=list(extent), nice=True)


def _series(figure: Figure, panel: Panel, mark: Mark) -> dict[str, Any]:
    """Return the colour of each series, with the dash of its lines or the shape of its dots.

    The scales name all series, so that panels side by side, which share them, agree.
    """
    assert figure.series is not None
    column, names = figure.series[0], list(figure.series[1])
    colours = [PALETTE[k % len(PALETTE)] for k in range(len(names))]
    look: dict[str, Any] = {"field": column, "type": "nominal", "title": None}
    encoding: dict[str, Any] = {}
    if any(m.kind == "line" and m.in_series for of in figure.panels for m in of.marks):
        # Without explicit symbols, the legend would take the faint colour of a band.
        symbols: dict[str, Any] = {
            "symbolType": "stroke",
            "symbolSize": 300,
            "symbolStrokeWidth": 2.5,
        }
        look["legend"] = alt.Legend(**symbols, symbolOpacity=1, labelLimit=180)
        if mark.kind == "line":
            # Beyond the number of colours, the same colours have other dashes.
            dashes = [_DASHES[(k + k // len(PALETTE)) % len(_DASHES)] for k in range(len(names))]
            scale = alt.Scale(domain=names, range=dashes)
            encoding["strokeDash"] = alt.StrokeDash(**look, scale=scale)
    else:
        look["legend"] = alt.Legend(orient="top", labelLimit=240, symbolOpacity=1, columns=3)
        if mark.kind == "dot":
            encoding["shape"] = alt.Shape(**look, scale=alt.Scale(domain=names))
        if panel.y.names is not None and len(present(figure, panel)) > 1:
            encoding["yOffset"] = alt.YOffset(f"{column}:N", sort=names)
    encoding["color"] = alt.Color(**look, scale=alt.Scale(domain=names, range=colours))
    return encoding


def shade_colour(shade: Shade, data: Columns) -> alt.Color:
    """Return the colours of a column's values: a scale of numbers, or a colour for each name."""
    if _is_number(data[shade.column]):
        colours = ["#ffffff", *shade.colours] if len(shade.colours) == 1 else list(shade.colours)
        scale = alt.Scale(range=colours) if colours else alt.Scale(scheme="viridis")
        if shade.ends is not None:
            scale = alt.Scale(range=colours, domain=list(shade.ends))
        return alt.Color(f"{shade.column}:Q", title=shade.title, scale=scale)
    # Without its own opacity, the legend would be as faint as the lines.
    legend = alt.Legend(symbolOpacity=1, labelLimit=180)
    scale = alt.Scale(range=PALETTE)
    return alt.Color(f"{shade.column}:N", title=shade.title, scale=scale, legend=legend)


def _is_number(values: Any) -> bool:
    column = pd.Series(values)
    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
