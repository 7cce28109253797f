"""Performance of a learner in held-out rows, and the difference of two learners."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets._utils.remarks import Remark
from uqwidgets.inference.groups import GroupCount
from uqwidgets.plotting.result import Result, in_unit
from uqwidgets.plotting.text import population

if TYPE_CHECKING:
    import altair as alt


class OverRefits(Result):
    """A mean over refits, with the corrected interval of Nadeau and Bengio 2003."""

    learner: str
    label: str
    unit: str
    per_refit: Floats
    level: float
    correction: float
    n_rows: int
    groups: GroupCount | None

    @property
    @abstractmethod
    def title(self) -> str:
        """Heading of the result."""

    @property
    def how(self) -> str:
        """Numbers of refits and of rows, and kind of interval, in words."""
        rows = population(False, self.n_rows, self.n_rows, self.groups)
        return (
            f"over {len(self.per_refit)} refits of {rows}, {self.level:.0%} interval with "
            f"correction {self.correction:.3g}"
        )

    @property
    def _heading(self) -> str:
        return f"{self.title} {self.how}"

    def to_altair(self) -> alt.LayerChart:
        """Return an Altair chart of the same numbers, to restyle or save.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LinearRegression
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> learner = uq.Learner(LinearRegression(), X, 2 * X[:, 0], n_refits=10)
        >>> chart = learner.performance("squared_error").to_altair()
        >>> type(chart).__name__
        'LayerChart'
        """
        from uqwidgets.learner.figure import performance_figure
        from uqwidgets.plotting.altair import layered

        return layered(performance_figure(self))


@dataclass(frozen=True, eq=False, repr=False)
class Performance(OverRefits):
    """Mean of a measure, or of a metric, over refits.

    `Learner.performance` returns it.

    Attributes
    ----------
    learner, measure, label, unit : str
    mean, std_error, low, high : float
        The variance of the mean is corrected for the rows that refits share.
    per_refit : ndarray of shape (m,)
    level : float
    correction : float
        Term that is added to 1/m in the variance.
    n_rows : int
        Rows of the table.
    groups : GroupCount or None
        Name and number of the groups of rows; None if rows are independent.
    remarks : tuple of Remark
        Sentences on failed refits and on the coverage of the interval.

    See Also
    --------
    Comparison : Difference of two learners.

    References
    ----------
    Nadeau and Bengio 2003; Molnar et al. 2023, section 7.3.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> import uqwidgets as uq
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> learner = uq.Learner(LinearRegression(), X, 2 * X[:, 0], n_refits=10)
    >>> result = learner.performance("r2")
    >>> list(result.frame)
    ['learner', 'measure', 'mean', 'std_error', 'low', 'high']
    """

    learner: str
    measure: str
    label: str
    unit: str
    mean: float
    std_error: float
    low: float
    high: float
    per_refit: Floats
    level: float
    correction: float
    n_rows: int
    groups: GroupCount | None = None
    remarks: tuple[Remark, ...] = ()

    @property
    def frame(self) -> pd.DataFrame:
        """One row: ``learner, measure, mean, std_error, low, high``."""
        return pd.DataFrame(
            [(self.learner, self.measure, self.mean, self.std_error, self.low, self.high)],
            columns=["learner", "measure", "mean", "std_error", "low", "high"],
        )

    @property
    def title(self) -> str:
        """Heading of the result."""
        return f"Mean {self.label}{in_unit(self.unit)} of {self.learner}"

    def _repr_html_(self) -> str:
        from uqwidgets.learner.performance_html import performance_html

        return performance_html(self)


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(OverRefits):
    """Difference of two learners' performance on the same resamples.

    `Learner.compare` returns it.

    Attributes
    ----------
    learner, other, measure, label, unit : str
    difference, std_error, low, high : float
        Of the first minus the second, with the corrected variance.
    p_value : float
        Two-sided, of the corrected resampled t test.
    per_refit : ndarray of shape (m,)
        Paired differences.
    level : float
    correction : float
        Term that is added to 1/m in the variance.
    n_rows : int
        Rows of the table.
    groups : GroupCount or None
        Name and number of the groups of rows; None if rows are independent.
    remarks : tuple of Remark
        Sentences on failed refits and on the coverage of the interval.

    See Also
    --------
    Performance : Performance of one learner.

    References
    ----------
    Nadeau and Bengio 2003; Molnar et al. 2023, sections 7.3 and 9.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> import uqwidgets as uq
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> line, tree = (
    ...     uq.Learner(estimator, X, 2 * X[:, 0], n_refits=10)
    ...     for estimator in (LinearRegression(), DecisionTreeRegressor())
    ... )
    >>> result = line.compare(tree, "squared_error")
    >>> bool(result.difference < 0)
    True
    """

    learner: str
    other: str
    measure: str
    label: str
    unit: str
    difference: float
    std_error: float
    low: float
    high: float
    p_value: float
    per_refit: Floats
    level: float
    correction: float
    n_rows: int
    groups: GroupCount | None = None
    remarks: tuple[Remark, ...] = ()

    @property
    def frame(self) -> pd.DataFrame:
        """One row: ``learner, other, measure, difference, std_error, low, high, p_value``."""
        names = ["learner", "other", "measure", "difference", "std_error", "low", "high", "p_value"]
        return pd.DataFrame([[getattr(self, name) for name in names]], columns=names)

    @property
    def title(self) -> str:
        """Heading of the result."""
        return f"Mean {self.label}{in_unit(self.unit)} of {self.learner} minus that of {self.other}"

    def _repr_html_(self) -> str:
        from uqwidgets.learner.performance_html import comparison_html

        return comparison_html(self)
