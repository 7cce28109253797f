"""Scores, confusion and calibration as static HTML."""

from __future__ import annotations

import numpy as np
import pandas as pd

from uqwidgets.performance.figure import (
    along_figure,
    calibration_figure,
    confusion_figure,
    group_scores_figure,
)
from uqwidgets.performance.group_scores_result import GroupScores
from uqwidgets.performance.result import Calibration, CalibrationAlong, Confusion, Scores
from uqwidgets.plotting.html import Markup, panel, table
from uqwidgets.plotting.result import at_once
from uqwidgets.plotting.static import drawn, left_out
from uqwidgets.plotting.text import (
    NOT_AVAILABLE,
    interval,
    measured,
    population,
    with_unit,
)

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
    rows = population(result.weighted, result.ess, result.n_rows, result.groups)
    names = map(with_unit, result.labels, result.units)
    lines = zip(names, result.value, result.std_error, result.low, result.high, strict=True)
    note = (
        f"In brackets: {result.level:.0%} interval{at_once(result, len(result.value))} over other "
        "rows of the same kind; the fitted "
        f"model is fixed. {rows[:1].upper()}{rows[1:]}."
    )
    return panel(
        "Scores of the model",
        f"{'; '.join(described)}.",
        Markup(""),
        [note, *result.remarks],
        table("score", ["score", "value", "standard error", "low", "high"], lines),
    )


def group_scores_html(result: GroupScores) -> str:
    """Show how each score of each group differs from that of all other rows.

    Parameters
    ----------
    result : GroupScores

    Returns
    -------
    str
    """
    note = (
        f"Dots: the score in the group minus that in all other rows; whiskers: {result.level:.0%} "
        f"intervals{at_once(result, result.difference.size)}; hollow: not clear from these rows."
    )
    header = ["group", "rows", "score", "value", "low", "high", "rest", "difference", "low", "high"]
    frame = result.frame.drop(columns="clear")
    lines = [[group, f"{rows:,}", *rest] for group, rows, *rest in frame.values.tolist()]
    return panel(
        f"Groups by {result.by}",
        result.summary,
        drawn(group_scores_figure(result), result.summary),
        [note, *result.remarks],
        table("group", header, lines),
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
        [str(true), str(predicted), _percent(share, 2), _percent(of_true, 1), f"{rows:,}"]
        for true, predicted, share, of_true, rows in frame.itertuples(index=False)
    ]
    rows = population(result.weighted, result.ess, result.n_rows, result.groups)
    notes = [f"Cells: share of the rows of a true class; the darkest are errors; {rows}."]
    if len(result.classes) > _MOST_CLASSES:
        notes.append(f"Drawn are the first {_MOST_CLASSES} classes; the table has the others.")
    return panel(
        f"Confusion of {result.target}",
        summary,
        drawn(confusion_figure(result, _MOST_CLASSES), summary),
        [*notes, *result.remarks],
        table("pair", ["true", "predicted", "share", "share of the true class", "rows"], lines),
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
    summary = f"{result.verdict} Probability that {result.event}: {result.misses}"
    summary += "".join(
        f" {nominal:.0%} intervals hold {inside:.1%} of the rows ({low:.1%} to {high:.1%})."
        for nominal, inside, low, high in result.coverage
    )
    note = (
        f"Dots: share of the rows in which it happened, with its {result.level:.0%} interval"
        f"{at_once(result, result.n_intervals)}; "
        "dashed: perfect calibration; ring and name: the interval misses its probability; "
        f"{population(result.weighted, result.ess, result.n_rows, result.groups)}."
    )
    return panel(
        "Calibration",
        summary,
        drawn(calibration_figure(result), summary),
        [note],
        table("point", [str(name) for name in result.frame], _lines(result.frame)),
    )


def along_html(result: CalibrationAlong) -> str:
    """Show the observed share and the sharpness in each part of the rows.

    Parameters
    ----------
    result : CalibrationAlong

    Returns
    -------
    str
    """
    rows = population(result.weighted, result.ess, result.n_rows, result.groups)
    notes = [
        f"Dots: {result.event}, with {result.level:.0%} intervals"
        f"{at_once(result, len(result.names))}; squares: as predicted; rings: the interval misses "
        f"it; {rows}."
    ]
    if result.few.any():
        notes.append("Hollow: fewer than 30 effective rows.")
    notes += left_out(len(result.names))
    return panel(
        f"Calibration along {result.by}",
        result.verdict,
        drawn(along_figure(result), result.verdict),
        [*notes, *result.remarks],
        table("part", [str(name) for name in result.frame], _lines(result.frame)),
    )


def _lines(frame: pd.DataFrame) -> list[list[str | float]]:
    """Return the lines of a table; truth values become words."""
    return [
        [("no", "yes")[v] if isinstance(v, bool) else v for v in line]
        for line in frame.astype(object).to_numpy().tolist()
    ]


def _percent(share: float, digits: int) -> str:
    return f"{share:.{digits}%}" if np.isfinite(share) else NOT_AVAILABLE
