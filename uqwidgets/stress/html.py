"""Static HTML of stress: an indicator over tau, a line per feature."""

from __future__ import annotations

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
    start = values[known[0], _positions(result.taus)[1]]
    ranges = [f"{result.features[j]} ({interval(*_extremes(values[j]))})" for j in known[:3]]
    return f"Without stress, {name} is {number(start)}; it responds most to {listed(ranges)}."


def _profile(result: Stress, indicator: str, known: Positions, summary: str) -> Markup:
    values = result.values[indicator]
    title = label(clipped(result.labels[indicator], WIDTH), 0, FONT / 2)
    ends = [] if result.level is None else [result.low[indicator], result.high[indicator]]
    leading = [j for j in emphasised(result) if j in known]
    y = fitted([values, *(side[leading] for side in ends)], TOP + PLOT, TOP)
    if y is None:
        middle = label(NOT_AVAILABLE, WIDTH / 2, TOP + 20, "middle")
        return picture(TOP + 40, summary, title, middle)
    names = [clipped(result.features[j], NAMES_AT_MOST) for j in leading]
    left = max(pixels(text) for _, text in y.ticks(44)) + 14
    right = WIDTH - max(pixels(name) for name in names) - SWATCH - 10
    x = Scale(-1.0, 1.0, left, right)
    xs = [x(tau) for tau in result.taus.tolist()]
    bottom = TOP + PLOT
    start = y(float(values[leading[0], _positions(result.taus)[1]]))
    parts = [
        title,
        *left_axis(y, left, right),
        *bottom_axis(x, TOP, bottom),
        line(x(0), TOP, x(0), bottom, 0.5),
        curve([left, right], [start, start], stroke=PAGE, stroke_dasharray="1 3"),
        *(
            curve(xs, [y(v) for v in values[j].tolist()], stroke=PAGE, stroke_opacity="0.22")
            for j in np.setdiff1d(known, leading)
        ),
        label("τ", (left + right) / 2, bottom + 30, "middle"),
    ]
    if ends:
        for rank, j in enumerate(leading):
            low, high = (list(map(y, side[j].tolist())) for side in ends)
            parts.append(band(xs, low, high, COLOURS[rank], 0.12))
    for rank, j in enumerate(leading):
        ys = [y(v) for v in values[j].tolist()]
        parts.append(curve(xs, ys, stroke_width=2.2, **_style(rank)))
        parts += _edges(xs, ys, result.status[j].tolist(), COLOURS[rank])
    last = [_last(y, values[j]) for j in leading]
    for rank, (name, at) in enumerate(zip(names, _apart(last, TOP, bottom), strict=True)):
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


def _apart(desired: list[float], top: float, bottom: float) -> list[float]:
    """Move labels apart until none overlap, in the order of their lines; the ends are limits."""
    order = np.argsort(desired, kind="stable").tolist()
    placed = [0.0] * len(desired)
    at = top - LINE_HEIGHT
    for k in order:
        at = placed[k] = max(desired[k], at + LINE_HEIGHT)
    limit = bottom
    for k in reversed(order):
        placed[k] = min(placed[k], limit)
        limit = placed[k] - LINE_HEIGHT
    return placed


def _positions(taus: Floats) -> list[int]:
    """Where tau is lowest, nearest to zero, and highest."""
    return [int(taus.argmin()), int(np.abs(taus).argmin()), int(taus.argmax())]


def _notes(result: Stress, known: Positions) -> list[str]:
    end = f"its quantiles {result.alpha:g} and {1 - result.alpha:g}"
    if result.anchor == "tail-mean":
        end = f"the means of its lowest and highest {result.alpha:.4g} of the rows"
    notes = [
        f"τ = −1 and 1 move a feature's mean to {end}, by weighting rows; at τ = 0 all rows count "
        "alike."
    ]
    if result.level is not None and len(known):
        notes[0] += f" Bands: pointwise {result.level:.0%} intervals."
    leading = [j for j in emphasised(result) if j in known]
    if len(known) > len(leading):
        notes[0] += f" Faint: the other {len(known) - len(leading)} features."
    if any((result.status[j] == "edge").any() for j in leading):
        notes.append("Squares: only rows at the extreme of the feature still count.")
    missing: dict[str, list[str]] = {}
    for j in np.setdiff1d(np.arange(len(result.features)), known):
        missing.setdefault(_status(result.status[j]), []).append(result.features[j])
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


def _status(status: npt.NDArray[np.str_]) -> str:
    reasons = dict.fromkeys(_REASONS.get(str(s), str(s)) for s in status if s != "ok")
    return ", ".join(reasons) or "ok"


def _value(result: Stress, indicator: str, j: int, t: int) -> str:
    value = number(result.values[indicator][j, t], 4)
    low, high = result.low[indicator][j, t], result.high[indicator][j, t]
    return f"{value} ({interval(low, high)})" if np.isfinite(low) else value


def _table(result: Stress, indicator: str, order: Positions) -> Markup:
    at = _positions(result.taus)
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
            _status(result.status[j]),
        ]
        for j in order
    ]
    return table("feature", header, lines)
