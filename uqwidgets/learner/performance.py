"""What each refit makes of rows that it has not seen, as one number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import stdtr

from uqwidgets._typing import Floats
from uqwidgets.learner.averaging import Averaging
from uqwidgets.learner.performance_result import Comparison, Performance
from uqwidgets.learner.refits import Refit
from uqwidgets.metrics import find_metric, is_metric


@dataclass(frozen=True, eq=False)
class Scores:
    """A measure's mean, or a metric, of each refit.

    Attributes
    ----------
    name, label, unit : str
    per_refit : ndarray of shape (m,)
    """

    name: str
    label: str
    unit: str
    per_refit: Floats


def scores_of(refits: Sequence[Refit], measure: Any) -> Scores:
    """Score each refit by a measure, or by a scikit-learn scorer, on the rows it held out."""
    explainers = [refit.explainer for refit in refits]
    first = explainers[0]
    if is_metric(measure):
        metric = find_metric(measure, first.classes)
        values = [metric.score(e.evaluations.original, e.evaluations.truth) for e in explainers]
        return Scores(metric.name, metric.label, metric.unit, np.array(values))
    found = first.measure(measure)
    means = [e.evaluations.original_values(e.measure(measure)).mean() for e in explainers]
    return Scores(found.name, found.label, found.unit, np.array(means))


def learner_performance(averaging: Averaging, measure: Any, name: str) -> Performance:
    """Average what the refits score.

    Parameters
    ----------
    averaging : Averaging
    measure : str, function or scorer
    name : str
        Of the learner.
    """
    scores = scores_of(averaging.refits, measure)
    found = averaging.corrected(scores.per_refit)
    return Performance(
        learner=name,
        measure=scores.name,
        label=scores.label,
        unit=scores.unit,
        mean=float(found.estimate),
        std_error=float(found.std_error),
        low=float(found.low),
        high=float(found.high),
        per_refit=scores.per_refit,
        level=averaging.level,
        correction=averaging.share,
        remarks=averaging.remarks_on("performance"),
    )


def learner_comparison(
    averaging: Averaging, other: Averaging, measure: Any, names: tuple[str, str]
) -> Comparison:
    """Test what the refits of one score minus what those of another do on the same rows.

    Parameters
    ----------
    averaging, other : Averaging
        Over refits of the same resamples, of which those count that both have.
    measure : str, function or scorer
    names : tuple of str
        Of the two learners.
    """
    both = {r.number for r in averaging.refits} & {r.number for r in other.refits}
    paired = replace(averaging, refits=tuple(r for r in averaging.refits if r.number in both))
    scores = scores_of(paired.refits, measure)
    against = scores_of([r for r in other.refits if r.number in both], measure)
    differences = scores.per_refit - against.per_refit
    found = paired.corrected(differences)
    freedom = len(differences) - 1
    statistic = float(found.estimate / found.std_error) if found.std_error else np.nan
    return Comparison(
        learner=names[0],
        other=names[1],
        measure=scores.name,
        label=scores.label,
        unit=scores.unit,
        difference=float(found.estimate),
        std_error=float(found.std_error),
        low=float(found.low),
        high=float(found.high),
        p_value=float(2 * stdtr(freedom, -abs(statistic))),
        per_refit=differences,
        level=paired.level,
        correction=paired.share,
        remarks=tuple(dict.fromkeys([*other.remarks, *averaging.remarks_on("comparisons")])),
    )
