"""Redundancy: how well each feature is known from the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets.plotting.repr import lines

if TYPE_CHECKING:
    import altair as alt


@dataclass(frozen=True, eq=False, repr=False)
class Redundancy:
    """How much of each feature the others tell, and the target beside them.

    Source: Wood et al. 2024, figure 7.

    Attributes
    ----------
    features : tuple of str, length p
        The best known first, those without a score last; all arrays are in this order.
    r2, low, high : ndarray of shape (p,)
        Share of the feature's variance that the other features explain, and its interval: 1 where
        they tell it exactly, 0 or less where they tell nothing; NaN where ``status`` is not
        ``ok``.
    r2_with_target, low_with_target, high_with_target : ndarray of shape (p,)
        The same with the target beside the others; NaN where it was not asked for.
    gain, gain_low, gain_high : ndarray of shape (p,)
        What the target adds, and its interval from the same rows.
    n_rows : ndarray of shape (p,)
        Scored rows that a score rests on: those in which the feature has a value.
    status : tuple of str, length p
        ``ok``, ``constant``, ``infinite values`` or ``too few rows``.
    with_target : bool
        Whether the target was asked for.
    target : str
        Its name.
    n_estimators, seed : int
        Trees of each forest, and where they start from.
    level : float
        Of the intervals.
    weighted : bool
        Whether row weights were used.
    ess : float
        Effective sample size of the scored rows.
    remarks : tuple of str
        What a reader of the numbers should know.
    """

    features: tuple[str, ...]
    r2: Floats
    low: Floats
    high: Floats
    r2_with_target: Floats
    low_with_target: Floats
    high_with_target: Floats
    gain: Floats
    gain_low: Floats
    gain_high: Floats
    n_rows: npt.NDArray[np.intp]
    status: tuple[str, ...]
    with_target: bool
    target: str
    n_estimators: int
    seed: int
    level: float
    weighted: bool
    ess: float
    remarks: tuple[str, ...] = ()

    @property
    def frame(self) -> pd.DataFrame:
        """Columns ``feature, r2, low, high, rows, status``, the best known feature first.

        With the target, after ``high``: ``r2_with_target, low_with_target, high_with_target,
        gain, gain_low, gain_high``.
        """
        names = ["r2", "low", "high"]
        if self.with_target:
            names += [f"{name}_with_target" for name in names]
            names += ["gain", "gain_low", "gain_high"]
        return pd.DataFrame(
            {
                "feature": list(self.features),
                **{name: getattr(self, name) for name in names},
                "rows": self.n_rows,
                "status": list(self.status),
            }
        )

    def __repr__(self) -> str:
        told = f", and from {self.target} beside them" if self.with_target else ""
        head = (
            f"R2 of {len(self.features)} features from the others{told}: out of bag, forests of "
            f"{self.n_estimators} trees{', weighted' if self.weighted else ''}, "
            f"{self.level:.0%} interval"
        )
        return lines(head, self.frame, self.remarks)

    def _repr_html_(self) -> str:
        from uqwidgets.redundancy.html import redundancy_html

        return redundancy_html(self)

    def to_altair(self) -> alt.LayerChart:
        """Chart of the same numbers, to restyle or save."""
        from uqwidgets.redundancy.chart import redundancy_chart

        return redundancy_chart(self)
