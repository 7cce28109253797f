"""Surface: a measure over two features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats, Positions
from uqwidgets._utils.remarks import Remark
from uqwidgets.inference.groups import GroupCount
from uqwidgets.inference.rounding import difference
from uqwidgets.inference.tested import (
    Ends,
    Hypotheses,
    WithTests,
    hypotheses_of_ends,
    one_level_alone,
)
from uqwidgets.plotting.result import at_once, in_unit, over_refits
from uqwidgets.plotting.text import counted_rows

if TYPE_CHECKING:
    import altair as alt


@dataclass(frozen=True, eq=False, repr=False)
class Surface(WithTests):
    """A measure as a function of two features' values, averaged over rows.

    Attributes
    ----------
    features : tuple of two str
    measure, label, unit : str
        Name of the measure, its text in pictures, and its unit.
    categorical : tuple of two bool
        Whether each grid holds categories.
    grids : tuple of ndarray, shapes (g1,) and (g2,)
        Values of each feature.
    spacings : tuple of two str
    average, std_error, low, high : ndarray of shape (g1, g2)
        Partial dependence with its standard error and pointwise band.
    effects : tuple of ndarray, shapes (g1,) and (g2,)
        Partial dependence of each feature alone.
    support : ndarray of shape (g1, g2)
        Share of the (weighted) rows that are nearest to each point.
    near : ndarray of bool, shape (g1, g2)
        Whether there are rows around the point; where not, the surface is an extrapolation of the
        model (see `Dependence`).
    rows : ndarray of shape (m,)
        Positions of the scored rows.
    level : float
    weighted : bool
        Whether row weights were used.
    ess : float
        Effective sample size of the scored rows.
    per_refit : ndarray of shape (refits, g1, g2) or None
        For a learner, the average in every refit.
    remarks : tuple of Remark
        What a reader of the numbers should know.
    groups : GroupCount or None
        Name, number and effective number of the groups of rows; None if rows are independent.
    pointwise_level : float or None
        With ``simultaneous=True``, the level of each interval by itself at which all of them hold
        at once with ``level``; None for a pointwise band.
    ends : callable or None
        From a level to the ends of the band, arrays of g1 x g2 numbers; None for a learner.

    See Also
    --------
    Explainer.dependence : Makes this result from two features.
    Dependence : The same for one feature.

    References
    ----------
    Friedman 2001; Wood et al. 2024, eq. 7; interaction: Friedman and Popescu 2008, section 8.1;
    band: Molnar et al. 2023, eq. 5, with the correction of Hall 1992.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> surface = uq.Explainer(lambda X: X.sum(axis=1), X, X[:, 0]).dependence(["x0", "x1"], grid=4)
    >>> surface.average.shape
    (4, 4)
    >>> surface.h_squared  # a sum has no interaction
    0.0
    """

    features: tuple[str, str]
    measure: str
    label: str
    unit: str
    categorical: tuple[bool, bool]
    grids: tuple[npt.NDArray[Any], npt.NDArray[Any]]
    spacings: tuple[str, str]
    average: Floats
    std_error: Floats
    low: Floats
    high: Floats
    effects: tuple[Floats, Floats]
    support: Floats
    near: npt.NDArray[np.bool_]
    rows: Positions
    level: float
    weighted: bool
    ess: float
    per_refit: Floats | None = None
    remarks: tuple[Remark, ...] = ()
    groups: GroupCount | None = None
    pointwise_level: float | None = None
    ends: Ends | None = None

    def _hypotheses(self, null: float | None) -> Hypotheses:
        if self.ends is None:
            raise one_level_alone("this band is")
        first, second = (grid.tolist() for grid in self.grids)
        points = [(one, other) for one in first for other in second]
        columns = dict(zip(("first", "second"), zip(*points, strict=True), strict=True))
        return hypotheses_of_ends(columns, [(self.ends, np.full(len(points), null or 0.0))])

    @property
    def n_refits(self) -> int:
        """Number of refits that the result averages; 0 for one model."""
        return 0 if self.per_refit is None else len(self.per_refit)

    @property
    def interaction(self) -> Floats:
        """The surface minus the effects of both features, shape (g1, g2).

        Zero everywhere if the effects add up. Its mean over the rows, each at its nearest point,
        is zero (Friedman and Popescu 2008, section 8.1).
        """
        additive = self.effects[0][:, None] + self.effects[1]
        return difference(self.average, additive + np.sum(self._share * (self.average - additive)))

    @property
    def h_squared(self) -> float:
        """Share of the surface's variance over the rows that is interaction.

        Friedman and Popescu's H² (2008, section 8.1), each row at its nearest point; NaN if the
        surface is flat. If the features depend on each other, interaction and effects may cancel
        in the surface, and H² exceeds 1.
        """
        mean = np.full_like(self.average, np.sum(self._share * self.average))
        total = float(np.sum(self._share * np.square(difference(self.average, mean))))
        return float(np.sum(self._share * np.square(self.interaction))) / total if total else np.nan

    @property
    def _share(self) -> Floats:
        total = self.support.sum()
        return self.support / total if total else np.full_like(self.support, np.nan)

    @property
    def frame(self) -> pd.DataFrame:
        """Columns ``first, second, average, low, high, interaction, near``, a line per point."""
        first, second = self.grids
        return pd.DataFrame(
            {
                "first": np.repeat(first, len(second)),
                "second": np.tile(second, len(first)),
                "average": self.average.ravel(),
                "low": self.low.ravel(),
                "high": self.high.ravel(),
                "interaction": self.interaction.ravel(),
                "near": self.near.ravel(),
            }
        )

    @property
    def _heading(self) -> str:
        first, second = self.features
        rows = counted_rows(len(self.rows), self.groups)
        return (
            f"Dependence of {self.label}{in_unit(self.unit)} on {first} and {second}: "
            f"{len(self.grids[0])} x {len(self.grids[1])} values, {rows}"
            f"{', weighted' if self.weighted else ''}{over_refits(self.n_refits)}, "
            f"{self.level:.0%} band{at_once(self, self.average.size)}, "
            f"H² of the interaction {self.h_squared:.3g}"
        )

    def _repr_html_(self) -> str:
        from uqwidgets.dependence.surface_html import surface_html

        return surface_html(self)

    def to_altair(self) -> alt.LayerChart:
        """Chart of the same numbers, to restyle or save.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(100, 2))
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0] + X[:, 1])
        >>> chart = explainer.dependence(["x0", "x1"], grid=5).to_altair()
        >>> type(chart).__name__
        'LayerChart'
        """
        from uqwidgets.dependence.figure import surface_figure
        from uqwidgets.plotting.altair import layered

        return layered(surface_figure(self))
