"""Constants: single values that take the place of a feature's own, as values of its column.

Each function returns them with the type of the column, or with a wider one where that type does not
hold them: 2.5 in a column of integers.
"""

from __future__ import annotations

from decimal import MAX_PREC, Context, Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd


def is_missing(value: Any) -> bool:
    """Whether a single value is missing: None, NaN, NA or NaT."""
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))


def of_array(values: list[Any], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return constants (k,) for an array of a dtype."""
    if dtype.kind == "O":
        array = np.empty(len(values), dtype=object)
        for place, value in enumerate(values):  # at once, tuples would be lines of a matrix
            array[place] = value
        return array
    if dtype.kind in "mM":
        return pd.Series(values).to_numpy(dtype)
    if dtype.kind == "f" or (dtype.kind in "iu" and _are_whole(values, *_limits(dtype))):
        return np.array(values, dtype=dtype)
    return np.asarray(values)


def of_pandas(values: list[Any], column: pd.Series[Any]) -> pd.Series[Any]:
    """Return constants (k,) for a column of pandas."""
    more = pd.Series(values, dtype=object)
    if isinstance(column.dtype, pd.CategoricalDtype):
        known = column.dtype.categories
        strange = [v for v in values if not (is_missing(v) or v in known)]
        if strange:  # it would become a missing value
            raise ValueError(f"{strange[0]!r} is no category of column {str(column.name)!r}.")
    if not pd.api.types.is_integer_dtype(column.dtype):
        return more.astype(column.dtype)
    own: Any = column.dtype
    own = own.subtype if isinstance(own, pd.SparseDtype) else getattr(own, "numpy_dtype", own)
    present, is_nullable = _present(values), not isinstance(column.dtype, np.dtype)
    is_complete = len(present) == len(values)
    if (is_complete or is_nullable) and _are_whole(present, *_limits(own)):
        return more.astype(column.dtype)
    if is_complete:
        return pd.Series(values)
    return more.astype("Float64" if is_nullable else np.float64)


def of_polars(values: list[Any], dtype: Any) -> Any:
    """Return constants (k,) for a column of polars."""
    import polars

    if dtype.is_integer():
        low, high = polars.select(low=dtype.min(), high=dtype.max()).row(0)
        if not _are_whole(_present(values), low, high):
            dtype = polars.Float64()
    values = _with_none(values, dtype.is_float())
    if dtype.is_temporal() and dtype != polars.Time:
        return polars.from_pandas(pd.Series(values)).cast(dtype)
    if dtype.is_decimal():
        values = _decimals(values, dtype.scale)
    elif dtype.is_numeric():
        values = _numbers(values, float if dtype.is_float() else int)
    return polars.Series(values, dtype=dtype)


def of_arrow(values: list[Any], kind: Any) -> Any:
    """Return constants (k,) for a column of Arrow."""
    import pyarrow
    from pyarrow import types

    if types.is_integer(kind):
        limits = _limits(np.dtype(kind.to_pandas_dtype()))
        if not _are_whole(_present(values), *limits):
            kind = pyarrow.float64()
    values = _with_none(values, types.is_floating(kind))
    if types.is_timestamp(kind) or types.is_duration(kind):
        # By way of pandas, because Arrow reads some versions' durations in another unit.
        return pyarrow.Array.from_pandas(pd.Series(values)).cast(kind)
    if types.is_decimal(kind):
        values = _decimals(values, kind.scale)
    elif types.is_floating(kind) or types.is_integer(kind):
        values = _numbers(values, float if types.is_floating(kind) else int)
    return pyarrow.array(values, type=kind, from_pandas=False)


def _limits(dtype: np.dtype[Any]) -> tuple[int, int]:
    limits = np.iinfo(dtype)
    return int(limits.min), int(limits.max)


def _are_whole(values: list[Any], low: int, high: int) -> bool:
    """Whether all are whole numbers between two; a missing value is none."""
    return all(low <= value <= high and value == int(value) for value in values)


def _present(values: list[Any]) -> list[Any]:
    return [value for value in values if not is_missing(value)]


def _with_none(values: list[Any], are_floats: bool) -> list[Any]:
    """Return values with None for those that are missing; NaN is a value among floats."""
    return [
        None if is_missing(v) and not (are_floats and isinstance(v, float)) else v for v in values
    ]


def _numbers(values: list[Any], kind: type) -> list[Any]:
    return [None if value is None else kind(value) for value in values]


def _decimals(values: list[Any], scale: int) -> list[Decimal | None]:
    unit, exact = Decimal(1).scaleb(-scale), Context(prec=MAX_PREC)
    return [None if v is None else Decimal(str(v)).quantize(unit, context=exact) for v in values]
