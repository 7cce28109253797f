"""Draws a figure as SVG, for pages without a kernel and without scripts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from uqwidgets.plotting.choice import evenly
from uqwidgets.plotting.figure import Axis, Figure, Mark, Panel, edges, present, values_along
from uqwidgets.plotting.heat import cells, legend_of_shades, scale_of_shades
from uqwidgets.plotting.html import Markup, element
from uqwidgets.plotting.svg import (
    COLOURS,
    DASHES,
    FONT,
    PAGE,
    Scale,
    band,
    bottom_axis,
    curve,
    cut_off,
    extent_with_bands,
    faint_curve,
    fitted,
    label,
    left_axis,
    line,
    path,
    picture,
)
from uqwidgets.plotting.text import NOT_AVAILABLE, clipped, distinct, number, pixels

MOST_ROWS = 30
NAMES_AT_MOST = 210.0
# Rows of dots: their height, with one dot and with several, and the room for numbers beside them.
_ROW, _STEP, _SPACE, _NUMBERS, _DOT = 19.0, 12.0, 8.0, 62.0, 3.8
_GAP, _RIGHT = 18.0, 14.0
# Room above a panel, and below it with and without a title of its axis.
_HEAD, _FOOT, _SHORT_FOOT, _RUG = 24.0, 40.0, 22.0, 12.0
# The name of a line beside its end, or above the panels.
_SWATCH, _LINE_HEIGHT, _LEGEND_LINE = 30.0, 16.0, 18.0
# Room for the legend of cells.
_LEGEND = 86.0


def drawn(figure: Figure, summary: str) -> Markup:
    """Draw a figure.

    Parameters
    ----------
    figure : Figure
        Its panels have either rows of dots, with names along their vertical axes, or other marks.
    summary : str
        What the picture says, in words.
    """
    first = figure.panels[0]
    if first.y.names is not None and not any(mark.kind == "cell" for mark in first.marks):
        return _rows(figure, summary)
    return _panels(figure, summary)


def left_out(count: int) -> list[str]:
    """Return a note on the rows that a picture leaves out, if there are more than it draws."""
    if count <= MOST_ROWS:
        return []
    return [f"Drawn are the first {MOST_ROWS}; {count - MOST_ROWS} more are left out."]


def _rows(figure: Figure, summary: str) -> Markup:
    """Draw one row per name, the panels side by side, and a text at the end of each row."""
    axis, wide = figure.panels[0].y, figure.size[0]
    rows = list(axis.names or ())[:MOST_ROWS]
    whole = list(axis.labels or rows)[: len(rows)]
    names = [clipped(name, NAMES_AT_MOST) for name in distinct(whole)]
    words = figure.words[: len(rows)]
    parts, above = _legend(figure)
    most = max(len(present(figure, panel)) for panel in figure.panels)
    each = _STEP * most + _SPACE if most > 1 else _ROW
    name_width = max(pixels(name) for name in names) + 10
    word_width = max((pixels(word) + _GAP for word in words), default=0.0)
    columns = len(figure.panels)
    column = (wide - name_width - word_width - _GAP * (columns - 1)) / columns
    top, title_at = above + _HEAD, above + FONT / 2
    y = Scale(0.0, len(rows), top, top + each * len(rows))
    for row, name in enumerate(names):
        at = y(row + 0.5)
        parts.append(line(name_width, at, wide, at, 0.13, stroke_dasharray="1 3"))
        parts.append(label(name, name_width - 10, at, "end"))
    parts += [label(w, wide - word_width + _GAP, y(row + 0.5)) for row, w in enumerate(words)]
    for number_of, panel in enumerate(figure.panels):
        left = name_width + number_of * (column + _GAP)
        x = _scale(figure, panel, "x", left + 4, left + column - _NUMBERS)
        plot = _Plot(figure, panel, x or Scale(0.0, 1.0, left, left), y)
        (dots,) = (plot.groups(mark) for mark in panel.marks if mark.kind == "dot")
        indent = 0
        if len(dots) == 1:
            parts.append(element("circle", cx=left + 4, cy=title_at, r=_DOT, fill=dots[0].colour))
            indent = 14
        title = clipped(panel.x.title or "", column - indent)
        parts.append(label(title, left + indent, title_at, font_weight="600"))
        if x is not None:
            parts += [*bottom_axis(x, y.start, y.stop), *plot.rules(), *plot.marks()]
        for group in dots:
            parts += _numbers(group, rows, left + column, y)
    return picture(y.stop + _SHORT_FOOT, summary, *parts)


def _numbers(dots: _Group, rows: Sequence[str], right: float, y: Scale) -> list[Markup]:
    """Return the numbers of dots at the end of their rows."""
    value_of = dict(zip(dots.data["y"], dots.data["x"], strict=True))
    parts = []
    for row, name in enumerate(rows):
        value, at = float(value_of.get(name, math.nan)), y(row + 0.5) + dots.offset
        opacity, size = 1 if math.isfinite(value) else 0.7, 10 if dots.offset else None
        parts.append(label(number(value), right, at, "end", opacity=opacity, font_size=size))
    return parts


def _panels(figure: Figure, summary: str) -> Markup:
    """Draw panels with an axis on the left and one below."""
    (wide, height), panels, columns = figure.size, figure.panels, figure.columns
    is_alone = len(panels) == 1
    # The names of the lines of a single panel stand beside their ends.
    parts, above = ([], 0.0) if is_alone else _legend(figure)
    is_shared = not is_alone and panels[0].y is panels[1].y
    head, foot = _HEAD, _FOOT if panels[0].x.title else _SHORT_FOOT
    if is_shared:
        parts.append(label(clipped(panels[0].y.title or "", wide), 0, above + FONT / 2))
        above += _HEAD
        head = _HEAD if panels[0].title else 0.0
    column = (wide - _GAP * (columns - 1)) / columns
    bottom = above
    for at, panel in enumerate(panels):
        start = at % columns * (column + _GAP)
        top = above + at // columns * (head + height + foot) + head
        title: str = panel.title
        weight: str | None = "bold"
        if is_alone or not (title or is_shared):
            heat = _cells(panel)
            title, weight = heat.shade.title if heat and heat.shade else panel.y.title or "", None
        if title:
            title = clipped(title, column)
            parts.append(label(title, start, top - head + FONT / 2, font_weight=weight))
        drawing, end = _panel(figure, panel, start, start + column, top)
        parts += drawing
        bottom = max(bottom, end + foot)
    return picture(bottom, summary, *parts)


def _panel(
    figure: Figure, panel: Panel, start: float, stop: float, top: float
) -> tuple[list[Markup], float]:
    """Return the marks of a panel and its axes, and where it ends."""
    bottom, right = top + figure.size[1], stop - _RIGHT
    has_rug = any(mark.kind == "rug" for mark in panel.marks)
    names = present(figure, panel) if len(figure.panels) == 1 else []
    names = [clipped(name, NAMES_AT_MOST) for name in names]
    if names:
        right = stop - max(pixels(name) for name in names) - _SWATCH - 10
    heat = _cells(panel)
    shades = scale_of_shades(heat, bottom, top) if heat else None
    if heat:
        right = stop - _LEGEND
    y = _scale(figure, panel, "y", bottom - _RUG * has_rug, top)
    x = _scale(figure, panel, "x", start, right)
    if x is None or y is None or (heat and shades is None):
        return [label(NOT_AVAILABLE, (start + stop) / 2, top + 10, "middle")], top
    spacing = min(44.0, figure.size[1] / 3)
    ticks = panel.y.names or [text for _, text in y.ticks(spacing)]
    left = start + min(NAMES_AT_MOST, max(pixels(text) for text in ticks)) + 14
    if heat:
        left += 1.5 * FONT
    plot = _Plot(figure, panel, replace(x, start=left, stop=right), y)
    parts = [
        *_axis(panel.y, y, left, right, spacing),
        *_axis(panel.x, plot.x, top, bottom, min(58.0, (right - left) / 4), is_below=True),
        *([line(left, bottom, right, bottom, 0.5)] if has_rug else []),
        *plot.rules(),
        *plot.marks(),
        *_names(plot, names),
    ]
    if heat and shades:
        turned = f"translate({FONT / 2:g} {(top + bottom) / 2:g}) rotate(-90)"
        title = clipped(panel.y.title or "", bottom - top)
        parts.append(label(title, 0, 0, "middle", transform=turned))
        parts += legend_of_shades(heat, right + 16, shades)
    if panel.x.title:
        title = clipped(panel.x.title, stop - start)
        # A title that is wider than its axis starts with it.
        is_wide = pixels(title) > right - left
        at = left if is_wide else (left + right) / 2
        parts.append(label(title, at, bottom + 30, "start" if is_wide else "middle"))
    return parts, bottom


def _scale(
    figure: Figure, panel: Panel, side: Literal["x", "y"], start: float, stop: float
) -> Scale | None:
    """Return the scale of an axis, for all panels that share it; None without any number."""
    axis: Axis = getattr(panel, side)
    if axis.names is not None:
        # The first name is on the left, or on top.
        return Scale(0.0, len(axis.names), min(start, stop), max(start, stop))
    if axis.ends is not None:
        return Scale(*axis.ends, start, stop, axis.ticks)
    values, bands = values_along(figure, axis, side)
    extent = extent_with_bands(values, bands)
    return fitted([extent or []], start, stop, margin=0.0 if axis.tight else 0.04)


def _axis(
    axis: Axis,
    scale: Scale,
    start: float,
    stop: float,
    spacing: float,
    *,
    is_below: bool = False,
) -> list[Markup]:
    """Return the labels of an axis, and its grid lines from ``start`` to ``stop``."""
    if axis.names is None:
        axis_of = bottom_axis if is_below else left_axis
        return axis_of(scale, start, stop, spacing)
    texts = list(axis.labels or axis.names)
    room = abs(scale.stop - scale.start) / len(texts)
    widest = max(pixels(text) for text in texts) + 8 if is_below else 1.3 * FONT
    most = max(2, int(len(texts) * room / widest))
    parts = []
    for k in evenly(len(texts), most).tolist():
        at = scale(k + 0.5)
        if is_below:
            text = clipped(texts[k], max(90.0, room))
            parts.append(label(text, at, stop + 11, "middle"))
        else:
            parts.append(label(clipped(texts[k], NAMES_AT_MOST), start - 7, at, "end"))
    return parts


@dataclass(frozen=True, eq=False)
class _Group:
    """The lines of a mark's table that have one look: those of a series, or of a line.

    Attributes
    ----------
    data : dict of list
        The columns that the mark refers to, by the field that names them.
    colour, dash : str or None
    offset : float
        How far below the middle of its row it stands, in pixels.
    """

    data: dict[str, list[Any]]
    colour: str | None
    dash: str | None
    offset: float = 0.0


@dataclass(frozen=True, eq=False)
class _Plot:
    """A panel whose axes have their places."""

    figure: Figure
    panel: Panel
    x: Scale
    y: Scale

    def rules(self) -> list[Markup]:
        """Return the lines of reference."""
        x, y = self.x, self.y
        return [
            line(x(value), y.start, x(value), y.stop, 0.7)
            if side == "x"
            else line(x.start, y(value), x.stop, y(value), 0.7)
            for side, value in self.panel.rules
        ]

    def marks(self) -> list[Markup]:
        """Return all marks, from the back to the front."""
        parts: list[Markup] = []
        for mark in self.panel.marks:
            if mark.kind != "cell":
                for group in self.groups(mark):
                    parts += self._drawn(mark, group)
            elif (shades := scale_of_shades(mark, 0.0, 1.0)) is not None:
                parts += cells(mark, self._edges("x", mark), self._edges("y", mark), shades)
        return parts

    def groups(self, mark: Mark) -> list[_Group]:
        """Return the lines of each series, or of each value of the column ``each``."""
        columns = {field: mark.data[c] for field in _FIELDS if (c := getattr(mark, field))}
        # Floats of Python are faster than those of numpy.
        data = {f: c.tolist() if hasattr(c, "tolist") else list(c) for f, c in columns.items()}
        series = self.figure.series if mark.in_series else None
        split = series[0] if series else mark.each
        lines: dict[Any, list[int]] = {}
        for i, key in enumerate(mark.data[split] if split else [None] * len(data["x"])):
            lines.setdefault(key, []).append(i)

        def of(key: Any) -> dict[str, list[Any]]:
            return {field: [values[i] for i in lines[key]] for field, values in data.items()}

        if series is None:
            dash = "5 4" if mark.dashed else None
            return [_Group(of(key), mark.colour, dash) for key in lines]
        names = [name for name in present(self.figure, self.panel) if name in lines]
        ranks = [list(series[1]).index(name) for name in names]
        # Several series share the row of a name.
        step = _STEP if self.panel.y.names is not None else 0.0
        return [
            _Group(of(name), COLOURS[rank], DASHES[rank], step * (k - (len(names) - 1) / 2))
            for k, (name, rank) in enumerate(zip(names, ranks, strict=True))
        ]

    def places(self, group: _Group, field: str) -> list[float]:
        """Return the pixels of a field, "x", "y", "x2" or "y2"; NaN for names without a row."""
        axis, scale = (self.panel.x, self.x) if field[0] == "x" else (self.panel.y, self.y)
        values = group.data.get(field, [])
        if axis.names is not None:
            row = {name: k + 0.5 for k, name in enumerate(axis.names) if k < scale.high}
            values = [row.get(name, math.nan) for name in values]
        at = scale.pixels(values)
        return [v + group.offset for v in at] if group.offset and field[0] == "y" else at

    def _edges(self, side: Literal["x", "y"], mark: Mark) -> list[tuple[float, float]]:
        """Return the edges of cells along an axis."""
        (group,) = self.groups(mark)
        axis, scale = (self.panel.x, self.x) if side == "x" else (self.panel.y, self.y)
        if axis.names is None:
            starts, stops = (ends.tolist() for ends in edges(group.data[side]))
            return [(scale(a), scale(b)) for a, b in zip(starts, stops, strict=True)]
        half = (scale.stop - scale.start) / len(axis.names) / 2
        return [(at - half, at + half) for at in self.places(group, side)]

    def _drawn(self, mark: Mark, group: _Group) -> list[Markup]:
        """Return the marks of one look."""
        xs, ys = self.places(group, "x"), self.places(group, "y")
        x2 = self.places(group, "x2") if mark.x2 else xs
        y2 = self.places(group, "y2") if mark.y2 else ys
        colour = group.colour or PAGE
        if mark.kind == "band":
            return [band(*cut_off(xs, ys, y2, (self.y.stop, self.y.start)), colour, mark.opacity)]
        if mark.kind == "line" and group.colour is None:
            return [faint_curve(xs, ys, mark.opacity, group.dash)]
        if mark.kind == "line":
            width, dash = mark.width, group.dash
            if not all(group.data.get("solid", ())):
                width, dash = 2.0, "2 5"
            return [curve(xs, ys, stroke=colour, stroke_width=width, stroke_dasharray=dash)]
        if mark.kind == "rug":
            # Strokes less than half a pixel apart cannot be distinguished, however many there are.
            half = sorted({round(2 * x) / 2 for x in xs})
            low = self.y.start + _RUG
            return [_strokes([(x, low - 7, low) for x in half], 0.45)]
        if mark.kind == "stroke":
            rows: dict[float, list[tuple[float, float, float]]] = {}
            for x, y in zip(xs, ys, strict=True):
                if math.isfinite(x) and math.isfinite(y):
                    rows.setdefault(y, []).append((x, y - 5, y + 5))
            return [_strokes(row, 0.2) for row in rows.values()]
        solid = group.data.get("solid", [True] * len(xs))
        texts = group.data.get("text", [""] * len(xs))
        parts = []
        for *place, filled, text in zip(xs, ys, x2, y2, solid, texts, strict=True):
            if np.isfinite(place).all():
                parts.append(_point(mark, place, colour if filled else None, colour, text))
        return parts


_FIELDS = ("x", "y", "x2", "y2", "solid", "text")


def _strokes(strokes: Sequence[tuple[float, float, float]], opacity: float) -> Markup:
    """Return vertical strokes, each from its x and both ends."""
    d = "".join(path([(x, start), (x, stop)]) for x, start, stop in strokes)
    return element("path", d=d, stroke=PAGE, stroke_opacity=f"{opacity:g}")


def _point(mark: Mark, place: Sequence[float], fill: str | None, colour: str, text: Any) -> Markup:
    """Return one interval, dot or text."""
    x, y, x2, y2 = place
    if mark.kind == "interval":
        return curve([x, x2], [y, y2], stroke=colour, stroke_width=2)
    if mark.kind == "square":
        return element("rect", x=x - 3, y=y - 3, width=6, height=6, fill="none", stroke=colour)
    if mark.kind == "text" and mark.percent:
        return label(f"{text:.0%}" if math.isfinite(text) else "n/a", x, y, "middle")
    if mark.kind == "text":
        return label(text, x + 8, y, font_size=10, fill=colour)
    if mark.kind == "ring":
        return element("circle", cx=x, cy=y, r=_DOT + 1, fill="none", stroke=colour)
    outline = None if fill else colour
    return element("circle", cx=x, cy=y, r=_DOT, fill=fill or "none", stroke=outline)


def _cells(panel: Panel) -> Mark | None:
    """Return the cells whose colours a legend explains."""
    marks = (m for m in panel.marks if m.kind == "cell" and m.shade and len(m.shade.colours) > 1)
    return next(marks, None)


def _legend(figure: Figure) -> tuple[list[Markup], float]:
    """Return a stroke and a name for each series, and the height they take."""
    if figure.series is None or len(figure.series[1]) < 2:
        return [], 0.0
    parts, x, y = [], 0.0, _LEGEND_LINE / 2
    has_rows = figure.panels[0].y.names is not None
    for name, colour, dash in zip(figure.series[1], COLOURS, DASHES, strict=False):
        shown = clipped(name, NAMES_AT_MOST)
        wide = _SWATCH + 6 + pixels(shown) + _GAP
        if x > 0 and x + wide > figure.size[0]:
            x, y = 0.0, y + _LEGEND_LINE
        parts.append(_swatch(x, y, colour, None if has_rows else dash))
        parts.append(label(shown, x + _SWATCH, y))
        x += wide
    return parts, y + _LEGEND_LINE / 2 + 8


def _swatch(x: float, y: float, colour: str | None, dash: str | None) -> Markup:
    style = {"stroke": colour, "stroke_width": 2.2, "stroke_dasharray": dash}
    return curve([x, x + _SWATCH - 6], [y, y], **style)


def _names(plot: _Plot, names: Sequence[str]) -> list[Markup]:
    """Return the names of lines, each beside the end of its line."""
    if not names:
        return []
    y, at = plot.y, plot.x.stop + 6
    (lines,) = (m for m in plot.panel.marks if m.kind == "line" and m.in_series)
    groups = plot.groups(lines)
    known = ([v for v in plot.places(group, "y") if math.isfinite(v)] for group in groups)
    places = _apart([values[-1] if values else y.start for values in known], y.stop, y.start)
    parts = []
    for name, group, place in zip(names, groups, places, strict=True):
        parts.append(_swatch(at, place, group.colour, group.dash))
        parts.append(label(name, at + _SWATCH, place))
    return parts


def _apart(positions: list[float], top: float, bottom: float) -> list[float]:
    """Move labels apart by as little as makes each legible, in the order of their lines."""
    order = np.argsort(positions, kind="stable").tolist()
    moved = [0.0] * len(positions)
    at = top - _LINE_HEIGHT
    for k in order:
        at = moved[k] = max(positions[k], at + _LINE_HEIGHT)
    limit = bottom
    for k in reversed(order):
        moved[k] = min(moved[k], limit)
        limit = moved[k] - _LINE_HEIGHT
    return moved
