"""Altair chart of how many rows have which value of the feature of a curve, by class on request."""

from __future__ import annotations

from typing import Any, cast

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets.dependence.result import Dependence
from uqwidgets.dependence.rows import colours_of
from uqwidgets.evaluation.distinct import positions_of
from uqwidgets.plotting.altair import FAINT, WIDTH, shade_colour, tooltips
from uqwidgets.plotting.text import value_text

_BINS = 20
_HEIGHT = 90


def with_histogram(
    curve: alt.LayerChart, result: Dependence, color_by: Any = None
) -> alt.VConcatChart | alt.HConcatChart:
    """Return the chart of a curve with a histogram of the feature along the same axis.

    Parameters
    ----------
    curve : alt.LayerChart
    result : Dependence
    color_by : array-like of shape (n,), optional
        Classes or groups stack up; a number with many values colours no bar.

    Returns
    -------
    alt.VConcatChart or alt.HConcatChart
        The histogram is below the curve of a number, and beside that of categories.
    """
    colours: npt.NDArray[Any] | None = None
    colour: Any = {}
    if color_by is not None:
        colours, shade = colours_of(result, color_by, result.rows)
        if colours.dtype == object:
            colour = {"color": shade_colour(shade, {shade.column: colours})}
        else:
            colours = None
    is_apart = result.categorical or len(result.grid) == 1
    counts, beyond = _of_categories(result, colours) if is_apart else _of_bins(result, colours)
    title = "rows" if not beyond else f"rows ({beyond:,} beyond)"
    base = alt.Chart(counts)
    count: Any = {"title": title, "axis": alt.Axis(tickMinStep=1, tickCount=3)}
    names = ["colour:N"] if colours is not None else []
    if is_apart:
        bars = base.mark_bar(color=FAINT).encode(
            y=alt.Y("value:N", title=None, sort=None, axis=None),
            x=alt.X("rows:Q", **count),
            tooltip=tooltips(["value:N", *names], ["rows:Q"]),
            **colour,
        )
        beside = bars.properties(width=WIDTH / 3)
        pair = alt.HConcatChart(hconcat=[curve, beside])
        return cast("alt.HConcatChart", pair.resolve_scale(y="shared"))
    scale = alt.Scale(zero=False, nice=False)
    bars = base.mark_bar(color=FAINT).encode(
        x=alt.X(
            "from:Q",
            bin="binned",
            title=result.feature,
            scale=scale,
            axis=alt.Axis(tickCount=8),
        ),
        x2="to:Q",
        y=alt.Y("rows:Q", **count),
        tooltip=tooltips(names, ["from:Q", "to:Q", "rows:Q"]),
        **colour,
    )
    below = bars.properties(width=WIDTH, height=_HEIGHT)
    stack = alt.VConcatChart(vconcat=[curve, below])
    return cast("alt.VConcatChart", stack.resolve_scale(x="shared"))


def _of_bins(result: Dependence, colours: npt.NDArray[Any] | None) -> tuple[pd.DataFrame, int]:
    """Count the rows in equal bins between the ends of the grid, and the rows beyond them."""
    grid = result.grid[np.isfinite(result.grid)].astype(np.float64)
    edges = np.linspace(grid[0], grid[-1], _BINS + 1)
    numbers = result.observed.astype(np.float64)
    inside = (numbers >= edges[0]) & (numbers <= edges[-1])
    places = np.clip(np.searchsorted(edges, numbers[inside], side="right") - 1, 0, _BINS - 1)
    counts = _counted(places, colours, inside)
    counts["from"], counts["to"] = edges[counts["place"]], edges[counts["place"] + 1]
    return counts.drop(columns="place"), int((~inside & np.isfinite(numbers)).sum())


def _of_categories(
    result: Dependence, colours: npt.NDArray[Any] | None
) -> tuple[pd.DataFrame, int]:
    """Count the rows of each category of the grid, and the rows of others."""
    texts = [value_text(value) for value in result.grid]
    places = positions_of(pd.Series(result.observed), result.grid.tolist())
    inside = places >= 0
    counts = _counted(places[inside], colours, inside)
    counts["value"] = [texts[place] for place in counts["place"]]
    return counts.drop(columns="place"), int((~inside).sum())


def _counted(places: Any, colours: npt.NDArray[Any] | None, inside: Any) -> pd.DataFrame:
    """Return the number of rows by place, and by colour if there are colours."""
    table = pd.DataFrame({"place": places})
    if colours is not None:
        table["colour"] = colours[inside]
    return table.value_counts(sort=False).rename("rows").reset_index()
