"""A picture of row weights as static HTML, for pages without a kernel."""

from __future__ import annotations

from uqwidgets.plotting.html import Markup, panel, table
from uqwidgets.plotting.static import drawn
from uqwidgets.plotting.text import counted, number
from uqwidgets.stress.constrained.figure import reweighting_figure
from uqwidgets.stress.constrained.result import Reweighting


def reweighting_html(result: Reweighting) -> str:
    """Show how the weight is concentrated on the rows, and what the constraints reach.

    Parameters
    ----------
    result : Reweighting

    Returns
    -------
    str
    """
    summary = (
        f"{counted(result.n_rows, 'row')} are worth {number(result.ess)} with these weights; "
        f"{number(100 * result.half_share)} % of the rows carry half of the weight."
    )
    notes = [
        f"Kullback-Leibler divergence from equal weights: {number(result.kl)} nats. Dashed: equal "
        "weights.",
        *result.remarks,
    ]
    return panel(
        f"Weights of rows that meet {counted(len(result.names), 'constraint')}",
        summary,
        drawn(reweighting_figure(result), summary),
        notes,
        _table(result),
    )


def _table(result: Reweighting) -> Markup:
    rows = zip(result.names, result.target, result.reached, strict=True)
    return table("constraint", ["constraint", "target", "reached"], rows)
