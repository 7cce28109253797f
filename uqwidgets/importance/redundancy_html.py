"""Static HTML of redundancy: R2 of each feature from the others."""

from __future__ import annotations

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.importance.html import MOST_ROWS
from uqwidgets.importance.redundancy_result import Redundancy
from uqwidgets.plotting.dots import Dots, dots
from uqwidgets.plotting.html import Markup, panel, table
from uqwidgets.plotting.svg import BLUE, VERMILLION
from uqwidgets.plotting.text import (
    NOT_AVAILABLE,
    few,
    interval,
    listed,
    number,
    population,
    sentence,
)


def redundancy_html(result: Redundancy) -> str:
    """Show R2 of each feature from the others, and with the target added if the result has it.

    Parameters
    ----------
    result : Redundancy

    Returns
    -------
    str
    """
    shown = slice(MOST_ROWS)
    columns = [
        Dots(title, colour, value[shown], low[shown], high[shown], reference=0.0)
        for title, colour, (value, low, high) in _columns(result)
    ]
    summary = _summary(result)
    return panel(
        "Redundancy: what the other features tell of each",
        summary,
        dots(result.features[shown], columns, summary),
        _notes(result),
        _table(result),
    )


def _columns(result: Redundancy) -> list[tuple[str, str, tuple[Floats, Floats, Floats]]]:
    alone = "R² from the others", BLUE, (result.r2, result.low, result.high)
    if not result.with_target:
        return [alone]
    added = result.r2_with_target, result.low_with_target, result.high_with_target
    return [alone, (f"R² with {result.target} beside them", VERMILLION, added)]


def _summary(result: Redundancy) -> str:
    if not np.isfinite(result.r2).any():
        return f"What the other features tell of each is {NOT_AVAILABLE}."
    ends = interval(result.low[0], result.high[0])
    text = (
        f"{result.features[0]} is known best from the other features: they explain "
        f"{number(result.r2[0])} of its variance ({result.level:.0%} interval {ends})."
    )
    distinct = [f for f, high in zip(result.features, result.high, strict=True) if high < 0.25]
    if distinct:
        text += f" They explain less than a quarter of {listed(few(distinct))}."
    gained = np.flatnonzero(result.gain_low > 0)
    if len(gained):
        most = gained[np.argmax(result.gain[gained])]
        text += (
            f" {sentence(result.target)} adds most to {result.features[most]}: "
            f"{number(result.gain[most])}."
        )
    return text


def _notes(result: Redundancy) -> list[str]:
    n_rows = int(result.n_rows.max())
    notes = [
        f"Dots: share of a feature's variance that forests of {result.n_estimators} trees predict "
        f"out of bag, at or below 0 where they predict no better than its mean; whiskers: "
        f"{result.level:.0%} interval, which treats the forests as fixed; "
        f"{population(result.weighted, result.ess, n_rows)}."
    ]
    left_out = len(result.features) - MOST_ROWS
    if left_out > 0:
        notes.append(f"Drawn are the first {MOST_ROWS}; {left_out} more are left out.")
    missing: dict[str, list[str]] = {}
    for feature, status in zip(result.features, result.status, strict=True):
        if status != "ok":
            missing.setdefault(status, []).append(feature)
    notes += [
        f"{sentence(NOT_AVAILABLE)} ({reason}): {listed(few(names))}."
        for reason, names in missing.items()
    ]
    return [*notes, *result.remarks]


def _table(result: Redundancy) -> Markup:
    header = ["feature"]
    values: list[Floats] = []
    for title, _, numbers in _columns(result):
        header += [title, "low", "high"]
        values += numbers
    if result.with_target:
        header += ["gain", "low", "high"]
        values += [result.gain, result.gain_low, result.gain_high]
    lines = [
        [
            feature,
            *(number(float(v[j]), 4) for v in values),
            f"{result.n_rows[j]:,}",
            result.status[j],
        ]
        for j, feature in enumerate(result.features)
    ]
    return table("feature", [*header, "rows", "status"], lines)
