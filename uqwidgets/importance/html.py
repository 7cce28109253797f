"""Static HTML of importance: dots with whiskers, a summary and a table, without a kernel."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.importance.result import Importance
from uqwidgets.plotting.dots import Dots, dots
from uqwidgets.plotting.html import Markup, panel, table
from uqwidgets.plotting.svg import BLUE, VERMILLION
from uqwidgets.plotting.text import (
    NOT_AVAILABLE,
    interval,
    listed,
    measured,
    number,
    population,
    sentence,
    with_unit,
)

MOST_ROWS = 30


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
    results = [first] if second is None else [first, _in_order_of(first, second)]
    summary = " ".join(_summary(result) for result in results)
    names = first.features[:MOST_ROWS]
    columns = [
        Dots(
            with_unit(result.label, result.unit),
            colour,
            result.importance[:MOST_ROWS],
            result.low[:MOST_ROWS],
            result.high[:MOST_ROWS],
            reference=result.unchanged,
            cloud=None if result.per_refit is None else result.per_refit[:MOST_ROWS].T,
        )
        for result, colour in zip(results, (BLUE, VERMILLION), strict=False)
    ]
    labels = listed([result.label for result in results])
    return panel(
        f"Importance for {labels}",
        summary,
        dots(names, columns, summary),
        _notes(results),
        _table(results),
    )


def _in_order_of(first: Importance, second: Importance) -> Importance:
    positions = {feature: j for j, feature in enumerate(second.features)}

    def reordered(values: Floats) -> Floats:
        missing = np.full(values.shape[1:], np.nan)
        return np.array(
            [values[positions[f]] if f in positions else missing for f in first.features]
        )

    return replace(
        second,
        features=first.features,
        importance=reordered(second.importance),
        std_error=reordered(second.std_error),
        per_refit=None if second.per_refit is None else reordered(second.per_refit),
        low=reordered(second.low),
        high=reordered(second.high),
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


def _notes(results: list[Importance]) -> list[str]:
    first = results[0]
    left_out = len(first.features) - MOST_ROWS
    notes = [
        f"Dots: mean change without a feature's own values ({first.how}); "
        f"{'strokes: single refits; ' if first.n_refits else ''}"
        f"whiskers: {first.level:.0%} interval ({first.interval}); "
        f"{population(first.weighted, first.ess, first.per_row.shape[1])}."
    ]
    if left_out > 0:
        notes.append(f"Drawn are the first {MOST_ROWS}; {left_out} more are left out.")
    return [*notes, *dict.fromkeys(remark for result in results for remark in result.remarks)]


def _table(results: list[Importance]) -> Markup:
    header = ["feature"]
    for result in results:
        header += [with_unit(result.label, result.unit), "std error", "low", "high"]
    lines = [
        [feature]
        + [
            number(float(values[j]), 4)
            for r in results
            for values in (r.importance, r.std_error, r.low, r.high)
        ]
        for j, feature in enumerate(results[0].features)
    ]
    return table("feature", header, lines)
