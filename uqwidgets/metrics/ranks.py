"""Scikit-learn's metrics of the order of probabilities, for many weights of the same rows.

Scikit-learn sorts the rows in every call, and importance needs a metric under thousands of weights.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats, Positions
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
        order = np.argsort(-probabilities, kind="stable")
        last = np.flatnonzero(np.diff(probabilities[order], append=-np.inf))
        # The rows of each kind in this order, and how many there are up to each group.
        self._kinds = [
            (order[which], np.cumsum(which, dtype=np.intp)[last])
            for which in (is_positive[order], ~is_positive[order])
        ]

    def sums(self, weights: Floats) -> tuple[Floats, Floats]:
        """Return the weights of positive and of negative rows from the first group to each one.

        Parameters
        ----------
        weights : ndarray of shape (s, n)

        Returns
        -------
        positive, negative : ndarray of shape (s, groups)
        """
        positive, negative = (_cumulated(weights, *kind) for kind in self._kinds)
        return positive, negative


def _cumulated(weights: Floats, rows: Positions, counts: Positions) -> Floats:
    """Return the total weight (s, m) of the first so many (m,) of some rows."""
    totals = np.zeros((len(weights), len(rows) + 1))
    np.cumsum(np.take(weights, rows, axis=1), axis=1, out=totals[:, 1:])
    return np.take(totals, counts, axis=1)


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
    return _area(np.flatnonzero(is_positive), np.flatnonzero(~is_positive), probabilities)


def _area(positive: Positions, negative: Positions, probabilities: Floats) -> OfWeights:
    """Return the area under the curve of some rows against others, see `area_under_roc`."""
    positive, negative = (
        rows[np.argsort(probabilities[rows], kind="stable")] for rows in (positive, negative)
    )
    lower, not_higher = (
        np.searchsorted(probabilities[negative], probabilities[positive], side)
        for side in ("left", "right")
    )
    # Of each positive row, the negative ones below it, those that are not above it, and all.
    k = len(positive)
    counts = np.concatenate([lower, [len(negative)]])
    has_ties = not np.array_equal(lower, not_higher)
    if has_ties:
        counts = np.concatenate([counts, not_higher])

    def scores(weights: Floats) -> Floats:
        below = _cumulated(weights, negative, counts)
        heights = divided(below, below[:, k : k + 1])
        each = (heights[:, :k] + heights[:, k + 1 :]) / 2 if has_ties else heights[:, :k]
        return weighted_mean(each, np.take(weights, positive, axis=1))

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


def area_of_pairs(average: str, own: npt.NDArray[np.bool_], probabilities: Floats) -> OfWeights:
    """Return the average area of each class against each other one (Hand and Till 2001).

    It is `sklearn.metrics.roc_auc_score` with ``multi_class="ovo"``, as a function of the weights.

    Only classes that have rows count. With ``average="weighted"``, a pair of classes counts by the
    weight of its rows.

    Parameters
    ----------
    average, own, probabilities
        As for `average_of_classes`; there is no ``micro`` average.

    Examples
    --------
    >>> import numpy as np
    >>> from uqwidgets.metrics.ranks import area_of_pairs
    >>> p = np.array([[0.6, 0.3, 0.1], [0.5, 0.3, 0.2], [0.2, 0.2, 0.6]])
    >>> own = np.eye(3, dtype=bool)
    >>> area_of_pairs("macro", own, p)(np.ones((1, 3))).round(3)
    array([0.917])
    """
    rows = [np.flatnonzero(which) for which in own.T]
    pairs = list(combinations(range(len(rows)), 2))
    metrics = [
        [_area(rows[a], rows[b], probabilities[:, a]) for a, b in (pair, pair[::-1])]
        for pair in pairs
    ]

    def scores(weights: Floats) -> Floats:
        each = np.stack([(one(weights) + other(weights)) / 2 for one, other in metrics], axis=1)
        totals = [np.take(weights, of_class, axis=1).sum(axis=1) for of_class in rows]
        known = [(totals[a] > 0) & (totals[b] > 0) for a, b in pairs]
        share = np.stack(known, axis=1).astype(np.float64)
        if average == "weighted":
            share *= np.stack([totals[a] + totals[b] for a, b in pairs], axis=1)
        return weighted_mean(np.where(share > 0, each, 0.0), share)

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
    positive, negative = (
        rows[np.argsort(-probabilities[rows], kind="stable")]
        for rows in (np.flatnonzero(is_positive), np.flatnonzero(~is_positive))
    )
    # How many of each kind have at least the probability of each positive row.
    counts = [
        np.searchsorted(-probabilities[rows], -probabilities[positive], "right")
        for rows in (positive, negative)
    ]

    def scores(weights: Floats) -> Floats:
        above, others = (
            _cumulated(weights, rows, of_kind)
            for rows, of_kind in zip((positive, negative), counts, strict=True)
        )
        others += above
        shares = np.divide(above, others, out=above, where=others > 0)
        return weighted_mean(shares, np.take(weights, positive, axis=1))

    return scores
