"""The methods of `uqwidgets.Explainer` that measure how good the model is, without calling it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, overload

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._utils.choices import Named, as_entries, unknown
from uqwidgets._utils.dtypes import of_pandas
from uqwidgets._utils.options import checked_flag
from uqwidgets.evaluation.columns import Columns
from uqwidgets.explainer.stress import Stressing
from uqwidgets.inference import Family, checked_level
from uqwidgets.inference.population import Population
from uqwidgets.measures import Measure
from uqwidgets.performance import (
    Calibration,
    CalibrationAlong,
    Confusion,
    Scores,
    calibration,
    calibration_along,
    confusion,
    default_scores,
    scores,
)
from uqwidgets.performance.along import NOMINAL, By
from uqwidgets.performance.calibration import quantile_counts
from uqwidgets.performance.metrics import RankIndicator, accuracy, balanced_accuracy, r2
from uqwidgets.performance.scores import Score
from uqwidgets.plotting.text import value_text
from uqwidgets.predictive.distributions import (
    Categorical,
    Mixture,
    Point,
    class_codes,
    positive_position,
)


class Performing(Stressing):
    """The part of `uqwidgets.Explainer` that describes the model as it is."""

    seed: int
    extra: Columns

    def scores(
        self,
        scoring: Mapping[str, object] | Sequence[object] | str | None = None,
        *,
        level: float = 0.95,
        simultaneous: bool = False,
        sample_weight: npt.ArrayLike | None = None,
        rows: npt.ArrayLike | None = None,
    ) -> Scores:
        """How good the model is in these rows, with intervals.

        The model is not evaluated. The intervals are over other rows and take the fitted model as
        fixed; weights are taken as known.

        Parameters
        ----------
        scoring : str, scorer, callable, sequence of these or dict of them by name, optional
            Indicators (see `stress`), measures (see `measures`) or scikit-learn's scorers. By
            default the error rate, log loss, Brier score and ROC AUC (balanced accuracy for more
            than two classes); for numbers RMSE, mean absolute error, R2, and nll and CRPS where
            the model has them.
        level : float, default=0.95
            Level of the intervals.
        simultaneous : bool, default=False
            Whether all intervals hold at once, as in `importance`.
        sample_weight : array-like of shape (n,), optional
            Weights that describe a population, stress included.
        rows : array-like, optional
            A mask or the positions of the rows that are scored.

        Returns
        -------
        Scores

        Raises
        ------
        ValueError
            If a score does not exist or does not fit the model, or a weight or row is invalid.

        See Also
        --------
        Learner.performance : Scores of the procedure, in held-out rows of many refits.

        References
        ----------
        DeLong et al. 1988; Hall 1992; Kott 2001; Satterthwaite 1946; Wilson 1927.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(100, 2))
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0] + X[:, 1])
        >>> float(explainer.scores("r2").value[0].round(2))
        0.57
        """
        level = checked_level(level)
        population = self.table.population(sample_weight, rows)
        chosen = [self._score(entry) for entry in self._scoring(scoring)]
        together = checked_flag(simultaneous, "simultaneous")
        return self._scored(chosen, population, level, self.seed, together)

    def _scored(
        self,
        chosen: Sequence[Score],
        population: Population,
        level: float,
        seed: int,
        simultaneous: bool,
    ) -> Scores:
        result = scores(chosen, population, level, seed, simultaneous)
        further = self._remarks_on_ceiling(result.names, population.scored > 0)
        further += self.evaluations.remarks_on_answers
        further += self.evaluations.remarks_on_rows
        return replace(result, remarks=result.remarks + further)

    def _scoring(self, scoring: Mapping[str, object] | Sequence[object] | str | None) -> list[Any]:
        """Return the entries of ``scoring``, by default those that fit the model."""
        if scoring is not None:
            return as_entries(scoring, "scoring")
        self.table.require_target("scores()")
        ranks = not isinstance(self.evaluations.original, Point)
        return default_scores(self.indicators, self.classes, ranks=ranks)

    def _score(self, entry: object) -> Score:
        """Return the metric in closed form where there is one, else the indicator."""
        if isinstance(entry, Named):
            return replace(self._score(entry.entry), name=entry.name, label=entry.name)
        if isinstance(entry, str) and entry in self._closed_forms:
            return self._closed_forms[entry]
        return self.indicator(entry)

    @cached_property
    def _closed_forms(self) -> dict[str, Score]:
        """Scikit-learn's metrics of which the influence of every row is known, by name."""
        if not self.table.has_target:
            return {}
        truth = self.evaluations.truth
        if self.classes is None:
            error = self._measures["squared_error"]
            assert isinstance(error, Measure)
            errors = self.evaluations.original_values(error)
            return {"r2": r2(errors, np.asarray(truth, dtype=np.float64))}
        codes, predicted = class_codes(self.table.y, self.classes), self._predicted_codes
        hits, k = (codes == predicted) * 1.0, len(self.classes)
        forms: dict[str, Score] = {
            "accuracy": accuracy(hits),
            "balanced_accuracy": balanced_accuracy(hits, codes, k),
        }
        q = self.evaluations.original
        if k == 2 and isinstance(q, Categorical | Mixture):
            positive = positive_position(self.classes)
            name, p = f"ROC AUC of {self.classes[positive]}", q.probabilities[:, positive]
            forms["roc_auc"] = RankIndicator("roc_auc", name, "", p, codes == positive)
        return forms

    @cached_property
    def _predicted_codes(self) -> npt.NDArray[np.intp]:
        """Positions of the predicted classes, shape (n,)."""
        return self.evaluations.predicted_codes(self.evaluations.answer)

    def confusion(
        self,
        *,
        sample_weight: npt.ArrayLike | None = None,
        rows: npt.ArrayLike | None = None,
    ) -> Confusion:
        """How often the model predicts each class for rows of each true class.

        Parameters
        ----------
        sample_weight : array-like of shape (n,), optional
            Weights that describe a population, stress included.
        rows : array-like, optional
            A mask or the positions of the rows that are counted.

        Returns
        -------
        Confusion

        Raises
        ------
        ValueError
            If the target is a number, or a weight or row is invalid.

        See Also
        --------
        Explainer.scores : Error rate and other scores.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> from sklearn.linear_model import LogisticRegression
        >>> X, y = uq.datasets.make_redundant(100, copied="x1", n_features=3, n_relevant=1)
        >>> uq.Explainer(LogisticRegression().fit(X, y), X, y).confusion().share.shape
        (2, 2)
        """
        self.table.require_target("confusion()")
        if self.classes is None:
            raise ValueError(
                f"{self.table.target} is a number, and only classes are confused; use scores()."
            )
        truth, predicted = class_codes(self.table.y, self.classes), self._predicted_codes
        # Labels of these rows that are none of the classes follow them.
        labels = self.evaluations.predicted_labels[: max(len(self.classes), predicted.max() + 1)]
        population = self.table.population(sample_weight, rows)
        result = confusion(truth, predicted, labels, self.table.target, population)
        of_rows = self.evaluations.remarks_on_rows
        return replace(result, remarks=self.evaluations.remarks_on_answers + of_rows)

    @overload
    def calibration(
        self,
        label: object | None = None,
        *,
        by: None = None,
        logit: bool = False,
        n_bins: int = 10,
        level: float = 0.95,
        simultaneous: bool = False,
        sample_weight: npt.ArrayLike | None = None,
        rows: npt.ArrayLike | None = None,
    ) -> Calibration: ...

    @overload
    def calibration(
        self,
        label: object | None = None,
        *,
        by: str,
        logit: bool = False,
        n_bins: int = 10,
        level: float = 0.95,
        simultaneous: bool = False,
        sample_weight: npt.ArrayLike | None = None,
        rows: npt.ArrayLike | None = None,
    ) -> CalibrationAlong: ...

    def calibration(
        self,
        label: object | None = None,
        *,
        by: str | None = None,
        logit: bool = False,
        n_bins: int = 10,
        level: float = 0.95,
        simultaneous: bool = False,
        sample_weight: npt.ArrayLike | None = None,
        rows: npt.ArrayLike | None = None,
    ) -> Calibration | CalibrationAlong:
        """Whether events with the predicted probability p happen in a share p of the rows.

        For classes, rows are cut into bins of about equal weight by the predicted probability. For
        numbers, each quantile of the predictive distribution is compared with the share of the rows
        whose target is at most that quantile.

        Parameters
        ----------
        label : object, optional
            The class whose probability is meant. By default the positive of two classes; of more
            classes the predicted one, so that the probability is the model's confidence.
        by : str, optional
            A feature, an extra column, or a measure that needs no true value, such as "std" or
            "entropy", the predicted spread. Calibration and sharpness are then those of each
            range or category of it: is the uncertainty right *where*?
        logit : bool, default=False
            Whether pictures have axes of log-odds, which stretch both ends.
        n_bins : int, default=10
            Number of bins, for classes and along a column; fewer where many values are equal.
        level : float, default=0.95
            Level of the intervals of the shares (Wilson 1927).
        simultaneous : bool, default=False
            Whether all intervals hold at once, as in `importance`.
        sample_weight : array-like of shape (n,), optional
            Weights that describe a population, stress included.
        rows : array-like, optional
            A mask or the positions of the rows that are counted.

        Returns
        -------
        Calibration or CalibrationAlong
            The latter with ``by``.

        Raises
        ------
        ValueError
            If the model predicts neither probabilities nor distributions, the class or the column
            does not exist, or a number is out of range.

        See Also
        --------
        Explainer.scores : Log loss and Brier score, which calibration is a part of.

        References
        ----------
        Gneiting et al. 2007; Kuleshov et al. 2018; Niculescu-Mizil and Caruana 2005; Sidak 1967;
        Spiegelhalter 1986; Wilson 1927.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(1000, 1))
        >>> def model(X):
        ...     return X[:, 0], np.ones(len(X))
        >>> explainer = uq.Explainer(model, X, X[:, 0] + rng.normal(size=1000))
        >>> explainer.calibration().n_outside  # of 19 quantiles
        0
        >>> explainer.calibration(by="x0", n_bins=3).names
        ('−3.9 to −0.474', '−0.473 to 0.359', '0.359 to 3.07')
        """
        self.table.require_target("calibration()")
        population = self.table.population(sample_weight, rows)
        q, truth = self.evaluations.original, self.evaluations.truth
        checked_flag(logit, "logit")
        options: dict[str, Any] = {
            "predicted": None if self.classes is None else self._predicted_codes,
            "label": label,
            "n_bins": n_bins,
            "level": checked_level(level),
            "family": Family(self.seed) if checked_flag(simultaneous, "simultaneous") else None,
        }

        def known(name: str, of: Callable[[], Any]) -> Callable[[], Any]:
            return lambda: self.evaluations.cached((name,), of)  # quantiles can be slow

        subject = q, truth, self.table.target, population
        if by is not None:
            ends = known("central intervals", lambda: np.stack(q.interval(NOMINAL)))
            return calibration_along(self.divided_by(by), *subject, ends, **options)
        counts = known("quantile counts", lambda: quantile_counts(q, truth))
        return calibration(*subject, counts, **options, logit=logit)

    def divided_by(self, name: str) -> By:
        """Return what rows are divided by: a feature, an extra column or a measure.

        Parameters
        ----------
        name : str
            See ``by`` of `calibration`.

        Raises
        ------
        ValueError
            If there is none of this name, or the measure needs the true target.

        See Also
        --------
        Explainer.calibration : Calibration in the parts of the rows.

        References
        ----------
        Gneiting et al. 2007.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.arange(20.0).reshape(10, 2)
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
        >>> explainer.divided_by("x1").values[:3]
        array([1., 3., 5.])
        """
        for columns in (self.table, self.extra):
            if name not in columns:
                continue
            if columns.kind(name) == "numeric":
                return By(name, columns.numbers(name))
            if columns.holds_dates(name):
                column = columns.column(name)
                days = pd.DatetimeIndex(column.astype(of_pandas(column.dtype)))
                as_date = partial(_date, unit=days.unit)
                return By(name, np.where(days.isna(), np.nan, days.asi8), text=as_date)
            labels = columns.labels(name)
            codes = np.full(len(self.table), -1, dtype=np.intp)
            for place, text in enumerate(labels.texts):
                codes[labels.mask([text])] = place
            return By(name, codes, labels.texts)
        measures = [one for one in self.measure_names if not self.measure(one).needs_truth]
        if name not in measures:
            known = [*self.features, *self.extra.names, *measures]
            raise ValueError(unknown("feature, extra column or measure", name, known))
        measure = self.measure(name)
        return By(measure.label, self.evaluations.original_values(measure))


def _date(value: float, unit: str) -> str:
    return value_text(pd.Timestamp(int(value), unit=unit))
