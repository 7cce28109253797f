"""Altair chart of width and coverage of intervals over the number of refits."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from uqwidgets.ground_truth.coverage_result import IntervalCoverage
from uqwidgets.plotting.altair import FAINT, WIDTH, tooltips
from uqwidgets.plotting.svg import BLUE
from uqwidgets.plotting.text import value_text, with_unit


def coverage_chart(result: IntervalCoverage) -> alt.HConcatChart:
    """Return two panels: a faint line for each point, and their mean.

    Parameters
    ----------
    result : IntervalCoverage

    Returns
    -------
    alt.HConcatChart
    """
    points = [value_text(point) for point in result.points.tolist()]
    single = pd.DataFrame(
        {
            "refits": np.repeat(result.refits, len(points)),
            "point": np.tile(np.array(points, dtype=object), len(result.refits)),
            "coverage": result.coverage.ravel(),
            "width": result.width.ravel(),
        }
    )
    covered = result.coverage.mean(axis=1)
    mean = pd.DataFrame(
        {
            "refits": result.refits,
            "coverage": covered,
            "width": result.width.mean(axis=1),
            "low": np.maximum(covered - 1.96 * result.coverage_error, 0),
            "high": np.minimum(covered + 1.96 * result.coverage_error, 1),
        }
    )
    panels = []
    for which in ("width", "coverage"):
        unit = result.unit if which == "width" else ""
        y: Any = {"title": with_unit(which, unit), "scale": alt.Scale(zero=False)}
        x = alt.X("refits:Q", title="refits", axis=alt.Axis(tickMinStep=1))
        faint, strong = alt.Chart(single).encode(x=x), alt.Chart(mean).encode(x=x)
        layers = [
            faint.mark_line(color=FAINT, opacity=0.5, strokeWidth=1).encode(
                y=alt.Y(f"{which}:Q", **y),
                detail="point:N",
                tooltip=tooltips(["point:N"], ["refits:Q", f"{which}:Q"]),
            ),
            strong.mark_line(
                color=BLUE, strokeWidth=3, point=alt.OverlayMarkDef(color=BLUE)
            ).encode(y=alt.Y(f"{which}:Q", **y), tooltip=tooltips([], ["refits:Q", f"{which}:Q"])),
        ]
        if which == "coverage":
            layers.insert(
                1, strong.mark_rule(color=BLUE).encode(y=alt.Y("low:Q", **y), y2="high:Q")
            )
            nominal = alt.Chart().mark_rule(color=FAINT, strokeDash=[5, 4])
            layers.insert(0, nominal.encode(y=alt.datum(result.level)))
        panel = alt.LayerChart(data=single, layer=layers)
        panels.append(panel.properties(width=WIDTH * 0.6, height=WIDTH * 0.45))
    title = alt.Title(result.title, subtitle=f"{result.how}; faint: single points")
    return alt.HConcatChart(hconcat=panels).properties(title=title)
