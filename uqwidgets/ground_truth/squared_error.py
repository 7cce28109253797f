r"""Parts of the bias of permutation importance by the squared error.

Source: Molnar et al. 2023, appendix F.

With :math:`\tilde f` and :math:`\tilde{\hat f}` at rows whose feature is permuted, the expected
importance of models minus the importance of the process is

.. math:: \underbrace{E[(f - E_F \tilde{\hat f})^2 - (f - \tilde f)^2]
          }_{\text{permutation loss bias}}
          - \underbrace{E[(f - E_F \hat f)^2]}_{\text{squared model bias}}
          + \underbrace{E[V_F \tilde{\hat f}] - E[V_F \hat f]}_{\text{variance inflation}}

(eq. 9, 10). The variance of the target around f is part of both losses and cancels. The importance
of unbiased models is still biased upwards, because their variance is larger at permuted rows, where
there were no training rows (corollary 1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd

from uqwidgets._typing import Floats, Positions
from uqwidgets.evaluation.replacement import Drawn, Original, Replacement
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.predictive import Predictive

PARTS = ("permutation_loss_bias", "squared_model_bias", "variance_inflation")
# Number of batches of training sets for the delete-a-group jackknife. Each batch needs as much
# memory as the predictions of one fit.
_BATCHES = 20


@dataclass(frozen=True, eq=False)
class SharedRows:
    """Rows that all models predict, unchanged and with each feature permuted.

    Attributes
    ----------
    X : DataFrame or ndarray of shape (n, p)
    y : ndarray of shape (n,)
    features : tuple of str
    seed : int
        Of the permutations.
    """

    X: Any
    y: Floats
    features: tuple[str, ...]
    seed: int

    def predictions(self, model: Predictive) -> Floats:
        """Predicted means, (1 + p, n): of the unchanged rows, then with each feature permuted."""
        explainer = Explainer(model, self.X, self.y)
        replacements: list[Replacement] = [Original()]
        columns = map(explainer.table.columns_of, self.features)
        replacements += [Drawn(c, "permutation", 0, self.seed) for c in columns]
        return explainer.evaluations.values(replacements, explainer.measure("prediction"))

    def donors(self, model: Predictive) -> Positions:
        """Position of the donor of each row for each feature, shape (p, n)."""
        explainer = Explainer(model, self.X, self.y)
        columns = map(explainer.table.columns_of, self.features)
        draws = [explainer.evaluations.donors(c, "permutation", self.seed, 1)[0] for c in columns]
        return np.array(draws)


@dataclass(frozen=True, eq=False)
class PredictionMoments:
    """Mean and variance of models' predictions, updated without storing each prediction.

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
    def of_set(cls, predictions: Floats) -> PredictionMoments:
        """Moments of the fits on one training set, (refits, 1 + p, n)."""
        refits = len(predictions)
        mean = predictions.mean(axis=0)
        nothing = np.zeros_like(mean)
        within = predictions.var(axis=0, ddof=1) if refits > 1 else nothing
        return cls(1, refits, mean, nothing, within)

    def combined(self, other: PredictionMoments) -> PredictionMoments:
        """Moments of the training sets of both (Chan et al. 1983)."""
        sets = self.sets + other.sets
        distance = other.mean - self.mean
        return PredictionMoments(
            sets,
            self.refits,
            self.mean + distance * (other.sets / sets),
            self.between + other.between + np.square(distance) * (self.sets * other.sets / sets),
            self.within + other.within,
        )

    @property
    def variance(self) -> Floats:
        """Unbiased variance of one fit, between training sets and between fits on the same set."""
        within = self.within / self.sets
        return self.between / (self.sets - 1) + within * (1 - 1 / self.refits)

    @property
    def variance_of_mean(self) -> Floats:
        """Variance of the mean over all fits; fits on one training set are correlated."""
        return self.between / (self.sets - 1) / self.sets


