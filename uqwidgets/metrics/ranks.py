"""Scikit-learn's metrics of the order of probabilities, for many weights of the same rows.

Scikit-learn sorts the rows in every call, and importance needs a metric under thousands of weights.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.metrics.inputs import Labels
from uqwidgets.metrics.means import OfWeights, weighted_mean


class _Groups:
    """Rows of equal probability together, the largest first.

    Parameters
    ----------
    is_positive : ndarray of bool of shape (n,)
    probabilities : ndarray of shape (n,)
    """

    def __init__(self, is_positive: npt.NDArray[np.bool_], probabilities: Floats) -> None:
        self._order = np.argsort(-probabilities, kind="stable")
        self._is_positive = is_positive[self._order]
        self._last = np.flatnonzero(np.diff(probabilities[self._order], append=-np.inf))

    def sums(self, weights: Floats | None) -> tuple[Floats, Floats]:
        """Return the weights of positive and of negative rows from the first group to each one."""
        ordered = np.ones(len(self._order)) if weights is None else weights[self._order]
        positive = np.cumsum(ordered * self._is_positive)
        return positive[self._last], np.cumsum(ordered * ~self._is_positive)[self._last]


def area_under_roc(is_positive: npt.NDArray[np.bool_], probabilities: Floats) -> OfWeights:
    """Return `sklearn.metrics.roc_auc_score` of two classes as a function of the weights.

    It is the share of pairs of a positive and a negative row in which the positive one has the
    larger probability; equal ones count half. It is NaN without rows of both.

    Examples
    --------
    >>> import numpy as np
    >>> from uqwidgets.metrics.ranks import area_under_roc
    >>> area_under_roc(np.array([True, False, True]), np.array([0.9, 0.6, 0.6]))(None)
    0.75
    """
    groups = _Groups(is_positive, probabilities)

    def score(weights: Floats | None) -> float:
        positive, negative = groups.sums(weights)
        if not (positive[-1] > 0 and negative[-1] > 0):
            return np.nan
        heights = (positive - np.diff(positive, prepend=0.0) / 2) / positive[-1]
        return weighted_mean(heights, np.diff(negative, prepend=0.0))

    return score


def area_of_classes(
    labels: Labels, average: str, truth: Labels, probabilities: Floats
) -> OfWeights:
    """Return the average area of each class against all others, as a function of the weights.

    It is `sklearn.metrics.roc_auc_score` with ``multi_class="ovr"``.

    Parameters
    ----------
    labels : ndarray of shape (k,)
        In the order of the probabilities.
    average : {"macro", "weighted"}
        Whether classes count equally, or by the weight of their rows.
    truth : ndarray of shape (n,)
    probabilities : ndarray of shape (n, k)

    Examples
    --------
    >>> import numpy as np
    >>> from uqwidgets.metrics.ranks import area_of_classes
    >>> p = np.array([[0.6, 0.3, 0.1], [0.5, 0.3, 0.2], [0.2, 0.2, 0.6]])
    >>> area_of_classes(np.arange(3), "macro", np.arange(3), p)(None)
    0.9166666666666666
    """
    of_class = [truth == label for label in labels]
    areas = [area_under_roc(own, p) for own, p in zip(of_class, probabilities.T, strict=True)]

    def score(weights: Floats | None) -> float:
        each = np.array([area(weights) for area in areas])
        if average == "macro":
            return float(each.mean())
        rows = np.ones(len(truth)) if weights is None else weights
        return weighted_mean(each, np.array([rows[own].sum() for own in of_class]))

    return score


def average_precision(is_positive: npt.NDArray[np.bool_], probabilities: Floats) -> OfWeights:
    """Return `sklearn.metrics.average_precision_score` as a function of the weights.

    It is the mean over positive rows of the share of positive ones among the rows that have at
    least their probability. It is NaN without positive rows.

    Examples
    --------
    >>> import numpy as np
    >>> from uqwidgets.metrics.ranks import average_precision
    >>> average_precision(np.array([True, False, True]), np.array([0.9, 0.6, 0.5]))(None)
    0.8333333333333333
    """
    groups = _Groups(is_positive, probabilities)

    def score(weights: Floats | None) -> float:
        positive, negative = groups.sums(weights)
        if not positive[-1] > 0:
            return np.nan
        new = np.diff(positive, prepend=0.0)
        shares = np.divide(positive, positive + negative, out=np.zeros_like(new), where=new > 0)
        return weighted_mean(shares, new)

    return score
