"""Places along the axis of a curve: numbers as they are, dates in milliseconds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets._utils.dtypes import is_time
from uqwidgets.dependence import Grid
from uqwidgets.evaluation.columns import Columns
from uqwidgets.plotting.text import number


def axis_places(columns: Columns, name: str) -> Floats | None:
    """Place of every row along the axis of a column, shape (n,); None for categories.

    Dates are milliseconds since 1970 of the clock of their own time zone; missing values are NaN.
    """
    if columns.holds_dates(name):
        return _milliseconds(columns.column(name))
    return columns.numbers(name) if columns.kind(name) == "numeric" else None


def places_of(values: pd.Series[Any]) -> Floats:
    """Place of every number or date along an axis, as `axis_places`."""
    if is_time(values.dtype):
        return _milliseconds(values)
    return pd.to_numeric(values).to_numpy(np.float64, na_value=np.nan)


def grid_places(columns: Columns, grid: Grid) -> Floats:
    """Place of every value of a grid, shape (g,); categories are counted."""
    if columns.holds_dates(grid.feature):
        return _milliseconds(pd.Series(grid.values, dtype=columns.column(grid.feature).dtype))
    return np.arange(len(grid), dtype=np.float64) if grid.categorical else grid.values


def place_text(columns: Columns, name: str, place: float) -> str:
    """Write a place along the axis of a column; a date as its day."""
    if columns.holds_dates(name):
        return str(pd.Timestamp(round(place), unit="ms").date())
    return number(place, 3)


def _milliseconds(dates: Any) -> Floats:
    moments = pd.DatetimeIndex(dates).tz_localize(None).to_numpy("datetime64[ms]")
    return np.where(np.isnat(moments), np.nan, moments.astype(np.int64))
