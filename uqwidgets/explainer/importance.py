"""What an explainer can be asked about importance."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, overload

import numpy.typing as npt

from uqwidgets.evaluation.evaluations import ProgressCallback
from uqwidgets.explainer.base import Explained
from uqwidgets.importance import Settings, importance, metric_importance, streamed
from uqwidgets.importance.diagnosis import NOT_CONDITIONAL, diagnose
from uqwidgets.importance.diagnosis_result import Diagnosis
from uqwidgets.importance.result import Importance
from uqwidgets.inference import checked_level
from uqwidgets.inference.population import Population
from uqwidgets.measures import Function
from uqwidgets.metrics import find_metric, is_metric
from uqwidgets.redundancy import redundancy
from uqwidgets.redundancy.result import Redundancy
from uqwidgets.stress.columns import stressed_one
from uqwidgets.stress.importance_over_tau import importance_over_tau
from uqwidgets.stress.importance_result import ImportanceOverTau
from uqwidgets.stress.projection import checked_taus


class Ranking(Explained):
    """The part of `uqwidgets.Explainer` that ranks features."""

    @overload
    def importance(
        self,
        measure: str | Function = "nll",
        features: Sequence[str] | None = None,
        *,
        replacement: str = "permutation",
        n_repeats: int | str = 10,
        compare: str = "difference",
        interval: str = "u-statistic",
        level: float = 0.95,
        reference: str = "t",
        sample_weight: npt.ArrayLike | None = None,
        rows: npt.ArrayLike | None = None,
        callback: ProgressCallback | None = None,
        stream: Literal[False] = False,
    ) -> Importance: ...

    @overload
    def importance(
        self,
        measure: str | Function = "nll",
        features: Sequence[str] | None = None,
        *,
        replacement: str = "permutation",
        n_repeats: int | str = 10,
        compare: str = "difference",
        interval: str = "u-statistic",
        level: float = 0.95,
        reference: str = "t",
        sample_weight: npt.ArrayLike | None = None,
        rows: npt.ArrayLike | None = None,
        callback: ProgressCallback | None = None,
        stream: Literal[True],
    ) -> Iterator[Importance]: ...

    def importance(
        self,
        measure: str | Function = "nll",
        features: Sequence[str] | None = None,
        *,
        replacement: str = "permutation",
        n_repeats: int | str = 10,
        compare: str = "difference",
        interval: str = "u-statistic",
        level: float = 0.95,
        reference: str = "t",
        sample_weight: npt.ArrayLike | None = None,
        rows: npt.ArrayLike | None = None,
        callback: ProgressCallback | None = None,
        stream: bool = False,
    ) -> Importance | Iterator[Importance]:
        """How much a measure rises when a feature's values are replaced by those of other rows.

        Likelihood-PFI is ``measure="nll"`` (Wood et al. 2024, eq. 5), Entropy-PFI ``"entropy"``
        (Wood et al. 2024, section 3.2).

        Parameters
        ----------
        measure : str, function or scorer, default="nll"
            See `measure`; or a scikit-learn scorer, by name (``"roc_auc"``, ``"r2"``) or made by
            ``make_scorer``, for the loss of its score.
        features : sequence of str, optional
            Features or groups; every group and every feature in none, unless named.
        replacement : {"permutation", "ablation", "conditional"}, default="permutation"
            The column shuffled; drawn from with replacement (Merrick 2019, eq. 9); or shuffled
            within
            subgroups of rows that are alike in the other features (Wood et al. 2024, section 2.3).
        n_repeats : int or "all", default=10
            Donors of each row; more ask the model only for the new ones. ``"all"`` takes every
            row as a donor, which leaves no error of drawing: a feature with u distinct values
            asks for u rows per row, the same that its curve over all observed values asks.
        compare : {"difference", "ratio"}, default="difference"
            Measure after replacement minus that before, or over it (Dankers et al. 2020, section
            8.4).
        interval : str, default="u-statistic"
            Or ``"model"``, ``"fixed-data"``, ``"random-variable"``, ``"quantile"``; what each
            accounts for is said in `uqwidgets.inference.intervals`.
        level : float, default=0.95
        reference : {"t", "normal"}, default="t"
            Whose quantiles the interval uses.
        sample_weight : array-like of shape (n,), optional
            Describes a population, stress included; acts on rows as scored and as donors.
        rows : array-like, optional
            A mask or positions of the rows that are scored; donors come from all.
        callback : callable, optional
            Called with a `Progress` after every block of model calls; raise from it to stop.
            What is finished is kept.
        stream : bool, default=False
            Give an iterator of results that get better as the model is asked: of more and more
            repeats, or with ``n_repeats="all"`` of more and more features.

        Returns
        -------
        Importance

        Raises
        ------
        ValueError
            For a name that does not exist, or a value out of range.
        """
        settings = Settings.of(
            replacement=replacement,
            n_repeats=n_repeats,
            compare=compare,
            interval=interval,
            level=level,
            reference=reference,
            seed=self.seed,
        )
        units = self.units(features)
        population = Population.of(len(self.table), sample_weight, rows)
        compute = self._importance_for(measure, population, callback)
        return streamed(compute, units, settings) if stream else compute(units, settings)

    def _importance_for(
        self, measure: Any, population: Population, callback: ProgressCallback | None
    ) -> Callable[[Sequence[str], Settings], Importance]:
        """Return how features are ranked: by a measure of rows, or a metric of all of them."""
        if is_metric(measure):
            metric = find_metric(measure, self.classes)
            return lambda units, settings: metric_importance(
                self.evaluations, metric, units, population, settings, callback
            )
        found = self.measure(measure)
        return lambda units, settings: importance(
            self.evaluations, found, units, population, settings, callback
        )

    def importance_over_tau(
        self,
        stressed: str,
        measure: str | Function = "nll",
        features: Sequence[str] | None = None,
        *,
        category: object | None = None,
        taus: int | npt.ArrayLike = 9,
        alpha: float = 0.05,
        anchor: str = "quantile",
        replacement: str = "permutation",
        n_repeats: int | str = 10,
        interval: str = "u-statistic",
        level: float = 0.95,
        reference: str = "t",
        rows: npt.ArrayLike | None = None,
        callback: ProgressCallback | None = None,
    ) -> ImportanceOverTau:
        """How each feature's importance changes as the mean of one feature is moved.

        Asks the model no more than `importance` does, once for all levels.

        Parameters
        ----------
        stressed : str
            The feature whose mean is moved.
        measure, features, replacement, n_repeats, interval, level, reference, callback
            As in `importance`.
        category, taus, alpha, anchor
            As in `stress` and `stress_weights`.
        rows : array-like, optional
            A mask or positions of the rows that are stressed and scored; donors come from all.

        Returns
        -------
        ImportanceOverTau

        Raises
        ------
        ValueError
            For a name that does not exist, or a value out of range.
        """
        name = self.features[self.table.index(stressed)]
        chosen = Population.of(len(self.table), rows=rows).rows
        return importance_over_tau(
            self.evaluations,
            self.measure(measure),
            self.units(features),
            stressed_one(self.table, name, category, alpha, anchor, rows=chosen),
            checked_taus(taus),
            Settings.of(
                replacement=replacement,
                n_repeats=n_repeats,
                compare="difference",
                interval=interval,
                level=level,
                reference=reference,
                seed=self.seed,
            ),
            callback,
        )

    def diagnose(
        self,
        features: Sequence[str] | None = None,
        *,
        margin: float = 0.01,
        redundancy: Redundancy | None = None,
        replacement: str = "permutation",
        n_repeats: int | str = 10,
        interval: str = "u-statistic",
        level: float = 0.95,
        reference: str = "t",
        sample_weight: npt.ArrayLike | None = None,
        rows: npt.ArrayLike | None = None,
        callback: ProgressCallback | None = None,
    ) -> Diagnosis:
        """Read likelihood and entropy importance together (Wood et al. 2024, section 3.4).

        Says of each feature whether it shares information with others, is informative (with
        ``redundancy``, also whether independent of them), is not used, ..., or that it is not
        clear from these rows; see
        `uqwidgets.importance.diagnosis.diagnose`. The two importances come of the same model calls.

        Parameters
        ----------
        features, replacement, n_repeats, interval, level, reference, sample_weight, rows, callback
            As in `importance`.
        margin : float, default=0.01
            In nats: an importance whose whole interval lies within it is negligible.
        redundancy : Redundancy, optional
            From `redundancy`, of the same rows and weights; it takes one to conclude that a
            feature is independent. It is not computed here, for a forest for each feature takes
            many times as long as most models take for the importances.

        Returns
        -------
        Diagnosis

        Raises
        ------
        ValueError
            If the model gives no uncertainty; the message says why. For a name that does not
            exist, or a value out of range.
        """
        if replacement == "conditional":
            # Said before the model is asked about any row.
            raise ValueError(NOT_CONDITIONAL)
        nll, entropy = (
            self.importance(
                measure,
                features,
                replacement=replacement,
                n_repeats=n_repeats,
                interval=interval,
                level=level,
                reference=reference,
                sample_weight=sample_weight,
                rows=rows,
                callback=callback,
            )
            for measure in ("nll", "entropy")
        )
        return diagnose(nll, entropy, margin=margin, redundancy=redundancy)

    def redundancy(
        self,
        with_target: bool = False,
        features: Sequence[str] | None = None,
        *,
        n_estimators: int = 100,
        level: float = 0.95,
        sample_weight: npt.ArrayLike | None = None,
        rows: npt.ArrayLike | None = None,
        n_jobs: int | None = None,
        callback: ProgressCallback | None = None,
    ) -> Redundancy:
        """How well each feature is known from the others: R2 out of bag.

        Source: Wood et al. 2024, figure 7.

        The model is not asked. Give the result to `diagnose` to learn which features are
        informative and independent of the others.

        Parameters
        ----------
        with_target : bool, default=False
            Whether to predict each feature once more with the target beside the others.
        features : sequence of str, optional
            Features or groups; every group and every feature in none, unless named.
        n_estimators : int, default=100
            Trees of each forest, at least 50.
        level : float, default=0.95
            Of the intervals; what they account for is said in `uqwidgets.redundancy`.
        sample_weight : array-like of shape (n,), optional
            Describes a population, stress included; acts on the forests and on the score.
        rows : array-like, optional
            A mask or positions of the rows that are scored; the forests are grown from all.
        n_jobs : int, optional
            Trees grown at a time.
        callback : callable, optional
            Called with a `Progress` after every forest; raise from it to stop.

        Returns
        -------
        Redundancy

        Raises
        ------
        ValueError
            For a name that does not exist, a value out of range, or a table of one feature.
        """
        return redundancy(
            self.table,
            self.units(features),
            Population.of(len(self.table), sample_weight, rows),
            with_target=with_target,
            n_estimators=n_estimators,
            level=checked_level(level),
            seed=self.seed,
            n_jobs=n_jobs,
            callback=callback,
        )
