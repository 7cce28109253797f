"""The curves of the picked feature: of all rows or a sample, at all values or a few."""

from __future__ import annotations

from math import ceil, floor
from typing import NamedTuple

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets._utils.remarks import Remark
from uqwidgets.dependence import CurveTransform, Grid, curves_of_rows, dependence
from uqwidgets.dependence.result import Dependence
from uqwidgets.evaluation.cache import bytes_text
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.evaluation.replacement import Constant, Request
from uqwidgets.evaluation.samples import sample_sizes
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.inference import Family
from uqwidgets.inference.population import Population
from uqwidgets.inference.rounding import difference
from uqwidgets.widgets.inputs.choices import LEVEL
from uqwidgets.widgets.inputs.curve_form import N_VALUES, curve_form, curve_grid
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.rows.drawn import DrawnRows
from uqwidgets.widgets.views.dependence.sampled_curves import SampledCurves

# Every sixth of the values is a coarse grid of 9, for a first look.
COARSE = 6
# Every so many of the values are a grid of 49, 25, 17, 13 or 9 with the same ends.
_STEPS = (1, 2, 3, 4, COARSE)
# Share of `memory_limit` that curves take; while they are computed there may be three times as
# much. The cache and the changes of importance take two fifths each.
_SHARE = 1 / 5

#: Feature, spacing, measure, transform, whether of coarse values, and rows of the sample or None.
CurveKey = tuple[str, str, str, CurveTransform, bool, int | None]


class _Grids(NamedTuple):
    """The finest grid, the largest whose curves fit in memory, and that of a first look."""

    finest: Grid
    largest: Grid
    coarse: Grid


