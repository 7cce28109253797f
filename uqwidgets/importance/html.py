"""Static HTML of importance: dots with whiskers, a summary and a table, without a kernel."""

from __future__ import annotations

import math

import numpy as np

from uqwidgets.importance.figure import importance_figure
from uqwidgets.importance.result import Importance
from uqwidgets.plotting.html import Markup, panel, table
from uqwidgets.plotting.result import at_once, named_interval
from uqwidgets.plotting.static import drawn, left_out
from uqwidgets.plotting.text import (
    NOT_AVAILABLE,
    few,
    interval,
    listed,
    measured,
    number,
    population,
    sentence,
    with_unit,
)


def importance_html(first: Importance, second: Importance | None = None) -> str:
    """Show importance for one or two measures, in the order of the first.

    Parameters
    ----------
    first : Importance
    second : Importance, optional
        Of the same features.

    Returns
    -------
    str
    """
    results = [first] if second is None else [first, second]
    summary = " ".join(_summary(result) for result in results)
    return panel(
        f"Importance for {listed([result.label for result in results])}",
        summary,
        drawn(importance_figure(*results), summary),
        _notes(results),
        _table(results),
    )


def _summary(result: Importance) -> str:
    known = [j for j in np.argsort(-result.importance) if math.isfinite(result.importance[j])]
    if not known:
        return f"Importance for {result.label} is {NOT_AVAILABLE}."
    # Where there are intervals, only features whose interval lies above no change are named.
    rising = [j for j in known if result.low[j] > result.unchanged]
    unclear = not rising and any(math.isfinite(result.low[j]) for j in known)
    top, *others = rising or known
    name, ratio = result.features[top], result.compare == "ratio"
    size = (
        f"{measured(float(result.importance[top]), result.unit)} "
        f"({result.level:.0%} interval {interval(result.low[top], result.high[top])})"
    )
    mean = f"a mean of {number(result.baseline)}"
    if unclear:
        return (
            f"{sentence(result.label)}: no feature is clearly above {1 if ratio else 'zero'}. The "
            f"largest importance is that of {name}: {size}, beside {mean}."
        )
    removed = "left out" if result.replacement == "refit" else "replaced"
    text = (
        f"{sentence(result.label)} rises most when {name} is {removed}: {'to' if ratio else 'by'} "
        f"{size}, from {mean}."
    )
    following = [result.features[j] for j in others[:2]]
    return f"{text} Next: {listed(following)}." if following else text


def _falls(result: Importance) -> str:
    """Return what a clearly negative importance means."""
    how = "leaving out" if result.replacement == "refit" else "replacing"
    return f"{result.label} falls by {how} the values"


def _notes(results: list[Importance]) -> list[str]:
    first = results[0]
    notes = [
        f"Dots: mean change without a feature's own values ({first.how}); "
        f"{'strokes: single refits; ' if first.n_refits else ''}"
        f"whiskers: {first.level:.0%} interval ({named_interval(first.interval, first.level)})"
        f"{at_once(first, len(first.features))}; "
        f"{population(first.weighted, first.ess, first.per_row.shape[1], first.groups)}."
    ]
    notes += left_out(len(first.features))
    for result in results:
        falling = np.flatnonzero(result.high < result.unchanged)
        names = few([result.features[j] for j in falling.tolist()])
        if names:
            origin = 1 if result.compare == "ratio" else 0
            notes.append(f"Left of {origin}: {_falls(result)} of {listed(names)}.")
    return [*notes, *dict.fromkeys(remark for result in results for remark in result.remarks)]


def _table(results: list[Importance]) -> Markup:
    header, columns = ["feature"], []
    for result in results:
        header += [with_unit(result.label, result.unit), "std error", "low", "high"]
        place = {feature: j for j, feature in enumerate(result.features)}
        at = [place.get(feature, -1) for feature in results[0].features]
        values = result.importance, result.std_error, result.low, result.high
        columns += [np.append(v, np.nan)[at] for v in values]
    return table("feature", header, zip(results[0].features, *columns, strict=True))
