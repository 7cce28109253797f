"""Static HTML of results that are laid over each other."""

from __future__ import annotations

import pandas as pd

from uqwidgets.explainer.comparison.figure import overlay_figure
from uqwidgets.explainer.comparison.overlay_result import Overlay
from uqwidgets.importance.result import Importance
from uqwidgets.plotting.html import Markup, panel, table
from uqwidgets.plotting.static import MOST_ROWS, drawn
from uqwidgets.plotting.text import NOT_AVAILABLE, listed, number, sentence, value_text


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
    drawing = drawn(overlay_figure(result), summary)
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


def _table(marks: pd.DataFrame) -> Markup:
    panels = marks["panel"].ne("").any()
    header = ["result", *(["feature"] if panels else []), "at", "value", "low", "high"]
    shown = marks[["result", *(["panel"] if panels else []), "x", "value", "low", "high"]]
    shown = shown.assign(x=shown["x"].map(value_text)).astype({"value": float})
    return table("value", header, shown.itertuples(index=False, name=None))
