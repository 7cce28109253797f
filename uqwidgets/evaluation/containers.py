"""Containers: the caller's table, of which the model gets rows in the container that it came in.

A batch holds the caller's own values: with the dtypes of the columns, their missing markers, names
and order, and the labels of the rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Positions
from uqwidgets._utils.masks import refuse_masked
from uqwidgets.evaluation import constants
from uqwidgets.evaluation.batch import RowBlock, rows_of, stacked
from uqwidgets.evaluation.dataframes import library_of, to_pandas

# Up to so many values a matrix is also kept row by row.
_COPIED_VALUES = 1 << 17


class Container(ABC):
    """A table of n rows, with its columns.

    Parameters
    ----------
    table : object
        Not copied.
    """

    #: What such a table is called in sentences.
    name: ClassVar[str]

    def __init__(self, table: Any) -> None:
        self.table = table

    def __len__(self) -> int:
        return len(self.table)

    @property
    def labels(self) -> list[Any]:
        """Names of the columns, as the caller knows them."""
        return list(self.table.columns)

    @abstractmethod
    def owned(self) -> Self:
        """Return a copy, which later changes of the caller's table do not reach."""

    def rows(self, rows: Positions) -> Any:
        """Return the table of some rows."""
        return self.table[rows]

    def columns(self, positions: Sequence[int]) -> Self:
        """Return the container of some columns."""
        return type(self)(self.table[:, list(positions)])

    @abstractmethod
    def frame(self) -> pd.DataFrame:
        """Return the columns as pandas holds them, or objects where it would not keep a value."""

    @abstractmethod
    def batch(self, blocks: Sequence[RowBlock]) -> Any:
        """Return the rows of all blocks below each other."""

    def without(self, positions: Iterable[int]) -> Self:
        """Return the container without the columns at these positions."""
        left_out = set(positions)
        return self.columns([j for j in range(len(self.labels)) if j not in left_out])


def container_of(X: Any, name: str = "X") -> Container:
    """Return the container of a table of pandas, polars or Arrow, or of an array.

    Tables of other libraries are converted to pandas, see `to_pandas`.

    Raises
    ------
    ValueError
        If it is no table, or has masked values.
    """
    match library_of(X):
        case "polars":
            return _Polars(X)
        case "pyarrow":
            return _Arrow(X)
    table = to_pandas(X)
    if isinstance(table, pd.DataFrame):
        return _Frame(table)
    refuse_masked(
        table, name, f"leave these rows out, or pass {name}.filled(np.nan) if the model takes NaN"
    )
    array = table if isinstance(table, np.ma.MaskedArray) else np.asarray(table)
    if array.ndim != 2:
        raise ValueError(f"{name} has shape {array.shape}; pass a table of shape (rows, features).")
    return _Array(array)


class _Array(Container):
    """An array of two dimensions, of any dtype."""

    name: ClassVar[str] = "an array"

    @property
    def labels(self) -> list[Any]:
        return [f"x{j}" for j in range(self.table.shape[1])]

    def owned(self) -> Self:
        return type(self)(self.table.copy())

    def frame(self) -> pd.DataFrame:
        matrix = np.asarray(self.table)
        if matrix.dtype == object:
            # With its dtype, because pandas reads texts among objects as a type of its own.
            return pd.DataFrame(matrix, dtype=object, columns=self.labels, copy=False)
        # pandas reads numbers in the byte order of this machine only.
        native = matrix.astype(matrix.dtype.newbyteorder("="), copy=False)
        return pd.DataFrame(native, columns=self.labels, copy=False)

    def batch(self, blocks: Sequence[RowBlock]) -> Any:
        # A masked array has no masked values here, see `container_of`.
        is_masked = isinstance(self.table, np.ma.MaskedArray)
        batch = stacked(self._matrix, blocks)
        return np.ma.asarray(batch) if is_masked else batch

    @cached_property
    def _matrix(self) -> npt.NDArray[Any]:
        return _row_by_row(np.asarray(self.table))


