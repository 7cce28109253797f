"""GroupScores: scores of each group of people, or of rows, beside those of all other rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets._utils.remarks import Remark
from uqwidgets.plotting.result import Result
from uqwidgets.plotting.text import counted, few, listed

if TYPE_CHECKING:
    import altair as alt


@dataclass(frozen=True, eq=False, repr=False)
class GroupScores(Result):
    """Scores of each group of rows, and their differences from those of all other rows.

    `Explainer.compare_groups` returns it.

    Attributes
    ----------
    by : str
        The column whose values are the groups.
    groups : tuple of str, length g
        Their values or ranges in words.
    rows : ndarray of shape (g,)
        Number of rows of each.
    names, labels, units : tuple of str, length s
        Of the scores.
    value, low, high : ndarray of shape (g, s)
        Each score in each group, with an interval of its own.
    rest : ndarray of shape (g, s)
        The score in all other rows.
    difference, difference_low, difference_high : ndarray of shape (g, s)
        The former minus the latter; the intervals of all of them hold at once.
    level : float
    pointwise_level : float
        Level of each interval of a difference by itself.
    remarks : tuple of Remark

    See Also
    --------
    Explainer.compare_groups : Computes it.
    Explainer.slices : Groups that are found, not named.

    References
    ----------
    Chernozhukov et al. 2013; DeLong et al. 1988; Hall 1992; Wilson 1927.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import uqwidgets as uq
    >>> rng = np.random.default_rng(0)
    >>> X = pd.DataFrame({"x": rng.normal(size=600), "sex": rng.choice(["f", "m"], 600)})
    >>> y = X["x"] + rng.normal(size=600) * np.where(X["sex"] == "f", 2.0, 1.0)
    >>> explainer = uq.Explainer(lambda X: X["x"], X, y)
    >>> result = explainer.compare_groups("sex", ["rmse"])
    >>> result.groups, bool(result.difference_low[0, 0] > 0)
    (('sex = f', 'sex = m'), True)
    """

    by: str
    groups: tuple[str, ...]
    rows: npt.NDArray[np.intp]
    names: tuple[str, ...]
    labels: tuple[str, ...]
    units: tuple[str, ...]
    value: Floats
    low: Floats
    high: Floats
    rest: Floats
    difference: Floats
    difference_low: Floats
    difference_high: Floats
    level: float
    remarks: tuple[Remark, ...] = ()
    pointwise_level: float | None = None

    @property
    def frame(self) -> pd.DataFrame:
        """One line for each group and score.

        The columns are ``group, rows, score, value, low, high, rest, difference, difference_low,
        difference_high, clear``.
        """
        g, s = self.value.shape
        low, high = self.difference_low.ravel(), self.difference_high.ravel()
        return pd.DataFrame(
            {
                "group": np.repeat(np.array(self.groups, dtype=object), s),
                "rows": np.repeat(self.rows, s),
                "score": list(self.names) * g,
                "value": self.value.ravel(),
                "low": self.low.ravel(),
                "high": self.high.ravel(),
                "rest": self.rest.ravel(),
                "difference": self.difference.ravel(),
                "difference_low": low,
                "difference_high": high,
                "clear": (low > 0) | (high < 0),
            }
        )

    @property
    def summary(self) -> str:
        """Which groups clearly differ from the rest, and in what, in one sentence."""
        frame = self.frame[self.frame["clear"]]
        if frame.empty:
            return f"No {self.by} clearly differs from all other rows in any of these scores."
        parts = [
            f"{group} in {listed(few(list(lines['score'])))}"
            for group, lines in frame.groupby("group", sort=False)
        ]
        return f"These clearly differ from all other rows: {'; '.join(few(parts))}."

    @property
    def _heading(self) -> str:
        return (
            f"{counted(len(self.names), 'score')} of {counted(len(self.groups), 'group')} by "
            f"{self.by}, beside all other rows: {self.level:.0%} intervals, those of all "
            f"{self.difference.size} differences at once. {self.summary}"
        )

    def _repr_html_(self) -> str:
        from uqwidgets.performance.html import group_scores_html

        return group_scores_html(self)

    def to_altair(self) -> alt.ConcatChart:
        """Chart of the same numbers, to restyle or save.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(300, 2))
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 1])
        >>> type(explainer.compare_groups("x0").to_altair()).__name__
        'ConcatChart'
        """
        from uqwidgets.performance.figure import group_scores_figure
        from uqwidgets.plotting.altair import concatenated

        return concatenated(group_scores_figure(self))
