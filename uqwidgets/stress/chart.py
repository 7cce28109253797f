"""Charts of stress: an indicator over tau, and the responses of every pixel of a picture."""

from __future__ import annotations

import operator
from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets._utils.choices import as_names, one_of
from uqwidgets._utils.options import brief
from uqwidgets.plotting.altair import (
    FAINT,
    MOST_LINES,
    WIDTH,
    line_styles,
    scale_with_bands,
    tooltips,
)
from uqwidgets.plotting.svg import BLUE, VERMILLION
from uqwidgets.plotting.text import listed, minus, sentence, with_unit
from uqwidgets.stress.result import Stress, by_response, emphasised, response

PANELS_IN_A_ROW = 2


def stress_chart(
    result: Stress, indicators: Sequence[str], features: Sequence[str] | None = None
) -> alt.LayerChart | alt.ConcatChart:
    """Draw indicators over tau, with one line per feature and the leading features in colour.

    The features in colour and their colours are the same for all indicators of a result, so that
    several panels share one legend.

    Parameters
    ----------
    result : Stress
    indicators : sequence of str
        Of ``result.indicators``; one panel for each.
    features : sequence of str, optional
        Features in colour, in the order of their colours.

    Returns
    -------
    alt.LayerChart or alt.ConcatChart

    Raises
    ------
    ValueError
        If the result does not have an indicator or a feature.
    """
    _check_indicators(result, indicators)
    leading = _leading(result, features)
    panels = [_profile(result, indicator, leading) for indicator in indicators]
    if len(panels) == 1:
        return panels[0]
    small = [panel.properties(width=WIDTH / 2, height=WIDTH / 3) for panel in panels]
    return alt.concat(*small, columns=PANELS_IN_A_ROW)


