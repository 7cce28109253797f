"""Indicators over tau, from rows in batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets._utils.choices import as_names
from uqwidgets._utils.remarks import Remark
from uqwidgets.inference import checked_level
from uqwidgets.stress.anchors import checked_options
from uqwidgets.stress.indicators import ANY, MEAN, Indicator
from uqwidgets.stress.intervals import COVERAGE_BY_NODES, coverage_remarks
from uqwidgets.stress.out_of_core.columns import grid_columns
from uqwidgets.stress.out_of_core.intervals import intervals
from uqwidgets.stress.out_of_core.scan import CategorySummary, ColumnScan, Names, NumericSummary
from uqwidgets.stress.out_of_core.sources import Source, source_of
from uqwidgets.stress.out_of_core.sums import Outputs, batch_sums
from uqwidgets.stress.profile import build_result
from uqwidgets.stress.projection import checked_taus
from uqwidgets.stress.result import Stress


def profile_batches(
    batches: Any,
    outputs: Callable[[pd.DataFrame], Mapping[str, npt.ArrayLike]],
    features: Sequence[str] | None = None,
    *,
    taus: int | npt.ArrayLike = 21,
    tail: float = 0.05,
    anchor: str = "quantile",
    missing: str = "error",
    level: float | None = None,
) -> Stress:
    """Stress every feature of a table that does not have to fit in memory.

    Source: Bachoc et al. 2023, sections 2.2 and 3.

    There are two to four passes over the batches: one to summarise the columns, up to two to
    compute their anchors exactly, and one to sum the rows and outputs over nodes; then every level
    follows from the nodes. The values are those of all rows in memory, to about 1e-12. Memory
    holds one batch, and a few thousand numbers per feature and output.

    Parameters
    ----------
    batches : DataFrame, sequence of DataFrame, callable, path, sequence of path, or Dask DataFrame
        See `uqwidgets.stress.out_of_core.sources.source_of`.
    outputs : callable
        From a batch to a dict of named numbers, each of shape (rows of the batch,): their weighted
        means are the indicators. It is called once for every batch.
    features : sequence of str, optional
        Features to stress; by default all that have a value in every row.
    taus, tail, anchor, missing
        As in `uqwidgets.Explainer.stress`.
    level : float, optional
        Level of pointwise intervals, as in `uqwidgets.stress_batches`; by default there are none.

    Returns
    -------
    Stress

    Raises
    ------
    TypeError
        If the batches cannot be read.
    ValueError
        For a name that does not exist, a feature that cannot be stressed, a value out of range,
        or batches that do not fit each other.
    """
    source = source_of(batches)
    summaries = summarise_columns(source, partial(_names_among, requested_features(features)))
    return stress_of_batches(
        source,
        summaries,
        partial(_means, outputs),
        named=features is not None,
        taus=taus,
        tail=tail,
        anchor=anchor,
        missing=missing,
        level=level,
    )


def summarise_columns(
    source: Source, columns: Names
) -> dict[str, NumericSummary | CategorySummary]:
    """Summarise the columns in one pass over the batches.

    Parameters
    ----------
    source : Source
    columns : callable
        From the labels of a batch's columns to the names of those to summarise.

    Raises
    ------
    ValueError
        If there are no rows, or a column is missing.
    """
    summaries = source.total(ColumnScan(columns))
    if summaries is None:
        raise ValueError("the batches have no rows; pass those that are to be explained.")
    return {str(name): column for name, column in summaries.items()}


def requested_features(features: Sequence[Any] | None) -> list[str] | None:
    """Names of the features that the user requests; None where none are named.

    Raises
    ------
    ValueError
        If the sequence is empty.
    """
    return None if features is None else [str(name) for name in as_names(features)]


def stress_of_batches(
    source: Source,
    summaries: Mapping[str, NumericSummary | CategorySummary],
    outputs: Outputs,
    *,
    named: bool,
    taus: int | npt.ArrayLike,
    tail: float,
    anchor: str,
    missing: str,
    level: float | None,
) -> Stress:
    """Stress the columns; those that cannot be stressed are left out unless they are ``named``.

    Parameters and errors are those of `profile_batches`.
    """
    grid = checked_taus(taus)
    kind = checked_options(tail, anchor, missing)
    level = None if level is None else checked_level(level)
    stressable, remarks = _stressable(summaries, named, missing)
    columns = grid_columns(source, stressable, tail, kind)
    sums = source.total(partial(batch_sums, columns, outputs, level is not None))
    assert sums is not None
    solved = [sums.levels(column, grid) for column in columns]
    values = [sums.values(levels) for levels in solved]
    ends = [
        intervals(sums, column, levels, value, level)
        for column, levels, value in zip(columns, solved, values, strict=True)
    ]

    def each(lines: Sequence[Floats]) -> dict[str, Floats]:
        stacked = np.stack(lines, axis=1)
        return {i.name: line for i, line in zip(sums.indicators, stacked, strict=True)}

    names = [c.name for c in columns]
    if level is not None:
        remarks += coverage_remarks(
            names, grid, np.stack([levels.ess for levels in solved]), COVERAGE_BY_NODES
        )
    return build_result(
        names,
        solved,
        sums.indicators,
        (each(values), each([e[0] for e in ends]), each([e[1] for e in ends])),
        grid,
        tail=tail,
        anchor=anchor,
        level=level,
        remarks=remarks,
    )


def _names_among(features: list[str] | None, labels: Sequence[Any]) -> list[str]:
    return [str(label) for label in labels] if features is None else features


def _means(
    outputs: Callable[[pd.DataFrame], Mapping[str, npt.ArrayLike]], batch: pd.DataFrame
) -> list[Indicator]:
    indicators, returned = [], outputs(batch)
    if not isinstance(returned, Mapping):
        raise TypeError(
            f"outputs returns {type(returned).__name__}; it must return a dict of named numbers."
        )
    for name, values in returned.items():
        try:
            numbers = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"the output {name!r} is not all numbers: {error}; give one number per row."
            ) from error
        if numbers.shape != (len(batch),):
            raise ValueError(
                f"the output {name!r} has shape {numbers.shape} for a batch of {len(batch)} "
                "rows; give one number per row."
            )
        if not np.isfinite(numbers).all():
            row = int(np.argmin(np.isfinite(numbers)))
            raise ValueError(
                f"the output {name!r} is {numbers[row]} in row {row} of a batch; return "
                "a finite number."
            )
        indicators.append(Indicator(name, name, "", (numbers,), MEAN, ANY))
    if not indicators:
        raise ValueError("outputs returns nothing to average; return at least one name.")
    return indicators


def _stressable(
    summaries: Mapping[str, NumericSummary | CategorySummary], named: bool, missing: str
) -> tuple[dict[str, NumericSummary | CategorySummary], tuple[Remark, ...]]:
    stressable, remarks = {}, []
    for feature, column in summaries.items():
        rows = column.n_missing + column.n
        if isinstance(column, CategorySummary) and column.counts is None:
            why = "more categories than can be stressed one by one"
        elif column.n == 0:
            why = "no value in any row"
        elif column.n_missing and missing == "error":
            why = f"missing or infinite in {column.n_missing} of {rows} rows"
        else:
            stressable[feature] = column
            if column.n_missing:
                remarks.append(
                    Remark(
                        "missing-values",
                        f"{feature}: {column.n_missing} of {rows} rows without a value are left "
                        "out",
                    )
                )
            continue
        if named:
            raise ValueError(f"{feature!r} cannot be stressed: {why}.")
        remarks.append(Remark("feature-left-out", f"{feature} is left out: {why}"))
    if not stressable:
        raise ValueError(f"no feature can be stressed: {'; '.join(remarks)}.")
    return stressable, tuple(remarks)