class FeatureCurves:
    """The curves of the picked feature.

    The latest curves are stored beside the cache of `Evaluations`: if it has evicted them, a change
    of weights needs no model call. The grid is the finest whose curves fit in the memory limit;
    where not even those of the coarsest do, they are of a sample of the rows.

    Parameters
    ----------
    explainer : Explainer

    Attributes
    ----------
    drawn : DrawnRows

    Notes
    -----
    In all methods, ``coarse`` means a few values of the grid, for a first look, and ``n_rows`` a
    sample of so many rows, in place of all.
    """

    def __init__(self, explainer: Explainer) -> None:
        self._explainer = explainer
        self.evaluations = explainer.evaluations
        # By feature and spacing.
        self._grids: dict[tuple[str, str], _Grids] = {}
        self._latest: tuple[CurveKey, Floats] | None = None
        self._sampled = SampledCurves(explainer.evaluations)
        self.drawn = DrawnRows(explainer)

    def grid(self, inputs: Inputs, *, coarse: bool = False) -> Grid:
        """Return the values at which the picked feature's curve is drawn."""
        grids = self._all_grids(inputs)
        return grids.coarse if coarse else grids.largest

    def _all_grids(self, inputs: Inputs) -> _Grids:
        key = _grid_key(inputs)
        if key not in self._grids:
            finest = curve_grid(self._explainer.table, inputs)
            steps = _STEPS if len(finest) == N_VALUES and not finest.categorical else _STEPS[:1]
            grids = [finest.thinned(step) if step > 1 else finest for step in steps]
            largest = next((g for g in grids if self._fits(len(g))), grids[-1])
            self._grids[key] = _Grids(finest, largest, grids[-1])
        return self._grids[key]

    def most_rows(self, inputs: Inputs) -> int | None:
        """Return how many rows have curves that fit in the memory limit; None if all rows do."""
        n_values = len(self.grid(inputs))
        if self._fits(n_values):
            return None
        return self._explainer.evaluations.row_order.largest(self._room // n_values)

    def notes_on_memory(self, inputs: Inputs) -> list[Remark]:
        """Say which curves fit in the memory limit, if not all do."""
        n, n_values = len(self._explainer.table), len(self.grid(inputs))
        finest, n_rows = self._all_grids(inputs).finest, self.most_rows(inputs)
        if len(finest) == n_values and n_rows is None:
            return []
        limits = []
        if n_values < len(finest):
            limits.append(f"has {n_values} of {len(finest)} values")
        if n_rows is not None:
            limits.append(f"is of {n_rows:,} of {n:,} rows")
        limit = bytes_text(self._explainer.evaluations.memory_limit, floor)
        required = bytes_text(8 * n * len(finest) / _SHARE, ceil)
        return [
            Remark(
                "memory-limit",
                f"the curve of {inputs.feature} {' and '.join(limits)}, because more would exceed "
                f"memory_limit={limit!r}; memory_limit={required!r} holds all",
            )
        ]

    @property
    def _room(self) -> int:
        """How many values the curves may have."""
        return int(self._explainer.evaluations.memory_limit * _SHARE) // 8

    def _fits(self, n_values: int) -> bool:
        return n_values * len(self._explainer.table) <= self._room

    def transform(self, inputs: Inputs) -> CurveTransform:
        """Return the form of the curves."""
        return curve_form(self._explainer.table, self.grid(inputs), inputs)

    def replacements(self, inputs: Inputs, *, coarse: bool = False) -> list[Request]:
        """Return what is asked at the grid of the picked feature; nothing if none is picked."""
        if not inputs.feature:
            return []
        points: list[Request] = [*self.grid(inputs, coarse=coarse).replacements]
        if not self.evaluations.answers_differ:  # whatever the measure, which may not be set yet
            return points
        return self.evaluations.requests(points, self._explainer.measure(inputs.measure))

    def key(self, inputs: Inputs, coarse: bool, n_rows: int | None = None) -> CurveKey:
        """Return what identifies the curves of all rows."""
        feature, spacing = _grid_key(inputs)
        return (feature, spacing, inputs.measure, self.transform(inputs), coarse, n_rows)

    def rows_ahead(self, inputs: Inputs) -> int:
        """Return how many rows the model has to evaluate."""
        evaluations, n = self._explainer.evaluations, len(self._explainer.table)
        if self.is_known(inputs):
            return 0
        sampled, n_values = self.n_sampled(inputs, coarse=False), len(self.grid(inputs))
        if sampled or self.most_rows(inputs) is not None:
            return n_values * ((self.most_rows(inputs) or n) - sampled)
        coarse = self.grid(inputs, coarse=True)
        of_coarse = len(coarse) * self.n_sampled(inputs, coarse=True)
        missing = sum(not evaluations.is_cached(q) for q in self.replacements(inputs))
        return max(0, n * missing - of_coarse)

    def is_known(self, inputs: Inputs, *, coarse: bool = False) -> bool:
        """Whether the curves need no model call."""
        n_rows = self.most_rows(inputs) if inputs.feature else None
        if self._latest is not None and self._latest[0] == self.key(inputs, coarse, n_rows):
            return True
        if n_rows is not None:
            grid = self.grid(inputs, coarse=coarse)
            return self._sampled.is_known(grid, self._explainer.measure(inputs.measure), n_rows)
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
        is_whole = n_rows in (None, len(self._explainer.table))
        key = self.key(inputs, coarse, None if is_whole else n_rows)
        if self._latest is None or self._latest[0] != key:
            self._latest = None  # otherwise the former curves stay in memory beside the new ones
            self._latest = key, self._computed(inputs, coarse, n_rows, callback)

    def _computed(
        self,
        inputs: Inputs,
        coarse: bool,
        n_rows: int | None,
        callback: ProgressCallback | None,
    ) -> Floats:
        grid, evaluations = self.grid(inputs, coarse=coarse), self._explainer.evaluations
        measure, transform = self._explainer.measure(inputs.measure), self.transform(inputs)
        # They are of all rows, so that a change of weights or of the filter needs no model call.
        if n_rows is None:
            if not self.is_known(inputs, coarse=coarse):
                # Evaluated before, so that other threads can evaluate between two blocks.
                self.evaluations.prepare(self.replacements(inputs, coarse=coarse), callback)
            return curves_of_rows(evaluations, measure, grid, transform, callback)
        return self._sampled.curves(grid, measure, transform, n_rows, callback)

    @property
    def latest(self) -> Floats:
        """The latest curves, shape (g, n) or (g, rows of the sample)."""
        assert self._latest is not None, "evaluate() makes them"
        return self._latest[1]

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
        n_rows = n_rows or self.most_rows(inputs)
        latest = self._latest  # another thread may replace it
        if latest is not None and latest[0] == self.key(inputs, coarse, n_rows):
            curves = latest[1]
        elif n_rows is not None:
            curves = self._computed(inputs, coarse, n_rows, callback)
        return dependence(
            evaluations,
            self._explainer.measure(inputs.measure),
            self.grid(inputs, coarse=coarse),
            population,
            form=self.transform(inputs),
            level=LEVEL,
            callback=callback,
            curves=curves,
            family=Family(self._explainer.seed) if inputs.simultaneous else None,
            sample=None if n_rows is None else evaluations.row_order.rows[:n_rows],
        )

    def own_values(
        self, inputs: Inputs, n_rows: int | None, callback: ProgressCallback | None
    ) -> Floats:
        """Return the value of each row's curve at the row's own value of the feature, shape (n,).

        NaN for centred curves while they are of a sample, whose rows alone know the center.
        """
        evaluations, measure = self._explainer.evaluations, self._explainer.measure(inputs.measure)
        original = evaluations.original_values(measure)
        form, grid = self.transform(inputs), self.grid(inputs)
        if form.relative:
            return np.zeros_like(original)
        if form.center is False:
            return original
        if n_rows is not None:
            return np.full_like(original, np.nan)
        first = grid.replacements[0]
        center = first if form.center is True else Constant(first.columns, (form.center,))
        return difference(original, evaluations.values([center], measure, callback)[0])

    def is_sampled(self, inputs: Inputs) -> bool:
        """Whether the curve of a sample of the rows is computed before the curve of all rows."""
        if _grid_key(inputs) not in self._grids or self.is_known(inputs):
            return False
        if self.most_rows(inputs) is not None:
            return True
        n_values = len(self.grid(inputs))
        n_sampled = max(self.n_sampled(inputs, coarse=coarse) for coarse in (False, True))
        return bool(n_sampled or sample_sizes(self._explainer.evaluations, n_values))

    def n_sampled(self, inputs: Inputs, *, coarse: bool) -> int:
        """Return how many rows of a sample were evaluated."""
        if _grid_key(inputs) not in self._grids:  # there is no curve, or none was requested yet
            return 0
        measure = self._explainer.measure(inputs.measure)
        return self._sampled.n_rows(self.grid(inputs, coarse=coarse), measure)


def _grid_key(inputs: Inputs) -> tuple[str, str]:
    return inputs.feature, inputs.spacing
