"""Importance: the result of a permutation importance, or of any other importance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from uqwidgets._typing import Floats, Positions
from uqwidgets._utils.remarks import Remark
from uqwidgets.inference.groups import GroupCount
from uqwidgets.plotting.result import Result, in_unit, over_refits, replaced
from uqwidgets.plotting.text import counted, counted_rows

if TYPE_CHECKING:
    import altair as alt


@dataclass(frozen=True, eq=False, repr=False)
class Importance(Result):
    """Mean change of a measure when a feature's values are replaced.

    Attributes
    ----------
    measure, label, unit : str
        Name of the measure, its text in pictures, and its unit (``"nats"``), or ``""``.
    features : tuple of str, length p
        Features or groups, the most important first; all arrays are in this order.
    importance, std_error, low, high : ndarray of shape (p,)
        Estimate, standard error and interval, in the unit of the measure; for a ratio, in
        multiples of the baseline.
    per_row : ndarray of shape (p, m)
        Mean change of every scored row, or its part in the ratio.
    repeats : ndarray of shape (p, K)
        Estimate of every repeat alone; K is 0 with every row as a donor.
    baseline : float
        Mean of the measure over the scored rows as they are.
    compare : {"difference", "ratio"}
    replacement, interval : str
    n_repeats : int or "all"
    seed : int
    level : float
        Confidence level of the interval.
    reference : {"t", "normal"}
        Distribution whose quantiles the interval uses.
    rows : ndarray of shape (m,) or None
        Positions of the scored rows; None for all.
    weighted : bool
        Whether row weights were used.
    ess : float
        Effective sample size of the scored rows.
    subgroups : DataFrame or None
        For conditional replacement, one line per feature: ``feature, subgroups, smallest,
        separation``. The separation is the share of the feature's variance between subgroups.
    per_refit : ndarray of shape (p, m) or None
        For a learner, the importance in every refit.
    remarks : tuple of Remark
        What a reader of the numbers should know.
    groups : GroupCount or None
        Name, number and effective number of the groups of rows; None if rows are independent.

    See Also
    --------
    Explainer.importance : Makes this result for one fitted model.
    Learner.importance : Makes it for the procedure that fits the model.

    References
    ----------
    Wood et al. 2024, eq. 5; Molnar et al. 2023, eq. 4 to 6.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
    >>> result = explainer.importance("squared_error", n_repeats=5)
    >>> result.frame.columns.tolist()
    ['feature', 'importance', 'std_error', 'low', 'high']
    >>> result.per_row.shape, result.repeats.shape
    ((2, 200), (2, 5))
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
    remarks: tuple[Remark, ...] = ()
    groups: GroupCount | None = None

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
        """Number of refits that the result averages; 0 for one model."""
        return 0 if self.per_refit is None else self.per_refit.shape[1]

    @property
    def unchanged(self) -> float:
        """Importance of a feature that makes no difference: 0, or 1 for a ratio."""
        return 1.0 if self.compare == "ratio" else 0.0

    @property
    def how(self) -> str:
        """How values were replaced, compared and averaged, in words."""
        ratio = ", as a ratio" if self.compare == "ratio" else ""
        return replaced(self.replacement, self.n_repeats) + ratio + over_refits(self.n_refits)

    @property
    def _heading(self) -> str:
        rows = counted_rows(self.per_row.shape[1], self.groups)
        return (
            f"Importance of {counted(len(self.features), 'feature')} for {self.label}"
            f"{in_unit(self.unit)}: {self.how}, {rows}"
            f"{', weighted' if self.weighted else ''}, {self.level:.0%} interval {self.interval}, "
            f"baseline {self.baseline:.4g}"
        )

    def _repr_html_(self) -> str:
        from uqwidgets.importance.html import importance_html

        return importance_html(self)

    def to_altair(self) -> alt.Chart | alt.LayerChart:
        """Chart of the same numbers, to restyle or save.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(100, 2))
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0] + X[:, 1])
        >>> chart = explainer.importance("squared_error").to_altair()
        >>> type(chart).__name__
        'LayerChart'
        """
        from uqwidgets.importance.figure import importance_figure
        from uqwidgets.plotting.altair import layered

        return layered(importance_figure(self))
