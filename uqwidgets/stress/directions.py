"""Intervals of stressed metrics: how they answer when groups of rows weigh more or less."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.linalg import hadamard

from uqwidgets.metrics.bounds import Bounds
from uqwidgets.predictive.distributions import Floats
from uqwidgets.stress.intervals import leaning_interval
from uqwidgets.stress.left_out import FARTHEST, LEAST, SOLVED, STEPS, tilted
from uqwidgets.stress.reweighted import Leaning, Reweighted
from uqwidgets.sums import dot

# How many replicates a metric is scored for: a power of two.
DIRECTIONS = 64
# By what share of its weight a row is moved. Fay's one half is far enough for quantiles, which do
# not answer to less than the weight of a row, and near enough for the rest to be straight.
_FAY = 0.5
# By how many times that a row is moved which holds the solution, at the most: all of its weight.
_MOST = 1 / _FAY
# What a row keeps of its weight, at the least: a class must not lose its last row.
_KEPT = 1e-3
# Of the bounds: a value so near to one is on it. Of a value: what moves it less does not move it.
_ROUNDING = 1e-12


def metric_interval(
    score: Callable[[Floats], float],
    value: float,
    rows: Reweighted,
    level: float,
    bounds: Bounds,
) -> tuple[float, float]:
    """Interval of a metric, which is scored `DIRECTIONS` times and once more.

    Parameters
    ----------
    score : callable
        From row weights (n,) of mean 1 to the metric.
    value : float
        What it is for the weights of the column.
    rows : Reweighted
    level : float
    bounds : tuple of float
        Of the metric.

    Returns
    -------
    low, high : float
        NaN where the metric is not defined for all of the weights that it is tried with, and where
        it does not say how far a fresh sample would bring it: on a bound, or when it answers to
        none of them.
    """
    # What has no bound but 0 may have a unit, and be of any size: only 0 itself is the bound.
    size = max((abs(bound) for bound in bounds if np.isfinite(bound)), default=0.0)
    if min(value - bounds[0], bounds[1] - value) <= _ROUNDING * size:
        return np.nan, np.nan
    influence, bias = group_influence(score, value, rows)
    if not np.abs(influence).max() > _ROUNDING * abs(value):  # nor is NaN
        return np.nan, np.nan
    lean = group_lean(score, value, rows, influence)
    if not np.isfinite(lean):
        return np.nan, np.nan
    return leaning_interval(value, influence, bias, lean, level, bounds, rows.kept, rows.kept)


def group_influence(
    score: Callable[[Floats], float], value: float, rows: Reweighted
) -> tuple[Floats, float]:
    r"""Influence of random groups of rows on a metric of the weights, and the metric's bias.

    A metric has no values per row, but it answers to any change of the weights. The rows are
    divided into groups by lot, and the signs of a Hadamard matrix say which groups weigh more in a
    replicate and which less, while the target moves with them and the weights are solved anew: this
    is balanced repeated replication with Fay's factor, which holds for medians and ranks as well as
    for means (Judkins 1990, Fay's method for variance estimation, Journal of Official Statistics 6,
    223-239). The matrix being orthogonal, each group's own answer is got back from those to all
    replicates; its rows' influences add up in it. What all replicates have in common is the bias.

    Heavy rows draw the solution to themselves: as where a row is left out (see
    `uqwidgets.stress.left_out`), their weight moves by 1 over what the solution leaves free of it.

    Parameters
    ----------
    score, value, rows
        See `metric_interval`.

    Returns
    -------
    influence : ndarray of shape (g,)
        The variance of the metric is the mean square, over g; NaN where the metric is not defined
        for some of the weights.
    bias : float
    """
    group = _groups(rows.n)
    signs = hadamard(DIRECTIONS)[:, 1 : 2 + int(group.max())].astype(np.float64)
    lack, target = np.minimum(rows.leaning.lack, _MOST), rows.target - rows.target.mean()
    unit, moves = math.sqrt(rows.inverse), np.empty(DIRECTIONS)
    u = rows.deviation * unit
    for b, sign in enumerate(signs):
        factor = _FAY * sign[group]
        base = rows.share * np.maximum(1 + factor * lack, _KEPT)
        weights = _solved(base / base.sum(), u, dot(factor, target) / rows.n * unit)
        moves[b] = score(weights * rows.n) - value
    sums = signs.T @ moves / (DIRECTIONS * _FAY)
    # Two rows of one group have influences that tend to cancel: all of them add up to nothing.
    sizes = np.bincount(group).astype(np.float64)
    apart = 1 - dot(sizes, sizes - 1) / (rows.n * (rows.n - 1))
    return np.asarray(sums * (len(sizes) / np.sqrt(apart))), float(moves.mean() / _FAY**2 / apart)


def _solved(base: Floats, u: Floats, goal: float) -> Floats:
    """Weights (n,) of sum 1, as near to these as bring the mean of u (n,) to the goal, or near."""
    weights, turn = base, 0.0
    for _ in range(STEPS):
        mean = dot(weights, u)
        spread = max(dot(weights, np.square(u - mean)), LEAST)
        turned = min(max(turn + (goal - mean) / spread, -FARTHEST), FARTHEST)
        if abs(turned - turn) < SOLVED:
            break
        turn, weights = turned, tilted(base, turned * u)
        weights /= weights.sum()
    return weights


def group_lean(
    score: Callable[[Floats], float], value: float, rows: Reweighted, influence: Floats
) -> float:
    """How a metric's error leans, from the influence of groups; it is scored once more for it.

    One more direction tells how the metric answers to the target, and so what of a group's
    influence goes by the target. A group then is as a row that is like its heavy rows.

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
    own = rows.leaning
    squares = np.square(rows.weights) + np.finfo(float).tiny  # a group may have no weight
    pull = squares * np.square(np.minimum(own.lack, _MOST))
    means = {
        name: total(pull * getattr(own, name)) / total(pull)
        for name in ("weights", "deviation", "standard", "bend", "off", "lack")
    }
    sums = {name: total(getattr(own, name)) for name in ("gone", "turn", "retarget")}
    through = slope * total(rows.target)
    direct = (influence * (rows.n / g) - through) / np.sqrt(total(pull) / total(squares))
    stretch = np.sqrt(total(squares * np.square(rows.stretch)) / total(squares))
    return Leaning(rows.n, **means, **sums).lean(direct, through, direct * stretch + through, slope)


# As columns may lack values, a table has several numbers of rows.
@lru_cache(maxsize=8)
def _groups(n: int) -> npt.NDArray[np.intp]:
    """Divide rows into groups by lot, the same whenever there are as many."""
    return np.random.default_rng(0).permutation(n) % min(n, DIRECTIONS - 1)
