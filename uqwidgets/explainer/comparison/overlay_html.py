"""Static HTML of results that are laid over each other."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets.explainer.comparison.overlay_result import NAMES_AT_MOST, Overlay
from uqwidgets.importance.result import Importance
from uqwidgets.plotting.html import Markup, element, panel, table
from uqwidgets.plotting.svg import (
    FONT,
    WIDTH,
    Scale,
    band,
    bottom_axis,
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
    listed,
    number,
    pixels,
    sentence,
    value_text,
)
from uqwidgets.stress.html import COLOURS, DASHES

MOST_ROWS = 30
SWATCH, LEGEND_LINE = 28.0, 18.0
STEP, SPACE, DOT = 10.0, 8.0, 3.4
HEAD, HEIGHT, FOOT, GAP = 20.0, 190.0, 40.0, 16.0


def overlay_html(result: Overlay) -> str:
    """Show dots with whiskers, or lines with bands, one colour for each result.

    Parameters
    ----------
    result : Overlay

    Returns
    -------
    str
    """
    marks = result.marks
    summary = _summary(result, marks)
    legend, top = _legend(list(result.names))
    title = label(clipped(sentence(result.quantity), WIDTH), 0, top + FONT / 2)
    values: list[npt.ArrayLike] = [marks[k].to_numpy() for k in ("value", "low", "high")]
    if not np.isfinite(marks["value"].to_numpy(dtype=float)).any():
        middle = label(NOT_AVAILABLE, WIDTH / 2, top + 30, "middle")
        drawing = picture(top + 50, summary, *legend, title, middle)
    elif result.categorical:
        drawing = _dots(result, marks, values, [*legend, title], top + 22, summary)
    else:
        drawing = _panels(result, marks, values, [*legend, title], top + 22, summary)
    return panel(
        result.title, summary, drawing, [*_notes(result, marks), *result.remarks], _table(marks)
    )


def _summary(result: Overlay, marks: pd.DataFrame) -> str:
    parts = []
    for name, short in zip(result.names, result.short_names, strict=True):
        own = marks[(marks["result"] == name) & marks["value"].notna()]
        if len(own) == 0:
            parts.append(f"{NOT_AVAILABLE} ({short})")
        elif isinstance(result.results[0], Importance):
            parts.append(f"{own['x'].iloc[int(own['value'].argmax())]} ({short})")
        else:
            ends = number(float(own["value"].min())), number(float(own["value"].max()))
            parts.append(f"{ends[0]} to {ends[1]} ({short})")
    if isinstance(result.results[0], Importance):
        return f"The most important feature is {listed(parts)}."
    return f"{sentence(result.quantity)}: {listed(parts)}."


def _notes(result: Overlay, marks: pd.DataFrame) -> list[str]:
    notes = list(result.how)
    if result.roc_path:
        notes.append("Each path goes from the lowest τ to the highest, where its dot is.")
    elif not result.categorical:
        notes.append("Bands: intervals of each result.")
    rows = marks["x"].nunique() if result.categorical else 0
    if rows > MOST_ROWS:
        notes.append(f"Drawn are the first {MOST_ROWS} of {rows}.")
    notes.append("Intervals of the same rows are not independent of each other.")
    return notes


def _legend(names: list[str]) -> tuple[list[Markup], float]:
    """Return a stroke and a name for each result, and the height they take."""
    parts, x, y = [], 0.0, LEGEND_LINE / 2
    for rank, name in enumerate(names):
        shown = clipped(name, NAMES_AT_MOST)
        wide = SWATCH + 6 + pixels(shown) + GAP
        if x > 0 and x + wide > WIDTH:
            x, y = 0.0, y + LEGEND_LINE
        parts.append(curve([x, x + SWATCH], [y, y], stroke_width=2.5, **_style(rank)))
        parts.append(label(shown, x + SWATCH + 6, y))
        x += wide
    return parts, y + LEGEND_LINE / 2 + 8


def _style(rank: int) -> dict[str, str]:
    return {"stroke": COLOURS[rank], "stroke_dasharray": DASHES[rank]}


def _dots(
    result: Overlay,
    marks: pd.DataFrame,
    values: list[npt.ArrayLike],
    above: list[Markup],
    top: float,
    summary: str,
) -> Markup:
    rows = marks["x"].unique().tolist()[:MOST_ROWS]
    shown = [clipped(name, NAMES_AT_MOST) for name in rows]
    left = max(pixels(name) for name in shown) + 14
    first = result.results[0]
    reference = [first.unchanged] if isinstance(first, Importance) else []
    x = fitted([*values, reference], left, WIDTH - 8)
    each = STEP * len(result.names) + SPACE
    bottom = top + each * len(rows)
    parts = [*above]
    if x is not None:
        parts += bottom_axis(x, top, bottom)
        parts += [line(x(v), top, x(v), bottom, 0.7) for v in reference]
    for at, name in enumerate(shown):
        parts.append(label(name, left - 10, top + (at + 0.5) * each, "end"))
        parts.append(line(left, top + at * each, WIDTH - 8, top + at * each, 0.13))
    for rank, name in enumerate(result.names):
        own = marks[marks["result"] == name].drop_duplicates("x").set_index("x")
        for at, row in enumerate(rows):
            if x is None or row not in own.index:
                continue
            y = top + at * each + SPACE / 2 + (rank + 0.5) * STEP
            value, low, high = own.loc[row, ["value", "low", "high"]].astype(float).tolist()
            if np.isfinite(low) and np.isfinite(high):
                parts.append(curve([x(low), x(high)], [y, y], stroke=COLOURS[rank], stroke_width=2))
            if np.isfinite(value):
                parts.append(element("circle", cx=x(value), cy=y, r=DOT, fill=COLOURS[rank]))
    return picture(bottom + 24, summary, *parts)


def _panels(
    result: Overlay,
    marks: pd.DataFrame,
    values: list[npt.ArrayLike],
    above: list[Markup],
    top: float,
    summary: str,
) -> Markup:
    features = marks["panel"].unique().tolist()
    columns = 1 if len(features) == 1 else 2
    head = 0.0 if len(features) == 1 else HEAD
    each = head + HEIGHT + FOOT
    parts = [*above]
    numbers: Floats = marks["x"].to_numpy(dtype=np.float64)
    for at, feature in enumerate(features):
        upper = top + at // columns * each + head
        y = fitted([*values], upper + HEIGHT, upper)
        if y is None:
            continue
        margin = max(pixels(text) for _, text in y.ticks(44)) + 14
        wide = (WIDTH - GAP * (columns - 1)) / columns
        start = at % columns * (wide + GAP)
        left, right = start + margin, start + wide - 8
        x = fitted([numbers], left, right, margin=0.0)
        if x is None:
            continue
        if head:
            parts.append(label(clipped(feature, right - left), left, upper - 9, font_weight="bold"))
        parts += [*left_axis(y, left, right), *bottom_axis(x, upper, upper + HEIGHT)]
        middle = (left + right) / 2
        title = clipped(result.across, right - left)
        parts.append(label(title, middle, upper + HEIGHT + 28, "middle"))
        parts += _lines(result, marks, feature, numbers, (x, y))
    height = top + -(-len(features) // columns) * each
    return picture(height, summary, *parts)


def _lines(
    result: Overlay,
    marks: pd.DataFrame,
    feature: str,
    numbers: Floats,
    scales: tuple[Scale, Scale],
) -> list[Markup]:
    x, y = scales
    bands, lines = [], []
    for rank, name in enumerate(result.names):
        chosen = ((marks["result"] == name) & (marks["panel"] == feature)).to_numpy()
        own = marks[chosen]
        xs = [x(v) for v in numbers[chosen].tolist()]
        value, low, high = (list(map(y, own[k].tolist())) for k in ("value", "low", "high"))
        bands.append(band(xs, low, high, COLOURS[rank], 0.13))
        lines.append(curve(xs, value, stroke_width=2.4, **_style(rank)))
        if result.roc_path and np.isfinite([xs[-1], value[-1]]).all():
            lines.append(element("circle", cx=xs[-1], cy=value[-1], r=DOT + 1, fill=COLOURS[rank]))
    return [*bands, *lines]


def _table(marks: pd.DataFrame) -> Markup:
    panels = marks["panel"].ne("").any()
    header = ["result", *(["feature"] if panels else []), "at", "value", "low", "high"]
    numbers = marks[["value", "low", "high"]].to_numpy(dtype=np.float64)
    texts = zip(marks["result"], marks["panel"], marks["x"], strict=True)
    lines = [
        [name, *([of] if panels else []), value_text(x), *(number(v, 4) for v in ends)]
        for (name, of, x), ends in zip(texts, numbers.tolist(), strict=True)
    ]
    return table("value", header, lines)
