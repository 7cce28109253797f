"""The parts of a mean square error, stacked, and the fits around the truth."""

from __future__ import annotations

import altair as alt
import numpy as np
import pandas as pd

from uqwidgets.ground_truth.figure import fits_figure
from uqwidgets.ground_truth.html import PARTS, parts_of
from uqwidgets.ground_truth.result import Decomposition
from uqwidgets.plotting.altair import WIDTH, layered, tooltips
from uqwidgets.plotting.choice import MOST_POINTS, evenly
from uqwidgets.plotting.svg import BLUE, GREEN, VERMILLION
from uqwidgets.plotting.text import value_text


def decomposition_chart(result: Decomposition) -> alt.Chart:
    """Return stacked bars, one for each feature or category; for a curve, stacked areas.

    Parameters
    ----------
    result : Decomposition

    Returns
    -------
    alt.Chart
    """
    is_curve = result.feature is not None and not result.categorical
    points = result.points.tolist()
    if not is_curve:
        # A category may be any object, but JSON needs text.
        points = [value_text(point) for point in points]
    frame = pd.DataFrame(
        {
            "value": points * len(PARTS),
            "part": np.repeat(PARTS, len(points)),
            "order": np.repeat(np.arange(len(PARTS)), len(points)),
            "error": parts_of(result).ravel(),
        }
    )
    colours = alt.Scale(domain=list(PARTS), range=[VERMILLION, BLUE, GREEN])
    value = "value:Q" if is_curve else "value:N"
    chart = alt.Chart(frame, title=alt.Title(result.title, subtitle=result.how)).encode(
        color=alt.Color("part:N", title=None, sort=list(PARTS), scale=colours),
        order="order:Q",
        tooltip=tooltips([value, "part:N"], ["error:Q"]),
    )
    drawn: alt.Chart
    if is_curve:
        drawn = chart.mark_area().encode(
            x=alt.X(value, title=result.feature, scale=alt.Scale(zero=False, nice=False)),
            y=alt.Y("error:Q", title="mean square error", stack="zero"),
        )
        drawn.width = WIDTH
        return drawn
    drawn = chart.mark_bar().encode(
        x=alt.X("error:Q", title="mean square error"),
        y=alt.Y(value, sort=None, title=result.feature, axis=alt.Axis(labelLimit=240)),
    )
    return drawn


def fits_chart(result: Decomposition) -> alt.LayerChart:
    """Return the estimate of every fit around the truth, each the mean over its test sets.

    Parameters
    ----------
    result : Decomposition

    Returns
    -------
    alt.LayerChart
    """
    estimates = result.estimates.mean(axis=2).reshape(-1, len(result.points))
    drawn = evenly(len(estimates), max(1, MOST_POINTS // len(result.points)))
    return layered(fits_figure(result, estimates[drawn]))
