"""What an analysis found: frozen arrays that show themselves in any notebook."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets.predictive.distributions import Floats

if TYPE_CHECKING:
    import altair as alt

Positions = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False, repr=False)
class Importance:
    """Mean change of a measure when a feature's values are replaced.

    Attributes
    ----------
    measure, label, unit : str
    features : tuple of str, length p
        Most important first; all arrays are in this order.
    importance, std_error, low, high : ndarray of shape (p,)
        In the unit of the measure.
    per_row : ndarray of shape (p, m)
        Mean change of every scored row.
    repeats : ndarray of shape (p, K)
        The estimate of every repeat alone.
    baseline : float
        Mean of the measure over the scored rows, nothing replaced.
    replacement, interval : str
    n_repeats, seed : int
    level : float
    rows : ndarray of shape (m,) or None
        Positions of the scored rows; None for all.
    weighted : bool
        Whether row weights were used.
    ess : float
        Effective sample size of the scored rows.
    remarks : tuple of str
        What a reader of the numbers should know.
    """

    measure: str
    label: str
    unit: str
    features: tuple[str, ...]
    importance: Floats
    std_error: Floats
    low: Floats
    high: Floats
    per_row: Floats
    repeats: Floats
    baseline: float
    replacement: str
    n_repeats: int
    interval: str
    level: float
    seed: int
    rows: Positions | None
    weighted: bool
    ess: float
    remarks: tuple[str, ...] = ()

    @property
    def frame(self) -> pd.DataFrame:
        """Columns ``feature, importance, std_error, low, high``; most important first."""
        return pd.DataFrame(
            {
                "feature": list(self.features),
                "importance": self.importance,
                "std_error": self.std_error,
                "low": self.low,
                "high": self.high,
            }
        )

    def __repr__(self) -> str:
        scored = self.per_row.shape[1]
        head = (
            f"Importance of {len(self.features)} features for {self.label}"
            f"{_in(self.unit)}: {self.replacement}, {self.n_repeats} repeats, {scored} rows"
            f"{', weighted' if self.weighted else ''}, {self.level:.0%} interval {self.interval}, "
            f"baseline {self.baseline:.4g}"
        )
        return _lines(head, self.frame, self.remarks)

    def _repr_html_(self) -> str:
        from uqwidgets.stills import importance_html

        return importance_html(self)

    def to_altair(self) -> alt.Chart | alt.LayerChart:
        """Chart of the same numbers, to restyle or save."""
        from uqwidgets.charts import importance_chart

        return importance_chart(self)


@dataclass(frozen=True, eq=False, repr=False)
class Dependence:
    """A measure as a function of one feature's value: a line per row, and their mean.

    Attributes
    ----------
    feature, measure, label, unit : str
    categorical : bool
        Whether the grid holds categories.
    grid : ndarray of shape (g,)
        Values of the feature.
    average, std_error, low, high : ndarray of shape (g,)
        Partial dependence with its pointwise band (003, eq. 5).
    curves : ndarray of shape (g, n)
        The measure at each grid value for every row of the table.
    rows : ndarray of shape (m,)
        Positions of the scored rows.
    observed : ndarray of shape (m,)
        Their own values of the feature.
    level : float
    weighted : bool
        Whether row weights were used.
    ess : float
        Effective sample size of the scored rows.
    remarks : tuple of str
        What a reader of the numbers should know.
    """

    feature: str
    measure: str
    label: str
    unit: str
    categorical: bool
    grid: npt.NDArray[Any]
    average: Floats
    std_error: Floats
    low: Floats
    high: Floats
    curves: Floats
    rows: Positions
    observed: npt.NDArray[Any]
    level: float
    weighted: bool
    ess: float
    remarks: tuple[str, ...] = ()

    @property
    def ice(self) -> Floats:
        """Individual conditional expectation of every scored row, shape (m, g)."""
        return self.curves[:, self.rows].T

    @property
    def frame(self) -> pd.DataFrame:
        """Columns ``value, average, low, high``, one line per point of the grid."""
        return pd.DataFrame(
            {"value": self.grid, "average": self.average, "low": self.low, "high": self.high}
        )

    def __repr__(self) -> str:
        head = (
            f"Dependence of {self.label}{_in(self.unit)} on {self.feature}: {len(self.grid)} "
            f"values, {len(self.rows)} rows{', weighted' if self.weighted else ''}, "
            f"{self.level:.0%} band"
        )
        return _lines(head, self.frame, self.remarks)

    def _repr_html_(self) -> str:
        from uqwidgets.stills import dependence_html

        return dependence_html(self)

    def to_altair(self) -> alt.LayerChart:
        """Chart of the same numbers, to restyle or save."""
        from uqwidgets.charts import dependence_chart

        return dependence_chart(self)


@dataclass(frozen=True, eq=False, repr=False)
class Stress:
    """Weighted summaries of the rows while one feature's mean is moved.

    Attributes
    ----------
    features : tuple of str, length p
    indicators : tuple of str, length q
    taus : ndarray of shape (t,)
        Stress levels in [-1, 1], -1, 0 and 1 among them.
    target, reached, ess, kl : ndarray of shape (p, t)
        Mean that was asked for and the one that was got, in the feature's unit; effective
        sample size of the weights; their Kullback-Leibler divergence from equal ones in nats.
    status : ndarray of str, shape (p, t)
        ``ok``; ``edge``: the target is the extreme of the data, equal weight on the rows there;
        ``infeasible``, ``constant`` or ``beyond quantile``: there are no such weights, and
        every value at this point is NaN.
    values : dict of str to ndarray of shape (p, t)
        Each indicator.
    labels : dict of str to str
        How each is shown.
    alpha : float
        Tau = -1 and 1 move the mean to the quantiles alpha and 1 - alpha.
    remarks : tuple of str
        What a reader of the numbers should know.
    """

    features: tuple[str, ...]
    indicators: tuple[str, ...]
    taus: Floats
    target: Floats
    reached: Floats
    ess: Floats
    kl: Floats
    status: npt.NDArray[np.str_]
    values: dict[str, Floats]
    labels: dict[str, str]
    alpha: float
    remarks: tuple[str, ...] = ()

    @property
    def frame(self) -> pd.DataFrame:
        """Columns ``feature, tau, target, reached, indicator, value, ess, kl, status``."""
        p, t, q = len(self.features), len(self.taus), len(self.indicators)

        def once(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
            return np.repeat(values.ravel(), q)

        return pd.DataFrame(
            {
                "feature": np.repeat(np.array(self.features, dtype=object), t * q),
                "tau": np.tile(np.repeat(self.taus, q), p),
                "target": once(self.target),
                "reached": once(self.reached),
                "indicator": np.tile(np.array(self.indicators, dtype=object), p * t),
                "value": np.stack([self.values[i] for i in self.indicators], axis=-1).ravel(),
                "ess": once(self.ess),
                "kl": once(self.kl),
                "status": once(self.status),
            }
        )

    def __repr__(self) -> str:
        head = (
            f"Stress of {len(self.features)} features at {len(self.taus)} levels of tau "
            f"(alpha {self.alpha:g}): {', '.join(self.indicators)}"
        )
        return _lines(head, self.frame, self.remarks)

    def _repr_html_(self) -> str:
        from uqwidgets.stills import stress_html

        return stress_html(self)

    def to_altair(self, indicator: str | None = None) -> alt.LayerChart:
        """Chart of one indicator (the first, unless named), to restyle or save."""
        from uqwidgets.charts import stress_chart

        return stress_chart(self, self.indicators[0] if indicator is None else indicator)


def _in(unit: str) -> str:
    return f" in {unit}" if unit else ""


def _lines(head: str, frame: pd.DataFrame, remarks: tuple[str, ...]) -> str:
    table = frame.to_string(index=False, max_rows=12, float_format=lambda v: f"{v:.4g}")
    return "\n".join([head, table, *(f"note: {r}" for r in remarks)])
