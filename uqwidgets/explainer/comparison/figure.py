"""Figures of two results and their difference, and of results that are laid over each other."""

from __future__ import annotations

from typing import Any

import pandas as pd

from uqwidgets.dependence.result import Dependence
from uqwidgets.explainer.comparison.overlay_result import Overlay
from uqwidgets.explainer.comparison.result import Difference
from uqwidgets.importance.result import Importance
from uqwidgets.performance.result import Scores
from uqwidgets.plotting.choice import MOST_EMPHASISED, MOST_POINTS
from uqwidgets.plotting.figure import Axis, Figure, Mark, Panel, Rule, dots
from uqwidgets.plotting.text import value_text, with_unit
from uqwidgets.stress.figure import stress_figure
from uqwidgets.stress.result import Stress, by_response

_ENDS = {"low": "low_", "high": "high_"}


def difference_figure(result: Difference) -> Figure:
    """Return both sides on one axis, and the difference on another, with their intervals.

    Of stress, the difference of the first indicator is shown for the features that it responds to
    most.

    Parameters
    ----------
    result : Difference
    """
    of = result.difference
    if isinstance(of, Stress):
        order = by_response(of, of.indicators[0])[:MOST_EMPHASISED]
        leading = [of.features[j] for j in order]
        figure = stress_figure(of, of.indicators[:1], leading, len(leading), reference=0.0)
        return Figure(result.title, figure.subtitle, figure.panels, figure.series)
    sides = [*result.names, result.title]
    frames = [
        _side(result, side, name)
        for side, name in zip((result.first, result.second, of), sides, strict=True)
    ]
    is_curve = isinstance(of, Dependence) and not of.categorical
    look: dict[str, Any] = {
        "in_series": True,
        "tips": ["side", "line", "value_", "low_", "high_"],
    }
    quantity = "" if isinstance(of, Scores) else with_unit(_quantity(result), of.unit)
    unchanged = [0.0] if isinstance(of, Importance) else []
    x = Axis(of.feature, tight=True) if isinstance(of, Dependence) else Axis()
    names = Axis(names=frames[0]["line"].tolist())
    panels = []
    for title, frame, zero in (
        (quantity, pd.concat(frames[:2], ignore_index=True), unchanged),
        (result.title, frames[2], [0.0]),
    ):
        if is_curve:
            marks = [
                Mark("band", frame, "line", "low_", y2="high_", opacity=0.2, in_series=True),
                Mark("line", frame, "line", "value_", **look),
            ]
            panels.append(Panel(x, Axis(title), marks, rules=[("y", v) for v in zero]))
        else:
            marks = dots(frame, "value_", "line", "low_", "high_", **look)
            panels.append(Panel(Axis(title), names, marks, rules=[("x", v) for v in zero]))
    columns = 1 if is_curve else 2
    return Figure(result.title, "", panels, ("side", sides), columns, size=(640.0, 170.0))


def _quantity(result: Difference) -> str:
    of = result.first
    return of.quantity if isinstance(of, Dependence) else str(getattr(of, "label", ""))


def _side(result: Difference, side: Any, name: str) -> pd.DataFrame:
    """Return the columns ``line, value_, low_, high_, side`` of one side or of the difference."""
    frame = result.aligned(side).iloc[: MOST_POINTS // 2]
    frame = frame.rename(columns={frame.columns[0]: "line"}).assign(side=name)
    if not isinstance(side, Dependence) or side.categorical:
        # A category may be anything, but JSON knows text.
        frame["line"] = frame["line"].map(value_text)
    return frame


def overlay_figure(result: Overlay) -> Figure:
    """Return dots with whiskers, or lines with bands, one colour for each result.

    Parameters
    ----------
    result : Overlay

    Returns
    -------
    Figure
        With a panel for each of several stressed features.
    """
    marks, first = result.marks, result.results[0]
    look: dict[str, Any] = {"in_series": True}
    y = Axis(result.quantity)
    x = Axis(result.across, tight=not result.roc_path)
    if result.categorical:
        tips = ["result", "x", "value", "low", "high"]
        names = Axis(
            None if isinstance(first, Importance) else result.across, marks["x"].unique().tolist()
        )
        # An importance has a place where nothing changes; a curve keeps to its own range.
        rules: list[Rule] = [("x", first.unchanged)] if isinstance(first, Importance) else []
        panels = [Panel(y, names, dots(marks, "value", "x", tips=tips, **look), rules=rules)]
    else:
        panels = []
        for name, own in marks.groupby("panel", sort=False):
            if result.roc_path:
                tips = ["result", "tau", "x", "value"]
                # A path has no direction of its own: a dot marks its end at the highest tau.
                ends = own[own["tau"] == own["tau"].max()]
                of = [
                    Mark("line", own, "x", "value", order="tau", tips=tips, **look),
                    Mark("dot", ends, "x", "value", tips=tips, **look),
                ]
            else:
                tips = ["result", "x", "value", "low", "high"]
                of = [
                    Mark("band", own, "x", "low", y2="high", opacity=0.13, **look),
                    Mark("line", own, "x", "value", tips=tips, **look),
                ]
            panels.append(Panel(x, y, of, str(name)))
    columns = min(2, len(panels))
    series = "result", list(result.names)
    return Figure(result.title, result.how, panels, series, columns, size=(640.0, 190.0))
