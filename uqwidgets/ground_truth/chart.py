"""The parts of a mean square error, stacked, and the fits around the truth."""

from __future__ import annotations

import altair as alt
import numpy as np
import pandas as pd

from uqwidgets.ground_truth.figure import fits_figure
from uqwidgets.ground_truth.html import PARTS, parts_of
from uqwidgets.ground_truth.result import Decomposition
from uqwidgets.plotting.altair import MOST_LINES, WIDTH, layered, tooltips
from uqwidgets.plotting.choice import evenly
from uqwidgets.plotting.svg import BLUE, GREEN, VERMILLION
from uqwidgets.plotting.text import value_text

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
    """Return the estimate of every fit around the truth, each the mean over its test sets.

    Parameters
    ----------
    result : Decomposition

    Returns
    -------
    alt.LayerChart
    """
    estimates = result.estimates.mean(axis=2).reshape(-1, len(result.points))
    drawn = evenly(len(estimates), max(1, MOST_LINES // len(result.points)))
    return layered(fits_figure(result, estimates[drawn]))
