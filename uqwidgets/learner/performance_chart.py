"""Performance of learners as dots."""

from __future__ import annotations

import altair as alt
import pandas as pd

from uqwidgets.learner.performance_result import Comparison, Performance
from uqwidgets.plotting.altair import FAINT, WIDTH, tooltips
from uqwidgets.plotting.svg import BLUE
from uqwidgets.plotting.text import with_unit


def performance_chart(result: Performance) -> alt.LayerChart:
    """Return a dot with its whisker over a stroke of each refit.

    Parameters
    ----------
    result : Performance

    Returns
    -------
    alt.LayerChart
    """
    return _chart(result, "mean", result.label)


def comparison_chart(result: Comparison) -> alt.LayerChart:
    """Return the difference with its whisker over a stroke of each refit, and where zero is.

    Parameters
    ----------
    result : Comparison

    Returns
    -------
    alt.LayerChart
    """
    chart = _chart(result, "difference", f"difference in {result.label}")
    zero = alt.Chart(pd.DataFrame({"zero": [0]})).mark_rule(color=FAINT).encode(x="zero:Q")
    both: alt.LayerChart = (zero + chart).properties(title=chart.title, width=WIDTH)
    return both


def _chart(result: Performance | Comparison, value: str, label: str) -> alt.LayerChart:
    x = alt.X(f"{value}:Q", title=with_unit(label, result.unit), scale=alt.Scale(zero=False))
    base = alt.Chart(result.frame).encode(tooltip=tooltips([], [f"{value}:Q", "low:Q", "high:Q"]))
    single = alt.Chart(pd.DataFrame({value: result.per_refit}))
    layers = [
        single.mark_tick(color=FAINT, opacity=0.5).encode(x=x),
        base.mark_rule(color=BLUE, strokeWidth=2).encode(x=alt.X("low:Q"), x2="high:Q"),
        base.mark_circle(color=BLUE, size=60, opacity=1).encode(x=x),
    ]
    return alt.LayerChart(layer=layers).properties(
        width=WIDTH, title=alt.Title(result.title, subtitle=result.how)
    )
