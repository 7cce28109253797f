"""A picture of row weights as static HTML, for pages without a kernel."""

from __future__ import annotations

from uqwidgets.plotting.html import Markup, panel, table
from uqwidgets.plotting.svg import (
    BLUE,
    FONT,
    PAGE,
    WIDTH,
    Scale,
    bottom_axis,
    curve,
    label,
    left_axis,
    line,
    picture,
)
from uqwidgets.plotting.text import counted, number
from uqwidgets.stress.constrained.result import Reweighting, concentration

_TOP, _HEIGHT, _AXIS, _LEFT = 24.0, 180.0, 40.0, 40.0


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
        f"Kullback-Leibler divergence from equal weights: {number(result.kl)} nats. Dotted: equal "
        "weights.",
        *result.remarks,
    ]
    return panel(
        f"Weights of rows that meet {counted(len(result.names), 'constraint')}",
        summary,
        _concentration(result, summary),
        notes,
        _table(result),
    )


def _concentration(result: Reweighting, summary: str) -> Markup:
    """Draw the share of the weight against the share of the rows, the heaviest rows first."""
    bottom = _TOP + _HEIGHT
    x, y = Scale(0.0, 1.0, _LEFT, WIDTH - 20), Scale(0.0, 1.0, bottom, _TOP)
    rows, weight = concentration(result)
    half = x(result.half_share)
    return picture(
        bottom + _AXIS,
        summary,
        label("share of the weight", 0, FONT / 2),
        *left_axis(y, x.start, x.stop),
        *bottom_axis(x, _TOP, bottom),
        curve([x(0), x(1)], [y(0), y(1)], stroke=PAGE, stroke_dasharray="1 3"),
        line(half, y(0.5), half, bottom, 0.5),
        line(x.start, y(0.5), half, y(0.5), 0.5),
        curve(
            [x(share) for share in rows.tolist()],
            [y(share) for share in weight.tolist()],
            stroke=BLUE,
            stroke_width=2.2,
        ),
        label("share of the rows, heaviest first", (x.start + x.stop) / 2, bottom + 30, "middle"),
    )


def _table(result: Reweighting) -> Markup:
    both = zip(result.names, result.target.tolist(), result.reached.tolist(), strict=True)
    rows = [[name, number(target, 4), number(reached, 4)] for name, target, reached in both]
    return table("constraint", ["constraint", "target", "reached"], rows)
