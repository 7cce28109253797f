"""The comparison view: what is shown minus another model, with intervals of the difference."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Self

import numpy.typing as npt

from uqwidgets._utils.errors import in_one_line
from uqwidgets.comparison import Difference
from uqwidgets.explainer.comparison import ModelComparison
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.importance.result import Importance
from uqwidgets.inference.population import Population
from uqwidgets.plotting.result import Result
from uqwidgets.widgets.inputs import Inputs
from uqwidgets.widgets.model_info import LEVEL, importance_measures
from uqwidgets.widgets.rows.population import Populations
from uqwidgets.widgets.scheduler import SupersededError
from uqwidgets.widgets.stress_intervals import LEVELS
from uqwidgets.widgets.views.comparison.content import of_difference, of_importances
from uqwidgets.widgets.views.view import Availability, Content, Key, View
from uqwidgets.widgets.work import Step, Urgency, Work

# As many values as the curve that is shown has, so that its model is asked nothing.
GRID = 49

#: Called with what is being done, the number of rows that are answered, and their total.
Report = Callable[[str, int, int], None]


class ComparisonView(View):
    """Importance, curve, stress and scores of what is shown, minus those of another model."""

    name = "comparison"
    reads = ("compare_with",)

    def __init__(self, explainer: Explainer) -> None:
        super().__init__(explainer)
        self._comparison: tuple[str, ModelComparison] | None = None
        # What lies under the other views.
        self._under: tuple[Inputs | None, dict[str, npt.NDArray[Any]]] = None, {}

    @classmethod
    def is_offered(cls, explainer: Explainer) -> bool:
        """Whether there is another model."""
        return bool(explainer.others)

    def compute(
        self, inputs: Inputs, populations: Populations, report: Report = lambda *_: None
    ) -> Content:
        """Compute all differences; the other model is called for what it has not answered."""
        content = Content()
        for content in self._contents(inputs, populations, report):  # noqa: B007
            pass
        return content

    def complete(
        self, _inputs: Inputs, _populations: Populations, _check: Callable[[], None]
    ) -> Content:
        """Return nothing: a page without a kernel holds one model."""
        return Content()

    def another(self) -> Self:
        """Return a view that shares the comparison."""
        view = type(self)(self.explainer)
        view._comparison = self._comparison
        return view

    def results(
        self, inputs: Inputs, populations: Populations, _check: Callable[[], None]
    ) -> dict[str, Result]:
        """Return the differences by the analysis that they are of."""
        if not inputs.compare_with or self.has_failed(self._input_key(inputs)):
            return {}
        parts = self._parts(inputs, populations.reached(inputs), lambda *_: None)
        return {_name(difference): difference for difference in (part() for part in parts)}

    def html(self, inputs: Inputs, population: Population, check: Callable[[], None]) -> str:
        """Draw the differences, if they are known."""
        if self.content.key is None or self.content.key[0] != self._input_key(inputs):
            return ""
        pictures = []
        for part in self._parts(inputs, population, lambda *_: check()):
            check()
            pictures.append(part()._repr_html_())
        return "".join(pictures)

    def show_cached(self, work: Work) -> Availability:
        """Show nothing new: differences are computed when the controls rest."""
        if not work.inputs.compare_with:
            self.content = Content()
            return Availability(is_shown=False, is_complete=True)
        failed = self.has_failed(self._input_key(work.inputs))
        if failed:
            self.attempt(work, self._input_key(work.inputs), lambda: None)
        is_complete = failed or work.populations is None or not self.is_stale(work)
        return Availability(is_shown=False, is_complete=is_complete)

    def steps(self, work: Work) -> Iterable[Step]:
        """Ask the other model after everything that is shown was asked, and compute."""

        def run() -> None:
            assert work.populations is not None
            if self.content.meta:
                work.wait_for_rest()
            populations, key = work.populations, self._key(work.inputs, work.populations)
            for content in self._contents(work.inputs, populations, work.report):
                self.content = Content(content.meta, content.columns, key)
                work.send()

        def attempt() -> None:
            inputs = work.inputs
            if inputs.compare_with and work.populations is not None and self.is_stale(work):
                if not self.attempt(work, self._input_key(inputs), run):
                    self.content = Content()
                work.send()

        return [Step(Urgency.REFINEMENT, attempt)]

    def under(self, inputs: Inputs) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]] | None:
        """Return the other side, to lie under the other views."""
        of, columns = self._under
        if not self.content.meta or not inputs.compare_with or of is None:
            return None
        # The other views compare this state with their own inputs.
        described = {"note": self.content.meta["second"], "state": of.plain(), "of": "model"}
        return described, columns

    def _input_key(self, inputs: Inputs) -> Key:
        return (
            inputs.compare_with,
            inputs.feature,
            inputs.measure,
            inputs.indicator,
            inputs.stress_feature,
            inputs.center,
            inputs.derivative,
            inputs.n_repeats,
            inputs.interval,
            inputs.importance_of,
            inputs.replacement,
            inputs.groups,
        )

    def _contents(
        self, inputs: Inputs, populations: Populations, report: Report
    ) -> Iterator[Content]:
        """Yield the content with one more difference at a time."""
        meta: dict[str, Any] = {"scores": [], "curve": None, "stress": None, "importance": []}
        columns: dict[str, npt.NDArray[Any]] = {}
        under: dict[str, npt.NDArray[Any]] = {}
        importances: list[Difference] = []
        units = self.explainer.units if inputs.groups else self.explainer.features
        n_measures = len(self._measures(inputs))
        for part in self._parts(inputs, populations.now, report):
            difference = part()
            if isinstance(difference.first, Importance):
                importances.append(difference)
                shown = of_importances(importances, units, n_measures)
            else:
                shown = of_difference(difference, populations.category)
            first, second = difference.names
            meta |= {"first": first, "second": second, "level": LEVEL, **shown.meta}
            columns |= shown.columns
            under |= shown.under
            yield Content(dict(meta), dict(columns))
        # Only now, for before the legends would say that the model has no such curve.
        self._under = inputs, under

    def _measures(self, inputs: Inputs) -> Sequence[str]:
        return inputs.importance_of or [m.name for m in importance_measures(self.explainer)]

    def _comparing(self, inputs: Inputs) -> ModelComparison:
        """Return the comparison with the other model, whose explainer is made at first."""
        _, _, name = inputs.compare_with.partition(":")
        if self._comparison is None or self._comparison[0] != name:
            try:
                other = self.explainer.others[name]
                compared = self.explainer.compare(other, names=(self.explainer.name, name))
            except SupersededError:
                raise
            except Exception as error:
                raise _named(name, error) from error
            self._comparison = name, compared
        return self._comparison[1]

    def _parts(
        self, inputs: Inputs, population: Population, report: Report
    ) -> Iterator[Callable[[], Difference]]:
        name = inputs.compare_with.partition(":")[2]
        report(f"{name}: first answers", 0, 0)
        comparison = self._comparing(inputs)
        options = options_of(population)

        def callback(what: str) -> dict[str, Any]:
            return {
                "callback": lambda p: report(f"{name}: {what}", p.rows_done, p.rows_total),
            }

        report(f"{name}: scores", 0, 0)
        if self.explainer.table.has_target:
            yield partial(comparison.scores, level=LEVEL, **options)
        feature = inputs.feature
        if feature in comparison.features:
            is_number = self.explainer.table.kind(feature) == "numeric"
            yield partial(
                comparison.dependence,
                feature,
                inputs.measure,
                grid=GRID,
                level=LEVEL,
                lines=1,
                center=inputs.center and not inputs.derivative,
                derivative=inputs.derivative and is_number,
                **options,
                **callback(f"curve of {feature}"),
            )
        stressed = inputs.stress_feature
        if stressed in comparison.features and inputs.indicator in comparison.second.indicators:
            report(f"{name}: stress", 0, 0)
            yield partial(
                comparison.stress,
                [stressed],
                [inputs.indicator],
                taus=LEVELS,
                tail=inputs.tail,
                anchor=inputs.anchor,
                missing="keep",
                level=LEVEL,
                rows=population.rows,
            )
        units = comparison._units(None) if inputs.groups else list(comparison.features)
        for measure in self._measures(inputs):
            yield partial(
                comparison.importance,
                measure,
                units,
                replacement=inputs.replacement,
                n_repeats=inputs.n_repeats,
                interval=inputs.interval,
                level=LEVEL,
                **options,
                **callback("importance"),
            )


def _name(difference: Difference) -> str:
    """Return the measure of an importance, and otherwise the name of the analysis."""
    of = difference.first
    return of.measure if isinstance(of, Importance) else type(of).__name__.lower()


def options_of(population: Population) -> dict[str, Any]:
    """Return the arguments that stand for a population."""
    weights = population.weights if population.weighted else None
    return {"sample_weight": weights, "rows": population.rows}


def _named(name: str, error: Exception) -> ValueError:
    """Return an error whose sentence names the model that failed."""
    why = str(error) if isinstance(error, ValueError) else in_one_line(error)
    return ValueError(f"{name}: {why}")
