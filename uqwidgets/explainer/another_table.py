"""The methods of `uqwidgets.Explainer` that look from the rows at hand to another table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets._utils.choices import one_of, unknown
from uqwidgets._utils.remarks import Remark
from uqwidgets.another_table import Expected, PredictionSets, TowardsTable
from uqwidgets.another_table.expected import (
    Estimate,
    bounds_of,
    bounds_of_difference,
    has_influences,
    score_here,
    score_seen,
    score_there,
)
from uqwidgets.another_table.own_word import expected_loss
from uqwidgets.another_table.prediction_sets import KINDS
from uqwidgets.another_table.sets_of_rows import prediction_sets
from uqwidgets.evaluation.columns import Columns
from uqwidgets.evaluation.containers import container_of
from uqwidgets.evaluation.table import Table
from uqwidgets.explainer.performance import Performing
from uqwidgets.inference import Bounds, checked_level, half_width, mean_over_rows
from uqwidgets.inference.population import Population
from uqwidgets.performance.scores import Score
from uqwidgets.predictive.adapters.stored import NO_MODEL
from uqwidgets.slices.bins import Bins

if TYPE_CHECKING:
    from uqwidgets.explainer.explainer import Explainer


class TowardsAnotherTable(Performing):
    """The part of `uqwidgets.Explainer` that looks to another table."""

    extra: Columns

    def expected(
        self,
        table: Any,
        y: Any = None,
        scoring: Mapping[str, object] | Sequence[object] | str | None = None,
        *,
        features: Sequence[str] | None = None,
        squares: bool = True,
        table_weight: npt.ArrayLike | None = None,
        table_groups: Any = None,
        level: float = 0.95,
    ) -> Expected:
        """Scores that are expected in another table, mostly without y, beside those here.

        The rows at hand are weighted so that they look like those of the other table
        (`stress_to`), and scored with these weights; the intervals contain the errors of both
        samples. This assumes that y depends on x there as it does here. Beside it is what the model
        expects of itself there, by one call of the model on the other table: where the two
        disagree, the model does not know how wrong it is there. With y of rows there, the surprise
        (the score seen minus the score expected) tests whether the relation of y to x changed,
        which no weights can see.

        Parameters
        ----------
        table : DataFrame or array-like of shape (m, p)
            Other rows with the columns that the model uses.
        y : array-like of shape (m,), optional
            Their target, missing in rows where it is not known.
        scoring : optional
            As in `scores`.
        features, squares, table_weight, table_groups, level
            As in `stress_to`.

        Returns
        -------
        Expected

        Raises
        ------
        ValueError
            If columns differ, a score does not exist, or y does not fit.

        See Also
        --------
        Explainer.stress_to : The weights, which every other method takes as ``sample_weight``.

        References
        ----------
        Bachoc et al. 2023, section 2.2; Dudík et al. 2007; Shimodaira 2000.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> rng = np.random.default_rng(0)
        >>> X, new = rng.normal(size=(600, 2)), rng.normal(size=(400, 2)) + [0.5, 0.0]
        >>> y = X[:, 0] + rng.normal(size=600) * (1 + (X[:, 0] > 1))
        >>> expected = uq.Explainer(lambda X: X[:, 0], X, y).expected(new, scoring="rmse")
        >>> bool(expected.low[0] > 0)
        True
        """
        level = checked_level(level)
        entries = self._scoring(scoring)
        every = [self._score(entry) for entry in entries]
        known = [k for k, one in enumerate(every) if has_influences(one)]
        chosen = [every[k] for k in known]
        options = {"squares": squares, "table_weight": table_weight, "table_groups": table_groups}
        weights = self._stress_to_table(table, features, level=level, **options)
        towards = weights.towards
        other, population = self._other(table, table_weight, table_groups)
        here_population = self.table.population()
        here = [score_here(one, here_population, len(other)) for one in chosen]
        there = [score_there(one, towards) for one in chosen]
        change = [new.minus(old) for new, old in zip(there, here, strict=True)]
        of_here = max(here_population.units.ess - 1, 1.0)
        most_df = max(min(weights.ess, population.units.ess) - 1, 1.0)
        ends = [one.bounds for one in chosen]
        differences = [bounds_of_difference(one) for one in chosen]
        own_here, own = self._own_word(chosen, table, population, level)
        seen: list[Estimate] = []
        if y is not None:
            seen = self._seen([entries[k] for k in known], table, y, other, population)
        surprise = [new.minus(old) for new, old in zip(seen, there, strict=False)]
        without = [one.label for one in every if not has_influences(one)]
        remarks = weights.remarks
        if without:
            remarks += (
                Remark(
                    "no-interval",
                    f"{' and '.join(without)}: it is left out, because the influences of the rows "
                    "on it are not known; name a measure, such as nll, or an indicator",
                ),
            )
        nothing = Bounds(np.nan, np.nan, np.nan, np.nan)
        surprises = bounds_of(surprise, towards, most_df, level, differences[: len(surprise)])
        return Expected(
            names=tuple(one.name for one in chosen),
            labels=tuple(one.label for one in chosen),
            units=tuple(one.unit for one in chosen),
            **_columns(bounds_of(here, towards, of_here, level, ends), "here"),
            **_columns(bounds_of(there, towards, most_df, level, ends), "there"),
            **_columns(bounds_of(change, towards, most_df, level, differences), "difference", ""),
            own_here=own_here,
            **_columns(own, "own"),
            seen=np.array([each.value for each in seen] or [np.nan] * len(chosen)),
            **_columns(surprises or [nothing] * len(chosen), "surprise"),
            by_feature=_by_feature(chosen, here, towards, level, most_df),
            weights=weights,
            level=level,
            remarks=remarks,
        )

    def prediction_sets(
        self,
        level: float = 0.9,
        *,
        kind: str | None = None,
        by: str | None = None,
        interval_level: float = 0.95,
        sample_weight: npt.ArrayLike | None = None,
        rows: npt.ArrayLike | None = None,
    ) -> PredictionSets:
        """Calibrate sets of targets that contain the true one in a share ``level`` of other rows.

        They are calibrated on the rows at hand, half by half (split conformal), beside the sets of
        the model itself. With ``sample_weight``, such as `stress_to` towards another table, they
        hold their level in the population that the weights describe. The model is not evaluated.

        Parameters
        ----------
        level : float, default=0.9
            The share of rows whose target a set should contain.
        kind : {"distribution", "residual"}, optional
            What the sets are made of: the model's own intervals or probabilities (the default
            where there are any), or, for numbers, its mean and the size of residuals.
        by : str, optional
            A column of X or of ``extra``; coverage and size are then also by its ranges or
            categories.
        interval_level : float, default=0.95
            Level of the intervals of coverage and size.
        sample_weight : array-like of shape (n,), optional
            Weights that describe a population, stress included.
        rows : array-like, optional
            A mask or the positions of the rows that are used.

        Returns
        -------
        PredictionSets
            Its method ``of`` gives the sets of other rows.

        Raises
        ------
        ValueError
            If the model predicts labels only, or a name or number is invalid.

        See Also
        --------
        Explainer.calibration : Calibration of every quantile or probability.

        References
        ----------
        Romano et al. 2019; Romano et al. 2020; Tibshirani et al. 2019; Vovk et al. 2005.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(1000, 1))
        >>> y = X[:, 0] + rng.normal(size=1000)
        >>> sets = uq.Explainer(lambda X: X[:, 0], X, y).prediction_sets(0.9)
        >>> bool(sets.low["calibrated"][0] < 0.9 < sets.high["calibrated"][0])
        True
        """
        self.table.require_target("prediction_sets()")
        nominal = checked_level(level)
        if kind is not None:
            one_of(KINDS, kind, "kind")
        column = None if by is None else self._column_of(str(by))
        return prediction_sets(
            self.evaluations.original,
            self.evaluations.truth,
            self.table.population(sample_weight, rows),
            kind,
            column,
            nominal=nominal,
            level=checked_level(interval_level),
            seed=self.seed,
        )

    def _column_of(self, name: str) -> Bins:
        """Return a column of X or of the extra ones, cut into ranges or categories."""
        for columns in (self.table, self.extra):
            if name in columns:
                return Bins.of(columns, name, 1)
        raise ValueError(
            unknown("feature or extra column", name, [*self.features, *self.extra.names])
        )

    def _own_word(
        self, chosen: Sequence[Score], table: Any, population: Population, level: float
    ) -> tuple[Floats, list[Bounds]]:
        """Return what the model expects of itself here, and there with its interval."""
        # Stored predictions are of the rows at hand alone.
        is_stored = self.predictive.stored is not None
        q = None if is_stored else self._of(table).evaluations.original
        own_here, own = np.full(len(chosen), np.nan), []
        for k, one in enumerate(chosen):
            sides = (self.evaluations.original, q)
            values = [None if each is None else expected_loss(one.name, each) for each in sides]
            if values[0] is None or values[1] is None:
                own.append(Bounds(np.nan, np.nan, np.nan, np.nan))
                continue
            mean_here, _ = mean_over_rows(values[0][None], self.table.population())
            mean, error = mean_over_rows(values[1][None], population)
            half = half_width(error, level, population)
            numbers = np.concatenate([mean_here, mean, mean - half, mean + half])
            if one.name == "rmse":  # the root of a mean
                numbers = np.sqrt(np.maximum(numbers, 0.0))
            own_here[k] = numbers[0]
            own.append(Bounds(float(numbers[1]), np.nan, float(numbers[2]), float(numbers[3])))
        return own_here, own

    def _of(self, table: Any, y: Any = None) -> Explainer:
        """Return an explainer of the same model and other rows, which it evaluates once."""
        from uqwidgets.explainer.explainer import Explainer

        return Explainer(self.predictive, table, y, random_state=self.seed)

    def _seen(
        self, entries: Sequence[Any], table: Any, y: Any, other: Table, population: Population
    ) -> list[Estimate]:
        """Return the scores of rows of the other table whose target is known."""
        if self.predictive.stored is not None:
            raise ValueError(f"{NO_MODEL}.")
        targets = np.asarray(y)
        if targets.shape != (len(other),):
            raise ValueError(
                f"y has shape {targets.shape} but table has {len(other)} rows; pass one value per "
                "row, missing where it is not known."
            )
        rows = np.flatnonzero(~pd.isna(targets))
        if not len(rows):
            return []
        of_rows = container_of(table).rows(rows)
        known = self._of(of_rows, np.array(targets[rows].tolist()))
        among = known.table.population(population.weights[rows])
        scores = [known._score(entry) for entry in entries]
        return [score_seen(one, among, rows, len(other), len(self.table)) for one in scores]


def _by_feature(
    chosen: Sequence[Score],
    here: Sequence[Estimate],
    towards: TowardsTable,
    level: float,
    most_df: float,
) -> pd.DataFrame:
    """Return what is expected with the weights of one column at a time, minus the score here."""
    lines = []
    ends = [bounds_of_difference(one) for one in chosen]
    for moments in towards.moments:
        alone = towards.of_columns([moments])
        changes = [
            score_there(one, alone).minus(old) for one, old in zip(chosen, here, strict=True)
        ]
        for one, each in zip(chosen, bounds_of(changes, alone, most_df, level, ends), strict=True):
            lines.append((one.name, moments.feature, each.estimate, each.low, each.high))
    return pd.DataFrame(lines, columns=["score", "feature", "difference", "low", "high"])


def _columns(bounds: Sequence[Bounds], name: str, of_ends: str | None = None) -> dict[str, Any]:
    """Return estimates and ends of intervals as columns of a result."""
    prefix = f"{name}_" if of_ends is None else of_ends
    return {
        name: np.array([each.estimate for each in bounds]),
        f"{prefix}low": np.array([each.low for each in bounds]),
        f"{prefix}high": np.array([each.high for each in bounds]),
    }
