"""Numbers among objects: analyses read them as numbers, and the model gets the objects."""

from __future__ import annotations

from decimal import Decimal
from numbers import Integral, Real
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd

from uqwidgets.evaluation.constants import is_missing


class Objects(NamedTuple):
    """A column of objects that are all numbers or missing.

    Attributes
    ----------
    column : Series of dtype object, shape (n,)
    types : set of type
        Of the numbers.
    numbers : Series of shape (n,)
        The same as numbers.
    """

    column: pd.Series[Any]
    types: set[type]
    numbers: pd.Series[Any]

    @classmethod
    def of(cls, column: pd.Series[Any]) -> Self | None:
        """Read a column; None if it is no column of objects, or not all of them are numbers."""
        if column.dtype != object or pd.api.types.infer_dtype(column) == "string":
            return None
        is_present = column.notna().to_numpy()
        values = column[is_present].tolist()
        types = set(map(type, values))
        if not types or not all(map(_is_number, types)):
            return None
        try:
            numbers = _numbers(values, is_present, all(issubclass(t, Integral) for t in types))
        except (OverflowError, ValueError):  # an integer beyond all floats
            return None
        return cls(column, types, pd.Series(numbers, index=column.index, name=column.name))

    def own(self, value: Any) -> Any:
        """Return a number as one of the type of this column, where it has one that holds it."""
        # In a part of a table all can be numbers where the whole table has texts too.
        kind = type(value)
        if kind in self.types or is_missing(value) or not _is_number(kind):
            return value
        if len(self.types) > 1:
            return value.item() if isinstance(value, np.generic) else value
        (only,) = self.types
        if only is Decimal:
            return Decimal(str(value))
        return value if issubclass(only, Integral) and value != int(value) else only(value)


def _is_number(kind: type) -> bool:
    # numpy's durations are integers to Python.
    return issubclass(kind, (Real, Decimal)) and not issubclass(kind, (bool, np.timedelta64))


def _numbers(values: list[Any], is_present: Any, are_whole: bool) -> Any:
    """Return present values among missing ones."""
    if are_whole:
        try:
            whole = np.zeros(len(is_present), dtype=np.int64)
            whole[is_present] = values
        except OverflowError:
            pass
        else:
            return whole if is_present.all() else pd.arrays.IntegerArray(whole, ~is_present)
    numbers = np.full(len(is_present), np.nan)
    numbers[is_present] = [float(value) for value in values]
    return numbers
