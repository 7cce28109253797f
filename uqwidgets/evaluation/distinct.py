"""Distinct values of columns, and distinct combinations of values of several columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._utils.dtypes import is_time
from uqwidgets.evaluation.objects import Objects
from uqwidgets.evaluation.table import Table


def distinct_rows(
    table: Table, columns: Sequence[int]
) -> tuple[list[tuple[Any, ...]], npt.NDArray[np.intp]]:
    """Distinct combinations of the values of some columns, and which of them each row has.

    An importance over all donors and a curve over all observed values make the same `Constant`
    replacements of them, and so share the model's predictions.

    Parameters
    ----------
    table : Table
    columns : sequence of int

    Returns
    -------
    values : list of tuple, length u
        Plain Python values, hashable, ordered by the first column, then by the next. Numbers,
        dates and durations ascend; categories have the order of their dtype, or else of their
        texts; a missing value is a value of its own and the last. In a column of mixed types 1,
        1.0 and True are three values, because a model may distinguish them (see `kind_of`).
    codes : ndarray of shape (n,)
        Position of each row's combination.
    """
    single = [distinct(table.exact_column(table.features[column])) for column in columns]
    codes = single[0][1]
    for values, more in single[1:]:
        codes = np.unique(codes * len(values) + more, return_inverse=True)[1]
    _, first = np.unique(codes, return_index=True)
    of_columns = [[values[code] for code in each[first].tolist()] for values, each in single]
    return list(zip(*of_columns, strict=True)), codes.astype(np.intp, copy=False)


def kind_of(value: Any) -> type:
    """Return the type that distinguishes equal Python values such as 1, 1.0 and True."""
    for kind in (bool, int, float, str):  # a bool is an int
        if isinstance(value, kind):
            return kind
    return type(value.item()) if isinstance(value, np.generic) else type(value)


def distinct(column: pd.Series[Any]) -> tuple[list[Any], npt.NDArray[np.intp]]:
    """Distinct values of one column, and which of them each row has (see `distinct_rows`)."""
    if column.dtype == object:
        return _distinct_objects(column)
    codes, uniques = pd.factorize(column)
    order = _order(uniques)
    places = np.empty(len(order) + 1, dtype=np.intp)
    places[order] = np.arange(len(order))
    places[-1] = len(order)  # a missing value has code -1
    values = uniques.take(order).tolist()
    if (codes < 0).any():
        values.append(missing_value(column))
    return values, places[codes]


def _distinct_objects(column: pd.Series[Any]) -> tuple[list[Any], npt.NDArray[np.intp]]:
    codes, _ = pd.factorize(column)
    kinds, names = pd.factorize(np.array([kind_of(value) for value in column], dtype=object))
    _, first, inverse = np.unique(
        codes * len(names) + kinds, return_index=True, return_inverse=True
    )
    values = column.iloc[first].tolist()
    missing = codes[first] < 0
    # NaN objects are unequal, but a dictionary finds the identical object again.
    values = [np.nan if isinstance(value, float) and value != value else value for value in values]
    numbers = Objects.of(pd.Series(values, dtype=object))
    keys = list(map(str, values)) if numbers is None else numbers.numbers.tolist()
    order = sorted(range(len(values)), key=lambda j: (bool(missing[j]), keys[j]))
    places = np.empty(len(order), dtype=np.intp)
    places[order] = np.arange(len(order))
    return [values[j] for j in order], places[inverse]


def _order(values: Any) -> npt.NDArray[np.intp]:
    """Positions that sort distinct values."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        return np.argsort(values.codes)
    kinds = pd.api.types
    numeric = kinds.is_numeric_dtype(values.dtype) or kinds.is_timedelta64_dtype(values.dtype)
    if numeric or is_time(values.dtype):
        return np.asarray(values.argsort(), dtype=np.intp)
    texts = [str(value) for value in values.tolist()]
    return np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.intp)


def missing_value(column: pd.Series[Any]) -> Any:
    """Return the first missing value of a column that has one, always the same object."""
    value = column[column.isna()].iloc[0]
    # NaN objects are unequal, but a dictionary finds the identical object again.
    return np.nan if isinstance(value, float) else value
