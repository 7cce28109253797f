"""What there is to stress in rows that are only seen batch by batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets._utils.choices import unknown
from uqwidgets.stress.compressed.grids import MOST_DISTINCT
from uqwidgets.stress.out_of_core.order_statistics import DIGIT, Counted, Keys, keys_of, numbers_of

# From the labels of the columns to the names of those that are wanted.
Names = Callable[[Sequence[Any]], Sequence[str]]
# Bits of a key that a first pass leaves out.
LEADING = 64 - DIGIT


class Each(dict[Hashable, Any]):
    """Things by name; those of two batches add up one by one.

    Raises
    ------
    ValueError
        If the batches have other columns, or columns of another kind.
    """

    def __add__(self, other: Each) -> Each:
        if self.keys() != other.keys():
            odd = min(map(str, self.keys() ^ other.keys()))
            raise ValueError(f"only some batches have a column {odd!r}; give all the same columns.")
        for name, value in self.items():
            if type(value) is not type(other[name]):
                raise ValueError(
                    f"{name!r} is numeric in one batch and not in another; give it one type."
                )
        return Each({name: value + other[name] for name, value in self.items()})


@dataclass(frozen=True, eq=False)
class Numeric:
    """A numeric column, as far as one pass tells.

    Attributes
    ----------
    n, absent : int
        Rows with a finite value, and without.
    least, most, total : float
        Of these values.
    values : Counted or None
        Keys of all of them, where there are few.
    leading : Counted
        First bits of their keys.
    """

    n: int
    absent: int
    least: float
    most: float
    total: float
    values: Counted | None
    leading: Counted

    @classmethod
    def of(cls, numbers: Floats) -> Numeric:
        """Look at the values (n,) of a batch; missing ones are NaN."""
        present = numbers[np.isfinite(numbers)]
        keys = keys_of(present)
        return cls(
            n=len(present),
            absent=len(numbers) - len(present),
            least=float(present.min(initial=np.inf)),
            most=float(present.max(initial=-np.inf)),
            total=float(present.sum()),
            values=_few(Counted.of(keys)) if _may_be_few(keys) else None,
            leading=Counted.of(keys >> LEADING),
        )

    def __add__(self, other: Numeric) -> Numeric:
        both = None
        if self.values is not None and other.values is not None:
            both = _few(self.values + other.values)
        return Numeric(
            self.n + other.n,
            self.absent + other.absent,
            min(self.least, other.least),
            max(self.most, other.most),
            self.total + other.total,
            both,
            self.leading + other.leading,
        )

    @property
    def distinct(self) -> Floats | None:
        """All values in ascending order, where there are few."""
        return None if self.values is None else numbers_of(self.values.keys)


@dataclass(frozen=True, eq=False)
class Categories:
    """A column of anything but numbers, as far as one pass tells.

    Attributes
    ----------
    absent : int
        Rows without a value.
    counts : Counter or None
        Rows of every category; None where there are too many to stress one by one.
    """

    absent: int
    counts: Counter[Hashable] | None

    @classmethod
    def of(cls, column: pd.Series[Any]) -> Categories:
        """Look at the values (n,) of a batch."""
        counts = column.value_counts()
        present = Counter({label: int(k) for label, k in counts.items() if k})
        return cls(int(column.isna().sum()), _not_too_many(present))

    def __add__(self, other: Categories) -> Categories:
        both = None
        if self.counts is not None and other.counts is not None:
            both = _not_too_many(self.counts + other.counts)
        return Categories(self.absent + other.absent, both)

    @property
    def n(self) -> int:
        """Rows with a value."""
        return 0 if self.counts is None else self.counts.total()


@dataclass(frozen=True)
class Surveying:
    """The first pass.

    Attributes
    ----------
    columns : callable
        From the labels of a batch's columns to the names of those to look at.
    """

    columns: Names

    def __call__(self, batch: pd.DataFrame) -> Each:
        """Look at the columns of a batch."""
        names = self.columns(list(batch.columns))
        return Each({name: _summary(column_of(batch, name)) for name in names})


def column_of(batch: pd.DataFrame, name: str) -> pd.Series[Any]:
    """Return the column of this name.

    Raises
    ------
    ValueError
        If the batch has none.
    """
    for position, label in enumerate(batch.columns):
        if str(label) == name:
            return batch.iloc[:, position]
    raise ValueError(unknown("column", name, [str(c) for c in batch.columns]))


def numbers_in(column: pd.Series[Any]) -> Floats:
    """Values of a numeric column as floats; what is missing is NaN."""
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def _summary(column: pd.Series[Any]) -> Numeric | Categories:
    dtype = column.dtype
    if pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype):
        return Numeric.of(numbers_in(column))
    return Categories.of(column)


def _may_be_few(keys: Keys) -> bool:
    return len(np.unique(keys[: 2 * MOST_DISTINCT])) <= MOST_DISTINCT


def _few(counted: Counted) -> Counted | None:
    return counted if len(counted.keys) <= MOST_DISTINCT else None


def _not_too_many(counts: Counter[Hashable]) -> Counter[Hashable] | None:
    return counts if len(counts) <= MOST_DISTINCT else None
