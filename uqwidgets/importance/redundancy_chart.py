"""Redundancy as dots."""

from __future__ import annotations

import altair as alt
import pandas as pd

from uqwidgets.importance.redundancy_result import Redundancy
from uqwidgets.plotting.altair import FAINT, tooltips
from uqwidgets.plotting.svg import BLUE, VERMILLION


def redundancy_chart(result: Redundancy) -> alt.LayerChart:
    """Return dots with whiskers, the feature that the others predict best on top.

    Parameters
    ----------
    result : Redundancy

    Returns
    -------
    alt.LayerChart
    """
    frame = result.frame[["feature", "r2", "low", "high"]].assign(source="the others")
    if result.with_target:
        with_target = frame.assign(
            r2=result.r2_with_target,
            low=result.low_with_target,
            high=result.high_with_target,
            source=f"the others and {result.target}",
        )
        frame = pd.concat([frame, with_target], ignore_index=True)
    sources = list(frame["source"].unique())
    colour = alt.Color(
        "source:N", title="from", sort=sources, scale=alt.Scale(range=[BLUE, VERMILLION])
    )
    base = alt.Chart().encode(
        y=alt.Y("feature:N", sort=None, title=None, axis=alt.Axis(labelLimit=240)),
        yOffset=alt.YOffset("source:N", sort=sources),
        color=colour,
        tooltip=tooltips(["feature:N", "source:N"], ["r2:Q", "low:Q", "high:Q"]),
    )
    zero = alt.Chart().mark_rule(color=FAINT).encode(x=alt.datum(0))
    whiskers = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", title="share of the feature's variance that is predicted"), x2="high:Q"
    )
    dots = base.mark_point(filled=True, size=60, opacity=1).encode(
        x="r2:Q", shape=alt.Shape("source:N", title="from", sort=sources)
    )
    return alt.LayerChart(data=frame, layer=[zero, whiskers, dots]).properties(
        title=alt.Title(
            "Redundancy",
            subtitle=f"R² out of bag, forests of {result.n_estimators} trees, "
            f"{result.level:.0%} interval",
        )
    )
