"""Curves of a sample of the rows, while the model has not evaluated all of them."""

from __future__ import annotations

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.dependence import CurveTransform, Grid
from uqwidgets.dependence.slopes import slopes
from uqwidgets.evaluation.evaluations import Evaluations
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.evaluation.replacement import Part
from uqwidgets.inference.rounding import difference
from uqwidgets.measures import Measure


class SampledCurves:
    """A measure of the sampled rows at every value of one feature's grid.

    The values of the latest feature and measure are stored, so that a larger sample needs only
    what its new rows answer, even where the cache has evicted the answers of the former ones.

    Parameters
    ----------
    evaluations : Evaluations
    """

    def __init__(self, evaluations: Evaluations) -> None:
        self._evaluations = evaluations
        # By feature and number of values.
        self._n_parts: dict[tuple[str, int], int] = {}
        self._latest: tuple[tuple[str, int, str], list[Floats]] | None = None

    def n_rows(self, grid: Grid) -> int:
        """How many rows were evaluated of a grid."""
        parts = self._n_parts.get((grid.feature, len(grid)), 0)
        return self._evaluations.row_order.sizes[parts - 1] if parts else 0

    def extend(self, grid: Grid, n_rows: int, callback: ProgressCallback) -> None:
        """Evaluate the grid on so many rows, one of the sizes of `Evaluations.row_order`."""
        n_parts = self._evaluations.row_order.n_parts(n_rows)
        key = grid.feature, len(grid)
        known = self._n_parts.get(key, 0)
        parts = [Part(r, k) for k in range(known, n_parts) for r in grid.replacements]
        # No more than the cache holds; the rest is evaluated when it is read.
        if self._evaluations.max_in_memory(len(grid)) == len(grid):
            self._evaluations.ask(parts, callback)
        self._n_parts[key] = max(known, n_parts)

    def curves(
        self,
        grid: Grid,
        measure: Measure,
        form: CurveTransform,
        callback: ProgressCallback | None = None,
    ) -> Floats:
        """Return the curves of the rows that are known, shape (g, m).

        The rows are in the order of `Evaluations.row_order`; once all are known, in the table's.
        """
        order, key = self._evaluations.row_order, (grid.feature, len(grid), measure.name)
        former = self._latest[1] if self._latest is not None and self._latest[0] == key else []
        n_parts = self._n_parts[grid.feature, len(grid)]
        new = [
            self._evaluations.values(grid.replacements, measure, callback, part)
            for part in range(len(former), n_parts)
        ]
        self._latest = key, [*former, *new]
        values = np.hstack(self._latest[1])
        if n_parts == len(order.sizes):
            values = values.take(order.places, axis=1)
        if form.derivative:
            return np.stack(list(slopes(iter(values), grid.values)))
        return difference(values, values[0]) if form.center else values
