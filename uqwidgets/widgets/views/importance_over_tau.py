"""The view of importance over tau: the leading features at all levels of tau."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from uqwidgets.metrics import is_metric
from uqwidgets.plotting.result import Result
from uqwidgets.widgets.inputs.choices import importance_measures
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.kernel.work import Step, Work
from uqwidgets.widgets.over_tau.levels import STOPS
from uqwidgets.widgets.rows.population import Populations
from uqwidgets.widgets.views.view import Availability, Content, View

_NO_LEVELS = (
    "Importance over τ is available for differences, with permutation or ablation; choose these in "
    "the importance view."
)


class ImportanceOverTauView(View):
    """Which measure is drawn over tau; the numbers are those that the importance view sends."""

    needs_model = True
    name = "importance_over_tau"
    draws = "importance"
    help = (
        "Does a feature become more important, or less, when the average of the stressed feature "
        "moves? Each line is one feature, with its 95 % interval as a band; at τ = 0 the data are "
        "unchanged. Where a band contains 0, it is not clear whether there is an effect. Very "
        "wide bands are clipped; see the table.",
        "The lines belong to the features with the largest importance at any level, and to the "
        "picked feature. A click on a line, or on its name, picks the feature.",
    )
    tips: ClassVar = {
        "uq-over-tau-name": "Pick this feature",
    }
    reads = ("importance_of", "replacement", "compare", "interval")

    def compute(self, inputs: Inputs, _populations: Populations) -> Content:
        """Name the measure, or say why there is nothing to draw."""
        names = self._quantities(inputs)
        measures = [name for name in names if not is_metric(name)]
        is_moved = len(measures) == len(names) and inputs.compare == "difference"
        if not is_moved or inputs.replacement == "conditional":
            return Content({"at": 0, "label": "", "unit": "", "why": _NO_LEVELS})
        measure = self.explainer.measure(measures[0])
        return Content({"at": 0, "label": measure.label, "unit": measure.unit, "why": None})

    def results(
        self, inputs: Inputs, populations: Populations, check: Callable[[], None]
    ) -> dict[str, Result]:
        """Return importance over tau of the first measure, where a feature is stressed."""
        check()
        if self.compute(inputs, populations).meta["why"] or not inputs.stress_feature:
            return {}
        name = self._quantities(inputs)[0]
        options: dict[str, Any] = {
            "features": None if inputs.grouped else self.explainer.features,
            "category": populations.category,
            "replacement": inputs.replacement,
            "n_repeats": inputs.n_repeats,
            "interval": inputs.interval,
            **populations.selection.options,
        }
        result = populations.selection.explainer.importance_over_tau(
            inputs.stress_feature, name, taus=STOPS, **options
        )
        return {name: result}

    def show_cached(self, work: Work) -> Availability:
        """Show the content, which is quick; it answers no request by itself."""
        super().show_cached(work)
        return Availability(is_shown=False, is_complete=True)

    def steps(self, _work: Work) -> Iterable[Step]:
        """Return no step: the importance view evaluates what is drawn."""
        return ()

    def _quantities(self, inputs: Inputs) -> tuple[str, ...]:
        return inputs.importance_of or tuple(m.name for m in importance_measures(self.explainer))
