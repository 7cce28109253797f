"""The parts of a mean square error, stacked, and the fits around the truth."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from uqwidgets.ground_truth.html import PARTS, parts_of
from uqwidgets.ground_truth.result import Decomposition
from uqwidgets.plotting.altair import FAINT, MOST_LINES, WIDTH, line_styles, tooltips
from uqwidgets.plotting.choice import evenly
from uqwidgets.plotting.svg import BLUE, GREEN, VERMILLION
from uqwidgets.plotting.text import sentence, value_text, with_unit

_MEAN, _TRUTH = "mean of the fits", "truth"


def decomposition_chart(result: Decomposition) -> alt.Chart:
    """Return stacked bars, one for each feature or category; for a curve, stacked areas.

    Parameters
    ----------
    result : Decomposition

    Returns
    -------
    alt.Chart
    """
    values = parts_of(result)
    rows = result.feature is None or result.categorical
    points = result.points
    if rows:
        # A category may be any object, but JSON needs text.
        points = np.array([value_text(point) for point in points.tolist()], dtype=object)
    frame = pd.DataFrame(
        {
            "value": np.tile(points, len(PARTS)),
            "part": np.repeat(PARTS, len(points)),
            "order": np.repeat(np.arange(len(PARTS)), len(points)),
            "error": values.ravel(),
        }
    )
    colour = alt.Color(
        "part:N",
        title=None,
        sort=list(PARTS),
        scale=alt.Scale(domain=list(PARTS), range=[VERMILLION, BLUE, GREEN]),
    )
    shown = tooltips(["value:N" if rows else "value:Q", "part:N"], ["error:Q"])
    chart = alt.Chart(frame, title=alt.Title(result.title, subtitle=result.how)).encode(
        color=colour, order="order:Q", tooltip=shown
    )
    drawn: alt.Chart
    if rows:
        drawn = chart.mark_bar().encode(
            x=alt.X("error:Q", title="mean square error"),
            y=alt.Y("value:N", sort=None, title=result.feature, axis=alt.Axis(labelLimit=240)),
        )
        return drawn
    drawn = chart.mark_area().encode(
        x=alt.X("value:Q", title=result.feature, scale=alt.Scale(zero=False, nice=False)),
        y=alt.Y("error:Q", title="mean square error", stack="zero"),
    )
    drawn.width = WIDTH
    return drawn


def fits_chart(result: Decomposition) -> alt.LayerChart:
    """Return the estimate of every fit, their mean, and the truth.

    Parameters
    ----------
    result : Decomposition

    Returns
    -------
    alt.LayerChart
        Lines for the curve of a number; else ticks, dots, and rings for the truth.
    """
    rows = result.feature is None or result.categorical
    points = result.points
    if rows:
        # A category may be any object, but JSON needs text.
        points = np.array([value_text(point) for point in points.tolist()], dtype=object)
    # An estimate of a fit is the mean over its test sets.
    estimates = result.estimates.mean(axis=2).reshape(-1, len(points))
    drawn = evenly(len(estimates), max(1, MOST_LINES // len(points)))
    single = pd.DataFrame(
        {
            "fit": np.repeat(drawn, len(points)),
            "value": np.tile(points, len(drawn)),
            "estimate": estimates[drawn].ravel(),
        }
    )
    both = pd.DataFrame(
        {
            "value": np.tile(points, 2),
            "what": np.repeat([_MEAN, _TRUTH], len(points)),
            "estimate": np.concatenate([result.expected, result.truth]),
        }
    )
    kind = "importance" if result.feature is None else result.label
    measured: Any = {
        "title": sentence(with_unit(kind, result.unit)),
        "scale": alt.Scale(zero=result.feature is None),
    }
    # The truth is dashed too, so that colour is not the only difference.
    colour, dash = line_styles([_MEAN, _TRUTH], "what")
    tips = tooltips(["value:N" if rows else "value:Q", "what:N"], ["estimate:Q"])
    faint, strong = alt.Chart(single), alt.Chart(both)
    if rows:
        places = alt.Y("value:N", sort=None, title=result.feature, axis=alt.Axis(labelLimit=240))
        at = {"x": alt.X("estimate:Q", **measured), "y": places}
        looks = {"color": colour, "tooltip": tips}
        mean = strong.transform_filter(alt.datum.what == _MEAN)
        true = strong.transform_filter(alt.datum.what == _TRUTH)
        layers = [
            faint.mark_tick(color=FAINT, opacity=0.4).encode(**at),
            mean.mark_point(filled=True, size=70, opacity=1).encode(**at, **looks),
            true.mark_point(filled=False, size=130, strokeWidth=2).encode(**at, **looks),
        ]
    else:
        scale = alt.Scale(zero=False, nice=False)
        at = {
            "x": alt.X("value:Q", title=result.feature, scale=scale),
            "y": alt.Y("estimate:Q", **measured),
        }
        layers = [
            faint.mark_line(color=FAINT, opacity=0.4, strokeWidth=1).encode(detail="fit:N", **at),
            strong.mark_line(strokeWidth=3).encode(
                color=colour, strokeDash=dash, tooltip=tips, **at
            ),
        ]
    title = f"{result.title.removeprefix('Error of the ')} in {len(drawn)} fits"
    return alt.LayerChart(layer=layers).properties(
        width=WIDTH, title=alt.Title(sentence(title), subtitle=result.how)
    )
