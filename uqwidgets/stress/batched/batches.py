"""Indicators over tau from rows that are only seen batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets.predictive.distributions import Floats
from uqwidgets.results import Stress
from uqwidgets.stress.anchors import checked_wishes
from uqwidgets.stress.batched.placing import Placed, placed
from uqwidgets.stress.batched.sources import Source, source_of
from uqwidgets.stress.batched.survey import Categories, Each, Numeric, Surveying
from uqwidgets.stress.compressed.levels import Levels, levels
from uqwidgets.stress.indicators import ANY, MEAN, Indicator
from uqwidgets.stress.profile import assembled
from uqwidgets.stress.projection import checked_taus

# From a batch to what is to be averaged over its rows.
Outputs = Callable[[pd.DataFrame], Sequence[Indicator]]


def profile_batches(
    batches: Any,
    outputs: Callable[[pd.DataFrame], Mapping[str, npt.ArrayLike]],
    features: Sequence[str] | None = None,
    *,
    taus: int | npt.ArrayLike = 21,
    alpha: float = 0.05,
    anchor: str = "quantile",
    missing: str = "error",
) -> Stress:
    """Stress every feature of a table that need not fit in memory (004, sections 2.2 and 3).

    The batches are gone through two to four times: to find out what the columns hold, to find
    their quantiles exactly, and once to sum their rows and outputs over nodes; then every level
    follows from the nodes. The result is that of all rows in memory, to about 1e-12. Memory
    holds one batch, and a few thousand numbers per feature and output.

    Parameters
    ----------
    batches : DataFrame, sequence of DataFrame, callable, path, sequence of path, or Dask DataFrame
        See `uqwidgets.stress.batched.sources.source_of`.
    outputs : callable
        From a batch to named numbers, each of shape (rows of the batch,): their weighted means
        are the indicators. It is asked once for every row.
    features : sequence of str, optional
        All that have a value in every row, unless named.
    taus, alpha, anchor, missing
        As in `uqwidgets.Explainer.stress`.

    Returns
    -------
    Stress
        Without intervals.

    Raises
    ------
    TypeError
        If the batches cannot be read.
    ValueError
        For a name that does not exist, a feature that cannot be stressed, a value out of range,
        or batches that do not fit each other.
    """
    source = source_of(batches)
    features = [features] if isinstance(features, str) else features
    surveyed = survey(source, features)
    return stress_of_batches(
        source,
        surveyed,
        partial(_means, outputs),
        named=features is not None,
        taus=taus,
        alpha=alpha,
        anchor=anchor,
        missing=missing,
    )


def survey(source: Source, columns: Sequence[str] | None) -> dict[str, Numeric | Categories]:
    """Go through the batches once to find what the columns hold; None for all of them.

    Raises
    ------
    ValueError
        If there are no rows, or no columns are named, or one of them is missing.
    """
    if columns is not None and not columns:
        raise ValueError("features is empty; name at least one.")
    found = source.total(Surveying(columns))
    if found is None:
        raise ValueError("the batches have no rows; pass those that are to be explained.")
    return {str(name): column for name, column in found.items()}


def stress_of_batches(
    source: Source,
    surveyed: Mapping[str, Numeric | Categories],
    outputs: Outputs,
    *,
    named: bool,
    taus: int | npt.ArrayLike,
    alpha: float,
    anchor: str,
    missing: str,
) -> Stress:
    """Stress the columns that were surveyed; those not named are left out where they cannot be.

    Parameters and errors are those of `profile_batches`.
    """
    grid = checked_taus(taus)
    kind = checked_wishes(alpha, anchor, missing)
    kept, remarks = _stressable(surveyed, named, missing)
    columns = placed(source, kept, alpha, kind)
    tables = source.total(partial(tables_of, columns, outputs))
    assert tables is not None
    found = [levels(c.compressed(tables.sums[c.name]), grid) for c in columns]
    values = tables.values(found)
    nothing = {name: np.full_like(v, np.nan) for name, v in values.items()}
    return assembled(
        [c.name for c in columns],
        found,
        tables.indicators,
        (values, nothing, nothing),
        grid,
        alpha=alpha,
        anchor=anchor,
        level=None,
        remarks=remarks,
    )


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
        `Sums` by the name of what is stressed.
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

    def values(self, found: Sequence[Levels]) -> dict[str, Floats]:
        """Each indicator at every level of every column, by name, shape (p, t)."""
        means = np.stack([f.means for f in found])
        values, start = {}, 0
        for indicator, length in zip(self.indicators, self.lengths, strict=True):
            parts = np.moveaxis(means[..., start : start + length], -1, 0)
            values[indicator.name] = indicator.combine(*parts)
            start += length
        return values


def tables_of(columns: Sequence[Placed], outputs: Outputs, batch: pd.DataFrame) -> Tables:
    """Sum the rows of a batch over nodes: the one pass that asks for outputs."""
    indicators = outputs(batch)
    lengths = tuple(len(i.per_row) for i in indicators)
    per_row = np.empty((len(batch), sum(lengths)), order="F")
    for k, numbers in enumerate(v for i in indicators for v in i.per_row):
        per_row[:, k] = numbers
    sums = Each()
    for column in columns:
        values = column.values(batch)
        present = np.isfinite(values)
        whole = bool(present.all())
        sums[column.name] = column.grid.sums(
            values if whole else values[present], per_row if whole else per_row[present]
        )
    return Tables(tuple(replace(i, per_row=()) for i in indicators), lengths, sums)


def _means(
    outputs: Callable[[pd.DataFrame], Mapping[str, npt.ArrayLike]], batch: pd.DataFrame
) -> list[Indicator]:
    found = []
    for name, given in outputs(batch).items():
        numbers = np.asarray(given, dtype=np.float64)
        if numbers.shape != (len(batch),):
            raise ValueError(
                f"the output {name!r} has shape {numbers.shape} for a batch of {len(batch)} "
                "rows; give one number per row."
            )
        if not np.isfinite(numbers).all():
            row = int(np.argmin(np.isfinite(numbers)))
            raise ValueError(f"the output {name!r} is {numbers[row]} in row {row} of a batch.")
        found.append(Indicator(name, name, "", (numbers,), MEAN, ANY))
    if not found:
        raise ValueError("outputs gives nothing to average; return at least one name.")
    return found


def _stressable(
    surveyed: Mapping[str, Numeric | Categories], named: bool, missing: str
) -> tuple[dict[str, Numeric | Categories], tuple[str, ...]]:
    kept, remarks = {}, []
    for feature, column in surveyed.items():
        rows = column.absent + column.n
        if isinstance(column, Categories) and column.counts is None:
            why = "more categories than can be stressed one by one"
        elif column.n == 0:
            why = "no value in any row"
        elif column.absent and missing == "error":
            why = f"missing or infinite in {column.absent} of {rows} rows"
        else:
            kept[feature] = column
            if column.absent:
                remarks.append(
                    f"{feature}: {column.absent} of {rows} rows without a value are left out"
                )
            continue
        if named:
            raise ValueError(f"{feature!r} cannot be stressed: {why}.")
        remarks.append(f"{feature} is left out: {why}")
    if not kept:
        raise ValueError(f"no feature can be stressed: {'; '.join(remarks)}.")
    return kept, tuple(remarks)
