"""Simulated width and coverage of a learner's intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets.plotting.result import Result
from uqwidgets.plotting.text import counted

if TYPE_CHECKING:
    import altair as alt


@dataclass(frozen=True, eq=False, repr=False)
class IntervalCoverage(Result):
    """Width and coverage of a learner's intervals over the number of refits.

    `GroundTruth.coverage` returns it.

    Attributes
    ----------
    procedure, measure, label, unit : str
    feature : str or None
        The feature of the curve; None for importance.
    categorical : bool
        Whether the points of a curve are categories.
    points : ndarray of shape (k,)
        Values of the feature, or names of the features.
    refits : ndarray of shape (r,)
        Numbers of refits, ascending.
    coverage, width : ndarray of shape (r, k)
        Share of tables whose interval holds the expectation, and mean width of the intervals.
    coverage_error : ndarray of shape (r,)
        Standard error of the coverage averaged over the points.
    interval, resampling : str
    level : float
    n, n_tables : int
        Rows of a table, and number of tables.

    See Also
    --------
    Learner : The intervals.

    References
    ----------
    Molnar et al. 2023, section 8, figures 5 and 7 to 14.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> import uqwidgets as uq
    >>> truth = uq.GroundTruth(lambda X: X[:, 0], lambda n, rng: rng.normal(size=(n, 2)))
    >>> result = truth.coverage(LinearRegression(), n_refits=(2, 4), n=30, n_tables=5)
    >>> result.refits.tolist(), result.coverage.shape
    ([2, 4], (2, 2))
    """

    procedure: str
    measure: str
    label: str
    unit: str
    feature: str | None
    categorical: bool
    points: npt.NDArray[Any]
    refits: npt.NDArray[np.int_]
    coverage: Floats
    coverage_error: Floats
    width: Floats
    interval: str
    level: float
    resampling: str
    n: int
    n_tables: int

    @property
    def frame(self) -> pd.DataFrame:
        """One row per number of refits and point.

        Columns ``refits``, ``feature`` or ``value``, ``coverage, width``.
        """
        name = "feature" if self.feature is None else "value"
        return pd.DataFrame(
            {
                "refits": np.repeat(self.refits, len(self.points)),
                name: np.tile(self.points, len(self.refits)),
                "coverage": self.coverage.ravel(),
                "width": self.width.ravel(),
            }
        )

    @property
    def title(self) -> str:
        """Heading of the result."""
        of = "importance" if self.feature is None else f"dependence on {self.feature}"
        return f"Intervals of the {of} for {self.label} over the number of refits"

    @property
    def how(self) -> str:
        """The simulation, in words."""
        return (
            f"{self.procedure}, {counted(self.n_tables, 'table')} of {self.n:,} rows, "
            f"{self.resampling}, {self.level:.0%} interval {self.interval}"
        )

    @property
    def _heading(self) -> str:
        return f"{self.title}: {self.how}"

    def _repr_html_(self) -> str:
        from uqwidgets.ground_truth.coverage_html import coverage_html

        return coverage_html(self)

    def to_altair(self) -> alt.ConcatChart:
        """Chart of width and coverage over the number of refits, to restyle or save.

        Examples
        --------
        >>> from sklearn.linear_model import LinearRegression
        >>> import uqwidgets as uq
        >>> truth = uq.GroundTruth(lambda X: X[:, 0], lambda n, rng: rng.normal(size=(n, 2)))
        >>> result = truth.coverage(LinearRegression(), n_refits=(2, 4), n=30, n_tables=5)
        >>> len(result.to_altair().concat)
        2
        """
        from uqwidgets.ground_truth.figure import coverage_figure
        from uqwidgets.plotting.altair import concatenated

        return concatenated(coverage_figure(self))
