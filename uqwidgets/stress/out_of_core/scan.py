"""The first pass over the batches: a summary of every column."""

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
from uqwidgets.stress.out_of_core.order_statistics import (
    DIGIT,
    KeyCounts,
    Keys,
    keys_of,
    numbers_of,
)

# A function from the labels of a batch's columns to the names of those to summarise.
Names = Callable[[Sequence[Any]], Sequence[str]]
# Bits of a key that the first pass does not count.
LEADING = 64 - DIGIT


class SumsByName(dict[Hashable, Any]):
    """A dict of summable values by name; the sum of two has the sums of their values.

    Raises
    ------
    ValueError
        If the batches have other columns, or columns of another kind.
    """

    def __add__(self, other: SumsByName) -> SumsByName:
        if self.keys() != other.keys():
            unmatched = min(map(str, self.keys() ^ other.keys()))
            raise ValueError(
                f"only some batches have a column {unmatched!r}; give all the same columns."
            )
        for name, value in self.items():
            if type(value) is not type(other[name]):
                raise ValueError(
                    f"{name!r} is numeric in one batch and not in another; give it one type."
                )
        return SumsByName({name: value + other[name] for name, value in self.items()})


@dataclass(frozen=True, eq=False)
class NumericSummary:
    """Summary of a numeric column after one pass.

    Attributes
    ----------
    n, n_missing : int
        Number of rows with a finite value, and without one.
    least, most, total : float
        Minimum, maximum and sum of these values.
    values : KeyCounts or None
        Counts of all distinct values; None where there are too many.
    leading : KeyCounts
        Counts of the leading bits of the values.
    """

    n: int
    n_missing: int
    least: float
    most: float
    total: float
    values: KeyCounts | None
    leading: KeyCounts

    @classmethod
    def of(cls, numbers: Floats) -> NumericSummary:
        """Summarise the values (n,) of a batch; missing ones are NaN."""
        present = numbers[np.isfinite(numbers)]
        keys = keys_of(present)
        return cls(
            n=len(present),
            n_missing=len(numbers) - len(present),
            least=float(present.min(initial=np.inf)),
            most=float(present.max(initial=-np.inf)),
            total=float(present.sum()),
            values=_if_few(KeyCounts.of(keys)) if _may_have_few(keys) else None,
            leading=KeyCounts.of(keys >> LEADING),
        )

    def __add__(self, other: NumericSummary) -> NumericSummary:
        both = None
        if self.values is not None and other.values is not None:
            both = _if_few(self.values + other.values)
        return NumericSummary(
            self.n + other.n,
            self.n_missing + other.n_missing,
            min(self.least, other.least),
            max(self.most, other.most),
            self.total + other.total,
            both,
            self.leading + other.leading,
        )

    @property
    def distinct(self) -> Floats | None:
        """All distinct values in ascending order; None where there are too many."""
        return None if self.values is None else numbers_of(self.values.keys)


@dataclass(frozen=True, eq=False)
class CategorySummary:
    """Summary of a categorical column after one pass.

    Attributes
    ----------
    n_missing : int
        Number of rows without a value.
    counts : Counter or None
        Number of rows of every category; None where there are too many categories to stress.
    """

    n_missing: int
    counts: Counter[Hashable] | None

    @classmethod
    def of(cls, column: pd.Series[Any]) -> CategorySummary:
        """Summarise the values (n,) of a batch."""
        counts = column.value_counts()
        present = Counter({label: int(k) for label, k in counts.items() if k})
        return cls(int(column.isna().sum()), _if_few_categories(present))

    def __add__(self, other: CategorySummary) -> CategorySummary:
        both = None
        if self.counts is not None and other.counts is not None:
            both = _if_few_categories(self.counts + other.counts)
        return CategorySummary(self.n_missing + other.n_missing, both)

    @property
    def n(self) -> int:
        """Number of rows with a value."""
        return 0 if self.counts is None else self.counts.total()


@dataclass(frozen=True)
class ColumnScan:
    """From a batch to the summaries of its columns, by name.

    Attributes
    ----------
    columns : callable
        From the labels of a batch's columns to the names of those to summarise.
    """

    columns: Names

    def __call__(self, batch: pd.DataFrame) -> SumsByName:
        """Summarise the columns of a batch."""
        names = self.columns(list(batch.columns))
        return SumsByName({name: _summary(column_of(batch, name)) for name in names})


def column_of(batch: pd.DataFrame, name: str) -> pd.Series[Any]:
    """Return the column of a name.

    Raises
    ------
    ValueError
        If the batch has no such column.
    """
    for position, label in enumerate(batch.columns):
        if str(label) == name:
            return batch.iloc[:, position]
    raise ValueError(unknown("column", name, [str(c) for c in batch.columns]))


def numbers_in(column: pd.Series[Any]) -> Floats:
    """Values of a numeric column as floats; missing values are NaN."""
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def _summary(column: pd.Series[Any]) -> NumericSummary | CategorySummary:
    dtype = column.dtype
    if pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype):
        return NumericSummary.of(numbers_in(column))
    return CategorySummary.of(column)


def _may_have_few(keys: Keys) -> bool:
    return len(np.unique(keys[: 2 * MOST_DISTINCT])) <= MOST_DISTINCT


def _if_few(counted: KeyCounts) -> KeyCounts | None:
    return counted if len(counted.keys) <= MOST_DISTINCT else None


def _if_few_categories(counts: Counter[Hashable]) -> Counter[Hashable] | None:
    return counts if len(counts) <= MOST_DISTINCT else None
