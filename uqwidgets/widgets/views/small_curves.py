"""Small curves of the leading features, side by side on one axis."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import ceil, floor
from typing import Any, ClassVar, NamedTuple

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets._utils.remarks import Remark
from uqwidgets.dependence import CurveTransform, Grid, curves_of_rows, dependence, grid_of
from uqwidgets.dependence.curve_grid_result import CurveGrid
from uqwidgets.dependence.grids import why_no_curve
from uqwidgets.dependence.result import Dependence
from uqwidgets.evaluation.cache import bytes_text
from uqwidgets.evaluation.progress import Progress
from uqwidgets.evaluation.replacement import checked_scheme
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.importance import Settings
from uqwidgets.inference.population import Population
from uqwidgets.inference.populations import mean_intervals_in
from uqwidgets.metrics import is_metric
from uqwidgets.plotting.result import Result
from uqwidgets.plotting.text import counted, value_text
from uqwidgets.widgets.inputs.choices import LEVEL, importance_measures
from uqwidgets.widgets.inputs.curve_form import curve_grid
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.kernel.work import Step, Urgency, Work
from uqwidgets.widgets.over_tau.levels import Level, Samples
from uqwidgets.widgets.over_tau.tracks import Track
from uqwidgets.widgets.rows.places import grid_places
from uqwidgets.widgets.rows.population import Populations
from uqwidgets.widgets.views.view import Availability, Content, Key, View

# Values of a curve, first and then; all are among those of the large curve. Of categories, these
# are the most frequent ones.
_SIZES = (9, 17)
# Share of `memory_limit` that the curves of all rows take.
_SHARE = 1 / 10


class _Curves(NamedTuple):
    """The curves of all rows along one feature, shape (g, n)."""

    grid: Grid
    values: Floats


class SmallCurvesView(View):
    """The average of a measure along each of the leading features.

    The features lead by their importance in all rows, without stress, so that neither tau nor a
    filter causes model calls for further curves; where it is not known, they are the first of the
    table.
    """

    needs_model = True
    name = "small_curves"
    help = (
        "How does the model's answer change along each of the leading features? Each small chart "
        "is one feature, and all have the same vertical axis, so a flat line is a feature that "
        "moves the average little. The band is the 95 % interval of the average.",
        "The averages have few values, because each of them asks the model about all rows. A click "
        "picks the feature, whose curve is then drawn large.",
    )
    tips: ClassVar = {
        "uq-small-curves": "How many of the leading features have a curve here; it calls the model",
        "uq-small-curve": "Pick this feature, and draw its curve large",
    }
    reads = (
        "small_curves",
        "measure",
        "spacing",
        "importance_of",
        "replacement",
        "n_repeats",
    )

    def __init__(self, explainer: Explainer) -> None:
        super().__init__(explainer)
        # The latest ones: a change of weights needs no model call, whatever the cache evicts.
        self._curves: dict[tuple[str, str, str], _Curves] = {}
        self._leading: tuple[Key, tuple[str, ...]] | None = None

    def compute(self, inputs: Inputs, populations: Populations) -> Content:
        """Average the curves that are known."""
        if not inputs.small_curves:
            return Content()
        known, averages = self._known(inputs), self._averages(inputs, populations.now).values()
        ex = self.explainer
        table, measure = ex.table, ex.measure(inputs.measure)
        meta = {
            "features": [*known],
            "sizes": [len(curves.grid) for curves in known.values()],
            "categories": [
                [value_text(value) for value in curves.grid.values]
                if curves.grid.categorical and not table.holds_dates(curves.grid.feature)
                else None
                for curves in known.values()
            ],
            "times": [table.holds_dates(curves.grid.feature) for curves in known.values()],
            "coming": [name for name in self._features(inputs) if name not in known],
            "by_importance": self._leading is not None,
            "label": measure.label,
            "unit": measure.unit,
            "n_rows": len(populations.now.positions),
            "level": LEVEL,
        }
        columns = {
            "places": [grid_places(table, curves.grid) for curves in known.values()],
            "average": [one.average for one in averages],
            "low": [one.low for one in averages],
            "high": [one.high for one in averages],
        }
        nothing = np.empty(0)
        return Content(meta, {k: np.concatenate([nothing, *v]) for k, v in columns.items()})

    def complete(
        self, inputs: Inputs, populations: Populations, check: Callable[[], None]
    ) -> Content:
        """Evaluate all small curves and average them."""
        if inputs.small_curves:
            for size in _SIZES:
                for name in self._features(inputs):
                    self._evaluate(inputs, name, size, lambda _: check())
        return self.compute(inputs, populations)

    def results(
        self, inputs: Inputs, populations: Populations, check: Callable[[], None]
    ) -> dict[str, Result]:
        """Return the curves by their features."""
        if self.has_failed(self._input_key(inputs)):
            return {}
        return {**self._averages(inputs, populations.reached(inputs), check)}

    def html(self, inputs: Inputs, population: Population, check: Callable[[], None]) -> str:
        """Draw the curves that are known."""
        averages = self._averages(inputs, population, check)
        return CurveGrid([*averages.values()])._repr_html_() if averages else ""

    def over_tau(self, inputs: Inputs) -> Sequence[Track]:
        """Return the track of all curves and bands, once they are known."""
        if not inputs.small_curves or self._missing(inputs):
            return ()
        shown = self._known(inputs)

        def averages(levels: Sequence[Level], check: Callable[[], None]) -> Samples:
            populations = [level.population for level in levels]
            parts = []
            for curves in shown.values():
                check()
                means = mean_intervals_in(curves.values, populations)
                parts.append((means.estimate, *means.at(LEVEL)))
            columns = (np.concatenate(of, axis=1) for of in zip(*parts, strict=True))
            return dict(zip(("average", "low", "high"), columns, strict=True))

        key = (inputs.measure, inputs.spacing, tuple(shown))
        return [Track("curves", key, averages)]

    def show_cached(self, work: Work) -> Availability:
        """Average what is known; it answers no request by itself."""
        inputs, populations = work.inputs, work.populations
        if not inputs.small_curves:
            self._curves, self.content = {}, Content()
            return Availability(is_shown=False, is_complete=True)
        if populations is None or self.has_failed(self._input_key(inputs)):
            return Availability(is_shown=False, is_complete=populations is not None)
        self.attempt(work, self._input_key(inputs), lambda: self._update(work))
        return Availability(is_shown=False, is_complete=not self._missing(inputs))

    def steps(self, work: Work) -> Iterable[Step]:
        """Evaluate curve by curve, when all that is larger on the page is known."""
        if not work.inputs.small_curves:
            return ()
        return [Step(Urgency.DETAILS, lambda: self._attempt(work))]

    def is_stale(self, work: Work) -> bool:
        """Whether the content belongs to another request; without curves it never does."""
        return bool(work.inputs.small_curves) and super().is_stale(work)

    def seconds_ahead(self, inputs: Inputs) -> float:
        """Model time of what is missing, in seconds, where the features are known."""
        if not inputs.small_curves or self._leading is None:
            return 0.0
        n_missing = sum(
            _SIZES[0]
            for name in self._leading[1][: inputs.small_curves]
            if self._curve_key(inputs, name) not in self._curves
        )
        return self.explainer.evaluations.seconds_for(n_missing * len(self.explainer.table))

    def unfinished(self, inputs: Inputs) -> str | None:
        """Say that small curves are missing."""
        coming = self.content.meta.get("coming")
        return "before all small curves" if inputs.small_curves and coming else None

    def notes(self, inputs: Inputs) -> Iterable[Remark]:
        """Say how many curves fit in the memory, if not all do."""
        most = self._most
        if inputs.small_curves <= most or most >= len(self.explainer.features):
            return
        evaluations, n = self.explainer.evaluations, len(self.explainer.table)
        limit = bytes_text(evaluations.memory_limit, floor)
        enough = ceil(8 * n * _SIZES[-1] * inputs.small_curves / _SHARE)
        yield Remark(
            "memory-limit",
            f"{counted(most, 'small curve')} of {inputs.small_curves} can be drawn, because more "
            f"would exceed memory_limit={limit!r}; "
            f"memory_limit={bytes_text(enough, ceil)!r} holds all",
        )

    @property
    def _most(self) -> int:
        """Number of curves that fit in the memory limit."""
        room = int(self.explainer.evaluations.memory_limit * _SHARE)
        return room // (8 * len(self.explainer.table) * _SIZES[-1])

    def _attempt(self, work: Work) -> None:
        inputs, populations = work.inputs, work.populations
        if populations is None:
            return

        def run() -> None:
            names = self._features(inputs)
            keys = {self._curve_key(inputs, name) for name in names}
            self._curves = {key: curves for key, curves in self._curves.items() if key in keys}
            for size in _SIZES:
                for at, name in enumerate(names):
                    if self._is_known(inputs, name, size):
                        continue

                    def callback(_: Progress | None = None, name: str = name, at: int = at) -> None:
                        seconds = work.seconds_ahead() or None
                        work.report(f"small curve of {name}", at, len(names), seconds)

                    callback()
                    self._evaluate(inputs, name, size, callback)
                    self._show(work)

        if self.attempt(work, self._input_key(inputs), run):
            self._show(work)
        work.send()

    def _show(self, work: Work) -> None:
        assert work.populations is not None
        content = self.compute(work.inputs, work.populations)
        key = self._key(work.inputs, work.populations)
        self.content = Content(content.meta, content.columns, key)

    def _evaluate(self, inputs: Inputs, name: str, size: int, callback: Any) -> None:
        """Evaluate a curve at so many of the values of the large one."""
        if self._is_known(inputs, name, size):
            return
        ex, grid = self.explainer, self._grid(inputs, name, size)
        measure = ex.measure(inputs.measure)
        values = curves_of_rows(ex.evaluations, measure, grid, CurveTransform(), callback)
        self._curves[self._curve_key(inputs, name)] = _Curves(grid, values)

    def _grid(self, inputs: Inputs, name: str, size: int) -> Grid:
        table = self.explainer.table
        if table.kind(name) == "categorical" and not table.holds_dates(name):
            return grid_of(table, name, _SIZES[0])
        large = curve_grid(table, replace(inputs, feature=name))
        # Every second one of the larger number of places is one of the smaller number.
        at = np.unique(np.linspace(0, len(large) - 1, size).round().astype(np.intp))
        points = tuple(large.points[i] for i in at)
        return replace(large, values=large.values[at], points=points)

    def _is_known(self, inputs: Inputs, name: str, size: int) -> bool:
        curves = self._curves.get(self._curve_key(inputs, name))
        return curves is not None and len(curves.grid) >= len(self._grid(inputs, name, size))

    def _missing(self, inputs: Inputs) -> list[str]:
        names = self._features(inputs)
        return [name for name in names if not self._is_known(inputs, name, _SIZES[-1])]

    def _known(self, inputs: Inputs) -> dict[str, _Curves]:
        """Return the curves that are known, by their features."""
        keys = {name: self._curve_key(inputs, name) for name in self._features(inputs)}
        return {name: self._curves[key] for name, key in keys.items() if key in self._curves}

    def _averages(
        self, inputs: Inputs, population: Population, check: Callable[[], None] = lambda: None
    ) -> dict[str, Dependence]:
        """Return the averages of the curves that are known, by their features."""
        averages, ex = {}, self.explainer
        for name, (grid, curves) in self._known(inputs).items():
            check()
            of = ex.evaluations, ex.measure(inputs.measure), grid, population
            averages[name] = dependence(*of, form=CurveTransform(), level=LEVEL, curves=curves)
        return averages

    def _features(self, inputs: Inputs) -> Sequence[str]:
        """Return the leading features that have a curve."""
        table = self.explainer.table
        names = self._order(inputs) if inputs.small_curves else ()
        drawn = [name for name in names if why_no_curve(table, name) is None]
        return drawn[: min(inputs.small_curves, self._most)]

    def _order(self, inputs: Inputs) -> Sequence[str]:
        """Return all features, by importance if the model has answered all that it needs."""
        ex, names = self.explainer, inputs.importance_of
        measure = next((one for one in names if not is_metric(one)), None)
        measure = measure or importance_measures(ex)[0].name
        key = (measure, inputs.replacement, inputs.n_repeats)
        if self._leading is not None and self._leading[0] == key:
            return self._leading[1]
        settings = Settings(
            checked_scheme(inputs.replacement), n_repeats=inputs.n_repeats, seed=ex.seed
        )
        evaluations = ex.evaluations
        for column in range(len(ex.features)):
            drawn = settings.draws.replacements(ex.table, (column,))
            requests = evaluations.requests(drawn, ex.measure(measure))
            if not all(map(evaluations.is_cached, requests)):
                return ex.features
        result = ex.importance(
            measure,
            ex.features,
            replacement=inputs.replacement,
            n_repeats=inputs.n_repeats,
        )
        self._leading = key, result.features
        return result.features

    def _curve_key(self, inputs: Inputs, name: str) -> tuple[str, str, str]:
        return name, inputs.spacing, inputs.measure
