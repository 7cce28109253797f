"""What an explainer can be asked about stress."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets._utils.choices import as_names
from uqwidgets.evaluation.evaluations import Evaluations
from uqwidgets.evaluation.table import Table
from uqwidgets.inference.population import Population
from uqwidgets.measures import Measure, Offers
from uqwidgets.stress.columns import (
    Stressed,
    categories_left_out,
    stressable,
    stressed,
    stressed_one,
)
from uqwidgets.stress.constrained.constraints import Function, stress_to
from uqwidgets.stress.indicators import Indicator, MetricIndicator, find_indicator, indicators_of
from uqwidgets.stress.profile import stress
from uqwidgets.stress.projection import checked_taus
from uqwidgets.stress.result import Stress


class Stressing:
    """The part of `uqwidgets.Explainer` that reweights rows; it asks the model nothing."""

    table: Table
    evaluations: Evaluations
    classes: npt.NDArray[np.generic] | None
    _measures: Offers

    @cached_property
    def indicators(self) -> dict[str, Indicator]:
        """What can be watched under stress with this model, by name."""
        return indicators_of(
            self.evaluations.original,
            self.evaluations.truth,
            self._measures,
            self._values,
        )

    def stress(
        self,
        features: Sequence[str] | None = None,
        indicators: Sequence[object] | None = None,
        *,
        taus: int | npt.ArrayLike = 21,
        alpha: float = 0.05,
        anchor: str = "quantile",
        missing: str = "error",
        level: float | None = None,
        rows: npt.ArrayLike | None = None,
    ) -> Stress:
        """Weighted summaries of the rows while each feature's mean is moved.

        A categorical feature, and one of two values, is stressed by the share of each
        category: tau = 1 moves it to 1 - alpha and tau = -1 to alpha, or half-way to 1 or 0
        where it lies beyond already.

        Parameters
        ----------
        features : sequence of str, optional
            All that have a value in every row and at most 50 categories, unless named. Of more
            categories the 50 most frequent are stressed.
        indicators : sequence of str, scorer or callable, optional
            All in `indicators`, unless named; besides, any scikit-learn scorer that takes
            sample weights, by name, such as ``"roc_auc"`` or ``"r2"``, or as `make_scorer`
            gives it; and the mean of any measure, by name or as a function (see `measure`).
        taus : int or array-like, default=21
            Levels within [-1, 1]; -1, 0 and 1 are always among them.
        alpha : float, default=0.05
            See ``anchor``.
        anchor : {"quantile", "tail-mean"}, default="quantile"
            Tau = -1 and 1 move the mean to the quantiles alpha and 1 - alpha (Bachoc et al. 2023,
            section 2.2), or to the means of the lowest and the highest alpha of the rows, which
            works for columns so skewed that a quantile lies on the wrong side of the mean.
        missing : {"error", "drop"}, default="error"
            Whether rows without a value of the stressed feature are left out, with a remark.
        level : float, optional
            Of pointwise intervals, such as 0.95; they re-solve the weights (see
            `uqwidgets.stress.influence.StressedRows`). One of scikit-learn's metrics is scored
            1 + 65 times for each feature and level then, and once without (see
            `uqwidgets.stress.replicates.group_influence`). Where few rows carry the weight
            (``ess``) they hold less often than they say, above all of a variance, and where a
            column is stressed towards a long tail; a remark says where.
        rows : array-like, optional
            A mask or positions of the rows whose population is stressed: means, quantiles and
            indicators are of these rows alone.

        Returns
        -------
        Stress

        Raises
        ------
        ValueError
            For a name that does not exist, a feature that cannot be stressed, or a value out
            of range.
        """
        remarks: tuple[str, ...] = ()
        n = len(self.table)
        chosen = Population.of(n, rows=rows).rows
        if features is None:
            features, remarks = stressable(self.table, missing, chosen)
            if not features:
                raise ValueError(f"no feature can be stressed: {'; '.join(remarks)}.")
        names = [self.table.features[self.table.index(f)] for f in as_names(features)]
        size = n if chosen is None else len(chosen)
        dropped: list[str] = []

        def columns() -> Iterator[Stressed]:
            for name in names:
                found = stressed(self.table, name, alpha, anchor, missing, chosen)
                kept = found[0].kept
                absent = 0 if kept is None else size - len(kept)
                if absent:
                    of = f"{size} {'rows' if chosen is None else 'chosen rows'}"
                    dropped.append(f"{name}: {absent} of {of} without a value are left out")
                dropped.extend(categories_left_out(self.table, name, kept))
                yield from found

        result = stress(
            columns(),
            n,
            self._indicators(indicators),
            checked_taus(taus),
            alpha=alpha,
            anchor=anchor,
            level=level,
            remarks=remarks,
        )
        return replace(result, remarks=result.remarks + tuple(dropped))

    def indicator(self, wanted: object) -> Indicator | MetricIndicator:
        """Return what `stress` watches when it is asked for this.

        Parameters
        ----------
        wanted : str, scorer or callable
            See `stress`.

        Raises
        ------
        ValueError
            If there is none, or this model does not give it; the message says why.
        """
        return find_indicator(
            wanted,
            self.indicators,
            self.evaluations.original,
            self.evaluations.truth,
            self.classes,
            self._measures,
            self._values,
        )

    def _indicators(self, wanted: Sequence[object] | None) -> list[Indicator | MetricIndicator]:
        if wanted is None:
            return list(self.indicators.values())
        found = [self.indicator(one) for one in ([wanted] if isinstance(wanted, str) else wanted)]
        names = [one.name for one in found]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"indicators has {name!r} twice; give each its own name.")
        return found

    def _values(self, measure: Measure) -> Floats:
        return self.evaluations.original_values(measure)

    def stress_weights(
        self,
        feature: str,
        tau: float,
        *,
        category: object | None = None,
        alpha: float = 0.05,
        anchor: str = "quantile",
        missing: str = "error",
        rows: npt.ArrayLike | None = None,
    ) -> Floats:
        """Row weights that move a feature's mean to level ``tau``.

        Source: Bachoc et al. 2023, theorem 2.3.

        Parameters
        ----------
        feature : str
        tau : float
            Within [-1, 1].
        category : object, optional
            Of a categorical feature: the one whose share is moved.
        alpha, anchor, missing, rows
            As in `stress`.

        Returns
        -------
        ndarray of shape (n,)
            Mean 1. Pass it as ``sample_weight``, with the same ``rows``: the others have weight
            1, for donors of replaced values come from all rows.

        Raises
        ------
        ValueError
            If there are no such weights; the message says why.
        """
        checked_taus([tau])
        name = self.table.features[self.table.index(feature)]
        chosen = Population.of(len(self.table), rows=rows).rows
        one = stressed_one(self.table, name, category, alpha, anchor, missing, chosen)
        projection = one.column.project(float(tau))
        if projection.weights is None:
            beyond = projection.status == "beyond quantile"
            advice = "; use anchor='tail-mean', or the other side of tau" if beyond else ""
            raise ValueError(
                f"{one.name!r} cannot be stressed to tau = {tau:g} (mean {projection.target:.6g}): "
                f"{projection.status}{advice}."
            )
        return one.spread(projection.weights, len(self.table))

    def stress_to(
        self,
        means: Mapping[str, float] | None = None,
        *,
        variances: Mapping[str, float] | None = None,
        covariances: Mapping[tuple[str, str], float] | None = None,
        shares: Mapping[str | None, Mapping[Any, float]] | None = None,
        pinned: Sequence[str] | None = None,
        functions: Mapping[str, tuple[Function, float]] | None = None,
    ) -> Floats:
        """Row weights that meet several constraints at once.

        Source: Bachoc et al. 2023, theorem 2.2 and section 2.2.

        Parameters
        ----------
        means, variances, covariances, shares, pinned, functions
            See `uqwidgets.stress.constrained.constraints.projected_to`, which also tells how far
            the weights are from the data.

        Returns
        -------
        ndarray of shape (n,)
            Mean 1. Pass it as ``sample_weight``.

        Raises
        ------
        ValueError
            If a constraint is none, or no weights meet them all; the message says which.
        """
        return stress_to(self.table, means, variances, covariances, shares, pinned, functions)
