"""Importance for a metric, which is no mean over rows: the loss of score."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats, Positions
from uqwidgets.evaluation.distinct import distinct_rows
from uqwidgets.evaluation.evaluations import Evaluations
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.importance.permutation import (
    build_result,
    provenance,
    remarks_on_open_ends,
    subgroups_frame,
)
from uqwidgets.importance.result import Importance
from uqwidgets.importance.settings import Settings
from uqwidgets.inference import (
    Bounds,
    Change,
    balanced,
    bounds,
    every_pair,
    fieller,
    over_baseline,
    symmetric,
    without_groups,
)
from uqwidgets.inference.population import Population
from uqwidgets.metrics import Metric, undefined


def metric_importance(
    evaluations: Evaluations,
    metric: Metric,
    features: Sequence[str],
    population: Population,
    settings: Settings,
    callback: ProgressCallback | None = None,
) -> Importance:
    """Rank features by how much a metric's score falls when their values are replaced.

    A metric has no values of single rows, so its interval comes from a delete-a-group jackknife
    (`uqwidgets.inference.without_groups`). Groups of rows are left out as scored rows and as donors
    for ``u-statistic``, as scored rows alone for ``model``. For ``u-statistic`` each pair of a row
    and its donor falls in two groups, so the jackknife counts the Monte Carlo variance of the draws
    twice; the variance of the mean over repeats is subtracted once.

    Parameters
    ----------
    evaluations : Evaluations
    metric : Metric
    features : sequence of str, length p
        Features, or groups of them that move together.
    population : Population
    settings : Settings
    callback : callable, optional
        See `Evaluations.ask`.

    Returns
    -------
    Importance
        Its ``per_row`` is NaN.

    Raises
    ------
    ValueError
        If the target is not known; if the metric cannot score this model; for an interval over
        pairs; for a ratio of a metric that is no loss, or of rows that lose nothing as they are.
    """
    ratio = settings.compare == "ratio"
    if settings.interval == "random-variable":
        raise ValueError(
            f"{metric.name} has no values of single pairs, which interval='random-variable' is "
            "over; use 'u-statistic'."
        )
    evaluations.table.require_target(metric.name)
    base = metric.on(evaluations.original, evaluations.truth)
    if ratio:
        metric.check_ratio(base(population.scored), "scored")
    repeats, intervals = [], []
    for feature in features:  # one at a time, because each holds all distributions of its repeats
        loss = _Loss(base, _replaced(evaluations, metric, feature, settings, callback))
        repeats.append(loss.repeats(population.weights, population.scored))
        intervals.append(_bounds(loss, repeats[-1], population, settings))
        del loss
    missing = sum(bool(np.isnan(interval.estimate)) for interval in intervals)
    return build_result(
        features,
        intervals,
        [np.full(len(population.positions), np.nan) for _ in features],
        [1 - lost / base(population.scored) for lost in repeats] if ratio else repeats,
        measure=metric.name,
        label=metric.loss_label if ratio else f"loss of {metric.label}",
        unit="times" if ratio else metric.unit,
        baseline=-base(population.scored) if ratio else base(population.scored),
        subgroups=subgroups_frame(evaluations, features, settings),
        remarks=((undefined(metric.label, missing, len(features), "features"),) if missing else ())
        + remarks_on_open_ends(intervals)
        + evaluations.remarks,
        **provenance(settings, population),
    )


@dataclass(frozen=True, eq=False)
class _Replaced:
    """Score of some replacements under weights, each of shape (n,), of donors and scored rows.

    ``pair_weights`` gives the weight of every scored prediction, in lines of n rows.
    """

    score: Callable[[Floats], float]
    pair_weights: Callable[[Floats, Floats], Floats]


@dataclass(frozen=True, eq=False)
class _Loss:
    """Score of the rows as they are minus that of their replacements, under the same weights.

    The same pair weights act on both scores, so a feature that the model ignores loses exactly
    nothing.
    """

    base: Callable[[Floats], float]
    replaced: list[_Replaced]

    def repeats(self, w: Floats, s: Floats) -> Floats:
        losses = []
        for part in self.replaced:
            weights = part.pair_weights(w, s)
            losses.append(self.base(weights.sum(axis=0)) - part.score(weights.ravel()))
        return np.array(losses)


def _bounds(loss: _Loss, repeats: Floats, population: Population, settings: Settings) -> Bounds:
    estimate = float(repeats.mean())
    ratio = settings.compare == "ratio"
    before = -loss.base(population.scored) if ratio else np.nan
    if settings.interval in ("fixed-data", "quantile"):
        drawn = np.empty(0) if settings.n_repeats == "all" else repeats
        change = replace(
            Change.of_nothing(len(population.weights), 0),
            estimate=estimate,
            repeats=drawn,
            totals=np.ones(len(drawn)),
        )
        interval = bounds(change, settings.interval, settings.level, population, settings.reference)
        return over_baseline(interval, before) if ratio else interval
    w, s = population.weights, population.scored

    def estimate_on(mask: npt.NDArray[np.bool_]) -> tuple[float, float]:
        donors = w * mask if settings.interval == "u-statistic" else w
        baseline = -loss.base(s * mask) if ratio else 0.0
        return float(loss.repeats(donors, s * mask).mean()), baseline

    covariance, freedom = without_groups(estimate_on, len(w), settings.seed)
    monte_carlo = 0.0
    if settings.interval == "u-statistic" and len(repeats) > 1:
        monte_carlo = float(repeats.var(ddof=1)) / len(repeats)

    def bounds_of_contrast(times: float) -> Bounds:
        """Bounds of the loss after the replacement minus so many times the loss before."""
        contrast = np.array([1.0, 1.0 - times])
        variance = max(float(contrast @ covariance @ contrast) - monte_carlo, monte_carlo)
        value = estimate - (times - 1) * before if ratio else estimate
        return symmetric(value, math.sqrt(variance), freedom, settings.level, settings.reference)

    if ratio:
        return fieller(bounds_of_contrast, 1 + estimate / before, before)
    return bounds_of_contrast(1.0)


def _replaced(
    evaluations: Evaluations,
    metric: Metric,
    feature: str,
    settings: Settings,
    callback: ProgressCallback | None,
) -> list[_Replaced]:
    """Scores of each repeat's replacement; with every row as a donor, one score of them all."""
    columns = evaluations.table.columns_of(feature)
    replacements = settings.draws.replacements(evaluations.table, columns)
    distributions = evaluations.distributions(replacements, callback)
    subgroups = evaluations.subgroups(columns, settings.replacement).codes
    truth = evaluations.truth
    if settings.n_repeats == "all":
        first, *others = list[Any](distributions)
        _, codes = distinct_rows(evaluations.table, columns)
        score = metric.on(first.joined(others), np.tile(truth, len(replacements)))
        return [_Replaced(score, lambda w, s: every_pair(w, s, codes, subgroups))]
    donors = evaluations.donors(columns, settings.replacement, settings.seed, len(replacements))
    return [
        _Replaced(metric.on(distribution, truth), _pair_weights(of_repeat, subgroups))
        for distribution, of_repeat in zip(distributions, donors, strict=True)
    ]


def _pair_weights(donors: Positions, subgroups: Positions) -> Callable[[Floats, Floats], Floats]:
    def pair_weights(w: Floats, s: Floats) -> Floats:
        if subgroups.any():
            s = balanced(s, w[donors], subgroups)
        return np.asarray(s * w[donors])[None]

    return pair_weights