class JackknifeMoments:
    """Moments of all training sets, and the jackknife replicates without one batch of them.

    Parameters
    ----------
    sets : int
        Number of training sets that will be added.
    """

    def __init__(self, sets: int) -> None:
        self._batches: list[PredictionMoments | None] = [None] * min(sets, _BATCHES)
        self._added = 0

    def add(self, predictions: Floats) -> None:
        """Add the predictions of the fits on one training set, (refits, 1 + p, n)."""
        number = self._added % len(self._batches)
        batch, new = self._batches[number], PredictionMoments.of_set(predictions)
        self._batches[number] = new if batch is None else batch.combined(new)
        self._added += 1

    @property
    def all(self) -> PredictionMoments:
        """Moments of all training sets."""
        return self._combined(None)

    @property
    def without_one(self) -> Iterator[PredictionMoments]:
        """Moments without each batch in turn; empty if a single training set would remain."""
        batches = len(self._batches)
        if self._added > 2:
            yield from map(self._combined, range(batches))

    def _combined(self, left_out: int | None) -> PredictionMoments:
        batches = [m for g, m in enumerate(self._batches) if g != left_out and m is not None]
        return reduce(PredictionMoments.combined, batches)


def bias_parts(
    truth: Floats, models: JackknifeMoments, features: Sequence[str], donors: Positions
) -> pd.DataFrame:
    r"""Compute the parts of the bias (Molnar et al. 2023, eq. 9, 10), with their standard errors.

    Their variance is :math:`V = V_F + V_X`, from the training sets and from the rows.
    :math:`V_F` is that of the delete-a-group jackknife over batches of training sets, at fixed
    rows. :math:`V_X` is that of a mean over rows, each of which is scored once and is a donor once.
    With :math:`g_i` the value of row i and :math:`d(i)` its donor,

    .. math:: V_X = \frac1n \left[ \operatorname{var} g_i
              + 2 \operatorname{cov}(g_i, g_{d(i)}) \right] - \frac1n \overline{V_F(g_i)},

    where the last term is the part of the variance between rows that comes from the finite number
    of training sets, which :math:`V_F` already contains.

    Parameters
    ----------
    truth : ndarray of shape (1 + p, n)
        f at the shared rows, unchanged and with each feature permuted.
    models : JackknifeMoments
        Of the predictions at the same rows, of fits on at least two training sets.
    features : sequence of str, length p
    donors : ndarray of shape (p, n)
        Position of the row that each row's value was replaced by.

    Returns
    -------
    DataFrame
        Columns ``feature, permutation_loss_bias, squared_model_bias, variance_inflation``; the
        bias is the first, minus the second, plus the third. Each with its standard error as
        ``..._error``, NaN with two training sets, for which there is no jackknife.
    """
    whole = _row_values(truth, models.all)
    errors = np.sqrt(_variance_of_parts(whole, truth, models, donors))
    columns: dict[str, Any] = {"feature": list(features)}
    for name, values, error in zip(PARTS, whole.mean(axis=2), errors, strict=True):
        columns |= {name: values, f"{name}_error": error}
    return pd.DataFrame(columns)


def _row_values(truth: Floats, models: PredictionMoments) -> Floats:
    """Value of each row in each of the three parts, (3, p, n)."""
    variance = models.variance
    # The mean of a finite number of models has a variance, which is not part of their bias.
    squared_bias = np.square(truth[0] - models.mean) - models.variance_of_mean
    permutation_loss = squared_bias[1:] - np.square(truth[0] - truth[1:])
    unpermuted = np.broadcast_to(squared_bias[0], permutation_loss.shape)
    return np.array([permutation_loss, unpermuted, variance[1:] - variance[0]])


def _variance_of_parts(
    whole: Floats, truth: Floats, models: JackknifeMoments, donors: Positions
) -> Floats:
    """Variance of the mean over rows of each part, (3, p)."""
    n = whole.shape[2]
    means, count = [], 0
    centre, squares = np.zeros_like(whole), np.zeros_like(whole)
    for moments in models.without_one:  # one at a time, as each is as large as the table
        replicate = _row_values(truth, moments)
        means.append(replicate.mean(axis=2))
        count += 1
        distance = replicate - centre
        centre += distance / count
        squares += distance * (replicate - centre)
    if not count:
        return np.full(whole.shape[:2], np.nan)
    share = (count - 1) / count
    set_variance = share * np.square(np.array(means) - np.mean(means, axis=0)).sum(axis=0)
    centred = whole - whole.mean(axis=2, keepdims=True)
    donor_values = np.take_along_axis(centred, np.broadcast_to(donors, centred.shape), axis=2)
    roles = np.square(centred) + 2 * centred * donor_values
    roles[1] = np.square(centred[1])  # no feature is permuted in this part
    row_variance = roles.mean(axis=2) / n - share * squares.mean(axis=2) / n
    variance: Floats = set_variance + np.maximum(row_variance, 0.0)
    return variance
