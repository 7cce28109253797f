"""Static HTML of a dependence curve, or of dots for categories."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets.dependence.result import Dependence, thin_lines
from uqwidgets.evaluation.distinct import positions_of
from uqwidgets.plotting.choice import MOST_CURVES, segments
from uqwidgets.plotting.dots import Dots, dots
from uqwidgets.plotting.html import Markup, element, panel, table
from uqwidgets.plotting.svg import (
    BLUE,
    FONT,
    PAGE,
    WIDTH,
    Scale,
    band,
    bottom_axis,
    curve,
    faint_curve,
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

TOP, PLOT, RUG, AXIS = 24.0, 220.0, 12.0, 40.0
RIGHT = 14.0
MOST_CATEGORIES = 30


def dependence_html(result: Dependence, most_lines: int = MOST_CURVES) -> str:
    """Show a curve with its band and some of its rows; for categories, a dot each.

    Parameters
    ----------
    result : Dependence
    most_lines : int, optional
        Number of rows whose lines are drawn; with 0, nothing of a single row is.

    Returns
    -------
    str
    """
    values = [value_text(value) for value in result.grid.tolist()]
    summary = _summary(result, values)
    if result.categorical or len(values) == 1:
        drawing, notes = _categories(result, values, summary, most_lines)
    else:
        drawing, notes = _curve(result, summary, most_lines)
    return panel(result.title, summary, drawing, [*notes, *result.remarks], _table(result, values))


def _quantity(result: Dependence) -> str:
    return with_unit(result.quantity, result.unit)


def _summary(result: Dependence, values: list[str]) -> str:
    known = np.isfinite(result.average)
    if not result.categorical:
        known &= np.isfinite(result.grid)
    known = np.flatnonzero(known)
    if len(known) == 0:
        return f"{result.quantity} is {NOT_AVAILABLE} at any value of {result.feature}."
    lowest = known[result.average[known].argmin()]
    highest = known[result.average[known].argmax()]

    over = "Averaged over refits and rows" if result.n_refits else "Averaged over rows"

    def at(position: int) -> str:
        return f"{number(result.average[position])} at {values[position]}"

    def where(position: int) -> str:
        return f"{values[position]} ({number(result.average[position])})"

    extremes = f"is lowest at {where(lowest)} and highest at {where(highest)}"
    if number(result.average[lowest]) == number(result.average[highest]) and len(known) > 1:
        same = number(result.average[lowest])
        return f"{over}, {result.quantity} is {same} at every value."
    if len(known) == 1:
        return f"{over}, {result.quantity} is {at(known[0])}."
    if result.categorical:
        return f"{over}, {result.quantity} {extremes}."
    ends = f"goes from {at(known[0])} to {at(known[-1])}"
    if {lowest, highest} == {known[0], known[-1]}:
        return f"{over}, {result.quantity} {ends}."
    return f"{over}, {result.quantity} {ends}; it {extremes}."


def _mean(result: Dependence) -> str:
    return f"mean over {result.n_refits} refits" if result.n_refits else "average"


def _drawn(result: Dependence, drawn: int) -> str:
    if result.n_refits:
        return f"the refits, each over those of {counted(len(result.rows), 'row')} it has not seen"
    rows = population(result.weighted, result.ess, len(result.rows))
    if drawn == len(result.rows):
        return f"{rows}, all drawn"
    return f"{drawn} of {rows}, evenly chosen"


def _curve(result: Dependence, summary: str, most_lines: int) -> tuple[Markup, list[str]]:
    _, thin = thin_lines(result, most_lines)
    compared = result.derivative or result.relative or result.center is not None
    zero = [0.0] if compared else []
    y = fitted([thin, result.average, result.low, result.high, zero], TOP + PLOT, TOP)
    margin = 20.0 if y is None else max(pixels(text) for _, text in y.ticks(44)) + 14
    x = fitted([result.grid], margin, WIDTH - RIGHT, margin=0.0)
    title = label(clipped(_quantity(result), WIDTH), 0, FONT / 2)
    if x is None or y is None:
        middle = label(NOT_AVAILABLE, WIDTH / 2, TOP + 20, "middle")
        return picture(TOP + 40, summary, title, middle), []
    bottom = TOP + PLOT + RUG
    rug, beyond = _rug(result, x, bottom)
    xs = [x(v) for v in result.grid.astype(np.float64).tolist()]
    parts = [
        *left_axis(y, margin, WIDTH - RIGHT),
        *bottom_axis(x, bottom, bottom + 4),
        line(margin, bottom, WIDTH - RIGHT, bottom, 0.5),
        *(faint_curve(xs, [y(v) for v in row], 0.16) for row in thin.tolist()),
        *(line(margin, y(v), WIDTH - RIGHT, y(v), 0.7) for v in zero),
        band(xs, list(map(y, result.low.tolist())), list(map(y, result.high.tolist())), BLUE, 0.35),
        *_average(xs, [y(v) for v in result.average.tolist()], result.near),
        *([rug] if most_lines else []),
        title,
        label(
            clipped(result.feature, WIDTH - margin - RIGHT),
            (margin + WIDTH - RIGHT) / 2,
            bottom + 30,
            "middle",
        ),
    ]
    notes = [f"Thick line: {_mean(result)}, with its {result.level:.0%} band."]
    if most_lines:
        notes[0] += (
            f" Thin lines: {_drawn(result, len(thin))}. Strokes above the axis: observed values"
            + (f", {beyond} more beyond its ends." if beyond else ".")
        )
    far = int((~result.near & np.isfinite(result.grid)).sum())
    if far:
        notes.append(
            f"Dashed: hardly any data here ({far} of {counted(len(result.grid), 'value')} far from "
            "the data)."
        )
    return picture(bottom + AXIS, summary, *parts), notes


def _average(xs: list[float], ys: list[float], near: npt.NDArray[np.bool_]) -> list[Markup]:
    parts = []
    for start, stop, solid in segments(near):
        style = {"stroke_width": 2.6} if solid else {"stroke_width": 2, "stroke_dasharray": "2 5"}
        parts.append(curve(xs[start:stop], ys[start:stop], stroke=BLUE, **style))
    return parts


def _rug(result: Dependence, x: Scale, bottom: float) -> tuple[Markup, int]:
    observed = pd.to_numeric(pd.Series(result.observed), errors="coerce").to_numpy(np.float64)
    observed = observed[np.isfinite(observed)]
    inside = observed[(observed >= x.low) & (observed <= x.high)]
    # Strokes less than half a pixel apart cannot be distinguished, however many rows there are.
    places = sorted({round(2 * x(v)) / 2 for v in inside.tolist()})
    strokes = "".join(path([(at, bottom - 7), (at, bottom)]) for at in places)
    rug = element("path", d=strokes, stroke=PAGE, stroke_opacity="0.45")
    return rug, len(observed) - len(inside)


def _categories(
    result: Dependence, values: list[str], summary: str, most_lines: int
) -> tuple[Markup, list[str]]:
    counts = _counts(result)
    names = values[:MOST_CATEGORIES]
    _, thin = thin_lines(result, most_lines)
    column = Dots(
        _quantity(result),
        BLUE,
        result.average[:MOST_CATEGORIES],
        result.low[:MOST_CATEGORIES],
        result.high[:MOST_CATEGORIES],
        reference=0.0 if result.relative or result.center is not None else None,
        cloud=thin[:, :MOST_CATEGORIES],
        hollow=~result.near[:MOST_CATEGORIES],
    )
    strokes = f" Thin strokes: {_drawn(result, len(thin))}." if most_lines else ""
    notes = [
        f"Dots: {_mean(result)} with its {result.level:.0%} interval.{strokes} In brackets: how "
        "many rows have this value."
    ]
    far = int((~result.near).sum())
    if far:
        notes.append(
            f"Hollow: hardly any data here ({far} of {counted(len(values), 'value')} that few rows "
            "have)."
        )
    if len(values) > len(names):
        notes.append(f"Drawn are the first {len(names)} of {len(values)} categories.")
    labels = [f"{clipped(name, 150)} ({count})" for name, count in zip(names, counts, strict=False)]
    return dots(labels, [column], summary), notes


def _counts(result: Dependence) -> list[int]:
    observed = pd.Series(result.observed, dtype=result.observed.dtype)
    places = positions_of(observed, result.grid.tolist())
    counts: list[int] = np.bincount(places[places >= 0], minlength=len(result.grid)).tolist()
    return counts


def _table(result: Dependence, values: list[str]) -> Markup:
    header = [result.feature, _quantity(result), "low", "high"]
    columns = [
        [number(value, 4) for value in column.tolist()]
        for column in (result.average, result.low, result.high)
    ]
    if result.categorical:
        header.append("rows")
        columns.append([str(count) for count in _counts(result)])
    if not result.near.all():
        header.append("rows around it")
        columns.append(["enough" if near else "few" for near in result.near.tolist()])
    return table("value", header, list(zip(values, *columns, strict=True)))
