"""Static HTML of two results side by side and of their difference."""

from __future__ import annotations

import numpy as np
import pandas as pd

from uqwidgets.dependence.result import Dependence
from uqwidgets.explainer.comparison.figure import difference_figure
from uqwidgets.explainer.comparison.result import Difference
from uqwidgets.importance.result import Importance
from uqwidgets.performance.result import Scores
from uqwidgets.plotting.html import Markup, panel, table
from uqwidgets.plotting.static import drawn
from uqwidgets.plotting.text import counted, few, listed, number, sentence, value_text
from uqwidgets.stress.result import Stress


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
    # Scores of several units have no axis in common.
    has_axis = not isinstance(result.first, Scores)
    drawing = drawn(difference_figure(result), summary) if has_axis else Markup("")
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
