"""Dependence without a kernel."""

from __future__ import annotations

import numpy as np
import pandas as pd

from uqwidgets.predictive.distributions import Floats
from uqwidgets.results import Dependence
from uqwidgets.stills.choice import ice_sample
from uqwidgets.stills.dots import Dots, dots
from uqwidgets.stills.drawing import (
    BLUE,
    FONT,
    PAGE,
    WIDTH,
    bottom_axis,
    curve,
    label,
    left_axis,
    line,
    path,
    picture,
    runs,
)
from uqwidgets.stills.markup import Markup, element, panel, table
from uqwidgets.stills.scale import Scale, fitted
from uqwidgets.stills.wording import (
    NOT_AVAILABLE,
    clipped,
    number,
    pixels,
    population,
    with_unit,
)

TOP, PLOT, RUG, AXIS = 24.0, 220.0, 12.0, 40.0
RIGHT = 14.0
MOST_CATEGORIES = 30


def dependence_html(result: Dependence) -> str:
    """Show a curve with its band and some of its rows; for categories, a dot each.

    Parameters
    ----------
    result : Dependence

    Returns
    -------
    str
    """
    values = [_value_text(value) for value in result.grid.tolist()]
    summary = _summary(result, values)
    title = f"Dependence of {with_unit(result.label, result.unit)} on {result.feature}"
    if result.categorical or len(values) == 1:
        drawing, notes = _categories(result, values, summary)
    else:
        drawing, notes = _curve(result, summary)
    return panel(title, summary, drawing, [*notes, *result.remarks], _table(result, values))


def _value_text(value: object) -> str:
    return number(value, 4) if isinstance(value, float) else str(value)


def _summary(result: Dependence, values: list[str]) -> str:
    known = np.flatnonzero(np.isfinite(result.average))
    if len(known) == 0:
        return f"{result.label} is {NOT_AVAILABLE} at any value of {result.feature}."
    lowest = known[result.average[known].argmin()]
    highest = known[result.average[known].argmax()]

    def at(position: int) -> str:
        return f"{number(result.average[position])} at {values[position]}"

    def where(position: int) -> str:
        return f"{values[position]} ({number(result.average[position])})"

    reach = f"is lowest at {where(lowest)} and highest at {where(highest)}"
    if len(known) == 1:
        return f"Averaged over rows, {result.label} is {at(known[0])}."
    if result.categorical:
        return f"Averaged over rows, {result.label} {reach}."
    ends = f"goes from {at(known[0])} to {at(known[-1])}"
    if {lowest, highest} == {known[0], known[-1]}:
        return f"Averaged over rows, {result.label} {ends}."
    return f"Averaged over rows, {result.label} {ends}; it {reach}."


def _rows_drawn(result: Dependence, drawn: int) -> str:
    rows = population(result.weighted, result.ess, len(result.rows))
    if drawn == len(result.rows):
        return f"{rows}, all drawn"
    return f"{drawn} of {rows}, evenly chosen"


def _curve(result: Dependence, summary: str) -> tuple[Markup, list[str]]:
    _, ice = ice_sample(result)
    y = fitted([ice, result.average, result.low, result.high], TOP + PLOT, TOP)
    margin = 20.0 if y is None else max(pixels(text) for _, text in y.ticks(44)) + 14
    x = fitted([result.grid], margin, WIDTH - RIGHT, margin=0.0)
    title = label(clipped(with_unit(result.label, result.unit), WIDTH), 0, FONT / 2)
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
        *(
            curve(xs, [y(v) for v in row], stroke=PAGE, stroke_opacity="0.16")
            for row in ice.tolist()
        ),
        _band(xs, result.low, result.high, y),
        curve(xs, [y(v) for v in result.average.tolist()], stroke=BLUE, stroke_width=2.6),
        rug,
        title,
        label(
            clipped(result.feature, WIDTH - margin - RIGHT),
            (margin + WIDTH - RIGHT) / 2,
            bottom + 30,
            "middle",
        ),
    ]
    notes = [
        f"Thick line: average, with its {result.level:.0%} band. Thin lines: "
        f"{_rows_drawn(result, len(ice))}. Strokes above the axis: observed values"
        + (f", {beyond} more beyond its ends." if beyond else ".")
    ]
    return picture(bottom + AXIS, summary, *parts), notes


def _band(xs: list[float], low: Floats, high: Floats, y: Scale) -> Markup:
    known = np.where(np.isfinite(low) & np.isfinite(high), 0.0, np.nan)
    upper = runs(xs, [y(v) for v in (high + known).tolist()])
    lower = runs(xs, [y(v) for v in (low + known).tolist()])
    d = "".join(
        path([*above, *reversed(below)]) + "z" for above, below in zip(upper, lower, strict=True)
    )
    # The outline keeps a band over a single value in sight.
    return element("path", d=d, fill=BLUE, fill_opacity="0.35", stroke=BLUE, stroke_opacity="0.35")


def _rug(result: Dependence, x: Scale, bottom: float) -> tuple[Markup, int]:
    observed = pd.to_numeric(pd.Series(result.observed), errors="coerce").to_numpy(np.float64)
    observed = observed[np.isfinite(observed)]
    inside = observed[(observed >= x.low) & (observed <= x.high)]
    # Half a pixel apart is as fine as the eye goes, however many rows there are.
    places = sorted({round(2 * x(v)) / 2 for v in inside.tolist()})
    strokes = "".join(path([(at, bottom - 7), (at, bottom)]) for at in places)
    rug = element("path", d=strokes, stroke=PAGE, stroke_opacity="0.45")
    return rug, len(observed) - len(inside)


def _categories(result: Dependence, values: list[str], summary: str) -> tuple[Markup, list[str]]:
    counts = _counts(result)
    names = values[:MOST_CATEGORIES]
    _, ice = ice_sample(result)
    column = Dots(
        with_unit(result.label, result.unit),
        BLUE,
        result.average[:MOST_CATEGORIES],
        result.low[:MOST_CATEGORIES],
        result.high[:MOST_CATEGORIES],
        zero=False,
        cloud=ice[:, :MOST_CATEGORIES],
    )
    notes = [
        f"Dots: average with its {result.level:.0%} interval. Thin strokes: "
        f"{_rows_drawn(result, len(ice))}. In brackets: how many rows have this value."
    ]
    if len(result.grid) > len(names):
        notes.append(f"Drawn are the first {len(names)} of {len(result.grid)} categories.")
    labels = [f"{clipped(name, 150)} ({count})" for name, count in zip(names, counts, strict=False)]
    return dots(labels, [column], summary), notes


def _counts(result: Dependence) -> list[int]:
    counts = pd.Series(result.observed).value_counts().to_dict()
    return [int(counts.get(value, 0)) for value in result.grid.tolist()]


def _table(result: Dependence, values: list[str]) -> Markup:
    header = [result.feature, with_unit(result.label, result.unit), "low", "high"]
    lines = [
        [text, *(number(float(v[g]), 4) for v in (result.average, result.low, result.high))]
        for g, text in enumerate(values)
    ]
    if result.categorical:
        header.append("rows")
        lines = [
            [*entries, str(count)] for entries, count in zip(lines, _counts(result), strict=True)
        ]
    return table("value", header, lines)
