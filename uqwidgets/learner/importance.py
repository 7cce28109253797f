"""Importance for a learner, by permutation (PFI) and by refits without a feature (LOCO).

Both are means over refits of the importance in the rows that each refit held out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets._utils.choices import one_of
from uqwidgets.evaluation.cache import Cache
from uqwidgets.evaluation.progress import FitProgress, ProgressCallback
from uqwidgets.importance.remarks import remarks_on_repeats
from uqwidgets.importance.result import Importance
from uqwidgets.importance.settings import COMPARISONS
from uqwidgets.learner.averaging import Averaging, weights_of_held_out
from uqwidgets.learner.interval_choice import ResultKind, depends_on_target
from uqwidgets.learner.loco_importance.fits import (
    OfFit,
    Split,
    clone_with_seed,
    predictions_without,
)
from uqwidgets.learner.loco_importance.losses import importance_without
from uqwidgets.learner.refits import Refit, Refits
from uqwidgets.metrics import find_metric, is_metric
from uqwidgets.plotting.text import counted

# The interval of a learner is computed without those of its refits, which have fewer rows.
_ON_INTERVALS_OF_REFITS = ("few-repeats", "no-interval")


def learner_importance(
    averaging: Averaging, sample_weight: npt.ArrayLike | None, **options: Any
) -> Importance:
    r"""Learner-PFI of any measure and replacement (Molnar et al. 2023, eq. 8, over held-out rows).

    With :math:`L_d` the loss of refit d, :math:`B_{-d}` the rows that it held out and
    :math:`\tilde x` a row whose feature is permuted,

    .. math:: \overline{PFI} = \frac1m \sum_{d=1}^m \frac{1}{|B_{-d}|} \sum_{i \in B_{-d}}
              \left[ L_d(y^{(i)}, \tilde x^{(i)}) - L_d(y^{(i)}, x^{(i)}) \right].

    Parameters
    ----------
    averaging : Averaging
    sample_weight : array-like of shape (n,), optional
    **options
        Of `Explainer.importance`.
    """
    explainer = averaging.refits[0].explainer
    names, measure = explainer.table.named_features(options["features"]), options["measure"]
    kind: ResultKind = "importance by a measure without the target"
    if is_metric(measure):
        kind = "importance by a metric"
    elif one_of(COMPARISONS, options["compare"], "comparison") == "ratio":
        kind = "importance as a ratio"
    elif depends_on_target(explainer.measure(measure), explainer):
        kind = "importance by a loss"
    averaging.interval_name(kind)  # raises here rather than after all model calls
    results = [
        refit.explainer.importance(sample_weight=weights, **options)
        for refit, weights in zip(
            averaging.refits, weights_of_held_out(averaging, sample_weight), strict=True
        )
    ]
    plan = averaging.plan
    rows = str(plan.group_count() or counted(plan.n, "row"))
    few = remarks_on_repeats(options["n_repeats"], plan.n_units, rows)
    averaging = replace(averaging, remarks=(*averaging.remarks, *few))
    return _averaged(averaging, results, names, kind)


class LeaveOneOut:
    """Predictions of refits that were fitted again without a feature, made when first needed.

    They are cached while they fit in memory. Otherwise another measure needs the fits again.

    Parameters
    ----------
    refits : Refits
    """

    def __init__(self, refits: Refits) -> None:
        self._refits = refits
        self._cache: Cache[OfFit] = Cache(refits.memory_limit * 2 // 5)

    def importance(
        self,
        averaging: Averaging,
        measure: Any,
        names: Sequence[str],
        compare: str,
        n_jobs: int | None,
        callback: ProgressCallback | None,
    ) -> Importance:
        """Mean over refits of the change of the measure when each feature is left out of the fit.

        Parameters
        ----------
        averaging : Averaging
        measure : str, function or scorer
        names : sequence of str, length p
            Features or groups.
        compare : {"difference", "ratio"}
        n_jobs : int, optional
        callback : callable, optional
            Called after every fit.

        Raises
        ------
        ModelError
            If a fit or the adapter fails; the sentence names the feature that was left out.
        """
        compare = one_of(COMPARISONS, compare, "comparison")
        # Taken out of the cache first, because further predictions may evict them.
        known = {
            refit.number: {
                name: prediction
                for name in names
                if (prediction := self._cache.get((refit.number, name))) is not None
            }
            for refit in averaging.refits
        }
        n_fits = len(known) * len(names) - sum(map(len, known.values()))
        steps = FitProgress(n_fits, self._refits.plan.n, callback)
        results = []
        for refit in averaging.refits:
            predictions = known.pop(refit.number)
            missing = [name for name in names if name not in predictions]
            predictions |= self._fit_without(refit, missing, n_jobs, steps)
            in_order = [predictions[name] for name in names]
            results.append(self._of_refit(refit, averaging, measure, names, compare, in_order))
            del predictions, in_order  # otherwise they stay in memory while the next are made
        return _averaged(averaging, results, names, "importance by leaving features out")

    def _fit_without(
        self, refit: Refit, names: Sequence[str], n_jobs: int | None, steps: FitProgress
    ) -> dict[str, OfFit]:
        if not names:
            return {}
        X, y, rows = self._refits.X, self._refits.y, refit.rows
        split = replace(
            Split.of(X.rows(rows.train), y[rows.train], X.rows(rows.held_out), y[rows.held_out]),
            fit_params={name: v[rows.train] for name, v in self._refits.fit_params.items()},
        )
        predictions = predictions_without(
            clone_with_seed(self._refits.estimator, refit.seed),
            split,
            self._refits.adapter,
            split.positions(refit.explainer.table, names),
            n_jobs,
            "name other features",
        )
        new = {}
        for name, prediction in zip(names, predictions, strict=True):
            self._cache.keep((refit.number, name), prediction)
            new[name] = prediction
            steps.step()
        return new

    def _of_refit(
        self,
        refit: Refit,
        averaging: Averaging,
        measure: Any,
        names: Sequence[str],
        compare: str,
        fits: Sequence[OfFit],
    ) -> Importance:
        explainer = refit.explainer
        is_scored = is_metric(measure)
        return importance_without(
            find_metric(measure, explainer.classes) if is_scored else explainer.measure(measure),
            explainer.evaluations,
            fits,
            names,
            explainer.table.population(),
            compare=compare,
            replacement="refit",
            level=averaging.level,
            seed=refit.seed,
        )


def _averaged(
    averaging: Averaging, results: Sequence[Importance], names: Sequence[str], kind: ResultKind
) -> Importance:
    """Average the importances of all refits, most important feature first.

    Parameters
    ----------
    averaging : Averaging
    results : sequence of Importance, length m
        Of the same features, in any order.
    names : sequence of str, length p
        Features in the order of the table, which decides between equal importances.
    kind : str
        Kind of importance.
    """
    positions = [[result.features.index(name) for name in names] for result in results]

    def in_table_order(attribute: str) -> list[Floats]:
        pairs = zip(results, positions, strict=True)
        return [getattr(result, attribute)[at] for result, at in pairs]

    estimates = np.array(in_table_order("importance"))
    held_out_values = [values.T for values in in_table_order("per_row")]
    interval = averaging.interval(estimates, held_out_values, kind)
    order = np.argsort(-interval.estimate, kind="stable")
    return replace(
        results[0],
        features=tuple(names[j] for j in order),
        importance=interval.estimate[order],
        std_error=interval.std_error[order],
        low=interval.low[order],
        high=interval.high[order],
        per_row=averaging.over_refits(held_out_values).T[order],
        repeats=np.mean(in_table_order("repeats"), axis=0)[order],
        baseline=float(np.mean([result.baseline for result in results])),
        interval=averaging.interval_name(kind),
        level=averaging.level,
        seed=averaging.plan.seed,
        rows=None,
        ess=float(np.mean([result.ess for result in results])),
        groups=averaging.plan.group_count([r.groups.ess for r in results if r.groups]),
        subgroups=None,
        remarks=averaging.remarks_on(
            kind,
            [
                tuple(r for r in result.remarks if r.code not in _ON_INTERVALS_OF_REFITS)
                for result in results
            ],
        ),
        per_refit=estimates[:, order].T,
    )
