"""The methods of `uqwidgets.Explainer` that find where it is worst, and compare groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Positions
from uqwidgets.evaluation.columns import Columns
from uqwidgets.explainer.another_table import TowardsAnotherTable
from uqwidgets.inference import checked_level
from uqwidgets.inference.population import Population
from uqwidgets.measures import Function, Measure
from uqwidgets.metrics import is_metric
from uqwidgets.performance.group_scores import group_scores
from uqwidgets.performance.group_scores_result import GroupScores
from uqwidgets.slices import FoundSlices, Slices, slices
from uqwidgets.slices.bins import Bins, Mask

# Indicators that groups are compared by, beside the scores of the model.
_OF_GROUPS = ("share", "tpr", "fpr", "entropy", "mean")


class Slicing(TowardsAnotherTable):
    """The part of `uqwidgets.Explainer` that finds slices, without calling the model."""

    extra: Columns
    seed: int

    def slices(
        self,
        measure: str | Function = "nll",
        features: Sequence[str] | None = None,
        *,
        max_features: int = 2,
        min_rows: int | None = None,
        level: float = 0.95,
        sample_weight: npt.ArrayLike | None = None,
        rows: npt.ArrayLike | None = None,
    ) -> Slices:
        """Where is a measure higher than elsewhere: ranges and categories of one or two features.

        The model is not evaluated. Candidates are ranges between 20 quantiles of a number or a
        date, categories, missing values, the same of pairs of features (8 ranges each), and the
        leaves of a tree on the measure. They are compared in a random half of the rows, and the
        ten that explain most of the measure are estimated and tested in the other half; then the
        halves change places. So the estimates are not too large for having been selected, and in
        at most a share 1 - level of tables without slices is any reported. Rows that belong
        together (``groups``) are in the same half.

        Parameters
        ----------
        measure : str or callable, default="nll"
            As in `importance`, such as a loss, ``entropy``, ``overconfidence`` or
            ``miscalibration``.
        features : sequence of str, optional
            Columns of X or of ``extra``; by default all of both.
        max_features : {1, 2}, default=2
            Features of a slice. Pairs are searched among the 50 features with the clearest slices.
        min_rows : int, optional
            Rows of the smallest slice, at least 20; by default 1 % of the rows. No slice has more
            than half of the rows.
        level : float, default=0.95
            Level at which the intervals of all slices that are tested hold at once.
        sample_weight : array-like of shape (n,), optional
            Weights that describe a population, stress included.
        rows : array-like, optional
            A mask or the positions of the rows that are searched.

        Returns
        -------
        Slices

        Raises
        ------
        ValueError
            If the measure or a column does not exist, or a number is out of range.

        See Also
        --------
        Explainer.compare_rows : One slice and the other rows in full.

        References
        ----------
        Chernozhukov et al. 2013; Chung et al. 2019; Hall 1992; Sagadeeva and Boehm 2021.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(1000, 3))
        >>> y = X[:, 0] + rng.normal(size=1000) * np.where(X[:, 1] > 1, 3.0, 1.0)
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, y)
        >>> [each["feature"] for each in explainer.slices("squared_error").conditions[0]]
        ['x1']
        """
        population = self.table.population(sample_weight, rows)
        found = self._found_slices(measure, features, population, max_features, min_rows, level)
        result = found.estimated(population)
        further = self.evaluations.remarks_on_answers + self.evaluations.remarks_on_rows
        return replace(result, remarks=result.remarks + further)

    def compare_groups(
        self,
        by: str,
        scoring: Mapping[str, object] | Sequence[object] | str | None = None,
        *,
        level: float = 0.95,
        sample_weight: npt.ArrayLike | None = None,
        rows: npt.ArrayLike | None = None,
    ) -> GroupScores:
        """Compare the scores of each group of people, or of rows, with those of all others.

        The model is not evaluated. The intervals of all differences hold at once, so that with many
        groups and scores none is clear by chance in a share ``level`` of tables.

        Parameters
        ----------
        by : str
            A column of X or of ``extra``, such as sex: its categories, or eight ranges of a number
            or a date.
        scoring : optional
            As in `scores`. By default these scores, the share of each predicted class, true and
            false positive rates, the entropy and ``miscalibration``, as far as the model has them.
        level : float, default=0.95
            Of the intervals.
        sample_weight : array-like of shape (n,), optional
            Weights that describe a population, stress or another table included.
        rows : array-like, optional
            A mask or the positions of the rows that are compared.

        Returns
        -------
        GroupScores

        Raises
        ------
        ValueError
            If a column or a score does not exist, or no group has ten rows.

        See Also
        --------
        Explainer.slices : Groups that are found, not named.
        Explainer.compare_rows : One group and the others in full.

        References
        ----------
        Chernozhukov et al. 2013; DeLong et al. 1988; Hall 1992; Wilson 1927.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(600, 2))
        >>> y = X[:, 0] + rng.normal(size=600) * (1 + (X[:, 1] > 1))
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, y)
        >>> result = explainer.compare_groups("x1", ["rmse"])
        >>> result.frame.query("clear")["group"].iloc[-1]
        'x1 ≥ 1.136'
        """
        column = self._column_of(str(by))
        codes, held = column.coarse() if column.n_ordered else _each(column)
        parts = [(column.text(bins), codes == k) for k, bins in enumerate(held)]
        entries = self._scoring(scoring) if scoring is not None else self._of_groups()
        return group_scores(
            str(by),
            parts,
            [self._score(entry) for entry in entries],
            self.table.population(sample_weight, rows),
            checked_level(level),
            self.seed,
        )

    def _of_groups(self) -> list[str]:
        """Return the scores by which groups are compared."""
        further = [name for name in self.indicators if name.partition(":")[0] in _OF_GROUPS]
        if not self.table.has_target:
            return further
        names = [*self._scoring(None), *further]
        names += [name for name in ("miscalibration",) if name in self.measure_names]
        return list(dict.fromkeys(names))

    def _found_slices(
        self,
        measure: str | Function,
        features: Sequence[str] | None,
        population: Population,
        max_features: int = 2,
        min_rows: int | None = None,
        level: float = 0.95,
    ) -> FoundSlices:
        """Find the slices of a population, which can be estimated under other weights too."""
        of_rows = self._of_rows(measure)
        return slices(
            of_rows,
            self.evaluations.original_values(of_rows),
            population,
            (self.table, self.extra),
            features,
            max_features=max_features,
            min_rows=min_rows,
            level=checked_level(level),
            seed=self.seed,
        )

    def _of_rows(self, measure: str | Function) -> Measure:
        """Return a measure; a metric, which is no mean over rows, cannot be one."""
        is_measure = not isinstance(measure, str) or measure.partition(":")[0] in {
            name.partition(":")[0] for name in self._measures
        }
        if not is_measure and (measure in self.indicators or is_metric(measure)):
            raise ValueError(
                f"{measure} is a metric of all rows together, and slices compare means over rows; "
                f"name a measure, such as {', '.join(self.measure_names[:3])}, and compare "
                f"{measure} in what is found by compare_rows(result.masks[0]).scores()."
            )
        return self.measure(measure)


def _each(column: Bins) -> tuple[Positions, list[Mask]]:
    """Return the bin of each row, and each bin by itself."""
    return column.codes, list(np.eye(len(column), dtype=np.bool_))
