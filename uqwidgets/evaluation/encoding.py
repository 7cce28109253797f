"""Encoding of columns as numbers that trees take as predictors and responses."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets._utils.dtypes import is_time
from uqwidgets.evaluation.columns import Columns
from uqwidgets.evaluation.table import Table

# Every node of a tree stores one number per category, and rarer categories are hardly predicted.
MOST_CATEGORIES = 20


def ranks(column: pd.Series[Any]) -> npt.NDArray[np.float32]:
    """Rank of each value among the distinct ones, shape (n,); NaN for missing values.

    The splits of a tree depend on the order of a predictor's values alone.
    """
    codes = _codes(column)
    return np.where(codes < 0, np.nan, codes).astype(np.float32)


def ordered_numbers(columns: Columns, name: str) -> Floats | None:
    """Return numbers, or dates in nanoseconds, shape (n,), NaN where missing; else None."""
    if columns.kind(name) == "numeric":
        return columns.numbers(name)
    if not columns.holds_dates(name):
        return None
    column = columns.column(name)
    moments = column.to_numpy(dtype="datetime64[ns]", na_value=np.datetime64("NaT"))
    return np.where(np.isnat(moments), np.nan, moments.astype(np.int64))


def responses(table: Table, feature: str) -> Floats:
    """Return a feature as responses of a tree, shape (n, k); NaN for missing values.

    Numbers are one column, dates one column of seconds; each category is an indicator, and the
    categories beyond the most frequent `MOST_CATEGORIES` share one.
    """
    column = table.column(feature)
    if table.kind(feature) == "numeric":
        return table.numbers(feature)[:, None]
    if is_time(column.dtype):
        seconds = (column - column.min()).dt.total_seconds()
        return np.asarray(seconds, dtype=np.float64)[:, None]
    codes = _codes(column)
    if (codes < 0).all():
        return np.full((len(codes), 1), np.nan)
    counts = np.bincount(codes[codes >= 0])
    frequent = np.argsort(-counts, kind="stable")[:MOST_CATEGORIES]
    indicators: Floats = (codes[:, None] == frequent).astype(np.float64)
    if len(counts) > len(frequent):
        indicators = np.column_stack([indicators, 1 - indicators.sum(axis=1)])
    indicators[codes < 0] = np.nan
    return indicators


def categories(table: Table, feature: str) -> int:
    """Return the number of distinct categories of a feature; 0 for numbers and dates."""
    column = table.column(feature)
    if table.kind(feature) == "numeric" or is_time(column.dtype):
        return 0
    return int(_codes(column).max()) + 1


def _codes(column: pd.Series[Any]) -> npt.NDArray[np.intp]:
    """Position of each value among the sorted distinct ones; -1 for missing values."""
    if column.dtype == object:
        # Values of mixed types have no order; their texts have one.
        column = column.map(repr).where(column.notna())
    elif isinstance(column.dtype, pd.ArrowDtype) and column.dtype.kind == "f":
        column = column.astype("float64")  # Arrow cannot sort half floats
    return np.asarray(pd.factorize(column, sort=True)[0], dtype=np.intp)
