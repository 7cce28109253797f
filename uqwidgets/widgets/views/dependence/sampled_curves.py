"""Curves of a sample of the rows, while the model has not evaluated all of them."""

from __future__ import annotations

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.dependence import CurveTransform, Grid
from uqwidgets.dependence.slopes import slopes
from uqwidgets.evaluation.evaluations import Evaluations
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.evaluation.replacement import Constant, PartOfRows
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
        # Numbers of evaluated parts, by feature, spacing, number of values and whether of answers.
        self._n_parts: dict[tuple[str, str, int, bool], int] = {}
        self._latest: tuple[tuple[str, str, int, bool, str], list[Floats]] | None = None

    def n_rows(self, grid: Grid, measure: Measure) -> int:
        """How many rows were evaluated of a grid."""
        parts = self._n_parts.get(self._key_of(grid, measure), 0)
        return self._evaluations.row_order.sizes[parts - 1] if parts else 0

    def is_known(self, grid: Grid, measure: Measure, n_rows: int) -> bool:
        """Whether the curves of so many rows need no model call."""
        evaluations, numbers = self._evaluations, range(self._parts_of(n_rows))
        key = *self._key_of(grid, measure), measure.name
        if self._latest is not None and self._latest[0] == key:
            numbers = numbers[len(self._latest[1]) :]
        parts = [PartOfRows(r, k) for k in numbers for r in grid.replacements]
        return all(map(evaluations.is_cached, evaluations.requests(parts, measure)))

    def curves(
        self,
        grid: Grid,
        measure: Measure,
        form: CurveTransform,
        n_rows: int,
        callback: ProgressCallback | None = None,
    ) -> Floats:
        """Return the curves of so many rows, shape (g, n_rows).

        The model is called for values that are not cached. The rows are in the order of
        `Evaluations.row_order`; if these are all, in the table's.
        """
        key_of_grid, evaluations = self._key_of(grid, measure), self._evaluations
        order, key = evaluations.row_order, (*key_of_grid, measure.name)
        former = self._latest[1] if self._latest is not None and self._latest[0] == key else []
        n_parts = self._parts_of(n_rows)
        numbers = range(len(former), n_parts)
        # No more than the cache holds; the rest is evaluated when it is read.
        size = -(-len(grid) * n_rows // len(evaluations.table))
        if evaluations.max_in_memory(size) == size:
            parts = [PartOfRows(r, number) for number in numbers for r in grid.replacements]
            evaluations.evaluate_all(evaluations.requests(parts, measure), callback)
        new = [
            evaluations.values(grid.replacements, measure, callback, number) for number in numbers
        ]
        self._n_parts[key_of_grid] = max(self._n_parts.get(key_of_grid, 0), n_parts)
        values = np.hstack([*former[:n_parts], *new])
        if n_parts == len(order.sizes):
            # The caller stores all rows, so the parts are not needed any more.
            self._latest, former, new = None, [], []
        else:
            self._latest = key, [*former, *new]
        reference = self._reference(values, grid, measure, form, n_parts, callback)
        if reference is not None:
            values = difference(values, reference)
        if n_parts == len(order.sizes):
            for line in values:  # one by one, because there is no memory for a copy of all
                line[:] = line[order.places]
        return np.stack(list(slopes(iter(values), grid.values))) if form.derivative else values

    def _reference(
        self,
        values: Floats,
        grid: Grid,
        measure: Measure,
        form: CurveTransform,
        n_parts: int,
        callback: ProgressCallback | None,
    ) -> Floats | None:
        """Return what is subtracted from the curve of each row, in the order of the sample."""
        order = self._evaluations.row_order
        if form.relative:
            return self._evaluations.original_values(measure)[
                order.rows[: order.sizes[n_parts - 1]]
            ]
        if form.center is False:
            return None
        if form.center is True:
            return np.asarray(values[0])
        points = grid.replacements
        center = Constant(points[0].columns, (form.center,))
        if center in points:
            return np.asarray(values[points.index(center)])
        # The coarse grid lacks it.
        parts = range(n_parts)
        return np.hstack(
            [self._evaluations.values([center], measure, callback, part)[0] for part in parts]
        )

    def _parts_of(self, n_rows: int) -> int:
        return self._evaluations.row_order.n_parts(n_rows)

    def _key_of(self, grid: Grid, measure: Measure) -> tuple[str, str, int, bool]:
        answers = self._evaluations.reads_answers(measure)
        return grid.feature, grid.spacing, len(grid), answers
