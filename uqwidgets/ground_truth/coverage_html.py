"""A picture of width and coverage of intervals as static HTML, for pages without a kernel."""

from __future__ import annotations

from uqwidgets._typing import Floats
from uqwidgets.ground_truth.coverage_result import IntervalCoverage
from uqwidgets.plotting.html import Markup, panel, table
from uqwidgets.plotting.svg import (
    BLUE,
    FONT,
    WIDTH,
    bottom_axis,
    curve,
    faint_curve,
    fitted,
    label,
    left_axis,
    line,
    picture,
)
from uqwidgets.plotting.text import NOT_AVAILABLE, number, pixels, value_text, with_unit

TOP, HEIGHT, FOOT, GAP = 26.0, 190.0, 40.0, 20.0


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
    wide = (WIDTH - GAP) / 2
    parts = [
        *_panel(result, with_unit("width", result.unit), result.width, 0.0, wide),
        *_panel(result, "coverage", result.coverage, wide + GAP, wide),
    ]
    notes = [
        f"{result.how}. Thick: mean over the points; thin: single points; the horizontal line is "
        f"the promised {result.level:.0%}.",
    ]
    return panel(
        result.title, summary, picture(TOP + HEIGHT + FOOT, summary, *parts), notes, _table(result)
    )


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


def _panel(
    result: IntervalCoverage, title: str, values: Floats, start: float, wide: float
) -> list[Markup]:
    bottom = TOP + HEIGHT
    reference = [result.level] if title == "coverage" else []
    y = fitted([values, reference], bottom, TOP)
    parts = [label(title, start, TOP / 2, font_size=FONT)]
    if y is None:
        return [*parts, label(NOT_AVAILABLE, start + wide / 2, TOP + HEIGHT / 2, "middle")]
    left, right = start + max(pixels(text) for _, text in y.ticks(44)) + 14, start + wide - 8
    x = fitted([result.refits], left, right)
    assert x is not None
    parts += [*left_axis(y, left, right), *bottom_axis(x, TOP, bottom)]
    parts.append(label("refits", (left + right) / 2, bottom + 28, "middle"))
    parts += [line(left, y(level), right, y(level), 0.7) for level in reference]
    xs = [x(m) for m in result.refits.tolist()]
    parts += [faint_curve(xs, [y(v) for v in one], 0.3) for one in values.T.tolist()]
    parts.append(
        curve(xs, [y(v) for v in values.mean(axis=1).tolist()], stroke=BLUE, stroke_width=2.6)
    )
    return parts


def _table(result: IntervalCoverage) -> Markup:
    points = [value_text(point) for point in result.points.tolist()]
    header = ["refits", "feature" if result.feature is None else "value", "coverage", "width"]
    lines = [
        [str(m), point, f"{result.coverage[r, k]:.0%}", number(result.width[r, k])]
        for r, m in enumerate(result.refits.tolist())
        for k, point in enumerate(points)
    ]
    return table("line", header, lines)
