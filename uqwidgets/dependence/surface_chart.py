"""A surface as a map."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np

from uqwidgets.dependence.surface_result import Surface
from uqwidgets.plotting.altair import WIDTH, tooltips
from uqwidgets.plotting.text import value_text, with_unit

_NUMBERS = ["average:Q", "low:Q", "high:Q", "interaction:Q"]


def surface_chart(result: Surface) -> alt.LayerChart:
    """Return a map of the average, with a cross on what is far from the data.

    Parameters
    ----------
    result : Surface

    Returns
    -------
    alt.LayerChart
    """
    quantity = with_unit(result.label, result.unit)
    frame, kinds = result.frame, []
    cells: dict[str, Any] = {}
    points: dict[str, Any] = {}
    for which, (name, axis, place) in enumerate((("first", "x", alt.X), ("second", "y", alt.Y))):
        grid, title = result.grids[which], result.features[which]
        if _banded(result, which):
            # A category may be anything, but JSON knows text.
            frame[name] = frame[name].map(value_text)
            kinds.append(f"{name}:N")
            cells[axis] = points[axis] = place(f"{name}:N", title=title, sort=None)
            continue
        at = np.indices(result.near.shape)[which].ravel()
        middles = grid[:-1] + np.diff(grid) / 2
        edges = np.concatenate([grid[:1], middles, grid[-1:]])
        frame[f"{name}_from"], frame[f"{name}_to"] = edges[at], edges[at + 1]
        scale: Any = alt.Scale(zero=False, nice=False)
        kinds.append(f"{name}:Q")
        cells[axis] = place(f"{name}_from:Q", title=title, scale=scale)
        cells[f"{axis}2"] = f"{name}_to:Q"
        points[axis] = place(f"{name}:Q", title=title, scale=scale)
    # Altair does not limit data in line: a map has as many points as it has.
    base = alt.Chart(alt.InlineData(values=alt.to_values(frame)["values"]))
    numbers = [kind for kind in kinds if kind.endswith("Q")]
    names = [kind for kind in kinds if kind.endswith("N")]
    shade = alt.Color("average:Q", title=quantity, scale=alt.Scale(scheme="blues"))
    tips = tooltips([*names, "near:N"], [*numbers, *_NUMBERS])
    refits = f"{result.n_refits} refits and " if result.n_refits else ""
    far = int((~result.near).sum())
    return alt.LayerChart(
        layer=[
            base.mark_rect().encode(color=shade, tooltip=tips, **cells),
            base.transform_filter("!datum.near")
            .mark_point(shape="cross", angle=45, size=30, fill="white", stroke="black", opacity=1)
            .encode(tooltip=tips, **points),
        ]
    ).properties(
        width=WIDTH,
        height=WIDTH * 0.8,
        title=alt.Title(
            f"Dependence of {quantity} on {result.features[0]} and {result.features[1]}",
            subtitle=f"average over {refits}{len(result.rows)} rows"
            + (f"; crosses: {far} points far from the data" if far else ""),
        ),
    )


def _banded(result: Surface, which: int) -> bool:
    grid = result.grids[which]
    return result.categorical[which] or len(grid) == 1 or not np.isfinite(grid).all()
