"""The result of stress: weighted summaries over tau."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats, Positions
from uqwidgets._utils.choices import as_names, unknown
from uqwidgets._utils.options import brief, checked_flag, is_real
from uqwidgets._utils.remarks import Remark
from uqwidgets.inference.tested import (
    Ends,
    Hypotheses,
    WithTests,
    hypotheses_of_ends,
    one_level_alone,
)
from uqwidgets.plotting.choice import EMPHASISED, MOST_EMPHASISED
from uqwidgets.plotting.result import at_once
from uqwidgets.plotting.text import counted

if TYPE_CHECKING:
    import altair as alt


@dataclass(frozen=True, eq=False, repr=False)
class Stress(WithTests):
    """Weighted summaries of the rows while the mean of each feature is moved.

    Attributes
    ----------
    features : tuple of str, length p
        Stressed features, or ``feature=category``.
    indicators : tuple of str, length q
    taus : ndarray of shape (t,)
        Stress levels within [-1, 1], among them -1, 0 and 1.
    target, reached : ndarray of shape (p, t)
        The mean that tau stands for and the weighted mean, in the feature's unit.
    ess : ndarray of shape (p, t)
        Effective sample size of the weights, in rows.
    kl : ndarray of shape (p, t)
        Kullback-Leibler divergence of the weights from equal weights, in nats.
    half_share : ndarray of shape (p, t)
        Smallest share of the rows that carries half of the weight.
    status : ndarray of str, shape (p, t)
        ``ok``; ``edge``: the target is the extreme of the data, and the rows there have equal
        weights; ``infeasible``, ``constant`` or ``beyond quantile``: there are no such weights, and
        every value at this point is NaN.
    values, low, high : dict of str to ndarray of shape (p, t)
        Each indicator and the ends of its pointwise interval. The ends are NaN without a level,
        and where a scorer is on a bound (such as a ROC AUC of 1), does not respond to the weights,
        or is not defined for similar weights.
    labels, units : dict of str to str
        Label and unit of each indicator.
    tail : float
        Probability in each tail that the anchors are of.
    anchor : {"quantile", "tail-mean"}
        Whether tau = -1 and 1 stand for the quantiles ``tail`` and 1 - ``tail``, or for the means
        of the lowest and of the highest ``tail`` of the rows.
    level : float or None
        Of the intervals; None where there are none.
    pointwise_level : float or None
        With ``simultaneous=True``, the level of each interval by itself at which all of them hold
        at once with ``level``, those of all features, indicators and levels of tau; None if each
        interval has ``level``.
    remarks : tuple of Remark
        What a reader of the numbers should know.
    effective_groups : ndarray of shape (p, t) or None
        Effective number of groups of rows; None if rows are independent.
    ends : tuple of callable, length p, or None
        From a level to the lower and upper ends of the intervals of each feature, of shape (q, t).

    See Also
    --------
    uqwidgets.Explainer.stress, uqwidgets.stress_batches : Compute it.

    References
    ----------
    Bachoc et al. 2023, sections 2 and 3.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> X = np.arange(40.0).reshape(20, 2) % 17
    >>> explainer = uq.Explainer(lambda X: X[:, 0] - X[:, 1], X, X[:, 0])
    >>> result = explainer.stress(indicators=["mean"], taus=5)
    >>> result.responses().round(2)
      feature  response   low  high  ess
    0      x0      7.87 -0.15  7.72  2.9
    1      x1     -0.85 -0.15 -1.00  2.9
    """

    features: tuple[str, ...]
    indicators: tuple[str, ...]
    taus: Floats
    target: Floats
    reached: Floats
    ess: Floats
    kl: Floats
    half_share: Floats
    status: npt.NDArray[np.str_]
    values: dict[str, Floats]
    low: dict[str, Floats]
    high: dict[str, Floats]
    labels: dict[str, str]
    units: dict[str, str]
    tail: float
    anchor: str
    level: float | None
    remarks: tuple[Remark, ...] = ()
    pointwise_level: float | None = None
    effective_groups: Floats | None = None
    ends: tuple[Ends, ...] | None = None

    @property
    def n_values(self) -> int:
        """Number of values, over features, levels of tau and indicators."""
        return sum(values.size for values in self.values.values())

    @property
    def frame(self) -> pd.DataFrame:
        """Tidy table.

        Columns ``feature, tau, target, reached, indicator, value, low, high, ess, kl, status``;
        for groups of rows, ``effective_groups`` after ``ess``.
        """
        p, t, q = len(self.features), len(self.taus), len(self.indicators)

        def once(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
            return np.repeat(values.ravel(), q)

        def each(values: dict[str, Floats]) -> Floats:
            return np.stack([values[i] for i in self.indicators], axis=-1).ravel()

        groups = self.effective_groups
        return pd.DataFrame(
            {
                "feature": np.repeat(np.array(self.features, dtype=object), t * q),
                "tau": np.tile(np.repeat(self.taus, q), p),
                "target": once(self.target),
                "reached": once(self.reached),
                "indicator": np.tile(np.array(self.indicators, dtype=object), p * t),
                "value": each(self.values),
                "low": each(self.low),
                "high": each(self.high),
                "ess": once(self.ess),
                **({} if groups is None else {"effective_groups": once(groups)}),
                "kl": once(self.kl),
                "status": once(self.status),
            }
        )

    def _hypotheses(self, null: float | None) -> Hypotheses:
        if self.ends is None:
            without = "the profiles have no intervals, or these are"
            raise one_level_alone(without if self.level is None else "these intervals are")
        p, t, q = len(self.features), len(self.taus), len(self.indicators)
        frame = self.frame
        columns = {name: frame[name].tolist() for name in ("feature", "tau", "indicator")}
        against = np.full((q, t), 0.0 if null is None else null)
        tests = hypotheses_of_ends(columns, [(of_feature, against) for of_feature in self.ends])
        order = np.arange(p * q * t).reshape(p, q, t).swapaxes(1, 2).ravel()
        return Hypotheses(columns, tests.greater[order], tests.less[order], tests.counts[order])

    def responses(
        self,
        low: float = 0.0,
        high: float = 1.0,
        indicator: str | None = None,
        *,
        least_ess: float = 10.0,
    ) -> pd.DataFrame:
        """Change of an indicator between two levels, by feature (Bachoc et al. 2023, table 1).

        Parameters
        ----------
        low, high : float
            Levels among ``taus``.
        indicator : str, optional
            By default the first of the result.
        least_ess : float, default=10
            Features with a smaller effective sample size at either level come after all others:
            a response that depends on a row or two says nothing about the feature.

        Returns
        -------
        DataFrame
            Columns ``feature, response, low, high, ess``, the greatest response first: the value
            at ``high`` minus that at ``low``, the two values, and the smaller of their effective
            sample sizes. A feature without a value at either level comes last, as NaN.

        Raises
        ------
        ValueError
            If a level or the indicator is not part of this result.

        See Also
        --------
        to_pixels : The same as a picture, for features that are the pixels of an image.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(200, 2))
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
        >>> explainer.stress(taus=3).responses(-1, 1, "mean")["feature"].tolist()
        ['x0', 'x1']
        """
        values, at = self.values[self._named(indicator)], [self._level(low), self._level(high)]
        start, stop = values[:, at].T
        table = pd.DataFrame(
            {
                "feature": list(self.features),
                "response": stop - start,
                "low": start,
                "high": stop,
                "ess": self.ess[:, at].min(axis=1),
            }
        )
        if not is_real(least_ess):
            raise ValueError(f"least_ess is {brief(least_ess)}; it must be a number.")
        ordered = table.sort_values("response", ascending=False, kind="stable", na_position="last")
        missing, few = ordered["response"].isna(), ordered["ess"] < least_ess
        order = np.lexsort([few, missing])
        return ordered.iloc[order].reset_index(drop=True)

    def roc_path(self, feature: str) -> pd.DataFrame:
        """Follow false and true positive rate along tau, for one feature (Bachoc et al. 2023, B.4).

        Returns
        -------
        DataFrame
            Columns ``tau, fpr, tpr``.

        Raises
        ------
        ValueError
            If the feature or the rates are not part of this result.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(200, 2))
        >>> model = lambda X: np.column_stack([X[:, 0] <= 0, X[:, 0] > 0]).astype(float)
        >>> explainer = uq.Explainer(model, X, X[:, 1] > 0)
        >>> explainer.stress(["x0"], taus=3).roc_path("x0").columns.tolist()
        ['tau', 'fpr', 'tpr']
        """
        if not isinstance(feature, str) or feature not in self.features:
            raise ValueError(unknown("stressed feature", feature, list(self.features)))
        j = self.features.index(feature)
        rates = {rate: self.values[self._named(rate)][j] for rate in ("fpr", "tpr")}
        return pd.DataFrame({"tau": self.taus, **rates})

    def _named(self, indicator: str | None) -> str:
        if indicator is None:
            return self.indicators[0]
        if not isinstance(indicator, str) or indicator not in self.indicators:
            raise ValueError(
                unknown("indicator", indicator, list(self.indicators), "in this result")
            )
        return indicator

    def _level(self, tau: float) -> int:
        if not is_real(tau):
            raise ValueError(f"tau is {brief(tau)}; it must be one of the levels.")
        near = int(np.argmin(np.abs(self.taus - tau)))
        if abs(self.taus[near] - tau) > 1e-9:
            raise ValueError(
                f"tau {tau:g} is not among the levels; the nearest is {self.taus[near]:g}."
            )
        return near

    @property
    def _heading(self) -> str:
        return (
            f"Stress of {counted(len(self.features), 'feature')} at {len(self.taus)} levels of tau "
            f"(tail {self.tail:g}): {', '.join(self.indicators)}{at_once(self, self.n_values)}"
        )

    def _repr_html_(self) -> str:
        from uqwidgets.stress.html import stress_html

        return stress_html(self)

    def to_altair(
        self,
        indicator: str | Sequence[str] | None = None,
        *,
        features: str | Sequence[str] | None = None,
        roc_path: bool = False,
    ) -> alt.LayerChart | alt.ConcatChart:
        """Chart of one or several indicators, to restyle or save.

        Parameters
        ----------
        indicator : str or sequence of str, optional
            By default the first. Several have a panel each, and one legend.
        features : str or sequence of str, optional
            Features in colour, in the order of their colours, so that charts of several results
            have the same ones; pass ``result.features`` for all. By default, those to which the
            indicators respond most.
        roc_path : bool, default=False
            Whether to draw the true positive rate over the false positive rate instead, a path for
            each feature (Bachoc et al. 2023, B.4).

        Raises
        ------
        ValueError
            If an indicator or a feature is not part of this result.

        See Also
        --------
        uqwidgets.overlay : Several results in one chart.
        roc_path : The numbers of a path.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(100, 2))
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0] + X[:, 1])
        >>> result = explainer.stress(taus=5)
        >>> type(result.to_altair("rmse")).__name__
        'LayerChart'
        >>> type(result.to_altair(["mean", "rmse"], features="x1")).__name__
        'ConcatChart'
        """
        from uqwidgets.plotting.altair import chart
        from uqwidgets.stress.figure import roc_path_figure, stress_figure

        names = None if features is None else as_names(features)
        if checked_flag(roc_path, "roc_path"):
            if indicator is not None:
                raise ValueError("roc_path shows two rates; leave out indicator.")
            return chart(roc_path_figure(self, names))
        indicators = as_names(self.indicators[0] if indicator is None else indicator, "indicator")
        return chart(stress_figure(self, indicators, names))

    def to_pixels(
        self,
        shape: tuple[int, int],
        low: float = 0.0,
        high: float = 1.0,
        *,
        indicators: Sequence[str] | None = None,
        least_ess: float = 10.0,
    ) -> alt.ConcatChart:
        """Chart of `responses` where each feature is a pixel, one per indicator.

        Source: Bachoc et al. 2023, figure 2.

        Parameters
        ----------
        shape : tuple of int
            Rows and columns of the picture; the features are its pixels, row by row.
        low, high : float
            Levels among ``taus``.
        indicators : sequence of str, optional
            By default all of the result. They share one colour scale, which is centred on no
            change.
        least_ess : float, default=10
            A pixel with a smaller effective sample size at either level is left blank, because it
            depends on a picture or two only; so is a pixel without a value.

        Returns
        -------
        alt.ConcatChart

        Raises
        ------
        ValueError
            If the shape does not fit the features, a level or an indicator is not part of this
            result, or the indicators differ in their unit.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).uniform(size=(100, 4))  # pictures of 2 x 2 pixels
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X)
        >>> chart = explainer.stress(indicators=["mean"], taus=[0, 1]).to_pixels((2, 2))
        >>> type(chart).__name__
        'ConcatChart'
        """
        from uqwidgets.stress.pixel_chart import pixel_chart

        return pixel_chart(self, shape, low, high, indicators, least_ess)


def response(values: Floats) -> Floats:
    """Range of an indicator over all tau, for each feature, shape (p,).

    Parameters
    ----------
    values : ndarray of shape (p, t)
        Values of one indicator; the range of a feature without any number is NaN.
    """
    known = np.isfinite(values)
    highest = np.where(known, values, -np.inf).max(axis=1)
    lowest = np.where(known, values, np.inf).min(axis=1)
    return np.where(known.any(axis=1), highest - lowest, np.nan)


# Effective rows, or groups of rows, below which a level says little.
FEW = 30.0


def clear_response(result: Stress, indicator: str) -> Floats:
    """How far an indicator moves at least, for each feature, shape (p,).

    With intervals, it is the largest distance from the value without stress to the interval at
    another level; without, the range over the levels that have at least 30 effective rows, or
    groups. It is 0 where no move is clear, and NaN for a feature without any number.

    Parameters
    ----------
    result : Stress
    indicator : str
    """
    values = result.values[indicator]
    worth = result.ess if result.effective_groups is None else result.effective_groups
    if result.level is None:
        enough = np.where(worth >= FEW, values, np.nan)
        found = np.nan_to_num(response(enough))
    else:
        start = values[:, [int(np.abs(result.taus).argmin())]]
        beyond = np.maximum(result.low[indicator] - start, start - result.high[indicator])
        found = np.maximum(np.nan_to_num(beyond), 0.0).max(axis=1, initial=0.0)
    return np.where(np.isfinite(values).any(axis=1), found, np.nan)


def by_response(result: Stress, indicator: str) -> Positions:
    """Positions of the features by how clearly an indicator responds, then by how much; NaN last.

    A large response that rests on few rows does not lead.
    """
    whole = response(result.values[indicator])
    return np.lexsort((-whole, -clear_response(result, indicator)))


def emphasised(result: Stress) -> list[int]:
    """Positions of the features that are drawn in colour, the same for every indicator.

    These are the 5 features to which an indicator responds most. With several indicators, they are
    the first feature of each, then the second of each, and so on, up to 7 features. A feature
    therefore has the same colour in all charts.
    """
    known = [
        [j for j in by_response(result, i).tolist() if np.isfinite(result.values[i][j]).any()]
        for i in result.indicators
    ]
    ranked = itertools.chain.from_iterable(itertools.zip_longest(*(k[:EMPHASISED] for k in known)))
    return list(dict.fromkeys(j for j in ranked if j is not None))[:MOST_EMPHASISED]
