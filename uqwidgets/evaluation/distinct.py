"""What some columns hold, each combination of values once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets.evaluation.table import Table


def distinct_rows(
    table: Table, columns: Sequence[int]
) -> tuple[list[tuple[Any, ...]], npt.NDArray[np.intp]]:
    """Distinct combinations of the values of some columns, and which of them each row has.

    They are what `Constant` asks about: whoever needs every observed value asks the model the
    same, an importance over all donors and a curve over all observed values.

    Parameters
    ----------
    table : Table
    columns : sequence of int

    Returns
    -------
    values : list of tuple, length u
        Plain Python values, hashable; in the order of the first column, then of the next. Numbers,
        dates and durations ascend, categories come as their type has them, or else as texts
        ascend; a missing value is a value of its own, and the last. In a column of mixed types 1,
        1.0 and True are three values, for a model may tell them apart (see `kind_of`).
    codes : ndarray of shape (n,)
        Position of each row's combination.

    Raises
    ------
    ValueError
        If a column holds values that cannot be looked up, such as lists.
    """
    found = [distinct(table.column(table.features[column])) for column in columns]
    codes = found[0][1]
    for values, more in found[1:]:
        codes = np.unique(codes * len(values) + more, return_inverse=True)[1]
    _, first = np.unique(codes, return_index=True)
    of_columns = [[values[code] for code in each[first].tolist()] for values, each in found]
    return list(zip(*of_columns, strict=True)), codes.astype(np.intp, copy=False)


def check_hashable(feature: str, values: Iterable[Any]) -> None:
    """Refuse values that cannot be looked up.

    Raises
    ------
    ValueError
        If there are any.
    """
    for value in values:
        try:
            hash(value)
        except TypeError:
            raise ValueError(
                f"{feature!r} holds values such as {value!r}, which cannot be told apart; turn "
                "them into texts."
            ) from None


def kind_of(value: Any) -> type:
    """Type that tells a value from others that Python holds to be equal: 1, 1.0 and True."""
    for kind in (bool, int, float, str):  # a bool is an int
        if isinstance(value, kind):
            return kind
    return type(value.item()) if isinstance(value, np.generic) else type(value)


def distinct(column: pd.Series[Any]) -> tuple[list[Any], npt.NDArray[np.intp]]:
    """Distinct values of one column, and which of them each row has (see `distinct_rows`)."""
    if column.dtype == object:
        check_hashable(str(column.name), column)
        return _distinct_objects(column)
    codes, found = pd.factorize(column)
    order = _order(found)
    places = np.empty(len(order) + 1, dtype=np.intp)
    places[order] = np.arange(len(order))
    places[-1] = len(order)  # a missing value has code -1
    values = found.take(order).tolist()
    if (codes < 0).any():
        values.append(_missing(column))
    return values, places[codes]


def _distinct_objects(column: pd.Series[Any]) -> tuple[list[Any], npt.NDArray[np.intp]]:
    codes, _ = pd.factorize(column)
    kinds, names = pd.factorize(np.array([kind_of(value) for value in column], dtype=object))
    _, first, held = np.unique(codes * len(names) + kinds, return_index=True, return_inverse=True)
    values = column.iloc[first].tolist()
    missing = codes[first] < 0
    # No two NaN are equal, but one and the same is found again in a cache.
    values = [np.nan if isinstance(value, float) and value != value else value for value in values]
    order = sorted(range(len(values)), key=lambda j: (bool(missing[j]), str(values[j])))
    places = np.empty(len(order), dtype=np.intp)
    places[order] = np.arange(len(order))
    return [values[j] for j in order], places[held]


def _order(values: Any) -> npt.NDArray[np.intp]:
    """Positions of distinct values that put them in order."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        return np.argsort(values.codes)
    kinds = pd.api.types
    numeric = kinds.is_numeric_dtype(values.dtype) or kinds.is_timedelta64_dtype(values.dtype)
    if numeric or kinds.is_datetime64_any_dtype(values.dtype):
        return np.asarray(values.argsort(), dtype=np.intp)
    texts = [str(value) for value in values.tolist()]
    return np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.intp)


def _missing(column: pd.Series[Any]) -> Any:
    value = column[column.isna()].iloc[0]
    # No two NaN are equal, but one and the same is found again in a cache.
    return np.nan if isinstance(value, float) else value
