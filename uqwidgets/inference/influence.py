"""What is known of the mean change of a measure over pairs of a scored row and a donor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.inference.population import Population
from uqwidgets.inference.sums import dot


@dataclass(frozen=True, eq=False)
class Change:
    """Mean change of a measure when values of one feature, or group, are replaced.

    Attributes
    ----------
    estimate : float
    scored, donated : ndarray of shape (n,)
        Influence of each row on the estimate as the row that is scored, and as the donor of a
        value: an error of the estimate is the mean of their sum.
    counted_twice : ndarray of shape (n,)
        What of each row's squared influence shows up in both roles though it happened once.
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
    counted_twice: Floats
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
            counted_twice=np.full(n, np.nan),
            pairs=0.0,
            pair_variance=lambda: np.nan,
            repeats=np.full(repeats, np.nan),
            totals=np.zeros(repeats),
            per_row=lambda: np.full(n, np.nan),
        )


def compared(change: Change, original: Floats, population: Population, ratio: float) -> Change:
    r"""Return the measure after replacement minus so many times the measure before.

    It is :math:`\theta - (\rho - 1) b` with the baseline b, the mean of what the rows give as they
    are, whose influence :math:`\varphi_i = s_i (l_i - b) n / \sum s` is that of row i as scored.

    Parameters
    ----------
    change : Change
        The measure after replacement minus the measure before: of the ratio 1.
    original : ndarray of shape (n,)
        The measure of each row as it is.
    population : Population
    ratio : float
    """
    s = population.scored
    total = s.sum()
    baseline = dot(s, original) / total
    own = s * (original - baseline) * (len(s) / total)
    return replace(
        change,
        estimate=change.estimate - (ratio - 1) * baseline,
        scored=change.scored - (ratio - 1) * own,
    )
