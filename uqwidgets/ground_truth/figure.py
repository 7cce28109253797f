"""Figures of fits around the truth, and of intervals over the number of refits."""

from __future__ import annotations

from typing import Any

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.ground_truth.coverage_result import IntervalCoverage
from uqwidgets.ground_truth.result import Decomposition
from uqwidgets.plotting.figure import Axis, Figure, Mark, Panel, Rule, dots
from uqwidgets.plotting.svg import VERMILLION
from uqwidgets.plotting.text import sentence, value_text, with_unit

_MEAN, _TRUTH = "mean of the fits", "truth"


def fits_figure(result: Decomposition, single: Floats) -> Figure:
    """Return the estimates of single fits, their mean, and the truth.

    Parameters
    ----------
    result : Decomposition
    single : ndarray of shape (r, k)
        Of each fit that is drawn.

    Returns
    -------
    Figure
        Lines for the curve of a number; else strokes, dots, and rings for the truth.
    """
    points = result.points.tolist()
    title = sentence(f"{result.title.removeprefix('Error of the ')} in {len(single)} fits")
    measured = Axis(with_unit(result.label, result.unit))
    fits = {"fit": np.repeat(np.arange(len(single)), len(points)), "estimate": single.ravel()}
    if result.feature is None or result.categorical or len(points) == 1:
        # A category may be any object, but JSON needs text.
        points = [value_text(point) for point in points]
        low, high = np.quantile(result.estimates, [0.05, 0.95], axis=(0, 1, 2))
        data = {"value": points, "estimate": result.expected, "low": low, "high": high}
        truth = {"value": points, "estimate": result.truth}
        marks = [
            Mark(
                "stroke", fits | {"value": points * len(single)}, "estimate", "value", colour=None
            ),
            *dots(data, "estimate", "value", tips=list(data)),
            Mark("ring", truth, "estimate", "value", colour=VERMILLION, tips=list(truth)),
        ]
        rules: list[Rule] = [("x", 0.0)] if result.feature is None else []
        panel = Panel(measured, Axis(result.feature, points), marks, rules=rules)
        how = f"{result.how}; rings: the truth; whiskers: 90% of all fits"
        return Figure(title, how, [panel])
    both = {
        "value": points * 2,
        "what": [name for name in (_MEAN, _TRUTH) for _ in points],
        "estimate": np.concatenate([result.expected, result.truth]),
    }
    faint: dict[str, Any] = {"each": "fit", "colour": None, "opacity": 0.16}
    marks = [
        Mark("line", fits | {"value": points * len(single)}, "value", "estimate", **faint),
        Mark("line", both, "value", "estimate", in_series=True, tips=list(both)),
    ]
    panel = Panel(Axis(result.feature, tight=True), measured, marks)
    return Figure(title, result.how, [panel], ("what", [_MEAN, _TRUTH]))


def coverage_figure(result: IntervalCoverage) -> Figure:
    """Return width and coverage over the number of refits: of each point, and their mean.

    Parameters
    ----------
    result : IntervalCoverage
    """
    names, n = [value_text(point) for point in result.points.tolist()], len(result.refits)
    covered, spread = result.coverage.mean(axis=1), 1.96 * result.coverage_error
    single = {"refits": np.repeat(result.refits, len(names)), "point": names * n}
    mean = {
        "refits": result.refits,
        "low": np.maximum(covered - spread, 0),
        "high": np.minimum(covered + spread, 1),
    }
    panels = []
    for which, values in (("width", result.width), ("coverage", result.coverage)):
        tips = ["refits", which]
        faint: dict[str, Any] = {"each": "point", "colour": None, "tips": ["point", *tips]}
        lines, strong = single | {which: values.ravel()}, mean | {which: values.mean(axis=1)}
        marks = [
            Mark("line", lines, "refits", which, opacity=0.3, **faint),
            Mark("line", strong, "refits", which, tips=tips),
            Mark("dot", strong, "refits", which, tips=tips),
        ]
        rules: list[Rule] = []
        if which == "coverage":
            marks.insert(1, Mark("interval", strong, "refits", "low", y2="high", tips=tips))
            rules = [("y", result.level)]
        unit = result.unit if which == "width" else ""
        panels.append(Panel(Axis("refits"), Axis(with_unit(which, unit)), marks, rules=rules))
    how = f"{result.how}; faint: single points"
    return Figure(result.title, how, panels, columns=2, size=(640.0, 190.0))
