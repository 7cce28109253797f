"""Dependence: the result of partial dependence and ICE."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats, Positions
from uqwidgets._utils.remarks import Remark
from uqwidgets.inference.groups import GroupCount
from uqwidgets.inference.tested import (
    Ends,
    Hypotheses,
    WithTests,
    hypotheses_of_ends,
    one_level_alone,
)
from uqwidgets.plotting.choice import MOST_CURVES, MOST_POINTS, evenly
from uqwidgets.plotting.result import at_once, over_refits
from uqwidgets.plotting.text import counted_rows, value_text

if TYPE_CHECKING:
    import altair as alt


@dataclass(frozen=True, eq=False, repr=False)
class Dependence(WithTests):
    """A measure as a function of one feature's value: a line per row, and their mean.

    Attributes
    ----------
    feature, measure, label, unit : str
        The feature, and the measure with its text in pictures and its unit. `quantity` is what
        the curve shows of the measure.
    categorical : bool
        Whether the grid holds categories.
    grid : ndarray of shape (g,)
        Values of the feature; a missing value among numbers is NaN.
    spacing : {"quantile", "even", "observed", "given"}
    center : object or None
        The value at which every row's curve is zero; None if the curves are not centred.
    derivative : bool
        Whether the curves are slopes.
    relative : bool
        Whether the curves are changes from the measure of the row as it is.
    average, std_error, low, high : ndarray of shape (g,)
        Partial dependence with its standard error and pointwise band.
    curves : ndarray of shape (g, r)
        Curve of each row of the table, or of each of ``curve_rows``.
    rows : ndarray of shape (m,)
        Positions of the scored rows, which the average is over.
    observed : ndarray of shape (m,)
        Their own values of the feature.
    support : ndarray of shape (g,)
        Share of the (weighted) rows that are nearest to each value.
    near : ndarray of bool, shape (g,)
        Whether there are rows around the value; where not, the curve is an extrapolation of the
        model. A value is near the data if the tenth of the data's central range around it holds
        at least a tenth of the rows that an even spread would put there, and at least two.
    level : float
        Confidence level of the band.
    weighted : bool
        Whether row weights were used.
    ess : float
        Effective sample size of the scored rows.
    curve_rows : ndarray of shape (r,) or None
        Positions of the rows whose curves the result holds, where these are only some of the
        scored rows; None for every row of the table.
    per_refit : ndarray of shape (refits, g) or None
        For a learner, the average in every refit. Its ``curves`` are means over the refits that
        did not train on the row, NaN if all did.
    remarks : tuple of Remark
        What a reader of the numbers should know.
    groups : GroupCount or None
        Name, number and effective number of the groups of rows; None if rows are independent.
    pointwise_level : float or None
        With ``simultaneous=True``, the level of the band at each point by itself at which it holds
        at all points at once with ``level``; None for a pointwise band.
    accumulated : bool
        Whether the average is accumulated local effects in place of partial dependence. The grid
        then has the edges of the bins, or the categories in their order, and every curve of a row
        is centred as the effects are: its mean over the values of the scored rows is zero.
    ends : callable or None
        From a level to the lower and upper ends of the band; None for a learner.

    See Also
    --------
    Explainer.dependence : Makes this result for one fitted model.
    Explainer.accumulated_effects : Makes it of accumulated local effects.
    Surface : The same for two features.

    References
    ----------
    Friedman 2001; Goldstein et al. 2015; Wood et al. 2024, eq. 7 to 9; band: Molnar et al. 2023,
    eq. 5, with the correction of Hall 1992.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> curve = uq.Explainer(lambda X: 3 * X[:, 0], X, X[:, 0]).dependence("x0", grid=5)
    >>> curve.frame.columns.tolist()
    ['value', 'average', 'low', 'high', 'near']
    >>> curve.ice.shape
    (100, 5)
    """

    feature: str
    measure: str
    label: str
    unit: str
    categorical: bool
    grid: npt.NDArray[Any]
    spacing: str
    center: Any
    derivative: bool
    relative: bool
    average: Floats
    std_error: Floats
    low: Floats
    high: Floats
    curves: Floats
    rows: Positions
    observed: npt.NDArray[Any]
    support: Floats
    near: npt.NDArray[np.bool_]
    level: float
    weighted: bool
    ess: float
    curve_rows: Positions | None = None
    per_refit: Floats | None = None
    remarks: tuple[Remark, ...] = ()
    groups: GroupCount | None = None
    pointwise_level: float | None = None
    ends: Ends | None = None
    accumulated: bool = False

    def _hypotheses(self, null: float | None) -> Hypotheses:
        if self.ends is None:
            raise one_level_alone("this band is")
        against = np.full(len(self.average), null or 0.0)
        return hypotheses_of_ends({"value": self.grid.tolist()}, [(self.ends, against)])

    @property
    def n_refits(self) -> int:
        """Number of refits that the result averages; 0 for one model."""
        return 0 if self.per_refit is None else len(self.per_refit)

    @property
    def quantity(self) -> str:
        """What the curve shows: the measure, its slope, or its change from something."""
        if self.accumulated:
            return f"accumulated effect of {self.feature} on {self.label}"
        if self.derivative:
            return f"slope of {self.label} per unit of {self.feature}"
        if self.relative:
            return f"change of {self.label} from the row's own {self.feature}"
        if self.center is None:
            return self.label
        at = f"{self.center:.4g}" if isinstance(self.center, float) else value_text(self.center)
        return f"change of {self.label} from {self.feature} = {at}"

    @property
    def title(self) -> str:
        """What the curve shows, as a heading."""
        shown = f"{self.quantity} ({self.unit})" if self.unit else self.quantity
        if self.quantity == self.label:
            return f"Dependence of {shown} on {self.feature}"
        return shown[:1].upper() + shown[1:]

    @property
    def importance(self) -> float:
        """Permutation importance with every row as a donor: the mean of a partial importance.

        Each row's change is averaged over the observed values, weighted by their frequency (Dankers
        et al. 2020, chapter 8; Casalicchio et al. 2018).

        Raises
        ------
        AttributeError
            Unless the curve is relative, over all observed values.
        """
        if not self.relative or self.spacing != "observed":
            raise AttributeError(
                "only the mean of a curve with relative=True and spacing='observed' is an "
                "importance; compute the curve with both."
            )
        return float(self.support @ self.average)

    @property
    def ice_rows(self) -> Positions:
        """Positions of the rows of `ice`: the scored rows, or those whose curves are held."""
        return self.rows if self.curve_rows is None else self.curve_rows

    @property
    def ice(self) -> Floats:
        """Curves of the scored rows: individual conditional expectation (ICE).

        Shape (m, g), or (r, g) if the result holds the curves of ``curve_rows`` only.
        """
        return self._curves_of(slice(None))

    def _curves_of(self, chosen: slice | Positions) -> Floats:
        """Curves of some of `ice_rows`, by their place among them."""
        columns = self.rows[chosen] if self.curve_rows is None else chosen
        return self.curves[:, columns].T

    @property
    def frame(self) -> pd.DataFrame:
        """Columns ``value, average, low, high, near``, one line per point of the grid."""
        return pd.DataFrame(
            {
                "value": self.grid,
                "average": self.average,
                "low": self.low,
                "high": self.high,
                "near": self.near,
            }
        )

    @property
    def _heading(self) -> str:
        rows = counted_rows(len(self.rows), self.groups)
        return (
            f"{self.title}: {len(self.grid)} values ({self.spacing}), {rows}"
            f"{', weighted' if self.weighted else ''}{over_refits(self.n_refits)}, "
            f"{self.level:.0%} band{at_once(self, len(self.grid))}"
        )

    def _repr_html_(self) -> str:
        from uqwidgets.dependence.html import dependence_html

        return dependence_html(self)

    def to_altair(
        self,
        *,
        color_by: Any = None,
        own_values: bool = False,
        rug: bool = False,
        histogram: bool = False,
    ) -> alt.LayerChart | alt.VConcatChart | alt.HConcatChart:
        """Chart of the same numbers, to restyle or save.

        Parameters
        ----------
        color_by : array-like of shape (n,), optional
            Colours the lines of single rows: a value for each row of the table, such as the
            target or a column. A number has a continuous scale.
        own_values : bool, default=False
            Whether each line has a dot at the row's own value of the feature.
        rug : bool, default=False
            Whether the own values are ticks below the curve of a number.
        histogram : bool, default=False
            Whether a second panel counts the rows by their own value, stacked by ``color_by`` if
            that has few values. The chart then has panels, each with a width of its own.

        Raises
        ------
        ValueError
            If ``color_by`` has not a value for each row, or if the lines are refits or slopes,
            which have no values of single rows.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(100, 2))
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0] + X[:, 1])
        >>> chart = explainer.dependence("x0").to_altair()
        >>> type(chart).__name__
        'LayerChart'
        >>> chart = explainer.dependence("x0").to_altair(color_by=X[:, 1], own_values=True)
        >>> [layer.mark.type for layer in chart.layer]
        ['line', 'area', 'line', 'circle']
        >>> classes = X[:, 1] > 0
        >>> chart = explainer.dependence("x0").to_altair(color_by=classes, histogram=True)
        >>> len(chart.vconcat)
        2
        """
        from uqwidgets.dependence.figure import dependence_figure
        from uqwidgets.plotting.altair import layered

        chart = layered(dependence_figure(self, color_by=color_by, own_values=own_values, rug=rug))
        if not histogram:
            return chart
        from uqwidgets.dependence.histogram_chart import with_histogram

        return with_histogram(chart, self, color_by)


def ice_sample(result: Dependence, most: int = MOST_CURVES) -> tuple[Positions, Floats]:
    """Positions of the rows shown in pictures, shape (r,), and their curves, shape (r, g)."""
    most = min(most, max(1, MOST_POINTS // len(result.grid)))
    chosen = evenly(len(result.ice_rows), most)
    return result.ice_rows[chosen], result._curves_of(chosen)


def thin_lines(result: Dependence, most: int = MOST_CURVES) -> tuple[Positions, Floats]:
    """Positions of the rows (or refits) behind the average, and their curves, shape (r, g)."""
    if result.per_refit is None:
        return ice_sample(result, most)
    return np.arange(result.n_refits), result.per_refit
