"""ModelComparison: two fitted models of the same rows, side by side and as a paired difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from uqwidgets._utils.choices import as_names
from uqwidgets._utils.options import check_callback, checked_flag
from uqwidgets._utils.remarks import Remark
from uqwidgets.dependence import POINTS, CurveTransform, checked_lines, grid_of
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.explainer.comparison.base import Comparison
from uqwidgets.explainer.comparison.dependence import dependences
from uqwidgets.explainer.comparison.importance import importances
from uqwidgets.explainer.comparison.pair import Pair
from uqwidgets.explainer.comparison.result import Compared, Difference, side_by_side
from uqwidgets.explainer.comparison.stress import agreeing_shares, indicator_minus
from uqwidgets.explainer.defaults import methods_take_options
from uqwidgets.importance import Settings
from uqwidgets.inference import checked_level
from uqwidgets.measures import Function, Measure
from uqwidgets.performance.scores import scores_difference
from uqwidgets.stress.columns import stressable
from uqwidgets.stress.indicators import Indicator, MetricIndicator

if TYPE_CHECKING:
    from uqwidgets.explainer.explainer import Explainer


@methods_take_options
class ModelComparison(Comparison):
    """Two fitted models of the same rows: both results, and their paired difference.

    `Explainer.compare` returns it. Every method takes the options of the method of `Explainer` with
    the same name, calls each model only for values that are not cached, and returns a `Difference`.
    Both models have the same rows and the same donors of replaced values, so errors that both make
    in the same rows cancel in the difference and in its interval.

    Parameters
    ----------
    first, second : Explainer
        Of the same rows. The seed and the order of features are those of the first.
    names : tuple of (str, str)

    Attributes
    ----------
    first, second : Explainer
    names : tuple of (str, str)
    features : tuple of str
        Features that both models see.
    remarks : tuple of Remark
        Features that only one of them sees.

    Raises
    ------
    ValueError
        If the rows, the targets or the kinds of the predictions differ.

    See Also
    --------
    Explainer.compare : Makes it.
    Learner.compare : Compares two procedures, with refitting.

    References
    ----------
    Hoeffding 1948; Wood et al. 2024, eq. 5.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2))
    >>> y = X[:, 0] + rng.normal(size=200)
    >>> right = uq.Explainer(lambda X: X[:, 0], X, y)
    >>> steep = uq.Explainer(lambda X: 1.5 * X[:, 0], X, y)
    >>> comparison = right.compare(steep, names=("right", "steep"))
    >>> scores = comparison.scores("squared_error")
    >>> bool(scores.difference.high[0] < 0)  # the right slope has the lower error
    True
    """

    def __init__(self, first: Explainer, second: Explainer, names: tuple[str, str]) -> None:
        self.first, self.second, self.names = first, second, names
        self._explainers = first, second
        self._pair = Pair(first.evaluations, second.evaluations, names)

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """Features that only one of the models sees."""
        return self._pair.remarks

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
        sample_weight: npt.ArrayLike | None = None,
        rows: npt.ArrayLike | None = None,
        callback: ProgressCallback | None = None,
    ) -> Difference:
        """Compute the importance of the features that both models have, and its difference.

        Parameters
        ----------
        measure, replacement, n_repeats, compare, interval, level, reference, simultaneous
            As in `Explainer.importance`. Of ratios, it is the difference of the ratios. With
            ``simultaneous`` the intervals of all differences hold at once, and so do those of each
            side.
        sample_weight, rows, callback
            As in `Explainer.importance`.
        features : sequence of str, optional
            By default every feature or group that both models have.

        Returns
        -------
        Difference
            Of three `Importance`.

        Raises
        ------
        ValueError
            For a name that one of the models does not have, or a value out of range.

        See Also
        --------
        Explainer.importance : Importance for one model.

        References
        ----------
        Wood et al. 2024, eq. 5; Hoeffding 1948.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(200, 2))
        >>> one, two = (uq.Explainer(lambda X, b=b: b * X[:, 0], X, X[:, 0]) for b in (1, 0.5))
        >>> result = one.compare(two).importance("squared_error", n_repeats="all")
        >>> importance = dict(zip(result.difference.features, result.difference.importance))
        >>> bool(np.isclose(importance["x0"], (2 - 1) * X[:, 0].var()))
        True
        """
        check_callback(callback)
        settings = Settings.of(
            replacement=replacement,
            n_repeats=n_repeats,
            compare=compare,
            interval=interval,
            level=level,
            reference=reference,
            seed=self.first.seed,
            simultaneous=simultaneous,
        )
        self._pair.check_draws(settings.draws)
        names = self._pair.named_features(features)
        sides = self._sides(measure, [self.first.table.population(sample_weight, rows)] * 2)
        return self._difference(*importances(sides, self._title, names, settings, callback))

    def dependence(
        self,
        feature: str,
        measure: str | Function = "prediction",
        *,
        grid: int | npt.ArrayLike | None = None,
        spacing: str = "quantile",
        center: Any = False,
        derivative: bool = False,
        relative: bool = False,
        level: float = 0.95,
        simultaneous: bool = False,
        lines: int | None = None,
        sample_weight: npt.ArrayLike | None = None,
        rows: npt.ArrayLike | None = None,
        callback: ProgressCallback | None = None,
    ) -> Difference:
        """Compute curves of both models over the same values, and their difference.

        Parameters
        ----------
        feature : str
            A feature that both models see.
        measure, grid, spacing, center, derivative, relative, level, simultaneous, lines
            As in `Explainer.dependence`.
        sample_weight, rows, callback
            As in `Explainer.dependence`.

        Returns
        -------
        Difference
            Of three `Dependence`.

        Raises
        ------
        ValueError
            For a feature that one of the models does not see, or a value out of range.

        See Also
        --------
        Explainer.dependence : The curve of one model.

        References
        ----------
        Molnar et al. 2023, eq. 5.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(100, 2))
        >>> one, two = (uq.Explainer(lambda X, b=b: b * X[:, 0], X, X[:, 0]) for b in (3, 1))
        >>> result = one.compare(two).dependence("x0", grid=[-1.0, 0.0, 1.0])
        >>> result.difference.average.round(6).tolist()
        [-2.0, 0.0, 2.0]
        """
        check_callback(callback)
        self._pair.check_feature(str(feature))
        seed = self.first.seed if checked_flag(simultaneous, "simultaneous") else None
        form = CurveTransform.of(center, derivative, relative)
        populations = [self.first.table.population(sample_weight, rows)] * 2
        sides = self._sides(measure, populations, of_rows=True)
        points = grid_of(self.first.table, str(feature), POINTS if grid is None else grid, spacing)
        options = form, checked_level(level), callback, checked_lines(lines), seed
        return self._difference(*dependences(sides, self._title, points, *options))

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
    ) -> Difference:
        """Compute indicators of both models under the same weights, and their difference.

        Neither model is called again.

        Parameters
        ----------
        features : sequence of str, optional
            By default all that both models see and that can be stressed.
        indicators : sequence of str, scorer or callable, or dict of them by name, optional
            By default every indicator that both models have.
        taus, tail, anchor, missing, level, simultaneous, rows
            As in `Explainer.stress`.

        Returns
        -------
        Difference
            Of three `Stress`.

        Raises
        ------
        ValueError
            For a name that one of the models does not have, or a value out of range.

        See Also
        --------
        Explainer.stress : Indicators of one model.

        References
        ----------
        Bachoc et al. 2023, sections 2 and 3.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.arange(40.0).reshape(20, 2) % 17
        >>> one, two = (uq.Explainer(lambda X, b=b: b * X[:, 0], X, X[:, 0]) for b in (2, 1))
        >>> result = one.compare(two).stress(["x0"], ["mean"], taus=3)
        >>> result.frame[["tau", "first", "second", "difference"]].round(2)
           tau  first  second  difference
        0 -1.0    0.0    0.00        0.00
        1  0.0   14.2    7.10        7.10
        2  1.0   30.1   15.05       15.05
        """
        chosen = None if rows is None else self.first.table.population(rows=rows).rows
        if features is None:
            names, _ = stressable(self.first.table, missing, chosen)
            features = [name for name in names if name in self.features] or None
        else:
            features = [str(name) for name in as_names(features)]
            for name in features:
                self._pair.check_feature(name)
        if indicators is None:
            indicators = [name for name in self.first.indicators if name in self.second.indicators]
        options = features, taus, tail, anchor, missing, level, rows, simultaneous
        own, other = self._of_sides(indicators)
        pairs = list(zip(own, other, strict=True))
        differences = [indicator_minus(*both, self._title, self._pair) for both in pairs]
        difference = self.first._stress_of(lambda: differences, *options)
        difference = agreeing_shares(difference, pairs)
        return self._difference(
            self.first._stress_of(lambda: own, *options),
            self.second._stress_of(lambda: other, *options),
            difference,
        )

    def scores(
        self,
        scoring: Mapping[str, object] | Sequence[object] | str | None = None,
        *,
        level: float = 0.95,
        simultaneous: bool = False,
        sample_weight: npt.ArrayLike | None = None,
        rows: npt.ArrayLike | None = None,
    ) -> Difference:
        """Compute scores of both models in the same rows, and their difference.

        Parameters
        ----------
        scoring : str, scorer, callable, sequence of these or dict of them by name, optional
            As in `Explainer.scores`; by default the scores that both models have.
        level, simultaneous, sample_weight, rows
            As in `Explainer.scores`.

        Returns
        -------
        Difference
            Of three `Scores`.

        Raises
        ------
        ValueError
            If a score does not exist or does not fit both models.

        See Also
        --------
        Explainer.scores : Scores of one model.
        Learner.compare : The performance of two procedures, with refitting.

        References
        ----------
        Bonett and Price 2012; DeLong et al. 1988; Hall 1992; Kott 2001.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(100, 2))
        >>> y = X[:, 0] + X[:, 1]
        >>> one, two = (uq.Explainer(lambda X, b=b: b * X[:, 0], X, y) for b in (1, 0.8))
        >>> result = one.compare(two).scores()
        >>> result.difference.names
        ('rmse', 'absolute_error', 'r2')
        """
        level, together = checked_level(level), checked_flag(simultaneous, "simultaneous")
        population = self.first.table.population(sample_weight, rows)
        entries = self.first._scoring(scoring)
        if scoring is None:
            others = self.second._scoring(None)
            entries = [name for name in entries if name in others]
        own, other = ([side._score(entry) for entry in entries] for side in self._explainers)
        for k, entry in enumerate(entries):
            if type(own[k]) is not type(other[k]):  # a closed form that only one of them has
                own[k], other[k] = (side.indicator(entry) for side in self._explainers)
        first, second = (
            side._scored(of, population, level, self.first.seed, together)
            for side, of in zip(self._explainers, (own, other), strict=True)
        )
        pairs = list(zip(own, other, strict=True))
        difference = scores_difference(
            first, pairs, (population, population), self._title, self.first.seed
        )
        return self._difference(first, second, difference)

    @property
    def _sizes(self) -> str:
        return f"{self.first.table.size}, {len(self.features)} features of both"

    def _of_sides(
        self, indicators: object
    ) -> tuple[Sequence[Indicator | MetricIndicator], Sequence[Indicator | MetricIndicator]]:
        return self.first._indicators(indicators), self.second._indicators(indicators)

    def _measures(self, measure: str | Function) -> list[Measure]:
        of_models = []
        for name, side in zip(self.names, self._explainers, strict=True):
            try:
                of_models.append(side.measure(measure))
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from error
        return of_models

    def _difference(self, first: Compared, second: Compared, difference: Compared) -> Difference:
        general = [*self.remarks, *difference.remarks]
        return side_by_side(self.names, first, second, difference, general)
