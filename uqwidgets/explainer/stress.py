"""The methods of `uqwidgets.Explainer` that reweight rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets._utils.choices import Named, as_entries
from uqwidgets._utils.options import checked_flag
from uqwidgets._utils.remarks import Remark
from uqwidgets.another_table import TableReweighting, stress_to_table
from uqwidgets.evaluation.columns import extra_columns
from uqwidgets.evaluation.row_groups import set_row_groups
from uqwidgets.evaluation.table import Table
from uqwidgets.explainer.base import ExplainerBase
from uqwidgets.inference import Family, checked_level
from uqwidgets.inference.population import Population
from uqwidgets.stress.anchors import checked_options
from uqwidgets.stress.columns import (
    MISSING,
    StressedColumn,
    omitted_categories,
    stressable,
    stressed_column,
    stressed_columns,
)
from uqwidgets.stress.compressed.features import CompressedColumn, CompressedFeature
from uqwidgets.stress.constrained.constraints import RowFunction, stress_to
from uqwidgets.stress.constrained.result import Reweighting
from uqwidgets.stress.indicators import (
    Indicator,
    MetricIndicator,
    find_indicator,
    indicators_of,
)
from uqwidgets.stress.profile import needs_rows, stress
from uqwidgets.stress.projection import checked_taus
from uqwidgets.stress.result import Stress

# Numbers per row that the influences of the rows on an interval need.
_OF_INTERVALS = 10


class Stressing(ExplainerBase):
    """The part of `uqwidgets.Explainer` that reweights rows; it never calls the model again."""

    @cached_property
    def indicators(self) -> dict[str, Indicator]:
        """Indicators that `stress` computes for this model unless others are named, by name."""
        # Indicators hold the function that computes their values. A method of the explainer would
        # hold the explainer in turn, which with its rows would stay in memory until Python's
        # garbage collector looks for cycles; one explainer is made for every batch.
        return indicators_of(
            self.evaluations.answer,
            self._known_truth,
            self._measures,
            self.evaluations.original_values,
            0 if self.classes is None else len(self.classes),
        )

    @property
    def _known_truth(self) -> npt.NDArray[Any] | None:
        return self.evaluations.truth if self.table.has_target else None

    def stress(
        self,
        features: Sequence[str] | None = None,
        indicators: Mapping[str, object] | Sequence[object] | None = None,
        *,
        taus: int | npt.ArrayLike = 21,
        tail: float = 0.05,
        anchor: str = "quantile",
        missing: str = "error",
        level: float | None = None,
        simultaneous: bool = False,
        rows: npt.ArrayLike | None = None,
    ) -> Stress:
        r"""Weighted summaries of the rows while the mean of each feature is moved.

        The weights :math:`w_i \propto e^{\xi x_i}` (Bachoc et al. 2023, eq. 4) are those closest to
        equal weights, by Kullback-Leibler divergence, among all that give the feature x the target
        mean :math:`(1 - |\tau|)\,\bar x + |\tau|\,a`, with the anchor a of the side of tau.

        A categorical feature, and a numeric one of two values, is stressed by the share of each
        category: tau = 1 moves the share to 1 - tail and tau = -1 to tail, or half-way to 1 or 0
        where the share is beyond that already.

        Parameters
        ----------
        features : sequence of str, optional
            Features to stress, one after the other; by default all that have a value in every row
            (see ``missing``) and at most 50 categories. Of a feature with more categories, the 50
            most frequent are stressed.
        indicators : sequence of str, scorer or callable, or dict of them by name, optional
            What is summarised; by default everything in `indicators`. An entry is the name of an
            indicator, the name of a measure (see `measures`), a function ``f(distribution, y)``
            that returns one number per row (see `measure`), or a scikit-learn scorer that accepts
            sample weights, by name or made by ``make_scorer``. See Notes.
        taus : int or array-like, default=21
            Stress levels within [-1, 1], or how many evenly spaced ones; -1, 0 and 1 are always
            added.
        tail : float, default=0.05
            Between 0 and 0.5: the probability in each tail that the anchors are of.
        anchor : {"quantile", "tail-mean"}, default="quantile"
            The means that tau = -1 and 1 stand for. ``quantile``: the quantiles ``tail`` and
            1 - ``tail`` of the feature (Bachoc et al. 2023, section 2.2). ``tail-mean``: the means
            of the lowest and of the highest ``tail`` of the rows, which works for columns so
            skewed that a quantile is on the wrong side of the mean.
        missing : {"error", "drop", "keep"}, default="error"
            What becomes of rows without a value of the stressed feature. With ``keep`` they keep
            weight 1 and belong to every summary, while the mean of the other rows is moved: the
            share of rows without a value stays as it is. With ``drop`` they are left out. A remark
            counts them. With ``error`` they raise.
        level : float, optional
            Level of pointwise intervals, such as 0.95; by default there are no intervals. They take
            into account that another sample has another mean, other anchors and other weights.
            A scorer is then computed 66 times per feature and tau instead of once. Where few rows
            carry the weight (``ess``), above all for a variance and for columns that are stressed
            towards a long tail, coverage is below the level; a remark says where.
        simultaneous : bool, default=False
            Whether the intervals of all features, levels and indicators hold at once, as in
            `importance`; of scorers, whose dependence on others is not known, as if independent.
        rows : array-like, optional
            A mask or positions of rows: means, quantiles and indicators are those of these rows.

        Returns
        -------
        Stress

        Raises
        ------
        ValueError
            For a name that does not exist, a feature that cannot be stressed, or a value out
            of range.

        See Also
        --------
        stress_weights : The weights of one feature at one level.
        stress_to : Weights that meet several constraints at once.
        uqwidgets.stress_batches : The same for more rows than fit in memory.

        Notes
        -----
        What each analysis accepts:

        ==============================  =======  ========  ======
        analysis                        measure  function  scorer
        ==============================  =======  ========  ======
        ``importance``                  yes      yes       yes
        ``importance_over_tau``         yes      yes       no
        ``dependence``                  yes      yes       no
        ``stress(indicators=...)``      yes      yes       yes
        ``stress_batches``              yes      yes       no
        ==============================  =======  ========  ======

        A measure or function has one number per row, whose weighted mean is the indicator. A scorer
        has one number for all rows together; it is computed from the rows and their weights.

        References
        ----------
        Bachoc et al. 2023, sections 2 and 3.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.arange(40.0).reshape(20, 2)
        >>> explainer = uq.Explainer(lambda X: X[:, 0] ** 2, X, X[:, 0])
        >>> result = explainer.stress(["x0"], ["mean"], taus=3)
        >>> result.frame[["tau", "reached", "value", "ess"]].round(1)
           tau  reached   value   ess
        0 -1.0      1.9    11.0   2.9
        1  0.0     19.0   494.0  20.0
        2  1.0     36.1  1310.6   2.9
        """
        return self._stress_of(
            lambda: self._indicators(indicators),
            features,
            taus,
            tail,
            anchor,
            missing,
            level,
            rows,
            simultaneous,
        )

    def _stress_of(
        self,
        find: Callable[[], Sequence[Indicator | MetricIndicator]],
        features: Sequence[str] | None,
        taus: int | npt.ArrayLike,
        tail: float,
        anchor: str,
        missing: str,
        level: float | None,
        rows: npt.ArrayLike | None,
        simultaneous: bool = False,
    ) -> Stress:
        """Compute `stress` for indicators, which may be those of two models."""
        remarks: tuple[Remark, ...] = ()
        n = len(self.table)
        chosen = None if rows is None else self.table.population(rows=rows).rows
        if features is None:
            features, remarks = stressable(self.table, missing, chosen)
            if not features:
                raise ValueError(f"no feature can be stressed: {'; '.join(remarks)}.")
        names = self._named(features)
        checked_options(tail, anchor, missing, MISSING)
        summaries = find()
        omissions: list[Remark] = []

        outputs = [v for i in summaries if isinstance(i, Indicator) for v in i.per_row]

        def stressed(name: str) -> tuple[Sequence[StressedColumn], tuple[Remark, ...]]:
            of_feature = stressed_columns(self.table, name, tail, anchor, missing, chosen)
            return of_feature, self._omissions(name, of_feature[0].positions, missing, chosen)

        def compressed(name: str) -> CompressedFeature:
            of_feature, remarks_on_feature = stressed(name)
            return CompressedFeature.of(of_feature, outputs, remarks_on_feature)

        def compressed_once(name: str) -> CompressedFeature:
            identities = tuple((i.name, i.identity) for i in summaries if isinstance(i, Indicator))
            key = ("compressed", name, tail, anchor, missing, identities)
            return self.evaluations.cached(key, lambda: compressed(name))

        of_nodes = compressed if chosen is not None else compressed_once
        of_feature = stressed if needs_rows(summaries, level) else of_nodes

        def columns() -> Iterator[StressedColumn | CompressedColumn]:
            for name in names:
                several, remarks_on_feature = of_feature(name)
                omissions.extend(remarks_on_feature)
                yield from several

        result = stress(
            columns(),
            n,
            summaries,
            checked_taus(taus),
            tail=tail,
            anchor=anchor,
            level=level,
            remarks=remarks,
            family=Family(self.seed) if checked_flag(simultaneous, "simultaneous") else None,
        )
        further = (*omissions, *self._remarks_on_ceiling(result.indicators, chosen))
        further += self.evaluations.remarks_on_answers
        further += self.evaluations.remarks_on_rows
        further += self.evaluations.remarks_on_memory(0 if level is None else _OF_INTERVALS)
        return replace(result, remarks=result.remarks + further)

    def indicator(self, name: object) -> Indicator | MetricIndicator:
        """Return the indicator that `stress` computes for one entry of its ``indicators``.

        Parameters
        ----------
        name : str, scorer or callable
            Name of an indicator, a measure or a scorer; or a scorer or a function, see `stress`.

        Raises
        ------
        ValueError
            If there is none, or this model does not give it; the message says why.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(100, 2))
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0] + X[:, 1])
        >>> explainer.indicator("rmse").label
        'RMSE'
        """
        if isinstance(name, Named):
            return replace(self.indicator(name.entry), name=name.name, label=name.name)
        return find_indicator(
            name,
            self.indicators,
            self.evaluations.original_for,
            self._known_truth,
            self.classes,
            self._measures,
            self.evaluations.original_values,
        )

    def _omissions(
        self,
        feature: str,
        positions: npt.NDArray[np.intp] | None,
        missing: str,
        rows: npt.NDArray[np.intp] | None,
    ) -> tuple[Remark, ...]:
        """Remark on rows without a value, and on categories, that are not stressed."""
        size = len(self.table) if rows is None else len(rows)
        n_missing = 0 if positions is None else size - len(positions)
        remarks = omitted_categories(self.table, feature, positions)
        if not n_missing:
            return remarks
        of = f"{size} {'rows' if rows is None else 'chosen rows'}"
        fate = "keep their weight" if missing == "keep" else "are left out"
        left_out = f"{feature}: {n_missing} of {of} without a value {fate}"
        return (Remark("missing-values", left_out), *remarks)

    def _indicators(self, entries: object) -> list[Indicator | MetricIndicator]:
        if entries is None:
            return list(self.indicators.values())
        indicators = [self.indicator(entry) for entry in as_entries(entries, "indicators")]
        names = [indicator.name for indicator in indicators]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"indicators has {name!r} twice; give each its own name.")
        return indicators

    def stress_weights(
        self,
        feature: str,
        tau: float,
        *,
        category: object | None = None,
        tail: float = 0.05,
        anchor: str = "quantile",
        missing: str = "error",
        rows: npt.ArrayLike | None = None,
    ) -> Floats:
        """Row weights that move the mean of one feature to level ``tau``.

        Parameters
        ----------
        feature : str
        tau : float
            Stress level within [-1, 1].
        category : object, optional
            For a categorical feature: the category whose share is moved.
        tail : float, default=0.05
            Between 0 and 0.5: the probability in each tail that the anchors are of.
        anchor : {"quantile", "tail-mean"}, default="quantile"
            Whether tau = -1 and 1 move the mean to the quantiles ``tail`` and 1 - ``tail``, or to
            the means of the lowest and of the highest ``tail`` of the rows.
        missing : {"error", "drop", "keep"}, default="error"
            With ``keep``, rows without a value keep weight 1, with ``drop`` they get weight 0, and
            with ``error`` they raise.
        rows : array-like, optional
            A mask or positions of the rows whose mean is moved.

        Returns
        -------
        ndarray of shape (n,)
            Weights of mean 1. Pass them as ``sample_weight``, with the same ``rows``: the other
            rows have weight 1, because donors of replaced values come from all rows.

        Raises
        ------
        ValueError
            If there are no such weights; the message says why.

        See Also
        --------
        stress : Indicators at many levels of tau.
        stress_to : Weights that meet several constraints at once.

        References
        ----------
        Bachoc et al. 2023, eq. 4 and theorem 2.3.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.arange(10.0).reshape(5, 2)
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
        >>> explainer.stress_weights("x0", 0.5).round(2)
        array([0.29, 0.48, 0.79, 1.3 , 2.13])
        """
        checked_taus([tau])
        name = self.table.features[self.table.index(feature)]
        chosen = self.table.population(rows=rows).rows
        one = stressed_column(self.table, name, category, tail, anchor, missing, chosen)
        projection = one.column.project(float(tau))
        if projection.weights is None:
            beyond = projection.status == "beyond quantile"
            advice = "; use anchor='tail-mean', or the other side of tau" if beyond else ""
            raise ValueError(
                f"{one.name!r} cannot be stressed to tau = {tau:g} (mean {projection.target:.6g}): "
                f"{projection.status}{advice}."
            )
        return one.expand(projection.weights, len(self.table))

    def stress_to(
        self,
        means: Mapping[str, float] | None = None,
        *,
        variances: Mapping[str, float] | None = None,
        covariances: Mapping[tuple[str, str], float] | None = None,
        shares: Mapping[str | None, Mapping[Any, float]] | None = None,
        pinned: Sequence[str] | None = None,
        functions: Mapping[str, tuple[RowFunction, float]] | None = None,
        rows: npt.ArrayLike | None = None,
        table: Any = None,
        features: Sequence[str] | None = None,
        squares: bool = True,
        table_weight: npt.ArrayLike | None = None,
        table_groups: Any = None,
        level: float = 0.95,
    ) -> Reweighting:
        """Row weights that meet several constraints at once, as close to the data as possible.

        Parameters
        ----------
        means : dict of str to float, optional
            Weighted mean of numeric features, in the feature's unit.
        variances : dict of str to float, optional
            Weighted variance of numeric features around their weighted mean, divided by n, not by
            n - 1. The mean of the feature stays as it is unless ``means`` has it.
        covariances : dict of (str, str) to float, optional
            Weighted covariance of two numeric features. Both means stay as they are unless
            ``means`` has them.
        shares : dict of str to dict of category to float, optional
            Share of the rows that have a category, between 0 and 1, of any feature; the key None
            stands for the target. A row without a value belongs to no category.
        pinned : sequence of str, optional
            Features whose mean, or share of each category, stays as it is.
        functions : dict of str to (callable, float), optional
            Any other constraint, by a name of its own: a function that takes a DataFrame of the n
            rows and returns one number or truth value per row, and its weighted mean.
        rows : array-like, optional
            A mask or positions of the rows that are reweighted and meet the constraints; the other
            rows have weight 1, because donors of replaced values come from all rows.

        Returns
        -------
        Reweighting
            Pass it as ``sample_weight``; its ``weights``, of shape (n,), have mean 1.

        Raises
        ------
        ValueError
            If there is no constraint, a name does not exist, a feature is of the wrong kind or
            lacks values, a number is impossible for its constraint, or no weights meet them all;
            the message says which.

        See Also
        --------
        stress_weights : The weights that move the mean of one feature.

        References
        ----------
        Bachoc et al. 2023, theorem 2.2 and section 2.2; Dudík et al. 2007; Friedman 2003.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.arange(10.0).reshape(5, 2)
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
        >>> result = explainer.stress_to({"x0": 5.0}, variances={"x0": 8.0})
        >>> result.weights.round(2)
        array([0.66, 0.7 , 0.83, 1.12, 1.7 ])
        >>> round(result.ess, 1), result.status
        (4.4, 'ok')
        """
        constraints = means, variances, covariances, shares, pinned, functions
        if table is not None:
            if rows is not None or any(one is not None for one in constraints):
                raise ValueError(
                    "stress_to got table and constraints; pass either, since the table is what is "
                    "to be met."
                )
            return self._stress_to_table(
                table,
                features,
                squares=squares,
                table_weight=table_weight,
                table_groups=table_groups,
                level=level,
            )
        chosen = self.table.population(rows=rows).rows
        return stress_to(self.table, *constraints, chosen)

    def _stress_to_table(
        self,
        table: Any,
        features: Sequence[str] | None,
        *,
        squares: bool,
        table_weight: npt.ArrayLike | None,
        table_groups: Any,
        level: float,
    ) -> TableReweighting:
        other, population = self._other(table, table_weight, table_groups)
        return stress_to_table(
            self.table.population(),
            self.table,
            other,
            population,
            self._named(features),
            squares=checked_flag(squares, "squares"),
            level=checked_level(level),
            seed=self.seed,
        )

    def _other(self, table: Any, weight: Any, groups: Any) -> tuple[Table, Population]:
        """Read another table with the columns that the model uses, and its rows."""
        other = Table(table, None, self.predictive)
        set_row_groups(groups, table, other, extra_columns(None, table, other))
        return other, other.population(weight)
