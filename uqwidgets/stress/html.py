"""Pictures of stress over tau as static HTML, for pages without a kernel."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats, Positions
from uqwidgets.plotting.html import Markup, element, panel, table
from uqwidgets.plotting.svg import (
    BLUE,
    FONT,
    GREEN,
    ORANGE,
    PAGE,
    PURPLE,
    SKY,
    VERMILLION,
    WIDTH,
    Scale,
    band,
    bottom_axis,
    curve,
    cut_off,
    extent_with_bands,
    faint_curve,
    fitted,
    label,
    left_axis,
    line,
    picture,
)
from uqwidgets.plotting.text import (
    NOT_AVAILABLE,
    clipped,
    counted,
    few,
    interval,
    listed,
    number,
    pixels,
    sentence,
)
from uqwidgets.stress.result import Stress, by_response, emphasised, response

TOP, PLOT, AXIS = 24.0, 230.0, 40.0
NAMES_AT_MOST = 170.0
SWATCH = 30.0
LINE_HEIGHT = 16.0
MOST_LINES = 30

COLOURS = (BLUE, VERMILLION, GREEN, PURPLE, PAGE, ORANGE, SKY)
DASHES = ("", "7 4", "2 4", "9 3 2 3", "4 2", "12 3", "2 2")


_REASONS = {"beyond quantile": "beyond quantile, use anchor='tail-mean'"}


def stress_html(result: Stress) -> str:
    """Show the first indicator over tau, the features it responds most to emphasised.

    Parameters
    ----------
    result : Stress

    Returns
    -------
    str
    """
    indicator = result.indicators[0]
    name = result.labels[indicator]
    order = by_response(result, indicator)
    known = order[np.isfinite(response(result.values[indicator])[order])]
    summary = _summary(result, indicator, known)
    return panel(
        f"{sentence(name)} under stress of {counted(len(result.features), 'feature')}",
        summary,
        _profile(result, indicator, known, summary),
        _notes(result, known),
        _table(result, indicator, order),
    )


def _summary(result: Stress, indicator: str, known: Positions) -> str:
    name, values = result.labels[indicator], result.values[indicator]
    if len(known) == 0:
        return f"{sentence(name)} under stress is {NOT_AVAILABLE}: no feature's mean can be moved."
    start = values[known[0], nearest_levels(result.taus)[1]]
    ranges = [f"{result.features[j]} ({interval(*_extremes(values[j]))})" for j in known[:3]]
    return f"Without stress, {name} is {number(start)}; it responds most to {listed(ranges)}."


def _profile(result: Stress, indicator: str, known: Positions, summary: str) -> Markup:
    values = result.values[indicator]
    leading = [j for j in emphasised(result) if j in known]
    # At tau = 0 an indicator has one value, whatever feature is stressed.
    start = float(values[leading[0], nearest_levels(result.taus)[1]]) if leading else np.nan
    return lines_over_tau(
        [result.features[j] for j in leading],
        result.taus,
        values[leading],
        bands=None
        if result.level is None
        else (result.low[indicator][leading], result.high[indicator][leading]),
        others=values[np.setdiff1d(known[:MOST_LINES], leading)],
        status=result.status[leading],
        reference=start,
        title=result.labels[indicator],
        axis="τ",
        summary=summary,
    )


def lines_over_tau(
    names: Sequence[str],
    taus: Floats,
    values: Floats,
    *,
    bands: tuple[Floats, Floats] | None,
    others: Floats,
    status: npt.NDArray[np.str_],
    reference: float,
    title: str,
    axis: str,
    summary: str,
) -> Markup:
    """Draw a line for each feature over tau, with its name at the right-hand side.

    Parameters
    ----------
    names : sequence of str, length k
        Features that are drawn in colour.
    taus : ndarray of shape (t,)
    values : ndarray of shape (k, t)
        NaN where there is no value; each line has at least one number.
    bands : tuple of ndarray of shape (k, t), or None
        Lower and upper ends of the intervals.
    others : ndarray of shape (m, t)
        Lines that are drawn faintly and without a name.
    status : ndarray of str, shape (k, t)
        Points with status ``edge`` are marked by squares.
    reference : float
        Where a dotted horizontal line is drawn.
    title, axis, summary : str
    """
    heading = label(clipped(title, WIDTH), 0, FONT / 2)
    extent = extent_with_bands([values, others, [reference]], bands)
    y = fitted([extent], TOP + PLOT, TOP) if names and extent else None
    if y is None:
        middle = label(NOT_AVAILABLE, WIDTH / 2, TOP + 20, "middle")
        return picture(TOP + 40, summary, heading, middle)
    shown = [clipped(name, NAMES_AT_MOST) for name in names]
    left = max(pixels(text) for _, text in y.ticks(44)) + 14
    right = WIDTH - max(pixels(name) for name in shown) - SWATCH - 10
    x = Scale(-1.0, 1.0, left, right)
    xs = [x(tau) for tau in taus.tolist()]
    bottom = TOP + PLOT
    parts = [
        heading,
        *left_axis(y, left, right),
        *bottom_axis(x, TOP, bottom),
        line(x(0), TOP, x(0), bottom, 0.5),
    ]
    if y.low <= reference <= y.high:
        at = y(reference)
        parts.append(curve([left, right], [at, at], stroke=PAGE, stroke_dasharray="1 3"))
    parts += [
        *(faint_curve(xs, [y(v) for v in line_values], 0.22) for line_values in others.tolist()),
        label(axis, (left + right) / 2, bottom + 30, "middle"),
    ]
    for rank, ends in enumerate(zip(*bands, strict=True) if bands else ()):
        low, high = (list(map(y, end.tolist())) for end in ends)
        parts.append(band(*cut_off(xs, low, high, (TOP, bottom)), COLOURS[rank], 0.12))
    for rank, line_values in enumerate(values.tolist()):
        ys = [y(v) for v in line_values]
        parts.append(curve(xs, ys, stroke_width=2.2, **_style(rank)))
        parts += _edges(xs, ys, status[rank].tolist(), COLOURS[rank])
    last = [_last(y, line_values) for line_values in values]
    for rank, (name, at) in enumerate(zip(shown, _apart(last, TOP, bottom), strict=True)):
        parts.append(curve([right + 6, right + SWATCH], [at, at], stroke_width=2.2, **_style(rank)))
        parts.append(label(name, right + SWATCH + 6, at))
    return picture(bottom + AXIS, summary, *parts)


def _style(rank: int) -> dict[str, str]:
    return {"stroke": COLOURS[rank], "stroke_dasharray": DASHES[rank]}


def _edges(xs: list[float], ys: list[float], status: list[str], colour: str) -> list[Markup]:
    return [
        element("rect", x=x - 3, y=y - 3, width=6, height=6, fill="none", stroke=colour)
        for x, y, what in zip(xs, ys, status, strict=True)
        if what == "edge" and np.isfinite(y)
    ]


def _last(y: Scale, values: Floats) -> float:
    return y(float(values[np.isfinite(values)][-1]))


def _apart(positions: list[float], top: float, bottom: float) -> list[float]:
    """Move labels apart by as little as makes each legible, in the order of their lines."""
    order = np.argsort(positions, kind="stable").tolist()
    moved = [0.0] * len(positions)
    at = top - LINE_HEIGHT
    for k in order:
        at = moved[k] = max(positions[k], at + LINE_HEIGHT)
    limit = bottom
    for k in reversed(order):
        moved[k] = min(moved[k], limit)
        limit = moved[k] - LINE_HEIGHT
    return moved


def nearest_levels(taus: Floats) -> list[int]:
    """Positions of the lowest tau, of the tau nearest to zero, and of the highest tau."""
    return [int(taus.argmin()), int(np.abs(taus).argmin()), int(taus.argmax())]


def _notes(result: Stress, known: Positions) -> list[str]:
    end = f"its quantiles {result.tail:g} and {1 - result.tail:g}"
    if result.anchor == "tail-mean":
        end = f"the means of its lowest and highest {result.tail:.4g} of the rows"
    notes = [
        f"τ = −1 and 1 move a feature's mean to {end}, by weighting rows; at τ = 0 all rows count "
        "alike."
    ]
    if result.level is not None and len(known):
        notes[0] += f" Bands: pointwise {result.level:.0%} intervals."
    leading = [j for j in emphasised(result) if j in known]
    if len(known) > MOST_LINES:
        drawn = f"{MOST_LINES - len(leading)} of the other {len(known) - len(leading)} features"
        notes[0] += f" Faint: {drawn}, those with the largest responses."
    elif len(known) > len(leading):
        notes[0] += f" Faint: the other {len(known) - len(leading)} features."
    if any((result.status[j] == "edge").any() for j in leading):
        notes.append("Squares: only rows at the extreme of the feature still count.")
    missing: dict[str, list[str]] = {}
    for j in np.setdiff1d(np.arange(len(result.features)), known):
        missing.setdefault(status_text(result.status[j]), []).append(result.features[j])
    notes += [
        f"{sentence(NOT_AVAILABLE)} ({reason}): {listed(few(names))}."
        for reason, names in missing.items()
    ]
    if len(result.indicators) > 1:
        others = [result.labels[name] for name in result.indicators[1:]]
        notes.append(f"Also in the result: {listed(others)}.")
    return [*notes, *result.remarks]


def _extremes(values: Floats) -> tuple[float, float]:
    known = values[np.isfinite(values)]
    return float(known.min()), float(known.max())


def status_text(status: npt.NDArray[np.str_]) -> str:
    """Return what keeps levels (t,) from being "ok", or "ok"."""
    reasons = dict.fromkeys(_REASONS.get(str(s), str(s)) for s in status if s != "ok")
    return ", ".join(reasons) or "ok"


def _value(result: Stress, indicator: str, j: int, t: int) -> str:
    value = number(result.values[indicator][j, t], 4)
    low, high = result.low[indicator][j, t], result.high[indicator][j, t]
    return f"{value} ({interval(low, high)})" if np.isfinite(low) else value


def _table(result: Stress, indicator: str, order: Positions) -> Markup:
    at = nearest_levels(result.taus)
    # No-break spaces.
    taus = [f"τ\u00a0=\u00a0{number(result.taus[t])}" for t in at]
    ends = "" if result.level is None else f" ({result.level:.0%} interval)"
    header = [
        "feature",
        *(f"mean at {tau}" for tau in taus),
        *(f"{result.labels[indicator]} at {tau}{ends}" for tau in taus),
        *(f"effective rows at {taus[k]}" for k in (0, 2)),
        "status",
    ]
    lines = [
        [
            result.features[j],
            *(number(result.reached[j, t], 4) for t in at),
            *(_value(result, indicator, j, t) for t in at),
            *(number(result.ess[j, t]) for t in (at[0], at[2])),
            status_text(result.status[j]),
        ]
        for j in order
    ]
    return table("feature", header, lines)
