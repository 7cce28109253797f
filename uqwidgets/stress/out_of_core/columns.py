"""Columns of batches: the anchors of tau, and the grid on which all rows are summed."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets.stress.anchors import Anchor, Anchors, anchors_of, share_anchors, tail_rows
from uqwidgets.stress.compressed.compression import Compressed, ValueGrid
from uqwidgets.stress.compressed.grids import Distinct, Panels, Sums
from uqwidgets.stress.out_of_core.order_statistics import Rank, interpolate, keys_of, quantile_ranks
from uqwidgets.stress.out_of_core.scan import (
    LEADING,
    CategorySummary,
    NumericSummary,
    SumsByName,
    column_of,
    numbers_in,
)
from uqwidgets.stress.out_of_core.sources import Source


def anchors_of_batches(
    source: Source, summaries: Mapping[str, NumericSummary], tail: float, anchor: Anchor
) -> dict[str, Anchors]:
    """Compute the anchors of every column, as `uqwidgets.stress.anchors.anchors_of` does.

    Parameters
    ----------
    source : Source
        Passes are made until all order statistics are exact: none where all columns have few
        distinct values, and usually one otherwise.
    summaries : mapping of str to NumericSummary
        Summaries of columns with at least one value.
    tail : float
    anchor : {"quantile", "tail-mean"}
    """
    anchors = {
        name: _share_anchors(column, tail)
        for name, column in summaries.items()
        if column.distinct is not None and len(column.distinct) == 2
    }
    others = {name: column for name, column in summaries.items() if name not in anchors}
    if anchor == "quantile":
        return anchors | _quantiles(source, others, tail)
    return anchors | _tail_means(source, others, tail)


def _share_anchors(column: NumericSummary, tail: float) -> Anchors:
    """Anchors of a column of two values, by the share of the greater one."""
    assert column.values is not None
    share = int(column.values.counts[1]) / column.n
    return share_anchors(share, tail, column.least, column.most)


def _quantiles(
    source: Source, columns: Mapping[str, NumericSummary], tail: float
) -> dict[str, Anchors]:
    places = {
        name: [quantile_ranks(column.n, part) for part in (tail, 1 - tail)]
        for name, column in columns.items()
    }
    needed = {
        name: [r for first, last, _ in p for r in (first, last)] for name, p in places.items()
    }
    ranks = _order_statistics(source, columns, needed)
    anchors = {}
    for name, (below, above) in places.items():
        values = [rank.value for rank in ranks[name]]
        low, high = interpolate(values[:2], below[2]), interpolate(values[2:], above[2])
        anchors[name] = Anchors(low, high, "quantile", tail, (low, high))
    return anchors


def _tail_means(
    source: Source, columns: Mapping[str, NumericSummary], tail: float
) -> dict[str, Anchors]:
    rows = {name: tail_rows(column.n, tail) for name, column in columns.items()}
    needed = {name: [rows[name] - 1, column.n - rows[name]] for name, column in columns.items()}
    ranks = _order_statistics(source, columns, needed)
    last = {name: (low.value, high.value) for name, (low, high) in ranks.items()}
    if not last:
        return {}
    beyond = source.total(partial(_excess_beyond, last))
    assert beyond is not None
    anchors = {}
    for name, (low, high) in last.items():
        # This is exactly the extreme of the column where all rows of the tail have that value.
        below, above = beyond[name] / rows[name]
        anchors[name] = Anchors(low + below, high + above, "tail-mean", tail, (low, high))
    return anchors


def _excess_beyond(last: Mapping[str, tuple[float, float]], batch: pd.DataFrame) -> SumsByName:
    """Sum how far values are beyond the innermost values of the two tails, by column."""
    excess = SumsByName()
    for name, (low, high) in last.items():
        values = numbers_in(column_of(batch, name))
        values = values[np.isfinite(values)]
        below = np.minimum(values - low, 0.0).sum()
        excess[name] = np.array([below, np.maximum(values - high, 0.0).sum()])
    return excess


def _order_statistics(
    source: Source, columns: Mapping[str, NumericSummary], needed: Mapping[str, list[int]]
) -> dict[str, list[Rank]]:
    ranks = {}
    for name, column in columns.items():
        counted = column.leading if column.values is None else column.values
        shift = LEADING if column.values is None else 0
        ranks[name] = [Rank.among(counted, rank, shift) for rank in needed[name]]
    while any(rank.shift for several in ranks.values() for rank in several):
        counts = source.total(partial(_count, ranks))
        assert counts is not None
        ranks = {
            name: [rank.refine(counts[name, rank.key]) if rank.shift else rank for rank in several]
            for name, several in ranks.items()
        }
    return ranks


def _count(ranks: Mapping[str, list[Rank]], batch: pd.DataFrame) -> SumsByName:
    counts = SumsByName()
    for name, several in ranks.items():
        open_ranks = {rank.key: rank for rank in several if rank.shift}
        if open_ranks:
            values = numbers_in(column_of(batch, name))
            keys = keys_of(values[np.isfinite(values)])
            counts.update({(name, key): rank.count(keys) for key, rank in open_ranks.items()})
    return counts


@dataclass(frozen=True, eq=False)
class GridColumn:
    """A column whose mean, or a category whose share, is moved, with the grid for its rows.

    Attributes
    ----------
    name : str
        The feature, or ``feature=category``.
    feature : str
    category : object or None
    least, most : float
    anchors : Anchors
    grid : ValueGrid
    """

    name: str
    feature: str
    category: Hashable | None
    least: float
    most: float
    anchors: Anchors
    grid: ValueGrid

    def values(self, batch: pd.DataFrame) -> Floats:
        """Values of the column in a batch, shape (n,), 0 or 1 for a category; missing are NaN."""
        column = column_of(batch, self.feature)
        if self.category is None:
            return numbers_in(column)
        indicator = np.asarray(column == self.category, dtype=np.float64)
        return np.where(column.isna(), np.nan, indicator)

    def compressed(self, sums: Sums) -> Compressed:
        """Compressed column, from the sums of all rows."""
        return Compressed(
            self.least, self.most, self.anchors.low, self.anchors.high, self.grid, sums
        )


def grid_columns(
    source: Source,
    summaries: Mapping[str, NumericSummary | CategorySummary],
    tail: float,
    anchor: Anchor,
) -> list[GridColumn]:
    """Choose the grids of all columns before any rows are summed, so that sums add up.

    Raises
    ------
    ValueError
        If no grid is fine enough for a column; the message says why.
    """
    numeric = {f: s for f, s in summaries.items() if isinstance(s, NumericSummary)}
    anchors = anchors_of_batches(source, numeric, tail, anchor)
    columns = []
    for feature, column in summaries.items():
        if isinstance(column, NumericSummary):
            columns.append(_numeric(feature, column, anchors[feature]))
        else:
            columns.extend(_categories(feature, column, tail))
    return columns


def _numeric(feature: str, column: NumericSummary, anchors: Anchors) -> GridColumn:
    grid: ValueGrid
    if column.distinct is not None:
        grid = Distinct(column.distinct)
    else:
        grid = Panels(column.least, column.most, anchors.low, anchors.high, column.n)
        if grid.too_fine:
            raise ValueError(
                f"{feature!r} runs from {column.least:g} to {column.most:g}: this range has too "
                "few floating-point numbers, or is too wide for the distance of an anchor from its "
                "end; subtract its offset, or stress its logarithm."
            )
    return GridColumn(feature, feature, None, column.least, column.most, anchors, grid)


def _categories(feature: str, column: CategorySummary, tail: float) -> list[GridColumn]:
    assert column.counts is not None
    columns = []
    for label in sorted(column.counts, key=str):
        share = column.counts[label] / column.n
        values = np.array([0.0, 1.0] if share < 1 else [1.0])
        anchors = share_anchors(share, tail) if share < 1 else anchors_of(values, tail, "quantile")
        name = f"{feature}={label}"
        grid = Distinct(values)
        columns.append(GridColumn(name, feature, label, values[0], values[-1], anchors, grid))
    return columns
