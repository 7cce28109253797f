"""Slices: where a measure is clearly higher than elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets._utils.remarks import Remark
from uqwidgets.inference.groups import GroupCount
from uqwidgets.plotting.result import Result, in_unit
from uqwidgets.plotting.text import counted, population

if TYPE_CHECKING:
    import altair as alt


@dataclass(frozen=True, eq=False, repr=False)
class Slices(Result):
    """Ranges and categories in which a measure is clearly higher than elsewhere.

    `Explainer.slices` returns it.

    Attributes
    ----------
    measure, label, unit : str
        Name of the measure, and its name and unit in pictures.
    slices : tuple of str, length m
        The slices in words, the clearest first; all arrays are in this order.
    conditions : tuple of list of dict
        The conditions that the rows of each slice meet, as `Explorer.ice_filter` takes them.
    same_rows : tuple of str
        Another condition that nearly the same rows meet, of another feature; empty if none does.
    masks : ndarray of bool, shape (m, n)
        Which rows of the table are in each slice.
    rows : ndarray of shape (m,)
        Number of rows in each slice.
    share : ndarray of shape (m,)
        Share of the weight of all rows in each slice.
    value, elsewhere, difference : ndarray of shape (m,)
        Mean of the measure in the slice, in the other rows, and the former minus the latter, in
        the half of the rows that the slice was not found in.
    std_error, low, high : ndarray of shape (m,)
        Of the difference; the intervals of all slices that were tested hold at once.
    p_adjusted : ndarray of shape (m,)
        P-value of no difference, for all tests at once.
    n_compared, n_tested : int
        Candidates that were compared in one half of the rows, and those tested in the other one.
    level : float
        Level at which all intervals hold at once.
    pointwise_level : float
        Level of each interval by itself.
    n_rows : int
        Number of rows.
    weighted : bool
        Whether row weights were used.
    ess : float
        Effective sample size of the rows.
    groups : GroupCount or None
        Name, number and effective number of the groups of rows; None if rows are independent.
    remarks : tuple of Remark
        Sentences that a reader of the numbers should know.

    See Also
    --------
    Explainer.slices : Computes it.
    Explainer.compare_rows : One slice and the other rows in full.

    References
    ----------
    Chung et al. 2019; Sagadeeva and Boehm 2021; Chernozhukov et al. 2013.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 3))
    >>> y = X[:, 0] + rng.normal(size=1000) * np.where(X[:, 1] > 1, 3.0, 1.0)
    >>> slices = uq.Explainer(lambda X: X[:, 0], X, y).slices("squared_error")
    >>> slices.conditions[0][0]["feature"]
    'x1'
    >>> bool(slices.low[0] > 0)
    True
    """

    measure: str
    label: str
    unit: str
    slices: tuple[str, ...]
    conditions: tuple[list[dict[str, Any]], ...]
    same_rows: tuple[str, ...]
    masks: npt.NDArray[np.bool_]
    rows: npt.NDArray[np.intp]
    share: Floats
    value: Floats
    elsewhere: Floats
    difference: Floats
    std_error: Floats
    low: Floats
    high: Floats
    p_adjusted: Floats
    n_compared: int
    n_tested: int
    level: float
    n_rows: int
    weighted: bool
    ess: float
    groups: GroupCount | None = None
    remarks: tuple[Remark, ...] = ()
    pointwise_level: float | None = None

    def __len__(self) -> int:
        """Return the number of slices that are clear."""
        return len(self.slices)

    @property
    def frame(self) -> pd.DataFrame:
        """One line for each slice, the clearest first.

        The columns are ``slice, rows, share, value, elsewhere, difference, low, high,
        p_adjusted, same_rows``.
        """
        names = ["rows", "share", "value", "elsewhere", "difference", "low", "high", "p_adjusted"]
        return pd.DataFrame(
            {
                "slice": list(self.slices),
                **{name: getattr(self, name) for name in names},
                "same_rows": list(self.same_rows),
            }
        )

    @property
    def tested_text(self) -> str:
        """How many slices were compared and tested, in words."""
        return (
            f"{counted(self.n_compared, 'candidate')} compared in halves of the rows, "
            f"{self.n_tested:,} tested in the other half, {self.level:.0%} intervals of all at once"
        )

    @property
    def _heading(self) -> str:
        rows = population(self.weighted, self.ess, self.n_rows, self.groups)
        found = counted(len(self), "slice") if len(self) else "no slice"
        return (
            f"{found} with clearly higher {self.label}{in_unit(self.unit)}: "
            f"{self.tested_text}, {rows}"
        )

    def _repr_html_(self) -> str:
        from uqwidgets.slices.html import slices_html

        return slices_html(self)

    def to_altair(self) -> alt.LayerChart:
        """Chart of the same numbers, to restyle or save.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(500, 2))
        >>> explainer = uq.Explainer(lambda X: X[:, 0] * (X[:, 1] < 1), X, X[:, 0])
        >>> type(explainer.slices("squared_error").to_altair()).__name__
        'LayerChart'
        """
        from uqwidgets.plotting.altair import layered
        from uqwidgets.slices.figure import slices_figure

        return layered(slices_figure(self))
