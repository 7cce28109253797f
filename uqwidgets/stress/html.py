"""Pictures of stress over tau as static HTML, for pages without a kernel."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats, Positions
from uqwidgets.plotting.html import Markup, panel, table
from uqwidgets.plotting.result import at_once
from uqwidgets.plotting.static import drawn
from uqwidgets.plotting.text import (
    NOT_AVAILABLE,
    counted,
    interval,
    listed,
    not_available,
    number,
    sentence,
)
from uqwidgets.stress.figure import nearest_levels, stress_figure
from uqwidgets.stress.result import Stress, by_response, clear_response, emphasised, response

MOST_LINES = 30

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
        drawn(stress_figure(result, [indicator], most_lines=MOST_LINES), summary),
        _notes(result, known),
        _table(result, indicator, order),
    )


def _summary(result: Stress, indicator: str, known: Positions) -> str:
    name, values = result.labels[indicator], result.values[indicator]
    if len(known) == 0:
        return f"{sentence(name)} under stress is {NOT_AVAILABLE}: no feature's mean can be moved."
    start = values[known[0], nearest_levels(result.taus)[1]]
    clear = known[clear_response(result, indicator)[known] > 0]
    leading = clear if len(clear) else known
    ranges = [f"{result.features[j]} ({interval(*_extremes(values[j]))})" for j in leading[:3]]
    most = "it responds most to" if len(clear) else "no response is clear, the largest are to"
    return f"Without stress, {name} is {number(start)}; {most} {listed(ranges)}."


def _notes(result: Stress, known: Positions) -> list[str]:
    end = f"its quantiles {result.tail:g} and {1 - result.tail:g}"
    if result.anchor == "tail-mean":
        end = f"the means of its lowest and highest {result.tail:.4g} of the rows"
    notes = [
        f"τ = −1 and 1 move a feature's mean to {end}, by weighting rows; at τ = 0 all rows count "
        "alike."
    ]
    kind = "" if result.simultaneous else "pointwise "
    if result.level is not None and len(known):
        notes[0] += f" Bands: {kind}{result.level:.0%} intervals{at_once(result, result.n_values)}."
    leading = [j for j in emphasised(result) if j in known]
    if len(known) > MOST_LINES:
        drawn = f"{MOST_LINES - len(leading)} of the other {len(known) - len(leading)} features"
        notes[0] += f" Faint: {drawn}, those with the largest responses."
    elif len(known) > len(leading):
        notes[0] += f" Faint: the other {len(known) - len(leading)} features."
    if any((result.status[j] == "edge").any() for j in leading):
        notes.append("Squares: only rows at the extreme of the feature still count.")
    missing = np.setdiff1d(np.arange(len(result.features)), known).tolist()
    reasons = [status_text(result.status[j]) for j in missing]
    notes += not_available([result.features[j] for j in missing], reasons)
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
