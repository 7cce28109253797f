"""Predictions of random forests for the rows they were grown from."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.parallel import Parallel, delayed

from uqwidgets._typing import Floats


def out_of_bag(
    predictors: npt.NDArray[np.float32],
    responses: Floats,
    weights: Floats,
    *,
    n_estimators: int,
    seed: int,
    n_jobs: int | None = None,
) -> Floats:
    """Mean prediction for each row by the trees that were grown without it.

    Rows are drawn alike whatever they weigh, and count by their weight where they are drawn: were
    they drawn by their weight, the heaviest would be in almost every bag.

    Parameters
    ----------
    predictors : ndarray of shape (n, p)
        May hold NaN.
    responses : ndarray of shape (n, k)
        Of mean zero, which is what a row gets that is in the bag of every tree.
    weights : ndarray of shape (n,)
    n_estimators : int
        Trees, each grown to the end.
    seed : int
    n_jobs : int, optional
        Trees grown at a time.

    Returns
    -------
    ndarray of shape (n, k)
    """
    streams = np.random.SeedSequence(seed).spawn(n_estimators)
    parallel = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
    total, counts = np.zeros_like(responses), np.zeros(len(responses))
    for out, predicted in parallel(
        delayed(_tree)(predictors, responses, weights, stream) for stream in streams
    ):
        total[out] += predicted
        counts[out] += 1
    return np.asarray(total / np.maximum(counts, 1)[:, None])


def _tree(
    predictors: npt.NDArray[np.float32],
    responses: Floats,
    weights: Floats,
    stream: np.random.SeedSequence,
) -> tuple[npt.NDArray[np.intp], Floats]:
    """Rows that a tree was grown without, and what it predicts for them."""
    n = len(responses)
    generator = np.random.default_rng(stream)
    drawn = np.bincount(generator.integers(n, size=n), minlength=n)
    bag = np.flatnonzero(drawn * weights > 0)
    out = np.flatnonzero(drawn == 0)
    if len(bag) == 0 or len(out) == 0:
        return out[:0], responses[:0]
    tree = DecisionTreeRegressor(random_state=int(generator.integers(2**31)))
    tree.fit(predictors[bag], responses[bag], sample_weight=drawn[bag] * weights[bag])
    return out, tree.predict(predictors[out]).reshape(len(out), -1)
