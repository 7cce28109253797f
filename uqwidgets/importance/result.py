"""Importance: the result of a permutation importance, or of any other importance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd

from uqwidgets._typing import Floats, Positions
from uqwidgets._utils.remarks import Remark
from uqwidgets.inference import Family, Moments, checked_reference
from uqwidgets.inference.groups import GroupCount
from uqwidgets.inference.moments import one_sided_p_values, times_rows_needed
from uqwidgets.inference.tested import Alternative, Hypotheses, WithTests, one_level_alone
from uqwidgets.plotting.result import at_once, in_unit, named_interval, over_refits, replaced
from uqwidgets.plotting.text import counted, counted_rows

if TYPE_CHECKING:
    import altair as alt


@dataclass(frozen=True, eq=False, repr=False)
class Importance(WithTests):
    """Mean change of a measure when a feature's values are replaced.

    Attributes
    ----------
    measure, label, unit : str
        Name of the measure, its text in pictures, and its unit (``"nats"``), or ``""``.
    features : tuple of str, length p
        Features or groups, the most important first; all arrays are in this order.
    importance, std_error, low, high : ndarray of shape (p,)
        Estimate, standard error and interval, in the unit of the measure; for a ratio, in
        multiples of the baseline.
    per_row : ndarray of shape (p, m)
        Mean change of every scored row, or its part in the ratio.
    repeats : ndarray of shape (p, K)
        Estimate of every repeat alone; K is 0 with every row as a donor.
    baseline : float
        Mean of the measure over the scored rows as they are.
    compare : {"difference", "ratio"}
    replacement, interval : str
    permute : {"rows", "groups"}
        Whether values of features that are constant within groups of rows moved between groups.
    sampler : {"subgroups", "residuals"}
        How values were drawn given the other features, for conditional replacement.
    n_repeats : int or "all"
    seed : int
    level : float
        Confidence level of the interval.
    reference : {"t", "normal"}
        Distribution whose quantiles the interval uses.
    rows : ndarray of shape (m,) or None
        Positions of the scored rows; None for all.
    weighted : bool
        Whether row weights were used.
    ess : float
        Effective sample size of the scored rows.
    subgroups : DataFrame or None
        For conditional replacement, one line per feature: ``feature, subgroups, smallest,
        separation``. The separation is the share of the feature's variance between subgroups.
    per_refit : ndarray of shape (p, m) or None
        For a learner, the importance in every refit.
    remarks : tuple of Remark
        What a reader of the numbers should know.
    groups : GroupCount or None
        Name, number and effective number of the groups of rows; None if rows are independent.
    pointwise_level : float or None
        With ``simultaneous=True``, the level of each interval by itself at which all of them hold
        at once with ``level``; None if each interval has ``level``.
    moments : Moments or None
        Nine numbers for each feature that its interval follows from at any level; None for a
        learner.
    family : Family or None
        With ``simultaneous=True``, what the pointwise level follows from.

    See Also
    --------
    Explainer.importance : Makes this result for one fitted model.
    Learner.importance : Makes it for the procedure that fits the model.

    References
    ----------
    Wood et al. 2024, eq. 5; Molnar et al. 2023, eq. 4 to 6.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
    >>> result = explainer.importance("squared_error", n_repeats=5)
    >>> result.frame.columns.tolist()
    ['feature', 'importance', 'std_error', 'low', 'high']
    >>> result.per_row.shape, result.repeats.shape
    ((2, 200), (2, 5))
    """

    _alternative: ClassVar[Alternative] = "greater"

    measure: str
    label: str
    unit: str
    features: tuple[str, ...]
    importance: Floats
    std_error: Floats
    low: Floats
    high: Floats
    per_row: Floats
    repeats: Floats
    baseline: float
    compare: str
    replacement: str
    n_repeats: int | str
    interval: str
    level: float
    reference: str
    seed: int
    rows: Positions | None
    weighted: bool
    ess: float
    subgroups: pd.DataFrame | None = None
    per_refit: Floats | None = None
    remarks: tuple[Remark, ...] = ()
    groups: GroupCount | None = None
    pointwise_level: float | None = None
    moments: Moments | None = None
    family: Family | None = None
    permute: str = "rows"
    sampler: str = "subgroups"

    @property
    def frame(self) -> pd.DataFrame:
        """Columns ``feature, importance, std_error, low, high``; most important first."""
        return pd.DataFrame(
            {
                "feature": list(self.features),
                "importance": self.importance,
                "std_error": self.std_error,
                "low": self.low,
                "high": self.high,
            }
        )

    @property
    def n_refits(self) -> int:
        """Number of refits that the result averages; 0 for one model."""
        return 0 if self.per_refit is None else self.per_refit.shape[1]

    @property
    def unchanged(self) -> float:
        """Importance of a feature that makes no difference: 0, or 1 for a ratio."""
        return 1.0 if self.compare == "ratio" else 0.0

    @property
    def how(self) -> str:
        """How values were replaced, compared and averaged, in words."""
        ratio = ", as a ratio" if self.compare == "ratio" else ""
        form = " of whole groups" if self.permute == "groups" else ""
        if self.sampler == "residuals":
            form = " by residuals of a model"
        how = replaced(f"{self.replacement}{form}", self.n_repeats)
        return how + ratio + over_refits(self.n_refits)

    @property
    def _heading(self) -> str:
        rows = counted_rows(self.per_row.shape[1], self.groups)
        return (
            f"Importance of {counted(len(self.features), 'feature')} for {self.label}"
            f"{in_unit(self.unit)}: {self.how}, {rows}"
            f"{', weighted' if self.weighted else ''}, {self.level:.0%} interval "
            f"{named_interval(self.interval, self.level)}{at_once(self, len(self.features))}, "
            f"baseline {self.baseline:.4g}"
        )

    def _hypotheses(self, null: float | None) -> Hypotheses:
        moments = known_moments(self.moments, self.interval)
        if self.compare == "ratio" and null not in (None, 1.0):
            raise ValueError(
                f"null is {null:g}; a ratio is tested against 1 alone, so leave null out, or pass "
                "compare='difference'."
            )
        if null is not None and self.compare != "ratio":
            moments = moments._replace(estimate=moments.estimate - null)
        return hypotheses_of_moments({"feature": self.features}, moments, self.reference)

    def rows_needed(self) -> pd.DataFrame:
        """Estimate how many rows would leave zero outside each interval, or 1 for a ratio.

        The estimate and the spread of the rows are taken as they are, and the interval narrows with
        the number of rows. An estimate of twice its standard error may be half as large in other
        rows, which then need to be four times as many: the numbers are a guide, not a promise. In
        simulations, half of them were within a factor of 1.5 of the right one in tables of four
        times the rows that it takes, and 84 % in tables of sixteen times.

        Returns
        -------
        DataFrame
            Columns ``feature, rows``, most important first; with groups of rows,
            ``feature, groups``. It is infinite where the estimate is at most one standard error, so
            that it may well be none at all; NaN where there is no interval.

        Raises
        ------
        ValueError
            If the result has no moments of influences, as that of a learner.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 2))
        >>> y = X[:, 0] + rng.normal(size=200)
        >>> explainer = uq.Explainer(lambda X: X[:, 0] + 0.1 * X[:, 1], X, y)
        >>> needed = explainer.importance("squared_error").rows_needed()
        >>> needed.columns.tolist(), bool(needed["rows"][0] < 50)
        (['feature', 'rows'], True)
        """
        level = self.level if self.pointwise_level is None else self.pointwise_level
        moments = known_moments(self.moments, self.interval)
        times = times_rows_needed(moments, level, checked_reference(self.reference))
        what, number = "rows", self.per_row.shape[1]
        if self.groups is not None:
            what, number = "groups", self.groups.number
        return pd.DataFrame({"feature": list(self.features), what: np.ceil(times * number)})

    def _repr_html_(self) -> str:
        from uqwidgets.importance.html import importance_html

        return importance_html(self)

    def to_altair(self) -> alt.Chart | alt.LayerChart:
        """Chart of the same numbers, to restyle or save.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(100, 2))
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0] + X[:, 1])
        >>> chart = explainer.importance("squared_error").to_altair()
        >>> type(chart).__name__
        'LayerChart'
        """
        from uqwidgets.importance.figure import importance_figure
        from uqwidgets.plotting.altair import layered

        return layered(importance_figure(self))


def known_moments(moments: Moments | None, interval: str) -> Moments:
    """Return the moments of a result.

    Raises
    ------
    ValueError
        If it has none, so that nothing is known but the interval at one level.
    """
    if moments is None or interval == "quantile":
        raise one_level_alone(f"the interval {interval!r} is")
    return moments


def hypotheses_of_moments(
    columns: Mapping[str, Sequence[str]], moments: Moments, reference: str
) -> Hypotheses:
    """Return the tests of estimates from their moments, arrays of shape (m,)."""
    p = one_sided_p_values(moments, checked_reference(reference))
    return Hypotheses(columns, *p, moments.size > 0)
