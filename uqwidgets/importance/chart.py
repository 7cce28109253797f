"""Importance as dots."""

from __future__ import annotations

import altair as alt
import numpy as np
import pandas as pd

from uqwidgets.importance.result import Importance
from uqwidgets.plotting.altair import FAINT, tooltips
from uqwidgets.plotting.svg import BLUE
from uqwidgets.plotting.text import with_unit


def importance_chart(result: Importance) -> alt.LayerChart:
    """Return dots with whiskers, the most important feature on top.

    Parameters
    ----------
    result : Importance

    Returns
    -------
    alt.LayerChart
    """
    axis = with_unit(result.label, result.unit)
    base = alt.Chart(result.frame).encode(
        y=alt.Y("feature:N", sort=None, title=None, axis=alt.Axis(labelLimit=240)),
        tooltip=tooltips(["feature:N"], ["importance:Q", "std_error:Q", "low:Q", "high:Q"]),
    )
    unchanged = alt.Chart().mark_rule(color=FAINT).encode(x=alt.datum(result.unchanged))
    whiskers = base.mark_rule(color=BLUE, strokeWidth=2).encode(
        x=alt.X("low:Q", title=axis if result.compare == "ratio" else f"increase of {axis}"),
        x2="high:Q",
    )
    dots = base.mark_circle(color=BLUE, size=60, opacity=1).encode(x="importance:Q")
    layers = [unchanged, *_refits(result), whiskers, dots]
    return alt.LayerChart(data=result.frame, layer=layers).properties(
        title=alt.Title(
            f"Importance for {axis}",
            subtitle=f"{result.how}, {result.level:.0%} interval ({result.interval})",
        )
    )


def _refits(result: Importance) -> list[alt.Chart]:
    """Give a faint stroke for each refit of a learner."""
    if result.per_refit is None:
        return []
    single = pd.DataFrame(
        {
            "feature": np.repeat(result.features, result.n_refits),
            "importance": result.per_refit.ravel(),
        }
    )
    strokes: alt.Chart = (
        alt.Chart(single)
        .mark_tick(color=FAINT, opacity=0.4)
        .encode(y=alt.Y("feature:N", sort=None, title=None), x="importance:Q")
    )
    return [strokes]
