"""Performance of learners as dots."""

from __future__ import annotations

import altair as alt
import pandas as pd

from uqwidgets.learner.performance_result import Comparison, OverRefits
from uqwidgets.plotting.altair import FAINT, WIDTH, tooltips
from uqwidgets.plotting.svg import BLUE
from uqwidgets.plotting.text import with_unit


def performance_chart(result: OverRefits) -> alt.LayerChart:
    """Return a dot with its interval, and a tick for each refit; for a difference, a rule at zero.

    Parameters
    ----------
    result : Performance or Comparison

    Returns
    -------
    alt.LayerChart
    """
    compared = isinstance(result, Comparison)
    value, label = (
        ("difference", f"difference in {result.label}") if compared else ("mean", result.label)
    )
    x = alt.X(f"{value}:Q", title=with_unit(label, result.unit), scale=alt.Scale(zero=False))
    base = alt.Chart(result.frame).encode(tooltip=tooltips([], [f"{value}:Q", "low:Q", "high:Q"]))
    single = alt.Chart(pd.DataFrame({value: result.per_refit}))
    layers = [
        single.mark_tick(color=FAINT, opacity=0.5).encode(x=x),
        base.mark_rule(color=BLUE, strokeWidth=2).encode(x=alt.X("low:Q"), x2="high:Q"),
        base.mark_circle(color=BLUE, size=60, opacity=1).encode(x=x),
    ]
    if compared:
        zero = alt.Chart(pd.DataFrame({"zero": [0]}))
        layers.insert(0, zero.mark_rule(color=FAINT).encode(x="zero:Q"))
    return alt.LayerChart(layer=layers).properties(
        width=WIDTH, title=alt.Title(result.title, subtitle=result.how)
    )
