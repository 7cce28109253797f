"""Sums of the rows of every batch, and what follows from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets.stress.compressed.levels import Levels, levels
from uqwidgets.stress.indicators import Indicator
from uqwidgets.stress.out_of_core.columns import Placed
from uqwidgets.stress.out_of_core.intervals import Influences, interval_ends
from uqwidgets.stress.out_of_core.scan import Each
from uqwidgets.stress.out_of_core.second_moments import (
    Squared,
    pairs_within,
    squared,
    with_products,
)

# From a batch to what is to be averaged over its rows.
Outputs = Callable[[pd.DataFrame], Sequence[Indicator]]


@dataclass(frozen=True, eq=False)
class Tables:
    """Sums of the rows of a batch, or of several.

    Attributes
    ----------
    indicators : tuple of Indicator
        Without their numbers per row.
    lengths : tuple of int
        How many numbers per row each had.
    sums : Each
        `Sums` by the name of what is stressed; `Squared` where there are to be intervals.
    """

    indicators: tuple[Indicator, ...]
    lengths: tuple[int, ...]
    sums: Each

    def __add__(self, other: Tables) -> Tables:
        own, others = ([i.name for i in t.indicators] for t in (self, other))
        if own != others:
            odd = min(set(own) ^ set(others), default=own[0])
            raise ValueError(f"only some batches give {odd!r}; give the same outputs for all.")
        return Tables(self.indicators, self.lengths, self.sums + other.sums)

    def levels(self, column: Placed, taus: Floats) -> Levels:
        """Solve for the weights of a column at every level (t,)."""
        sums = self.sums[column.name]
        return levels(column.compressed(sums.sums if isinstance(sums, Squared) else sums), taus)

    def values(self, found: Levels) -> Floats:
        """Each indicator at every level of a column, shape (q, t)."""
        values, start = np.empty((len(self.indicators), len(found.taus))), 0
        for q, (indicator, length) in enumerate(zip(self.indicators, self.lengths, strict=True)):
            values[q] = indicator.combine(*found.means[:, start : start + length].T)
            start += length
        return values

    def intervals(
        self, column: Placed, found: Levels, values: Floats, level: float | None
    ) -> Floats:
        """Find the ends of the intervals around a column's values (q, t), shape (2, q, t)."""
        if level is None or column.least == column.most:  # no row does anything to a constant
            return np.full((2, *values.shape), np.nan)
        influences = Influences(found, self.sums[column.name], column.ends)
        return interval_ends(self.indicators, self.lengths, values, found, influences, level)


def tables_of(
    columns: Sequence[Placed], outputs: Outputs, squares: bool, batch: pd.DataFrame
) -> Tables:
    """Sum the rows of a batch over nodes: the one pass that asks for outputs.

    Parameters
    ----------
    columns : sequence of Placed
    outputs : callable
    squares : bool
        Whether there are to be intervals, which need more sums.
    batch : DataFrame
    """
    indicators = outputs(batch)
    lengths = tuple(len(i.per_row) for i in indicators)
    per_row = np.empty((len(batch), sum(lengths)), order="F")
    for k, numbers in enumerate(v for i in indicators for v in i.per_row):
        per_row[:, k] = numbers
    centres, pairs = per_row.mean(axis=0), pairs_within(lengths)
    if squares:
        per_row = with_products(per_row, centres, pairs)
    sums = Each()
    for column in columns:
        values = column.values(batch)
        present = np.isfinite(values)
        kept, rows = (values, per_row) if present.all() else (values[present], per_row[present])
        sums[column.name] = (
            squared(column, kept, rows, centres, pairs) if squares else column.grid.sums(kept, rows)
        )
    return Tables(tuple(replace(i, per_row=()) for i in indicators), lengths, sums)
