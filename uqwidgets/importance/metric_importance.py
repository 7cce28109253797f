"""Importance for a metric, which is no mean over rows: the loss of score."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.evaluation.evaluations import Evaluations
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.importance.metric_losses import JackknifeWeights, MetricLosses, PopulationScores
from uqwidgets.importance.permutation import (
    Estimates,
    build_result,
    provenance,
    subgroups_frame,
)
from uqwidgets.importance.remarks import (
    remarks_on_many,
    remarks_on_open_ends,
    remarks_on_repeats_of,
)
from uqwidgets.importance.result import Importance
from uqwidgets.importance.settings import OVER_REPEATS, Settings
from uqwidgets.inference import (
    Bounds,
    Change,
    Moments,
    bounds,
    covariance_without_groups,
    fieller,
    interval_moments,
    over_baseline,
    symmetric,
)
from uqwidgets.inference.population import Population
from uqwidgets.metrics import Metric, ScoreOfWeights, undefined


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
    (`uqwidgets.inference.jackknife_groups`). Groups of rows are left out as scored rows and as
    donors for ``u-statistic``, as scored rows alone for ``model``. For ``u-statistic`` each pair of
    a row and its donor falls in two groups, so the jackknife counts the Monte Carlo variance of the
    draws twice; the variance of the mean over repeats is subtracted once.

    Where other weights take another call of the scorer's function, such as one of the user, the
    pairs of each group are scored alone instead of left out, in half of the repeats.

    Parameters
    ----------
    evaluations : Evaluations
    metric : Metric
    features : sequence of str, length p
        Features, or groups of them that move together.
    population : Population
    settings : Settings
    callback : callable, optional
        See `Evaluations.evaluate_all`.

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
    scores = PopulationScores(evaluations, metric, population, features, settings)
    base, samples = scores.base, scores.samples()
    if ratio:
        metric.check_ratio(base(population.scored), "scored")
    estimates = Estimates(settings)
    for feature in features:
        losses = scores.losses(feature, samples, callback)
        repeats = 1 - losses.of_repeats / base(population.scored) if ratio else losses.of_repeats
        interval = _interval(losses, base, samples, population, settings)
        estimates.add_interval(*interval, repeats)
    intervals = estimates.intervals()
    missing = sum(bool(np.isnan(interval.estimate)) for interval in intervals)
    return build_result(
        features,
        intervals,
        np.full((len(features), len(population.positions)), np.nan),
        estimates.repeats,
        measure=metric.name,
        label=metric.loss_label if ratio else f"loss of {metric.label}",
        unit="times" if ratio else metric.unit,
        baseline=-base(population.scored) if ratio else base(population.scored),
        subgroups=subgroups_frame(evaluations, features, settings),
        remarks=((undefined(metric.label, missing, len(features), "features"),) if missing else ())
        + remarks_on_repeats_of(population, settings)
        + remarks_on_open_ends(intervals)
        + remarks_on_many(intervals, settings)
        + evaluations.remarks,
        **estimates.together,
        **provenance(settings, population),
    )


def metric_differences(
    sides: Sequence[tuple[Evaluations, Metric, Population]],
    features: Sequence[str],
    settings: Settings,
    callback: ProgressCallback | None = None,
) -> Iterator[tuple[Callable[[float], Bounds], Moments, Floats | None, Floats]]:
    """Yield the importance for a metric of one side minus that of the other.

    In the parts that `Estimates.add_interval` takes.

    Both sides have the same donors and leave out the same groups of rows, so that the jackknife
    (see `metric_importance`) is one of the difference.

    Parameters
    ----------
    sides : sequence of two (Evaluations, Metric, Population)
        Two models of the same rows, or two groups of rows of one model.
    features, settings, callback
        As in `metric_importance`; of ratios, the difference of the ratios.
    """
    both = [
        PopulationScores(evaluations, metric, population, features, settings)
        for evaluations, metric, population in sides
    ]
    is_quick = all(scores.base.is_quick for scores in both)
    samples = [scores.samples(is_quick=is_quick) for scores in both]
    before: list[Any] = [np.ones(1 + samples[0].n_groups)] * 2
    if settings.compare == "ratio":
        for (_, metric, population), scores in zip(sides, both, strict=True):
            metric.check_ratio(scores.base(population.scored), "scored")
        # Each sample of the jackknife has a mean before the replacement of its own.
        before = [
            np.array([-scores.base(s) for _, s in of_side])
            for scores, of_side in zip(both, samples, strict=True)
        ]
    as_difference = replace(settings, compare="difference")
    for feature in features:
        own, other = (
            scores.losses(feature, of_side, callback)
            for scores, of_side in zip(both, samples, strict=True)
        )
        losses = MetricLosses(
            own.of_repeats / before[0][0] - other.of_repeats / before[1][0],
            own.without_groups / before[0][1:] - other.without_groups / before[1][1:],
            own.excess,
        )
        base, population = both[0].base, sides[0][-1]
        interval = _interval(losses, base, samples[0], population, as_difference)
        yield *interval, losses.of_repeats


def _interval(
    losses: MetricLosses,
    base: ScoreOfWeights,
    samples: JackknifeWeights,
    population: Population,
    settings: Settings,
) -> tuple[Callable[[float], Bounds], Moments, Floats | None]:
    """Return an interval as a function of its level, its moments, and the influences of groups."""
    repeats = losses.of_repeats
    estimate = float(repeats.mean())
    ratio = settings.compare == "ratio"
    before = -base(population.scored) if ratio else np.nan
    if settings.interval in OVER_REPEATS:
        change = replace(
            Change.of_nothing(len(population.weights), 0),
            estimate=estimate,
            repeats=repeats,
            totals=np.ones(len(repeats)),
        )
        moments = interval_moments(change, settings.interval, population)

        def over_repeats(level: float) -> Bounds:
            interval = bounds(change, settings.interval, level, population, settings.reference)
            return over_baseline(interval, before) if ratio else interval

        return over_repeats, moments, None
    baselines = [-base(s) if ratio else 0.0 for _, s in samples][1:]
    replicates = np.column_stack([losses.without_groups, baselines])
    covariance, freedom = covariance_without_groups(replicates)
    spread = float(repeats.var(ddof=1)) if len(repeats) > 1 else 0.0
    least = spread / len(repeats) if settings.interval == "u-statistic" else 0.0

    def error_of_contrast(times: float) -> float:
        """Error of the loss after the replacement minus so many times the loss before."""
        contrast = np.array([1.0, 1.0 - times])
        counted = float(contrast @ covariance @ contrast)
        return math.sqrt(max(counted - losses.excess * spread, least))

    def of_groups(level: float) -> Bounds:
        def bounds_of_contrast(times: float) -> Bounds:
            value = estimate - (times - 1) * before if ratio else estimate
            error = error_of_contrast(times)
            return symmetric(value, error, freedom, level, settings.reference)

        if ratio:
            return fieller(bounds_of_contrast, 1 + estimate / before, before)
        return bounds_of_contrast(1.0)

    influences = replicates - replicates.mean(axis=0)
    relative = estimate / before if ratio else 0.0
    moments = Moments.symmetric(estimate, error_of_contrast(1.0), freedom)
    return of_groups, moments, influences[:, 0] - relative * influences[:, 1]
