"""The means that tau = -1 and 1 stand for, of columns that are only seen batch by batch."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd

from uqwidgets.stress.anchors import Anchor, Anchors, share_anchors, tail_rows
from uqwidgets.stress.out_of_core.order_statistics import Rank, between, keys_of, quantile_ranks
from uqwidgets.stress.out_of_core.scan import LEADING, Each, Numeric, column_of, numbers_in
from uqwidgets.stress.out_of_core.sources import Source


def ends_of(
    source: Source, surveyed: Mapping[str, Numeric], alpha: float, anchor: Anchor
) -> dict[str, Anchors]:
    """Find the ends of every column, the same as `uqwidgets.stress.anchors.anchors_of` does.

    Parameters
    ----------
    source : Source
        Gone through until the ranks that are wanted are known to the last bit: not at all where
        all columns have few values, and else mostly once.
    surveyed : mapping of str to Numeric
        Columns with at least one value.
    alpha : float
    anchor : {"quantile", "tail-mean"}
    """
    found = {
        name: two_ends(column, alpha)
        for name, column in surveyed.items()
        if column.distinct is not None and len(column.distinct) == 2
    }
    others = {name: column for name, column in surveyed.items() if name not in found}
    if anchor == "quantile":
        return found | _quantiles(source, others, alpha)
    return found | _tail_means(source, others, alpha)


def two_ends(column: Numeric, alpha: float) -> Anchors:
    """Find the ends of a column of two values, by the share of the upper one."""
    assert column.values is not None
    share = int(column.values.counts[1]) / column.n
    return share_anchors(share, alpha, column.least, column.most)


def _quantiles(source: Source, columns: Mapping[str, Numeric], alpha: float) -> dict[str, Anchors]:
    places = {
        name: [quantile_ranks(column.n, part) for part in (alpha, 1 - alpha)]
        for name, column in columns.items()
    }
    wanted = {
        name: [r for first, last, _ in p for r in (first, last)] for name, p in places.items()
    }
    ranks = _ranked(source, columns, wanted)
    found = {}
    for name, (below, above) in places.items():
        values = [rank.value for rank in ranks[name]]
        low, high = between(values[:2], below[2]), between(values[2:], above[2])
        found[name] = Anchors(low, high, "quantile", alpha, (low, high))
    return found


def _tail_means(source: Source, columns: Mapping[str, Numeric], alpha: float) -> dict[str, Anchors]:
    rows = {name: tail_rows(column.n, alpha) for name, column in columns.items()}
    wanted = {name: [rows[name] - 1, column.n - rows[name]] for name, column in columns.items()}
    ranks = _ranked(source, columns, wanted)
    last = {name: (low.value, high.value) for name, (low, high) in ranks.items()}
    if not last:
        return {}
    beyond = source.total(partial(_beyond, last))
    assert beyond is not None
    found = {}
    for name, (low, high) in last.items():
        # Exactly the end of the column where all rows of the tail are there.
        below, above = beyond[name] / rows[name]
        found[name] = Anchors(low + below, high + above, "tail-mean", alpha, (low, high))
    return found


def _beyond(last: Mapping[str, tuple[float, float]], batch: pd.DataFrame) -> Each:
    """How far values lie beyond the last ones of the tails, in sum."""
    found = Each()
    for name, (low, high) in last.items():
        values = numbers_in(column_of(batch, name))
        values = values[np.isfinite(values)]
        below = np.minimum(values - low, 0.0).sum()
        found[name] = np.array([below, np.maximum(values - high, 0.0).sum()])
    return found


def _ranked(
    source: Source, columns: Mapping[str, Numeric], wanted: Mapping[str, list[int]]
) -> dict[str, list[Rank]]:
    ranks = {}
    for name, column in columns.items():
        counted = column.leading if column.values is None else column.values
        shift = LEADING if column.values is None else 0
        ranks[name] = [Rank.among(counted, rank, shift) for rank in wanted[name]]
    while any(rank.shift for several in ranks.values() for rank in several):
        looked = source.total(partial(_look, ranks))
        assert looked is not None
        ranks = {
            name: [
                rank.narrowed(looked[name, rank.key]) if rank.shift else rank for rank in several
            ]
            for name, several in ranks.items()
        }
    return ranks


def _look(ranks: Mapping[str, list[Rank]], batch: pd.DataFrame) -> Each:
    found = Each()
    for name, several in ranks.items():
        open_ranks = {rank.key: rank for rank in several if rank.shift}
        if open_ranks:
            values = numbers_in(column_of(batch, name))
            keys = keys_of(values[np.isfinite(values)])
            found.update({(name, key): rank.look(keys) for key, rank in open_ranks.items()})
    return found
