"""A view that calls the model."""

from __future__ import annotations

from uqwidgets.evaluation.replacement import Constant, Replacement
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.rows.population import Populations
from uqwidgets.widgets.views import Content, View


class ModelCallView(View):
    """The predictions where one feature is zero."""

    name = "model_call"
    reads = ("feature",)

    def replacements(self, inputs: Inputs) -> list[Replacement]:
        if not inputs.feature:
            return []
        return [Constant((self.explainer.table.index(inputs.feature),), (0.0,))]

    def compute(self, inputs: Inputs, populations: Populations) -> Content:
        if inputs.feature == "b":
            raise RuntimeError("there is nothing to see")
        measure = self.explainer.measure("prediction")
        values = self.explainer.evaluations.values(self.replacements(inputs), measure)
        return Content({"feature": inputs.feature}, {"mean": values @ populations.now.scored})
