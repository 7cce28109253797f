"""Rows of dots with whiskers: one row per name, one column per quantity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.plotting.html import Markup, element
from uqwidgets.plotting.svg import (
    FONT,
    PAGE,
    VERMILLION,
    WIDTH,
    Scale,
    bottom_axis,
    curve,
    fitted,
    label,
    line,
    path,
    picture,
)
from uqwidgets.plotting.text import clipped, number, pixels

ROW = 19.0
HEADER = 24.0
FOOTER = 22.0
NAMES_AT_MOST = 210.0
NUMBERS = 62.0
GAP = 18.0
DOT = 3.8


@dataclass(frozen=True, eq=False)
class Dots:
    """A column of dots.

    Attributes
    ----------
    title, colour : str
    value, low, high : ndarray of shape (k,)
    reference : float or None
        The value of no change; the scale always includes it.
    cloud : ndarray of shape (r, k) or None
        Faint marks behind the dots.
    hollow : ndarray of bool, shape (k,), or None
        Dots that are only outlined.
    beside : ndarray of shape (k,) or None
        Values to compare with, as outlined dots in another colour.
    """

    title: str
    colour: str
    value: Floats
    low: Floats
    high: Floats
    reference: float | None
    cloud: Floats | None = None
    hollow: npt.NDArray[np.bool_] | None = None
    beside: Floats | None = None


def dots(
    names: Sequence[str], columns: Sequence[Dots], summary: str, words: Sequence[str] = ()
) -> Markup:
    """Draw one row per name, the columns side by side, and a text at the end of each row."""
    name_width = min(NAMES_AT_MOST, max(pixels(name) for name in names)) + 10
    word_width = max((pixels(word) + GAP for word in words), default=0.0)
    each = (WIDTH - name_width - word_width - GAP * (len(columns) - 1)) / len(columns)
    bottom = HEADER + ROW * len(names)
    parts = []
    for row, name in enumerate(names):
        y = HEADER + (row + 0.5) * ROW
        parts.append(line(name_width, y, WIDTH, y, 0.13, stroke_dasharray="1 3"))
        parts.append(label(clipped(name, NAMES_AT_MOST), name_width - 10, y, "end"))
    for row, word in enumerate(words):
        parts.append(label(word, WIDTH - word_width + GAP, HEADER + (row + 0.5) * ROW))
    for position, column in enumerate(columns):
        left = name_width + position * (each + GAP)
        parts += _column(column, left, left + each, bottom)
    return picture(bottom + FOOTER, summary, *parts)


def _column(column: Dots, left: float, right: float, bottom: float) -> list[Markup]:
    parts = [
        element("circle", cx=left + 4, cy=FONT / 2, r=DOT, fill=column.colour),
        label(clipped(column.title, right - left - 14), left + 14, FONT / 2, font_weight="600"),
    ]
    shown: list[npt.ArrayLike] = [
        column.value,
        column.low,
        column.high,
        [] if column.reference is None else [column.reference],
    ]
    shown += [more for more in (column.cloud, column.beside) if more is not None]
    scale = fitted(shown, left + 4, right - NUMBERS)
    if scale is not None:
        parts += bottom_axis(scale, HEADER, bottom)
        if column.reference is not None:
            at = scale(column.reference)
            parts.append(line(at, HEADER, at, bottom, 0.7))
    for row in range(len(column.value)):
        parts += _row(column, row, scale, HEADER + (row + 0.5) * ROW, right)
    return parts


def _row(column: Dots, row: int, scale: Scale | None, y: float, right: float) -> list[Markup]:
    value, low, high = (float(v[row]) for v in (column.value, column.low, column.high))
    parts = [label(number(value), right, y, "end", opacity=1 if math.isfinite(value) else 0.7)]
    if scale is None:
        return parts
    if column.cloud is not None:
        marks = [scale(v) for v in column.cloud[:, row].tolist() if math.isfinite(v)]
        d = "".join(path([(x, y - 5), (x, y + 5)]) for x in marks)
        parts.append(element("path", d=d, stroke=PAGE, stroke_opacity="0.2"))
    if math.isfinite(low) and math.isfinite(high):
        parts.append(curve([scale(low), scale(high)], [y, y], stroke=column.colour, stroke_width=2))
    if math.isfinite(value):
        filled = column.hollow is None or not column.hollow[row]
        fill, stroke = (column.colour, None) if filled else ("none", column.colour)
        dot = element("circle", cx=scale(value), cy=y, r=DOT, fill=fill, stroke=stroke)
        parts.append(dot)
    if column.beside is not None and math.isfinite(column.beside[row]):
        at = scale(float(column.beside[row]))
        ring = element("circle", cx=at, cy=y, r=DOT + 1, fill="none", stroke=VERMILLION)
        parts.append(ring)
    return parts
