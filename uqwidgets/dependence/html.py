"""Static HTML of a dependence curve, or of dots for categories."""

from __future__ import annotations

from typing import Any

import numpy as np

from uqwidgets.dependence.figure import dependence_figure, mean_of
from uqwidgets.dependence.result import Dependence, thin_lines
from uqwidgets.dependence.rows import counts_of, observed_within
from uqwidgets.plotting.choice import MOST_CURVES
from uqwidgets.plotting.html import Markup, panel, table
from uqwidgets.plotting.result import at_once
from uqwidgets.plotting.static import MOST_ROWS, drawn
from uqwidgets.plotting.text import (
    NOT_AVAILABLE,
    counted,
    counted_rows,
    number,
    population,
    value_text,
    with_unit,
)


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
    figure = dependence_figure(result, most_lines, observed=most_lines > 0)
    n_drawn = len(thin_lines(result, most_lines)[0])
    is_apart = result.categorical or len(values) == 1
    notes = (_notes_of_dots if is_apart else _notes_of_curve)(result, n_drawn)
    return panel(
        result.title,
        summary,
        drawn(figure, summary),
        [*notes, *result.remarks],
        _table(result, values),
    )


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


def _drawn(result: Dependence, drawn: int) -> str:
    if result.n_refits:
        rows = counted_rows(len(result.rows), result.groups)
        return f"the refits, each over those of {rows} it has not seen"
    rows = population(result.weighted, result.ess, len(result.rows), result.groups)
    if drawn == len(result.rows):
        return f"{rows}, all drawn"
    return f"{drawn} of {rows}, evenly chosen"


def _notes_of_curve(result: Dependence, n_drawn: int) -> list[str]:
    together = at_once(result, len(result.grid))
    notes = [f"Thick line: {mean_of(result)}, with its {result.level:.0%} band{together}."]
    if n_drawn:
        _, beyond = observed_within(result)
        notes[0] += (
            f" Thin lines: {_drawn(result, n_drawn)}. Strokes above the axis: observed values"
            + (f", {beyond} more beyond its ends." if beyond else ".")
        )
    far = int((~result.near & np.isfinite(result.grid)).sum())
    if far:
        notes.append(
            f"Dashed: hardly any data here ({far} of {counted(len(result.grid), 'value')} far from "
            "the data)."
        )
    return notes


def _notes_of_dots(result: Dependence, n_drawn: int) -> list[str]:
    strokes = f" Thin strokes: {_drawn(result, n_drawn)}." if n_drawn else ""
    notes = [
        f"Dots: {mean_of(result)} with its {result.level:.0%} interval"
        f"{at_once(result, len(result.grid))}.{strokes} In brackets: how "
        "many rows have this value."
    ]
    far, n = int((~result.near).sum()), len(result.grid)
    if far:
        notes.append(
            f"Hollow: hardly any data here ({far} of {counted(n, 'value')} that few rows have, "
            "fewer than 30 or a tenth of an even share)."
        )
    if n > MOST_ROWS:
        notes.append(f"Drawn are the first {MOST_ROWS} of {n} categories.")
    return notes


def _table(result: Dependence, values: list[str]) -> Markup:
    header = [result.feature, _quantity(result), "low", "high"]
    columns: list[Any] = [result.average, result.low, result.high]
    if result.categorical:
        header.append("rows")
        columns.append([str(count) for count in counts_of(result)])
    if not result.near.all():
        header.append("rows around it")
        columns.append(["enough" if near else "few" for near in result.near.tolist()])
    return table("value", header, zip(values, *columns, strict=True))
