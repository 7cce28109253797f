"""What is known of the mean change of a measure over pairs of a scored row and a donor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from uqwidgets.population import Population
from uqwidgets.predictive.distributions import Floats
from uqwidgets.sums import dot


@dataclass(frozen=True, eq=False)
class Change:
    """Mean change of a measure when values of one feature, or group, are replaced.

    Attributes
    ----------
    estimate : float
    scored, donated : ndarray of shape (n,)
        Influence of each row on the estimate as the row that is scored, and as the donor of a
        value: an error of the estimate is the mean of their sum.
    counted_twice : float
        Variance that shows up in both roles though it happened once: that of the draws.
    pairs : float
        Effective number of pairs of a scored row and a donor.
    pair_variance : callable
        Gives the variance of the estimate, were all those pairs independent.
    repeats, totals : ndarray of shape (K,)
        The estimate of each repeat alone, and the weight of its pairs.
    per_row : callable
        Gives the mean change of each row over its donors, shape (n,); NaN for a row without.
    """

    estimate: float
    scored: Floats
    donated: Floats
    counted_twice: float
    pairs: float
    pair_variance: Callable[[], float]
    repeats: Floats
    totals: Floats
    per_row: Callable[[], Floats]

    @classmethod
    def of_nothing(cls, n: int, repeats: int) -> Change:
        """Where no scored row meets a donor of any weight."""
        return cls(
            estimate=np.nan,
            scored=np.full(n, np.nan),
            donated=np.full(n, np.nan),
            counted_twice=np.nan,
            pairs=0.0,
            pair_variance=lambda: np.nan,
            repeats=np.full(repeats, np.nan),
            totals=np.zeros(repeats),
            per_row=lambda: np.full(n, np.nan),
        )


def as_ratio(change: Change, original: Floats, population: Population) -> Change:
    r"""Return the measure after replacement over the measure before (001, section 8.4).

    With the baseline b, the mean of what the rows give as they are, the ratio is
    :math:`\rho = 1 + \theta / b`, and by the delta method its influence is
    :math:`\{\psi_i - (\rho - 1) \varphi_i\} / b` with :math:`\varphi_i = s_i (l_i - b) n / \sum s`.
    Intervals over repeats and over pairs take the baseline as it is.

    Parameters
    ----------
    change : Change
        As a difference.
    original : ndarray of shape (n,)
        The measure of each row as it is.
    population : Population
    """
    s = population.scored
    total = s.sum()
    baseline = dot(s, original) / total
    excess = change.estimate / baseline
    own = s * (original - baseline) * (len(s) / total)
    return replace(
        change,
        estimate=1.0 + excess,
        scored=(change.scored - excess * own) / baseline,
        donated=change.donated / baseline,
        counted_twice=change.counted_twice / baseline**2,
        pair_variance=lambda: change.pair_variance() / baseline**2,
        repeats=1.0 + change.repeats / baseline,
        per_row=lambda: 1.0 + change.per_row() / baseline,
    )