class _TypedColumns(Container):
    """A table whose columns have dtypes of their own."""

    def batch(self, blocks: Sequence[RowBlock]) -> Any:
        rows = rows_of(blocks)
        columns = [self._column(j, blocks, rows) for j in range(len(self.labels))]
        return self._joined(columns, rows)

    def _column(self, position: int, blocks: Sequence[RowBlock], rows: Positions) -> Any:
        # Every value is taken from a pool: the column itself, followed by the constants.
        values: list[Any] = []
        positions, start = rows, 0
        for b in blocks:
            stop = start + len(b.rows)
            if position in b.columns:
                if positions is rows:
                    positions = rows.copy()
                if b.donors is not None:
                    positions[start:stop] = b.donors
                else:
                    positions[start:stop] = len(self) + len(values)
                    values.append(b.values[b.columns.index(position)])
            start = stop
        return self._taken(position, values, positions)

    @abstractmethod
    def _taken(self, position: int, values: list[Any], positions: Positions) -> Any:
        """Return values of a pool: a column, followed by the constants."""

    @abstractmethod
    def _joined(self, columns: list[Any], rows: Positions) -> Any:
        """Return the batch of these columns; its rows are those of the table at positions."""


class _Frame(_TypedColumns):
    """A DataFrame of pandas, or of a subclass of it."""

    name: ClassVar[str] = "a DataFrame"

    def owned(self) -> Self:
        # A deep copy, because pandas may share memory with the caller's table.
        table = self.table.copy()
        # pandas reads numbers in the byte order of this machine only.
        swapped = {
            column: dtype.newbyteorder("=")
            for column, dtype in table.dtypes.items()
            if isinstance(dtype, np.dtype) and not dtype.isnative
        }
        return type(self)(table.astype(swapped) if swapped else table)

    def rows(self, rows: Positions) -> Any:
        return self.table.iloc[rows]

    def columns(self, positions: Sequence[int]) -> Self:
        return type(self)(self.table.iloc[:, list(positions)])

    def frame(self) -> pd.DataFrame:
        return pd.DataFrame(self.table)

    def batch(self, blocks: Sequence[RowBlock]) -> Any:
        if self._matrix is not None:
            matrix = stacked(self._matrix, blocks)
            if matrix.dtype == self._matrix.dtype:  # else a constant needs another one
                frame = pd.DataFrame(matrix, columns=self.table.columns, copy=False)
                return self._labelled(frame, None if self._index is None else rows_of(blocks))
        return super().batch(blocks)

    @cached_property
    def _matrix(self) -> npt.NDArray[Any] | None:
        """The same values, if all columns have one dtype of numbers."""
        dtypes = set(self.table.dtypes)
        if len(dtypes) > 1 or not all(isinstance(d, np.dtype) and d.kind in "fiu" for d in dtypes):
            return None
        return _row_by_row(self.table.to_numpy())

    @cached_property
    def _series(self) -> list[pd.Series[Any]]:
        # Extracted once, because pandas makes a new Series at every access.
        return [column for _, column in self.table.items()]

    @cached_property
    def _index(self) -> pd.Index[Any] | None:
        """Labels of the rows; None for 0, 1, 2, ..., which number the rows of a batch as well."""
        index = self.table.index
        plain = pd.RangeIndex(len(index))
        return None if isinstance(index, pd.RangeIndex) and index.equals(plain) else index

    def _taken(self, position: int, values: list[Any], positions: Positions) -> pd.Series[Any]:
        pool = own = self._series[position]
        if values:
            pool = pd.concat([own, constants.of_pandas(values, own)], ignore_index=True)
        # `Series.take` of all rows in their order would share the table's memory with the model;
        # `take` of the underlying array copies. With its dtype, because pandas reads texts among
        # objects as a type of its own.
        return pd.Series(pool.array.take(positions), dtype=pool.dtype)

    def _joined(self, columns: list[Any], rows: Positions) -> pd.DataFrame:
        batch = pd.DataFrame(dict(enumerate(columns)), copy=False)
        batch.columns = self.table.columns
        return self._labelled(batch, rows)

    def _labelled(self, batch: pd.DataFrame, rows: Positions | None) -> pd.DataFrame:
        if self._index is not None and rows is not None:
            batch.index = self._index.take(rows)
        if type(self.table) is not pd.DataFrame:
            batch = self.table._constructor(batch)
        batch.attrs.update(self.table.attrs)
        return batch


