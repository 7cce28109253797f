"""Intervals of stressed metrics by balanced repeated replication over groups of rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.linalg import hadamard

from uqwidgets._typing import Floats, Range
from uqwidgets.inference.groups import RowGroups
from uqwidgets.inference.sums import dot, weighted_sums
from uqwidgets.inference.tested import Ends
from uqwidgets.stress.influence import TINY, StressedRows
from uqwidgets.stress.intervals import corrected_intervals

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
# Newton's method for the change of xi: bound of the change, number of steps, tolerance.
_MAX_CHANGE, _NEWTON_STEPS, _TOLERANCE = 1.0, 8, 1e-6
# Lower bound of a variance, in that of the moment under the weights of the column.
_LEAST_VARIANCE = 0.05
# The exponential function overflows beyond about 709: rows of weight 0 may be that far away.
_MAX_EXPONENT = 700.0
# A value this near to a bound is on it; a smaller change of a value is no change. Both relative.
_ROUNDING = 1e-12


def metric_interval(
    score: Callable[[Floats], float],
    value: float,
    rows: StressedRows,
    bounds: Range,
) -> Ends | None:
    """Interval of a metric, which is computed `N_REPLICATES` times and once more.

    Parameters
    ----------
    score : callable
        From row weights (n,) of mean 1 to the metric.
    value : float
        The metric at the weights of the column.
    rows : StressedRows
    bounds : tuple of float
        Of the metric.

    Returns
    -------
    callable or None
        From a level to the lower and upper end. None where the metric is not defined for all
        replicates, and where the replicates do not show its sampling error: on a bound, or when it
        responds to none of them.
    """
    # A metric whose only bound is 0 may have any unit, so that only 0 itself is on the bound.
    size = max((abs(bound) for bound in bounds if np.isfinite(bound)), default=0.0)
    if min(value - bounds[0], bounds[1] - value) <= _ROUNDING * size:
        return None
    influence, bias = group_influence(score, value, rows)
    if not np.abs(influence).max() > _ROUNDING * abs(value):  # also where it is NaN
        return None
    skew_slope = group_skew_slope(score, value, rows, influence)
    if not np.isfinite(skew_slope):
        return None
    return corrected_intervals(
        value, influence, bias, skew_slope, bounds, rows.ess_share, rows.ess_share
    )


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

    Rows of high leverage attract the solution. As in the jackknife, the change of their weight is
    divided by 1 - leverage.

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
    group, n_units = _groups(rows)
    signs = hadamard(N_REPLICATES)[:, 1 : 2 + int(group.max())].astype(np.float64)
    factors = np.minimum(rows.effects.inverse_free_weight, _MAX_INVERSE_FREE_WEIGHT)
    goals = rows.goals - rows.goals.mean(axis=1, keepdims=True)
    responses = np.empty(N_REPLICATES)
    for b, sign in enumerate(signs):
        change = _FAY * sign[group]
        base = rows.share * np.maximum(1 + change * factors, _MIN_FACTOR)
        weights = _project(base / base.sum(), rows.moments, weighted_sums(goals, change) / rows.n)
        responses[b] = score(weights * rows.n) - value
    sums = signs.T @ responses / (N_REPLICATES * _FAY)
    # The influences of all rows sum to 0, so that two rows of one group tend to cancel.
    sizes = np.bincount(_split(n_units)).astype(np.float64)
    separate = 1 - dot(sizes, sizes - 1) / (n_units * (n_units - 1))
    influence = np.asarray(sums * (len(sizes) / np.sqrt(separate)))
    return influence, float(responses.mean() / _FAY**2 / separate)


def _project(base: Floats, moments: Floats, goals: Floats) -> Floats:
    """Project weights (n,) of sum 1 so that moments (k, n) have means (k,), by Newton's method.

    Goals that a bounded change of xi cannot reach are approached as far as the bounds allow.
    """
    weights, xi, squares = base, np.zeros(len(goals)), np.square(moments)
    for _ in range(_NEWTON_STEPS):
        means = weighted_sums(moments, weights)
        # The moments are orthogonal under the weights of the column, and nearly so under others.
        variances = weighted_sums(squares, weights) - np.square(means)
        following = xi + (goals - means) / np.maximum(variances, _LEAST_VARIANCE)
        following = np.minimum(np.maximum(following, -_MAX_CHANGE), _MAX_CHANGE)
        if np.abs(following - xi).max() < _TOLERANCE:
            break
        xi = following
        weights = base * np.exp(np.minimum(weighted_sums(moments.T, xi), _MAX_EXPONENT))
        weights /= weights.sum()
    return weights


def group_skew_slope(
    score: Callable[[Floats], float], value: float, rows: StressedRows, influence: Floats
) -> Floats:
    """Skew slope of a metric's error, from the influence of groups and one more score.

    The additional score gives the derivative of the metric with respect to the last goal, the
    target, and with it the part of a group's influence that goes through the target. A group is
    then treated as one row with the weighted average properties of its rows.

    Parameters
    ----------
    score, value, rows
        See `metric_interval`.
    influence : ndarray of shape (g,)
        From `group_influence`.
    """
    groups, effects = RowGroups(_groups(rows)[0]), rows.effects
    total, g = groups.sums, len(influence)
    standard, goal = effects.standard[-1], rows.goals[-1]
    step = _FAY / (float(np.abs(standard).max()) or 1.0)
    slope = (score(rows.weights * (1 + step * standard)) - value) / step
    squares = np.square(rows.weights) + TINY
    importance = squares * np.square(
        np.minimum(effects.inverse_free_weight, _MAX_INVERSE_FREE_WEIGHT)
    )
    through_goal = slope * total(goal)
    own = influence * (rows.n / g) - through_goal
    direct = own / np.sqrt(total(importance) / total(squares))
    factor = np.sqrt(total(squares * np.square(rows.hc4_factor)) / total(squares))
    of_last = replace(
        effects,
        moments=rows.moments[-1:],
        standard=standard[None],
        goal_excess=effects.goal_excess[-1:],
        products=effects.products[-1:, -1:],
        xi_change=effects.xi_change[-1:],
    ).of_groups(groups, importance)
    return of_last.skew_slope(direct, through_goal, direct * factor + through_goal)


def _groups(rows: StressedRows) -> tuple[npt.NDArray[np.intp], int]:
    """Divide rows, or their groups, into groups at random; return also how many are divided."""
    if rows.groups is None:
        return _split(rows.n), rows.n
    return _split(len(rows.groups))[rows.groups.codes], len(rows.groups)


# Several sizes are kept, because columns with missing values have fewer rows.
@lru_cache(maxsize=8)
def _split(n: int) -> npt.NDArray[np.intp]:
    """Divide n units into groups at random, always the same for the same n."""
    return np.random.default_rng(0).permutation(n) % min(n, N_REPLICATES - 1)
