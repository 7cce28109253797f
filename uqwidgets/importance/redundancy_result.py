"""Redundancy: how well each feature is predicted by the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets._utils.remarks import Remark
from uqwidgets.inference.groups import GroupCount
from uqwidgets.plotting.result import Result
from uqwidgets.plotting.text import counted

if TYPE_CHECKING:
    import altair as alt


@dataclass(frozen=True, eq=False, repr=False)
class Redundancy(Result):
    """R2 of each feature from the other features, and from these and the target.

    `Explainer.redundancy` returns it.

    Attributes
    ----------
    features : tuple of str, length p
        In descending order of ``r2``, those without a score last; all arrays are in this order.
    r2, low, high : ndarray of shape (p,)
        Share of the variance of the feature that the other features predict, with its interval: 1
        where they determine it, 0 or less where they predict no better than its mean; NaN where
        ``status`` is not ``ok``.
    r2_with_target, low_with_target, high_with_target : ndarray of shape (p,)
        The same with the target as a further predictor; NaN unless ``with_target``.
    gain, gain_low, gain_high : ndarray of shape (p,)
        Increase of R2 by the target, with an interval from the same rows; NaN unless
        ``with_target``.
    n_rows : ndarray of shape (p,)
        Number of scored rows with a value of the feature.
    status : tuple of str, length p
        ``ok``, ``constant``, ``infinite values`` or ``too few rows``.
    with_target : bool
        Whether the features were also predicted with the target.
    target : str
        Name of the target.
    n_estimators, seed : int
        Number of trees of each forest, and the seed of their random numbers.
    level : float
        Level of the intervals.
    weighted : bool
        Whether row weights were used.
    ess : float
        Effective sample size of the scored rows.
    remarks : tuple of Remark
        Sentences that a reader of the numbers should know.
    groups : GroupCount or None
        Name, number and effective number of the groups of rows; None if rows are independent.

    See Also
    --------
    Explainer.redundancy : Computes it.
    Importance : A feature that others predict well may have a small importance.

    References
    ----------
    Wood et al. 2024, figure 7.

    Examples
    --------
    >>> import uqwidgets as uq
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = uq.datasets.make_redundant(100, copied="x1", n_features=3, n_relevant=1)
    >>> explainer = uq.Explainer(LogisticRegression().fit(X, y), X, y)
    >>> redundancy = explainer.redundancy(n_estimators=50)
    >>> sorted(redundancy.features[:2])
    ['x1', 'x3']
    >>> bool(redundancy.r2[0] > 0.9 > 0.5 > redundancy.r2[2])
    True
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
    remarks: tuple[Remark, ...] = ()
    groups: GroupCount | None = None

    @property
    def frame(self) -> pd.DataFrame:
        """Columns ``feature, r2, low, high, rows, status``, the best predicted feature first.

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

    @property
    def _heading(self) -> str:
        and_target = f", and from {self.target} beside them" if self.with_target else ""
        groups = "" if self.groups is None else f" over {self.groups}"
        return (
            f"R2 of {counted(len(self.features), 'feature')} from the others{and_target}: "
            f"out of bag, forests of {self.n_estimators} trees"
            f"{', weighted' if self.weighted else ''}, {self.level:.0%} interval{groups}"
        )

    def _repr_html_(self) -> str:
        from uqwidgets.importance.redundancy_html import redundancy_html

        return redundancy_html(self)

    def to_altair(self) -> alt.LayerChart:
        """Chart of the same numbers, to restyle or save.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(100, 2))
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0] + X[:, 1])
        >>> chart = explainer.redundancy(n_estimators=50).to_altair()
        >>> type(chart).__name__
        'LayerChart'
        """
        from uqwidgets.importance.figure import redundancy_figure
        from uqwidgets.plotting.altair import layered

        return layered(redundancy_figure(self))
