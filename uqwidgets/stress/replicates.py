"""Intervals of stressed metrics by balanced repeated replication over groups of rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.linalg import hadamard

from uqwidgets._typing import Floats, Range
from uqwidgets.inference.sums import dot
from uqwidgets.stress.influence import LeaveOneOutEffects, StressedRows
from uqwidgets.stress.intervals import corrected_interval
from uqwidgets.stress.jackknife import (
    MAX_STEP,
    MIN_REMAINDER,
    NEWTON_STEPS,
    TOLERANCE,
    tilt_weights,
)

# Number of replicates that a metric is computed for: a power of two.
N_REPLICATES = 64
# Fay's factor (Judkins 1990), the share of its weight that a row gains or loses. One half is far
# enough for quantiles, which do not respond to less than the weight of a row, and small enough for
# smooth metrics to respond linearly.
_FAY = 0.5
# Upper bound of 1 / (1 - leverage): a row loses at most all of its weight.
_MAX_INVERSE_FREE_WEIGHT = 1 / _FAY
# Lower bound of a row's factor: a class must not lose its last row.
_MIN_FACTOR = 1e-3
# A value this near to a bound is on it; a smaller change of a value is no change. Both relative.
_ROUNDING = 1e-12


def metric_interval(
    score: Callable[[Floats], float],
    value: float,
    rows: StressedRows,
    level: float,
    bounds: Range,
) -> tuple[float, float]:
    """Interval of a metric, which is computed `N_REPLICATES` times and once more.

    Parameters
    ----------
    score : callable
        From row weights (n,) of mean 1 to the metric.
    value : float
        The metric at the weights of the column.
    rows : StressedRows
    level : float
    bounds : tuple of float
        Of the metric.

    Returns
    -------
    low, high : float
        NaN where the metric is not defined for all replicates, and where the replicates do not show
        its sampling error: on a bound, or when it responds to none of them.
    """
    # A metric whose only bound is 0 may have any unit, so that only 0 itself is on the bound.
    size = max((abs(bound) for bound in bounds if np.isfinite(bound)), default=0.0)
    if min(value - bounds[0], bounds[1] - value) <= _ROUNDING * size:
        return np.nan, np.nan
    influence, bias = group_influence(score, value, rows)
    if not np.abs(influence).max() > _ROUNDING * abs(value):  # also where it is NaN
        return np.nan, np.nan
    skew_slope = group_skew_slope(score, value, rows, influence)
    if not np.isfinite(skew_slope):
        return np.nan, np.nan
    low, high = corrected_interval(
        value, influence, bias, skew_slope, level, bounds, rows.ess_share, rows.ess_share
    )
    return float(low), float(high)


def group_influence(
    score: Callable[[Floats], float], value: float, rows: StressedRows
) -> tuple[Floats, float]:
    r"""Influence of random groups of rows on a metric of the weights, and the metric's bias.

    A metric has no values per row, but it responds to any change of the weights. The rows are
    divided at random into groups, and the signs of a Hadamard matrix say which groups weigh more in
    a replicate and which less, while the target moves with them and the weights are solved anew.
    This is balanced repeated replication with Fay's factor, which is valid for medians and ranks as
    well as for means (Judkins 1990). The matrix is orthogonal, so that the influence of each group
    follows from the responses to all replicates; it is the sum of the influences of its rows. The
    mean response of all replicates is the bias.

    Rows of high leverage attract the solution. As in the jackknife (`uqwidgets.stress.jackknife`),
    the change of their weight is divided by 1 - leverage.

    Parameters
    ----------
    score, value, rows
        See `metric_interval`.

    Returns
    -------
    influence : ndarray of shape (g,)
        Its mean square over g is the variance of the metric; NaN where the metric is not defined
        for some of the weights.
    bias : float
    """
    group = _groups(rows.n)
    signs = hadamard(N_REPLICATES)[:, 1 : 2 + int(group.max())].astype(np.float64)
    factors = np.minimum(rows.effects.inverse_free_weight, _MAX_INVERSE_FREE_WEIGHT)
    # Rows without a value of the column are not projected; their share follows from the numbers of
    # rows, whatever these weigh.
    m = rows.n_known
    target = rows.target[:m] - rows.target[:m].mean()
    unit, responses = math.sqrt(rows.inverse_variance), np.empty(N_REPLICATES)
    u = rows.deviation[:m] * unit
    for b, sign in enumerate(signs):
        change = _FAY * sign[group]
        base = rows.share * np.maximum(1 + change * factors, _MIN_FACTOR)
        part = float((1 + change[:m]).sum() / (1 + change).sum())
        base[m:] *= (1 - part) / (base[m:].sum() or 1.0)
        known = base[:m] / base[:m].sum()
        base[:m] = part * _project(known, u, dot(change[:m], target) / m * unit)
        responses[b] = score(base * rows.n) - value
    sums = signs.T @ responses / (N_REPLICATES * _FAY)
    # The influences of all rows sum to 0, so that two rows of one group tend to cancel.
    sizes = np.bincount(group).astype(np.float64)
    separate = 1 - dot(sizes, sizes - 1) / (rows.n * (rows.n - 1))
    influence = np.asarray(sums * (len(sizes) / np.sqrt(separate)))
    return influence, float(responses.mean() / _FAY**2 / separate)


def _project(base: Floats, u: Floats, goal: float) -> Floats:
    """Project weights (n,) of sum 1 so that the mean of u (n,) reaches a goal, by Newton's method.

    A goal that a bounded step cannot reach is approached as far as the bounds allow.
    """
    weights, xi = base, 0.0
    for _ in range(NEWTON_STEPS):
        mean = dot(weights, u)
        variance = max(dot(weights, np.square(u - mean)), MIN_REMAINDER)
        following = min(max(xi + (goal - mean) / variance, -MAX_STEP), MAX_STEP)
        if abs(following - xi) < TOLERANCE:
            break
        xi, weights = following, tilt_weights(base, following * u)
        weights /= weights.sum()
    return weights


def group_skew_slope(
    score: Callable[[Floats], float], value: float, rows: StressedRows, influence: Floats
) -> Floats:
    """Skew slope of a metric's error, from the influence of groups and one more score.

    The additional score gives the derivative of the metric with respect to the target, and with it
    the part of a group's influence that goes through the target. A group is then treated as one row
    with the weighted average properties of its rows.

    Parameters
    ----------
    score, value, rows
        See `metric_interval`.
    influence : ndarray of shape (g,)
        From `group_influence`.
    """
    group, g = _groups(rows.n), len(influence)

    def total(per_row: Floats) -> Floats:
        return np.bincount(group, per_row, minlength=g).astype(np.float64, copy=False)

    step = _FAY / (float(np.abs(rows.standard).max()) or 1.0)
    slope = (score(rows.weights * (1 + step * rows.standard)) - value) / step
    effects = rows.effects
    squares = np.square(rows.weights) + np.finfo(float).tiny  # a group may have no weight
    importance = squares * np.square(
        np.minimum(effects.inverse_free_weight, _MAX_INVERSE_FREE_WEIGHT)
    )
    averages = {
        name: total(importance * getattr(effects, name)) / total(importance)
        for name in (
            *("weights", "deviation", "standard", "squared_distance", "target_excess"),
            "inverse_free_weight",
        )
    }
    sums = {
        name: total(getattr(effects, name))
        for name in ("lost_weight", "xi_change", "target_change")
    }
    through_target = slope * total(rows.target)
    own = influence * (rows.n / g) - through_target
    direct = own / np.sqrt(total(importance) / total(squares))
    factor = np.sqrt(total(squares * np.square(rows.hc4_factor)) / total(squares))
    return LeaveOneOutEffects(rows.n, **averages, **sums).skew_slope(
        direct, through_target, direct * factor + through_target, slope
    )


# Several sizes are kept, because columns with missing values have fewer rows.
@lru_cache(maxsize=8)
def _groups(n: int) -> npt.NDArray[np.intp]:
    """Divide n rows into groups at random, always the same for the same n."""
    return np.random.default_rng(0).permutation(n) % min(n, N_REPLICATES - 1)
