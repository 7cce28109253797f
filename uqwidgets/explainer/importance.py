"""Methods of an explainer for importance and diagnosis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Literal, Unpack, overload

import numpy.typing as npt

from uqwidgets._utils.options import check_callback, checked_flag
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.evaluation.replacement import checked_scheme
from uqwidgets.evaluation.samples import sample_sizes
from uqwidgets.explainer.base import ExplainerBase
from uqwidgets.importance import (
    ImportanceOptions,
    Settings,
    metric_importance,
    permutation_importance,
    sampled_importance,
)
from uqwidgets.importance.diagnosis import NOT_CONDITIONAL, diagnose
from uqwidgets.importance.diagnosis_result import Diagnosis
from uqwidgets.importance.redundancy_result import Redundancy
from uqwidgets.importance.result import Importance
from uqwidgets.inference.population import Population
from uqwidgets.measures import Function, Measure
from uqwidgets.metrics import find_metric, is_metric
from uqwidgets.stress.columns import stressed_column
from uqwidgets.stress.importance_over_tau import importance_over_tau
from uqwidgets.stress.importance_result import ImportanceOverTau
from uqwidgets.stress.projection import checked_taus


class Ranking(ExplainerBase):
    """The part of `uqwidgets.Explainer` that ranks features."""

    @overload
    def importance(
        self,
        measure: str | Function = "nll",
        features: Sequence[str] | None = None,
        *,
        stream: Literal[False] = False,
        **options: Unpack[ImportanceOptions],
    ) -> Importance: ...

    @overload
    def importance(
        self,
        measure: str | Function = "nll",
        features: Sequence[str] | None = None,
        *,
        stream: Literal[True],
        **options: Unpack[ImportanceOptions],
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
        simultaneous: bool = False,
        permute: str = "rows",
        sampler: str = "subgroups",
        sample_weight: npt.ArrayLike | None = None,
        rows: npt.ArrayLike | None = None,
        callback: ProgressCallback | None = None,
        stream: bool = False,
    ) -> Importance | Iterator[Importance]:
        """How much a measure rises when a feature's values are replaced by those of other rows.

        ``measure="nll"`` is Likelihood-PFI, ``measure="entropy"`` Entropy-PFI, and a loss gives
        permutation feature importance.

        Parameters
        ----------
        measure : str, function or scorer, default="nll"
            A name of `measures` or a function (see `measure`); or a scikit-learn scorer, by name
            (``"roc_auc"``, ``"r2"``) or made by ``make_scorer``, for the loss of its score. A
            function of one's own is called about three times for each feature and repeat.
        features : sequence of str, optional
            Features or groups. By default every group, and every feature in no group.
        replacement : {"permutation", "ablation", "conditional"}, default="permutation"
            ``"permutation"`` shuffles the column; ``"ablation"`` draws from it with replacement;
            ``"conditional"`` shuffles it within subgroups of rows that are alike in the other
            features.
        n_repeats : int or "all", default=10
            Number of permutations. Raising it later evaluates only the new ones. ``"all"``
            averages over all n donors of each row, without Monte Carlo error, and evaluates
            (number of distinct values) x n rows for each feature.
        compare : {"difference", "ratio"}, default="difference"
            The measure after the replacement minus the one before, or divided by it.
        interval : str, default="u-statistic"
            The sources of error that the interval includes:

            - ``"u-statistic"``: the rows, as scored and as donors, and the draws;
            - ``"model"``: the rows as scored;
            - ``"random-variable"``: pairs of a row and a donor, as if they were independent;
            - ``"fixed-data"``: the draws alone, for these rows;
            - ``"quantile"``: no standard error, but the spread of single repeats: their median, and
              the quantiles that leave (1 - level) / 2 on either side. ``level=0.9`` gives 5 % to
              95 %, as in Dankers et al. 2020.

            Only the first contains the importance in the population about as often as its level
            states. None includes refitting the model; see `Learner`.
        level : float, default=0.95
            Confidence level.
        reference : {"t", "normal"}, default="t"
            Distribution whose quantiles the interval uses.
        simultaneous : bool, default=False
            Whether all intervals hold at once: in ``level`` of the tables, none of them misses.
            They are wider, by as much as the dependence of the features demands, and at most as
            wide as those of Bonferroni. By default each holds by itself, so that some of many
            features without importance look clear by chance.
        permute : {"rows", "groups"}, default="rows"
            With ``groups=``, whether the values of a feature that is constant within groups, such
            as the age of a patient, move between whole groups: in each repeat, all rows of a group
            take the value of one other group. The estimate is then the mean change of a row whose
            group takes the value of a group drawn from all groups alike, whatever their numbers of
            rows, its own included; the pairs that count are those of groups. With ``"rows"`` each
            row has a donor of its own, so that a group with many rows is a donor more often. Values
            of a feature that varies within groups move between rows in both cases; a remark names
            it. Not for scorers.
        sampler : {"subgroups", "residuals"}, default="subgroups"
            For ``replacement="conditional"``, how values are drawn given the other features.
            ``"subgroups"`` shuffles them within the leaves of a tree, which leave much of a strong
            dependence. ``"residuals"`` adds the residuals of other rows to the predictions of a
            model of the feature, ridge regression or gradient boosting, whichever predicts rows
            better that it has not seen; of categories it shuffles the places in their predicted
            distributions. Values are then the nearest ones of the table. For single features
            without missing values. Not for scorers.
        sample_weight : array-like of shape (n,), optional
            Weights that describe a population, stress included. They act on rows as scored and as
            donors.
        rows : array-like, optional
            A mask or the positions of the rows that are scored; donors come from all rows.
        callback : callable, optional
            Called with a `Progress` after every block of model calls. An exception that it raises
            stops the work; finished blocks are kept.
        stream : bool, default=False
            Return an iterator of results that improve while the model is evaluated. Where the
            model takes longer than about a second for all rows, the first results score a random
            sample of the rows, stratified by class, which grows until it has all rows; their
            remarks say how many, and their intervals account for it. Then come more and more
            repeats, or for ``n_repeats="all"``, which is not sampled, more and more features.
            Every result uses the predictions of the earlier ones, and the last one equals the
            result without ``stream``.

        Returns
        -------
        Importance

        Raises
        ------
        ValueError
            For a name that does not exist, or a value out of range.

        See Also
        --------
        Explainer.diagnose : Likelihood and entropy importance read together.
        Explainer.importance_over_tau : Importance as a feature's mean moves.
        loco_importance : Importance by fits without the feature.

        References
        ----------
        Likelihood-PFI: Wood et al. 2024, eq. 5; Entropy-PFI: section 3.2 there. Permutation:
        Breiman 2001; ablation: Merrick 2019, eq. 9; conditional: Wood et al. 2024, section 2.3,
        Molnar et al. 2024, and by residuals Candès et al. 2018 and Watson and Wright 2021; all
        donors: Fisher et al. 2019. Ratio: Dankers et al. 2020, section 8.4.
        Intervals: Hoeffding 1948 (``"u-statistic"``), Molnar et al. 2023, eq. 6 (``"model"``),
        Merrick 2019, section 5 (``"fixed-data"``, ``"random-variable"``), Dankers et al. 2020,
        figure 8.2 (``"quantile"``). All at once: Chernozhukov et al. 2013.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(200, 2))
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
        >>> result = explainer.importance("squared_error", n_repeats="all")
        >>> result.features
        ('x0', 'x1')
        >>> bool(np.isclose(result.importance[0], 2 * X[:, 0].var()))
        True
        >>> float(result.importance[1])  # the model ignores x1
        0.0
        """
        check_callback(callback)
        stream = checked_flag(stream, "stream")
        settings = Settings.of(
            replacement=replacement,
            n_repeats=n_repeats,
            compare=compare,
            interval=interval,
            level=level,
            reference=reference,
            seed=self.seed,
            simultaneous=simultaneous,
            permute=permute,
            sampler=sampler,
        )
        names = self.table.named_features(features)
        self._check_of_rows(settings, measure)
        population = self.table.population(sample_weight, rows)
        evaluations = self.evaluations
        steps = settings.steps(names) if stream else iter([(names, settings)])
        if is_metric(measure):
            metric = find_metric(measure, self.classes)
            results: Iterator[Importance] = (
                metric_importance(evaluations, metric, some, population, step, callback)
                for some, step in steps
            )
        else:
            of_rows = self.measure(measure)
            results = (
                permutation_importance(evaluations, of_rows, some, population, step, callback)
                for some, step in steps
            )
            if stream:
                sampled = self._sampled(of_rows, names, population, settings, callback)
                results = chain(sampled, results)
        return results if stream else next(results)

    def _check_of_rows(self, settings: Settings, measure: str | Function) -> None:
        """Raise a ValueError if values are to move between groups and cannot, or for a scorer."""
        groups, is_moved = self.table.row_groups, settings.permute == "groups"
        if is_moved and (groups is None or groups.in_time):
            raise ValueError(
                "permute='groups' moves values between groups of rows, and the rows have none; "
                "pass them to the Explainer, such as groups='patient'."
            )
        if is_metric(measure) and (is_moved or settings.sampler == "residuals"):
            option = "permute='groups'" if is_moved else "sampler='residuals'"
            raise ValueError(
                f"{option} is for measures of rows; name one, such as 'nll', or leave it out for "
                "a scorer."
            )

    def _sampled(
        self,
        measure: Measure,
        features: Sequence[str],
        population: Population,
        settings: Settings,
        callback: ProgressCallback | None,
    ) -> Iterator[Importance]:
        """Yield results of growing samples of the rows, none where all rows take no longer."""
        is_of_rows = settings.permute == "rows" and settings.sampler == "subgroups"
        if settings.n_repeats == "all" or not is_of_rows:
            return
        first = settings.first
        assert first.n_repeats != "all"
        for n_rows in sample_sizes(self.evaluations, len(features) * first.n_repeats):
            result = sampled_importance(
                self.evaluations, measure, features, population, first, n_rows, callback
            )
            if result is not None:
                yield result

    def importance_over_tau(
        self,
        stressed: str,
        measure: str | Function = "nll",
        features: Sequence[str] | None = None,
        *,
        category: object | None = None,
        taus: int | npt.ArrayLike = 9,
        tail: float = 0.05,
        anchor: str = "quantile",
        missing: str = "error",
        replacement: str = "permutation",
        n_repeats: int | str = 10,
        interval: str = "u-statistic",
        level: float = 0.95,
        reference: str = "t",
        rows: npt.ArrayLike | None = None,
        callback: ProgressCallback | None = None,
    ) -> ImportanceOverTau:
        """How each feature's importance changes as the mean of one feature is moved.

        The levels change only the weights of the rows, so all levels together need the model
        calls of one `importance`.

        Parameters
        ----------
        stressed : str
            The feature whose mean is moved.
        measure, features, replacement, n_repeats, interval, level, reference, callback
            As in `importance`, but the measure cannot be a scorer.
        category, taus, tail, anchor, missing
            As in `stress`. There are 9 levels by default, because each is a whole importance.
        rows : array-like, optional
            A mask or the positions of the rows that are stressed and scored; donors come from all
            rows.

        Returns
        -------
        ImportanceOverTau

        Raises
        ------
        ValueError
            For a name that does not exist, or a value out of range.

        See Also
        --------
        Explainer.stress : Summaries of the model as a feature's mean moves.
        Explainer.importance : Importance in one population.

        References
        ----------
        Entropic projection: Bachoc et al. 2023, section 2.2.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(200, 2))
        >>> explainer = uq.Explainer(lambda X: X[:, 0] * X[:, 1], X, X[:, 0] * X[:, 1])
        >>> over_tau = explainer.importance_over_tau("x0", "squared_error", taus=5)
        >>> over_tau.importance.shape
        (2, 5)
        """
        check_callback(callback)
        name = self.features[self.table.index(stressed)]
        chosen = self.table.population(rows=rows).rows
        return importance_over_tau(
            self.evaluations,
            self.measure(measure),
            self.table.named_features(features),
            stressed_column(self.table, name, category, tail, anchor, missing, chosen),
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
        simultaneous: bool = False,
        sample_weight: npt.ArrayLike | None = None,
        rows: npt.ArrayLike | None = None,
        callback: ProgressCallback | None = None,
    ) -> Diagnosis:
        """Read likelihood and entropy importance together.

        An importance is ``negligible``, so known to be small, if its whole interval lies within
        ``margin`` of zero. Else it is ``positive`` or ``negative`` if its interval lies to one
        side of zero, and ``not clear`` if the interval includes zero. Both importances use the same
        model calls.

        ========== ========== ========================================================
        nll        entropy    verdict
        ========== ========== ========================================================
        positive   positive   shares information about the target with other features
        positive   negligible informative; with ``redundancy``, also whether independent
        positive   negative   informative, falsely sure: surer where features disagree
        positive   not clear  informative
        negligible positive   confidence only: shares what does not concern the target
        negligible negligible not used; hardly used if an interval excludes zero
        negligible negative   doubt only
        negligible not clear  not informative
        negative   any        misleading: predictions are better without its values
        not clear  any        not clear
        ========== ========== ========================================================

        Parameters
        ----------
        features, replacement, n_repeats, interval, level, reference, sample_weight, rows, callback
            As in `importance`, without ``replacement="conditional"``, which makes every entropy
            importance zero.
        simultaneous : bool, default=False
            As in `importance`; the intervals of both importances hold at once.
        margin : float, default=0.01
            In nats, for both importances. 0.01 nats change a probability, the width of a predictive
            density or its effective number of classes by one percent.
        redundancy : Redundancy, optional
            From `redundancy`, of the same rows and weights. An entropy importance of zero alone
            does not make a feature independent, so only the redundancy can show it. It is not
            computed here, because its forests take much longer than most models.

        Returns
        -------
        Diagnosis

        Raises
        ------
        ValueError
            If the model gives no uncertainty; the message says why. For a name that does not
            exist, or a value out of range.

        See Also
        --------
        Explainer.redundancy : How well each feature is predicted by the others, without the model.

        References
        ----------
        Wood et al. 2024, section 3.4, propositions 1 to 3.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 2))
        >>> def model(X):
        ...     return X[:, 0], np.ones(len(X))
        >>> explainer = uq.Explainer(model, X, X[:, 0] + rng.normal(size=200))
        >>> explainer.diagnose().verdict
        ('informative', 'not used')
        """
        check_callback(callback)
        if checked_scheme(replacement) == "conditional":
            # It is refused before any model call.
            raise ValueError(NOT_CONDITIONAL)

        def of_measure(measure: str) -> Importance:
            result = self.importance(
                measure,
                features,
                replacement=replacement,
                n_repeats=n_repeats,
                interval=interval,
                level=level,
                reference=reference,
                simultaneous=simultaneous,
                sample_weight=sample_weight,
                rows=rows,
                callback=callback,
            )
            # The changes of single rows are not read, and would be in memory for both measures.
            return replace(result, per_row=result.per_row[:, :0].copy())

        nll, entropy = of_measure("nll"), of_measure("entropy")
        return diagnose(nll, entropy, margin=margin, redundancy=redundancy)
