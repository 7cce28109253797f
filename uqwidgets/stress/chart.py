"""Stress as lines over tau."""

from __future__ import annotations

import altair as alt
import numpy as np

from uqwidgets.plotting.altair import FAINT, MOST_LINES, WIDTH, line_styles, tooltips
from uqwidgets.plotting.text import listed, sentence
from uqwidgets.stress.result import Stress, by_response, emphasised, response


def stress_chart(result: Stress, indicator: str) -> alt.LayerChart:
    """Return an indicator over tau, a line per feature, the leading features in colour.

    The features in colour, and their colours, are the same for all indicators of a result.

    Parameters
    ----------
    result : Stress
    indicator : str
        One of ``result.indicators``.

    Returns
    -------
    alt.LayerChart

    Raises
    ------
    ValueError
        If the result does not have this indicator.
    """
    if indicator not in result.indicators:
        raise ValueError(
            f"the result has no indicator {indicator!r}; it has {listed(result.indicators)}."
        )
    name = result.labels[indicator]
    unit = f" ({result.units[indicator]})" if result.units[indicator] else ""
    order = by_response(result, indicator)
    order = order[np.isfinite(response(result.values[indicator])[order])]
    ranked = [result.features[j] for j in order]
    leading = [result.features[j] for j in emphasised(result)]
    rest = [feature for feature in ranked if feature not in leading]
    drawn = [*leading, *rest[: MOST_LINES // len(result.taus) - len(leading)]]

    frame = result.frame
    frame = frame[(frame["indicator"] == indicator) & frame["feature"].isin(drawn)]
    dropped = ["indicator"] if result.level is not None else ["indicator", "low", "high"]
    frame = frame.drop(columns=dropped)
    strong = frame["feature"].isin(leading)
    encoding = {
        "x": alt.X("tau:Q", title="τ", scale=alt.Scale(domain=[-1, 1]), axis=alt.Axis(tickCount=5)),
        "y": alt.Y("value:Q", title=name + unit, scale=alt.Scale(zero=False)),
        "tooltip": tooltips(
            ["feature:N", "status:N"], ["tau:Q", "value:Q", "target:Q", "reached:Q", "ess:Q"]
        ),
    }
    colour, dash = line_styles(leading)
    layers = [
        alt.Chart(frame[strong])
        .mark_line(strokeWidth=2.5)
        .encode(color=colour, strokeDash=dash, **encoding)
    ]
    if result.level is not None:
        band = {"x": encoding["x"], "y": alt.Y("low:Q", title=name + unit), "y2": "high:Q"}
        bands = alt.Chart(frame[strong]).mark_area(opacity=0.15)
        layers.insert(0, bands.encode(color=colour, **band))
    if not strong.all():
        others = alt.Chart(frame[~strong]).mark_line(color=FAINT, opacity=0.4, strokeWidth=1)
        layers.insert(0, others.encode(detail="feature:N", **encoding))
    left_out = len(set(ranked) - set(drawn))
    return alt.LayerChart(layer=layers).properties(
        width=WIDTH,
        title=alt.Title(
            f"{sentence(name)} under stress",
            subtitle=f"one line per stressed feature, {len(drawn)} of {len(result.features)}"
            + (f", {result.level:.0%} interval".replace("%", " %") if result.level else "")
            + (f"; the {left_out} it responds to least are left out" if left_out else ""),
        ),
    )
