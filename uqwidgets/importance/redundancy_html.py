"""Static HTML of redundancy: R2 of each feature from the others."""

from __future__ import annotations

import numpy as np

from uqwidgets.importance.figure import redundancy_figure
from uqwidgets.importance.redundancy_result import Redundancy
from uqwidgets.plotting.html import Markup, panel, table
from uqwidgets.plotting.static import drawn, left_out
from uqwidgets.plotting.text import (
    NOT_AVAILABLE,
    few,
    interval,
    listed,
    not_available,
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
    summary = _summary(result)
    return panel(
        "Redundancy: what the other features tell of each",
        summary,
        drawn(redundancy_figure(result), summary),
        _notes(result),
        _table(result),
    )


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
        f"{population(result.weighted, result.ess, n_rows, result.groups)}."
    ]
    notes += left_out(len(result.features))
    missing = [j for j, status in enumerate(result.status) if status != "ok"]
    names, reasons = ([of[j] for j in missing] for of in (result.features, result.status))
    return [*notes, *not_available(names, reasons), *result.remarks]


def _table(result: Redundancy) -> Markup:
    header, values = ["R² from the others", "low", "high"], [result.r2, result.low, result.high]
    if result.with_target:
        header += [f"R² with {result.target} beside them", "low", "high", "gain", "low", "high"]
        values += [result.r2_with_target, result.low_with_target, result.high_with_target]
        values += [result.gain, result.gain_low, result.gain_high]
    rows = [f"{n:,}" for n in result.n_rows]
    lines = zip(result.features, *values, rows, result.status, strict=True)
    return table("feature", ["feature", *header, "rows", "status"], lines)
