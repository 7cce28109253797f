"""The dependence panel: PD, ICE and the distribution of the picked feature."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets.dependence import CurveTransform, Grid, dependence, grid_of
from uqwidgets.dependence.grids import dates_of
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.evaluation.replacement import Constant
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.inference.population import Population
from uqwidgets.plotting.text import value_text
from uqwidgets.predictive.distributions import class_codes
from uqwidgets.widgets.about import LEVEL
from uqwidgets.widgets.inputs import Inputs
from uqwidgets.widgets.panel import Content, Panel, Populations

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


class DependencePanel(Panel):
    """Curves of the picked feature."""

    def __init__(self, explainer: Explainer) -> None:
        super().__init__()
        self._explainer = explainer
        self._grids: dict[str, Grid] = {}
        self._bins: dict[str, tuple[npt.NDArray[np.intp], Floats | None, int]] = {}
        # Of the newest curve: where the cache has no room for it, weights would ask for it anew.
        self._kept: tuple[tuple[Any, ...], Floats] | None = None
        self._unstressed: dict[tuple[Any, ...], tuple[Floats, Floats]] = {}
        n = len(explainer.table)
        # A fixed order, so that a filter thins the lines and does not exchange them.
        self._order = np.random.default_rng(explainer.seed).permutation(n)
        self._n_classes = 1
        self._classes = np.zeros(n, dtype=np.intp)
        if explainer.classes is not None:
            self._n_classes = len(explainer.classes)
            self._classes = class_codes(explainer.table.y, explainer.classes)

    def grid(self, feature: str, *, coarse: bool = False) -> Grid:
        """Values at which the feature's curve is drawn."""
        if feature not in self._grids:
            self._grids[feature] = grid_of(self._explainer.table, feature, GRID)
        grid = self._grids[feature]
        thin = coarse and not grid.categorical and len(grid) == GRID
        return grid.thinned(COARSE) if thin else grid

    def questions(self, feature: str, *, coarse: bool = False) -> list[Constant]:
        """Return what has to be asked for the feature's curve."""
        return self.grid(feature, coarse=coarse).replacements

    def known(self, feature: str, *, coarse: bool = False) -> bool:
        """Whether the model answered all of it."""
        known = self._explainer.evaluations.is_cached
        return all(known(q) for q in self.questions(feature, coarse=coarse))

    def wanted(self, inputs: Inputs, populations: Populations, *, coarse: bool) -> tuple[Any, ...]:
        """Return what the content depends on."""
        form = inputs.center, inputs.derivative
        return (inputs.feature, inputs.measure, form, inputs.ice_lines, populations.key, coarse)

    def form(self, inputs: Inputs) -> CurveTransform:
        """How the curves are shown: a slope is the same centred or not; categories have none."""
        grid = self.grid(inputs.feature)
        if inputs.derivative and not grid.categorical and len(grid) > 1:
            return CurveTransform(derivative=True)
        return CurveTransform(center=inputs.center)

    def ready(self, inputs: Inputs, *, coarse: bool = False) -> bool:
        """Whether `compute` asks the model nothing."""
        kept = self._kept is not None and self._kept[0] == self._curve_key(inputs, coarse)
        return kept or self.known(inputs.feature, coarse=coarse)

    def _curve_key(self, inputs: Inputs, coarse: bool) -> tuple[Any, ...]:
        return (inputs.feature, inputs.measure, self.form(inputs), coarse)

    def compute(
        self,
        inputs: Inputs,
        populations: Populations,
        *,
        coarse: bool,
        callback: ProgressCallback | None = None,
    ) -> None:
        """Average what the model answers; what it answered before is not asked again.

        Parameters
        ----------
        inputs : Inputs
        populations : Populations
        coarse : bool
            Whether a few of the values do, for a first look.
        callback : callable, optional
            See `Evaluations.ask`.
        """
        ex, feature, form = self._explainer, inputs.feature, self.form(inputs)
        if not self.ready(inputs, coarse=coarse):
            # Outside of what is remembered, so that others can ask between two blocks.
            ex.evaluations.prepare(self.questions(feature, coarse=coarse), callback)
        grid, curve_key = self.grid(feature, coarse=coarse), self._curve_key(inputs, coarse)

        def curve(population: Population) -> Any:
            return dependence(
                ex.evaluations,
                ex.measure(inputs.measure),
                grid,
                population,
                form=form,
                level=LEVEL,
                callback=callback,
                curves=self._kept[1] if self._kept and self._kept[0] == curve_key else None,
            )

        now = curve(populations.now)
        self._kept = (curve_key, now.curves)
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
            "dependence.grid": np.arange(len(grid)) if now.categorical else now.grid,
            "dependence.average": now.average,
            "dependence.low": now.low,
            "dependence.high": now.high,
            "dependence.base": base,
            "dependence.near": now.near.astype(np.uint8),
            "dependence.ice": now.curves[:, rows].T.astype(np.float32),
            "dependence.ice_weight": populations.now.weights[rows].astype(np.float32),
            "dependence.ice_class": self._classes[rows].astype(np.int32),
            "dependence.ice_row": rows.astype(np.int32),
            "dependence.counts": counts,
            "dependence.counts_base": base_counts,
        }
        if edges is not None:
            columns["dependence.edges"] = edges
        self.content = Content(self.wanted(inputs, populations, coarse=coarse), meta, columns)

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
        table = self._explainer.table
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
