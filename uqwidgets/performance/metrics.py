"""Metrics of whole sets of rows with closed forms: their value and the influence of every row.

Others are computed by scikit-learn, and their intervals by leaving out groups of rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats, Positions
from uqwidgets.inference.population import Population, effective_sample_size
from uqwidgets.measures import UNIT_INTERVAL
from uqwidgets.stress.indicators import MEAN, Combination, Indicator

_AT_MOST_ONE = (-np.inf, 1.0)


@dataclass(frozen=True, eq=False)
class RankIndicator:
    """Area under the ROC curve: the probability that a positive row is ranked above a negative one.

    Attributes
    ----------
    name, label, unit : str
    ranking : ndarray of shape (n,)
        Predicted probability of the positive class.
    positive : ndarray of bool, shape (n,)
    bounds : tuple of float
    """

    name: str
    label: str
    unit: str
    ranking: Floats
    positive: npt.NDArray[np.bool_]
    bounds: tuple[float, float] = UNIT_INTERVAL

    def of(self, rows: slice | Positions) -> RankIndicator:
        """Return the same of some rows only."""
        if isinstance(rows, slice):
            return self
        return replace(self, ranking=self.ranking[rows], positive=self.positive[rows])

    def effective_numbers(self, population: Population) -> tuple[float, float]:
        """Effective numbers of positive and of negative rows, or of groups with such rows."""
        s = population.scored
        of_classes = (population.of_units(s * of) for of in (self.positive, ~self.positive))
        numbers = [effective_sample_size(each) if each.any() else 0.0 for each in of_classes]
        return numbers[0], numbers[1]

    @cached_property
    def _order(self) -> tuple[Positions, Positions]:
        """Rows by rising probability, and the number of the tie that each of them belongs to."""
        order = np.argsort(self.ranking, kind="stable")
        _, ties = np.unique(self.ranking[order], return_inverse=True)
        return order, ties

    def influence(self, weights: Floats) -> tuple[float, Floats]:
        r"""Value under row weights, and the influence of every row (DeLong et al. 1988).

        With the weights s, their sums :math:`S_+` and :math:`S_-` over positive and negative rows,
        and the weighted share :math:`F` of the rows of the other class that are ranked below a
        row, ties counting one half, the area is :math:`A = \sum_+ s_i F_-(i) / S_+`. A positive row
        has the influence :math:`s_i (F_-(i) - A) / S_+`, a negative one
        :math:`s_i (1 - F_+(i) - A) / S_-`.

        Parameters
        ----------
        weights : ndarray of shape (n,)

        Returns
        -------
        value : float
            NaN where a class has no weight.
        influence : ndarray of shape (n,)
            To first order, their sum is the error of the value.
        """
        order, ties = self._order
        s, positive = weights[order], self.positive[order]
        k = int(ties[-1]) + 1
        share_below = []
        for of_class in (positive, ~positive):
            total = float(s[of_class].sum())
            if not total > 0:
                return np.nan, np.zeros(len(s))
            mass = np.bincount(ties, s * of_class, minlength=k) / total
            share_below.append((np.cumsum(mass) - mass / 2)[ties])
        below_positive, below_negative = share_below
        s_positive, s_negative = s * positive, s * ~positive
        s_positive, s_negative = s_positive / s_positive.sum(), s_negative / s_negative.sum()
        value = float(s_positive @ below_negative)
        influence = np.empty(len(s))
        influence[order] = s_positive * (below_negative - value)
        influence[order] += s_negative * (1 - below_positive - value)
        return value, influence


def accuracy(hits: Floats) -> Indicator:
    """Share of the rows whose class is predicted correctly."""
    return Indicator("accuracy", "accuracy", "", (hits,), MEAN, UNIT_INTERVAL)


def balanced_accuracy(hits: Floats, truth: npt.NDArray[np.intp], k: int) -> Indicator:
    """Mean over the true classes that occur, of the share that is predicted correctly."""
    member = [(truth == column) * 1.0 for column in range(k)]

    def value(*means: Any) -> Floats:
        right, total = np.array(means[:k]), np.array(means[k:])
        return np.asarray((right[total > 0] / total[total > 0]).mean())

    def slopes(*means: Any) -> tuple[Floats, ...]:
        right, total = np.array(means[:k]), np.array(means[k:])
        occurs = total > 0
        total = np.where(occurs, total, 1.0)
        by_right = occurs / total / occurs.sum()
        return (*by_right, *(-by_right * right / total))

    return Indicator(
        "balanced_accuracy",
        "balanced accuracy",
        "",
        [*(hits * one for one in member), *member],
        Combination(value, slopes),
        UNIT_INTERVAL,
    )


def r2(squared_error: Floats, truth: Floats) -> Indicator:
    """Share of the variance of the target that the predictions explain."""
    # Centred, because the variance would lose its digits beside the square of a large mean.
    centred = truth - truth.mean()
    return Indicator(
        "r2",
        "R²",
        "",
        (squared_error, np.square(centred), centred),
        Combination(_share_explained, _slopes_of_share_explained),
        _AT_MOST_ONE,
    )


def _share_explained(error: Floats, square: Floats, mean: Floats) -> Floats:
    return np.asarray(1 - error / (square - np.square(mean)))


def _slopes_of_share_explained(error: Floats, square: Floats, mean: Floats) -> tuple[Floats, ...]:
    variance = square - np.square(mean)
    by_square = error / np.square(variance)
    return -1 / variance, by_square, -2 * mean * by_square
