"""The noise around a forest's predictions, estimated from its out-of-bag rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

# A tree of a bootstrap sample leaves out a row with at least about the probability 1/e.
_DRAWN = 1 - math.exp(-1)
# With so few trees that more rows than this are expected in every bootstrap sample, the score of
# the forest counts predictions of rows that have none.
_MOST_ROWS_IN_ALL = 0.01
_CRITERIA = ("squared_error", "friedman_mse")


def out_of_bag_noise(forest: Any) -> float | None:
    r"""Root mean squared residual of the rows that each tree was not fitted on.

    A forest that was fitted with ``oob_score=True`` has the coefficient of determination R2 of
    its out-of-bag predictions, but not the targets. The root of each tree has the variance v of the
    targets of a bootstrap sample of m rows, whose expectation is (m - 1) / m times the variance
    of all targets. So the mean squared residual is :math:`(1 - R^2) \bar v m / (m - 1)` (Breiman
    2001, section 11, has the out-of-bag error of forests of regressors).

    Parameters
    ----------
    forest : RandomForestRegressor or ExtraTreesRegressor

    Returns
    -------
    float or None
        None where the forest does not determine it: it was fitted without ``oob_score=True``, with
        weights of rows, another criterion, several targets or too few trees, or without any
        residual.
    """
    trees = [tree.tree_ for tree in forest.estimators_]
    if (
        forest.oob_score is not True
        or not hasattr(forest, "oob_score_")
        or forest.n_outputs_ > 1
        or forest.criterion not in _CRITERIA
        or getattr(forest, "_sample_weight", None) is not None
        or len(forest.oob_prediction_) * _DRAWN ** len(trees) > _MOST_ROWS_IN_ALL
    ):
        return None
    sizes = {float(tree.weighted_n_node_samples[0]) for tree in trees}
    size = sizes.pop()
    if sizes or size < 2:  # weights of rows make the samples differ in size
        return None
    variance = float(np.mean([tree.impurity[0] for tree in trees])) * size / (size - 1)
    squared = (1 - forest.oob_score_) * variance
    return math.sqrt(squared) if squared > 0 else None
