"""Figure of the performance of learners."""

from __future__ import annotations

from uqwidgets.learner.performance_result import Comparison, OverRefits
from uqwidgets.plotting.figure import Axis, Figure, Mark, Panel, Rule, dots
from uqwidgets.plotting.text import with_unit


def performance_figure(result: OverRefits) -> Figure:
    """Return a dot with its interval, and a stroke for each refit; a difference has a zero.

    Parameters
    ----------
    result : Performance or Comparison
    """
    name, value, label = result.learner, "mean", result.label
    rules: list[Rule] = []
    if isinstance(result, Comparison):
        name, value = f"{name} − {result.other}", "difference"
        label, rules = f"difference in {label}", [("x", 0.0)]
    frame = result.frame.assign(name=name)
    single = {"name": [name] * len(result.per_refit), value: result.per_refit}
    marks = [
        Mark("stroke", single, value, "name", colour=None),
        *dots(frame, value, "name", tips=[value, "low", "high"]),
    ]
    panel = Panel(Axis(with_unit(label, result.unit)), Axis(names=[name]), marks, rules=rules)
    return Figure(result.title, result.how, [panel])
