"""Importance while one feature is stressed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets.plotting.repr import in_unit, lines, replaced

if TYPE_CHECKING:
    import altair as alt


@dataclass(frozen=True, eq=False, repr=False)
class ImportanceOverTau:
    """How much each feature matters as the mean of one of them is moved.

    Attributes
    ----------
    stressed : str
        The feature, or ``feature=category``, that is stressed.
    features : tuple of str, length p
        In the order of the table.
    taus : ndarray of shape (t,)
    measure, label, unit : str
    importance, std_error, low, high : ndarray of shape (p, t)
        NaN where the feature cannot be stressed to that level.
    ess : ndarray of shape (t,)
        Effective sample size of the weights.
    reached : ndarray of shape (t,)
        Mean of the stressed feature.
    status : ndarray of str, shape (t,)
        See `Stress`.
    interval : str
    level : float
    replacement, reference : str
    n_repeats : int or "all"
    seed : int
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

    def __repr__(self) -> str:
        head = (
            f"Importance for {self.label}{in_unit(self.unit)} at {len(self.taus)} levels of tau of "
            f"{self.stressed}: {replaced(self.replacement, self.n_repeats)}, "
            f"{self.level:.0%} interval {self.interval}"
        )
        return lines(head, self.frame, ())

    def to_altair(self) -> alt.LayerChart:
        """Chart of the same numbers, to restyle or save."""
        from uqwidgets.stress.importance_chart import importance_over_tau_chart

        return importance_over_tau_chart(self)

    def _repr_html_(self) -> str:
        wide = pd.DataFrame(
            self.importance,
            index=list(self.features),
            columns=[f"tau {tau:g}" for tau in self.taus],
        )
        return str(wide.to_html(float_format=lambda v: f"{v:.3g}", border=0, escape=True))
