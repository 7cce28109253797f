"""One model, one table, and everything that can be asked of the two."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.utils import check_random_state

from uqwidgets.cache import parse_bytes
from uqwidgets.data import Table
from uqwidgets.dependence import (
    POINTS,
    Form,
    dependence,
    dependences,
    grid_of,
    surface,
    surface_grids,
)
from uqwidgets.evaluation import Evaluations, Report
from uqwidgets.importance import Settings, importance, metric_importance, streamed
from uqwidgets.importance_over_tau import importance_over_tau
from uqwidgets.inference import checked_level
from uqwidgets.measures import Function, Measure, available, described, find
from uqwidgets.metrics import find_metric, is_metric
from uqwidgets.population import Population
from uqwidgets.predictive import Predictive, as_predictive
from uqwidgets.results import Dependence, Importance, ImportanceOverTau, Surface
from uqwidgets.stress.columns import stressed_one
from uqwidgets.stress.projection import checked_taus
from uqwidgets.stress.stressing import Stressing


class Explainer(Stressing):
    """What drives a fitted model's predictions, its errors and its confidence.

    The model is asked once for every replaced value; measures, weights, row filters and
    intervals are worked out from what it said then and ask it nothing more.

    Parameters
    ----------
    model : object or callable
        A fitted model, see `as_predictive`. It is never refitted.
    X : DataFrame or array-like of shape (n, p)
        Rows to explain, best ones the model was not fitted on. Never modified; columns that
        the model was not fitted with are left out.
    y : array-like of shape (n,)
        Their true target.
    feature_groups : mapping of str to sequence of str, optional
        Features that move together, by the name of their group. Importance is that of the
        groups and of the features in none, unless others are named.
    random_state : int, RandomState or None, default=0
        Of the donors that are drawn.
    memory_limit : int or str, default="1GiB"
        What may be kept of the model's answers. Over it, derived arrays are dropped first and
        cost no model call to make again; then answers, the longest unused first.

    Attributes
    ----------
    features : tuple of str
    classes : ndarray of shape (k,) or None
        Labels of a classifier.
    model_calls, rows_evaluated : int
        What the model was asked so far.

    Raises
    ------
    TypeError
        If the model offers no way to predict.
    ValueError
        If X, y and the model do not fit each other, or the model fails on the rows as they are.
    """

    def __init__(
        self,
        model: Any,
        X: Any,
        y: Any,
        *,
        feature_groups: Mapping[str, Sequence[str]] | None = None,
        random_state: int | np.random.RandomState | None = 0,
        memory_limit: int | str = "1GiB",
    ) -> None:
        self.predictive = _predictive(model, y)
        self.table = Table(X, y, self.predictive, feature_groups)
        self.seed = _seed(random_state)
        self.evaluations = Evaluations(self.predictive, self.table, parse_bytes(memory_limit))
        self.classes = self.evaluations.classes
        self._measures = available(self.evaluations.original, classifier=self.classes is not None)

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the columns the model sees, in its order."""
        return self.table.features

    @property
    def model_calls(self) -> int:
        """How often the model was called so far."""
        return self.evaluations.model_calls

    @property
    def rows_evaluated(self) -> int:
        """How many rows the model was asked so far, over all calls."""
        return self.evaluations.rows_evaluated

    def __repr__(self) -> str:
        n, p = len(self.table), len(self.features)
        return (
            f"Explainer({self.predictive.name}, {n:,} rows, {p} features; "
            f"{self.model_calls:,} model calls, {self.rows_evaluated:,} rows evaluated)"
        )

    def measures(self) -> pd.DataFrame:
        """Names that can be asked for with this model, and why the others cannot.

        Of ``interval_width:<level>`` one is listed; any level between 0 and 1 may be asked for.

        Returns
        -------
        DataFrame
            Columns ``measure, label, unit, available, reason``.
        """
        lines = [
            (name, "", "", False, found)
            if isinstance(found, str)
            else (name, found.label, found.unit, True, "")
            for name, found in described(self._measures)
        ]
        return pd.DataFrame(lines, columns=["measure", "label", "unit", "available", "reason"])

    def measure(self, measure: str | Function) -> Measure:
        """Return the measure of this name, or of this function.

        Parameters
        ----------
        measure : str or callable
            A name (see `measures`), or ``f(distribution, y)`` that returns one finite number
            per row of the distribution; y holds the labels of the same rows as they are in the
            target. What it returns is remembered: it must depend on its arguments alone.

        Raises
        ------
        ValueError
            If there is none, or this model does not give it; the message says why.
        """
        return find(measure, self._measures)

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
        report: Report | None = None,
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
        report: Report | None = None,
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
        report: Report | None = None,
        stream: bool = False,
    ) -> Importance | Iterator[Importance]:
        """How much a measure rises when a feature's values are replaced by those of other rows.

        Likelihood-PFI is ``measure="nll"`` (000, eq. 5), Entropy-PFI ``"entropy"`` (000,
        section 3.2).

        Parameters
        ----------
        measure : str, function or scorer, default="nll"
            See `measure`; or a scikit-learn scorer, by name (``"roc_auc"``, ``"r2"``) or made by
            ``make_scorer``, for the loss of its score.
        features : sequence of str, optional
            Features or groups; every group and every feature in none, unless named.
        replacement : {"permutation", "ablation", "conditional"}, default="permutation"
            The column shuffled; drawn from with replacement (002, eq. 9); or shuffled within
            subgroups of rows that are alike in the other features (000, section 2.3).
        n_repeats : int or "all", default=10
            Donors of each row; more ask the model only for the new ones. ``"all"`` takes every
            row as a donor, which leaves no error of drawing: a feature with u distinct values
            asks for u rows per row, the same that its curve over all observed values asks.
        compare : {"difference", "ratio"}, default="difference"
            Measure after replacement minus that before, or over it (001, section 8.4).
        interval : str, default="u-statistic"
            Or ``"model"``, ``"fixed-data"``, ``"random-variable"``, ``"quantile"``; what each
            accounts for is said in `uqwidgets.inference.kinds`.
        level : float, default=0.95
        reference : {"t", "normal"}, default="t"
            Whose quantiles the interval uses.
        sample_weight : array-like of shape (n,), optional
            Describes a population, stress included; acts on rows as scored and as donors.
        rows : array-like, optional
            A mask or positions of the rows that are scored; donors come from all.
        report : callable, optional
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
        compute = self._importance_for(measure, population, report)
        return streamed(compute, units, settings) if stream else compute(units, settings)

    def _importance_for(
        self, measure: Any, population: Population, report: Report | None
    ) -> Callable[[Sequence[str], Settings], Importance]:
        """Return how features are ranked: by a measure of rows, or a metric of all of them."""
        if is_metric(measure):
            metric = find_metric(measure, self.classes)
            return lambda units, settings: metric_importance(
                self.evaluations, metric, units, population, settings, report
            )
        found = self.measure(measure)
        return lambda units, settings: importance(
            self.evaluations, found, units, population, settings, report
        )

    @overload
    def dependence(
        self,
        feature: str,
        measure: str | Function = ...,
        *,
        grid: int | npt.ArrayLike | None = ...,
        spacing: str = ...,
        center: Any = ...,
        derivative: bool = ...,
        relative: bool = ...,
        level: float = ...,
        sample_weight: npt.ArrayLike | None = ...,
        rows: npt.ArrayLike | None = ...,
        report: Report | None = ...,
    ) -> Dependence: ...

    @overload
    def dependence(
        self,
        feature: tuple[str, str] | list[str],
        measure: str | Function = ...,
        *,
        grid: int | Sequence[int | npt.ArrayLike] | None = ...,
        spacing: str = ...,
        level: float = ...,
        sample_weight: npt.ArrayLike | None = ...,
        rows: npt.ArrayLike | None = ...,
        report: Report | None = ...,
    ) -> Surface: ...

    def dependence(
        self,
        feature: str | Sequence[str],
        measure: str | Function = "prediction",
        *,
        grid: Any = None,
        spacing: str = "quantile",
        center: Any = False,
        derivative: bool = False,
        relative: bool = False,
        level: float = 0.95,
        sample_weight: npt.ArrayLike | None = None,
        rows: npt.ArrayLike | None = None,
        report: Report | None = None,
    ) -> Dependence | Surface:
        """Show a measure as a function of one feature or two: ICE per row, PD as their mean.

        Parameters
        ----------
        feature : str or sequence of two str
            Two give a surface.
        measure : str or callable, default="prediction"
            See `measures`.
        grid : int, array-like of shape (g,), or one of these for each of two features
            Number of values, or the values themselves. By default 50 for a curve, and 20 of each
            feature for a surface.
        spacing : {"quantile", "even", "observed"}, default="quantile"
            Quantiles of the observed values, even steps from the lowest to the highest, or every
            distinct value, whatever ``grid`` says. A grid of 2 g - 1 points asks the model for
            g - 1 more than one of g.
        center : bool or value of the feature, default=False
            Each row's curve minus its value at the first point of the grid, or at the value that
            is given (c-ICE; Goldstein et al. 2015).
        derivative : bool, default=False
            The slope of each row's curve (d-ICE; Goldstein et al. 2015), for numeric features.
        relative : bool, default=False
            Each row's curve minus the measure of the row as it is: individual conditional
            importance, and its mean, partial importance (001, chapter 8). With
            ``spacing="observed"`` the result's ``importance`` is that over all donors.
        level, sample_weight, rows, report
            As in `importance`; the band is pointwise (003, eq. 5).

        Returns
        -------
        Dependence or Surface
            Both say which points are far from the data.

        Raises
        ------
        ValueError
            For a name that does not exist, a value out of range, or forms that exclude each other.
        """
        form = Form.of(center, derivative, relative)
        found, level = self.measure(measure), checked_level(level)
        population = Population.of(len(self.table), sample_weight, rows)
        if isinstance(feature, (list, tuple)):
            grids = surface_grids(self.table, feature, grid, spacing, form)
            return surface(self.evaluations, found, grids, population, level=level, report=report)
        points = grid_of(self.table, str(feature), POINTS if grid is None else grid, spacing)
        return dependence(
            self.evaluations, found, points, population, form=form, level=level, report=report
        )

    def dependences(
        self,
        features: Sequence[str] | None = None,
        measure: str | Function = "prediction",
        *,
        grid: int = POINTS,
        spacing: str = "quantile",
        center: bool = False,
        derivative: bool = False,
        relative: bool = False,
        level: float = 0.95,
        sample_weight: npt.ArrayLike | None = None,
        rows: npt.ArrayLike | None = None,
        report: Report | None = None,
    ) -> dict[str, Dependence]:
        """`dependence` of several features at once, in few large model calls.

        Parameters
        ----------
        features : sequence of str, optional
            All of them, unless named.
        measure, grid, spacing, center, derivative, relative, level, sample_weight, rows, report
            As in `dependence`.

        Returns
        -------
        dict of str to Dependence

        Raises
        ------
        ValueError
            For a name that does not exist, a value out of range, or forms that exclude each other.
        """
        form = Form.of(center, derivative, relative)
        return dependences(
            self.evaluations,
            self.measure(measure),
            [grid_of(self.table, name, grid, spacing) for name in self._named(features)],
            Population.of(len(self.table), sample_weight, rows),
            form=form,
            level=checked_level(level),
            report=report,
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
        report: Report | None = None,
    ) -> ImportanceOverTau:
        """How each feature's importance changes as the mean of one feature is moved.

        Asks the model no more than `importance` does, once for all levels.

        Parameters
        ----------
        stressed : str
            The feature whose mean is moved.
        measure, features, replacement, n_repeats, interval, level, reference, report
            As in `importance`.
        category, taus, alpha, anchor
            As in `stress` and `stress_weights`.

        Returns
        -------
        ImportanceOverTau

        Raises
        ------
        ValueError
            For a name that does not exist, or a value out of range.
        """
        name = self.features[self.table.index(stressed)]
        return importance_over_tau(
            self.evaluations,
            self.measure(measure),
            self.units(features),
            stressed_one(self.table, name, category, alpha, anchor),
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
            report,
        )

    def units(self, features: Sequence[str] | None = None) -> list[str]:
        """Return what importance is asked of: these features and groups, or all of them.

        Raises
        ------
        ValueError
            If one does not exist.
        """
        if features is None:
            return list(self.table.units)
        names = [features] if isinstance(features, str) else list(dict.fromkeys(features))
        if not names:
            raise ValueError("features is empty; name at least one.")
        for name in names:
            self.table.columns_of(name)
        return [str(name) for name in names]

    def _named(self, features: Sequence[str] | None) -> list[str]:
        if features is None:
            return list(self.features)
        names = [features] if isinstance(features, str) else list(dict.fromkeys(features))
        if not names:
            raise ValueError("features is empty; name at least one.")
        return [self.features[self.table.index(name)] for name in names]


def _predictive(model: Any, y: Any) -> Predictive:
    plain_function = callable(model) and not hasattr(model, "predict")
    labels = np.asarray(y)
    if isinstance(model, Predictive) or not plain_function or labels.ndim != 1:
        return as_predictive(model)
    # A function that gives probabilities gives them for the labels of y, in sorted order.
    try:
        distinct = np.unique(labels[~pd.isna(labels)])
    except TypeError:
        raise ValueError(
            "y mixes kinds of labels that have no order; make them all texts or all numbers."
        ) from None
    if len(distinct) < 2:
        return as_predictive(model)
    # Whether it does give probabilities is not known before it is asked.
    return replace(as_predictive(model, classes=distinct), classes=None)


def _seed(random_state: int | np.random.RandomState | None) -> int:
    if isinstance(random_state, (int, np.integer)) and random_state >= 0:
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31))
