"""Importance for a learner: the mean over refits of that in the rows held out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets.learners.averaging import Averaging
from uqwidgets.results import Importance


def learner_importance(
    averaging: Averaging, sample_weight: npt.ArrayLike | None, **options: Any
) -> Importance:
    """Learner-PFI (003, eq. 8, over held-out rows), of any measure and replacement.

    Parameters
    ----------
    averaging : Averaging
    sample_weight : array-like of shape (n,), optional
    **options
        Of `Explainer.importance`.
    """
    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    found = []
    for refit in averaging.refits:
        of_rows = None if weights is None else weights[refit.held_out]
        found.append(refit.explainer.importance(sample_weight=of_rows, **options))
    return averaged(averaging, found)


def averaged(averaging: Averaging, found: Sequence[Importance]) -> Importance:
    """Average the importances of all refits, most important first.

    Parameters
    ----------
    averaging : Averaging
    found : sequence of Importance, length m
        Of the same features, in any order.
    """
    units = sorted(found[0].features)
    places = [[result.features.index(unit) for unit in units] for result in found]
    estimates = np.array([r.importance[at] for r, at in zip(found, places, strict=True)])
    of_rows = [r.per_row[at].T for r, at in zip(found, places, strict=True)]
    interval = averaging.interval(estimates, of_rows)
    order = np.argsort(-interval.estimate, kind="stable")
    first = found[0]
    per_row = averaging.over_refits(of_rows)
    repeats = np.mean([r.repeats[at] for r, at in zip(found, places, strict=True)], axis=0)
    return replace(
        first,
        features=tuple(units[j] for j in order),
        importance=interval.estimate[order],
        std_error=interval.std_error[order],
        low=interval.low[order],
        high=interval.high[order],
        per_row=per_row.T[order],
        repeats=repeats[order],
        baseline=float(np.mean([result.baseline for result in found])),
        interval=averaging.how,
        level=averaging.level,
        seed=averaging.seed,
        rows=None,
        ess=float(np.mean([result.ess for result in found])),
        subgroups=None,
        remarks=averaging.remarks + tuple(dict.fromkeys(r for f in found for r in f.remarks)),
        per_refit=estimates[:, order].T,
    )
