"""Figures of a dependence, of curves side by side, and of a surface."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from uqwidgets._utils.options import MOST_POINTS, checked_count
from uqwidgets.dependence.curve_grid_result import CurveGrid
from uqwidgets.dependence.result import Dependence, thin_lines
from uqwidgets.dependence.rows import colours_of, counts_of, observed_within, own_values_of
from uqwidgets.dependence.surface_result import Surface
from uqwidgets.plotting.choice import MOST_CURVES, segments
from uqwidgets.plotting.figure import Axis, Figure, Kind, Mark, Panel, Rule, Shade, dots
from uqwidgets.plotting.result import at_once
from uqwidgets.plotting.svg import BLUE
from uqwidgets.plotting.text import clipped, counted_rows, value_text, with_unit

# The average over lines that have colours of their own.
_DARK = "#222222"
# The colours of a map go from light to dark, so that they are ordered in grey and for every eye.
_SHADES = ("#eef5fa", BLUE, "#001828")
_TIPS = ("value", "average", "low", "high")


def dependence_figure(
    result: Dependence,
    most_lines: int = MOST_CURVES,
    *,
    color_by: Any = None,
    own_values: bool = False,
    rug: bool = False,
    observed: bool = False,
) -> Figure:
    """Return a curve with its band over lines of single rows; for categories, dots with whiskers.

    Parameters
    ----------
    result : Dependence
    most_lines : int
        Number of rows whose lines are drawn.
    color_by, own_values, rug
        See `Dependence.to_altair`.
    observed : bool
        Whether there is a rug of the observed values of all rows.
    """
    rows, thin = thin_lines(result, most_lines)
    values = _shown(result)
    lines: dict[str, Any] = {
        "row": np.repeat(rows, len(values)),
        "value": _tiled(values, len(rows)),
        "ice": thin.ravel(),
    }
    own = own_values_of(result, rows, thin) if own_values or rug else {}
    shade = None
    if color_by is not None:
        if result.per_refit is not None:
            raise ValueError(
                "the lines of a learner are its refits, which color_by cannot colour; draw the "
                "curve of a fitted model."
            )
        colours, shade = colours_of(result, color_by, rows)
        lines["colour"] = np.repeat(colours, len(values))
        if own:
            of_row = dict(zip(rows.tolist(), colours, strict=True))
            own["colour"] = np.array([of_row[row] for row in own["row"]], dtype=colours.dtype)
    faint: dict[str, Any] = {"colour": None, "shade": shade}
    strong: dict[str, Any] = {"colour": BLUE if color_by is None else _DARK, "tips": _TIPS}
    measured = Axis(with_unit(result.quantity, result.unit))
    compared = result.relative or result.center is not None or result.accumulated
    if _is_apart(result):
        labels = None
        if result.categorical:
            counts = zip(values, counts_of(result), strict=True)
            labels = [f"{clipped(name, 150)} ({count})" for name, count in counts]
        marks = [
            Mark("stroke", lines, "ice", "value", **faint),
            *dots(_points(result), "average", "value", solid="near", **strong),
        ]
        if own_values:
            marks.append(Mark("dot", own, "ice", "value", **faint))
        rules: list[Rule] = [("x", 0.0)] if compared else []
        panel = Panel(measured, Axis(result.feature, values, labels), marks, rules=rules)
    else:
        points = result.frame
        marks = [
            Mark("line", lines, "value", "ice", each="row", opacity=0.16, **faint),
            Mark("band", points, "value", "low", y2="high", opacity=0.35, **strong),
            Mark(
                "line",
                _parts(result),
                "value",
                "average",
                each="part",
                solid="solid",
                width=2.6,
                colour=strong["colour"],
            ),
        ]
        if own_values:
            marks.append(Mark("dot", own, "value", "ice", **faint))
        if rug:
            marks.append(Mark("rug", own, "value", **faint))
        if observed:
            marks.append(Mark("rug", {"value": observed_within(result)[0]}, "value", colour=None))
        rules = [("y", 0.0)] if compared or result.derivative else []
        panel = Panel(Axis(result.feature, tight=True), measured, marks, rules=rules)
    return Figure(result.title, _subtitle(result, len(rows)), [panel], size=(640.0, 232.0))


def mean_of(result: Dependence) -> str:
    """Return what the average of a curve is over."""
    if result.accumulated:
        return "accumulated local effects"
    return f"mean over {result.n_refits} refits" if result.n_refits else "average"


def _subtitle(result: Dependence, drawn: int) -> str:
    spread, far = ("interval", "hollow") if _is_apart(result) else ("band", "dashed")
    together = at_once(result, len(result.grid))
    lines = (
        f"{drawn} refits"
        if result.n_refits
        else f"{drawn} of {counted_rows(len(result.rows), result.groups)}"
    )
    text = f"{mean_of(result)} with {result.level:.0%} {spread}{together}; {lines}"
    return text if result.near.all() else f"{text}; {far} far from the data"


def _is_apart(result: Dependence) -> bool:
    # A curve needs two values; a single one is a dot, as a category is.
    return result.categorical or len(result.grid) == 1


def _shown(result: Dependence) -> Any:
    """Return the values of the grid; a category may be anything, but pictures show text."""
    return [value_text(v) for v in result.grid.tolist()] if _is_apart(result) else result.grid


def _tiled(values: Any, count: int) -> Any:
    return values * count if isinstance(values, list) else np.tile(values, count)


def _points(result: Dependence) -> dict[str, Any]:
    numbers = {name: getattr(result, name) for name in ("average", "low", "high", "near")}
    return {"value": _shown(result), **numbers}


def _parts(result: Dependence) -> pd.DataFrame:
    """Points of the average, part by part, with whether its part is near the data."""
    frame = result.frame[["value", "average"]]
    parts = segments(result.near)
    return pd.concat(
        [frame[start:stop].assign(part=k, solid=s) for k, (start, stop, s) in enumerate(parts)],
        ignore_index=True,
    )


def curve_grid_figure(grid: CurveGrid, columns: int = 3) -> Figure:
    """Return a panel for each feature; all have the same vertical axis.

    Parameters
    ----------
    grid : CurveGrid
    columns : int
    """
    columns = checked_count(columns, "columns", 1, MOST_POINTS)
    measured, panels = Axis(grid.quantity), []
    for one in grid.curves:
        is_apart = _is_apart(one)
        kinds: tuple[Kind, Kind] = ("interval", "dot") if is_apart else ("band", "line")
        data: dict[str, Any] = {"data": _points(one), "x": "value", "tips": _TIPS}
        marks = [
            Mark(kinds[0], y="low", y2="high", opacity=0.3, **data),
            Mark(kinds[1], y="average", **data),
        ]
        x = Axis(one.feature, _shown(one) if is_apart else None, tight=True)
        panels.append(Panel(x, measured, marks))
    return Figure("", "", panels, columns=columns, size=(640.0, 84.0))


def surface_figure(result: Surface) -> Figure:
    """Return a map of the average, with marks on what is far from the data.

    Parameters
    ----------
    result : Surface
    """
    quantity = with_unit(result.label, result.unit)
    first, second = (_values(result, which) for which in (0, 1))
    n, m = result.near.shape
    names = ("average", "low", "high", "interaction", "near")
    data = {
        "first": [value for value in first for _ in range(m)],
        "second": [*second] * n,
        **{name: getattr(result, name).ravel() for name in names},
    }
    x, y = (
        Axis(result.features[which], values if is_banded(result, which) else None, tight=True)
        for which, values in enumerate((first, second))
    )
    shade = Shade("average", quantity, _SHADES)
    mark = Mark("cell", data, "first", "second", shade=shade, solid="near", tips=list(data))
    refits = f"{result.n_refits} refits and " if result.n_refits else ""
    far = int((~result.near).sum())
    return Figure(
        f"Dependence of {quantity} on {result.features[0]} and {result.features[1]}",
        f"average over {refits}{counted_rows(len(result.rows), result.groups)}"
        + (f"; crosses: {far} points far from the data" if far else ""),
        [Panel(x, y, [mark])],
        size=(640.0, 280.0),
    )


def is_banded(result: Surface, which: int) -> bool:
    """Whether each value has a band of its own: categories, missing values, a single value."""
    grid = result.grids[which]
    return result.categorical[which] or len(grid) == 1 or not np.isfinite(grid).all()


def _values(result: Surface, which: int) -> list[Any]:
    values = result.grids[which].tolist()
    return [value_text(value) for value in values] if is_banded(result, which) else values
