"""Figure of scores that are expected in another table."""

from __future__ import annotations

from uqwidgets.another_table.expected_result import Expected
from uqwidgets.another_table.prediction_sets_result import PredictionSets
from uqwidgets.plotting.figure import Axis, Figure, Panel, dots
from uqwidgets.plotting.text import number, with_unit

_HERE, _THERE = "here", "expected there"


def expected_figure(result: Expected) -> Figure:
    """Return each score here and there with its interval, on an axis of its own.

    Parameters
    ----------
    result : Expected
    """
    panels = []
    for k, (label, unit) in enumerate(zip(result.labels, result.units, strict=True)):
        lines = {
            "where": [_HERE, _THERE],
            "value": [result.here[k], result.there[k]],
            "low": [result.here_low[k], result.there_low[k]],
            "high": [result.here_high[k], result.there_high[k]],
        }
        marks = dots(lines, "value", "where", tips=["where", "value", "low", "high"])
        axis = Axis(with_unit(label, unit))
        panels.append(Panel(axis, Axis(names=[_HERE, _THERE]), marks))
    subtitle = (
        f"{result.level:.0%} intervals, {number(result.weights.ess)} effective rows look like the "
        "other table"
    )
    return Figure("Scores here, and expected there", subtitle, panels)


def sets_figure(result: PredictionSets) -> Figure:
    """Return the coverage and the size of each kind of sets, by the parts of the rows.

    Parameters
    ----------
    result : PredictionSets
    """
    frame = result.frame
    frame["line"] = [f"{part}, {of}" for part, of in zip(frame["part"], frame["sets"], strict=True)]
    names = list(frame["line"])
    tips = ["part", "sets", "rows", "coverage", "low", "high", "size", "infinite"]
    size = Axis(with_unit("mean size", result.unit))
    panels = [
        Panel(
            Axis("share of the rows whose target is in its set"),
            Axis(names=names),
            dots(frame, "coverage", "line", tips=tips),
            rules=[("x", result.nominal)],
        ),
        Panel(
            size, Axis(names=names), dots(frame, "size", "line", "size_low", "size_high", tips=tips)
        ),
    ]
    height = 20.0 * max(2, len(names))
    title = f"{result.nominal:.0%} prediction sets"
    return Figure(title, f"{result.level:.0%} intervals", panels, size=(640.0, height))
