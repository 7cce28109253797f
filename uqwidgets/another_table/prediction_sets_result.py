"""PredictionSets: how often sets of targets contain the true one, and how large they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets._utils.remarks import Remark
from uqwidgets.another_table.prediction_sets import Conformal
from uqwidgets.inference.groups import GroupCount
from uqwidgets.plotting.result import Result
from uqwidgets.plotting.text import population

if TYPE_CHECKING:
    import altair as alt


@dataclass(frozen=True, eq=False, repr=False)
class PredictionSets(Result):
    """Prediction sets of a model: its own, and those calibrated on the rows at hand.

    `Explainer.prediction_sets` returns it.

    Attributes
    ----------
    kind : str
        ``"distribution"`` or ``"residual"``.
    nominal : float
        The share of rows whose target a set should contain.
    parts : tuple of str
        ``"all rows"``, and with ``by`` the ranges or categories of a column.
    sets : tuple of (str, str)
        ``"own"``, where the model has intervals or probabilities, and ``"calibrated"``.
    coverage, low, high : dict of str to ndarray of shape (parts,)
        By the sets: share of the rows whose target is in the set, with its interval.
    size, size_low, size_high : dict of str to ndarray of shape (parts,)
        Mean width of intervals, or number of classes, of the sets that are finite.
    infinite : ndarray of shape (parts,)
        Share of the rows whose calibrated set is infinite.
    rows : ndarray of shape (parts,)
    threshold : float
        Of the scores, from all rows at hand, for rows of the mean weight.
    level : float
        Of the intervals.
    unit : str
        ``"classes"``, or empty for widths in the unit of the target.
    weighted : bool
    n_rows : int
    ess : float
    groups : GroupCount or None
    remarks : tuple of Remark

    See Also
    --------
    Explainer.prediction_sets : Computes it.
    Explainer.calibration : Calibration of every quantile or probability.

    References
    ----------
    Romano et al. 2019; Romano et al. 2020; Tibshirani et al. 2019; Vovk et al. 2005.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 1))
    >>> def model(X):
    ...     return X[:, 0], np.full(len(X), 0.5)  # too sure
    >>> explainer = uq.Explainer(model, X, X[:, 0] + rng.normal(size=2000))
    >>> sets = explainer.prediction_sets(0.9)
    >>> bool(sets.high["own"][0] < 0.7), bool(sets.low["calibrated"][0] < 0.9)
    (True, True)
    """

    kind: str
    nominal: float
    parts: tuple[str, ...]
    sets: tuple[str, ...]
    coverage: dict[str, Floats]
    low: dict[str, Floats]
    high: dict[str, Floats]
    size: dict[str, Floats]
    size_low: dict[str, Floats]
    size_high: dict[str, Floats]
    infinite: Floats
    rows: Floats
    threshold: float
    level: float
    unit: str
    conformal: Conformal
    weighted: bool
    n_rows: int
    ess: float
    groups: GroupCount | None = None
    remarks: tuple[Remark, ...] = ()

    @property
    def frame(self) -> pd.DataFrame:
        """Lines of each part and sets.

        The columns are ``part, sets, rows, coverage, low, high, size, size_low, size_high,
        infinite``.
        """
        frames = [
            pd.DataFrame(
                {
                    "part": list(self.parts),
                    "sets": name,
                    "rows": self.rows,
                    "coverage": self.coverage[name],
                    "low": self.low[name],
                    "high": self.high[name],
                    "size": self.size[name],
                    "size_low": self.size_low[name],
                    "size_high": self.size_high[name],
                    "infinite": self.infinite if name == "calibrated" else 0.0,
                }
            )
            for name in self.sets
        ]
        return pd.concat(frames, ignore_index=True)

    @property
    def _heading(self) -> str:
        rows = population(self.weighted, self.ess, self.n_rows, self.groups)
        return (
            f"{self.nominal:.0%} prediction sets by the {self.kind}: {self.level:.0%} intervals of "
            f"coverage and size, {rows}"
        )

    def _repr_html_(self) -> str:
        from uqwidgets.another_table.html import sets_html

        return sets_html(self)

    def to_altair(self) -> alt.ConcatChart:
        """Chart of the same numbers, to restyle or save.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(200, 2))
        >>> sets = uq.Explainer(lambda X: X[:, 0], X, X[:, 1]).prediction_sets()
        >>> type(sets.to_altair()).__name__
        'ConcatChart'
        """
        from uqwidgets.another_table.figure import sets_figure
        from uqwidgets.plotting.altair import concatenated

        return concatenated(sets_figure(self))

    def of(self, q: Any) -> pd.DataFrame:
        """Return the calibrated sets of other rows, from the distributions that a model predicts.

        Parameters
        ----------
        q : Distribution
            Of m rows, such as ``uq.as_predictive(model)(X_new)``.

        Returns
        -------
        DataFrame of m lines
            Columns ``low, high`` for numbers; for classes one column each, whether the set has it.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(200, 2))
        >>> sets = uq.Explainer(lambda X: X[:, 0], X, X[:, 1]).prediction_sets()
        >>> list(sets.of(uq.as_predictive(lambda X: X[:, 0])(X[:3])).columns)
        ['low', 'high']
        """
        return self.conformal.sets(q, self.threshold)
