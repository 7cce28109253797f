"""The method of `uqwidgets.Explainer` that finds where a measure is worst."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy.typing as npt

from uqwidgets.evaluation.columns import Columns
from uqwidgets.explainer.stress import Stressing
from uqwidgets.inference import checked_level
from uqwidgets.inference.population import Population
from uqwidgets.measures import Function, Measure
from uqwidgets.metrics import is_metric
from uqwidgets.slices import FoundSlices, Slices, slices


class Slicing(Stressing):
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
