"""Weighted means over rows, and intervals for them.

What each interval of a permutation importance accounts for:

=============== ============================== ===============================================
interval        varies                         taken as fixed
=============== ============================== ===============================================
``u-statistic`` rows as scored and as donors,  the fitted model
                the permutations drawn
``model``       rows as scored                 the fitted model, the donors, the permutations
=============== ============================== ===============================================
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from uqwidgets.names import unknown
from uqwidgets.population import Population
from uqwidgets.predictive.distributions import Floats
from uqwidgets.sums import dot, weighted_sums

Interval = Literal["u-statistic", "model"]
INTERVALS: tuple[Interval, ...] = get_args(Interval)

# Work on whole (repeats, rows) arrays while they fit the processor's cache, else row by row.
_CACHED_VALUES = 1 << 16
_KEPT_VALUES = 1 << 20


@dataclass(frozen=True, eq=False)
class Change:
    """Mean change of a measure over replacements of one feature.

    Attributes
    ----------
    estimate : float
    std_error : float
    pairs : float
        Effective number of pairs of a scored row and a donor, over all repeats.
    repeats : ndarray of shape (K,)
        The estimate of each repeat alone.
    values : ndarray of shape (K, n)
        Change of each row in each repeat.
    donor_weights : callable
        Gives the weights of the donors, shape (K, n).
    """

    estimate: float
    std_error: float
    pairs: float
    repeats: Floats
    values: Floats
    donor_weights: Callable[[], Floats]

    @property
    def per_row(self) -> Floats:
        """Mean change of each row over its donors, shape (n,)."""
        weights = self.donor_weights()
        with np.errstate(invalid="ignore"):
            mean: Floats = np.einsum("ki,ki->i", weights, self.values) / weights.sum(axis=0)
        return mean


def mean_change(
    change: Floats, donors: npt.NDArray[np.intp], population: Population, interval: Interval
) -> Change:
    r"""Weighted mean of per-row changes under replacement, with its standard error.

    With :math:`\delta_{ki}` the change of row i in repeat k, d its donor, w the weights and s
    the weights of the scored rows, the estimate is
    :math:`\theta = \sum s_i w_{d(k,i)} \delta_{ki} / \sum s_i w_{d(k,i)}`: the importance in
    the population that the weights describe, where row and donor are drawn independently.

    Permutation importance is a two-sample statistic: every row acts as the row that is scored
    and as the donor of a value, so an interval that sees only rows, or only repeats, covers far
    too little. The influence of row i is therefore the sum of both roles,

    .. math:: \psi_i = \frac{1}{c} \left[ s_i \operatorname{mean}_k w_{d(k,i)}
              (\delta_{ki} - \theta) + w_i \operatorname{mean}_k s_{r(k,i)}
              (\delta_{k r(k,i)} - \theta) \right],
              \quad c = \operatorname{mean}_{ki} s_i w_{d(k,i)},

    r(k,i) being the row that received row i's value. Each draw of the permutation shows up in
    two of these terms though it happened once; the variance of the mean over repeats, as seen
    from the scored rows, is taken off again, and the result is never below the variance of the
    scored role alone, which is the ``model`` interval (003, eq. 6).

    Parameters
    ----------
    change : ndarray of shape (K, n)
        Measure of the replaced row minus that of the row itself.
    donors : ndarray of shape (K, n)
        Position of the donor of each.
    population : Population
    interval : {"u-statistic", "model"}

    Returns
    -------
    Change
    """
    w, s = population.weights, population.scored
    repeats, n = change.shape
    step = max(1, _CACHED_VALUES // n)
    chunks = [slice(k, k + step) for k in range(0, repeats, step)]

    # Weights of each pair of a scored row and its donor; kept between the passes while small.
    kept = _pairs(w, s, donors) if repeats * n <= _KEPT_VALUES else None

    def pairs_of(chunk: slice) -> Floats:
        return _pairs(w, s, donors[chunk]) if kept is None else kept[chunk]

    sums, totals = np.empty(repeats), np.empty(repeats)
    squared_pairs = 0.0
    for chunk in chunks:
        pairs = pairs_of(chunk)
        squared_pairs += float(np.einsum("ki,ki->", pairs, pairs))
        totals[chunk] = pairs.sum(axis=1)
        sums[chunk] = np.einsum("ki,ki->k", pairs, change[chunk])
    if not totals.any():
        nothing = np.full(repeats, np.nan)
        return Change(np.nan, np.nan, 0.0, nothing, change, lambda: w[donors])
    estimate = float(sums.sum() / totals.sum())

    scored_role, squares, donor_role = np.zeros(n), np.zeros(n), np.zeros(n)
    for chunk in chunks:
        centred = change[chunk] - estimate
        moved = pairs_of(chunk) * centred
        scored_role += moved.sum(axis=0)
        if interval == "u-statistic":
            if repeats > 1:
                squares += np.einsum("ki,ki->i", moved, moved)
            centred *= s
            donor_role += np.bincount(donors[chunk].ravel(), weights=centred.ravel(), minlength=n)
    scale = n / totals.sum()  # one over the repeats, were all weights one
    scored_role *= scale
    variance = _sum_variance(scored_role, population)
    if interval == "u-statistic":
        donor_role *= w * scale
        donor_role += scored_role
        both = _sum_variance(donor_role, population)
        if repeats > 1:
            spread = squares.sum() * scale**2 - dot(scored_role, scored_role) / repeats
            both -= float(spread) * repeats / (repeats - 1) / n**2
        variance = max(variance, both)
    with np.errstate(invalid="ignore"):
        each = sums / totals  # NaN for a repeat that pairs no two rows of weight
    effective_pairs = float(totals.sum() ** 2 / squared_pairs)
    std_error = float(np.sqrt(variance))
    return Change(estimate, std_error, effective_pairs, each, change, lambda: w[donors])


def mean_over_rows(values: Floats, population: Population) -> tuple[Floats, Floats]:
    """Weighted mean over rows of each line of ``values``, with its standard error.

    Parameters
    ----------
    values : ndarray of shape (m, n)
    population : Population

    Returns
    -------
    mean, std_error : ndarray of shape (m,)
        The variance is that of a mean of independent rows (003, section 6), in its form for
        unequal weights: sum s^2 (v - mean)^2 / (sum s)^2, times ESS / (ESS - 1).
    """
    s = population.scored / population.scored.sum()
    squared = np.square(s)
    mean, variance = np.empty(len(values)), np.empty(len(values))
    step = max(1, _CACHED_VALUES // max(1, values.shape[1]))
    for k in range(0, len(values), step):
        lines = slice(k, k + step)
        mean[lines] = weighted_sums(values[lines], s)
        deviation = values[lines] - mean[lines, None]
        variance[lines] = weighted_sums(np.square(deviation, out=deviation), squared)
    return mean, np.sqrt(variance * _small_sample(population))


def half_width(
    std_error: npt.ArrayLike,
    level: float,
    population: Population,
    pairs: npt.ArrayLike = np.inf,
) -> Floats:
    """Half the width of a t interval with ESS - 1 degrees of freedom (n - 1 without weights).

    Where so few pairs of row and donor carry weight that they number less than that, they
    decide. It is NaN where a single row, or a single pair, holds all the weight.

    Parameters
    ----------
    std_error : array-like
    level : float
    population : Population
    pairs : array-like, optional
        Effective number of pairs behind each standard error, see `Change`.
    """
    df = np.minimum(population.ess, np.asarray(pairs, dtype=np.float64)) - 1
    quantile = stdtrit(np.where(df > 0, df, np.nan), (1 + level) / 2)
    return np.asarray(quantile * np.asarray(std_error, dtype=np.float64))


def checked_interval(interval: str) -> Interval:
    """Return the interval of this name.

    Raises
    ------
    ValueError
        If there is none.
    """
    for known in INTERVALS:
        if interval == known:
            return known
    raise ValueError(unknown("interval", interval, list(INTERVALS)))


def checked_level(level: float) -> float:
    """Return the level if it may be one.

    Raises
    ------
    ValueError
        If it is not between 0 and 1.
    """
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; it must be between 0 and 1, such as 0.95.")
    return float(level)


def _sum_variance(influence: Floats, population: Population) -> float:
    # Variance of the mean of n influences whose own mean is zero.
    return dot(influence, influence) / len(influence) ** 2 * _small_sample(population)


def _pairs(w: Floats, s: Floats, donors: npt.NDArray[np.intp]) -> Floats:
    pairs = w[donors]
    pairs *= s
    return pairs


def _small_sample(population: Population) -> float:
    m = population.ess
    return m / (m - 1) if m > 1 else np.nan
