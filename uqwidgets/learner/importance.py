"""Importance for a learner: the mean over refits of that in the rows held out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets.importance.result import Importance
from uqwidgets.learner.averaging import Averaging, weights_of_held_out
from uqwidgets.learner.subjects import Subject, looks_at_target
from uqwidgets.metrics import is_metric


def learner_importance(
    averaging: Averaging, sample_weight: npt.ArrayLike | None, **options: Any
) -> Importance:
    """Learner-PFI (Molnar et al. 2023, eq. 8, over held-out rows), of any measure and replacement.

    Parameters
    ----------
    averaging : Averaging
    sample_weight : array-like of shape (n,), optional
    **options
        Of `Explainer.importance`.
    """
    explainer = averaging.refits[0].explainer
    units, measure = explainer.units(options["features"]), options["measure"]
    subject: Subject = "importance by a measure without the target"
    if is_metric(measure):
        subject = "importance by a metric"
    elif options["compare"] == "ratio":
        subject = "importance as a ratio"
    elif looks_at_target(explainer.measure(measure), explainer):
        subject = "importance by a loss"
    averaging.how(subject)  # it speaks up here, not after every refit was asked
    found = [
        refit.explainer.importance(sample_weight=weights, **options)
        for refit, weights in zip(
            averaging.refits, weights_of_held_out(averaging, sample_weight), strict=True
        )
    ]
    return averaged(averaging, found, units, subject)


def averaged(
    averaging: Averaging, found: Sequence[Importance], units: Sequence[str], subject: Subject
) -> Importance:
    """Average the importances of all refits, most important first.

    Parameters
    ----------
    averaging : Averaging
    found : sequence of Importance, length m
        Of the same features, in any order.
    units : sequence of str, length p
        Their order in the table; of equals, the first comes first.
    subject : str
        What importance it is.
    """
    places = [[result.features.index(unit) for unit in units] for result in found]
    estimates = np.array([r.importance[at] for r, at in zip(found, places, strict=True)])
    of_rows = [r.per_row[at].T for r, at in zip(found, places, strict=True)]
    interval = averaging.interval(estimates, of_rows, subject)
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
        interval=averaging.how(subject),
        level=averaging.level,
        seed=averaging.plan.seed,
        rows=None,
        ess=float(np.mean([result.ess for result in found])),
        subgroups=None,
        remarks=averaging.remarks_on(subject, [result.remarks for result in found]),
        per_refit=estimates[:, order].T,
    )
