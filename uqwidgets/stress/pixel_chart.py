"""Chart of the responses of every pixel of a picture to stress."""

from __future__ import annotations

import operator
from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets._utils.choices import as_names
from uqwidgets._utils.options import brief
from uqwidgets.plotting.altair import tooltips
from uqwidgets.plotting.svg import BLUE, VERMILLION
from uqwidgets.plotting.text import listed, minus, with_unit
from uqwidgets.stress.figure import check_indicators
from uqwidgets.stress.result import Stress

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
    check_indicators(result, names)
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
