"""Batches for the model: rows of the table with the values of some features replaced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

# Up to so many values the table is also kept row by row.
_COPIED_VALUES = 1 << 17


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


class BatchBuilder:
    """Stacks blocks of rows below each other, in the form that the model was fitted on.

    Parameters
    ----------
    columns : list of Series, each of length n
    labels : Index of length p
        Names of the columns, as the model knows them.
    matrix : ndarray of shape (n, p) or None
        The same values, if all columns have one dtype of numbers.
    as_frame : bool
        Whether the model expects a DataFrame.
    """

    def __init__(
        self,
        columns: list[pd.Series[Any]],
        labels: pd.Index[Any],
        matrix: npt.NDArray[Any] | None,
        as_frame: bool,
    ) -> None:
        self._columns = columns
        self._labels = labels
        # A DataFrame stores column by column. Stacking is several times faster row by row, but
        # needs a second copy, which costs too much memory for many rows.
        small = matrix is not None and matrix.size <= _COPIED_VALUES
        self._matrix = np.ascontiguousarray(matrix) if small else matrix
        self._as_frame = as_frame

    def of(self, blocks: Sequence[RowBlock]) -> Any:
        """Return all blocks below each other, as a DataFrame or an array."""
        if self._matrix is not None and all(_fit(b.values, self._matrix.dtype) for b in blocks):
            matrix = self._stacked_matrix(self._matrix, blocks)
            if not self._as_frame:
                return matrix
            return pd.DataFrame(matrix, columns=self._labels, copy=False)
        rows = np.concatenate([b.positions for b in blocks])
        columns = {
            position: self._stacked_column(position, blocks, rows)
            for position in range(len(self._columns))
        }
        batch = pd.DataFrame(columns, copy=False)
        batch.columns = self._labels
        return batch if self._as_frame else batch.to_numpy(copy=True)

    @staticmethod
    def _stacked_matrix(matrix: npt.NDArray[Any], blocks: Sequence[RowBlock]) -> npt.NDArray[Any]:
        batch = np.empty((sum(len(b.rows) for b in blocks), matrix.shape[1]), matrix.dtype)
        start = 0
        gathered: dict[int, npt.NDArray[Any]] = {}
        for b in blocks:
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
                    b.values[place] if b.donors is None else matrix[b.donors, column]
                )
            start = stop
        return batch

    def _stacked_column(
        self, position: int, blocks: Sequence[RowBlock], rows: npt.NDArray[np.intp]
    ) -> pd.Series[Any]:
        # Every value is taken from a pool: the column itself, followed by the constants.
        column = self._columns[position]
        constants: list[Any] = []
        positions, start = rows, 0
        for b in blocks:
            stop = start + len(b.rows)
            if position in b.columns:
                if positions is rows:
                    positions = rows.copy()
                if b.donors is not None:
                    positions[start:stop] = b.donors
                else:
                    positions[start:stop] = len(column) + len(constants)
                    constants.append(b.values[b.columns.index(position)])
            start = stop
        pool = _with_constants(column, constants)
        # `Series.take` of all rows in their order would share the table's memory with the model;
        # `take` of the underlying array copies.
        return pd.Series(pool.array.take(positions))


def _fit(values: tuple[Any, ...], dtype: np.dtype[Any]) -> bool:
    """Whether constants are numbers that a dtype of numbers represents."""
    if not all(isinstance(v, (int, float, np.integer, np.floating)) for v in values):
        return False
    return dtype.kind == "f" or all(_is_integer(v, np.iinfo(dtype)) for v in values)


def _is_integer(value: Any, limits: np.iinfo[Any]) -> bool:
    return bool(limits.min <= value <= limits.max and value == int(value))


def _with_constants(column: pd.Series[Any], constants: list[Any]) -> pd.Series[Any]:
    if not constants:
        return column
    more = pd.Series(constants, dtype=object)
    if pd.api.types.is_integer_dtype(column.dtype):
        more = _as_integers(more, column)
    elif column.dtype != object:
        more = more.astype(column.dtype)
    return pd.concat([column, more], ignore_index=True)


def _as_integers(values: pd.Series[Any], column: pd.Series[Any]) -> pd.Series[Any]:
    # The model may depend on the integer dtype; a value that it cannot represent stays as it is.
    present = values.dropna()
    own: Any = column.dtype
    own = own.subtype if isinstance(own, pd.SparseDtype) else getattr(own, "numpy_dtype", own)
    limits = np.iinfo(own)
    if all(_is_integer(v, limits) for v in present):
        return values.astype(column.dtype)
    return pd.Series(values.tolist()) if len(present) == len(values) else values.astype("Float64")
