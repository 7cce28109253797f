"""Scores, confusion and calibration as Altair charts."""

from __future__ import annotations

import altair as alt
import pandas as pd

from uqwidgets.performance.result import Calibration, Confusion, Scores
from uqwidgets.plotting.altair import FAINT, WIDTH, tooltips
from uqwidgets.plotting.svg import BLUE


def scores_chart(result: Scores) -> alt.FacetChart:
    """Return a dot with a whisker for each score, each on an axis of its own.

    Parameters
    ----------
    result : Scores

    Returns
    -------
    alt.FacetChart
    """
    base = alt.Chart().encode(
        tooltip=tooltips(["label:N"], ["value:Q", "std_error:Q", "low:Q", "high:Q"])
    )
    whiskers = base.mark_rule(color=BLUE, strokeWidth=2).encode(
        x=alt.X("low:Q", title=None, scale=alt.Scale(zero=False)), x2="high:Q"
    )
    dots = base.mark_circle(color=BLUE, size=60, opacity=1).encode(x="value:Q")
    frame = result.frame.assign(label=list(result.labels))
    row = alt.Row("label:N", title=None, sort=None, header=alt.Header(labelAngle=0))
    layers = alt.LayerChart(data=frame, layer=[whiskers, dots])
    facets = layers.properties(width=WIDTH, height=20).facet(row=row)
    chart: alt.FacetChart = facets.resolve_scale(x="independent")
    return chart


def confusion_chart(result: Confusion) -> alt.LayerChart:
    """Return the share of each true class by predicted class, as coloured cells.

    Parameters
    ----------
    result : Confusion

    Returns
    -------
    alt.LayerChart
    """
    order = list(result.classes)
    base = alt.Chart().encode(
        x=alt.X("predicted:N", sort=order, title="predicted class"),
        y=alt.Y("true:N", sort=order, title="true class"),
        tooltip=tooltips(["true:N", "predicted:N"], ["share:Q", "share_of_true:Q"]),
    )
    cells = base.mark_rect().encode(
        color=alt.Color(
            "share_of_true:Q",
            title="share of the true class",
            scale=alt.Scale(range=["#ffffff", BLUE], domain=[0, 1]),
        )
    )
    texts = base.mark_text().encode(text=alt.Text("share_of_true:Q", format=".0%"))
    return alt.LayerChart(data=result.frame, layer=[cells, texts])


def calibration_chart(result: Calibration) -> alt.LayerChart:
    """Return observed shares over predicted probabilities, with the diagonal.

    Parameters
    ----------
    result : Calibration

    Returns
    -------
    alt.LayerChart
    """
    unit = alt.Scale(domain=[0, 1])
    diagonal = (
        alt.Chart(pd.DataFrame({"p": [0, 1]}))
        .mark_line(color=FAINT, strokeDash=[5, 4])
        .encode(x=alt.X("p:Q", scale=unit), y=alt.Y("p:Q", scale=unit))
    )
    base = alt.Chart(result.frame).encode(
        x=alt.X("predicted:Q", title="predicted probability", scale=unit),
        tooltip=tooltips([], ["predicted:Q", "observed:Q", "low:Q", "high:Q", "rows:Q"]),
    )
    whiskers = base.mark_rule(color=BLUE, strokeWidth=2).encode(
        y=alt.Y("low:Q", title="observed share", scale=unit), y2="high:Q"
    )
    dots = base.mark_circle(color=BLUE, size=60, opacity=1).encode(y="observed:Q")
    return alt.LayerChart(layer=[diagonal, whiskers, dots]).properties(
        width=WIDTH, height=WIDTH, title=f"Probability that {result.event}"
    )