class _Polars(_TypedColumns):
    """A DataFrame of polars."""

    name: ClassVar[str] = "a polars DataFrame"

    def owned(self) -> Self:
        return type(self)(self.table.clone())

    def frame(self) -> pd.DataFrame:
        numbers = (c for c in self.table if c.dtype.is_numeric() and c.null_count())
        return _as_objects(to_pandas(self.table), {c.name: c.to_list() for c in numbers})

    def _taken(self, position: int, values: list[Any], positions: Positions) -> Any:
        import polars

        own = self.table.to_series(position)
        if values:
            more = constants.of_polars(values, own.dtype)
            own = polars.concat([own.cast(more.dtype), more.alias(own.name)])
        return own.gather(positions)

    def _joined(self, columns: list[Any], rows: Positions) -> Any:  # noqa: ARG002
        import polars

        return polars.DataFrame(columns)


class _Arrow(_TypedColumns):
    """A table of pyarrow.

    Columns that are an index of pandas are no features; they go with their row.
    """

    name: ClassVar[str] = "an Arrow table"

    @cached_property
    def _features(self) -> list[str]:
        return [str(name) for name in to_pandas(self.table.slice(0, 0)).columns]

    @property
    def labels(self) -> list[Any]:
        return list(self._features)

    def owned(self) -> Self:
        return self  # nobody can change it

    def rows(self, rows: Positions) -> Any:
        return self.table.take(rows)

    def columns(self, positions: Sequence[int]) -> Self:
        index = [name for name in self.table.column_names if name not in self._features]
        return type(self)(self.table.select([*(self._features[j] for j in positions), *index]))

    def frame(self) -> pd.DataFrame:
        from pyarrow import types

        columns = {name: self.table[name] for name in self._features}
        numbers = {
            name: column.to_pylist()
            for name, column in columns.items()
            if column.null_count
            and (types.is_integer(column.type) or types.is_floating(column.type))
        }
        return _as_objects(to_pandas(self.table), numbers)

    def _taken(self, position: int, values: list[Any], positions: Positions) -> Any:
        import pyarrow

        own = self.table[self._features[position]]
        if values:
            more = constants.of_arrow(values, own.type)
            pool = pyarrow.chunked_array([*own.cast(more.type).chunks, more])
            own = pool.unify_dictionaries()
        return own.take(positions)

    def _joined(self, columns: list[Any], rows: Positions) -> Any:
        import pyarrow

        taken = dict(zip(self._features, columns, strict=True))
        schema = self.table.schema
        for place, field in enumerate(schema):
            if field.name not in taken:
                taken[field.name] = self.table[place].take(rows)
            schema = schema.set(place, field.with_type(taken[field.name].type))
        return pyarrow.Table.from_arrays([taken[name] for name in schema.names], schema=schema)


def _row_by_row(matrix: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a matrix row by row, unless it is large.

    A DataFrame stores column by column. Stacking is several times faster row by row, but needs a
    second copy, which costs too much memory for many rows.
    """
    return np.ascontiguousarray(matrix) if matrix.size <= _COPIED_VALUES else matrix


def _as_objects(frame: pd.DataFrame, columns: dict[str, list[Any]]) -> pd.DataFrame:
    """Replace columns by objects: pandas makes the same NaN of null and of NaN."""
    for name, values in columns.items():
        frame[name] = pd.Series(values, index=frame.index, dtype=object)
    return frame
