"""The cells of a static picture whose colours are their values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from uqwidgets.plotting.figure import Mark
from uqwidgets.plotting.html import Markup, element
from uqwidgets.plotting.svg import PAGE, Scale, fitted, label, line, path

SHADES = 32
_BAR = 14.0
# Pixels from one slanted line to the next, along an edge.
_HATCH = 11

Edges = Sequence[tuple[float, float]]


def scale_of_shades(mark: Mark, bottom: float, top: float) -> Scale | None:
    """Return the scale of the legend of cells, or None without any number."""
    assert mark.shade is not None
    if mark.shade.ends is not None:
        return Scale(*mark.shade.ends, bottom, top)
    return fitted([mark.data[mark.shade.column]], bottom, top, margin=0.0)


def cells(mark: Mark, xs: Edges, ys: Edges, shades: Scale) -> list[Markup]:
    """Draw cells between their edges; there is one path per shade, since these are few.

    Parameters
    ----------
    mark : Mark
    xs, ys : sequence of tuple of float
        Left and right, lower and upper edge of each cell.
    shades : Scale
    """
    assert mark.shade is not None
    values = np.asarray(mark.data[mark.shade.column], dtype=np.float64)
    known = np.isfinite(values)
    share = (np.where(known, values, shades.low) - shades.low) / (shades.high - shades.low)
    shade = np.minimum((share * SHADES).astype(np.intp), SHADES - 1)
    parts = []
    for k in np.unique(shade[known]).tolist():
        d = "".join(_box(xs[i], ys[i]) for i in np.flatnonzero(known & (shade == k)).tolist())
        parts.append(element("path", d=d, **_look(mark.shade.colours, k)))
    far = ~np.asarray(mark.data[mark.solid], dtype=bool) if mark.solid else np.zeros_like(known)
    d = "".join(
        path(stroke) for i in np.flatnonzero(far).tolist() for stroke in _hatched(xs[i], ys[i])
    )
    # A white line within a black one is visible on every shade.
    strokes = (("#000", 2.4), ("#fff", 1.0)) if d else ()
    return parts + [
        element("path", d=d, stroke=stroke, stroke_width=width) for stroke, width in strokes
    ]


def legend_of_shades(mark: Mark, left: float, shades: Scale) -> list[Markup]:
    """Draw a bar of all shades with their numbers."""
    assert mark.shade is not None
    edges = np.linspace(shades.start, shades.stop, SHADES + 1).tolist()
    across = (left, left + _BAR)
    parts = [
        element("path", d=_box(across, edges[k : k + 2]), **_look(mark.shade.colours, k))
        for k in range(SHADES)
    ]
    for y, text in shades.ticks(44):
        parts.append(line(left + _BAR, y, left + _BAR + 4, y, 0.5))
        parts.append(label(text, left + _BAR + 7, y))
    frame = _box(across, edges[::SHADES])
    return [*parts, element("path", d=frame, fill="none", stroke=PAGE, stroke_opacity="0.3")]


def _look(colours: Sequence[str], shade: int) -> dict[str, str]:
    """Return the colour of a shade: between colours, or one colour that is more or less faint."""
    share = shade / (SHADES - 1)
    if len(colours) == 1:
        return {"fill": colours[0], "fill_opacity": f"{0.05 + 0.5 * share:.2f}"}
    at = min(int(share * (len(colours) - 1)), len(colours) - 2)
    share = share * (len(colours) - 1) - at
    ends = ([int(colour[k : k + 2], 16) for k in (1, 3, 5)] for colour in colours[at : at + 2])
    mixed = (round(a + share * (b - a)) for a, b in zip(*ends, strict=True))
    fill = "#" + "".join(f"{part:02x}" for part in mixed)
    return {"fill": fill, "shape_rendering": "crispEdges"}


def _hatched(xs: Sequence[float], ys: Sequence[float]) -> Iterator[list[tuple[float, float]]]:
    """Yield the slanted lines across a cell; they continue in the neighbouring cells."""
    (left, right), (top, bottom) = sorted(xs), sorted(ys)
    first = math.ceil((left + top) / _HATCH)
    for k in range(first, math.floor((right + bottom) / _HATCH) + 1):
        start, stop = max(left, k * _HATCH - bottom), min(right, k * _HATCH - top)
        if stop > start:
            yield [(start, k * _HATCH - start), (stop, k * _HATCH - stop)]


def _box(xs: Sequence[float], ys: Sequence[float]) -> str:
    return f"M{xs[0]:.1f} {ys[0]:.1f}H{xs[1]:.1f}V{ys[1]:.1f}H{xs[0]:.1f}z"
