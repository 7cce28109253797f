"""The result of importance over tau."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats, Positions
from uqwidgets._utils.remarks import Remark
from uqwidgets.plotting.result import Result, in_unit, named_interval, replaced

if TYPE_CHECKING:
    import altair as alt


@dataclass(frozen=True, eq=False, repr=False)
class ImportanceOverTau(Result):
    """Importance of each feature while the mean of one of them is moved.

    Attributes
    ----------
    stressed : str
        The feature, or ``feature=category``, that is stressed.
    features : tuple of str, length p
        In the order of the table.
    taus : ndarray of shape (t,)
        Stress levels within [-1, 1], among them -1, 0 and 1.
    measure, label, unit : str
        Name, label and unit of the measure.
    importance, std_error, low, high : ndarray of shape (p, t)
        Importance, its standard error and the ends of its interval, in the measure's unit; NaN
        where the feature cannot be stressed to that level.
    ess : ndarray of shape (t,)
        Effective sample size of the weights, in rows.
    reached : ndarray of shape (t,)
        Weighted mean of the stressed feature, in its unit.
    status : ndarray of str, shape (t,)
        ``ok``, ``edge``, ``infeasible``, ``constant`` or ``beyond quantile``, see `Stress`.
    interval, reference : str
        Kind of the intervals, and the distribution whose quantiles they use.
    level : float
        Of the intervals.
    replacement : str
        How values were replaced.
    n_repeats : int or "all"
    seed : int
    remarks : tuple of Remark
        What a reader of the numbers should know.

    See Also
    --------
    uqwidgets.Explainer.importance_over_tau : Computes it.
    Stress : Indicators instead of importance.

    References
    ----------
    Wood et al. 2024, eq. 5; Bachoc et al. 2023, theorem 2.3.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> X = np.arange(40.0).reshape(20, 2)
    >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
    >>> result = explainer.importance_over_tau("x0", "squared_error", n_repeats=2, taus=3)
    >>> result.importance.round(1)
    array([[ 36.8, 180.4,  46.1],
           [  0. ,   0. ,   0. ]])
    """

    stressed: str
    features: tuple[str, ...]
    taus: Floats
    measure: str
    label: str
    unit: str
    importance: Floats
    std_error: Floats
    low: Floats
    high: Floats
    ess: Floats
    reached: Floats
    status: npt.NDArray[np.str_]
    interval: str
    level: float
    reference: str
    replacement: str
    n_repeats: int | str
    seed: int
    remarks: tuple[Remark, ...] = ()

    @property
    def frame(self) -> pd.DataFrame:
        """Columns ``feature, tau, importance, std_error, low, high, ess, reached, status``."""
        p, t = self.importance.shape

        def each(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
            return np.tile(values, p)

        return pd.DataFrame(
            {
                "feature": np.repeat(np.array(self.features, dtype=object), t),
                "tau": each(self.taus),
                "importance": self.importance.ravel(),
                "std_error": self.std_error.ravel(),
                "low": self.low.ravel(),
                "high": self.high.ravel(),
                "ess": each(self.ess),
                "reached": each(self.reached),
                "status": each(self.status),
            }
        )

    @property
    def _heading(self) -> str:
        return (
            f"Importance for {self.label}{in_unit(self.unit)} at {len(self.taus)} levels of tau of "
            f"{self.stressed}: {replaced(self.replacement, self.n_repeats)}, "
            f"{self.level:.0%} interval {named_interval(self.interval, self.level)}"
        )

    def to_altair(self) -> alt.LayerChart:
        """Chart of the same numbers, to restyle or save.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(100, 2))
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0] + X[:, 1])
        >>> chart = explainer.importance_over_tau("x0", "squared_error", taus=5).to_altair()
        >>> type(chart).__name__
        'LayerChart'
        """
        from uqwidgets.plotting.altair import layered
        from uqwidgets.stress.figure import importance_over_tau_figure

        return layered(importance_over_tau_figure(self))

    def _repr_html_(self) -> str:
        from uqwidgets.stress.importance_html import importance_over_tau_html

        return importance_over_tau_html(self)


def by_importance(result: ImportanceOverTau) -> Positions:
    """Positions of the features, those that matter most without stress first; NaN last."""
    unstressed = result.importance[:, int(np.argmin(np.abs(result.taus)))]
    return np.argsort(-np.nan_to_num(unstressed, nan=-np.inf), kind="stable")
