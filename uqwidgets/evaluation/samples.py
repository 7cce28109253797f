"""Answers for a random sample of the rows, which are a part of the answers for all rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from uqwidgets._typing import Floats, Positions
from uqwidgets.evaluation.evaluations import Evaluations
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.evaluation.replacement import Draws, PartOfRows, Replacement
from uqwidgets.inference.rounding import difference
from uqwidgets.measures import Measure

# Where the model takes longer for all rows, in seconds, a sample of the rows comes first; and how
# long it takes for the first sample.
_LONG_PASS, FIRST_SAMPLE = 1.0, 0.4
# What batches, measures and differences take for each row beside the model, in seconds.
_SECONDS_BESIDE = 3e-7
# Intervals from fewer rows may contain the true importance too rarely.
FEWEST_SAMPLED = 100
# A first sample takes about so many times as long as a call of few rows, for a smaller one would
# hardly come sooner.
_CALLS_OF_FIRST = 2
# A first sample of more rows delays the picture and hardly changes it.
_MOST_FIRST = 3200


def sample_sizes(evaluations: Evaluations, n_replacements: int) -> tuple[int, ...]:
    """Return how many rows give first answers about so many replacements, then more.

    There are none where all rows take about a second or less, by the model's time per row so far.
    The first sample takes a fraction of a second, unless the smallest one takes longer.
    """
    n = len(evaluations.table)
    beside = n_replacements * n * _SECONDS_BESIDE
    if not evaluations.is_long(n_replacements * n, _LONG_PASS - beside):
        return ()
    first = affordable_rows(evaluations, n_replacements, FIRST_SAMPLE)
    first = max(first, evaluations.row_order.largest(FEWEST_SAMPLED))
    return tuple(size for size in evaluations.row_order.sizes if first <= size < n)


def affordable_rows(evaluations: Evaluations, n_replacements: int, seconds: float) -> int:
    """Return the largest first sample for which replacements take about so many seconds.

    At least the smallest sample, and as many rows as take longer than a call of few of them; no
    more rows than a first look needs.
    """
    n, call = len(evaluations.table), evaluations.seconds_for(1)
    of_rows = evaluations.most_seconds_for(n_replacements * n) - call
    of_rows = max(of_rows, 0.0) + n_replacements * n * _SECONDS_BESIDE
    affordable = n * max(seconds, _CALLS_OF_FIRST * call) / of_rows
    return evaluations.row_order.largest(min(affordable, _MOST_FIRST))


def sample_values(
    evaluations: Evaluations,
    replacements: Sequence[Replacement],
    n_rows: int,
    measure: Measure,
    callback: ProgressCallback | None = None,
) -> Floats:
    """Compute a measure of the first so many rows under each replacement, shape (k, n_rows).

    The rows are in the order of `Evaluations.row_order`.

    Parameters
    ----------
    replacements : sequence of Replacement
    n_rows : int
        One of the sizes of `row_order`.
    measure : Measure
    callback : callable, optional
        See `evaluate_all`.
    """
    numbers = range(evaluations.row_order.n_parts(n_rows))
    parts = [PartOfRows(r, number) for r in replacements for number in numbers]
    if evaluations.max_in_memory(len(replacements)) == len(replacements):
        evaluations.evaluate_all(evaluations.requests(parts, measure), callback)
    return np.hstack(
        [evaluations.values(replacements, measure, callback, number) for number in numbers]
    )


def sampled_differences(
    evaluations: Evaluations,
    measure: Measure,
    columns: Sequence[tuple[int, ...]],
    draws: Draws,
    n_rows: int,
    callback: ProgressCallback | None = None,
) -> Iterator[tuple[Floats, Positions]]:
    """Yield the changes of the sampled rows under the draws of each feature.

    They are the changes that `differences` has of these rows, in the order of `row_order`.

    Parameters
    ----------
    measure, columns, draws, callback
        As in `differences`, with a number of draws.
    n_rows : int
        One of the sizes of `row_order`.

    Yields
    ------
    changes, donors : ndarray of shape (K, n_rows)
    """
    assert draws.n_repeats != "all"
    rows = evaluations.row_order.rows[:n_rows]
    original = evaluations.original_values(measure)[rows]
    drawn = {moved: draws.replacements(evaluations.table, moved) for moved in columns}
    numbers = range(evaluations.row_order.n_parts(n_rows))
    size = -(-len(columns) * draws.n_repeats * n_rows // len(evaluations.table))
    if evaluations.max_in_memory(size) == size:
        parts = [PartOfRows(r, k) for each in drawn.values() for r in each for k in numbers]
        evaluations.evaluate_all(evaluations.requests(parts, measure), callback)
    for moved, replacements in drawn.items():
        values = sample_values(evaluations, replacements, n_rows, measure, callback)
        donors = evaluations.donors(moved, draws.scheme, draws.seed, draws.n_repeats)
        yield difference(values, original), donors[:, rows]
