"""The mean change of a measure under replacement, with the influence function of every row."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.inference.population import Population
from uqwidgets.inference.sums import dot
from uqwidgets.inference.variance import relative_precision

#: Yields the influence of each pair of a scored row and its donor, some repeats at a time.
PairInfluences = Callable[[], Iterable[tuple[slice, Floats]]]


@dataclass(frozen=True, eq=False)
class Influence:
    """Influence of every row in both roles, (n,), and the part of its square counted twice, (n,).

    See `Change.double_counted`. ``pairs`` yields the influences of the pairs.
    """

    of_rows: Floats
    double_counted: Floats
    pairs: PairInfluences | None = None

    def precision(self, population: Population) -> float:
        """Relative precision of the variance that follows from it."""
        parts = np.square(population.of_units(self.of_rows))
        parts -= population.of_units(self.double_counted)
        return float(relative_precision(parts))


@dataclass(frozen=True, eq=False)
class Change:
    """Mean change of a measure when the values of one feature, or group, are replaced.

    Attributes
    ----------
    estimate : float
    influence_scored, influence_donor : ndarray of shape (n,)
        Influence function of each row as the row that is scored, and as the donor of a value: to
        first order, the error of the estimate is the mean of their sum.
    double_counted : ndarray of shape (n,)
        Monte Carlo noise of the drawn pairs that the squared sum of both influences contains
        twice: a variance from influences subtracts it once.
    interaction : float
        Cube root of n times the mean, over pairs of rows, of the influence that both rows have
        together times the influence of either row. It contributes to the skewness, because the
        influence of a row depends on the other rows.
    double_counted_cubes : float
        Cube root of what the sum of the cubes of both influences contains twice.
    pairs : float
        Effective number of pairs of a scored row and a donor.
    pair_variance : callable
        Returns the variance that the estimate would have if all pairs were independent.
    repeats, totals : ndarray of shape (K,)
        The estimate of each repeat alone, and the weight of its pairs.
    per_row : callable
        Returns the mean change of each row over its donors, shape (n,); NaN for a row without.
    """

    estimate: float
    influence_scored: Floats
    influence_donor: Floats
    double_counted: Floats
    interaction: float
    double_counted_cubes: float
    pairs: float
    pair_variance: Callable[[], float]
    repeats: Floats
    totals: Floats
    per_row: Callable[[], Floats]

    def without_pairs(self) -> Change:
        """Return the same change without what it holds of single pairs, but the variance."""
        variance = self.pair_variance()
        return replace(self, pair_variance=lambda: variance, per_row=lambda: np.empty(0))

    @classmethod
    def of_nothing(cls, n: int, repeats: int) -> Change:
        """Return the undefined change of rows of which none has a donor of positive weight."""
        return cls(
            estimate=np.nan,
            influence_scored=np.full(n, np.nan),
            influence_donor=np.full(n, np.nan),
            double_counted=np.full(n, np.nan),
            interaction=np.nan,
            double_counted_cubes=np.nan,
            pairs=0.0,
            pair_variance=lambda: np.nan,
            repeats=np.full(repeats, np.nan),
            totals=np.zeros(repeats),
            per_row=lambda: np.full(n, np.nan),
        )


def interaction_of_weights(influence: Floats, variance: float, *weights: Floats) -> float:
    r"""Return what unequal weights add to n times the mean of `Change.interaction`.

    The estimate is a ratio whose denominator, the total weight, depends on the rows as well. With
    weights :math:`w` of mean 1, it adds :math:`-2 V \sum_j \psi_j w_j / n`; the denominator of a
    mean over pairs is the product of two totals, each of which adds as much.

    Parameters
    ----------
    influence : ndarray of shape (n,)
        :math:`\psi`.
    variance : float
        V, the sum of the squared influences without what is counted twice.
    *weights : ndarray of shape (n,)
        Of each total in the denominator, of any scale.
    """
    return -2 * variance * sum(dot(influence, w) / float(w.sum()) for w in weights)


def minus_multiple_of_baseline(
    change: Change, original: Floats, population: Population, ratio: float
) -> Change:
    r"""Return the measure after replacement minus a multiple of the measure before.

    It is :math:`\theta - (\rho - 1) b` with the baseline b, the mean of the measure of the rows
    without replacement. The influence of row i on b is that of a scored row,
    :math:`\varphi_i = s_i (l_i - b) n / \sum s`. The interaction of rows is taken to be that of
    the difference.

    Parameters
    ----------
    change : Change
        The measure after replacement minus the measure before, :math:`\rho = 1`.
    original : ndarray of shape (n,)
        The measure l of each row without replacement.
    population : Population
    ratio : float
        :math:`\rho`.
    """
    s = population.scored
    total = s.sum()
    baseline = dot(s, original) / total
    influence_baseline = s * (original - baseline) * (len(s) / total)
    return replace(
        change,
        estimate=change.estimate - (ratio - 1) * baseline,
        influence_scored=change.influence_scored - (ratio - 1) * influence_baseline,
    )


def pooled(parts: Iterable[tuple[Change, Floats | float]], n: int) -> Change:
    """Return the mean change over all repeats from those over some of the repeats each.

    With it, the draws need not be in memory all at once. Estimates and influences are means over
    pairs, so those of a part count by the weight of its pairs. The repeats are drawn
    independently, so ``double_counted`` counts by the square of that weight, and cubes by its third
    power. Each part is centred
    at its own estimate: without weights this does not change the influences, with weights it is
    an effect of second order.

    Parameters
    ----------
    parts : iterable of (Change, ndarray of shape (n,) or float)
        Changes over some repeats, each with the total weight of the donors of every row in these
        repeats, or one number if it is the same for all rows. No part is referenced after use.
    n : int
        Number of rows.

    Returns
    -------
    Change
    """
    total = weighted_estimates = squared_pairs = 0.0
    scored, donated, row_sums = (np.zeros(n) for _ in range(3))
    row_weights: Any = 0.0
    double_counted: Any = 0.0
    repeats, totals, moments, third_orders = [], [], [], []
    for part, weights in parts:
        repeats.append(part.repeats)
        totals.append(part.totals)
        weight = float(part.totals.sum())
        if weight == 0:
            continue
        total += weight
        weighted_estimates += weight * part.estimate
        scored += weight * part.influence_scored
        donated += weight * part.influence_donor
        double_counted = double_counted + weight**2 * part.double_counted
        third_orders.append((weight, part.interaction, part.double_counted_cubes))
        own_pairs = weight**2 / part.pairs
        squared_pairs += own_pairs
        bias = (part.pairs - 1) / part.pairs
        moments.append((part.estimate, own_pairs, part.pair_variance() * bias * weight**2))
        row_sums += np.where(np.asarray(weights) > 0, weights * part.per_row(), 0.0)
        row_weights = row_weights + weights
        del part, weights  # else these arrays would stay in memory while the next are computed
    repeat_means = np.concatenate(repeats)
    if total == 0:
        return Change.of_nothing(n, len(repeat_means))
    estimate, pairs = weighted_estimates / total, total**2 / squared_pairs
    scored /= total
    donated /= total
    squares = sum(within + (own - estimate) ** 2 * weight for own, weight, within in moments)
    with np.errstate(invalid="ignore"):  # NaN for a row that has no donor of positive weight
        row_sums /= row_weights
    return Change(
        estimate=estimate,
        influence_scored=scored,
        influence_donor=donated,
        double_counted=double_counted / total**2,
        interaction=_root_of_sum([(w / total) ** (1 / 3) * each for w, each, _ in third_orders]),
        double_counted_cubes=_root_of_sum([w / total * each for w, _, each in third_orders]),
        pairs=pairs,
        pair_variance=lambda: squares / total**2 * pairs / (pairs - 1) if pairs > 1 else np.nan,
        repeats=repeat_means,
        totals=np.concatenate(totals),
        per_row=lambda: row_sums,
    )


def _root_of_sum(roots: list[float]) -> float:
    """Cube root of the sum of the cubes."""
    largest = max(map(abs, roots))  # avoids overflow and underflow
    return largest * math.cbrt(sum((each / largest) ** 3 for each in roots)) if largest else 0.0
