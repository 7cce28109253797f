"""Importance for a learner of what each refit can do without."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from uqwidgets.evaluation.progress import FitProgress, ProgressCallback
from uqwidgets.importance.permutation import build_result
from uqwidgets.importance.result import Importance
from uqwidgets.inference.population import Population
from uqwidgets.learner.averaging import Averaging
from uqwidgets.learner.importance import averaged
from uqwidgets.learner.loco_importance.fits import Split, answers_without, seeded
from uqwidgets.learner.loco_importance.losses import measured, scored
from uqwidgets.learner.refits import Refit, Refits, taken
from uqwidgets.metrics import find_metric, is_metric
from uqwidgets.predictive import Distribution


class LeftOut:
    """Fits of every refit's rows without a feature, made when they are wanted, and kept.

    Parameters
    ----------
    refits : Refits
    """

    def __init__(self, refits: Refits) -> None:
        self._refits = refits
        self._answers: dict[tuple[int, str], Distribution] = {}

    def importance(
        self,
        averaging: Averaging,
        measure: Any,
        units: Sequence[str],
        compare: str,
        n_jobs: int | None,
        callback: ProgressCallback | None,
    ) -> Importance:
        """Mean over refits of what leaving each feature out costs in the rows held out.

        Parameters
        ----------
        averaging : Averaging
        measure : str, function or scorer
        units : sequence of str, length p
        compare : {"difference", "ratio"}
        n_jobs : int, optional
        callback : callable, optional
            Called after every fit.

        Raises
        ------
        ModelError
            If a fit fails, or cannot be read; the sentence says without what.
        """
        waiting = {
            refit.number: [unit for unit in units if (refit.number, unit) not in self._answers]
            for refit in averaging.refits
        }
        steps = FitProgress(sum(map(len, waiting.values())), self._refits.plan.n, callback)
        for refit in averaging.refits:
            self._ask(refit, waiting[refit.number], n_jobs, steps)
        return averaged(
            averaging,
            [
                self._of_refit(refit, averaging, measure, units, compare)
                for refit in averaging.refits
            ],
            units,
            "importance of what is left out",
        )

    def _ask(
        self, refit: Refit, units: Sequence[str], n_jobs: int | None, steps: FitProgress
    ) -> None:
        if not units:
            return
        X, y, rows = self._refits.X, self._refits.y, refit.rows
        parts = (taken(values, of) for of in (rows.train, rows.held_out) for values in (X, y))
        split, table = Split.of(*parts), refit.explainer.table
        places = {str(label): place for place, label in enumerate(split.labels)}
        left_out = {
            unit: [places[table.features[column]] for column in table.columns_of(unit)]
            for unit in units
        }
        procedure = seeded(self._refits.estimator, refit.seed)
        answers = answers_without(
            procedure, split, self._refits.read, left_out, n_jobs, "name other features"
        )
        for unit, answer in zip(units, answers, strict=True):
            self._answers[refit.number, unit] = answer
            steps.step()

    def _of_refit(
        self, refit: Refit, averaging: Averaging, measure: Any, units: Sequence[str], compare: str
    ) -> Importance:
        ex = refit.explainer
        answers = [self._answers[refit.number, unit] for unit in units]
        everyone = Population.of(len(refit.held_out))
        level = averaging.level
        if is_metric(measure):
            metric = find_metric(measure, ex.classes)
            losses = scored(metric, ex.evaluations, answers, everyone, compare, level, refit.seed)
        else:
            losses = measured(
                ex.measure(measure), ex.evaluations, answers, everyone, compare, level
            )
        return build_result(
            units,
            losses.sides,
            list(losses.per_row),
            [np.array([side.estimate]) for side in losses.sides],
            measure=losses.name,
            label=losses.label,
            unit=losses.unit,
            baseline=losses.baseline,
            compare=compare,
            replacement="refit",
            n_repeats=1,
            interval="model",
            level=level,
            reference="t",
            seed=refit.seed,
            rows=None,
            weighted=False,
            ess=float(len(refit.held_out)),
            remarks=losses.remarks,
        )
