"""Static HTML of a surface: a map whose darkness is the value."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.dependence.surface_result import Surface
from uqwidgets.plotting.choice import evenly
from uqwidgets.plotting.html import Markup, element, panel, table
from uqwidgets.plotting.svg import (
    BLUE,
    FONT,
    PAGE,
    WIDTH,
    Scale,
    bottom_axis,
    fitted,
    label,
    left_axis,
    line,
    path,
    picture,
)
from uqwidgets.plotting.text import (
    NOT_AVAILABLE,
    clipped,
    counted,
    number,
    pixels,
    population,
    value_text,
    with_unit,
)

TOP, PLOT, AXIS = 24.0, 280.0, 40.0
LEGEND = 86.0
BAR = 14.0
NAMES_AT_MOST = 120.0
# The colours go from light to dark, so that they are ordered in grey and for every eye.
LIGHT, DARK = (238, 245, 250), (0, 24, 40)
SHADES = 32
# Pixels from one slanted line to the next, along an edge.
HATCH = 11


@dataclass(frozen=True, eq=False)
class Side:
    """One feature's values along an edge of the map.

    Attributes
    ----------
    edges : list of float, length g + 1
        Pixels at which cells begin and end.
    scale : Scale or None
        None where each value has a band of its own: categories, missing values, a single value.
    """

    edges: list[float]
    scale: Scale | None


def surface_html(result: Surface) -> str:
    """Show a map of the average over both features.

    Parameters
    ----------
    result : Surface

    Returns
    -------
    str
    """
    quantity = with_unit(result.label, result.unit)
    first, second = result.features
    texts = [[value_text(v) for v in grid.tolist()] for grid in result.grids]
    summary = _summary(result, texts)
    return panel(
        f"Dependence of {quantity} on {first} and {second}",
        summary,
        _map(result, texts, summary),
        [*_notes(result), *result.remarks],
        _table(result, texts),
    )


def _summary(result: Surface, texts: list[list[str]]) -> str:
    if not np.isfinite(result.average).any():
        return f"{result.label} is {NOT_AVAILABLE} at any point."

    def where(position: Any) -> str:
        at = np.unravel_index(position, result.average.shape)
        names = zip(result.features, texts, at, strict=True)
        placed = " and ".join(f"{name} = {text[int(k)]}" for name, text, k in names)
        return f"{placed} ({number(float(result.average[at]))})"

    low, high = np.nanargmin(result.average), np.nanargmax(result.average)
    share = result.h_squared
    crossed = ""
    if share <= 1:
        crossed = f" Interaction of the two makes {share:.0%} of its variance over the rows."
    elif share > 1:
        crossed = (
            " Interaction of the two cancels effects of each, since the two depend on each other."
        )
    return (
        f"Averaged over rows, {result.label} is lowest at {where(low)} and highest at "
        f"{where(high)}.{crossed}"
    )


def _notes(result: Surface) -> list[str]:
    rows = population(result.weighted, result.ess, len(result.rows))
    refits = f"{result.n_refits} refits and " if result.n_refits else ""
    notes = [f"The darker, the higher: average over {refits}{rows}."]
    far = int((~result.near).sum())
    if far:
        points = counted(result.near.size, "point")
        notes.append(f"Hatched: hardly any data here ({far} of {points} far from the data).")
    return notes


def _map(result: Surface, texts: list[list[str]], summary: str) -> Markup:
    bottom = TOP + PLOT
    shades = fitted([result.average], bottom, TOP, margin=0.0)
    title = label(clipped(with_unit(result.label, result.unit), WIDTH), 0, FONT / 2)
    if shades is None:
        return picture(TOP, summary, title)
    down = _side(result, 1, bottom, TOP)
    ticks = texts[1] if down.scale is None else [text for _, text in down.scale.ticks(44)]
    left = min(NAMES_AT_MOST, max(pixels(text) for text in ticks)) + 14 + 1.5 * FONT
    right = WIDTH - LEGEND
    along = _side(result, 0, left, right)
    names = [clipped(name, PLOT) for name in result.features]
    return picture(
        bottom + AXIS,
        summary,
        title,
        *_cells(result.average, along, down, shades),
        *_far(~result.near, along, down),
        *_labels(along, texts[0], bottom, horizontal=True),
        *_labels(down, texts[1], left, horizontal=False),
        label(names[0], (left + right) / 2, bottom + 30, "middle"),
        label(names[1], 0, 0, "middle", transform=_turned(FONT / 2, (TOP + bottom) / 2)),
        *_legend(shades),
    )


def _turned(x: float, y: float) -> str:
    return f"translate({x:g} {y:g}) rotate(-90)"


def _side(result: Surface, which: int, start: float, stop: float) -> Side:
    grid = result.grids[which]
    if result.categorical[which] or len(grid) == 1 or not np.isfinite(grid).all():
        return Side(np.linspace(start, stop, len(grid) + 1).tolist(), None)
    numbers = grid.astype(np.float64)
    scale = Scale(float(numbers[0]), float(numbers[-1]), start, stop)
    middles = numbers[:-1] + np.diff(numbers) / 2
    edges = [float(numbers[0]), *middles.tolist(), float(numbers[-1])]
    return Side([scale(v) for v in edges], scale)


def _cells(average: Floats, along: Side, down: Side, shades: Scale) -> list[Markup]:
    """One path per shade: a map has many cells and few shades."""
    known = np.isfinite(average)
    share = (np.where(known, average, shades.low) - shades.low) / (shades.high - shades.low)
    shade = np.minimum((share * SHADES).astype(np.intp), SHADES - 1)
    parts = []
    for k in np.unique(shade[known]).tolist():
        cells = np.argwhere(known & (shade == k)).tolist()
        d = "".join(_box(along.edges[i : i + 2], down.edges[j : j + 2]) for i, j in cells)
        parts.append(element("path", d=d, fill=_colour(k), shape_rendering="crispEdges"))
    return parts


def _far(far: npt.NDArray[np.bool_], along: Side, down: Side) -> list[Markup]:
    d = "".join(
        path(stroke)
        for i, j in np.argwhere(far).tolist()
        for stroke in _hatched(along.edges[i : i + 2], down.edges[j : j + 2])
    )
    # A white line within a black one is visible on every shade.
    strokes = (("#000", 2.4), ("#fff", 1.0)) if d else ()
    return [element("path", d=d, stroke=stroke, stroke_width=width) for stroke, width in strokes]


def _hatched(xs: list[float], ys: list[float]) -> Iterator[list[tuple[float, float]]]:
    """Yield the slanted lines across a cell; they continue in the neighbouring cells."""
    (left, right), (top, bottom) = sorted(xs), sorted(ys)
    first = math.ceil((left + top) / HATCH)
    for k in range(first, math.floor((right + bottom) / HATCH) + 1):
        start, stop = max(left, k * HATCH - bottom), min(right, k * HATCH - top)
        if stop > start:
            yield [(start, k * HATCH - start), (stop, k * HATCH - stop)]


def _box(xs: list[float], ys: list[float]) -> str:
    return f"M{xs[0]:.1f} {ys[0]:.1f}H{xs[1]:.1f}V{ys[1]:.1f}H{xs[0]:.1f}z"


def _colour(shade: int) -> str:
    middle = tuple(int(BLUE[k : k + 2], 16) for k in (1, 3, 5))
    share = 2 * shade / (SHADES - 1)
    ends, share = ((LIGHT, middle), share) if share <= 1 else ((middle, DARK), share - 1)
    mixed = (round(a + share * (b - a)) for a, b in zip(*ends, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)


def _labels(side: Side, texts: list[str], at: float, *, horizontal: bool) -> list[Markup]:
    if side.scale is not None:
        axis = bottom_axis if horizontal else left_axis
        return axis(side.scale, at, at + 4) if horizontal else axis(side.scale, at - 4, at)
    middles = [(a + b) / 2 for a, b in zip(side.edges[:-1], side.edges[1:], strict=True)]
    room = abs(side.edges[1] - side.edges[0])
    widest = max(pixels(text) for text in texts) + 8 if horizontal else 1.3 * FONT
    shown = evenly(len(texts), max(2, int(len(texts) * room / widest))) if widest > room else None
    parts = []
    for k in range(len(texts)) if shown is None else shown.tolist():
        if horizontal:
            parts.append(label(clipped(texts[k], 90), middles[k], at + 11, "middle"))
        else:
            parts.append(label(clipped(texts[k], NAMES_AT_MOST), at - 7, middles[k], "end"))
    return parts


def _legend(shades: Scale) -> list[Markup]:
    left = WIDTH - LEGEND + 16
    edges = np.linspace(shades.start, shades.stop, SHADES + 1).tolist()
    parts = [
        element(
            "path",
            d=_box([left, left + BAR], edges[k : k + 2]),
            fill=_colour(k),
            shape_rendering="crispEdges",
        )
        for k in range(SHADES)
    ]
    for y, text in shades.ticks(44):
        parts.append(line(left + BAR, y, left + BAR + 4, y, 0.5))
        parts.append(label(text, left + BAR + 7, y))
    return [
        *parts,
        element(
            "path",
            d=_box([left, left + BAR], edges[::SHADES]),
            fill="none",
            stroke=PAGE,
            stroke_opacity="0.3",
        ),
    ]


def _table(result: Surface, texts: list[list[str]]) -> Markup:
    """Table of the first feature by the second, in brackets what is far from the data."""
    first, second = result.features
    header = [f"{first}, by {second}", *texts[1]]
    lines = [
        [
            text,
            *(
                number(value, 4) if near else f"({number(value, 4)})"
                for value, near in zip(values, nears, strict=True)
            ),
        ]
        for text, values, nears in zip(
            texts[0], result.average.tolist(), result.near.tolist(), strict=True
        )
    ]
    return table("value", header, lines)
