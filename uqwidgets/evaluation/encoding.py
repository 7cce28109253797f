"""Columns of any kind as numbers that trees can read and predict."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets.evaluation.table import Table

# A tree keeps a number per category in every node, and what is rarer than the first of them is
# hardly ever predicted.
MOST_CATEGORIES = 20


def ranked(column: pd.Series[Any]) -> npt.NDArray[np.float32]:
    """Rank of each value among the distinct ones, shape (n,); NaN where there is none.

    A tree sees nothing of a predictor but the order of its values.
    """
    codes = _codes(column)
    return np.where(codes < 0, np.nan, codes).astype(np.float32)


def responses(table: Table, feature: str) -> Floats:
    """Return what trees are to predict of a feature, (n, k); NaN where there is no value.

    Numbers, and seconds for dates, are one column; categories are an indicator each, those beyond
    the most frequent `MOST_CATEGORIES` one together.
    """
    column = table.column(feature)
    if table.kind(feature) == "numeric":
        return table.numbers(feature)[:, None]
    if _is_date(column):
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
    """How many distinct categories a feature has; 0 for numbers and dates."""
    column = table.column(feature)
    if table.kind(feature) == "numeric" or _is_date(column):
        return 0
    return int(_codes(column).max()) + 1


def _is_date(column: pd.Series[Any]) -> bool:
    return pd.api.types.is_datetime64_any_dtype(column.dtype)


def _codes(column: pd.Series[Any]) -> npt.NDArray[np.intp]:
    """Position of each value among the distinct ones in their order; -1 where there is none."""
    if column.dtype == object:
        # Values of mixed kinds, and lists, have no order; what they are written as has one.
        column = column.map(repr).where(column.notna())
    return np.asarray(pd.factorize(column, sort=True)[0], dtype=np.intp)
