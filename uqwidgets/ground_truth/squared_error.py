r"""Why permutation importance by the squared error is biased (Molnar et al. 2023, appendix F).

With :math:`\tilde f` and :math:`\tilde{\hat f}` at rows whose feature is permuted, the importance
that models are expected to give differs from that of the process by

.. math:: \underbrace{E[(f - E_F \tilde{\hat f})^2 - (f - \tilde f)^2]
          }_{\text{permutation loss bias}}
          - \underbrace{E[(f - E_F \hat f)^2]}_{\text{squared model bias}}
          + \underbrace{E[V_F \tilde{\hat f}] - E[V_F \hat f]}_{\text{variance inflation}}

(eq. 9, 10). The variance of the target around f is in both losses and cancels. Models without bias
still inflate it: permuted rows lie where the models were not fitted (corollary 1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets.evaluation.replacement import Drawn, Original, Replacement
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.predictive import Predictive

Rows = npt.NDArray[np.intp]

PARTS = ("permutation_loss_bias", "squared_model_bias", "variance_inflation")
# Batches of training sets that the jackknife leaves out: each takes as much memory as the table.
_BATCHES = 20


@dataclass(frozen=True, eq=False)
class Shared:
    """Rows that all models predict: as they are, and with each feature permuted.

    Attributes
    ----------
    X : DataFrame or ndarray of shape (n, p)
    y : ndarray of shape (n,)
    units : tuple of str
    seed : int
        Of the permutations.
    """

    X: Any
    y: Floats
    units: tuple[str, ...]
    seed: int

    def predictions(self, model: Predictive) -> Floats:
        """Predicted means, shape (1 + features, n), those of the rows as they are first."""
        explainer = Explainer(model, self.X, self.y)
        asked: list[Replacement] = [Original()]
        columns = map(explainer.table.columns_of, self.units)
        asked += [Drawn(of, "permutation", 0, self.seed) for of in columns]
        return explainer.evaluations.values(asked, explainer.measure("prediction"))

    def donors(self, model: Predictive) -> Rows:
        """Position of the row that each row's value of each feature is from, (features, n)."""
        explainer = Explainer(model, self.X, self.y)
        columns = map(explainer.table.columns_of, self.units)
        draws = [explainer.evaluations.donors(of, "permutation", self.seed, 1)[0] for of in columns]
        return np.array(draws)


@dataclass(frozen=True, eq=False)
class Moments:
    """Mean and variance of what models say, without keeping what each says.

    Attributes
    ----------
    sets : int
        Training sets.
    refits : int
        Fits on each.
    mean : ndarray of shape (1 + p, n)
        Over all fits.
    between : ndarray of shape (1 + p, n)
        Sum over training sets of the squared distance of the mean of their fits from ``mean``.
    within : ndarray of shape (1 + p, n)
        Sum over training sets of the variance between the fits on them.
    """

    sets: int
    refits: int
    mean: Floats
    between: Floats
    within: Floats

    @classmethod
    def of_set(cls, predictions: Floats) -> Moments:
        """Moments of the fits on one training set, (refits, 1 + p, n)."""
        refits = len(predictions)
        mean = predictions.mean(axis=0)
        nothing = np.zeros_like(mean)
        within = predictions.var(axis=0, ddof=1) if refits > 1 else nothing
        return cls(1, refits, mean, nothing, within)

    def joined(self, other: Moments) -> Moments:
        """Moments of the training sets of both (Chan, Golub and LeVeque 1983)."""
        sets = self.sets + other.sets
        apart = other.mean - self.mean
        return Moments(
            sets,
            self.refits,
            self.mean + apart * (other.sets / sets),
            self.between + other.between + np.square(apart) * (self.sets * other.sets / sets),
            self.within + other.within,
        )

    @property
    def variance(self) -> Floats:
        """Variance of one fit, without bias: between training sets and between fits on one."""
        own = self.within / self.sets
        return self.between / (self.sets - 1) + own * (1 - 1 / self.refits)

    @property
    def variance_of_mean(self) -> Floats:
        """Variance of the mean over all fits, of which those on one training set are alike."""
        return self.between / (self.sets - 1) / self.sets


