"""Importance and curves of a learner, in steps that report progress and can be stopped."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets._utils.remarks import Remark
from uqwidgets.dependence import CurveTransform, Grid
from uqwidgets.dependence.result import Dependence
from uqwidgets.evaluation.progress import Progress, ProgressCallback
from uqwidgets.evaluation.replacement import Constant, Request
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.importance import Settings
from uqwidgets.importance.result import Importance
from uqwidgets.learner import Learner
from uqwidgets.measures import Measure
from uqwidgets.widgets.inputs.choices import LEVEL
from uqwidgets.widgets.kernel.work import ReportCount

# Returns the replacements that a refit is evaluated for.
Requests = Callable[[Explainer], list[Request]]


@dataclass(frozen=True, eq=False)
class RefitMeans:
    """Means over refits with their corrected intervals.

    Attributes
    ----------
    value, low, high : ndarray of shape (measures, features), or (g,) for a curve
    n_refits : int
        Number of refits whose fit succeeded.
    remarks : tuple of Remark
    """

    value: Floats
    low: Floats
    high: Floats
    n_refits: int
    remarks: tuple[Remark, ...]


class Refitted:
    """Computes the results of a learner that the widget shows of a model.

    Parameters
    ----------
    explainer : Explainer
        Explainer of the model.
    learner : Learner
        Of the same features and classes.
    """

    def __init__(self, explainer: Explainer, learner: Learner) -> None:
        self._explainer = explainer
        self.learner = learner

    @property
    def n_evaluated(self) -> tuple[int, int]:
        """Calls of the refits' models so far, and rows of them."""
        explainers = [refit.explainer for refit in self.learner.refits]
        calls = sum(explainer.model_calls for explainer in explainers)
        return calls, sum(explainer.rows_evaluated for explainer in explainers)

    def fit(self, callback: ProgressCallback) -> None:
        """Make the refits that are missing.

        Raises
        ------
        ModelError
            If fewer than two fits succeed.
        ValueError
            If they are of other features or classes than the model.
        """

        def checked(progress: Progress) -> None:
            self._check_alike()  # after the first fit, not after all of them
            callback(progress)

        self.learner.fit(callback=checked)
        self._check_alike()

    def importance(
        self,
        measures: Sequence[Measure],
        n_repeats: int,
        callback: ProgressCallback,
        report: ReportCount,
    ) -> RefitMeans:
        """Average the importance of every feature of the model, in the order of its table.

        Parameters
        ----------
        measures : sequence of Measure
        n_repeats : int
        callback : callable
            See `Evaluations.evaluate_all`; one progress over all refits.
        report : callable
            Called before a measure of a refit is computed, with the number of those that are done
            and the number in all. An exception that it raises stops the work.
        """
        self._ask(self._importance_requests(measures, n_repeats), callback)
        refits = self.learner.refits
        for i, (refit, measure) in enumerate(product(refits, measures)):
            report(i, len(refits) * len(measures))
            # The slow part is cached for the averages below.
            refit.explainer.importance(
                measure.name, self._explainer.features, n_repeats=n_repeats, level=LEVEL
            )
        features, results = self._explainer.features, self._ranked(measures, n_repeats)
        places = [[result.features.index(f) for f in features] for result in results]
        value, low, high = (
            np.array([v[at] for v, at in zip(arrays, places, strict=True)])
            for arrays in (
                [result.importance for result in results],
                [result.low for result in results],
                [result.high for result in results],
            )
        )
        remarks = tuple(dict.fromkeys(remark for result in results for remark in result.remarks))
        return RefitMeans(value, low, high, len(self.learner.refits), remarks)

    def curve(
        self, grid: Grid, measure: str, form: CurveTransform, callback: ProgressCallback
    ) -> RefitMeans:
        """Average the curve over the values of a grid."""
        self._ask(_curve_requests(grid, measure), callback)
        result = self._drawn(grid, measure, form)
        refits = len(self.learner.refits)
        return RefitMeans(result.average, result.low, result.high, refits, result.remarks)

    def known_importance(self, measures: Sequence[Measure], n_repeats: int) -> list[Importance]:
        """Return the results behind `importance`, none unless all is known; calls no model."""
        known = self.knows_importance(measures, n_repeats)
        return self._ranked(measures, n_repeats) if known else []

    def known_curve(self, grid: Grid, measure: str, form: CurveTransform) -> Dependence | None:
        """Return the result behind `curve`, None unless all is known; calls no model."""
        known = self.knows_curve(grid, measure)
        return self._drawn(grid, measure, form) if known else None

    def knows_importance(self, measures: Sequence[Measure], n_repeats: int) -> bool:
        """Whether `importance` calls no model."""
        return self._knows(self._importance_requests(measures, n_repeats))

    def knows_curve(self, grid: Grid, measure: str) -> bool:
        """Whether `curve` calls no model."""
        return self._knows(_curve_requests(grid, measure))

    def _importance_requests(self, measures: Sequence[Measure], n_repeats: int) -> Requests:
        def requests(explainer: Explainer) -> list[Request]:
            settings = Settings(n_repeats=n_repeats, seed=explainer.seed)
            table, features = explainer.table, self._explainer.features
            columns = [table.columns_of(feature) for feature in features]
            drawn = [q for of in columns for q in settings.draws.replacements(table, of)]
            readers = [explainer.measure(measure.name) for measure in measures]
            return explainer.evaluations.requests(drawn, *readers)

        return requests

    def _ranked(self, measures: Sequence[Measure], n_repeats: int) -> list[Importance]:
        features = self._explainer.features
        return [
            self.learner.importance(m.name, features, n_repeats=n_repeats, level=LEVEL)
            for m in measures
        ]

    def _drawn(self, grid: Grid, measure: str, form: CurveTransform) -> Dependence:
        result = self.learner.dependence(
            grid.feature,
            measure,
            grid=grid.values,
            center=form.center,
            derivative=form.derivative,
            relative=form.relative,
            level=LEVEL,
        )
        assert isinstance(result, Dependence)
        return result

    def _knows(self, requests: Requests) -> bool:
        explainers = [refit.explainer for refit in self.learner.refits]
        return all(e.evaluations.is_cached(q) for e in explainers for q in requests(e))

    def _ask(self, requests: Requests, callback: ProgressCallback) -> None:
        """Ask every refit, with one progress over all of them."""
        refits = self.learner.refits
        by_refit = [requests(refit.explainer) for refit in refits]
        rows = [len(r.held_out) * len(own) for r, own in zip(refits, by_refit, strict=True)]
        started = time.perf_counter()
        for i, (refit, own) in enumerate(zip(refits, by_refit, strict=True)):

            def over_all(progress: Progress, before: int = sum(rows[:i])) -> None:
                done = before + progress.rows_done
                seconds = (time.perf_counter() - started) / done * (sum(rows) - done)
                callback(Progress(done, sum(rows), seconds))

            refit.explainer.evaluations.evaluate_all(own, over_all)

    def _check_alike(self) -> None:
        for refit in self.learner.refits[:1]:
            theirs, ours = refit.explainer, self._explainer
            if set(theirs.features) != set(ours.features):
                odd = sorted(set(theirs.features) ^ set(ours.features))[0]
                raise ValueError(
                    f"it has other features than the model ({odd!r} is in one of the two only); "
                    "make the Learner of the table that is explored, or of others with its columns."
                )
            if _labels(theirs) != _labels(ours):
                raise ValueError(
                    "it has other classes than the model; make the Learner of the same target."
                )


def _labels(explainer: Explainer) -> list[object] | None:
    return None if explainer.classes is None else explainer.classes.tolist()


def _curve_requests(grid: Grid, measure: str) -> Requests:
    def requests(explainer: Explainer) -> list[Request]:
        column = (explainer.table.index(grid.feature),)
        points = [Constant(column, (value,)) for value in grid.points]
        return explainer.evaluations.requests(points, explainer.measure(measure))

    return requests
