"""Dependence: curves of a measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy.typing as npt
import pandas as pd

from uqwidgets.predictive.distributions import Floats
from uqwidgets.results.text import in_unit, lines
from uqwidgets.results.types import Positions

if TYPE_CHECKING:
    import altair as alt


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
            f"Dependence of {self.label}{in_unit(self.unit)} on {self.feature}: {len(self.grid)} "
            f"values, {len(self.rows)} rows{', weighted' if self.weighted else ''}, "
            f"{self.level:.0%} band"
        )
        return lines(head, self.frame, self.remarks)

    def _repr_html_(self) -> str:
        from uqwidgets.stills import dependence_html

        return dependence_html(self)

    def to_altair(self) -> alt.LayerChart:
        """Chart of the same numbers, to restyle or save."""
        from uqwidgets.charts import dependence_chart

        return dependence_chart(self)
