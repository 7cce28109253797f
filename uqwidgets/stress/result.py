"""Stress: weighted summaries over tau."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats, Positions
from uqwidgets._utils.choices import unknown
from uqwidgets.plotting.repr import lines

if TYPE_CHECKING:
    import altair as alt

import itertools

from uqwidgets.plotting.choice import EMPHASISED, MOST_EMPHASISED


@dataclass(frozen=True, eq=False, repr=False)
class Stress:
    """Weighted summaries of the rows while one feature's mean is moved.

    Attributes
    ----------
    features : tuple of str, length p
    indicators : tuple of str, length q
    taus : ndarray of shape (t,)
        Stress levels in [-1, 1], -1, 0 and 1 among them.
    target, reached, ess, kl, half_share : ndarray of shape (p, t)
        Mean that was asked for and the one that was got, in the feature's unit; effective
        sample size of the weights; their Kullback-Leibler divergence from equal ones in nats;
        the smallest share of the rows that carries half the weight.
    status : ndarray of str, shape (p, t)
        ``ok``; ``edge``: the target is the extreme of the data, equal weight on the rows there;
        ``infeasible``, ``constant`` or ``beyond quantile``: there are no such weights, and
        every value at this point is NaN.
    values, low, high : dict of str to ndarray of shape (p, t)
        Each indicator, with its pointwise interval; NaN where no level was asked for, and where
        one of scikit-learn's metrics lies on a bound, such as a ROC AUC of 1, does not answer to
        the weights, or is not defined for weights near these.
    labels, units : dict of str to str
        How each is shown.
    alpha : float
    anchor : {"quantile", "tail-mean"}
        What tau = -1 and 1 stand for: the quantiles alpha and 1 - alpha, or the means of the
        lowest and highest alpha of the rows.
    level : float or None
        Of the intervals.
    remarks : tuple of str
        What a reader of the numbers should know.
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
    alpha: float
    anchor: str
    level: float | None
    remarks: tuple[str, ...] = ()

    @property
    def frame(self) -> pd.DataFrame:
        """Tidy table.

        Columns ``feature, tau, target, reached, indicator, value, low, high, ess, kl, status``.
        """
        p, t, q = len(self.features), len(self.taus), len(self.indicators)

        def once(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
            return np.repeat(values.ravel(), q)

        def each(values: dict[str, Floats]) -> Floats:
            return np.stack([values[i] for i in self.indicators], axis=-1).ravel()

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
                "kl": once(self.kl),
                "status": once(self.status),
            }
        )

    def responses(
        self,
        low: float = 0.0,
        high: float = 1.0,
        indicator: str | None = None,
        *,
        least_ess: float = 10.0,
    ) -> pd.DataFrame:
        """How much each feature's indicator moves between two levels (Bachoc et al. 2023, table 1).

        Parameters
        ----------
        low, high : float
            Levels among ``taus``.
        indicator : str, optional
            The first, unless named.
        least_ess : float, default=10
            Features with a smaller effective sample size at either level come after all others:
            a response that rests on a row or two says nothing about the feature.

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
        ranked = table.sort_values("response", ascending=False, kind="stable", na_position="last")
        missing, few = ranked["response"].isna(), ranked["ess"] < least_ess
        order = np.lexsort([few, missing])
        return ranked.iloc[order].reset_index(drop=True)

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
        """
        if feature not in self.features:
            raise ValueError(unknown("stressed feature", feature, list(self.features)))
        j = self.features.index(feature)
        rates = {rate: self.values[self._named(rate)][j] for rate in ("fpr", "tpr")}
        return pd.DataFrame({"tau": self.taus, **rates})

    def _named(self, indicator: str | None) -> str:
        if indicator is None:
            return self.indicators[0]
        if indicator not in self.indicators:
            raise ValueError(unknown("indicator in this result", indicator, list(self.indicators)))
        return indicator

    def _level(self, tau: float) -> int:
        near = int(np.argmin(np.abs(self.taus - tau)))
        if abs(self.taus[near] - tau) > 1e-9:
            raise ValueError(
                f"tau {tau:g} is not among the levels; the nearest is {self.taus[near]:g}."
            )
        return near

    def __repr__(self) -> str:
        head = (
            f"Stress of {len(self.features)} features at {len(self.taus)} levels of tau "
            f"(alpha {self.alpha:g}): {', '.join(self.indicators)}"
        )
        return lines(head, self.frame, self.remarks)

    def _repr_html_(self) -> str:
        from uqwidgets.stress.html import stress_html

        return stress_html(self)

    def to_altair(self, indicator: str | None = None) -> alt.LayerChart:
        """Chart of one indicator (the first, unless named), to restyle or save."""
        from uqwidgets.stress.chart import stress_chart

        return stress_chart(self, self.indicators[0] if indicator is None else indicator)

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
            All of the result, unless named. They share one scale of colours, which is centred
            on no change.
        least_ess : float, default=10
            A pixel with a smaller effective sample size at either level is left blank, as is one
            without a value: what rests on a picture or two says nothing of the others.

        Returns
        -------
        alt.ConcatChart

        Raises
        ------
        ValueError
            If the shape does not fit the features, a level or an indicator is not part of this
            result, or the indicators differ in their unit.
        """
        from uqwidgets.stress.pixels_chart import pixel_chart

        return pixel_chart(self, shape, low, high, indicators, least_ess)


def response(values: Floats) -> Floats:
    """How far each feature moves an indicator over all tau, shape (p,).

    Parameters
    ----------
    values : ndarray of shape (p, t)
        Of one indicator. A feature without any number moves it by NaN.
    """
    known = np.isfinite(values)
    highest = np.where(known, values, -np.inf).max(axis=1)
    lowest = np.where(known, values, np.inf).min(axis=1)
    return np.where(known.any(axis=1), highest - lowest, np.nan)


def by_response(result: Stress, indicator: str) -> Positions:
    """Positions of the features, those first to which an indicator responds most; NaN last."""
    return np.argsort(-response(result.values[indicator]), kind="stable")


def emphasised(result: Stress) -> list[int]:
    """Positions of the features that are drawn in colour, the same for every indicator.

    Up to 5 features to which an indicator responds most; of several indicators their first ones,
    then their second ones, and so on, up to 7. So a feature keeps its colour from chart to chart.
    """
    known = [
        [j for j in by_response(result, i).tolist() if np.isfinite(result.values[i][j]).any()]
        for i in result.indicators
    ]
    ranked = itertools.chain.from_iterable(itertools.zip_longest(*(k[:EMPHASISED] for k in known)))
    return list(dict.fromkeys(j for j in ranked if j is not None))[:MOST_EMPHASISED]
