"""What each refit makes of rows that it has not seen, as one number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from uqwidgets.importance import original_values
from uqwidgets.learners.refits import Refit
from uqwidgets.metrics import find_metric, is_metric
from uqwidgets.predictive.distributions import Floats


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
    means = [original_values(e.evaluations, e.measure(measure)).mean() for e in explainers]
    return Scores(found.name, found.label, found.unit, np.array(means))
