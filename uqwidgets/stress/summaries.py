"""Indicators of weighted rows, with intervals, of several indicators and levels at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.inference.sums import dots
from uqwidgets.inference.tested import Ends, filled
from uqwidgets.stress.indicators import RATIO, Indicator
from uqwidgets.stress.influence import StressedRows, influence_and_bias
from uqwidgets.stress.intervals import (
    are_zero_or_one,
    clopper_pearson,
    corrected_intervals,
)

# Values of an array (indicators, levels, rows): about a dozen of them are in memory at a time.
_BLOCK = 1 << 11


def summaries(
    indicators: Sequence[Indicator],
    chosen: Callable[[Floats], Floats],
    weights: Floats,
    rows: StressedRows | None,
    level: float | None,
) -> tuple[Floats, Floats, Floats]:
    """Return indicators under weights of the rows, and the ends of their intervals.

    Parameters
    ----------
    indicators, chosen, weights, rows
        As in `summaries_with_intervals`.
    level : float or None
        Level of the intervals; None for none.

    Returns
    -------
    values, low, high : ndarray of shape (q, ...)
        NaN where an indicator is not defined, or has no interval.
    """
    rows = None if level is None else rows
    values, ends = summaries_with_intervals(indicators, chosen, weights, rows)
    return values, *ends(math.nan if level is None else level)


def summaries_with_intervals(
    indicators: Sequence[Indicator],
    chosen: Callable[[Floats], Floats],
    weights: Floats,
    rows: StressedRows | None,
    add: Callable[[Floats, int], None] | None = None,
) -> tuple[Floats, Ends]:
    """Return indicators under weights of the rows, and their intervals as a function of the level.

    Parameters
    ----------
    indicators : sequence of Indicator, length q
    chosen : callable
        From values of all rows to those of the n rows that have weights.
    weights : ndarray of shape (..., n)
        Of mean 1, at one level of tau or at several.
    rows : StressedRows, optional
        The same rows and weights, for intervals; there are none if it is not given.
    add : callable, optional
        Called with the influences (..., u) of rows, or groups, on indicators, and the number of
        indicators that have an interval without any.

    Returns
    -------
    values : ndarray of shape (q, ...)
        NaN where an indicator is not defined.
    ends : callable
        From a level to the lower and upper ends, of the same shape; NaN where there is no interval.
    """
    shape = (len(indicators), *weights.shape[:-1])
    values, parts = np.full(shape, np.nan), []
    step = max(1, _BLOCK // weights.size)
    for start in range(0, len(indicators), step):
        block = slice(start, start + step)
        some = indicators[block]
        outputs = [[chosen(output) for output in one.per_row] for one in some]
        means = [
            [dots(weights, output) / weights.shape[-1] for output in of_one] for of_one in outputs
        ]
        values[block] = [one.combine(*of_one) for one, of_one in zip(some, means, strict=True)]
        if rows is not None:
            parts.append((block, _intervals(some, values[block], outputs, means, rows, add)))
    return values, partial(filled, shape, parts, [])


def _intervals(
    indicators: Sequence[Indicator],
    values: Floats,
    outputs: Sequence[Sequence[Floats]],
    means: Sequence[Sequence[Floats]],
    rows: StressedRows,
    add: Callable[[Floats, int], None] | None,
) -> Ends:
    """Return the ends of the intervals of indicators, both of shape (q, ...), by level."""
    flat = np.stack([output for of_one in outputs for output in of_one])
    # An axis for each axis of the levels.
    flat = flat.reshape(len(flat), *[1] * (values.ndim - 1), flat.shape[1])
    ends = np.cumsum([len(of_one) for of_one in outputs])
    starts = np.concatenate([[0], ends[:-1]])
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = [
            slope
            for one, of_one in zip(indicators, means, strict=True)
            for slope in one.combination.slopes(*of_one)
        ]
        linear = np.add.reduceat(np.stack(slopes)[..., None] * flat, starts, axis=0)
    _, skew_slope = rows.influence(np.where(np.isfinite(linear), linear, np.nan))
    parts = np.split(rows.means_without(flat), ends[:-1])
    without = [one.combine(*part) for one, part in zip(indicators, parts, strict=True)]
    influence, bias = influence_and_bias(np.stack(without), values)
    bounds = np.array([one.bounds for one in indicators])
    bounds = bounds.reshape(len(bounds), 2, *[1] * (values.ndim - 1))
    # Two bounds limit the skewness, so that more of the curvature can be subtracted.
    are_both = np.isfinite(bounds).all(axis=1)
    curvature = np.where(are_both, (1 + rows.ess_share) / 2, rows.ess_share)
    corrected = corrected_intervals(
        values,
        influence,
        bias,
        skew_slope,
        (bounds[:, 0], bounds[:, 1]),
        rows.ess_share,
        curvature,
    )
    extremes = []
    for q, indicator in enumerate(indicators):
        extreme = are_zero_or_one(values[q], indicator.bounds)
        if extreme.any():
            # The effective sample size of a rate is that of the rows in its denominator.
            is_rate = indicator.combination is RATIO
            own = rows.weights * outputs[q][1] if is_rate else rows.weights
            sizes = rows.effective_sizes(own[extreme])
            extremes.append((q, extreme, sizes))
    if add is not None:
        influence = influence.copy()
        for q, extreme, _ in extremes:
            influence[q, extreme] = 0.0  # up to rounding
        add(influence, sum(int(extreme.sum()) for _, extreme, _ in extremes))

    of_extremes: list[tuple[Any, Ends]] = [
        ((q, extreme), partial(clopper_pearson, values[q, extreme], sizes))
        for q, extreme, sizes in extremes
    ]
    all_parts = [((), corrected), *of_extremes]
    return partial(filled, values.shape, all_parts, ~np.isfinite(values))
