"""Static HTML of a surface: a map whose darkness is the value."""

from __future__ import annotations

from typing import Any

import numpy as np

from uqwidgets.dependence.figure import surface_figure
from uqwidgets.dependence.surface_result import Surface
from uqwidgets.plotting.html import Markup, panel, table
from uqwidgets.plotting.result import at_once
from uqwidgets.plotting.static import drawn
from uqwidgets.plotting.text import (
    NOT_AVAILABLE,
    counted,
    number,
    population,
    value_text,
    with_unit,
)


def surface_html(result: Surface) -> str:
    """Show a map of the average over both features.

    Parameters
    ----------
    result : Surface

    Returns
    -------
    str
    """
    quantity = with_unit(result.label, result.unit)
    first, second = result.features
    texts = [[value_text(v) for v in grid.tolist()] for grid in result.grids]
    summary = _summary(result, texts)
    return panel(
        f"Dependence of {quantity} on {first} and {second}",
        summary,
        drawn(surface_figure(result), summary),
        [*_notes(result), *result.remarks],
        _table(result, texts),
    )


def _summary(result: Surface, texts: list[list[str]]) -> str:
    if not np.isfinite(result.average).any():
        return f"{result.label} is {NOT_AVAILABLE} at any point."

    def where(position: Any) -> str:
        at = np.unravel_index(position, result.average.shape)
        names = zip(result.features, texts, at, strict=True)
        placed = " and ".join(f"{name} = {text[int(k)]}" for name, text, k in names)
        return f"{placed} ({number(float(result.average[at]))})"

    low, high = np.nanargmin(result.average), np.nanargmax(result.average)
    share = result.h_squared
    crossed = ""
    if share <= 1:
        crossed = f" Interaction of the two makes {share:.0%} of its variance over the rows."
    elif share > 1:
        crossed = (
            " Interaction of the two cancels effects of each, since the two depend on each other."
        )
    return (
        f"Averaged over rows, {result.label} is lowest at {where(low)} and highest at "
        f"{where(high)}.{crossed}"
    )


def _notes(result: Surface) -> list[str]:
    rows = population(result.weighted, result.ess, len(result.rows), result.groups)
    refits = f"{result.n_refits} refits and " if result.n_refits else ""
    notes = [f"The darker, the higher: average over {refits}{rows}."]
    if result.simultaneous:
        notes.append(f"{result.level:.0%} intervals{at_once(result, result.average.size)}.")
    far = int((~result.near).sum())
    if far:
        points = counted(result.near.size, "point")
        notes.append(f"Hatched: hardly any data here ({far} of {points} far from the data).")
    return notes


def _table(result: Surface, texts: list[list[str]]) -> Markup:
    """Table of the first feature by the second, in brackets what is far from the data."""
    first, second = result.features
    header = [f"{first}, by {second}", *texts[1]]
    lines = [
        [
            text,
            *(
                number(value, 4) if near else f"({number(value, 4)})"
                for value, near in zip(values, nears, strict=True)
            ),
        ]
        for text, values, nears in zip(
            texts[0], result.average.tolist(), result.near.tolist(), strict=True
        )
    ]
    return table("value", header, lines)
