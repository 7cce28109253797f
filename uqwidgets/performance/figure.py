"""Figures of scores, confusion and calibration."""

from __future__ import annotations

from typing import Any

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.performance.group_scores_result import GroupScores
from uqwidgets.performance.result import Calibration, CalibrationAlong, Confusion, Scores
from uqwidgets.performance.verdict import percent
from uqwidgets.plotting.figure import Axis, Figure, Mark, Panel, Rule, Shade, dots
from uqwidgets.plotting.result import at_once
from uqwidgets.plotting.svg import BLUE, VERMILLION
from uqwidgets.plotting.text import number, pixels, population, with_unit

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


def group_scores_figure(result: GroupScores) -> Figure:
    """Return the difference of each score in each group from that in all other rows.

    Parameters
    ----------
    result : GroupScores
    """
    frame, names = result.frame, list(result.groups)
    tips = ["group", "rows", "score", "value", "rest", "difference"]
    panels = []
    for name, label, unit in zip(result.names, result.labels, result.units, strict=True):
        ends = "difference_low", "difference_high"
        lines = frame[frame["score"] == name]
        marks = dots(lines, "difference", "group", *ends, solid="clear", tips=[*tips, *ends])
        axis = Axis(with_unit(f"{label}, minus all other rows", unit))
        panels.append(Panel(axis, Axis(names=names), marks, rules=[("x", 0.0)]))
    height = 22.0 * max(2, len(names))
    together = f"{result.level:.0%} intervals{at_once(result, result.difference.size)}"
    return Figure(f"Groups by {result.by}", together, panels, size=(640.0, height))


def confusion_figure(result: Confusion, most: int | None = None) -> Figure:
    """Return the share of each true class by predicted class, as coloured cells.

    The colour is that of errors alone: the most frequent one is the darkest.

    Parameters
    ----------
    result : Confusion
    most : int, optional
        How many classes are drawn; by default all.
    """
    names = list(result.classes[:most])
    frame = result.frame
    frame = frame[frame["true"].isin(names) & frame["predicted"].isin(names)]
    errors = np.where(frame["true"] == frame["predicted"], 0.0, frame["share_of_true"])
    frame = frame.assign(error=np.nan_to_num(errors))
    most_frequent = max(float(frame["error"].max()), 1e-9)
    shade = Shade("error", "errors, share of the true class", (BLUE,), (0.0, most_frequent))
    places: dict[str, Any] = {"data": frame, "x": "predicted", "y": "true"}
    tips = ["true", "predicted", "share", "share_of_true", "rows"]
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

    A point whose interval does not contain its probability has a ring and its name.

    Parameters
    ----------
    result : Calibration
    """
    frame = result.frame
    tips = ["predicted", "observed", "low", "high", "rows"]
    names = ("predicted probability", "observed share")
    places = {name: name for name in ("predicted", "observed", "low", "high")}
    equal, ticks, ends = [0.0, 1.0], None, (0.0, 1.0)
    if result.logit:
        places = {name: f"logit_{name}" for name in places}
        ends, ticks = logit_ends(*(frame[name].to_numpy(float) for name in ("predicted", "low")))
        for name, place in places.items():
            frame[place] = np.clip(log_odds(frame[name].to_numpy(float)), *ends)
        equal = list(ends)
    diagonal = {places["predicted"]: equal, places["observed"]: equal}
    x = places["predicted"]
    look: dict[str, Any] = {"data": frame, "x": x, "tips": tips}
    marks = [
        Mark("line", diagonal, x, places["observed"], colour=None, opacity=0.6, dashed=True),
        Mark("interval", y=places["low"], y2=places["high"], **look),
        Mark("dot", y=places["observed"], **look),
    ]
    if result.outside.any():
        missed = frame[result.outside].assign(name=lambda f: f["predicted"].map(_short))
        missing: dict[str, Any] = {"data": missed, "x": x, "y": places["observed"], "tips": tips}
        marks.append(Mark("ring", colour=VERMILLION, **missing))
        marks.append(Mark("text", text="name", colour=VERMILLION, **missing))
    across, up = (Axis(name, ends=ends, ticks=ticks) for name in names)
    title = f"Probability that {result.event}"
    return Figure(title, result.verdict, [Panel(across, up, marks)], size=(326.0, 260.0))


def log_odds(p: Floats) -> Floats:
    """Return the log-odds of probabilities, infinite for 0 and 1."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(p) - np.log1p(-p))


def logit_ends(
    *probabilities: Floats,
) -> tuple[tuple[float, float], tuple[tuple[float, str], ...]]:
    """Return the ends of an axis of log-odds that holds probabilities, and its ticks.

    Both ends are as far from 0.5 as the most extreme probability, but at most 1 in 10,000.
    """
    inside = np.concatenate([p[(p > 0) & (p < 1)] for p in probabilities] or [np.array([0.5])])
    least = float(np.minimum(inside, 1 - inside).min(initial=0.05))
    end = float(-log_odds(np.array(max(least, 1e-4)))) + 0.3
    shown = [p for p in _ODDS if abs(float(log_odds(np.array(p)))) <= end]
    return (-end, end), tuple((float(log_odds(np.array(p))), f"{p:g}") for p in shown)


def _short(probability: float) -> str:
    return number(probability, 2)


# Ticks of an axis of log-odds.
_ODDS = (1e-4, 1e-3, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999)


def along_figure(result: CalibrationAlong, most: int | None = None) -> Figure:
    """Return a dot with a whisker for each part of the rows: the share observed, and sharpness.

    A square is the predicted probability, a ring a part that misses it, a hollow dot a part of
    fewer than 30 effective rows.

    Parameters
    ----------
    result : CalibrationAlong
    most : int, optional
        How many parts are drawn; by default all.
    """
    frame = result.frame.assign(enough=~result.few)[:most]
    names = frame["part"].tolist()
    tips = ["part", "predicted", "observed", "low", "high", "rows"]
    y = Axis(names=names)
    look: dict[str, Any] = {"y": "part", "solid": "enough", "tips": tips}
    missed = frame[result.outside[: len(frame)]]
    marks = [
        Mark("square", frame, "predicted", "part", colour=None, tips=tips),
        Mark("interval", frame, "low", "part", x2="high", tips=tips),
        *([Mark("ring", missed, "observed", "part", colour=VERMILLION)] if len(missed) else []),
        Mark("dot", frame, "observed", **look),
    ]
    if result.nominal is None:
        title = "observed share"
    else:
        title = f"inside {percent(result.nominal)} intervals"
    rules: list[Rule] = [] if result.nominal is None else [("x", result.nominal)]
    spread = [
        Mark("interval", frame, "sharpness_low", "part", x2="sharpness_high"),
        Mark("dot", frame, "sharpness", **{**look, "tips": ["part", "sharpness", "rows"]}),
    ]
    panels = [
        Panel(Axis(title), y, marks, rules=rules),
        Panel(Axis(result.of_sharpness), y, spread),
    ]
    words = [f"{rows:,} rows" for rows in frame["rows"]]
    heading = f"Calibration along {result.by}"
    return Figure(heading, result.verdict, panels, columns=2, words=words)
