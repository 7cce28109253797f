"""Altair charts of an importance and of a diagnosis."""

from __future__ import annotations

import altair as alt
import numpy as np
import pandas as pd

from uqwidgets.importance.diagnosis_result import Diagnosis
from uqwidgets.importance.result import Importance
from uqwidgets.plotting.altair import FAINT, PALETTE, WIDTH, tooltips
from uqwidgets.plotting.svg import BLUE
from uqwidgets.plotting.text import with_unit


def importance_chart(result: Importance) -> alt.LayerChart:
    """Return dots with whiskers, the most important feature on top.

    Parameters
    ----------
    result : Importance

    Returns
    -------
    alt.LayerChart
    """
    axis = with_unit(result.label, result.unit)
    base = alt.Chart(result.frame).encode(
        y=alt.Y("feature:N", sort=None, title=None, axis=alt.Axis(labelLimit=240)),
        tooltip=tooltips(["feature:N"], ["importance:Q", "std_error:Q", "low:Q", "high:Q"]),
    )
    unchanged = alt.Chart().mark_rule(color=FAINT).encode(x=alt.datum(result.unchanged))
    whiskers = base.mark_rule(color=BLUE, strokeWidth=2).encode(
        x=alt.X("low:Q", title=axis if result.compare == "ratio" else f"increase of {axis}"),
        x2="high:Q",
    )
    dots = base.mark_circle(color=BLUE, size=60, opacity=1).encode(x="importance:Q")
    layers = [unchanged, *_refits(result), whiskers, dots]
    return alt.LayerChart(data=result.frame, layer=layers).properties(
        title=alt.Title(
            f"Importance for {axis}",
            subtitle=f"{result.how}, {result.level:.0%} interval ({result.interval})",
        )
    )


def _refits(result: Importance) -> list[alt.Chart]:
    """Give a faint stroke for each refit of a learner."""
    if result.per_refit is None:
        return []
    single = pd.DataFrame(
        {
            "feature": np.repeat(result.features, result.n_refits),
            "importance": result.per_refit.ravel(),
        }
    )
    strokes: alt.Chart = (
        alt.Chart(single)
        .mark_tick(color=FAINT, opacity=0.4)
        .encode(y=alt.Y("feature:N", sort=None, title=None), x="importance:Q")
    )
    return [strokes]


def diagnosis_chart(result: Diagnosis) -> alt.LayerChart:
    """Return a dot per feature, its intervals as a cross, colour and shape by its verdict.

    Parameters
    ----------
    result : Diagnosis

    Returns
    -------
    alt.LayerChart
    """
    verdicts = list(dict.fromkeys(result.verdict))
    colours = [PALETTE[k % len(PALETTE)] for k in range(len(verdicts))]
    likelihood = with_unit("likelihood importance", result.unit)
    entropy = with_unit("entropy importance", result.unit)
    base = alt.Chart().encode(
        x=alt.X("nll:Q", title=likelihood),
        y=alt.Y("entropy:Q", title=entropy),
        color=alt.Color("verdict:N", title=None, sort=verdicts, scale=alt.Scale(range=colours)),
        tooltip=tooltips(
            ["feature:N", "verdict:N"],
            [f"{name}{end}:Q" for name in ("nll", "entropy") for end in ("", "_low", "_high")],
        ),
    )
    zero = [
        alt.Chart().mark_rule(color=FAINT).encode(x=alt.datum(0)),
        alt.Chart().mark_rule(color=FAINT).encode(y=alt.datum(0)),
    ]
    across = base.mark_rule(strokeWidth=1.5).encode(
        x=alt.X("nll_low:Q", title=likelihood), x2="nll_high:Q"
    )
    upright = base.mark_rule(strokeWidth=1.5).encode(
        y=alt.Y("entropy_low:Q", title=entropy), y2="entropy_high:Q"
    )
    dots = base.mark_point(filled=True, size=70, opacity=1).encode(
        shape=alt.Shape("verdict:N", title=None, sort=verdicts)
    )
    names = base.mark_text(align="left", dx=8, dy=-8, limit=160).encode(text="feature:N")
    return alt.LayerChart(
        data=result.frame.drop(columns="explanation"), layer=[*zero, across, upright, dots, names]
    ).properties(
        width=WIDTH,
        title=alt.Title(
            "Likelihood and entropy importance, read together",
            subtitle=f"{result.replacement}, {result.level:.0%} interval ({result.interval})",
        ),
    )
