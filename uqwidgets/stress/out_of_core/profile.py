"""Indicators over tau from rows that are only seen batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets.inference import checked_level
from uqwidgets.stress.anchors import checked_wishes
from uqwidgets.stress.indicators import ANY, MEAN, Indicator
from uqwidgets.stress.out_of_core.columns import placed
from uqwidgets.stress.out_of_core.scan import Categories, Names, Numeric, Surveying
from uqwidgets.stress.out_of_core.sources import Source, source_of
from uqwidgets.stress.out_of_core.sums import Outputs, tables_of
from uqwidgets.stress.profile import assembled
from uqwidgets.stress.projection import checked_taus
from uqwidgets.stress.remarks import BY_NODES, few_rows
from uqwidgets.stress.result import Stress


def profile_batches(
    batches: Any,
    outputs: Callable[[pd.DataFrame], Mapping[str, npt.ArrayLike]],
    features: Sequence[str] | None = None,
    *,
    taus: int | npt.ArrayLike = 21,
    alpha: float = 0.05,
    anchor: str = "quantile",
    missing: str = "error",
    level: float | None = None,
) -> Stress:
    """Stress every feature of a table that need not fit in memory.

    Source: Bachoc et al. 2023, sections 2.2 and 3.

    The batches are gone through two to four times: to find out what the columns hold, to find
    their quantiles exactly, and once to sum their rows and outputs over nodes; then every level
    follows from the nodes. The values are those of all rows in memory, to about 1e-12. Memory
    holds one batch, and a few thousand numbers per feature and output.

    Parameters
    ----------
    batches : DataFrame, sequence of DataFrame, callable, path, sequence of path, or Dask DataFrame
        See `uqwidgets.stress.out_of_core.sources.source_of`.
    outputs : callable
        From a batch to named numbers, each of shape (rows of the batch,): their weighted means
        are the indicators. It is asked once for every row.
    features : sequence of str, optional
        All that have a value in every row, unless named.
    taus, alpha, anchor, missing
        As in `uqwidgets.Explainer.stress`.
    level : float, optional
        Of pointwise intervals, as in `uqwidgets.stress_batches`; none unless given.

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
    surveyed = survey(source, partial(_among, listed(features)))
    return stress_of_batches(
        source,
        surveyed,
        partial(_means, outputs),
        named=features is not None,
        taus=taus,
        alpha=alpha,
        anchor=anchor,
        missing=missing,
        level=level,
    )


def survey(source: Source, columns: Names) -> dict[str, Numeric | Categories]:
    """Go through the batches once to find what the columns hold.

    Parameters
    ----------
    source : Source
    columns : callable
        From the labels of a batch's columns to the names of those to look at.

    Raises
    ------
    ValueError
        If there are no rows, or a column is missing.
    """
    found = source.total(Surveying(columns))
    if found is None:
        raise ValueError("the batches have no rows; pass those that are to be explained.")
    return {str(name): column for name, column in found.items()}


def listed(features: Sequence[Any] | None) -> list[str] | None:
    """Names of the features that are wanted; None where none are named.

    Raises
    ------
    ValueError
        If there are none among them.
    """
    if features is None:
        return None
    if not len(features):
        raise ValueError("features is empty; name at least one.")
    return [features] if isinstance(features, str) else [str(f) for f in features]


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
    level: float | None,
) -> Stress:
    """Stress the columns that were surveyed; those not named are left out where they cannot be.

    Parameters and errors are those of `profile_batches`.
    """
    grid = checked_taus(taus)
    kind = checked_wishes(alpha, anchor, missing)
    level = None if level is None else checked_level(level)
    kept, remarks = _stressable(surveyed, named, missing)
    columns = placed(source, kept, alpha, kind)
    tables = source.total(partial(tables_of, columns, outputs, level is not None))
    assert tables is not None
    found = [tables.levels(c, grid) for c in columns]
    values = [tables.values(f) for f in found]
    both = zip(columns, found, values, strict=True)
    ends = [tables.intervals(c, f, v, level) for c, f, v in both]

    def each(lines: Sequence[Floats]) -> dict[str, Floats]:
        stacked = np.stack(lines, axis=1)
        return {i.name: line for i, line in zip(tables.indicators, stacked, strict=True)}

    names = [c.name for c in columns]
    if level is not None:
        remarks += few_rows(names, grid, np.stack([f.ess for f in found]), BY_NODES)
    return assembled(
        names,
        found,
        tables.indicators,
        (each(values), each([e[0] for e in ends]), each([e[1] for e in ends])),
        grid,
        alpha=alpha,
        anchor=anchor,
        level=level,
        remarks=remarks,
    )


def _among(features: list[str] | None, labels: Sequence[Any]) -> list[str]:
    return [str(label) for label in labels] if features is None else features


def _means(
    outputs: Callable[[pd.DataFrame], Mapping[str, npt.ArrayLike]], batch: pd.DataFrame
) -> list[Indicator]:
    found, answer = [], outputs(batch)
    if not isinstance(answer, Mapping):
        raise TypeError(
            f"outputs returns {type(answer).__name__}; it must return a dict of named numbers."
        )
    for name, given in answer.items():
        try:
            numbers = np.asarray(given, dtype=np.float64)
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