class LeftOutMoments:
    """Moments of all training sets, and of all but one batch of these at a time.

    Parameters
    ----------
    sets : int
        How many training sets there are to be.
    """

    def __init__(self, sets: int) -> None:
        self._batches: list[Moments | None] = [None] * min(sets, _BATCHES)
        self._sets = 0

    def add(self, predictions: Floats) -> None:
        """Take in the fits on one training set, (refits, 1 + p, n)."""
        place = self._sets % len(self._batches)
        known, new = self._batches[place], Moments.of_set(predictions)
        self._batches[place] = new if known is None else known.joined(new)
        self._sets += 1

    @property
    def all(self) -> Moments:
        """Moments of all training sets."""
        return self._joined(None)

    @property
    def without_one(self) -> Iterator[Moments]:
        """Moments of all but one batch, for each; none where that leaves a single set."""
        batches = len(self._batches)
        if self._sets > 2:
            yield from map(self._joined, range(batches))

    def _joined(self, left_out: int | None) -> Moments:
        kept = [m for g, m in enumerate(self._batches) if g != left_out and m is not None]
        return reduce(Moments.joined, kept)


def bias_parts(
    truth: Floats, models: LeftOutMoments, units: Sequence[str], donors: Rows
) -> pd.DataFrame:
    r"""Compute the parts of the bias (Molnar et al. 2023, eq. 9, 10), with their standard errors.

    They vary with the training sets and with the rows, :math:`V = V_F + V_X`. The first is that of
    the delete-a-group jackknife over batches of training sets, at the rows as they are. The second
    is that of a mean over rows, each of which is scored once and is donor once, with g the value of
    row i and :math:`d(i)` its donor:

    .. math:: V_X = \frac1n \left[ \operatorname{var} g_i
              + 2 \operatorname{cov}(g_i, g_{d(i)}) \right] - \frac1n \overline{V_F(g_i)},

    less what the finite number of training sets adds to the spread of rows, which the first has.

    Parameters
    ----------
    truth : ndarray of shape (1 + p, n)
        f at the shared rows, as they are and with each feature permuted.
    models : LeftOutMoments
        Of the predictions at the same rows, of fits on at least two training sets.
    units : sequence of str, length p
    donors : ndarray of shape (p, n)
        Position of the row that each row's value was replaced by.

    Returns
    -------
    DataFrame
        Columns ``feature, permutation_loss_bias, squared_model_bias, variance_inflation``; the
        bias is the first, minus the second, plus the third. Each with its standard error as
        ``..._error``, NaN with two training sets, which have none left to leave out.
    """
    whole = _of_rows(truth, models.all)
    errors = np.sqrt(_variance_of_parts(whole, truth, models, donors))
    columns: dict[str, Any] = {"feature": list(units)}
    for name, values, error in zip(PARTS, whole.mean(axis=2), errors, strict=True):
        columns |= {name: values, f"{name}_error": error}
    return pd.DataFrame(columns)


def _of_rows(truth: Floats, models: Moments) -> Floats:
    """Value of each row in each of the three parts, (3, p, n)."""
    variance = models.variance
    # The mean of a finite number of models varies, which is no bias of theirs.
    squared_bias = np.square(truth[0] - models.mean) - models.variance_of_mean
    lost = squared_bias[1:] - np.square(truth[0] - truth[1:])
    own = np.broadcast_to(squared_bias[0], lost.shape)
    return np.array([lost, own, variance[1:] - variance[0]])


def _variance_of_parts(
    whole: Floats, truth: Floats, models: LeftOutMoments, donors: Rows
) -> Floats:
    """Variance of the mean over rows of each part, (3, p)."""
    n = whole.shape[2]
    means, count = [], 0
    centre, squares = np.zeros_like(whole), np.zeros_like(whole)
    for moments in models.without_one:  # not all at once: they are as large as the table
        replicate = _of_rows(truth, moments)
        means.append(replicate.mean(axis=2))
        count += 1
        apart = replicate - centre
        centre += apart / count
        squares += apart * (replicate - centre)
    if not count:
        return np.full(whole.shape[:2], np.nan)
    share = (count - 1) / count
    of_sets = share * np.square(np.array(means) - np.mean(means, axis=0)).sum(axis=0)
    around = whole - whole.mean(axis=2, keepdims=True)
    of_donor = np.take_along_axis(around, np.broadcast_to(donors, around.shape), axis=2)
    roles = np.square(around) + 2 * around * of_donor
    roles[1] = np.square(around[1])  # nothing is permuted there
    of_rows = roles.mean(axis=2) / n - share * squares.mean(axis=2) / n
    variance: Floats = of_sets + np.maximum(of_rows, 0.0)
    return variance
