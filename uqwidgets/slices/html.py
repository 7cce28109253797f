"""Static HTML of slices."""

from __future__ import annotations

from uqwidgets.plotting.html import Markup, panel, table
from uqwidgets.plotting.static import drawn
from uqwidgets.plotting.text import interval, measured, population, sentence
from uqwidgets.slices.figure import slices_figure
from uqwidgets.slices.result import Slices


def slices_html(result: Slices) -> str:
    """Show how much higher the measure is in each slice, as a picture and a table.

    Parameters
    ----------
    result : Slices

    Returns
    -------
    str
    """
    summary = slices_summary(result)
    picture = drawn(slices_figure(result), summary) if len(result) else Markup("")
    rows = population(result.weighted, result.ess, result.n_rows, result.groups)
    notes = [
        f"{sentence(result.tested_text)}; {rows}. Each slice is estimated in the half of the rows "
        "that it was not found in.",
        *result.remarks,
    ]
    header = ["slice", "rows", "share", "value", "elsewhere", "difference", "low", "high", "p"]
    columns = result.frame[
        ["rows", "share", "value", "elsewhere", "difference", "low", "high", "p_adjusted"]
    ]
    texts = [f"{n:,}" for n in result.rows]
    lines = zip(result.slices, texts, *(columns[name] for name in columns.columns[1:]), strict=True)
    return panel("Where is it worst?", summary, picture, notes, table("slice", header, lines))


def slices_summary(result: Slices) -> str:
    """Return what the slices show, in one sentence."""
    if not len(result):
        return f"In no slice is the {result.label} clearly higher than elsewhere."
    same = f" (nearly the same rows: {result.same_rows[0]})" if result.same_rows[0] else ""
    return (
        f"The {result.label} is clearly highest where {result.slices[0]}{same}: "
        f"{measured(result.value[0], result.unit)} in {result.rows[0]:,} rows, beside "
        f"{measured(result.elsewhere[0], result.unit)} elsewhere (difference "
        f"{interval(result.low[0], result.high[0])})."
    )
