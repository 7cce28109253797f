"""Row weights that meet several constraints, with how far they are from the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats, Positions
from uqwidgets._utils.remarks import Remark
from uqwidgets.plotting.choice import evenly
from uqwidgets.plotting.result import Result

if TYPE_CHECKING:
    import altair as alt


@dataclass(frozen=True, eq=False, repr=False)
class Reweighting(Result):
    """Row weights that meet several constraints and stay as close to the data as possible.

    Pass it, or its ``weights``, as ``sample_weight``; `numpy.asarray` gives the weights.

    Attributes
    ----------
    weights : ndarray of shape (n,)
        Weights of the rows, of mean 1.
    names : tuple of str, length k
        Names of the constraints: means, variances, covariances, shares, pinned features and
        functions, in this order, each mean once.
    target, reached : ndarray of shape (k,)
        The moment that each constraint requires and the weighted moment, in the constraint's unit.
    xi : ndarray of shape (k,)
        Multiplier of each constraint (Bachoc et al. 2023, eq. 4), in 1 over the constraint's unit.
        NaN with status ``edge``, where the multipliers diverge. Redundant constraints have one of
        many possible choices.
    rows : ndarray of shape (m,) or None
        Positions of the rows that are reweighted, which the numbers below are of; the others keep
        weight 1. None for all rows.
    ess : float
        Effective sample size of the weights, in rows.
    kl : float
        Kullback-Leibler divergence of the weights from equal weights, in nats.
    half_share : float
        Smallest share of the rows that carries half of the weight.
    status : {"ok", "edge"}
        ``edge``: the constraints can be met only by weights that are zero on some rows. The weights
        are then the limit of those for targets slightly inside of what the rows can reach.
    remarks : tuple of Remark
        What a reader of the weights should know.

    See Also
    --------
    uqwidgets.Explainer.stress_to : Computes it.
    uqwidgets.Explainer.stress_weights : Weights that move the mean of one feature.

    References
    ----------
    Bachoc et al. 2023, theorems 2.1 and 2.2.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> X = np.arange(10.0).reshape(5, 2)
    >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
    >>> result = explainer.stress_to({"x0": 5.0})
    >>> result.frame[["constraint", "target", "reached"]].round(6)
         constraint  target  reached
    0  mean of 'x0'     5.0      5.0
    >>> np.asarray(result).round(2)
    array([0.56, 0.72, 0.94, 1.21, 1.57])
    """

    weights: Floats
    names: tuple[str, ...]
    target: Floats
    reached: Floats
    xi: Floats
    ess: float
    kl: float
    half_share: float
    status: str
    rows: Positions | None = None
    remarks: tuple[Remark, ...] = ()

    @property
    def n_rows(self) -> int:
        """Number of rows that are reweighted."""
        return len(self.weights) if self.rows is None else len(self.rows)

    @property
    def frame(self) -> pd.DataFrame:
        """Columns ``constraint, target, reached, xi``, a line per constraint."""
        return pd.DataFrame(
            {
                "constraint": list(self.names),
                "target": self.target,
                "reached": self.reached,
                "xi": self.xi,
            }
        )

    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> npt.NDArray[Any]:
        """Return the weights, shape (n,)."""
        # Before numpy 2, `copy=None` was not known, and False allowed a copy.
        weights = np.asarray(self.weights, dtype=dtype)
        if copy is False and weights is not self.weights:
            raise ValueError("the weights cannot have another dtype without a copy.")
        return weights.copy() if copy else weights

    def __len__(self) -> int:
        return len(self.weights)

    @property
    def _heading(self) -> str:
        k, n = len(self.names), self.n_rows
        return (
            f"Weights of {n} rows that meet {k} constraint{'' if k == 1 else 's'}: effective "
            f"sample size {self.ess:.4g}, divergence {self.kl:.3g} nats, status {self.status}"
        )

    def _repr_html_(self) -> str:
        from uqwidgets.stress.constrained.html import reweighting_html

        return reweighting_html(self)

    def to_altair(self) -> alt.LayerChart:
        """Chart of how the weight is concentrated on the rows, to restyle or save.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(100, 2))
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0] + X[:, 1])
        >>> chart = explainer.stress_to({"x0": 0.5}).to_altair()
        >>> type(chart).__name__
        'LayerChart'
        """
        from uqwidgets.plotting.altair import layered
        from uqwidgets.stress.constrained.figure import reweighting_figure

        return layered(reweighting_figure(self))


def concentration(result: Reweighting) -> tuple[Floats, Floats]:
    """Share of the rows, the heaviest first, and the share of the weight that they carry.

    Returns
    -------
    tuple of ndarray, each of shape (k,)
        From 0 to 1, at no more than 200 evenly spaced numbers of rows.
    """
    n, weights = result.n_rows, result.weights
    if result.rows is not None:
        weights = weights[result.rows]
    share = np.append(0.0, np.cumsum(np.sort(weights)[::-1]) / weights.sum())
    at = evenly(n + 1, 200)
    return at / n, share[at]
