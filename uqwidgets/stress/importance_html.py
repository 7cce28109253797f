"""A picture of importance over tau as static HTML, for pages without a kernel."""

from __future__ import annotations

import numpy as np

from uqwidgets._typing import Positions
from uqwidgets.plotting.choice import EMPHASISED
from uqwidgets.plotting.html import Markup, panel, table
from uqwidgets.plotting.result import named_interval, replaced
from uqwidgets.plotting.static import drawn
from uqwidgets.plotting.text import NOT_AVAILABLE, few, interval, listed, number, sentence
from uqwidgets.stress.figure import importance_over_tau_figure, nearest_levels
from uqwidgets.stress.html import status_text
from uqwidgets.stress.importance_result import ImportanceOverTau, by_importance
from uqwidgets.stress.result import response


def importance_over_tau_html(result: ImportanceOverTau) -> str:
    """Show importance over tau, the features that matter most without stress emphasised.

    Parameters
    ----------
    result : ImportanceOverTau

    Returns
    -------
    str
    """
    order = by_importance(result)
    known = order[np.isfinite(result.importance[order]).any(axis=1)]
    summary = _summary(result, known)
    return panel(
        f"{sentence(result.label)}: importance as {result.stressed} is stressed",
        summary,
        drawn(importance_over_tau_figure(result), summary),
        [*_notes(result, known), *result.remarks],
        _table(result, order),
    )


def _summary(result: ImportanceOverTau, known: Positions) -> str:
    if len(known) == 0:
        return f"Importance under stress of {result.stressed} is {NOT_AVAILABLE}."
    first, rest = known[0], nearest_levels(result.taus)[1]
    text = (
        f"Without stress, {result.features[first]} matters most "
        f"({number(result.importance[first, rest])})."
    )
    changes = response(result.importance)
    if not np.nanmax(changes) > 0:
        return f"{text} No importance changes with τ."
    most = int(np.nanargmax(changes))
    values = result.importance[most][np.isfinite(result.importance[most])]
    return (
        f"{text} The importance of {result.features[most]} changes most: it ranges from "
        f"{interval(values.min(), values.max())}."
    )


def _notes(result: ImportanceOverTau, known: Positions) -> list[str]:
    at = nearest_levels(result.taus)
    low, rest, high = (number(result.reached[t]) for t in at)
    ess = [number(result.ess[t]) for t in at]
    notes = [
        f"τ = −1, 0 and 1 stand for means of {result.stressed} of {low}, {rest} and {high}, by "
        f"weighting rows. {sentence(replaced(result.replacement, result.n_repeats))}. Bands: "
        f"pointwise {result.level:.0%} intervals "
        f"({named_interval(result.interval, result.level)}). "
        f"Effective rows: {ess[0]}, {ess[1]} and {ess[2]}."
    ]
    if len(known) > EMPHASISED:
        notes[0] += f" Faint: the other {len(known) - EMPHASISED} features."
    if (result.status == "edge").any():
        notes.append(f"Squares: only rows at the extreme of {result.stressed} still count.")
    missing = np.isin(result.status, ["ok", "edge"], invert=True)
    if missing.any():
        taus = [f"τ = {number(tau)}" for tau in result.taus[missing].tolist()]
        notes.append(
            f"{sentence(NOT_AVAILABLE)} at {listed(few(taus))}: "
            f"{status_text(result.status[missing])}."
        )
    return notes


def _table(result: ImportanceOverTau, order: Positions) -> Markup:
    at = nearest_levels(result.taus)
    # No-break spaces.
    taus = [f"τ\u00a0=\u00a0{number(result.taus[t])}" for t in at]
    header = ["feature", *(f"importance at {tau} ({result.level:.0%} interval)" for tau in taus)]
    lines = [[result.features[j], *(_value(result, j, t) for t in at)] for j in order]
    return table("feature", header, lines)


def _value(result: ImportanceOverTau, j: int, t: int) -> str:
    value = number(result.importance[j, t])
    ends = result.low[j, t], result.high[j, t]
    return f"{value} ({interval(*ends)})" if np.isfinite(ends).all() else value
