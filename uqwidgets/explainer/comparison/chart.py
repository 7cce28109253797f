"""Altair chart of two results side by side and of their difference."""

from __future__ import annotations

import altair as alt
import pandas as pd

from uqwidgets.dependence.result import Dependence
from uqwidgets.explainer.comparison.result import Difference
from uqwidgets.importance.result import Importance
from uqwidgets.plotting.altair import MOST_LINES, WIDTH, tooltips
from uqwidgets.plotting.svg import BLUE, GREEN, VERMILLION
from uqwidgets.plotting.text import value_text
from uqwidgets.stress.result import Stress

_VALUES, _DIFFERENCE = "both", "difference"


def difference_chart(result: Difference) -> alt.FacetChart:
    """Return both sides on one axis, and the difference on another, with their intervals.

    Stress is shown for the first indicator, as lines over tau of each feature.

    Parameters
    ----------
    result : Difference

    Returns
    -------
    alt.FacetChart
    """
    frame = _long(result)
    of = result.first
    curves = isinstance(of, Stress) or (isinstance(of, Dependence) and not of.categorical)
    sides = [*result.names, result.title]
    colour = alt.Color(
        "side:N",
        title=None,
        sort=sides,
        scale=alt.Scale(domain=sides, range=[BLUE, VERMILLION, GREEN]),
    )
    tips = tooltips(["side:N"], ["value_:Q", "low_:Q", "high_:Q"])
    base = alt.Chart().encode(color=colour, tooltip=tips)
    quantity = alt.Scale(zero=False)
    if curves:
        across = alt.X("line:Q", title="τ" if isinstance(of, Stress) else frame.attrs["axis"])
        detail = ["side:N", "feature:N"]
        layers = [
            base.mark_area(opacity=0.2).encode(
                x=across, y=alt.Y("low_:Q", title=None, scale=quantity), y2="high_:Q", detail=detail
            ),
            base.mark_line(strokeWidth=2.5).encode(x=across, y="value_:Q", detail=detail),
        ]
    else:
        down = alt.Y("line:N", title=None, sort=None)
        offset = alt.YOffset("side:N", sort=sides)
        layers = [
            base.mark_rule(strokeWidth=2).encode(
                y=down,
                yOffset=offset,
                x=alt.X("low_:Q", title=None, scale=quantity),
                x2="high_:Q",
            ),
            base.mark_circle(size=60, opacity=1).encode(y=down, yOffset=offset, x="value_:Q"),
        ]
    column = alt.Column("panel:N", title=None, sort=[_VALUES, _DIFFERENCE])
    facets = (
        alt.LayerChart(data=frame, layer=layers).properties(width=WIDTH // 2).facet(column=column)
    )
    if curves:
        facets = facets.resolve_scale(y="independent")
    else:
        facets = facets.resolve_scale(x="independent")
    chart: alt.FacetChart = facets.properties(title=result.title)
    return chart


def _long(result: Difference) -> pd.DataFrame:
    """Long table: columns ``line, feature, side, panel, value_, low_, high_``."""
    parts = []
    for side, name, place in (
        (result.first, result.names[0], _VALUES),
        (result.second, result.names[1], _VALUES),
        (result.difference, result.title, _DIFFERENCE),
    ):
        frame = result.aligned(side)
        if isinstance(side, Stress):
            frame = frame[frame["indicator"] == side.indicators[0]]
            frame = frame.rename(columns={"tau": "line"}).drop(columns="indicator")
        else:
            frame = frame.rename(columns={frame.columns[0]: "line"}).assign(feature="")
        parts.append(frame.assign(side=name, panel=place))
    table = pd.concat(parts, ignore_index=True)
    if isinstance(result.first, Importance) or not isinstance(result.first, Dependence | Stress):
        table["line"] = table["line"].map(value_text)
    elif isinstance(result.first, Dependence):
        table.attrs["axis"] = result.first.feature
        if result.first.categorical:
            table["line"] = table["line"].map(value_text)
    return table.iloc[: 3 * MOST_LINES]
