"""Sums of the rows of a batch over the nodes of every column; those of two batches add up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets.stress.compressed.grids import Distinct, Sums
from uqwidgets.stress.compressed.levels import Levels, levels
from uqwidgets.stress.indicators import Indicator
from uqwidgets.stress.out_of_core.columns import GridColumn
from uqwidgets.stress.out_of_core.scan import SumsByName

Pairs = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class SecondMoments:
    """Sums of the rows of one or several batches, with second moments of the outputs.

    Products are those of outputs minus their centres, because squares of numbers far from 0 lose
    the digits in which the numbers differ. The sum of two has the centres of the first.

    Attributes
    ----------
    sums : Sums
        Sums of the rows, of each of q outputs, and of each of k products.
    low, high : Sums
        Sums of the rows in the lower and in the upper tail, and of each output there.
    centres : ndarray of shape (q,)
    pairs : ndarray of shape (k, 2)
        Positions of the two outputs of each product.
    """

    sums: Sums
    low: Sums
    high: Sums
    centres: Floats
    pairs: Pairs

    def __add__(self, other: SecondMoments) -> SecondMoments:
        return SecondMoments(
            self.sums + other._around(self.centres),
            self.low + other.low,
            self.high + other.high,
            self.centres,
            self.pairs,
        )

    def centred(self) -> tuple[Sums, Sums, Sums]:
        """Return the sums of all rows and of both tails, with outputs minus their centres."""
        whole, low, high = (_subtract(s, self.centres) for s in (self.sums, self.low, self.high))
        return whole, low, high

    def _around(self, centres: Floats) -> Sums:
        """Return the sums of all rows, with products around other centres."""
        shift, q = self.centres - centres, len(centres)
        one, other = self.pairs.T

        def recentre(lines: Floats) -> Floats:
            rows, centred = lines[0], lines[1 : 1 + q] - self.centres[:, None] * lines[0]
            change = shift[one, None] * centred[other] + shift[other, None] * centred[one]
            change += (shift[one] * shift[other])[:, None] * rows
            return np.concatenate([lines[: 1 + q], lines[1 + q :] + change])

        return replace(self.sums, masses=recentre(self.sums.masses), ends=recentre(self.sums.ends))


def pairs_within(lengths: Sequence[int]) -> Pairs:
    """Pairs of outputs of the same indicator, from the number of outputs of each; shape (k, 2)."""
    pairs, start = [], 0
    for length in lengths:
        one, other = np.triu_indices(length)
        pairs.append(start + np.stack([one, other], axis=1))
        start += length
    return np.concatenate(pairs)


def with_products(outputs: Floats, centres: Floats, pairs: Pairs) -> Floats:
    """Append products of outputs minus their centres: (n, q) to (n, q + k)."""
    n, q = outputs.shape
    extended = np.empty((n, q + len(pairs)), order="F")
    extended[:, :q] = outputs
    centred = outputs - centres
    for k, (one, other) in enumerate(pairs.tolist(), start=q):
        np.multiply(centred[:, one], centred[:, other], out=extended[:, k])
    return extended


def second_moments(
    column: GridColumn, values: Floats, outputs: Floats, centres: Floats, pairs: Pairs
) -> SecondMoments:
    """Sum rows of a batch over the nodes of a column.

    Parameters
    ----------
    column : GridColumn
    values : ndarray of shape (n,)
        Values of the column, all finite.
    outputs : ndarray of shape (n, q + k)
        See `with_products`.
    centres : ndarray of shape (q,)
    pairs : ndarray of shape (k, 2)
    """
    grid, (lower, upper), q = column.grid, column.anchors.tail_edges, len(centres)
    sums = grid.sums(values, outputs.T)
    if isinstance(grid, Distinct):
        low, high = (_at_nodes(sums, q, at) for at in (grid.values <= lower, grid.values >= upper))
    else:
        low, high = (
            grid.sums(values[at], outputs[at, :q].T) for at in (values <= lower, values >= upper)
        )
    return SecondMoments(sums, low, high, centres, pairs)


def _at_nodes(sums: Sums, q: int, nodes: npt.NDArray[np.bool_]) -> Sums:
    """Return the sums of the rows at some of the distinct values, without products."""
    masses = sums.masses[: 1 + q] * nodes
    return Sums(masses, sums.counts * nodes, masses[:, [0, -1]])


def _subtract(sums: Sums, centres: Floats) -> Sums:
    q = len(centres)

    def subtract(lines: Floats) -> Floats:
        outputs = lines[1 : 1 + q] - centres[:, None] * lines[0]
        return np.concatenate([lines[:1], outputs, lines[1 + q :]])

    return replace(sums, masses=subtract(sums.masses), ends=subtract(sums.ends))


# A function from a batch to its indicators.
Outputs = Callable[[pd.DataFrame], Sequence[Indicator]]


@dataclass(frozen=True, eq=False)
class BatchSums:
    """Sums of the rows of one or several batches, for all columns.

    Attributes
    ----------
    indicators : tuple of Indicator
        Without their values per row.
    lengths : tuple of int
        Number of outputs of each.
    sums : SumsByName
        By the name of the column: `SecondMoments` where intervals are computed, otherwise `Sums`.
    """

    indicators: tuple[Indicator, ...]
    lengths: tuple[int, ...]
    sums: SumsByName

    def __add__(self, other: BatchSums) -> BatchSums:
        own, others = ([i.name for i in t.indicators] for t in (self, other))
        if own != others:
            name = min(set(own) ^ set(others), default=own[0])
            raise ValueError(f"only some batches give {name!r}; give the same outputs for all.")
        return BatchSums(self.indicators, self.lengths, self.sums + other.sums)

    def levels(self, column: GridColumn, taus: Floats) -> Levels:
        """Solve for the weights of a column at every level (t,)."""
        sums = self.sums[column.name]
        return levels(
            column.compressed(sums.sums if isinstance(sums, SecondMoments) else sums), taus
        )

    def values(self, levels: Levels) -> Floats:
        """Compute the indicators at every level of a column, shape (q, t)."""
        values, start = np.empty((len(self.indicators), len(levels.taus))), 0
        for q, (indicator, length) in enumerate(zip(self.indicators, self.lengths, strict=True)):
            values[q] = indicator.combine(*levels.means[:, start : start + length].T)
            start += length
        return values


def batch_sums(
    columns: Sequence[GridColumn], outputs: Outputs, with_squares: bool, batch: pd.DataFrame
) -> BatchSums:
    """Sum the rows of a batch over nodes, in the only pass that computes outputs.

    Parameters
    ----------
    columns : sequence of GridColumn
    outputs : callable
    with_squares : bool
        Whether to sum second moments too, which intervals need.
    batch : DataFrame
    """
    indicators = outputs(batch)
    lengths = tuple(len(i.per_row) for i in indicators)
    per_row = np.empty((len(batch), sum(lengths)), order="F")
    for k, numbers in enumerate(v for i in indicators for v in i.per_row):
        per_row[:, k] = numbers
    centres, pairs = per_row.mean(axis=0), pairs_within(lengths)
    if with_squares:
        per_row = with_products(per_row, centres, pairs)
    sums = SumsByName()
    for column in columns:
        values = column.values(batch)
        present = np.isfinite(values)
        rows = per_row
        if not present.all():
            values, rows = values[present], per_row[present]
        sums[column.name] = (
            second_moments(column, values, rows, centres, pairs)
            if with_squares
            else column.grid.sums(values, rows.T)
        )
    return BatchSums(tuple(replace(i, per_row=()) for i in indicators), lengths, sums)
