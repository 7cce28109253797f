"""A picture of width and coverage of intervals as static HTML, for pages without a kernel."""

from __future__ import annotations

from uqwidgets.ground_truth.coverage_result import IntervalCoverage
from uqwidgets.ground_truth.figure import coverage_figure
from uqwidgets.plotting.html import Markup, panel, table
from uqwidgets.plotting.static import drawn
from uqwidgets.plotting.text import number, value_text


def coverage_html(result: IntervalCoverage) -> str:
    """Show width and coverage over the number of refits, side by side.

    Parameters
    ----------
    result : IntervalCoverage

    Returns
    -------
    str
    """
    summary = _summary(result)
    notes = [
        f"{result.how}. Thick: mean over the points; thin: single points; the horizontal line is "
        f"the promised {result.level:.0%}.",
    ]
    drawing = drawn(coverage_figure(result), summary)
    return panel(result.title, summary, drawing, notes, _table(result))


def _summary(result: IntervalCoverage) -> str:
    first, last = result.refits[0], result.refits[-1]
    covered, error = result.coverage.mean(axis=1), result.coverage_error
    text = (
        f"With {last} refits, {covered[-1]:.0%} of the intervals hold the expectation (standard "
        f"error {error[-1]:.0%})"
    )
    if first == last:
        return f"{text}."
    share = result.width[-1].mean() / result.width[0].mean()
    return f"{text}; they are {number(share)} times as wide as with {first}."


def _table(result: IntervalCoverage) -> Markup:
    points = [value_text(point) for point in result.points.tolist()]
    header = ["refits", "feature" if result.feature is None else "value", "coverage", "width"]
    lines = [
        [str(m), point, f"{result.coverage[r, k]:.0%}", number(result.width[r, k])]
        for r, m in enumerate(result.refits.tolist())
        for k, point in enumerate(points)
    ]
    return table("line", header, lines)
