"""The curves of the picked feature: of all rows or a sample, at all values or a few."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.dependence import CurveTransform, Grid, curves_of_rows, dependence, grid_of
from uqwidgets.dependence.result import Dependence
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.evaluation.replacement import Constant
from uqwidgets.evaluation.samples import sample_sizes
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.inference.population import Population
from uqwidgets.widgets.inputs import Inputs
from uqwidgets.widgets.model_info import LEVEL
from uqwidgets.widgets.sampled_curves import SampledCurves

# Every sixth of the values is a coarse grid of 9, for a first look.
GRID, COARSE = 49, 6

#: Feature, measure, transform, whether of coarse values, and rows of the sample or None.
CurveKey = tuple[str, str, CurveTransform, bool, int | None]


class FeatureCurves:
    """The curves of the picked feature.

    The latest curves are stored beside the cache of `Evaluations`: if it has evicted them, a change
    of weights needs no model call.

    Parameters
    ----------
    explainer : Explainer

    Notes
    -----
    In all methods, ``coarse`` means a few values of the grid, for a first look, and ``n_rows`` a
    sample of so many rows, in place of all.
    """

    def __init__(self, explainer: Explainer) -> None:
        self._explainer = explainer
        self._grids: dict[str, Grid] = {}
        self._latest: tuple[CurveKey, Floats] | None = None
        self._sampled = SampledCurves(explainer.evaluations)
        # A fixed order, so that a filter thins the lines and does not exchange them.
        order = np.random.default_rng(explainer.seed).permutation(len(explainer.table))
        self._rank = np.argsort(order)

    def grid(self, feature: str, *, coarse: bool = False) -> Grid:
        """Return the values at which the feature's curve is drawn."""
        if feature not in self._grids:
            self._grids[feature] = grid_of(self._explainer.table, feature, GRID)
        grid = self._grids[feature]
        thin = coarse and not grid.categorical and len(grid) == GRID
        return grid.thinned(COARSE) if thin else grid

    def transform(self, inputs: Inputs) -> CurveTransform:
        """Return how the curves are shown; categories and single values have no slope."""
        grid = self.grid(inputs.feature)
        if inputs.derivative and not grid.categorical and len(grid) > 1:
            return CurveTransform(derivative=True)
        return CurveTransform(center=inputs.center)

    def replacements(self, inputs: Inputs, *, coarse: bool = False) -> list[Constant]:
        """Return the values of the picked feature's grid; none if no feature is picked."""
        return self.grid(inputs.feature, coarse=coarse).replacements if inputs.feature else []

    def key(self, inputs: Inputs, coarse: bool, n_rows: int | None = None) -> CurveKey:
        """Return what identifies the curves of all rows."""
        return (inputs.feature, inputs.measure, self.transform(inputs), coarse, n_rows)

    def n_missing(self, inputs: Inputs) -> int:
        """Return for how many values of the grid the model has to be called."""
        is_cached = self._explainer.evaluations.is_cached
        return sum(not is_cached(q) for q in self.replacements(inputs))

    def is_known(self, inputs: Inputs, *, coarse: bool = False) -> bool:
        """Whether the curves need no model call."""
        if self._latest is not None and self._latest[0] == self.key(inputs, coarse):
            return True
        is_cached = self._explainer.evaluations.is_cached
        return all(is_cached(q) for q in self.replacements(inputs, coarse=coarse))

    def evaluate(
        self,
        inputs: Inputs,
        *,
        coarse: bool = False,
        n_rows: int | None = None,
        callback: ProgressCallback | None = None,
    ) -> None:
        """Make these curves the latest ones; the model is called for values that are not known."""
        evaluations, grid = self._explainer.evaluations, self.grid(inputs.feature, coarse=coarse)
        if n_rows is None and not self.is_known(inputs, coarse=coarse):
            # Before the averages, so that other threads can evaluate between two blocks.
            evaluations.prepare(grid.replacements, callback)
        key = self.key(inputs, coarse, n_rows)
        if self._latest is not None and self._latest[0] == key:
            return
        self._latest = None  # otherwise the former curves stay in memory beside the new ones
        measure, transform = self._explainer.measure(inputs.measure), self.transform(inputs)
        # Of all rows, so that a change of weights or of the filter needs no model call.
        if n_rows is None:
            curves = curves_of_rows(evaluations, measure, grid, transform, callback)
        else:
            curves = self._sampled.curves(grid, measure, transform, callback)
        self._latest = (key, curves)

    def dependence(
        self,
        inputs: Inputs,
        population: Population,
        *,
        coarse: bool = False,
        n_rows: int | None = None,
        callback: ProgressCallback | None = None,
    ) -> Dependence:
        """Return the averages of the curves over the rows of a population."""
        evaluations, curves = self._explainer.evaluations, None
        if self._latest is not None and self._latest[0] == self.key(inputs, coarse, n_rows):
            curves = self._latest[1]
        return dependence(
            evaluations,
            self._explainer.measure(inputs.measure),
            self.grid(inputs.feature, coarse=coarse),
            population,
            form=self.transform(inputs),
            level=LEVEL,
            callback=callback,
            curves=curves,
            sample=None if n_rows is None else evaluations.row_order.rows[:n_rows],
        )

    def is_sampled(self, inputs: Inputs) -> bool:
        """Whether the curve of a sample of the rows comes before that of all of them."""
        if inputs.feature not in self._grids or self.is_known(inputs):
            return False
        n_values = len(self.grid(inputs.feature))
        n_sampled = max(self.n_sampled(inputs, coarse=coarse) for coarse in (False, True))
        return bool(n_sampled or sample_sizes(self._explainer.evaluations, n_values))

    def n_sampled(self, inputs: Inputs, *, coarse: bool) -> int:
        """Return how many rows of a sample were evaluated."""
        if inputs.feature not in self._grids:  # there is no curve, or none was requested yet
            return 0
        return self._sampled.n_rows(self.grid(inputs.feature, coarse=coarse))

    def extend_sample(
        self, inputs: Inputs, n_rows: int, callback: ProgressCallback, *, coarse: bool
    ) -> None:
        """Evaluate the curves of a larger sample."""
        self._sampled.extend(self.grid(inputs.feature, coarse=coarse), n_rows, callback)

    def complete_sample(
        self, inputs: Inputs, callback: ProgressCallback | None, *, coarse: bool
    ) -> None:
        """Make the curves of a sample that holds all rows those of all rows."""
        grid, measure = self.grid(inputs.feature), self._explainer.measure(inputs.measure)
        curves = self._sampled.curves(grid, measure, self.transform(inputs), callback)
        self._latest = self.key(inputs, coarse), curves

    def lines(self, population: Population, most: int, n_rows: int | None) -> npt.NDArray[np.intp]:
        """Return the scored rows whose lines are drawn: those of the smallest sample first."""
        order = self._explainer.evaluations.row_order
        chosen = [np.empty(0, dtype=np.intp)]
        n_parts = order.n_parts(n_rows) if n_rows is not None else len(order.sizes)
        for number in range(n_parts):
            part = order.part(number)
            if population.rows is not None:
                part = part[population.scored[part] > 0]
            chosen.append(part[np.argsort(self._rank[part])])
            if sum(map(len, chosen)) >= most:
                break
        return np.sort(np.concatenate(chosen)[:most])
