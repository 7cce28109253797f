"""Where is it worst: ranges and categories in which a measure is clearly higher than elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

from uqwidgets._typing import Floats, Positions
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.inference.population import Population
from uqwidgets.measures import Measure
from uqwidgets.plotting.result import Result
from uqwidgets.slices import FoundSlices, Slices
from uqwidgets.widgets.inputs.choices import sliced_measures
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.kernel.work import Step, Urgency, Work
from uqwidgets.widgets.over_tau.levels import Level, at_each
from uqwidgets.widgets.over_tau.tracks import Track
from uqwidgets.widgets.rows.population import PopulationBuilder, Populations
from uqwidgets.widgets.views.view import Availability, Content, Key, View

_NUMBERS = ("value", "elsewhere", "difference", "low", "high", "p_adjusted")
# Rows up to which the numbers of many levels of tau take no time that a person notices.
_MOST_ROWS = 20_000


class SlicesView(View):
    """The slices of all rows, whatever the filter, which may be one of them.

    They are found in the rows as they are at tau = 0. Under stress, the same slices are weighted.
    """

    name = "slices"
    help = (
        "Where is it worst? Each line is a range or a category, or two of them together, in which "
        "the chosen measure is clearly higher than elsewhere: the dot is the difference, the "
        "whisker its interval. A hollow dot is no longer clear under the present stress.",
        "Slices were found in one half of the rows and measured in the other half, so what is "
        "shown is not too large for having been picked. All intervals hold at once: where there is "
        "no slice, none is shown in 19 of 20 tables.",
        "A click on a slice filters all panels; another click shows all rows again.",
    )
    tips: ClassVar = {
        "uq-slices-measure": "The measure whose worst rows are shown",
        "uq-slices-filter": "Show these rows in all panels; once more shows all rows",
        "uq-slices-cohort": "Keep these rows as a cohort",
        "uq-slices-compare": "Compare these rows with all others",
    }
    reads = ("slices_of",)

    def __init__(self, explainer: Explainer) -> None:
        super().__init__(explainer)
        # The latest ones, with what they were found in.
        self._found: tuple[Key, FoundSlices, Positions] | None = None
        self._builder: tuple[Floats | None, PopulationBuilder] | None = None

    @classmethod
    def is_offered(cls, explainer: Explainer) -> bool:
        """Whether there is a measure besides the prediction."""
        return bool(sliced_measures(explainer))

    def compute(self, inputs: Inputs, populations: Populations) -> Content:
        """Describe the slices, with their numbers under the present weights."""
        result = self._slices(inputs, populations)
        meta: dict[str, Any] = {
            "measure": result.measure,
            "label": result.label,
            "unit": result.unit,
            "choices": [{"name": m.name, "label": m.label} for m in self._measures],
            "slices": [
                {"text": text, "same": same, "rows": int(n), "conditions": conditions}
                for text, same, n, conditions in zip(
                    result.slices, result.same_rows, result.rows, result.conditions, strict=True
                )
            ],
            "tested": result.tested_text,
            "n_rows": result.n_rows,
            "level": result.level,
            "remarks": result.remarks,
        }
        return Content(meta, {name: getattr(result, name) for name in _NUMBERS})

    def complete(
        self, inputs: Inputs, populations: Populations, check: Callable[[], None]
    ) -> Content:
        """Find the slices."""
        check()
        return self.compute(inputs, populations)

    def results(
        self, inputs: Inputs, populations: Populations, check: Callable[[], None]
    ) -> dict[str, Result]:
        """Return the slices by their measure."""
        check()
        result = self._slices(inputs, populations)
        return {result.measure: result}

    def html(self, inputs: Inputs, population: Population, _check: Callable[[], None]) -> str:
        """Draw the slices that are known, where all rows are shown."""
        found = self._found
        if found is None or found[0][0] != inputs.slices_of or population.rows is not None:
            return ""
        return found[1].of(found[2], population)._repr_html_()

    def show_cached(self, work: Work) -> Availability:
        """Show what is known; slices are found when the controls rest."""
        if work.populations is None or self._found is None:
            return Availability(is_shown=False, is_complete=work.populations is None)
        if self._found[0] != self._found_key(work.inputs):
            return Availability(is_shown=False, is_complete=False)
        return Availability(is_shown=False, is_complete=super().show_cached(work).is_complete)

    def steps(self, work: Work) -> Iterable[Step]:
        """Find the slices once the controls rest."""

        def run() -> None:
            if self.content.meta:
                work.wait_for_rest()
            self._update(work)

        def attempt() -> None:
            if work.populations is not None and self.is_stale(work):
                self.attempt(work, self._input_key(work.inputs), run)

        return [Step(Urgency.DETAILS, attempt)]

    def over_tau(self, inputs: Inputs) -> Sequence[Track]:
        """Follow the numbers of the slices, where no filter chooses the rows of a level."""
        if inputs.ice_filter or self._found is None or len(self.explainer.table) > _MOST_ROWS:
            return ()

        def of_level(level: Level, _check: Callable[[], None]) -> dict[str, Any]:
            return self.compute(level.inputs(inputs), level.populations).columns

        return [Track("slices", (inputs.slices_of,), partial(at_each, of_level))]

    @property
    def _measures(self) -> list[Measure]:
        return sliced_measures(self.explainer)

    def _found_key(self, inputs: Inputs) -> Key:
        return inputs.slices_of, inputs.groups, inputs.held

    def _slices(self, inputs: Inputs, populations: Populations) -> Slices:
        everywhere = self._everywhere(inputs, populations)
        key, known = self._found_key(inputs), self._found
        if known is None or known[0] != key:
            name = inputs.slices_of or self._measures[0].name
            found = self.explainer._found_slices(name, None, everywhere.unstressed)
            known = self._found = key, found, found.clear(everywhere.unstressed)
        return known[1].of(known[2], everywhere.now)

    def _everywhere(self, inputs: Inputs, populations: Populations) -> Populations:
        """Return the populations of all rows, whatever the filter."""
        if populations.unstressed.rows is None:
            return populations
        described = populations.selection.described
        weights = None if described is None else described.own
        if self._builder is None or self._builder[0] is not weights:
            self._builder = weights, PopulationBuilder(self.explainer, weights)
        of_all = replace(inputs, ice_filter=(), complement=False)
        built = self._builder[1].build(of_all, lambda: None)
        assert built is not None  # every table has rows
        return built
