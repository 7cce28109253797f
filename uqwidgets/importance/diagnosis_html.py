"""Static HTML of a diagnosis: likelihood and entropy importance side by side."""

from __future__ import annotations

from uqwidgets.importance.diagnosis_result import Diagnosis
from uqwidgets.importance.html import MOST_ROWS
from uqwidgets.plotting.dots import Dots, dots
from uqwidgets.plotting.html import Markup, panel, table
from uqwidgets.plotting.svg import BLUE, VERMILLION
from uqwidgets.plotting.text import few, listed, measured, number, sentence, with_unit


def diagnosis_html(result: Diagnosis) -> str:
    """Show both importances of each feature side by side, and their joint verdict.

    Parameters
    ----------
    result : Diagnosis

    Returns
    -------
    str
    """
    shown = slice(MOST_ROWS)
    columns = [
        Dots(
            with_unit(title, result.unit),
            colour,
            value[shown],
            low[shown],
            high[shown],
            reference=0.0,
        )
        for title, colour, (value, low, high) in (
            ("likelihood", BLUE, (result.nll, result.nll_low, result.nll_high)),
            ("entropy", VERMILLION, (result.entropy, result.entropy_low, result.entropy_high)),
        )
    ]
    summary = _summary(result)
    return panel(
        "Likelihood and entropy importance, read together",
        summary,
        dots(result.features[shown], columns, summary, result.verdict[shown]),
        _notes(result),
        _table(result),
    )


def _summary(result: Diagnosis) -> str:
    by_verdict: dict[str, list[str]] = {}
    for feature, verdict in zip(result.features, result.verdict, strict=True):
        by_verdict.setdefault(verdict, []).append(feature)
    return " ".join(
        f"{sentence(verdict)}: {listed(few(features))}." for verdict, features in by_verdict.items()
    )


def _notes(result: Diagnosis) -> list[str]:
    notes = [
        f"Dots: mean change when a feature's values are replaced ({result.replacement}); whiskers: "
        f"{result.level:.0%} interval ({result.interval}). An importance is negligible where its "
        f"whole interval is within {measured(result.margin, result.unit)} of zero."
    ]
    if result.with_redundancy:
        notes.append("R2: share of a feature's variance that the other features explain.")
    left_out = len(result.features) - MOST_ROWS
    if left_out > 0:
        notes.append(f"Drawn are the first {MOST_ROWS}; {left_out} more are left out.")
    notes += [f"{sentence(reading)}." for reading in result.readings]
    return [*notes, *result.remarks]


def _table(result: Diagnosis) -> Markup:
    columns = [
        (with_unit("likelihood", result.unit), result.nll),
        ("low", result.nll_low),
        ("high", result.nll_high),
        (with_unit("entropy", result.unit), result.entropy),
        ("low", result.entropy_low),
        ("high", result.entropy_high),
    ]
    if result.with_redundancy:
        columns += [("R2", result.r2), ("low", result.r2_low), ("high", result.r2_high)]
    header = ["feature", *(name for name, _ in columns), "verdict"]
    numbers = zip(*(values for _, values in columns), strict=True)
    lines = [
        [feature, *(number(float(value), 4) for value in values), verdict]
        for feature, values, verdict in zip(result.features, numbers, result.verdict, strict=True)
    ]
    return table("feature", header, lines)
