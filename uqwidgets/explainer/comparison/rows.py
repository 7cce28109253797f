"""RowsComparison: one fitted model in two groups of rows, side by side and as a difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from uqwidgets._utils.choices import as_names
from uqwidgets._utils.options import check_callback, checked_flag
from uqwidgets.dependence import POINTS, CurveTransform, grid_of
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.explainer.comparison.base import Comparison
from uqwidgets.explainer.comparison.dependence import dependences
from uqwidgets.explainer.comparison.importance import importances
from uqwidgets.explainer.comparison.result import Difference, side_by_side
from uqwidgets.explainer.comparison.stress import correlations_of, only, stress_difference
from uqwidgets.explainer.defaults import methods_take_options
from uqwidgets.importance import Settings
from uqwidgets.inference import Family, checked_level
from uqwidgets.inference.population import Population
from uqwidgets.measures import Function
from uqwidgets.performance import scores
from uqwidgets.performance.scores import scores_difference
from uqwidgets.plotting.text import counted_rows
from uqwidgets.stress.columns import stressable, stressed_columns
from uqwidgets.stress.projection import checked_taus

if TYPE_CHECKING:
    from uqwidgets.explainer.explainer import Explainer


@methods_take_options
class RowsComparison(Comparison):
    """One fitted model in two groups of rows: both results, and their difference.

    `Explainer.compare_rows` returns it. Groups may share rows: every row has an influence on both
    results, and its influence on the difference is that on the first minus that on the second. So
    the intervals are valid for separate and for overlapping groups, and for a group and all rows.

    Parameters
    ----------
    explainer : Explainer
    sides : tuple of Population
    names : tuple of (str, str)

    Attributes
    ----------
    explainer : Explainer
    names : tuple of (str, str)

    See Also
    --------
    Explainer.compare_rows : Makes it.
    ModelComparison : Two models in the same rows.

    References
    ----------
    Hoeffding 1948; Wood et al. 2024, eq. 5; Zou and Donner 2008.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> y = X[:, 0] + rng.normal(size=300) * np.where(X[:, 1] > 0, 2.0, 0.5)
    >>> explainer = uq.Explainer(lambda X: X[:, 0], X, y)
    >>> result = explainer.compare_rows(X[:, 1] > 0).scores("squared_error")
    >>> bool(result.difference.low[0] > 0)  # errors are larger where x1 is positive
    True
    """

    def __init__(
        self, explainer: Explainer, sides: tuple[Population, Population], names: tuple[str, str]
    ) -> None:
        self.explainer, self.names, self._populations = explainer, names, sides
        self._explainers = explainer, explainer

    def importance(
        self,
        measure: str | Function = "nll",
        features: Sequence[str] | None = None,
        *,
        replacement: str = "permutation",
        n_repeats: int | str = 10,
        compare: str = "difference",
        level: float = 0.95,
        reference: str = "t",
        simultaneous: bool = False,
        callback: ProgressCallback | None = None,
    ) -> Difference:
        """Compute the importance in both groups, and its difference.

        Parameters
        ----------
        measure, features, replacement, n_repeats, compare, level, reference, simultaneous, callback
            As in `Explainer.importance`. With ``simultaneous`` the intervals of all differences
            hold at once, and so do those of each side. Intervals are ``"u-statistic"``; donors come
            from all rows.

        Returns
        -------
        Difference
            Of three `Importance`.

        Raises
        ------
        ValueError
            For a name that does not exist, or a value out of range.

        See Also
        --------
        Explainer.importance : Importance in one group of rows.

        References
        ----------
        Wood et al. 2024, eq. 5; Hoeffding 1948.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(300, 2))
        >>> explainer = uq.Explainer(lambda X: np.maximum(X[:, 0], 0), X, X[:, 0])
        >>> result = explainer.compare_rows(X[:, 1] > 0).importance("squared_error")
        >>> sorted(result.difference.features)
        ['x0', 'x1']
        """
        check_callback(callback)
        settings = Settings.of(
            replacement=replacement,
            n_repeats=n_repeats,
            compare=compare,
            interval="u-statistic",
            level=level,
            reference=reference,
            seed=self.explainer.seed,
            simultaneous=simultaneous,
        )
        names = self.explainer.table.named_features(features)
        sides = self._sides(measure, self._populations)
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
        callback: ProgressCallback | None = None,
    ) -> Difference:
        """Compute the curve of both groups over the same values, and its difference.

        Parameters
        ----------
        feature, measure, grid, spacing, center, derivative, relative, level, simultaneous, callback
            As in `Explainer.dependence`.

        Returns
        -------
        Difference
            Of three `Dependence`.

        Raises
        ------
        ValueError
            For a name that does not exist, or a value out of range.

        See Also
        --------
        Explainer.dependence : The curve of one group of rows.

        References
        ----------
        Molnar et al. 2023, eq. 5.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(300, 2))
        >>> explainer = uq.Explainer(lambda X: X[:, 0] * (X[:, 1] > 0), X)
        >>> result = explainer.compare_rows(X[:, 1] > 0).dependence("x0", grid=[-1.0, 1.0])
        >>> result.difference.average.round(6).tolist()
        [-1.0, 1.0]
        """
        check_callback(callback)
        seed = self.explainer.seed if checked_flag(simultaneous, "simultaneous") else None
        form = CurveTransform.of(center, derivative, relative)
        sides = self._sides(measure, self._populations, of_rows=True)
        level, table = checked_level(level), self.explainer.table
        points = grid_of(table, str(feature), POINTS if grid is None else grid, spacing)
        options = form, level, callback, None, seed
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
    ) -> Difference:
        """Compute indicators of both groups over tau, and their difference.

        Each group has its own mean and its own quantiles, so tau moves each mean on its own.
        The model is not called again.

        Parameters
        ----------
        features, indicators, taus, tail, anchor, missing, level, simultaneous
            As in `Explainer.stress`. Categories that only one of the groups has are left out.

        Returns
        -------
        Difference
            Of three `Stress`. With ``level``, the interval of a scorer treats groups that share
            rows as separate groups, so it is wider than necessary.

        Raises
        ------
        ValueError
            For a name that does not exist, a value out of range, or groups with ``sample_weight``.

        See Also
        --------
        Explainer.stress : Indicators of one group of rows.

        References
        ----------
        Bachoc et al. 2023, sections 2 and 3; Zou 2007; Zou and Donner 2008.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(300, 2))
        >>> explainer = uq.Explainer(lambda X: X[:, 0] * (X[:, 1] > 0), X, X[:, 0])
        >>> result = explainer.compare_rows(X[:, 1] > 0).stress(["x0"], ["mean"], level=0.95)
        >>> bool(result.difference.low["mean"][0, -1] > 0)  # x0 moves the mean of the first group
        True
        """
        ex = self.explainer
        if any(side.weighted for side in self._populations):
            raise ValueError(
                "stress gives rows weights of its own; compare the groups without sample_weight."
            )
        chosen, levels = ex._indicators(indicators), checked_taus(taus)
        positions = [side.positions for side in self._populations]
        if features is None:
            own, other = (stressable(ex.table, missing, rows)[0] for rows in positions)
            features = [name for name in own if name in other]
        names, options = as_names(features), (tail, anchor, missing)
        of_sides = [
            ex._stress_of(lambda: chosen, names, levels, *options, level, rows, simultaneous)
            for rows in positions
        ]
        common = [name for name in of_sides[0].features if name in of_sides[1].features]
        if not common:
            raise ValueError(
                "the two groups share no category, so no stress can be compared; name a numeric "
                "feature."
            )
        first, second = (only(side, common) for side in of_sides)
        columns = [
            {
                column.name: column
                for name in names
                for column in stressed_columns(ex.table, str(name), *options, rows)
            }
            for rows in positions
        ]
        pairs = [(columns[0][name], columns[1][name]) for name in common]
        family = Family(ex.seed) if checked_flag(simultaneous, "simultaneous") else None
        correlations = correlations_of(pairs, self._populations, chosen, levels, family)
        pointwise_level = None
        if family is not None and first.level is not None:
            pointwise_level = family.pointwise_level(first.level)
        difference = stress_difference(first, second, self._title, correlations, pointwise_level)
        return self._difference(first, second, difference)

    def scores(
        self,
        scoring: Mapping[str, object] | Sequence[object] | str | None = None,
        *,
        level: float = 0.95,
        simultaneous: bool = False,
    ) -> Difference:
        """Compute the scores in both groups, and their difference.

        Parameters
        ----------
        scoring, level, simultaneous
            As in `Explainer.scores`.

        Returns
        -------
        Difference
            Of three `Scores`.

        Raises
        ------
        ValueError
            If a score does not exist or does not fit the model.

        See Also
        --------
        Explainer.scores : Scores in one group of rows.

        References
        ----------
        DeLong et al. 1988; Hall 1992; Kott 2001.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(300, 2))
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0] + X[:, 1])
        >>> explainer.compare_rows(X[:, 0] > 0).scores().difference.names
        ('rmse', 'absolute_error', 'r2')
        """
        ex, level = self.explainer, checked_level(level)
        chosen = [ex._score(entry) for entry in ex._scoring(scoring)]
        together = checked_flag(simultaneous, "simultaneous")
        first, second = (
            scores(chosen, side, level, ex.seed, together) for side in self._populations
        )
        pairs = [(one, one) for one in chosen]
        difference = scores_difference(first, pairs, self._populations, self._title, ex.seed)
        return side_by_side(self.names, first, second, difference, difference.remarks)

    @property
    def _sizes(self) -> str:
        sides = self._populations
        if self.explainer.table.row_groups is None:
            return " and ".join(f"{len(side.positions):,}" for side in sides) + " rows"
        return " and ".join(counted_rows(len(side.positions), side.group_count) for side in sides)
