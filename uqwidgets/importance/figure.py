"""Figures of importance, of a diagnosis and of redundancy."""

from __future__ import annotations

from typing import Any

import numpy as np

from uqwidgets.importance.diagnosis_result import Diagnosis
from uqwidgets.importance.redundancy_result import Redundancy
from uqwidgets.importance.result import Importance
from uqwidgets.plotting.figure import Axis, Figure, Mark, Panel, dots
from uqwidgets.plotting.result import at_once, named_interval
from uqwidgets.plotting.svg import BLUE, VERMILLION
from uqwidgets.plotting.text import with_unit


def importance_figure(*results: Importance) -> Figure:
    """Return dots with whiskers, the most important feature on top; a panel for each measure.

    Parameters
    ----------
    *results : Importance
        Of the same features; those of the first give the order.
    """
    names = Axis(names=results[0].features)
    first = results[0]
    return Figure(
        f"Importance for {with_unit(first.label, first.unit)}",
        f"{first.how}, {first.level:.0%} interval ({named_interval(first.interval, first.level)})"
        f"{at_once(first, len(first.features))}",
        [
            _panel(one, names, colour)
            for one, colour in zip(results, (BLUE, VERMILLION), strict=False)
        ],
        columns=len(results),
    )


def _panel(result: Importance, names: Axis, colour: str) -> Panel:
    data = {"feature": list(result.features)}
    data |= {name: getattr(result, name) for name in ("importance", "std_error", "low", "high")}
    marks = dots(data, "importance", "feature", colour=colour, tips=list(data))
    if result.per_refit is not None:
        single = {
            "feature": [name for name in result.features for _ in range(result.n_refits)],
            "importance": result.per_refit.ravel(),
        }
        marks.insert(0, Mark("stroke", single, "importance", "feature", colour=None))
    axis = with_unit(result.label, result.unit)
    title = axis if result.compare == "ratio" else f"increase of {axis}"
    return Panel(Axis(title), names, marks, rules=[("x", result.unchanged)])


def diagnosis_figure(result: Diagnosis) -> Figure:
    """Return likelihood and entropy importance of each feature side by side, with its verdict.

    Parameters
    ----------
    result : Diagnosis
    """
    names = Axis(names=result.features)
    data, panels = _columns(result), []
    for title, of, colour in (("likelihood", "nll", BLUE), ("entropy", "entropy", VERMILLION)):
        marks = dots(data, of, "feature", f"{of}_low", f"{of}_high", colour=colour)
        axis = Axis(with_unit(title, result.unit))
        panels.append(Panel(axis, names, marks, rules=[("x", 0.0)]))
    return Figure(*_words(result), panels, columns=2, words=result.verdict)


def diagnosis_map(result: Diagnosis) -> Figure:
    """Return a dot per feature, its intervals as a cross, colour and shape by its verdict.

    Parameters
    ----------
    result : Diagnosis
    """
    frame = result.frame.drop(columns="explanation")
    tips = list(_columns(result))
    marks = [
        Mark("interval", frame, "nll_low", "entropy", x2="nll_high", in_series=True, tips=tips),
        Mark("interval", frame, "nll", "entropy_low", y2="entropy_high", in_series=True, tips=tips),
        Mark("dot", frame, "nll", "entropy", in_series=True, tips=tips),
        Mark("text", frame, "nll", "entropy", text="feature", in_series=True),
    ]
    x, y = (
        Axis(with_unit(f"{name} importance", result.unit)) for name in ("likelihood", "entropy")
    )
    panel = Panel(x, y, marks, rules=[("x", 0.0), ("y", 0.0)])
    verdicts = list(dict.fromkeys(result.verdict))
    return Figure(*_words(result), [panel], series=("verdict", verdicts))


def _columns(result: Diagnosis) -> dict[str, Any]:
    names = [f"{of}{end}" for of in ("nll", "entropy") for end in ("", "_low", "_high")]
    values = {name: getattr(result, name) for name in names}
    return {"feature": list(result.features), "verdict": list(result.verdict), **values}


def _words(result: Diagnosis) -> tuple[str, str]:
    return (
        "Likelihood and entropy importance, read together",
        f"{result.replacement}, {result.level:.0%} interval "
        f"({named_interval(result.interval, result.level)})"
        f"{at_once(result, 2 * len(result.features))}",
    )


def redundancy_figure(result: Redundancy) -> Figure:
    """Return dots with whiskers, the feature that the others predict best on top.

    Parameters
    ----------
    result : Redundancy
        With the target, each feature has two dots.
    """
    sources, ends = ["the others"], [""]
    if result.with_target:
        sources.append(f"the others and {result.target}")
        ends.append("_with_target")
    data: dict[str, Any] = {"feature": [*result.features] * len(sources)}
    for name in ("r2", "low", "high"):
        data[name] = np.concatenate([getattr(result, f"{name}{end}") for end in ends])
    data["source"] = [source for source in sources for _ in result.features]
    marks = dots(data, "r2", "feature", in_series=True, tips=list(data))
    axis = Axis("share of the feature's variance that is predicted")
    panel = Panel(axis, Axis(names=result.features), marks, rules=[("x", 0.0)])
    return Figure(
        "Redundancy",
        f"R² out of bag, forests of {result.n_estimators} trees, {result.level:.0%} interval",
        [panel],
        series=("source", sources),
    )
