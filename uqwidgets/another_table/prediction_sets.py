r"""Prediction sets that hold their level in other rows, also under weights (split conformal).

The score of a row says how far its target is from what the model predicts; the set of another row
are the targets whose score is at most a threshold, the quantile of the scores of calibration rows.
The sets then contain the target with at least the level, whatever the model (Vovk et al. 2005).
With weights w that make the calibration rows look like other ones, the threshold is the level
quantile of their scores with the shares :math:`w_i / (\sum w + w_{new})` and the rest at infinity
(Tibshirani et al. 2019, eq. 7): where few rows look like the new one, the set may be infinite, and
is called so.

The rows at hand are split into halves; each half is calibrated by the other, so that coverage and
size are those of rows that were not calibrated with.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from uqwidgets._typing import Floats, Positions
from uqwidgets.inference.population import Population
from uqwidgets.predictive.distributions import Categorical, Mixture, Point

KINDS = ("distribution", "residual")


@dataclass(frozen=True, eq=False)
class Conformal:
    """The scores of a model, and its sets at thresholds.

    Attributes
    ----------
    kind : str
    scores : callable
        From distributions and targets of m rows to their scores (m,).
    sizes : callable
        From distributions and thresholds (m,) to the sizes of the sets (m,): widths of intervals,
        or numbers of classes.
    sets : callable
        From distributions and one threshold to the sets of m rows.
    own : float
        The threshold at which the sets are those of the model itself; NaN if it has none.
    """

    kind: str
    scores: Callable[[Any, Any], Floats]
    sizes: Callable[[Any, Floats], Floats]
    sets: Callable[[Any, float], pd.DataFrame]
    own: float


def conformal_of(q: Any, kind: str | None, level: float, seed: int) -> Conformal:
    """Return the scores that fit a kind of distribution.

    For classes they are adaptive (Romano et al. 2020): the probability of all classes that are more
    probable than the true one, and a random share of its own. For numbers, ``distribution`` is how
    far the target is beyond the model's own interval of this level, in widths of it (Romano et al.
    2019), and ``residual`` how far from its mean.

    Raises
    ------
    ValueError
        If the model has no such sets.
    """
    if q.classes is not None:
        if not isinstance(q, Categorical | Mixture):
            raise ValueError(
                "the model gives class labels only, so it has no prediction sets; use a model with "
                "predict_proba."
            )
        if kind == "residual":
            raise ValueError("kind is 'residual', and classes have none; use 'distribution'.")
        return _of_classes(seed, level)
    if isinstance(q, Point) and kind == "distribution":
        raise ValueError(
            "kind is 'distribution', and the model predicts single numbers; use 'residual'."
        )
    if isinstance(q, Point) or kind == "residual":
        return _of_residuals()
    return _of_intervals(level)


def _of_residuals() -> Conformal:
    def scores(q: Any, y: Any) -> Floats:
        return np.asarray(np.abs(np.asarray(y, dtype=np.float64) - q.mean()))

    def sets(q: Any, threshold: float) -> pd.DataFrame:
        return pd.DataFrame({"low": q.mean() - threshold, "high": q.mean() + threshold})

    return Conformal("residual", scores, lambda _, each: 2 * each, sets, np.nan)


def _of_intervals(level: float) -> Conformal:
    def unit(low: Floats, high: Floats) -> Floats:
        """Return the width; 1 where an interval of counts holds a single one."""
        return np.where(high > low, high - low, 1.0)

    def scores(q: Any, y: Any) -> Floats:
        low, high = q.interval(level)
        return np.asarray(np.maximum(low - y, y - high) / unit(low, high))

    def sizes(q: Any, each: Floats) -> Floats:
        low, high = q.interval(level)
        return np.asarray(np.maximum(high - low + 2 * each * unit(low, high), 0.0))

    def sets(q: Any, threshold: float) -> pd.DataFrame:
        low, high = q.interval(level)
        wider = threshold * unit(low, high)
        return pd.DataFrame({"low": low - wider, "high": high + wider})

    return Conformal("distribution", scores, sizes, sets, 0.0)


def _of_classes(seed: int, level: float) -> Conformal:
    def cumulated(q: Any) -> tuple[Floats, Positions]:
        """Return, by falling probability, what is before each class and a random share of it."""
        p = q.probabilities
        order = np.argsort(-p, axis=1, kind="stable")
        by_size = np.take_along_axis(p, order, axis=1)
        u = np.random.default_rng(seed).random(len(p))[:, None]
        return np.cumsum(by_size, axis=1) - (1 - u) * by_size, order

    def scores(q: Any, codes: Any) -> Floats:
        above, order = cumulated(q)
        place = np.argmax(order == np.asarray(codes)[:, None], axis=1)
        return np.asarray(above[np.arange(len(above)), place])

    def sizes(q: Any, each: Floats) -> Floats:
        above, _ = cumulated(q)
        return np.asarray((above <= each[:, None]).sum(axis=1), dtype=np.float64)

    def sets(q: Any, threshold: float) -> pd.DataFrame:
        above, order = cumulated(q)
        holds = np.zeros(above.shape, dtype=np.bool_)
        np.put_along_axis(holds, order, above <= threshold, axis=1)
        return pd.DataFrame(holds, columns=[str(label) for label in q.classes])

    return Conformal("distribution", scores, sizes, sets, level)


def thresholds(scores: Floats, weights: Floats, own: Floats, level: float) -> Floats:
    """Return the thresholds of rows with weights of their own (Tibshirani et al. 2019, eq. 7).

    Parameters
    ----------
    scores, weights : ndarray of shape (n,)
        Of the calibration rows.
    own : ndarray of shape (m,)
        Weights of the other rows.
    level : float

    Returns
    -------
    ndarray of shape (m,)
        Infinite where the calibration rows have too little weight.
    """
    order = np.argsort(scores, kind="stable")
    cumulated = np.cumsum(weights[order])
    needed = level * (cumulated[-1] + own)
    # A sum up to rounding.
    place = np.searchsorted(cumulated, needed * (1 - 1e-12))
    return np.asarray(np.append(scores[order], np.inf)[place])


def crossed(
    conformal: Conformal, q: Any, truth: Any, population: Population, level: float, seed: int
) -> Floats:
    """Return the threshold of each row from the half of the rows that it is not in, shape (n,).

    Rows that belong together are in one half.
    """
    scores = conformal.scores(q, truth)
    rows = np.flatnonzero(population.scored > 0)
    units = rows if population.groups is None else population.groups.codes[rows]
    _, codes = np.unique(units, return_inverse=True)
    is_first = np.random.default_rng(seed).permutation(int(codes.max()) + 1)[codes] % 2 == 0
    found = np.full(len(scores), np.nan)
    for own, other in ((is_first, ~is_first), (~is_first, is_first)):
        here, there = rows[own], rows[other]
        found[here] = thresholds(
            scores[there], population.scored[there], population.scored[here], level
        )
    return found
