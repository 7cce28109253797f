"""Scikit-learn's metrics of the order of probabilities, for many weights of the same rows.

Scikit-learn sorts the rows in every call, and importance needs a metric under thousands of weights.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.metrics.inputs import Labels
from uqwidgets.metrics.means import OfWeights, divided, weighted_mean


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

    def sums(self, weights: Floats) -> tuple[Floats, Floats]:
        """Return the weights of positive and of negative rows from the first group to each one.

        Parameters
        ----------
        weights : ndarray of shape (s, n)

        Returns
        -------
        positive, negative : ndarray of shape (s, groups)
        """
        ordered = weights[:, self._order]
        positive, negative = (
            np.cumsum(ordered * which, axis=1)[:, self._last]
            for which in (self._is_positive, ~self._is_positive)
        )
        return positive, negative


def _steps(sums: Floats) -> Floats:
    """Return the weights of each group from those up to it."""
    return np.diff(sums, axis=1, prepend=0.0)


def area_under_roc(is_positive: npt.NDArray[np.bool_], probabilities: Floats) -> OfWeights:
    """Return `sklearn.metrics.roc_auc_score` of two classes as a function of the weights.

    It is the share of pairs of a positive and a negative row in which the positive one has the
    larger probability; equal ones count half. It is NaN without rows of both.

    Examples
    --------
    >>> import numpy as np
    >>> from uqwidgets.metrics.ranks import area_under_roc
    >>> area_under_roc(np.array([True, False, True]), np.array([0.9, 0.6, 0.6]))(np.ones((1, 3)))
    array([0.75])
    """
    groups = _Groups(is_positive, probabilities)

    def scores(weights: Floats) -> Floats:
        positive, negative = groups.sums(weights)
        heights = divided(positive - _steps(positive) / 2, positive[:, -1:])
        return weighted_mean(heights, _steps(negative))

    return scores


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
    >>> area_of_classes(np.arange(3), "macro", np.arange(3), p)(np.ones((1, 3))).round(3)
    array([0.917])
    """
    of_class = [truth == label for label in labels]
    areas = [area_under_roc(own, p) for own, p in zip(of_class, probabilities.T, strict=True)]

    def scores(weights: Floats) -> Floats:
        each = np.stack([area(weights) for area in areas], axis=1)
        if average == "macro":
            return np.asarray(each.mean(axis=1))
        shares = [np.where(own, weights, 0.0).sum(axis=1) for own in of_class]
        return weighted_mean(each, np.stack(shares, axis=1))

    return scores


def average_precision(is_positive: npt.NDArray[np.bool_], probabilities: Floats) -> OfWeights:
    """Return `sklearn.metrics.average_precision_score` as a function of the weights.

    It is the mean over positive rows of the share of positive ones among the rows that have at
    least their probability. It is NaN without positive rows.

    Examples
    --------
    >>> import numpy as np
    >>> from uqwidgets.metrics.ranks import average_precision
    >>> scores = average_precision(np.array([True, False, True]), np.array([0.9, 0.6, 0.5]))
    >>> scores(np.ones((1, 3))).round(3)
    array([0.833])
    """
    groups = _Groups(is_positive, probabilities)

    def scores(weights: Floats) -> Floats:
        positive, negative = groups.sums(weights)
        new, every = _steps(positive), positive + negative
        shares = np.divide(positive, every, out=np.zeros_like(new), where=new > 0)
        return weighted_mean(shares, new)

    return scores
