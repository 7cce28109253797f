"""Importance: mean changes of a measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from uqwidgets._typing import Floats, Positions
from uqwidgets.plotting.repr import in_unit, lines, over_refits, replaced

if TYPE_CHECKING:
    import altair as alt


@dataclass(frozen=True, eq=False, repr=False)
class Importance:
    """Mean change of a measure when a feature's values are replaced.

    Attributes
    ----------
    measure, label, unit : str
    features : tuple of str, length p
        Most important first, features or groups of them; all arrays are in this order.
    importance, std_error, low, high : ndarray of shape (p,)
        In the unit of the measure; as a ratio, how many times the baseline.
    per_row : ndarray of shape (p, m)
        Mean change of every scored row, or its part in the ratio.
    repeats : ndarray of shape (p, K)
        The estimate of every repeat alone; none where every donor is used.
    baseline : float
        Mean of the measure over the scored rows, nothing replaced.
    compare : {"difference", "ratio"}
    replacement, interval : str
    n_repeats : int or "all"
    seed : int
    level : float
    reference : str
        Whose quantiles the interval uses, ``"t"`` or ``"normal"``.
    rows : ndarray of shape (m,) or None
        Positions of the scored rows; None for all.
    weighted : bool
        Whether row weights were used.
    ess : float
        Effective sample size of the scored rows.
    subgroups : DataFrame or None
        Of a conditional replacement, a line per feature: ``feature, subgroups, smallest,
        separation``, the last being the share of the feature's variance between its subgroups.
    per_refit : ndarray of shape (p, m) or None
        Of a learner, the importance in every refit.
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
    compare: str
    replacement: str
    n_repeats: int | str
    interval: str
    level: float
    reference: str
    seed: int
    rows: Positions | None
    weighted: bool
    ess: float
    subgroups: pd.DataFrame | None = None
    per_refit: Floats | None = None
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

    @property
    def n_refits(self) -> int:
        """How many refits it is the mean of; 0 where it is of one model."""
        return 0 if self.per_refit is None else self.per_refit.shape[1]

    @property
    def unchanged(self) -> float:
        """The importance of a feature that makes no difference: 0, or 1 as a ratio."""
        return 1.0 if self.compare == "ratio" else 0.0

    @property
    def how(self) -> str:
        """How values were replaced and compared, and over what this is the mean, in words."""
        ratio = ", as a ratio" if self.compare == "ratio" else ""
        return replaced(self.replacement, self.n_repeats) + ratio + over_refits(self.n_refits)

    def __repr__(self) -> str:
        scored = self.per_row.shape[1]
        head = (
            f"Importance of {len(self.features)} features for {self.label}"
            f"{in_unit(self.unit)}: {self.how}, {scored} rows"
            f"{', weighted' if self.weighted else ''}, {self.level:.0%} interval {self.interval}, "
            f"baseline {self.baseline:.4g}"
        )
        return lines(head, self.frame, self.remarks)

    def _repr_html_(self) -> str:
        from uqwidgets.importance.html import importance_html

        return importance_html(self)

    def to_altair(self) -> alt.Chart | alt.LayerChart:
        """Chart of the same numbers, to restyle or save."""
        from uqwidgets.importance.chart import importance_chart

        return importance_chart(self)
