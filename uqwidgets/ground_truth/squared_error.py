r"""Why permutation importance by the squared error is biased (003, appendix F).

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

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from uqwidgets.explainer import Explainer
from uqwidgets.predictive import Predictive
from uqwidgets.predictive.distributions import Floats
from uqwidgets.replacement import Drawn, Original, Replacement


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


class Moments:
    """Mean and variance of what models say, without keeping what each says."""

    def __init__(self) -> None:
        self.count = 0
        self.mean: Floats = np.zeros(())
        self._squares: Floats = np.zeros(())

    def add(self, values: Iterable[Floats]) -> None:
        """Take models in, one by one (Welford)."""
        for one in values:
            self.count += 1
            apart = one - self.mean
            self.mean = self.mean + apart / self.count
            self._squares = self._squares + apart * (one - self.mean)

    @property
    def variance(self) -> Floats:
        """Variance between models."""
        return self._squares / (self.count - 1)


def bias_parts(truth: Floats, models: Moments, units: Sequence[str]) -> pd.DataFrame:
    """Compute the parts of the bias (003, eq. 9, 10).

    Parameters
    ----------
    truth : ndarray of shape (1 + p, n)
        f at the shared rows, as they are and with each feature permuted.
    models : Moments
        Of the predictions of at least two models at the same rows.
    units : sequence of str, length p

    Returns
    -------
    DataFrame
        Columns ``feature, permutation_loss_bias, squared_model_bias, variance_inflation``; the
        bias is the first, minus the second, plus the third.
    """
    variance = models.variance
    # The mean of a finite number of models varies, which is no bias of theirs.
    squared_bias = np.square(truth[0] - models.mean) - variance / models.count
    lost = (squared_bias[1:] - np.square(truth[0] - truth[1:])).mean(axis=1)
    return pd.DataFrame(
        {
            "feature": list(units),
            "permutation_loss_bias": lost,
            "squared_model_bias": np.full(len(units), squared_bias[0].mean()),
            "variance_inflation": variance[1:].mean(axis=1) - variance[0].mean(),
        }
    )
