"""Scores, confusion and calibration as static HTML."""

from __future__ import annotations

import numpy as np

from uqwidgets.performance.result import Calibration, Confusion, Scores
from uqwidgets.plotting.dots import DOT
from uqwidgets.plotting.html import Markup, element, panel, table
from uqwidgets.plotting.svg import (
    BLUE,
    FONT,
    Scale,
    bottom_axis,
    curve,
    label,
    left_axis,
    line,
    picture,
)
from uqwidgets.plotting.text import (
    NOT_AVAILABLE,
    clipped,
    counted,
    interval,
    measured,
    number,
    pixels,
    population,
    with_unit,
)

_PLOT = 260.0
_LEFT = 52.0
_TOP = 24.0
# Cells of a confusion matrix, and the room for the names of classes.
_CELL = 44.0
_NAMES = 130.0
_MOST_CLASSES = 10


def scores_html(result: Scores) -> str:
    """Show each score with its interval, as a table.

    Parameters
    ----------
    result : Scores

    Returns
    -------
    str
    """
    described = [
        f"{text} {measured(value, unit)} ({interval(low, high)})"
        for text, unit, value, low, high in zip(
            result.labels, result.units, result.value, result.low, result.high, strict=True
        )
    ]
    rows = population(result.weighted, result.ess, result.n_rows)
    lines = [
        [with_unit(text, unit), *(number(float(v), 4) for v in values)]
        for text, unit, *values in zip(
            result.labels,
            result.units,
            result.value,
            result.std_error,
            result.low,
            result.high,
            strict=True,
        )
    ]
    note = (
        f"In brackets: {result.level:.0%} interval over other rows of the same kind; the fitted "
        f"model is fixed. {rows[:1].upper()}{rows[1:]}."
    )
    return panel(
        "Scores of the model",
        f"{'; '.join(described)}.",
        Markup(""),
        [note, *result.remarks],
        table("score", ["score", "value", "standard error", "low", "high"], lines),
    )


def confusion_html(result: Confusion) -> str:
    """Show the share of every pair of a true and a predicted class.

    Parameters
    ----------
    result : Confusion

    Returns
    -------
    str
    """
    right = float(np.trace(result.share))
    summary = f"The predicted class of {result.target} is right in {right:.1%} of the rows."
    wrong = result.share * ~np.eye(len(result.classes), dtype=bool)
    if wrong.any():
        true, predicted = np.unravel_index(int(wrong.argmax()), wrong.shape)
        names = result.classes[true], result.classes[predicted]
        summary += (
            f" The most frequent error takes {names[0]} for {names[1]}: "
            f"{wrong[true, predicted]:.1%} of the rows."
        )
    frame = result.frame
    lines = [
        [str(true), str(predicted), _percent(share, 2), _percent(of_true, 1)]
        for true, predicted, share, of_true in frame.itertuples(index=False)
    ]
    rows = population(result.weighted, result.ess, result.n_rows)
    notes = [f"Cells: share of the rows of a true class; {rows}."]
    if len(result.classes) > _MOST_CLASSES:
        notes.append(f"Drawn are the first {_MOST_CLASSES} classes; the table has the others.")
    return panel(
        f"Confusion of {result.target}",
        summary,
        _matrix(result, summary),
        [*notes, *result.remarks],
        table("pair", ["true", "predicted", "share", "share of the true class"], lines),
    )


def calibration_html(result: Calibration) -> str:
    """Show the observed shares over the predicted probabilities.

    Parameters
    ----------
    result : Calibration

    Returns
    -------
    str
    """
    of = len(result.predicted)
    summary = (
        f"Probability that {result.event}: {result.n_outside} of {counted(of, 'interval')} "
        f"{'does' if result.n_outside == 1 else 'do'} not contain the predicted probability."
    )
    summary += "".join(
        f" {nominal:.0%} intervals hold {inside:.1%} of the rows ({low:.1%} to {high:.1%})."
        for nominal, inside, low, high in result.coverage
    )
    lines = [[number(v, 4) for v in values] for values in result.frame.to_numpy(float).tolist()]
    note = (
        f"Dots: share of the rows in which it happened, with its {result.level:.0%} interval; "
        "dashed: perfect calibration; "
        f"{population(result.weighted, result.ess, result.n_rows)}."
    )
    return panel(
        "Calibration",
        summary,
        _reliability(result, summary),
        [note],
        table("point", [str(name) for name in result.frame], lines),
    )


def _reliability(result: Calibration, summary: str) -> Markup:
    x = Scale(0.0, 1.0, _LEFT, _LEFT + _PLOT)
    y = Scale(0.0, 1.0, _TOP + _PLOT, _TOP)
    parts = [
        *left_axis(y, _LEFT, _LEFT + _PLOT),
        *bottom_axis(x, _TOP, _TOP + _PLOT),
        line(x(0), y(0), x(1), y(1), 0.6, stroke_dasharray="5 4"),
        label("observed share", 0, FONT / 2),
        label("predicted probability", x(0.5), _TOP + _PLOT + 30, "middle"),
    ]
    points = zip(result.predicted, result.observed, result.low, result.high, strict=True)
    for p, share, low, high in points:
        at = x(float(p))
        ends = [y(float(low)), y(float(high))]
        parts.append(curve([at, at], ends, stroke=BLUE, stroke_width=2))
        parts.append(element("circle", cx=at, cy=y(float(share)), r=DOT, fill=BLUE))
    return picture(_TOP + _PLOT + 38, summary, *parts)


def _matrix(result: Confusion, summary: str) -> Markup:
    shown = result.classes[:_MOST_CLASSES]
    totals = result.share.sum(axis=1)
    left = min(_NAMES, max(pixels(name) for name in shown)) + 60
    parts = [label("true", 0, _TOP), label("predicted", left, FONT / 2)]
    top = _TOP + FONT
    for i, true in enumerate(shown):
        y = top + (i + 0.5) * _CELL
        parts.append(label(clipped(true, _NAMES), left - 8, y, "end"))
        parts.append(label(clipped(true, _CELL - 4), left + (i + 0.5) * _CELL, _TOP, "middle"))
        for j in range(len(shown)):
            of_true = float(result.share[i, j] / totals[i]) if totals[i] > 0 else float("nan")
            x = left + j * _CELL
            if np.isfinite(of_true):
                parts.append(
                    element(
                        "rect",
                        x=x + 1,
                        y=y - _CELL / 2 + 1,
                        width=_CELL - 2,
                        height=_CELL - 2,
                        fill=BLUE,
                        fill_opacity=f"{0.05 + 0.5 * of_true:.3f}",
                    )
                )
            parts.append(label(_percent(of_true, 0, "n/a"), x + _CELL / 2, y, "middle"))
    return picture(top + _CELL * len(shown) + 4, summary, *parts)


def _percent(share: float, digits: int, unknown: str = NOT_AVAILABLE) -> str:
    return f"{share:.{digits}%}" if np.isfinite(share) else unknown
