"""Indicators of weighted rows, with intervals, many of them at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.inference.population import effective_sample_size
from uqwidgets.inference.sums import dot
from uqwidgets.stress.calibrated_rows import CalibratedRows
from uqwidgets.stress.indicators import RATIO, Indicator
from uqwidgets.stress.influence import StressedRows
from uqwidgets.stress.intervals import clopper_pearson, corrected_interval, is_zero_or_one
from uqwidgets.stress.jackknife import influence_and_bias

# Values of an array (indicators, rows): about a dozen of them are in memory at a time.
_BLOCK = 1 << 14


def summaries(
    indicators: Sequence[Indicator],
    chosen: Callable[[Floats], Floats],
    weights: Floats,
    rows: StressedRows | CalibratedRows | None,
    level: float | None,
) -> tuple[Floats, Floats, Floats]:
    """Return indicators under weights of the rows, and the ends of their intervals.

    Parameters
    ----------
    indicators : sequence of Indicator, length q
    chosen : callable
        From values of all rows to those of the n rows that have weights.
    weights : ndarray of shape (n,)
        Of mean 1.
    rows : StressedRows or CalibratedRows, optional
        The same rows and weights, for intervals; there are none if it is not given.
    level : float or None
        Level of the intervals; None for none.

    Returns
    -------
    values, low, high : ndarray of shape (q,)
        NaN where an indicator is not defined, or has no interval.
    """
    values, low, high = np.full((3, len(indicators)), np.nan)
    step = max(1, _BLOCK // len(weights))
    for start in range(0, len(indicators), step):
        block = slice(start, start + step)
        some = indicators[block]
        outputs = [[chosen(output) for output in one.per_row] for one in some]
        means = [
            np.array([dot(weights, output) for output in of_one]) / len(weights)
            for of_one in outputs
        ]
        values[block] = [one.combine(*of_one) for one, of_one in zip(some, means, strict=True)]
        if rows is not None and level is not None:
            ends = _intervals(some, values[block], outputs, means, rows, level)
            low[block], high[block] = ends
    return values, low, high


def _intervals(
    indicators: Sequence[Indicator],
    values: Floats,
    outputs: Sequence[Sequence[Floats]],
    means: Sequence[Floats],
    rows: StressedRows | CalibratedRows,
    level: float,
) -> tuple[Floats, Floats]:
    """Return the ends of the intervals of indicators, both of shape (q,); NaN without a value."""
    low, high = np.full((2, len(values)), np.nan)
    by_influence = []
    for q, indicator in enumerate(indicators):
        if is_zero_or_one(values[q], indicator.bounds):
            # The effective sample size of a rate is that of the rows in its denominator.
            is_rate = indicator.combination is RATIO
            own = rows.weights * outputs[q][1] if is_rate else rows.weights
            low[q], high[q] = clopper_pearson(values[q], effective_sample_size(own), level)
        elif np.isfinite(values[q]):
            by_influence.append(q)
    if not by_influence:
        return low, high
    flat = np.stack([output for q in by_influence for output in outputs[q]])
    ends = np.cumsum([len(outputs[q]) for q in by_influence])
    starts = np.concatenate([[0], ends[:-1]])
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = [indicators[q].combination.slopes(*means[q]) for q in by_influence]
        linear = np.add.reduceat(np.concatenate(slopes)[:, None] * flat, starts, axis=0)
    _, skew_slope = rows.influence(linear)
    parts = np.split(rows.means_without(flat), ends[:-1])
    without = [indicators[q].combine(*part) for q, part in zip(by_influence, parts, strict=True)]
    influence, bias = influence_and_bias(np.stack(without), values[by_influence])
    bounds = np.array([indicators[q].bounds for q in by_influence])
    # Two bounds limit the skewness, so that more of the curvature can be subtracted.
    are_both = np.isfinite(bounds).all(axis=1)
    curvature = np.where(are_both, (1 + rows.ess_share) / 2, rows.ess_share)
    low[by_influence], high[by_influence] = corrected_interval(
        values[by_influence],
        influence,
        bias,
        skew_slope,
        level,
        (bounds[:, 0], bounds[:, 1]),
        rows.ess_share,
        curvature,
    )
    return low, high
