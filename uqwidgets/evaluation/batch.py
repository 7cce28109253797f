"""Values put in the place of a row's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

_COPIED_VALUES = 1 << 17


class RowBlock(NamedTuple):
    """A run of rows for the model, with some features' values replaced, or none.

    Attributes
    ----------
    rows : range of length m
        Positions of the rows that are asked, which are neighbours.
    columns : tuple of int
        Positions of the replaced features, which move together.
    donors : ndarray of shape (m,) or None
        Positions of the rows the replacement values come from.
    values : tuple of object
        The replacement value of each column, where there are no donors.
    """

    rows: range
    columns: tuple[int, ...] = ()
    donors: npt.NDArray[np.intp] | None = None
    values: tuple[Any, ...] = ()

    def cut(self, start: int, stop: int) -> RowBlock:
        """Rows ``start`` to ``stop`` of this segment."""
        donors = None if self.donors is None else self.donors[start:stop]
        return RowBlock(self.rows[start:stop], self.columns, donors, self.values)


class BatchBuilder:
    """Stacks segments of a table below each other.

    Parameters
    ----------
    columns : list of Series, each of length n
    labels : Index of length p
        Names of the columns, as the model knows them.
    matrix : ndarray of shape (n, p) or None
        The same values, where all are floats of one width.
    as_frame : bool
        Whether the model wants a DataFrame.
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
        # A frame holds column by column. Row by row is several times as quick to stack, but a
        # second copy of many rows costs memory.
        small = matrix is not None and matrix.size <= _COPIED_VALUES
        self._matrix = np.ascontiguousarray(matrix) if small else matrix
        self._as_frame = as_frame

    def of(self, segments: Sequence[RowBlock]) -> Any:
        """All segments below each other: a DataFrame or an array."""
        if self._matrix is not None and all(_fit_floats(s.values) for s in segments):
            matrix = self._stacked_matrix(self._matrix, segments)
            if not self._as_frame:
                return matrix
            return pd.DataFrame(matrix, columns=self._labels, copy=False)
        rows = np.concatenate([np.arange(s.rows.start, s.rows.stop) for s in segments])
        columns = {
            position: self._stacked_column(position, segments, rows)
            for position in range(len(self._columns))
        }
        block = pd.DataFrame(columns, copy=False)
        block.columns = self._labels
        return block if self._as_frame else block.to_numpy(copy=True)

    @staticmethod
    def _stacked_matrix(matrix: npt.NDArray[Any], segments: Sequence[RowBlock]) -> npt.NDArray[Any]:
        block = np.empty((sum(len(s.rows) for s in segments), matrix.shape[1]), matrix.dtype)
        start = 0
        for s in segments:
            stop = start + len(s.rows)
            # Neighbours are copied at once, several times as fast as rows that are gathered.
            block[start:stop] = matrix[s.rows.start : s.rows.stop]
            for place, column in enumerate(s.columns):
                block[start:stop, column] = (
                    s.values[place] if s.donors is None else matrix[s.donors, column]
                )
            start = stop
        return block

    def _stacked_column(
        self, position: int, segments: Sequence[RowBlock], rows: npt.NDArray[np.intp]
    ) -> pd.Series[Any]:
        # Every new value is a look-up in a pool: the column itself, then the constants.
        column = self._columns[position]
        constants: list[Any] = []
        picked, start = rows, 0
        for s in segments:
            stop = start + len(s.rows)
            if position in s.columns:
                if picked is rows:
                    picked = rows.copy()
                if s.donors is not None:
                    picked[start:stop] = s.donors
                else:
                    picked[start:stop] = len(column) + len(constants)
                    constants.append(s.values[s.columns.index(position)])
            start = stop
        pool = _with_constants(column, constants)
        # Through the array: of all rows in their order, pandas would share the table's memory with
        # the model.
        return pd.Series(pool.array.take(picked))


def _fit_floats(values: tuple[Any, ...]) -> bool:
    return all(isinstance(v, (int, float, np.integer, np.floating)) for v in values)


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
    # A model may mind the width of its integers, but a value they cannot hold is a wish to keep.
    present = values.dropna()
    held = np.iinfo(getattr(column.dtype, "numpy_dtype", column.dtype))
    if all(v == int(v) and held.min <= v <= held.max for v in present):
        return values.astype(column.dtype)
    return pd.Series(values.tolist()) if len(present) == len(values) else values.astype("Float64")
