"""Static HTML of a diagnosis: likelihood and entropy importance side by side."""

from __future__ import annotations

from uqwidgets.importance.diagnosis_result import Diagnosis
from uqwidgets.importance.figure import diagnosis_figure
from uqwidgets.plotting.html import Markup, panel, table
from uqwidgets.plotting.result import at_once, named_interval
from uqwidgets.plotting.static import drawn, left_out
from uqwidgets.plotting.text import few, listed, measured, sentence, with_unit


def diagnosis_html(result: Diagnosis) -> str:
    """Show both importances of each feature side by side, and their joint verdict.

    Parameters
    ----------
    result : Diagnosis

    Returns
    -------
    str
    """
    summary = _summary(result)
    return panel(
        "Likelihood and entropy importance, read together",
        summary,
        drawn(diagnosis_figure(result), summary),
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
        f"{result.level:.0%} interval ({named_interval(result.interval, result.level)})"
        f"{at_once(result, 2 * len(result.features))}. An importance is negligible where its "
        f"whole interval is within {measured(result.margin, result.unit)} of zero."
    ]
    if result.with_redundancy:
        notes.append("R2: share of a feature's variance that the other features explain.")
    notes += left_out(len(result.features))
    notes += [f"{sentence(reading)}." for reading in result.readings]
    return [*notes, *result.remarks]


def _table(result: Diagnosis) -> Markup:
    unit = result.unit
    header = ["feature", with_unit("likelihood", unit), "low", "high", with_unit("entropy", unit)]
    header += ["low", "high"]
    values = [result.nll, result.nll_low, result.nll_high]
    values += [result.entropy, result.entropy_low, result.entropy_high]
    if result.with_redundancy:
        header += ["R2", "low", "high"]
        values += [result.r2, result.r2_low, result.r2_high]
    lines = zip(result.features, *values, result.verdict, strict=True)
    return table("feature", [*header, "verdict"], lines)
