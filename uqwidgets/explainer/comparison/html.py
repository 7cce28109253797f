"""Static HTML of two results side by side and of their difference."""

from __future__ import annotations

import numpy as np
import pandas as pd

from uqwidgets.dependence.result import Dependence
from uqwidgets.explainer.comparison.result import Difference
from uqwidgets.importance.result import Importance
from uqwidgets.plotting.choice import MOST_EMPHASISED
from uqwidgets.plotting.dots import Dots, dots
from uqwidgets.plotting.html import Markup, panel, table
from uqwidgets.plotting.svg import (
    BLUE,
    FONT,
    GREEN,
    VERMILLION,
    WIDTH,
    band,
    bottom_axis,
    curve,
    fitted,
    label,
    left_axis,
    line,
    picture,
)
from uqwidgets.plotting.text import (
    clipped,
    counted,
    few,
    listed,
    number,
    pixels,
    sentence,
    value_text,
    with_unit,
)
from uqwidgets.stress.html import lines_over_tau
from uqwidgets.stress.result import Stress, by_response

_MOST_ROWS = 30
_TOP, _PLOT, _GAP = 24.0, 170.0, 62.0


def difference_html(result: Difference) -> str:
    """Show both sides and their difference: a picture, a sentence, and a table of all numbers.

    Parameters
    ----------
    result : Difference

    Returns
    -------
    str
    """
    frame = result.frame
    summary = _summary(result, frame)
    drawing = Markup("")
    if isinstance(result.first, Dependence) and not result.first.categorical:
        drawing = _curves(result, summary)
    elif isinstance(result.first, Importance | Dependence):
        drawing = _dots(result, summary)
    elif isinstance(result.first, Stress):
        drawing = _over_tau(result, summary)
    notes = [f"Whiskers and bands: {_level(result)}. {_PAIRED}", *result.remarks]
    lines = [
        [value_text(value) for value in line] for line in frame.itertuples(index=False, name=None)
    ]
    header = [str(name) for name in frame]
    header[header.index("first")], header[header.index("second")] = result.names
    return panel(_title(result), summary, drawing, notes, table("line", header, lines))


_PAIRED = (
    "The interval of the difference accounts for what both share, so that it may be clear where "
    "the two intervals overlap."
)


def _title(result: Difference) -> str:
    of = result.first
    if isinstance(of, Importance):
        return f"Importance for {of.label}: {result.title}"
    if isinstance(of, Dependence):
        return f"{of.title}: {result.title}"
    if isinstance(of, Stress):
        return f"{sentence(of.labels[of.indicators[0]])} under stress: {result.title}"
    return f"Scores: {result.title}"


def _level(result: Difference) -> str:
    level = result.difference.level
    return "no interval" if level is None else f"{level:.0%} interval".replace("%", " %")


def _summary(result: Difference, frame: pd.DataFrame) -> str:
    """Name the lines whose difference is clear, on either side of zero."""
    if isinstance(result.first, Stress):
        indicator = result.first.indicators[0]
        frame = frame[(frame["indicator"] == indicator) & (np.abs(frame["tau"]) == 1)]
        names = [
            f"{f} at τ = {number(t)}" for f, t in zip(frame["feature"], frame["tau"], strict=True)
        ]
    else:
        names = [value_text(value) for value in frame.iloc[:, 0]]
    above = [name for name, low in zip(names, frame["low"], strict=True) if low > 0]
    below = [name for name, high in zip(names, frame["high"], strict=True) if high < 0]
    parts = [
        f"{word} for {result.names[0]} than for {result.names[1]}: {_counted(some)}"
        for word, some in (("higher", above), ("lower", below))
        if some
    ]
    known = int(np.isfinite(frame["difference"]).sum())
    unclear = known - len(above) - len(below)
    text = f"Clearly {'; clearly '.join(parts)}. " if parts else ""
    if unclear:
        text += f"Not clear from these rows: {unclear} of {counted(known, 'difference')}."
    return text.strip() or "No difference is known."


def _counted(names: list[str]) -> str:
    return listed(few(names))


def _dots(result: Difference, summary: str) -> Markup:
    of = result.first
    assert isinstance(of, Importance | Dependence)
    first, second, difference = (
        result.aligned(side).iloc[:_MOST_ROWS] for side in (of, result.second, result.difference)
    )
    label_text = with_unit(of.label, of.unit)
    columns = [
        Dots(
            f"{label_text}: {result.names[0]}, ring: {result.names[1]}",
            BLUE,
            first["value_"].to_numpy(),
            first["low_"].to_numpy(),
            first["high_"].to_numpy(),
            reference=0.0 if isinstance(of, Importance) else None,
            beside=second["value_"].to_numpy(),
        ),
        Dots(
            result.title,
            GREEN,
            difference["value_"].to_numpy(),
            difference["low_"].to_numpy(),
            difference["high_"].to_numpy(),
            reference=0.0,
        ),
    ]
    return dots([value_text(value) for value in first.iloc[:, 0]], columns, summary)


def _curves(result: Difference, summary: str) -> Markup:
    """Both curves with their bands, and below them the difference with its own."""
    of = result.first
    assert isinstance(of, Dependence)
    grid = of.grid.astype(np.float64)
    parts: list[Markup] = []
    top = _TOP
    for title, lines in (
        (
            f"{with_unit(of.quantity, of.unit)}: {result.names[0]}, dashed: {result.names[1]}",
            ((of, BLUE, None), (result.second, VERMILLION, "6 4")),
        ),
        (result.title, ((result.difference, GREEN, None),)),
    ):
        frames = [result.aligned(side) for side, _, _ in lines]
        zero = [] if len(lines) > 1 else [0.0]
        y = fitted([*(frame[["low_", "high_"]] for frame in frames), zero], top + _PLOT, top)
        parts.append(label(clipped(title, WIDTH), 0, top - _TOP + FONT / 2))
        if y is None:
            continue
        margin = max(pixels(text) for _, text in y.ticks(44)) + 14
        x = fitted([grid], margin, WIDTH - 14, margin=0.0)
        if x is None:
            continue
        xs = [x(v) for v in grid.tolist()]
        parts += [*left_axis(y, margin, WIDTH - 14), *bottom_axis(x, top, top + _PLOT)]
        parts += [line(margin, y(v), WIDTH - 14, y(v), 0.7) for v in zero]
        for (_, colour, dash), frame in zip(lines, frames, strict=True):
            low, high, value = (
                [y(v) for v in frame[name].tolist()] for name in ("low_", "high_", "value_")
            )
            style = {} if dash is None else {"stroke_dasharray": dash}
            parts.append(band(xs, low, high, colour, 0.2))
            parts.append(curve(xs, value, stroke=colour, stroke_width=2.4, **style))
        top += _PLOT + _GAP
    return picture(top - _GAP + 30, summary, *parts)


def _over_tau(result: Difference, summary: str) -> Markup:
    of = result.difference
    assert isinstance(of, Stress)
    indicator = of.indicators[0]
    values = of.values[indicator]
    order = by_response(of, indicator)
    known = [j for j in order.tolist() if np.isfinite(values[j]).any()][:MOST_EMPHASISED]
    bands = None
    if of.level is not None:
        bands = of.low[indicator][known], of.high[indicator][known]
    return lines_over_tau(
        [of.features[j] for j in known],
        of.taus,
        values[known],
        bands=bands,
        others=np.empty((0, len(of.taus))),
        status=of.status[known],
        reference=0.0,
        title=of.labels[indicator],
        axis="τ",
        summary=summary,
    )
