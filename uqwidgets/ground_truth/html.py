"""Decomposition as static HTML: the truth, the models, and the parts of their error."""

from __future__ import annotations

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.ground_truth.result import Decomposition
from uqwidgets.plotting.choice import MOST_CURVES, evenly
from uqwidgets.plotting.dots import Dots, dots
from uqwidgets.plotting.html import Markup, panel, table
from uqwidgets.plotting.static import MOST_ROWS
from uqwidgets.plotting.svg import (
    BLUE,
    FONT,
    PAGE,
    VERMILLION,
    WIDTH,
    bottom_axis,
    curve,
    fitted,
    label,
    left_axis,
    line,
    picture,
)
from uqwidgets.plotting.text import NOT_AVAILABLE, clipped, number, pixels, value_text, with_unit

TOP, PLOT, AXIS, RIGHT = 24.0, 220.0, 40.0, 14.0
PARTS = ("squared bias", "model variance", "Monte Carlo error")


def decomposition_html(result: Decomposition) -> str:
    """Show the truth, the mean of all models, and single models.

    Parameters
    ----------
    result : Decomposition

    Returns
    -------
    str
    """
    names = [value_text(point) for point in result.points.tolist()]
    summary = _summary(result)
    if result.feature is None or result.categorical or len(names) == 1:
        drawing, notes = _rows(result, names, summary)
    else:
        drawing, notes = _curve(result, summary)
    return panel(result.title, summary, drawing, [*notes, f"{result.how}."], _table(result, names))


def parts_of(result: Decomposition) -> Floats:
    """Squared bias, model variance and Monte Carlo error at every point, shape (3, k).

    Estimates of variances that are negative by chance are shown as zero.
    """
    variances = [result.model_variance, result.mc_variance]
    return np.array([np.square(result.bias), *(np.maximum(v, 0.0) for v in variances)])


def single_models(result: Decomposition) -> Floats:
    """Estimates of some models, one of each training set, shape (r, k)."""
    shown: Floats = result.estimates[evenly(result.n_datasets, MOST_CURVES), 0, 0]
    return shown


def _summary(result: Decomposition) -> str:
    sums = parts_of(result).sum(axis=1)
    points = "features" if result.feature is None else "values"
    if not sums.sum() > 0:
        return f"The error of models of {result.procedure} is {NOT_AVAILABLE}."
    shares = [f"{share:.0%} {name}" for share, name in zip(sums / sums.sum(), PARTS, strict=True)]
    farthest = int(np.abs(result.bias).argmax())
    at = value_text(result.points.tolist()[farthest])
    where = f"for {at}" if result.feature is None else f"at {at}"
    return (
        f"The mean square error of {result.procedure}, summed over {points}, is {shares[0]}, "
        f"{shares[1]} and {shares[2]}. Its bias is largest {where}: "
        f"{number(result.expected[farthest])} instead of {number(result.truth[farthest])}."
    )


def _rows(result: Decomposition, names: list[str], summary: str) -> tuple[Markup, list[str]]:
    shown = slice(MOST_ROWS)
    cloud = single_models(result)
    low, high = np.quantile(result.estimates, [0.05, 0.95], axis=(0, 1, 2))
    column = Dots(
        with_unit(result.label, result.unit),
        BLUE,
        result.expected[shown],
        low[shown],
        high[shown],
        reference=0.0 if result.feature is None else None,
        cloud=cloud[:, shown],
        beside=result.truth[shown],
    )
    notes = [
        f"Rings: the truth. Dots: mean of all models. Strokes: {len(cloud)} single models, each "
        "over one test set; whiskers contain 90% of all."
    ]
    if len(names) > MOST_ROWS:
        notes.append(
            f"Drawn are the first {MOST_ROWS}; {len(names) - MOST_ROWS} more are left out."
        )
    return dots(names[shown], [column], summary), notes


def _curve(result: Decomposition, summary: str) -> tuple[Markup, list[str]]:
    single = single_models(result)
    y = fitted([single, result.truth, result.expected], TOP + PLOT, TOP)
    margin = 20.0 if y is None else max(pixels(text) for _, text in y.ticks(44)) + 14
    x = fitted([result.points], margin, WIDTH - RIGHT, margin=0.0)
    title = label(clipped(with_unit(result.label, result.unit), WIDTH), 0, FONT / 2)
    if x is None or y is None:
        middle = label(NOT_AVAILABLE, WIDTH / 2, TOP + 20, "middle")
        return picture(TOP + 40, summary, title, middle), []
    bottom = TOP + PLOT
    xs = [x(v) for v in result.points.astype(np.float64).tolist()]
    name = clipped(str(result.feature), WIDTH - margin - RIGHT)
    parts = [
        *left_axis(y, margin, WIDTH - RIGHT),
        *bottom_axis(x, bottom, bottom + 4),
        line(margin, bottom, WIDTH - RIGHT, bottom, 0.5),
        *(
            curve(xs, [y(v) for v in row], stroke=PAGE, stroke_opacity="0.16")
            for row in single.tolist()
        ),
        curve(xs, [y(v) for v in result.expected.tolist()], stroke=BLUE, stroke_width=2.6),
        curve(
            xs,
            [y(v) for v in result.truth.tolist()],
            stroke=VERMILLION,
            stroke_width=2.2,
            stroke_dasharray="7 5",
        ),
        title,
        label(name, (margin + WIDTH - RIGHT) / 2, bottom + 30, "middle"),
    ]
    notes = [
        f"Dashed: the truth. Thick line: mean of all models. Thin lines: {len(single)} single "
        "models, each over one test set."
    ]
    return picture(bottom + AXIS, summary, *parts), notes


def _table(result: Decomposition, names: list[str]) -> Markup:
    frame = result.frame.iloc[:, 1:]
    header = [result.feature or "feature", *(str(c).replace("_", " ") for c in frame.columns)]
    lines = [
        [name, *(number(float(value), 4) for value in values)]
        for name, values in zip(names, frame.to_numpy(), strict=True)
    ]
    return table("feature" if result.feature is None else "value", header, lines)
