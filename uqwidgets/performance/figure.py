"""Figures of scores, confusion and calibration."""

from __future__ import annotations

from typing import Any

from uqwidgets.performance.result import Calibration, Confusion, Scores
from uqwidgets.plotting.figure import Axis, Figure, Mark, Panel, Shade, dots
from uqwidgets.plotting.result import at_once
from uqwidgets.plotting.svg import BLUE
from uqwidgets.plotting.text import pixels, population

_CELL = 44.0


def scores_figure(result: Scores) -> Figure:
    """Return a dot with a whisker for each score, each on an axis of its own.

    Parameters
    ----------
    result : Scores
    """
    frame = result.frame.assign(label=list(result.labels))
    tips = ["label", "value", "std_error", "low", "high"]
    panels = [
        Panel(Axis(), Axis(names=[label]), dots(frame.iloc[[k]], "value", "label", tips=tips))
        for k, label in enumerate(result.labels)
    ]
    rows = population(result.weighted, result.ess, result.n_rows, result.groups)
    together = at_once(result, len(result.value))
    return Figure("Scores of the model", f"{result.level:.0%} interval{together}, {rows}", panels)


def confusion_figure(result: Confusion, most: int | None = None) -> Figure:
    """Return the share of each true class by predicted class, as coloured cells.

    Parameters
    ----------
    result : Confusion
    most : int, optional
        How many classes are drawn; by default all.
    """
    names = list(result.classes[:most])
    frame = result.frame
    frame = frame[frame["true"].isin(names) & frame["predicted"].isin(names)]
    shade = Shade("share_of_true", "share of the true class", (BLUE,), (0.0, 1.0))
    places: dict[str, Any] = {"data": frame, "x": "predicted", "y": "true"}
    tips = ["true", "predicted", "share", "share_of_true"]
    marks = [
        Mark("cell", shade=shade, tips=tips, **places),
        Mark("text", text="share_of_true", percent=True, tips=tips, **places),
    ]
    panel = Panel(Axis("predicted class", names), Axis("true class", names), marks)
    side = _CELL * len(names)
    width = side + max(pixels(name) for name in names) + 28
    return Figure(f"Confusion of {result.target}", "", [panel], size=(width, side))


def calibration_figure(result: Calibration) -> Figure:
    """Return observed shares over predicted probabilities, with the diagonal.

    Parameters
    ----------
    result : Calibration
    """
    equal = {"predicted": [0.0, 1.0], "observed": [0.0, 1.0]}
    tips = ["predicted", "observed", "low", "high", "rows"]
    look: dict[str, Any] = {"data": result.frame, "x": "predicted", "tips": tips}
    marks = [
        Mark("line", equal, "predicted", "observed", colour=None, opacity=0.6, dashed=True),
        Mark("interval", y="low", y2="high", **look),
        Mark("dot", y="observed", **look),
    ]
    x, y = (Axis(name, ends=(0.0, 1.0)) for name in ("predicted probability", "observed share"))
    title = f"Probability that {result.event}"
    return Figure(title, "", [Panel(x, y, marks)], size=(326.0, 260.0))
