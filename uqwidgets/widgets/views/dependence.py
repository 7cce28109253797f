"""The dependence view: PD, ICE and the distribution of the picked feature."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets.dependence import CurveTransform, Grid, curves_of_rows, dependence, grid_of
from uqwidgets.dependence.grids import dates_of
from uqwidgets.dependence.html import dependence_html
from uqwidgets.dependence.result import Dependence
from uqwidgets.evaluation.progress import Progress, ProgressCallback
from uqwidgets.evaluation.replacement import Constant
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.inference.population import Population
from uqwidgets.plotting.result import Result
from uqwidgets.plotting.text import value_text
from uqwidgets.predictive.distributions import class_codes
from uqwidgets.widgets.inputs import Inputs
from uqwidgets.widgets.model_info import LEVEL
from uqwidgets.widgets.population import Populations
from uqwidgets.widgets.views.view import Availability, Content, Key, Step, Urgency, View, Work

# Every sixth of the values is a coarse grid of 9, for a first look.
GRID, COARSE = 49, 6
BINS = 24


def bin_edges(finite: Floats) -> Floats:
    """Edges of bins of equal width; of fewer where so many do not differ in floats.

    Parameters
    ----------
    finite : ndarray of shape (m,)
        Without NaN and infinities.
    """
    if len(finite) and finite.min() < finite.max():
        return np.unique(np.linspace(finite.min(), finite.max(), BINS + 1))
    return np.histogram_bin_edges(finite, bins=BINS)


class DependenceView(View):
    """Curves of the picked feature."""

    name = "dependence"
    reads = ("feature", "measure", "center", "derivative", "ice_lines")

    def __init__(self, explainer: Explainer) -> None:
        super().__init__(explainer)
        self._grids: dict[str, Grid] = {}
        self._bins: dict[str, tuple[npt.NDArray[np.intp], Floats | None, int]] = {}
        # The latest curves: if the cache has evicted them, a change of weights needs no model call.
        self._latest: tuple[Key, Floats] | None = None
        self._unstressed: dict[Key, tuple[Floats, Floats]] = {}
        n = len(explainer.table)
        # A fixed order, so that a filter thins the lines and does not exchange them.
        self._order = np.random.default_rng(explainer.seed).permutation(n)
        self._n_classes = 1
        self._classes = np.zeros(n, dtype=np.intp)
        if explainer.classes is not None and explainer.table.has_target:
            self._n_classes = len(explainer.classes)
            self._classes = class_codes(explainer.table.y, explainer.classes)

    def replacements(self, inputs: Inputs, *, coarse: bool = False) -> list[Constant]:
        """Return the values of the picked feature's grid."""
        return self.grid(inputs.feature, coarse=coarse).replacements if inputs.feature else []

    def grid(self, feature: str, *, coarse: bool = False) -> Grid:
        """Return the values at which the feature's curve is drawn."""
        if feature not in self._grids:
            self._grids[feature] = grid_of(self.explainer.table, feature, GRID)
        grid = self._grids[feature]
        thin = coarse and not grid.categorical and len(grid) == GRID
        return grid.thinned(COARSE) if thin else grid

    def form(self, inputs: Inputs) -> CurveTransform:
        """Return how the curves are shown.

        A slope is the same centred or not; categories and single values have none.
        """
        grid = self.grid(inputs.feature)
        if inputs.derivative and not grid.categorical and len(grid) > 1:
            return CurveTransform(derivative=True)
        return CurveTransform(center=inputs.center)

    def is_ready(self, inputs: Inputs, *, coarse: bool = False) -> bool:
        """Whether `compute` needs no model call."""
        if self._latest is not None and self._latest[0] == self._curve_key(inputs, coarse):
            return True
        known = self.explainer.evaluations.is_cached
        return all(known(q) for q in self.replacements(inputs, coarse=coarse))

    def compute(
        self,
        inputs: Inputs,
        populations: Populations,
        *,
        coarse: bool = False,
        callback: ProgressCallback | None = None,
    ) -> Content:
        """Average the curves; the model is called for values that are not known.

        Parameters
        ----------
        inputs : Inputs
        populations : Populations
        coarse : bool, default=False
            Whether a few of the values do, for a first look.
        callback : callable, optional
            See `Evaluations.ask`.
        """
        ex, feature = self.explainer, inputs.feature
        if not self.is_ready(inputs, coarse=coarse):
            # Before the averages, so that other threads can evaluate between two blocks.
            ex.evaluations.prepare(self.replacements(inputs, coarse=coarse), callback)
        grid, curve_key = self.grid(feature, coarse=coarse), self._curve_key(inputs, coarse)

        if self._latest is None or self._latest[0] != curve_key:
            self._latest = None  # otherwise the former curves stay in memory beside the new ones
            measure, form = ex.measure(inputs.measure), self.form(inputs)
            # Of all rows, so that a change of weights or of the filter needs no model call.
            curves = curves_of_rows(ex.evaluations, measure, grid, form, callback)
            self._latest = (curve_key, curves)

        def curve(population: Population) -> Dependence:
            return self._dependence(inputs, population, coarse=coarse, callback=callback)

        now = curve(populations.now)
        counts = self._counts(feature, populations.now)
        key = (*curve_key, populations.rows_key)
        if populations.now is populations.unstressed:
            self._unstressed = {key: (now.average, counts)}
        elif key not in self._unstressed:
            average = curve(populations.unstressed).average
            self._unstressed = {key: (average, self._counts(feature, populations.unstressed))}
        base, base_counts = self._unstressed[key]
        rows = self._lines(populations.now, inputs.ice_lines)
        edges = self._binned(feature)[1]
        meta = {
            "feature": feature,
            "measure": now.measure,
            "label": now.quantity,
            "unit": now.unit,
            "categorical": now.categorical,
            "center": now.center is not None,
            "derivative": now.derivative,
            "labels": [value_text(v) for v in now.grid] if now.categorical else None,
            "n_rows": len(now.rows),
            "n_lines": len(rows),
            "level": LEVEL,
            "remarks": now.remarks,
        }
        columns = {
            "grid": np.arange(len(grid)) if now.categorical else now.grid,
            "average": now.average,
            "low": now.low,
            "high": now.high,
            "base": base,
            "near": now.near.astype(np.uint8),
            "ice": now.curves[:, rows].T.astype(np.float32),
            "ice_weight": populations.now.weights[rows].astype(np.float32),
            "ice_class": self._classes[rows].astype(np.int32),
            "ice_row": rows.astype(np.int32),
            "counts": counts,
            "counts_base": base_counts,
        }
        if edges is not None:
            columns["edges"] = edges
        return Content(meta, columns, self._content_key(inputs, populations, coarse))

    def results(
        self, inputs: Inputs, populations: Populations, _check: Callable[[], None]
    ) -> dict[str, Result]:
        """Return the curve of the picked feature, by its measure."""
        if not inputs.feature or self.has_failed(self._failure_key(inputs)):
            return {}
        return {inputs.measure: self._dependence(inputs, populations.reached(inputs))}

    def ghost(
        self, pinned: Inputs, populations: Populations, _check: Callable[[], None]
    ) -> dict[str, npt.NDArray[Any]]:
        """Return the curve of a pin, if it is known."""
        if not pinned.feature or not populations.is_reachable or not self.is_ready(pinned):
            return {}
        curve = self._dependence(pinned, populations.now)
        places = np.arange(len(curve.grid)) if curve.categorical else curve.grid
        return {"ghost": curve.average, "ghost_grid": places}

    def html(self, inputs: Inputs, population: Population, check: Callable[[], None]) -> str:
        """Draw the curve, if it is known."""
        check()
        known = self.explainer.evaluations.is_cached
        if not inputs.feature or not all(known(q) for q in self.replacements(inputs)):
            return ""
        return dependence_html(self._dependence(inputs, population))

    def show_cached(self, work: Work) -> Availability:
        """Draw the curve as far as it needs no model call: all of it, or its coarse values."""
        inputs, is_drawn = work.inputs, False
        failure_key = self._failure_key(inputs)
        if not inputs.feature or self.has_failed(failure_key):
            return Availability(is_shown=False, is_complete=False)

        def draw() -> None:
            nonlocal is_drawn
            is_drawn = self.is_ready(inputs)
            if is_drawn or self.is_ready(inputs, coarse=True):
                self._draw(work, coarse=not is_drawn)

        is_drawn = self.attempt(work, failure_key, draw) and is_drawn
        return Availability(is_shown=is_drawn, is_complete=is_drawn)

    def steps(self, work: Work) -> Iterable[Step]:
        """Evaluate the curve of the picked feature."""
        if work.inputs.feature:
            yield Step(Urgency.PICKED, lambda: self._evaluate(work))

    def is_stale(self, work: Work) -> bool:
        """Whether the content is neither the curve nor its coarse values."""
        inputs, populations = work.inputs, work.populations
        return populations is None or self.content.key not in (
            self._content_key(inputs, populations, coarse=False),
            self._content_key(inputs, populations, coarse=True),
        )

    def published(self, work: Work) -> Content:
        """Return the content; none if it is of another feature and its update was stopped."""
        if work.stopped and self._is_of_another_feature(work.inputs):
            return Content()
        return self.content

    def seconds_ahead(self, inputs: Inputs) -> float:
        """Model time of the curve of the feature that will be picked, in seconds."""
        n_values = 0 if inputs.feature else GRID * len(self.explainer.table)
        return self.explainer.evaluations.seconds_for(n_values)

    def unfinished(self, inputs: Inputs) -> str | None:
        """Say that the curve of the picked feature is missing."""
        missing = self._is_of_another_feature(inputs)
        return f"before the curve of {inputs.feature}" if missing else None

    def is_requested(self, key: Key, inputs: Inputs) -> bool:
        """Whether the curve that failed is requested again."""
        return key == self._failure_key(inputs)

    def _dependence(
        self,
        inputs: Inputs,
        population: Population,
        *,
        coarse: bool = False,
        callback: ProgressCallback | None = None,
    ) -> Dependence:
        latest = self._latest
        is_latest = latest is not None and latest[0] == self._curve_key(inputs, coarse)
        return dependence(
            self.explainer.evaluations,
            self.explainer.measure(inputs.measure),
            self.grid(inputs.feature, coarse=coarse),
            population,
            form=self.form(inputs),
            level=LEVEL,
            callback=callback,
            curves=latest[1] if latest is not None and is_latest else None,
        )

    def _is_of_another_feature(self, inputs: Inputs) -> bool:
        drawn = self.content.meta.get("feature")
        return drawn is not None and drawn != inputs.feature

    def _failure_key(self, inputs: Inputs) -> Key:
        return (inputs.feature, inputs.measure)

    def _curve_key(self, inputs: Inputs, coarse: bool) -> Key:
        return (inputs.feature, inputs.measure, self.form(inputs), coarse)

    def _content_key(self, inputs: Inputs, populations: Populations, coarse: bool) -> Key:
        return (*self._input_key(inputs), populations.key, coarse)

    def _evaluate(self, work: Work) -> None:
        inputs, failure_key = work.inputs, self._failure_key(work.inputs)
        if work.populations is None or self.has_failed(failure_key):
            self.attempt(work, failure_key, lambda: None)
            return
        if self.is_ready(inputs):
            return
        evaluations, n_rows = self.explainer.evaluations, len(self.explainer.table)
        total = n_rows * sum(not evaluations.is_cached(q) for q in self.replacements(inputs))
        before = evaluations.rows_evaluated

        def callback(_progress: Progress | None = None) -> None:
            done = min(total, evaluations.rows_evaluated - before)
            if done == total:
                work.report(self._drawing(inputs))
            else:
                seconds = evaluations.seconds_for(total - done) + work.seconds_ahead()
                work.report(f"curve of {inputs.feature}", done, total, seconds)

        def evaluate() -> None:
            callback()
            is_long = evaluations.seconds_for(total) > work.timing.long_work
            if is_long and not self.is_ready(inputs, coarse=True):
                self._draw(work, coarse=True, callback=callback)
                work.send()
            self._draw(work, coarse=False, callback=callback)

        if self.attempt(work, failure_key, evaluate):
            work.send()

    def _drawing(self, inputs: Inputs) -> str:
        return f"computing {self.explainer.measure(inputs.measure).label} along {inputs.feature}"

    def _draw(self, work: Work, *, coarse: bool, callback: ProgressCallback | None = None) -> None:
        inputs, populations, progress = work.inputs, work.populations, work.progress
        if populations is None:
            return
        if self.content.key != self._content_key(inputs, populations, coarse):
            if callback is None:
                work.set_progress(self._drawing(inputs))
            self.content = self.compute(inputs, populations, coarse=coarse, callback=callback)
        work.progress = progress

    def _lines(self, population: Population, most: int) -> npt.NDArray[np.intp]:
        if population.rows is None:
            return np.sort(self._order[:most])
        return np.sort(self._order[population.scored[self._order] > 0][:most])

    def _counts(self, feature: str, population: Population) -> Floats:
        """Share of the scored rows in each class and bin, shape (classes, bins)."""
        cells, _, bins = self._binned(feature)
        shape = (self._n_classes, bins)
        inside = cells >= 0
        share = np.bincount(
            cells[inside], weights=population.scored[inside], minlength=shape[0] * bins
        )
        return np.asarray(share.reshape(shape) / population.scored.sum())

    def _binned(self, feature: str) -> tuple[npt.NDArray[np.intp], Floats | None, int]:
        """Cell (class, bin) of each row, -1 where the value is missing; edges; number of bins."""
        if feature in self._bins:
            return self._bins[feature]
        table = self.explainer.table
        if table.kind(feature) == "categorical":
            grid, column = self.grid(feature).values, table.column(feature)
            dates = dates_of(column)
            if dates is None:
                place = pd.Index(grid).get_indexer(pd.Index(column.astype(object)))
            else:
                place = dates.nearest(grid)
            edges, bins = None, len(grid)
        else:
            numbers = table.numbers(feature)
            finite = numbers[np.isfinite(numbers)]
            edges = bin_edges(finite)
            bins = len(edges) - 1
            place = np.searchsorted(edges, numbers, side="right") - 1
            place[numbers == edges[-1]] = bins - 1
            place[~np.isfinite(numbers)] = -1
        cells = np.where(place < 0, -1, self._classes * bins + place)
        self._bins[feature] = (cells, edges, bins)
        return self._bins[feature]
