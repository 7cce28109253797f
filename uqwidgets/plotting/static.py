"""Draws a figure as SVG, for pages without a kernel and without scripts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np

from uqwidgets.plotting.choice import evenly
from uqwidgets.plotting.figure import Axis, Columns, Figure, Mark, Panel, edges, values_along
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
from uqwidgets.plotting.text import NOT_AVAILABLE, clipped, number, pixels

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
    assert axis.names is not None
    names = list(axis.labels or axis.names)[:MOST_ROWS]
    words = list(figure.words)[:MOST_ROWS]
    legend, above = _legend(figure)
    most = max(len(_present(figure, panel)) for panel in figure.panels)
    each = _ROW if most <= 1 else _STEP * most + _SPACE
    shown = [clipped(name, NAMES_AT_MOST) for name in names]
    name_width = max(pixels(name) for name in shown) + 10
    word_width = max((pixels(word) + _GAP for word in words), default=0.0)
    n = len(figure.panels)
    column = (wide - name_width - word_width - _GAP * (n - 1)) / n
    top = above + _HEAD
    bottom = top + each * len(names)
    parts = legend
    for row, name in enumerate(shown):
        y = top + (row + 0.5) * each
        parts.append(line(name_width, y, wide, y, 0.13, stroke_dasharray="1 3"))
        parts.append(label(name, name_width - 10, y, "end"))
    for row, word in enumerate(words):
        parts.append(label(word, wide - word_width + _GAP, top + (row + 0.5) * each))
    y_scale = Scale(0.0, len(names), top, bottom)
    for at, panel in enumerate(figure.panels):
        left = name_width + at * (column + _GAP)
        right = left + column
        room, heading = right - left, left
        colour = _only_colour(figure, panel)
        if colour is not None:
            y = above + FONT / 2
            parts.append(element("circle", cx=left + 4, cy=y, r=_DOT, fill=colour))
            room, heading = room - 14, left + 14
        title = clipped(panel.x.title or "", room)
        parts.append(label(title, heading, above + FONT / 2, font_weight="600"))
        x = _scale(figure, panel, "x", left + 4, right - _NUMBERS)
        if x is not None:
            parts += bottom_axis(x, top, bottom)
            parts += _rules(panel, x, y_scale)
            parts += _marks(figure, panel, x, y_scale)
        parts += _numbers(figure, panel, right, y_scale, len(names))
    return picture(bottom + _SHORT_FOOT, summary, *parts)


def _only_colour(figure: Figure, panel: Panel) -> str | None:
    """Return the colour of the dots of a panel, or None if there are several."""
    present = _present(figure, panel)
    if figure.series is None or not present:
        return next(mark.colour for mark in panel.marks if mark.kind == "dot")
    return COLOURS[list(figure.series[1]).index(present[0])] if len(present) == 1 else None


def _numbers(figure: Figure, panel: Panel, right: float, y: Scale, count: int) -> list[Markup]:
    """Return the numbers of the dots at the end of their rows."""
    (dots,) = (mark for mark in panel.marks if mark.kind == "dot")
    names, parts = list(panel.y.names or ())[:count], []
    for series, data in _groups(figure, dots):
        offset, value_of = (
            _offset(figure, panel, series),
            dict(zip(data[dots.y], data[dots.x], strict=True)),
        )
        for row, name in enumerate(names):
            value = float(value_of.get(name, math.nan))
            look = {
                "opacity": 1 if math.isfinite(value) else 0.7,
                "font_size": 10 if offset else None,
            }
            parts.append(label(number(value), right, y(row + 0.5) + offset, "end", **look))
    return parts


def _offset(figure: Figure, panel: Panel, series: str | None) -> float:
    """Return how far below the middle of its row a series stands, in pixels."""
    present = _present(figure, panel)
    if panel.y.names is None or series is None or len(present) < 2:
        return 0.0
    return (present.index(series) - (len(present) - 1) / 2) * _STEP


def _panels(figure: Figure, summary: str) -> Markup:
    """Draw panels with an axis on the left and one below."""
    wide, height = figure.size
    panels, columns = figure.panels, figure.columns
    # The names of lines stand beside their ends where there is room.
    beside = len(panels) == 1 and figure.series is not None
    parts, above = ([], 0.0) if beside else _legend(figure)
    is_shared = len(panels) > 1 and panels[0].y is panels[1].y
    head = _HEAD
    if is_shared:
        parts.append(label(clipped(panels[0].y.title or "", wide), 0, above + FONT / 2))
        above += _HEAD
        head = _HEAD if panels[0].title else 0.0
    foot = _FOOT if panels[0].x.title else _SHORT_FOOT
    column = (wide - _GAP * (columns - 1)) / columns
    bottom = above
    for at, panel in enumerate(panels):
        start = at % columns * (column + _GAP)
        top = above + at // columns * (head + height + foot) + head
        title, style = panel.title if len(panels) > 1 else "", {"font_weight": "bold"}
        if not title and not is_shared:
            heat = _cells(panel)
            title, style = (heat.shade.title if heat and heat.shade else panel.y.title or ""), {}
        if title:
            parts.append(label(clipped(title, column), start, top - head + FONT / 2, **style))
        drawing, end = _panel(figure, panel, start, start + column, top)
        parts += drawing
        bottom = max(bottom, end + foot)
    return picture(bottom, summary, *parts)


def _panel(
    figure: Figure, panel: Panel, start: float, stop: float, top: float
) -> tuple[list[Markup], float]:
    """Return the marks of a panel and its axes, and where it ends."""
    bottom = top + figure.size[1]
    has_rug = any(mark.kind == "rug" for mark in panel.marks)
    heat = _cells(panel)
    shades = scale_of_shades(heat, bottom, top) if heat else None
    y = _scale(figure, panel, "y", bottom - _RUG * has_rug, top)
    names = []
    right = stop - _RIGHT
    if figure.series is not None and len(figure.panels) == 1:
        names = [clipped(name, NAMES_AT_MOST) for name in _present(figure, panel)]
        right = stop - max((pixels(name) for name in names), default=0.0) - _SWATCH - 10
    if heat:
        right = stop - _LEGEND
    x = _scale(figure, panel, "x", start, right)
    if x is None or y is None or (heat and shades is None):
        middle = label(NOT_AVAILABLE, (start + stop) / 2, top + 10, "middle")
        return [middle], top
    spacing = min(44.0, figure.size[1] / 3)
    ticks = panel.y.names or [text for _, text in y.ticks(spacing)]
    left = start + min(NAMES_AT_MOST, max(pixels(text) for text in ticks)) + 14
    if heat:
        left += 1.5 * FONT
    x = Scale(x.low, x.high, left, right)
    parts = [
        *_axis(panel.y, y, left, right, spacing),
        *_axis(panel.x, x, top, bottom, min(58.0, (right - left) / 4), is_below=True),
    ]
    if has_rug:
        parts.append(line(left, bottom, right, bottom, 0.5))
    parts += [*_rules(panel, x, y), *_marks(figure, panel, x, y)]
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
    if names:
        parts += _names(figure, panel, names, y, right)
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
        return Scale(*axis.ends, start, stop)
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


def _rules(panel: Panel, x: Scale, y: Scale) -> list[Markup]:
    return [
        line(x(value), y.start, x(value), y.stop, 0.7)
        if of == "x"
        else line(x.start, y(value), x.stop, y(value), 0.7)
        for of, value in panel.rules
    ]


def _marks(figure: Figure, panel: Panel, x: Scale, y: Scale) -> list[Markup]:
    """Return all marks of a panel."""
    names = list(figure.series[1]) if figure.series else []
    parts: list[Markup] = []
    for mark in panel.marks:
        if mark.kind == "cell":
            shades = scale_of_shades(mark, 0.0, 1.0)
            if shades is not None:
                sides = _sides(panel, "x", x, mark), _sides(panel, "y", y, mark)
                parts += cells(mark, *sides, shades)
            continue
        for name, data in _groups(figure, mark):
            colour, dash = mark.colour, "5 4" if mark.dashed else None
            offset = _offset(figure, panel, name)
            if name is not None:
                rank = names.index(name)
                colour, dash = COLOURS[rank], DASHES[rank]
            xs = _pixels(panel.x, x, data, mark.x)
            ys = [at + offset for at in _pixels(panel.y, y, data, mark.y)]
            x2 = _pixels(panel.x, x, data, mark.x2)
            y2 = _pixels(panel.y, y, data, mark.y2)
            ends = x2 or xs, [at + offset for at in y2] if y2 else ys
            parts += _drawn(mark, data, (xs, ys), ends, colour, dash, (y.stop, y.start))
    return parts


def _drawn(
    mark: Mark,
    data: dict[str, list[Any]],
    starts: tuple[list[float], list[float]],
    ends: tuple[list[float], list[float]],
    colour: str | None,
    dash: str | None,
    limits: tuple[float, float],
) -> list[Markup]:
    """Return a mark of one colour, from the pixels of its places."""
    (xs, ys), (x2, y2) = starts, ends
    stroke = colour or PAGE
    if mark.kind == "band":
        return [band(*cut_off(xs, ys, y2, limits), stroke, mark.opacity)]
    if mark.kind == "line":
        return [_line(mark, data, xs, ys, colour, dash)]
    if mark.kind == "rug":
        # Strokes less than half a pixel apart cannot be distinguished, however many there are.
        at = sorted({round(2 * x) / 2 for x in xs})
        low = max(limits) + _RUG
        d = "".join(path([(x, low - 7), (x, low)]) for x in at)
        return [element("path", d=d, stroke=PAGE, stroke_opacity="0.45")]
    if mark.kind == "stroke":
        of_row: dict[float, list[float]] = {y: [] for y in ys}
        for x, y in zip(xs, ys, strict=True):
            if math.isfinite(x):
                of_row[y].append(x)
        return [
            element(
                "path",
                d="".join(path([(x, y - 5), (x, y + 5)]) for x in row),
                stroke=PAGE,
                stroke_opacity="0.2",
            )
            for y, row in of_row.items()
            if math.isfinite(y)
        ]
    solid = data[mark.solid] if mark.solid else [True] * len(xs)
    texts = data[mark.text] if mark.text else [""] * len(xs)
    parts = []
    for x, y, end_x, end_y, filled, text in zip(xs, ys, x2, y2, solid, texts, strict=True):
        if not np.isfinite([x, y, end_x, end_y]).all():
            continue
        if mark.kind == "interval":
            parts.append(curve([x, end_x], [y, end_y], stroke=stroke, stroke_width=2))
        elif mark.kind == "square":
            parts.append(
                element("rect", x=x - 3, y=y - 3, width=6, height=6, fill="none", stroke=stroke)
            )
        elif mark.kind == "text":
            parts.append(label(_percent(text) if mark.percent else text, x, y, "middle"))
        elif mark.kind == "ring":
            parts.append(element("circle", cx=x, cy=y, r=_DOT + 1, fill="none", stroke=stroke))
        else:
            fill, outline = (stroke, None) if filled else ("none", stroke)
            parts.append(element("circle", cx=x, cy=y, r=_DOT, fill=fill, stroke=outline))
    return parts


def _percent(share: float) -> str:
    return f"{share:.0%}" if math.isfinite(share) else "n/a"


def _line(
    mark: Mark,
    data: dict[str, list[Any]],
    xs: list[float],
    ys: list[float],
    colour: str | None,
    dash: str | None,
) -> Markup:
    if colour is None:
        return faint_curve(xs, ys, mark.opacity, dash)
    width = mark.width
    if mark.solid and not all(data[mark.solid]):
        width, dash = 2.0, "2 5"
    return curve(xs, ys, stroke=colour, stroke_width=width, stroke_dasharray=dash)


def _groups(figure: Figure, mark: Mark) -> Iterator[tuple[str | None, dict[str, list[Any]]]]:
    """Yield the columns of each series and of each line, with the name of the series."""
    used = {mark.x, mark.y, mark.x2, mark.y2, mark.solid, mark.text} - {""}
    columns = {name: list(mark.data[name]) for name in used}
    n = len(columns[mark.x])
    of_series = [None] * n
    if figure.series is not None and mark.in_series:
        of_series = list(mark.data[figure.series[0]])
    of_line = list(mark.data[mark.each]) if mark.each else [None] * n
    groups: dict[Any, dict[Any, list[int]]] = {}
    for i, (series, each) in enumerate(zip(of_series, of_line, strict=True)):
        groups.setdefault(series, {}).setdefault(each, []).append(i)
    for name in figure.series[1] if figure.series and mark.in_series else [None]:
        for chosen in groups.get(name, {}).values():
            yield name, {column: [values[i] for i in chosen] for column, values in columns.items()}


def _present(figure: Figure, panel: Panel) -> list[str]:
    """Return the series that a panel shows, in their order."""
    if figure.series is None:
        return []
    column, names = figure.series
    shown = {name for m in panel.marks if m.in_series for name in m.data[column]}
    return [name for name in names if name in shown]


def _pixels(axis: Axis, scale: Scale, data: Columns, column: str) -> list[float]:
    """Return where the values of a column stand; NaN for names that are not drawn."""
    if not column:
        return []
    if axis.names is None:
        return [scale(float(v)) for v in data[column]]
    at = {name: k + 0.5 for k, name in enumerate(axis.names) if k < scale.high}
    return [scale(at.get(name, math.nan)) for name in data[column]]


def _sides(
    panel: Panel, side: Literal["x", "y"], scale: Scale, mark: Mark
) -> list[tuple[float, float]]:
    """Return the edges of cells along an axis."""
    axis: Axis = getattr(panel, side)
    if axis.names is None:
        starts, stops = (e.tolist() for e in edges(mark.data[getattr(mark, side)]))
        return [(scale(a), scale(b)) for a, b in zip(starts, stops, strict=True)]
    half = (scale.stop - scale.start) / len(axis.names) / 2
    middles = _pixels(axis, scale, mark.data, getattr(mark, side))
    return [(at - half, at + half) for at in middles]


def _cells(panel: Panel) -> Mark | None:
    """Return the cells whose colours a legend explains."""
    marks = (m for m in panel.marks if m.kind == "cell" and m.shade and len(m.shade.colours) > 1)
    return next(marks, None)


def _legend(figure: Figure) -> tuple[list[Markup], float]:
    """Return a stroke and a name for each series, and the height they take."""
    if figure.series is None or len(figure.series[1]) < 2:
        return [], 0.0
    parts, x, y = [], 0.0, _LEGEND_LINE / 2
    for rank, name in enumerate(figure.series[1]):
        shown = clipped(name, NAMES_AT_MOST)
        wide = _SWATCH + 6 + pixels(shown) + _GAP
        if x > 0 and x + wide > figure.size[0]:
            x, y = 0.0, y + _LEGEND_LINE
        stroke = _swatch(rank, x, x + _SWATCH - 6, y, is_dashed=figure.panels[0].y.names is None)
        parts.append(stroke)
        parts.append(label(shown, x + _SWATCH, y))
        x += wide
    return parts, y + _LEGEND_LINE / 2 + 8


def _swatch(rank: int, start: float, stop: float, y: float, *, is_dashed: bool = True) -> Markup:
    dash = DASHES[rank] if is_dashed else None
    style = {"stroke": COLOURS[rank], "stroke_dasharray": dash}
    return curve([start, stop], [y, y], stroke_width=2.2, **style)


def _names(
    figure: Figure, panel: Panel, names: Sequence[str], y: Scale, right: float
) -> list[Markup]:
    """Return the names of lines, each beside the end of its line."""
    assert figure.series is not None
    (lines,) = (mark for mark in panel.marks if mark.kind == "line" and mark.in_series)
    last = []
    for _, data in _groups(figure, lines):
        known = [v for v in data[lines.y] if math.isfinite(v)]
        last.append(y(float(known[-1])) if known else y.start)
    parts = []
    ranks = [list(figure.series[1]).index(name) for name in _present(figure, panel)]
    for rank, name, at in zip(ranks, names, _apart(last, y.stop, y.start), strict=True):
        parts.append(_swatch(rank, right + 6, right + _SWATCH, at))
        parts.append(label(name, right + _SWATCH + 6, at))
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
