"""Scikit-learn's metrics of the order of probabilities, for many weights of the same rows.

Scikit-learn sorts the rows in every call, and importance needs a metric under thousands of weights.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.metrics.means import OfWeights, divided, weighted_mean

#: From whether a row is positive, and its probability, to a metric.
OfTwo = Callable[[npt.NDArray[np.bool_], Floats], OfWeights]


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


def partial_area_under_roc(
    max_fpr: float, is_positive: npt.NDArray[np.bool_], probabilities: Floats
) -> OfWeights:
    """Return `sklearn.metrics.roc_auc_score` with ``max_fpr`` as a function of the weights.

    It is the area below the curve up to a false positive rate, rescaled so that chance has 0.5 and
    the best possible curve 1 (McClish 1989).

    Examples
    --------
    >>> import numpy as np
    >>> from uqwidgets.metrics.ranks import partial_area_under_roc
    >>> truth, p = np.array([True, False, True, False]), np.array([0.9, 0.8, 0.6, 0.2])
    >>> partial_area_under_roc(0.5, truth, p)(np.ones((1, 4))).round(3)
    array([0.667])
    """
    groups = _Groups(is_positive, probabilities)

    def scores(weights: Floats) -> Floats:
        tpr, fpr = (divided(sums, sums[:, -1:]) for sums in groups.sums(weights))
        tpr, fpr = (np.pad(rates, ((0, 0), (1, 0))) for rates in (tpr, fpr))
        widths, heights = np.diff(fpr, axis=1), np.diff(tpr, axis=1)
        inside = np.clip(max_fpr - fpr[:, :-1], 0.0, widths)
        # The share of a step that lies inside; a vertical one has no area.
        shares = np.divide(inside, widths, out=np.zeros_like(widths), where=widths > 0)
        area = (inside * (tpr[:, :-1] + shares * heights / 2)).sum(axis=1)
        least = max_fpr**2 / 2
        return np.asarray(0.5 * (1 + (area - least) / (max_fpr - least)))

    return scores


def average_of_classes(
    of_two: OfTwo, average: str, own: npt.NDArray[np.bool_], probabilities: Floats
) -> OfWeights:
    """Return the average metric of each class against all others, as a function of the weights.

    Parameters
    ----------
    of_two : callable
        Such as `area_under_roc`.
    average : {"macro", "weighted", "micro"}
        Whether classes count equally, or by the weight of their rows; for ``micro``, the decisions
        about all classes are ranked together.
    own : ndarray of bool of shape (n, k)
        Whether a row has the class.
    probabilities : ndarray of shape (n, k)

    Examples
    --------
    >>> import numpy as np
    >>> from uqwidgets.metrics.ranks import area_under_roc, average_of_classes
    >>> p = np.array([[0.6, 0.3, 0.1], [0.5, 0.3, 0.2], [0.2, 0.2, 0.6]])
    >>> own = np.eye(3, dtype=bool)
    >>> average_of_classes(area_under_roc, "macro", own, p)(np.ones((1, 3))).round(3)
    array([0.917])
    """
    k = own.shape[1]
    if average == "micro":
        together = of_two(own.ravel(), probabilities.ravel())
        return lambda weights: together(np.repeat(weights, k, axis=1))
    metrics = [of_two(own[:, c], probabilities[:, c]) for c in range(k)]

    def scores(weights: Floats) -> Floats:
        each = np.stack([metric(weights) for metric in metrics], axis=1)
        if average == "macro":
            return np.asarray(each.mean(axis=1))
        totals = [np.where(own[:, c], weights, 0.0).sum(axis=1) for c in range(k)]
        return weighted_mean(each, np.stack(totals, axis=1))

    return scores


def average_of_pairs(
    of_two: OfTwo, average: str, own: npt.NDArray[np.bool_], probabilities: Floats
) -> OfWeights:
    """Return the average metric of each class against each other one (Hand and Till 2001).

    Only classes that have rows count. With ``average="weighted"``, a pair of classes counts by the
    weight of its rows.

    Parameters
    ----------
    of_two, average, own, probabilities
        As for `average_of_classes`; there is no ``micro`` average.

    Examples
    --------
    >>> import numpy as np
    >>> from uqwidgets.metrics.ranks import area_under_roc, average_of_pairs
    >>> p = np.array([[0.6, 0.3, 0.1], [0.5, 0.3, 0.2], [0.2, 0.2, 0.6]])
    >>> own = np.eye(3, dtype=bool)
    >>> average_of_pairs(area_under_roc, "macro", own, p)(np.ones((1, 3))).round(3)
    array([0.917])
    """
    pairs = []
    for first, second in combinations(range(own.shape[1]), 2):
        rows = np.flatnonzero(own[:, first] | own[:, second])
        both = [of_two(own[rows, c], probabilities[rows, c]) for c in (first, second)]
        pairs.append((rows, own[rows, first], both))

    def scores(weights: Floats) -> Floats:
        each, totals = [], []
        for rows, is_first, both in pairs:
            of_rows = weights[:, rows]
            each.append(sum(metric(of_rows) for metric in both) / 2)
            of_first, of_second = (of_rows @ which for which in (is_first, ~is_first))
            known = (of_first > 0) & (of_second > 0)
            totals.append(np.where(known, of_first + of_second, 0.0))
        share = np.stack(totals, axis=1)
        if average == "macro":
            share = (share > 0).astype(np.float64)
        return weighted_mean(np.where(share > 0, np.stack(each, axis=1), 0.0), share)

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
