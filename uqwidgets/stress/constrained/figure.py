"""Figure of row weights."""

from __future__ import annotations

from uqwidgets.plotting.figure import Axis, Figure, Mark, Panel
from uqwidgets.plotting.text import counted, number
from uqwidgets.stress.constrained.result import Reweighting, concentration


def reweighting_figure(result: Reweighting) -> Figure:
    """Return the share of the weight over the share of the rows, the heaviest rows first.

    A dashed line shows equal weights, and another one the share of the rows that carries half of
    the weight.

    Parameters
    ----------
    result : Reweighting
    """
    rows, weight = concentration(result)
    equal = {"rows": [0.0, 1.0], "weight": [0.0, 1.0]}
    half = {"rows": [0.0, *[result.half_share] * 2], "weight": [0.5, 0.5, 0.0], "step": range(3)}
    marks = [
        Mark("line", equal, *_PLACES, colour=None, opacity=0.6, dashed=True),
        Mark("line", half, *_PLACES, colour=None, opacity=0.5, order="step"),
        Mark("line", {"rows": rows, "weight": weight}, *_PLACES, tips=_PLACES),
    ]
    x = Axis("share of the rows, heaviest first", ends=(0.0, 1.0))
    panel = Panel(x, Axis("share of the weight", ends=(0.0, 1.0)), marks)
    subtitle = (
        f"effective sample size {number(result.ess)} of {counted(result.n_rows, 'row')}, "
        f"divergence {number(result.kl)} nats"
    )
    title = f"Weights that meet {counted(len(result.names), 'constraint')}"
    return Figure(title, subtitle, [panel], size=(640.0, 180.0))


_PLACES = "rows", "weight"
