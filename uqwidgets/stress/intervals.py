"""Intervals of stressed summaries from the influence of each row, and where they are unreliable."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets._utils.remarks import Remark
from uqwidgets.inference.mean_intervals import MeanIntervals
from uqwidgets.inference.tested import Ends, LevelOrLevels
from uqwidgets.inference.transformed import transformed_interval
from uqwidgets.inference.variance import satterthwaite_df
from uqwidgets.stress.indicators import SHARE

# Multiplier of the jackknife bias: a sample lacks the heaviest rows of its population, so that the
# true bias is larger. Chosen by simulation, see benchmarks/bench_stress_coverage.py.
_BIAS_FACTOR = 5.0
# Upper bound of the bias that is allowed for, in standard errors: larger ones are hardly known.
_MAX_BIAS = 2.0
# Number of features that a remark names.
_NAMED = 3
# A share this near to 0 or 1 is 0 or 1 up to rounding.
_ROUNDING = 1e-12


def half_widths(influence: Floats, skew_slope: npt.ArrayLike) -> Ends:
    r"""How far skewness-corrected t intervals reach below and above estimates.

    Under stress few rows carry much of a sum. The degrees of freedom of the t interval are
    therefore those of the estimated variance (Satterthwaite 1946), and the quantiles are those of
    a statistic whose skewness is twice the skew slope (Hall 1992, see
    `uqwidgets.inference.variance`).

    Parameters
    ----------
    influence : ndarray of shape (..., n)
    skew_slope : array-like of shape (...)
        See `StressedRows.influence`.

    Returns
    -------
    callable
        From a level to the widths below and above, of shape (...), in the unit of the influence,
        never negative.
    """
    n = influence.shape[-1]
    squares = np.square(influence)
    df = np.minimum(n - 1.0, satterthwaite_df(squares))
    error = np.sqrt(squares.sum(axis=-1)) / n
    return partial(_widths_at, MeanIntervals(np.zeros(()), error, df, 2 * np.asarray(skew_slope)))


def _widths_at(error: MeanIntervals, level: LevelOrLevels) -> tuple[Floats, Floats]:
    low, high = error.at(level)
    return np.maximum(-low, 0.0), np.maximum(high, 0.0)


def corrected_intervals(
    value: npt.ArrayLike,
    influence: Floats,
    bias: npt.ArrayLike,
    skew_slope: npt.ArrayLike,
    bounds: tuple[npt.ArrayLike, npt.ArrayLike],
    ess_share: npt.ArrayLike,
    curvature_share: npt.ArrayLike,
) -> Ends:
    """Intervals of stressed estimates, corrected for the skewness and the bias of their error.

    The logarithm or logit of `transformed_interval` already removes skewness, by the curvature of
    the transformation, so that less remains to be corrected. Under stress the heaviest rows of the
    population are often missing from the sample. The estimate is therefore more biased, and its
    error more skewed, than the jackknife shows. So only a part of the curvature is subtracted, and
    the interval is widened on the side opposite to the estimated bias.

    Parameters
    ----------
    value : array-like of shape (...)
        The estimates.
    influence : ndarray of shape (..., n)
        Of rows, or of groups of rows.
    bias : array-like of shape (...)
        Jackknife bias of the estimates.
    skew_slope : array-like of shape (...)
        See `uqwidgets.stress.influence.StressedRows.influence`.
    bounds : tuple of two array-likes of shape (...)
        Lower and upper bound of the quantities.
    ess_share : array-like of shape (...)
        Effective sample size of the weights, over the number of rows.
    curvature_share : array-like of shape (...)
        The part of the curvature that is subtracted, between 0 and 1.

    Returns
    -------
    callable
        From a level to the lower and upper ends, of shape (...). It holds no values of rows.
    """
    value, (low, high) = np.asarray(value), (np.asarray(bound) for bound in bounds)
    error = np.sqrt(np.square(influence).sum(axis=-1)) / influence.shape[-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        curvature = error / (high - value) - error / (value - low)
    curvature = np.where((low < value) & (value < high), curvature, 0.0)
    skew_slope = np.asarray(skew_slope) + np.asarray(curvature_share) * curvature
    widths = half_widths(influence, skew_slope)
    limit = _MAX_BIAS * error
    shift = np.clip(_BIAS_FACTOR * (1 - np.asarray(ess_share)) * np.asarray(bias), -limit, limit)
    return partial(_corrected_at, value, widths, shift, (low, high))


def _corrected_at(
    value: Floats,
    widths: Ends,
    shift: Floats,
    bounds: tuple[Floats, Floats],
    level: LevelOrLevels,
) -> tuple[Floats, Floats]:
    below, above = widths(level)
    sides = (below + np.maximum(shift, 0.0), above + np.maximum(-shift, 0.0))
    return transformed_interval(value, sides, bounds)


def are_zero_or_one(value: npt.ArrayLike, bounds: tuple[float, float]) -> npt.NDArray[np.bool_]:
    """Whether estimates with these bounds are shares of 0 or of 1, up to rounding."""
    value = np.asarray(value)
    return np.asarray((bounds == SHARE) & (np.minimum(value, 1 - value) < _ROUNDING))


def clopper_pearson(
    value: npt.ArrayLike, size: npt.ArrayLike, level: LevelOrLevels
) -> tuple[Floats, Floats]:
    """Intervals of shares that are 0 or 1 in the sample.

    The interval of Clopper and Pearson 1934 with the effective sample size in place of the sample
    size (Korn and Graubard 1998).

    Parameters
    ----------
    value : array-like of shape (...)
        The shares: 0 or 1, up to rounding.
    size : array-like of shape (...)
        Effective sample size of the rows that a share refers to.
    level : float or ndarray of this shape

    Returns
    -------
    low, high : ndarray of shape (...)
    """
    value, is_one = np.asarray(value), np.asarray(value) > 0.5
    end = 1 - ((1 - level) / 2) ** (1 / np.asarray(size))
    low = np.where(is_one, np.minimum(1 - end, value), 0.0)
    return low, np.where(is_one, 1.0, np.maximum(end, value))


class Coverage(NamedTuple):
    """Simulated coverage of intervals where few rows carry the weight.

    Attributes
    ----------
    min_ess : int
        Effective sample size below which the coverage is not reliable.
    simulated : str
        Coverage in simulations.
    """

    min_ess: int
    simulated: str


# Measured by benchmarks/bench_stress_coverage.py: eight designs of 400 rows at tau = -1 and 1; the
# effective sample size is 40 by quantiles (coverage 84 to 99 %) and 15 by tail means (66 to 99 %).
COVERAGE_BY_ROWS = Coverage(
    50,
    "on average 94 to 95 of 100 such intervals at the level of 95 % held the true value; for the "
    "most difficult indicators, only 66",
)
# Four outputs of a normal column, 5,000 and 50,000 rows, effective sample sizes of 300 to 3,000.
COVERAGE_BY_NODES = Coverage(
    5000, "85 to 97 of 100 such intervals at the level of 95 % held the true value"
)


def coverage_remarks(
    features: Sequence[str], taus: Floats, ess: Floats, coverage: Coverage, unit: str = "row"
) -> tuple[Remark, ...]:
    """Remark on intervals that rest on so few rows that their coverage may be below their level.

    Parameters
    ----------
    features : sequence of str, length p
    taus : ndarray of shape (t,)
    ess : ndarray of shape (p, t)
        NaN where there are no weights.
    coverage : Coverage
    unit : {"row", "group"}
        What the effective sample size counts.
    """
    few = ess < coverage.min_ess
    names = [name for name, line in zip(features, few, strict=True) if line.any()]
    if not names:
        return ()
    if len(names) > _NAMED:
        names = [*names[: _NAMED - 1], f"{len(names) - _NAMED + 1} more"]
    named = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    least = np.abs(taus[few.any(axis=0)]).min()
    where = f"From |τ| = {least:g} on" if least < 1 else "At the far ends of τ"
    advice = f"Take a smaller |τ|, a larger tail, or more {unit}s."
    if least == 0:
        where, advice = "At every τ", f"Take more {unit}s."
    remaining = f"{np.nanmin(ess):.0f}" if np.isfinite(ess).any() else "none"
    return (
        Remark(
            "coverage-under-stress",
            f"{where} few {unit}s remain (worth as few as {remaining}, where {coverage.min_ess:,} "
            f"are needed), so intervals of {named} may be too narrow. In simulations, "
            f"{coverage.simulated}. {advice}",
        ),
    )
