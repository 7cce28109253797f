"""Altair chart of results that are laid over each other."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from uqwidgets.explainer.comparison.overlay_result import Overlay
from uqwidgets.importance.result import Importance
from uqwidgets.plotting.altair import FAINT, PALETTE, WIDTH, line_styles, tooltips

COLUMNS = 2


def overlay_chart(result: Overlay) -> alt.LayerChart | alt.FacetChart:
    """Return dots with whiskers, or lines with bands, one colour for each result.

    Parameters
    ----------
    result : Overlay

    Returns
    -------
    alt.LayerChart or alt.FacetChart
        Facets for several stressed features.
    """
    marks = result.marks
    title = alt.Title(result.title, subtitle=result.how)
    if result.categorical:
        return alt.LayerChart(data=marks, layer=_dots(result, marks)).properties(
            width=WIDTH, title=title
        )
    layers = _lines(result, marks)
    panels = marks["panel"].unique().tolist()
    if len(panels) == 1:
        return alt.LayerChart(data=marks, layer=layers).properties(width=WIDTH, title=title)
    facet = alt.Facet("panel:N", sort=panels, title=None, header=alt.Header(labelLimit=240))
    both = alt.LayerChart(layer=layers).properties(width=WIDTH / 2, height=WIDTH / 3)
    return both.facet(facet, data=marks, columns=COLUMNS).properties(title=title)


def _dots(result: Overlay, marks: pd.DataFrame) -> list[alt.Chart]:
    names = list(result.names)
    first = result.results[0]
    base = alt.Chart().encode(
        y=alt.Y(
            "x:N",
            sort=marks["x"].unique().tolist(),
            title=None if isinstance(first, Importance) else result.across,
            axis=alt.Axis(labelLimit=240),
            scale=alt.Scale(paddingInner=0.3),
        ),
        yOffset=alt.YOffset("result:N", sort=names),
        color=alt.Color(
            "result:N",
            title=None,
            scale=alt.Scale(domain=names, range=PALETTE[: len(names)]),
            legend=alt.Legend(orient="top", labelLimit=240, symbolOpacity=1, columns=3),
        ),
        tooltip=tooltips(["result:N", "x:N"], ["value:Q", "low:Q", "high:Q"]),
    )
    # An importance has a place where nothing changes; a curve keeps to its own range.
    unchanged = isinstance(first, Importance)
    along: Any = {"title": result.quantity, "scale": alt.Scale(zero=False)}
    reference = (
        [alt.Chart().mark_rule(color=FAINT).encode(x=alt.datum(first.unchanged))]
        if unchanged
        else []
    )
    whiskers = base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", **along), x2="high:Q")
    dots = base.mark_circle(size=50, opacity=1).encode(x=alt.X("value:Q", **along))
    return [*reference, whiskers, dots]


def _lines(result: Overlay, marks: pd.DataFrame) -> list[alt.Chart]:
    colour, dash = line_styles(list(result.names), "result")
    scale = alt.Scale(zero=False, nice=False)
    x = alt.X("x:Q", title=result.across, scale=scale)
    measured: Any = {"title": result.quantity, "scale": alt.Scale(zero=False)}
    order = {"order": alt.Order("tau:Q")} if result.roc_path else {}
    numbers = ["x:Q", "value:Q", "low:Q", "high:Q"]
    if result.roc_path:
        numbers = ["tau:Q", "x:Q", "value:Q"]
    tips = tooltips(["result:N"], numbers)
    base = alt.Chart().encode(x=x, color=colour)
    lines = base.mark_line(strokeWidth=2.5).encode(
        y=alt.Y("value:Q", **measured), strokeDash=dash, tooltip=tips, **order
    )
    if result.roc_path:
        # A path has no direction of its own: a dot marks its end at the highest tau.
        end = base.transform_filter(f"datum.tau == {marks['tau'].max()}")
        dots = end.mark_circle(size=70, opacity=1).encode(
            y=alt.Y("value:Q", **measured), tooltip=tips
        )
        return [lines, dots]
    bands = base.mark_area(opacity=0.15).encode(y=alt.Y("low:Q", **measured), y2="high:Q")
    return [bands, lines]
