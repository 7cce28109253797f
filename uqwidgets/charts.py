"""Altair charts of results, to restyle, to combine or to save."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from uqwidgets.results import Dependence, Importance, ImportanceOverTau, Stress
from uqwidgets.stills.choice import EMPHASISED, MOST_CURVES, by_response, ice_sample, response
from uqwidgets.stills.drawing import BLUE, GREEN, PURPLE, VERMILLION
from uqwidgets.stills.wording import listed, sentence, with_unit

# Altair refuses longer tables, for they make notebooks heavy.
MOST_LINES = 5000
# On the white of a chart, Okabe and Ito's black is in its place.
PALETTE = [BLUE, VERMILLION, GREEN, PURPLE, "#000000"]
DASHES = [[1, 0], [7, 4], [2, 4], [9, 3, 2, 3], [4, 2]]
FAINT = "#888888"
WIDTH = 420

_CURVE = ["average:Q", "low:Q", "high:Q"]

# Columns of the frames have fixed names. Features never become a column: their names may hold
# what Vega-Lite reads as a path, such as dots and brackets.


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
        tooltip=_tooltips(["feature:N"], ["importance:Q", "std_error:Q", "low:Q", "high:Q"]),
    )
    zero = alt.Chart().mark_rule(color=FAINT).encode(x=alt.datum(0))
    whiskers = base.mark_rule(color=BLUE, strokeWidth=2).encode(
        x=alt.X("low:Q", title=f"increase of {axis}"), x2="high:Q"
    )
    dots = base.mark_circle(color=BLUE, size=60, opacity=1).encode(x="importance:Q")
    return alt.LayerChart(data=result.frame, layer=[zero, whiskers, dots]).properties(
        title=alt.Title(
            f"Importance for {axis}",
            subtitle=f"{result.replacement}, {result.n_repeats} repeats, {result.level:.0%} "
            f"interval ({result.interval})",
        )
    )


def dependence_chart(result: Dependence) -> alt.LayerChart:
    """Return a curve with its band over lines of single rows; for categories, dots with whiskers.

    Parameters
    ----------
    result : Dependence

    Returns
    -------
    alt.LayerChart
    """
    frame, lines = result.frame, _ice(result)
    axis = with_unit(result.label, result.unit)
    measured: Any = {"title": axis, "scale": alt.Scale(zero=False)}
    # A curve needs two values; a single one is a dot, as a category is.
    if result.categorical or len(result.grid) == 1:
        for table in (frame, lines):
            # A category may be anything, but JSON knows text.
            table["value"] = table["value"].map(str)
        grid = alt.Y("value:N", title=result.feature, sort=None)
        base = alt.Chart(frame).encode(y=grid, tooltip=_tooltips(["value:N"], _CURVE))
        layers = [
            alt.Chart(lines)
            .mark_tick(color=FAINT, opacity=0.4)
            .encode(y=grid, x=alt.X("ice:Q", **measured)),
            base.mark_rule(color=BLUE, strokeWidth=2).encode(
                x=alt.X("low:Q", **measured), x2="high:Q"
            ),
            base.mark_circle(color=BLUE, size=80, opacity=1).encode(
                x=alt.X("average:Q", **measured)
            ),
        ]
        spread = "interval"
    else:
        scale = alt.Scale(zero=False, nice=False)
        along = alt.X("value:Q", title=result.feature, scale=scale, axis=alt.Axis(tickCount=8))
        base = alt.Chart(frame).encode(x=along, tooltip=_tooltips([], ["value:Q", *_CURVE]))
        layers = [
            alt.Chart(lines)
            .mark_line(color=FAINT, opacity=0.3, strokeWidth=1)
            .encode(x=along, y=alt.Y("ice:Q", **measured), detail="row:N"),
            base.mark_area(color=BLUE, opacity=0.3).encode(
                y=alt.Y("low:Q", **measured), y2="high:Q"
            ),
            base.mark_line(color=BLUE, strokeWidth=3).encode(y=alt.Y("average:Q", **measured)),
        ]
        spread = "band"
    return alt.LayerChart(layer=layers).properties(
        width=WIDTH,
        title=alt.Title(
            f"Dependence of {axis} on {result.feature}",
            subtitle=f"average with {result.level:.0%} {spread}; "
            f"{lines['row'].nunique()} of {len(result.rows)} rows",
        ),
    )


def stress_chart(result: Stress, indicator: str) -> alt.LayerChart:
    """Return an indicator over tau, a line per feature, those it responds to most in colour.

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
        If the result does not hold this indicator.
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
    drawn = ranked[: MOST_LINES // len(result.taus)]
    emphasised = drawn[:EMPHASISED]

    frame = result.frame
    frame = frame[(frame["indicator"] == indicator) & frame["feature"].isin(drawn)]
    unwanted = ["indicator"] if result.level is not None else ["indicator", "low", "high"]
    frame = frame.drop(columns=unwanted)
    strong = frame["feature"].isin(emphasised)
    encoding = {
        "x": alt.X("tau:Q", title="τ", scale=alt.Scale(domain=[-1, 1]), axis=alt.Axis(tickCount=5)),
        "y": alt.Y("value:Q", title=name + unit, scale=alt.Scale(zero=False)),
        "tooltip": _tooltips(
            ["feature:N", "status:N"], ["tau:Q", "value:Q", "target:Q", "reached:Q", "ess:Q"]
        ),
    }
    colour = alt.Color("feature:N", title=None, sort=emphasised, scale=alt.Scale(range=PALETTE))
    dash = alt.StrokeDash("feature:N", title=None, sort=emphasised, scale=alt.Scale(range=DASHES))
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
    left_out = len(ranked) - len(drawn)
    return alt.LayerChart(layer=layers).properties(
        width=WIDTH,
        title=alt.Title(
            f"{sentence(name)} under stress",
            subtitle=f"one line per stressed feature, {len(drawn)} of {len(result.features)}"
            + (f", {result.level:.0%} interval".replace("%", " %") if result.level else "")
            + (f"; the {left_out} it responds to least are left out" if left_out else ""),
        ),
    )


def importance_over_tau_chart(result: ImportanceOverTau) -> alt.LayerChart:
    """Draw importance over tau, the features that matter most at tau = 0 emphasised.

    Parameters
    ----------
    result : ImportanceOverTau

    Returns
    -------
    alt.LayerChart
    """
    at_rest = result.importance[:, int(np.argmin(np.abs(result.taus)))]
    order = np.argsort(-np.nan_to_num(at_rest, nan=-np.inf), kind="stable")
    emphasised = [result.features[j] for j in order[:EMPHASISED]]
    frame = result.frame.drop(columns="status")
    strong = frame["feature"].isin(emphasised)
    unit = f" ({result.unit})" if result.unit else ""
    x = alt.X("tau:Q", title=f"τ of {result.stressed}", scale=alt.Scale(domain=[-1, 1]))
    y = alt.Y("importance:Q", title=f"importance{unit}")
    tips = _tooltips(["feature:N"], ["tau:Q", "importance:Q", "low:Q", "high:Q", "ess:Q"])
    colour = alt.Color("feature:N", title=None, sort=emphasised, scale=alt.Scale(range=PALETTE))
    dash = alt.StrokeDash("feature:N", title=None, sort=emphasised, scale=alt.Scale(range=DASHES))
    main = alt.Chart(frame[strong])
    layers = [
        main.mark_area(opacity=0.12).encode(x=x, y=alt.Y("low:Q"), y2="high:Q", color=colour),
        main.mark_line(strokeWidth=2.5).encode(
            x=x, y=y, color=colour, strokeDash=dash, tooltip=tips
        ),
    ]
    if not strong.all():
        others = alt.Chart(frame[~strong]).mark_line(color=FAINT, opacity=0.4, strokeWidth=1)
        layers.insert(0, others.encode(x=x, y=y, detail="feature:N", tooltip=tips))
    return alt.LayerChart(layer=layers).properties(
        width=WIDTH,
        title=alt.Title(
            f"{sentence(result.label)}: importance as {result.stressed} is stressed",
            subtitle=f"{result.level:.0%} {result.interval} interval".replace("%", " %"),
        ),
    )


def _ice(result: Dependence) -> pd.DataFrame:
    """Long table of the lines that are drawn, columns ``row, value, ice``."""
    points = len(result.grid)
    rows, lines = ice_sample(result, min(MOST_CURVES, max(1, MOST_LINES // points)))
    return pd.DataFrame(
        {
            "row": np.repeat(rows, points),
            "value": np.tile(result.grid, len(rows)),
            "ice": lines.ravel(),
        }
    )


def _tooltips(names: list[str], numbers: list[str]) -> list[alt.Tooltip]:
    return [
        *(alt.Tooltip(name) for name in names),
        *(alt.Tooltip(number, format=".4~g") for number in numbers),
    ]
