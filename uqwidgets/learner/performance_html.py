"""Performance of learners as static HTML."""

from __future__ import annotations

from uqwidgets.learner.figure import performance_figure
from uqwidgets.learner.performance_result import Comparison, Performance
from uqwidgets.plotting.html import panel, table
from uqwidgets.plotting.static import drawn
from uqwidgets.plotting.text import interval, measured, number, with_unit


def performance_html(result: Performance) -> str:
    """Show the mean over refits with its interval, and every refit.

    Parameters
    ----------
    result : Performance

    Returns
    -------
    str
    """
    ends = interval(result.low, result.high)
    summary = (
        f"On rows that its fits did not learn from, {result.learner} has a mean {result.label} of "
        f"{measured(result.mean, result.unit)} ({result.level:.0%} interval {ends})."
    )
    return _panel(result, summary)


def comparison_html(result: Comparison) -> str:
    """Show the mean difference of two learners with its interval, and that of every refit.

    Parameters
    ----------
    result : Comparison

    Returns
    -------
    str
    """
    contains = "does not contain" if result.low > 0 or result.high < 0 else "contains"
    ends = interval(result.low, result.high)
    summary = (
        f"The mean {result.label} of {result.learner} minus that of {result.other} is "
        f"{measured(result.difference, result.unit)}; its {result.level:.0%} interval {ends} "
        f"{contains} zero (p = {number(result.p_value)})."
    )
    return _panel(result, summary)


def _panel(result: Performance | Comparison, summary: str) -> str:
    note = (
        f"Dot: mean {result.how}, which accounts for rows that refits share. Strokes: single "
        "refits."
    )
    title = with_unit(result.label, result.unit)
    of_all = result.frame.select_dtypes("number").iloc[0]
    lines = [(str(name).replace("_", " "), value) for name, value in of_all.items()]
    lines += [(f"refit {k + 1}", value) for k, value in enumerate(result.per_refit.tolist())]
    return panel(
        result.title,
        summary,
        drawn(performance_figure(result), summary),
        [note, *result.remarks],
        table("number", ["", title], lines),
    )
