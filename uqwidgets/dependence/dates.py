"""Dates and durations: drawn one by one as categories are, spaced as numbers are."""

from __future__ import annotations

from numbers import Number
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats


class Dates:
    """The dates or durations of a column.

    Parameters
    ----------
    column : Series of dates or durations, shape (n,)
    """

    def __init__(self, column: pd.Series[Any]) -> None:
        self._column = column
        self._index: Any = pd.Index(column)

    @property
    def numbers(self) -> Floats:
        """Their place in time, shape (n,), NaN where there is none."""
        return np.where(self._index.isna(), np.nan, self._index.asi8)

    def placed(self, values: Any) -> Floats:
        """Place in time of other values of the column, shape (g,)."""
        return Dates(pd.Series(list(values), dtype=self._column.dtype)).numbers

    def nearest(self, values: Any) -> npt.NDArray[np.intp]:
        """Position of the nearest of some ascending values, shape (n,), -1 where none is near."""
        placed = self.placed(values)
        middles = (placed[1:] + placed[:-1]) / 2
        return np.where(np.isnan(self.numbers), -1, np.searchsorted(middles, self.numbers))

    def quantiles(self, levels: Floats) -> npt.NDArray[Any]:
        """Return observed ones at shares of the column, or all where there are no more."""
        present = self._index.dropna().sort_values()
        distinct = present.unique()
        if len(distinct) > len(levels):
            at = np.rint(levels * (len(present) - 1)).astype(np.intp)
            distinct = present.take(at).unique()
        return _objects(distinct)

    def even(self, levels: Floats) -> npt.NDArray[Any]:
        """Even steps from the first to the last."""
        first, last = self._index.min(), self._index.max()
        ends = pd.Index([first, last], dtype=self._column.dtype).asi8
        # Of the span alone: as floats, dates of our time are a quarter of a microsecond apart.
        steps = ends[0] + np.rint(levels * (ends[1] - ends[0])).astype(np.int64)
        return _objects(self._from_numbers(steps).unique())

    def given(self, feature: str, grid: npt.ArrayLike) -> npt.NDArray[Any]:
        """Check values as a person gives them, texts included; sorted.

        Raises
        ------
        ValueError
            If one is none of the column's kind.
        """
        wanted = pd.Series(np.ravel(np.asarray(grid)))
        try:
            # Numbers would be taken for nanoseconds.
            if any(isinstance(value, Number) for value in wanted):
                raise TypeError
            found: Any = pd.Index(wanted.astype(self._column.dtype))
        except (TypeError, ValueError, OverflowError):
            found = pd.Index([])
        if len(found) == 0 or found.isna().any():
            raise ValueError(
                f"the grid of {feature!r} must be a list of values such as "
                f"{str(self._index.dropna()[0])!r}."
            )
        return _objects(found.unique().sort_values())

    def _from_numbers(self, numbers: npt.NDArray[np.int64]) -> Any:
        kind = "timedelta64" if isinstance(self._index, pd.TimedeltaIndex) else "datetime64"
        found: Any = pd.Index(numbers.view(f"{kind}[{self._index.unit}]"))
        zone = getattr(self._index, "tz", None)
        return found if zone is None else found.tz_localize("UTC").tz_convert(zone)


def dates_of(column: pd.Series[Any]) -> Dates | None:
    """Read a column as dates or durations, or None if it holds none."""
    kinds = pd.api.types
    if kinds.is_datetime64_any_dtype(column.dtype) or kinds.is_timedelta64_dtype(column.dtype):
        return Dates(column)
    return None


def _objects(index: Any) -> npt.NDArray[Any]:
    held = np.empty(len(index), dtype=object)
    held[:] = index.tolist()
    return held
