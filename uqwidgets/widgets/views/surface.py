"""The surface view: a measure over the values of two features, and their interaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.dependence import CurveTransform, Grid, surface, surface_grids, surface_replacements
from uqwidgets.dependence.surface_html import surface_html
from uqwidgets.dependence.surface_result import Surface
from uqwidgets.evaluation.replacement import Request
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.inference.population import Population
from uqwidgets.plotting.result import Result
from uqwidgets.plotting.text import value_text
from uqwidgets.widgets.inputs.choices import LEVEL
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.kernel.work import Step, Work
from uqwidgets.widgets.rows.population import Populations
from uqwidgets.widgets.views.view import Availability, Content, View

# Points of each feature, and where all of them take the model longer than so many seconds.
_POINTS, _FEW_POINTS, _SECONDS = 15, 7, 5.0


class SurfaceView(View):
    """A measure over the picked feature and a second one."""

    needs_model = True
    name = "surface"
    help = (
        "What does the model predict if two features have other values? The colours show the "
        "average over the rows, for each pair of values.",
        "The interaction is what remains after the curve of each feature alone: where it is 0, the "
        "two effects add up. Marked pairs are far from the data, so the model extrapolates there.",
    )
    reads = ("feature", "second", "measure")

    def __init__(self, explainer: Explainer) -> None:
        super().__init__(explainer)
        self._grids: dict[tuple[str, str], tuple[Grid, Grid]] = {}

    def another(self) -> Self:
        """Return a view with the same points, whose number depends on when it was first drawn."""
        view = super().another()
        view._grids = self._grids
        return view

    def replacements(self, inputs: Inputs) -> Sequence[Request]:
        """Return what is asked at the points of the surface, and of each feature's curve."""
        if not _is_surface(inputs):
            return ()
        points = surface_replacements(*self._grids_of(inputs))
        ex = self.explainer
        return ex.evaluations.requests(points, ex.measure(inputs.measure))

    def compute(self, inputs: Inputs, populations: Populations) -> Content:
        """Average the surface; without a second feature there is none."""
        if not _is_surface(inputs):
            return Content()
        result = self._surface(inputs, populations.now)
        meta = {
            "features": result.features,
            "measure": result.measure,
            "label": result.label,
            "unit": result.unit,
            "labels": [_labels(grid) for grid in self._grids_of(inputs)],
            "n_rows": len(result.rows),
            "h_squared": result.h_squared,
            "remarks": populations.remarked(result, self.explainer).remarks,
        }
        columns: dict[str, npt.NDArray[Any]] = {
            "first": _places(result.grids[0], result.categorical[0]),
            "second": _places(result.grids[1], result.categorical[1]),
            "average": result.average,
            "low": result.low,
            "high": result.high,
            "interaction": result.interaction,
            "near": result.near.astype(np.uint8),
        }
        return Content(meta, columns)

    def results(
        self, inputs: Inputs, populations: Populations, _check: Callable[[], None]
    ) -> dict[str, Result]:
        """Return the surface, by its measure."""
        if not _is_surface(inputs) or self.has_failed(self._input_key(inputs)):
            return {}
        return {inputs.measure: self._surface(inputs, populations.reached(inputs))}

    def html(self, inputs: Inputs, population: Population, check: Callable[[], None]) -> str:
        """Draw the surface, if it is known."""
        check()
        if not _is_surface(inputs) or not self.is_ready(inputs):
            return ""
        return surface_html(self._surface(inputs, population))

    def show_cached(self, work: Work) -> Availability:
        """Draw the surface if it is known; without a second feature there is nothing to draw."""
        if _is_surface(work.inputs):
            return super().show_cached(work)
        self.content = Content()
        return Availability(is_shown=False, is_complete=True)

    def steps(self, work: Work) -> Iterable[Step]:
        """Evaluate the surface, if there are two features."""
        return super().steps(work) if _is_surface(work.inputs) else ()

    def is_stale(self, work: Work) -> bool:
        """Whether the content belongs to another request; without a surface it never does."""
        return _is_surface(work.inputs) and super().is_stale(work)

    def unfinished(self, inputs: Inputs) -> str | None:
        """Say that the surface is missing."""
        if not _is_surface(inputs) or self.is_ready(inputs):
            return None
        return f"before the surface of {inputs.feature} and {inputs.second}"

    def seconds_ahead(self, inputs: Inputs) -> float:
        """Model time of the surface, in seconds; 0 if it fails: drawing reports the error."""
        try:
            return self.explainer.evaluations.seconds(self.replacements(inputs))
        except ValueError:
            return 0.0

    def _grids_of(self, inputs: Inputs) -> tuple[Grid, Grid]:
        names = inputs.feature, inputs.second
        if names not in self._grids:
            rows = len(self.explainer.table) * _POINTS**2
            is_long = self.explainer.evaluations.seconds_for(rows) > _SECONDS
            self._grids[names] = surface_grids(
                self.explainer.table,
                names,
                _FEW_POINTS if is_long else _POINTS,
                "quantile",
                CurveTransform(),
            )
        return self._grids[names]

    def _surface(self, inputs: Inputs, population: Population) -> Surface:
        return surface(
            self.explainer.evaluations,
            self.explainer.measure(inputs.measure),
            self._grids_of(inputs),
            population,
            level=LEVEL,
        )


def _is_surface(inputs: Inputs) -> bool:
    return bool(inputs.feature and inputs.second) and inputs.feature != inputs.second


def _labels(grid: Grid) -> list[str] | None:
    return [value_text(value) for value in grid.values] if grid.categorical else None


def _places(values: npt.NDArray[Any], categorical: bool) -> Floats:
    """Return the numbers of a grid; the positions of its values if these are categories."""
    numbers = np.arange(len(values)) if categorical else values
    return np.asarray(numbers, dtype=np.float64)
