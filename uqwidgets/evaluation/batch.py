"""Batches for the model: rows of the table with the values of some features replaced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from uqwidgets.evaluation.constants import of_array


class RowBlock(NamedTuple):
    """Rows of the table, with the values of some features replaced, or none.

    Attributes
    ----------
    rows : range or ndarray of length m
        Positions of the rows; a range where they are consecutive, which is faster.
    columns : tuple of int
        Positions of the replaced features, which move together.
    donors : ndarray of shape (m,) or None
        Positions of the rows the replacement values come from.
    values : tuple of object
        The constant replacement value of each column, if there are no donors.
    """

    rows: range | npt.NDArray[np.intp]
    columns: tuple[int, ...] = ()
    donors: npt.NDArray[np.intp] | None = None
    values: tuple[Any, ...] = ()

    @property
    def positions(self) -> npt.NDArray[np.intp]:
        """Positions of the rows, shape (m,)."""
        return (
            np.arange(self.rows.start, self.rows.stop)
            if isinstance(self.rows, range)
            else self.rows
        )

    def of(self, rows: npt.NDArray[np.intp]) -> RowBlock:
        """Return some rows of a block of all rows of the table."""
        donors = None if self.donors is None else self.donors[rows]
        return RowBlock(rows, self.columns, donors, self.values)

    def cut(self, start: int, stop: int) -> RowBlock:
        """Return rows ``start`` to ``stop`` of this block."""
        donors = None if self.donors is None else self.donors[start:stop]
        return RowBlock(self.rows[start:stop], self.columns, donors, self.values)


def rows_of(blocks: Sequence[RowBlock]) -> npt.NDArray[np.intp]:
    """Return the positions of the rows of all blocks, one block after the other."""
    return np.concatenate([block.positions for block in blocks])


def stacked(matrix: npt.NDArray[Any], blocks: Sequence[RowBlock]) -> npt.NDArray[Any]:
    """Return the rows of a matrix below each other, with values replaced.

    Its dtype is another one if it is needed to represent a constant.
    """
    values = {
        number: of_array(list(b.values), matrix.dtype)
        for number, b in enumerate(blocks)
        if b.donors is None and b.columns
    }
    dtypes = {array.dtype for array in values.values()} - {matrix.dtype}
    dtype = np.result_type(matrix.dtype, *dtypes) if dtypes else matrix.dtype
    batch = np.empty((sum(len(b.rows) for b in blocks), matrix.shape[1]), dtype)
    start = 0
    gathered: dict[int, npt.NDArray[Any]] = {}
    for number, b in enumerate(blocks):
        stop = start + len(b.rows)
        if isinstance(b.rows, range):
            # Copying a slice is several times faster than gathering rows by position.
            batch[start:stop] = matrix[b.rows.start : b.rows.stop]
        else:
            if id(b.rows) not in gathered:  # many features are replaced in the same rows
                gathered[id(b.rows)] = matrix[b.rows]
            batch[start:stop] = gathered[id(b.rows)]
        for place, column in enumerate(b.columns):
            batch[start:stop, column] = (
                values[number][place : place + 1] if b.donors is None else matrix[b.donors, column]
            )
        start = stop
    return batch