def _profile(result: Stress, indicator: str, leading: list[str]) -> alt.LayerChart:
    """Draw one indicator, these features in colour."""
    name = result.labels[indicator]
    unit = f" ({result.units[indicator]})" if result.units[indicator] else ""
    order = by_response(result, indicator)
    order = order[np.isfinite(response(result.values[indicator])[order])]
    ranked = [result.features[j] for j in order]
    rest = [feature for feature in ranked if feature not in leading]
    room = max(0, MOST_LINES // len(result.taus) - len(leading))
    drawn = [*leading, *rest[:room]]

    frame = result.frame
    frame = frame[(frame["indicator"] == indicator) & frame["feature"].isin(drawn)]
    unused = ["indicator"] if result.level is not None else ["indicator", "low", "high"]
    frame = frame.drop(columns=unused)
    strong = frame["feature"].isin(leading)
    main = frame[strong]
    bands = None if result.level is None else (main["low"], main["high"])
    scale = scale_with_bands([frame["value"]], bands)
    encoding = {
        "x": alt.X("tau:Q", title="τ", scale=alt.Scale(domain=[-1, 1]), axis=alt.Axis(tickCount=5)),
        "y": alt.Y("value:Q", title=name + unit, scale=scale),
        "tooltip": tooltips(
            ["feature:N", "status:N"], ["tau:Q", "value:Q", "target:Q", "reached:Q", "ess:Q"]
        ),
    }
    colour, dash = line_styles(leading)
    layers = [
        alt.Chart(main).mark_line(strokeWidth=2.5).encode(color=colour, strokeDash=dash, **encoding)
    ]
    if result.level is not None:
        band = {
            "x": encoding["x"],
            "y": alt.Y("low:Q", title=name + unit, scale=scale),
            "y2": "high:Q",
        }
        areas = alt.Chart(main).mark_area(opacity=0.15, clip=True)
        layers.insert(0, areas.encode(color=colour, **band))
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


def roc_path_chart(result: Stress, features: Sequence[str] | None = None) -> alt.LayerChart:
    """Draw the true over the false positive rate along tau, with a path for each feature.

    Source: Bachoc et al. 2023, B.4 and figure 6.

    Parameters
    ----------
    result : Stress
    features : sequence of str, optional
        Features in colour; by default those of `emphasised`.

    Returns
    -------
    alt.LayerChart
        All paths meet at tau = 0. A dot marks the end at the highest tau.

    Raises
    ------
    ValueError
        If the result has not both rates, or not such a feature.
    """
    leading = _leading(result, features)
    drawn = [*leading, *(name for name in result.features if name not in leading)]
    drawn = drawn[: max(len(leading), MOST_LINES // len(result.taus))]
    paths = [result.roc_path(name).assign(feature=name).dropna() for name in drawn]
    frame = pd.concat([path for path in paths if len(path)] or paths, ignore_index=True)
    strong = frame["feature"].isin(leading)
    scale = alt.Scale(zero=False)
    encoding = {
        "x": alt.X("fpr:Q", title=result.labels["fpr"], scale=scale),
        "y": alt.Y("tpr:Q", title=result.labels["tpr"], scale=scale),
        "tooltip": tooltips(["feature:N"], ["tau:Q", "fpr:Q", "tpr:Q"]),
    }
    colour, dash = line_styles(leading)
    lines, ends = alt.Chart(frame[strong]), frame[strong].groupby("feature", sort=False).tail(1)
    layers = [
        lines.mark_line(strokeWidth=2.5).encode(
            color=colour, strokeDash=dash, order="tau:Q", **encoding
        ),
        alt.Chart(ends).mark_circle(size=70, opacity=1).encode(color=colour, **encoding),
    ]
    if not strong.all():
        others = alt.Chart(frame[~strong]).mark_line(color=FAINT, opacity=0.4, strokeWidth=1)
        layers.insert(0, others.encode(detail="feature:N", order="tau:Q", **encoding))
    return alt.LayerChart(layer=layers).properties(
        width=WIDTH,
        title=alt.Title(
            "Error rates under stress",
            subtitle=f"one path per stressed feature, {len(drawn)} of {len(result.features)}; "
            "its dot is the highest τ",
        ),
    )


def _leading(result: Stress, features: Sequence[str] | None) -> list[str]:
    """Return the features in colour, in the order of their colours."""
    if features is None:
        return [result.features[j] for j in emphasised(result)]
    return [one_of(result.features, name, "stressed feature") for name in features]


# White stands for no change, so that missing values need another colour.
COLOURS = [BLUE, "#ffffff", VERMILLION]
UNKNOWN = "#d9d9d9"
MAP_WIDTH = 140
MAPS_IN_A_ROW = 5


def pixel_chart(
    result: Stress,
    shape: tuple[int, int],
    low: float,
    high: float,
    indicators: Sequence[str] | None,
    least_ess: float,
) -> alt.ConcatChart:
    """Draw the responses to stress as pictures whose pixels are the features.

    Source: Bachoc et al. 2023, figure 2.

    Parameters
    ----------
    result : Stress
    shape : tuple of int
        Rows and columns of a picture.
    low, high : float
        Levels among ``result.taus``.
    indicators : sequence of str or None
        None for all.
    least_ess : float

    Returns
    -------
    alt.ConcatChart

    Raises
    ------
    ValueError
        If the shape does not fit, or a level or an indicator is not part of the result.
    """
    rows, columns = _picture(shape, len(result.features))
    names = list(result.indicators) if indicators is None else as_names(indicators, "indicators")
    _check_indicators(result, names)
    responses = [result.responses(low, high, name).set_index("feature") for name in names]
    if len({result.units[name] for name in names}) > 1:
        raise ValueError("the indicators differ in their unit; name those of one unit.")
    features = list(result.features)
    ends = [int(np.argmin(np.abs(result.taus - tau))) for tau in (low, high)]
    ess = result.ess[:, ends].min(axis=1)
    change = np.stack([table["response"][features].to_numpy() for table in responses])
    change[:, ~(ess >= least_ess)] = np.nan

    row, column = np.divmod(np.arange(rows * columns), columns)
    pixels = pd.DataFrame({"feature": features, "row": row, "column": column, "ess": ess})
    table = pixels.join(pd.DataFrame(change.T).add_prefix("change"))
    scale = _centred(change)
    title = with_unit("change", result.units[names[0]])
    step = alt.Step(max(1, MAP_WIDTH // max(rows, columns)))
    # Inline data are not subject to Altair's limit on the number of rows.
    inline = alt.InlineData(values=alt.to_values(table)["values"])
    base = alt.Chart(inline, width=step, height=step).encode(
        x=alt.X("column:O", axis=None, scale=alt.Scale(domain=list(range(columns)))),
        y=alt.Y("row:O", axis=None, scale=alt.Scale(domain=list(range(rows)))),
    )
    maps = [
        base.mark_rect()
        .transform_filter(f"isValid(datum.change{i})")
        .encode(
            color=alt.Color(f"change{i}:Q", title=title, scale=scale),
            tooltip=tooltips(["feature:N"], [f"change{i}:Q", "ess:Q"]),
        )
        .properties(title=result.labels[name], view=alt.ViewBackground(fill=UNKNOWN))
        for i, name in enumerate(names)
    ]
    return alt.concat(*maps, columns=MAPS_IN_A_ROW).properties(
        title=alt.Title(
            f"Change from τ = {minus(f'{low:g}')} to τ = {minus(f'{high:g}')}, pixel by pixel",
            subtitle=_blank(result, ends, ess, least_ess),
        )
    )


def _check_indicators(result: Stress, indicators: Sequence[object]) -> None:
    for indicator in indicators:
        if indicator not in result.indicators:
            raise ValueError(
                f"the result has no indicator {brief(indicator)}; it has "
                f"{listed(result.indicators)}."
            )


def _picture(shape: tuple[int, int], pixels: int) -> tuple[int, int]:
    """Return the rows and columns of a picture, which must have as many pixels."""
    try:
        rows, columns = (operator.index(length) for length in shape)
    except (TypeError, ValueError):
        raise ValueError(
            f"shape is {brief(shape)}; it must be two whole numbers, the rows and columns of "
            "a picture."
        ) from None
    if min(rows, columns) < 1 or rows * columns != pixels:
        raise ValueError(
            f"shape {rows} x {columns} does not fit a result of {pixels} stressed features; "
            "stress one feature per pixel, row by row."
        )
    return rows, columns


def _centred(change: Floats) -> alt.Scale:
    """Return one colour scale for all pictures, with white for no change."""
    known = np.abs(change[np.isfinite(change)])
    most = float(known.max(initial=0.0)) or 1.0
    return alt.Scale(domain=[-most, 0, most], range=COLOURS, interpolate="rgb")


def _blank(result: Stress, ends: list[int], ess: Floats, least_ess: float) -> str:
    """Describe which pixels are left blank, and why."""
    unknown = np.isnan(ess)
    low, high = (result.status[:, end] for end in ends)
    status = np.where(np.isnan(result.ess[:, ends[0]]), low, high)[unknown]
    why = dict(zip(*np.unique(status, return_counts=True), strict=True))
    few = int((ess < least_ess).sum())
    if few:
        why[f"below an effective sample size of {least_ess:g}"] = few
    return f"grey: {listed([f'{k} {reason}' for reason, k in why.items()])}" if why else ""
