"""Row weights as an Altair chart."""

from __future__ import annotations

import altair as alt
import pandas as pd

from uqwidgets.plotting.altair import FAINT, WIDTH, tooltips
from uqwidgets.plotting.svg import BLUE
from uqwidgets.plotting.text import counted, number
from uqwidgets.stress.constrained.result import Reweighting, concentration


def reweighting_chart(result: Reweighting) -> alt.LayerChart:
    """Draw the share of the weight against the share of the rows, the heaviest rows first.

    A faint line shows equal weights, and a rule the share of the rows that carries half of the
    weight.

    Parameters
    ----------
    result : Reweighting

    Returns
    -------
    alt.LayerChart
    """
    rows, weight = concentration(result)
    title = "share of the rows, heaviest first"
    x = alt.X("rows:Q", title=title, scale=alt.Scale(domain=[0, 1]))
    y = alt.Y("weight:Q", title="share of the weight", scale=alt.Scale(domain=[0, 1]))
    equal = alt.Chart(pd.DataFrame({"rows": [0.0, 1.0], "weight": [0.0, 1.0]}))
    half = alt.Chart(pd.DataFrame({"rows": [result.half_share], "weight": [0.5]}))
    shares = alt.Chart(pd.DataFrame({"rows": rows, "weight": weight}))
    layers = [
        equal.mark_line(color=FAINT, strokeDash=[1, 3]).encode(x=x, y=y),
        half.mark_rule(color=FAINT).encode(x=x, y=alt.Y("weight:Q"), y2=alt.datum(0)),
        shares.mark_line(color=BLUE, strokeWidth=2.5).encode(
            x=x, y=y, tooltip=tooltips([], ["rows:Q", "weight:Q"])
        ),
    ]
    subtitle = (
        f"effective sample size {number(result.ess)} of {counted(result.n_rows, 'row')}, "
        f"divergence {number(result.kl)} nats"
    )
    text = f"Weights that meet {counted(len(result.names), 'constraint')}"
    return alt.LayerChart(layer=layers).properties(
        width=WIDTH, title=alt.Title(text, subtitle=subtitle)
    )
