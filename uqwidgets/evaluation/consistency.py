"""Consistency: whether the model predicts the same for the same row in another call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Positions
from uqwidgets._utils.errors import ModelError
from uqwidgets._utils.remarks import Remark
from uqwidgets.evaluation.batch import RowBlock
from uqwidgets.evaluation.distinct import distinct_rows
from uqwidgets.evaluation.table import Table
from uqwidgets.predictive import Distribution

# Rounding depends on the batch size, also in single precision. Noise that matters is larger than
# this share of the standard deviation of the predictions over rows.
_TOLERANCE = 1e-3
_ROUNDING = 1e-6
# Rows that are compared in all, and of one block at most.
_MAX_ROWS = 200
_MAX_ROWS_OF_BLOCK = 20
#: Rows of a table of fewer than 64 that are evaluated once more where nothing else shows as much.
ROWS_ALONE = 8


class Consistency:
    """Compares predictions for rows whose values were replaced by equal ones.

    Some rows of every permutation are their own donors, and some rows have the value of a curve's
    point already. The model must predict for them what it predicted for the rows as they are, so
    the comparison costs no model call.

    It shows nothing of a model that depends on the mean of each column in its batch, while the
    columns of all batches have the same values, as in whole permutations. Only where few rows were
    evaluated in a single call, and since then in such batches alone, some of them are evaluated
    once more.

    Parameters
    ----------
    original : Distribution
        Of the rows as they are.
    in_one_call : bool
        Whether they were evaluated together.

    Attributes
    ----------
    compared, differing : int
        Rows that were evaluated again, and those with another prediction.
    """

    def __init__(self, original: Distribution, *, in_one_call: bool) -> None:
        self.compared = 0
        self.differing = 0
        self._alike = in_one_call
        self._original = original
        self._tolerances = [_tolerance(array) for array in original.arrays()]

    def compare(self, predictions: Distribution, blocks: Sequence[RowBlock], table: Table) -> None:
        """Compare predictions with those of the rows as they are, until enough are compared.

        Parameters
        ----------
        predictions : Distribution
            Predictions for the rows of all blocks, one block after the other.
        blocks : sequence of RowBlock
        table : Table
            Whose rows they are.
        """
        self._alike = self._alike and _have_the_same_values(blocks, table)
        most = _MAX_ROWS - self.compared
        if most <= 0:
            return
        if all(block.donors is not None for block in blocks):
            own, again = _own_donors(blocks, most)
        else:
            own, again = _equal_values(blocks, table, most)
        if not len(own):
            return
        self._compare(own, predictions.take(again))

    def _compare(self, rows: Positions, predictions: Distribution) -> None:
        """Compare predictions for some rows of the table with those before."""
        before, after = self._original.take(rows).arrays(), predictions.arrays()
        differs = np.zeros(len(rows), dtype=np.bool_)
        for one, other, tolerance in zip(before, after, self._tolerances, strict=True):
            numbers = one.dtype.kind in "biuf" and other.dtype.kind in "biuf"
            apart = np.abs(one.astype(np.float64) - other) > tolerance if numbers else one != other
            differs |= apart.reshape(len(rows), -1).any(axis=1)
        self.compared += len(rows)
        self.differing += int(differs.sum())

    def compare_alone(self, evaluate: Callable[[Sequence[RowBlock]], Distribution]) -> None:
        """Evaluate a few rows alone and compare, once, unless other batches show as much.

        Parameters
        ----------
        evaluate : callable
            Calls the model.
        """
        n = min(ROWS_ALONE, len(self._original) - 1)
        if not self._alike or not n or self.differing:
            return
        self._alike = False
        block = RowBlock(range(n))
        with suppress(ModelError):  # a model that takes no few rows is none that is asked for them
            self._compare(block.positions, evaluate([block]))

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """What a reader of a result should know."""
        if not self.differing:
            return ()
        return (
            Remark(
                "unstable-predictions",
                "called again for the same rows, the model predicts other values: they change from "
                "call to call or with the rows beside, and this noise is in all results (fix the "
                "model's random state, or switch off what only training needs, such as dropout)",
            ),
        )


def _have_the_same_values(blocks: Sequence[RowBlock], table: Table) -> bool:
    """Whether the columns of a batch may have the values of the table, equally often."""
    if any(len(block.rows) != len(table) for block in blocks):
        return False
    points = Counter(block.columns for block in blocks if block.donors is None)
    return all(n == len(distinct_rows(table, columns)[0]) for columns, n in points.items())


def _own_donors(blocks: Sequence[RowBlock], most: int) -> tuple[Positions, Positions]:
    """Return rows that are their own donors, by their positions in the table and in the batch.

    All blocks are searched at once, because many of them have few rows. If there are more than
    ``most``, they are evenly chosen, so that they are of many replacements.
    """
    positions = np.concatenate([block.positions for block in blocks])
    again = np.flatnonzero(np.concatenate([block.donors for block in blocks]) == positions)
    if len(again) > most:
        again = again[np.linspace(0, len(again) - 1, most).astype(np.intp)]
    return positions[again], again


def _equal_values(
    blocks: Sequence[RowBlock], table: Table, most: int
) -> tuple[Positions, Positions]:
    """Return rows whose values are replaced by equal ones, as `_own_donors` does.

    Blocks are searched one after the other, because the first ones of a curve are enough.
    """
    own = [np.empty(0, dtype=np.intp)]
    again = [np.empty(0, dtype=np.intp)]
    start = n_chosen = 0
    for block in blocks:
        if n_chosen >= most:
            break
        chosen = table.unchanged(block)[:_MAX_ROWS_OF_BLOCK]
        own.append(block.positions[chosen])
        again.append(start + chosen)
        n_chosen += len(chosen)
        start += len(block.rows)
    return np.concatenate(own), np.concatenate(again)


def _tolerance(array: npt.NDArray[np.generic]) -> float:
    if array.dtype.kind not in "biuf" or array.size == 0:
        return 0.0
    numbers = array.astype(np.float64)
    largest = float(np.abs(numbers).max())  # as their unit, so that no square overflows
    return largest * float(_TOLERANCE * (numbers / (largest or 1.0)).std() + _ROUNDING)
