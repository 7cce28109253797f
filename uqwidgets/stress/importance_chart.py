"""Chart of importance over tau."""

from __future__ import annotations

import altair as alt

from uqwidgets.plotting.altair import FAINT, WIDTH, line_styles, scale_with_bands, tooltips
from uqwidgets.plotting.choice import EMPHASISED
from uqwidgets.plotting.text import sentence
from uqwidgets.stress.importance_result import ImportanceOverTau, by_importance


def importance_over_tau_chart(result: ImportanceOverTau) -> alt.LayerChart:
    """Draw importance over tau, the features that matter most at tau = 0 emphasised.

    Parameters
    ----------
    result : ImportanceOverTau

    Returns
    -------
    alt.LayerChart
    """
    emphasised = [result.features[j] for j in by_importance(result)[:EMPHASISED]]
    frame = result.frame.drop(columns="status")
    strong = frame["feature"].isin(emphasised)
    unit = f" ({result.unit})" if result.unit else ""
    x = alt.X("tau:Q", title=f"τ of {result.stressed}", scale=alt.Scale(domain=[-1, 1]))
    bands = frame.loc[strong, "low"], frame.loc[strong, "high"]
    scale = scale_with_bands([frame["importance"], [0.0]], bands)
    y = alt.Y("importance:Q", title=f"importance{unit}", scale=scale)
    tips = tooltips(["feature:N"], ["tau:Q", "importance:Q", "low:Q", "high:Q", "ess:Q"])
    colour, dash = line_styles(emphasised)
    main = alt.Chart(frame[strong])
    layers = [
        main.mark_area(opacity=0.12, clip=True).encode(
            x=x, y=alt.Y("low:Q", scale=scale), y2="high:Q", color=colour
        ),
        main.mark_line(strokeWidth=2.5).encode(
            x=x, y=y, color=colour, strokeDash=dash, tooltip=tips
        ),
    ]
    if not strong.all():
        others = alt.Chart(frame[~strong]).mark_line(color=FAINT, opacity=0.4, strokeWidth=1)
        layers.insert(0, others.encode(x=x, y=y, detail="feature:N", tooltip=tips))
    return alt.LayerChart(layer=layers).properties(
        width=WIDTH,
        title=alt.Title(
            f"{sentence(result.label)}: importance as {result.stressed} is stressed",
            subtitle=f"{result.level:.0%} {result.interval} interval".replace("%", " %"),
        ),
    )
