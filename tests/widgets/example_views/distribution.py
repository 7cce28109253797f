"""The distribution of a measure over the rows: the example of docs/how_it_works.md."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.rows.population import Populations
from uqwidgets.widgets.views import Content, View


class DistributionView(View):
    """The distribution of the picked measure."""

    name = "distribution"
    help = ("How is the measure distributed over the rows?", "Each bar is the share of its rows.")
    reads = ("measure",)

    def compute(self, inputs: Inputs, populations: Populations) -> Content:
        values = self.explainer.evaluations.original_values(self.explainer.measure(inputs.measure))
        edges = np.linspace(values.min(), values.max(), 11)
        counts = np.histogram(values, edges, weights=populations.now.scored)[0]
        return Content(
            {"label": self.explainer.measure(inputs.measure).label},
            {"edges": edges, "counts": counts / counts.sum()},
        )

    def html(self, inputs: Inputs, *_: Any) -> str:
        return f"<p>distribution of {escape(inputs.measure)}</p>"
