"""Importance for a metric, which is no mean over rows: the loss of score."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from uqwidgets._typing import Floats, Positions
from uqwidgets.evaluation.distinct import distinct_rows
from uqwidgets.evaluation.evaluations import Evaluations
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.importance.permutation import (
    build_result,
    provenance,
    subgroups_frame,
)
from uqwidgets.importance.remarks import (
    remarks_on_open_ends,
)
from uqwidgets.importance.result import Importance
from uqwidgets.importance.settings import OVER_REPEATS, Settings
from uqwidgets.inference import (
    Bounds,
    Change,
    balanced,
    bounds,
    covariance_without_groups,
    every_pair,
    fieller,
    jackknife_groups,
    over_baseline,
    symmetric,
)
from uqwidgets.inference.population import Population
from uqwidgets.metrics import Metric, ScoreOfWeights, undefined

# Numbers in memory per pair of a row and a donor's value while all pairs are scored together:
# target, prediction and weight, and what scikit-learn makes of them.
_NUMBERS_PER_PAIR = 12
# Weights that are scored together, if one sample has no more.
_MOST_WEIGHTS = 16_000


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
    base = _checked_base(evaluations, metric, features, settings)
    if ratio:
        metric.check_ratio(base(population.scored), "scored")
    samples = _Samples(population, settings)
    repeats, intervals = [], []
    for feature in features:
        replaced = _replaced(evaluations, metric, feature, settings, callback)
        losses = _losses(base, replaced, samples)
        repeats.append(losses[0])
        intervals.append(_bounds(losses, base, samples, population, settings))
    missing = sum(bool(np.isnan(interval.estimate)) for interval in intervals)
    return build_result(
        features,
        intervals,
        np.full((len(features), len(population.positions)), np.nan),
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


def metric_differences(
    sides: Sequence[tuple[Evaluations, Metric, Population]],
    features: Sequence[str],
    settings: Settings,
    callback: ProgressCallback | None = None,
) -> Iterator[tuple[Bounds, Floats]]:
    """Yield the importance for a metric of one side minus that of the other, and its repeats.

    Both sides have the same donors and leave out the same groups of rows, so that the jackknife
    (see `metric_importance`) is one of the difference.

    Parameters
    ----------
    sides : sequence of two (Evaluations, Metric, Population)
        Two models of the same rows, or two groups of rows of one model.
    features, settings, callback
        As in `metric_importance`; of ratios, the difference of the ratios.
    """
    bases = [_checked_base(each, metric, features, settings) for each, metric, _ in sides]
    samples = [_Samples(population, settings) for *_, population in sides]
    before: list[Any] = [1.0, 1.0]
    if settings.compare == "ratio":
        for (_, metric, population), base in zip(sides, bases, strict=True):
            metric.check_ratio(base(population.scored), "scored")
        # Each sample of the jackknife has a mean before the replacement of its own.
        before = [
            np.array([[-base(s)] for _, s in of_side])
            for base, of_side in zip(bases, samples, strict=True)
        ]
    as_difference = replace(settings, compare="difference")
    for feature in features:
        own, other = (
            _losses(base, _replaced(each, metric, feature, settings, callback), of_side) / mean
            for (each, metric, _), base, of_side, mean in zip(
                sides, bases, samples, before, strict=True
            )
        )
        losses = own - other
        yield _bounds(losses, bases[0], samples[0], sides[0][-1], as_difference), losses[0]


def _checked_base(
    evaluations: Evaluations, metric: Metric, features: Sequence[str], settings: Settings
) -> ScoreOfWeights:
    """Return the score of the rows as they are under weights, if it can be computed."""
    if settings.interval == "random-variable":
        raise ValueError(
            f"{metric.name} has no value for a single pair of rows, which "
            "interval='random-variable' needs; use 'u-statistic'."
        )
    evaluations.table.require_target(metric.name)
    if settings.n_repeats == "all":
        _check_memory(evaluations, metric, features)
    return metric.on(evaluations.original_for(metric), evaluations.truth)


@dataclass(frozen=True, eq=False)
class _Replaced:
    """Score of some replacements under weights, each of shape (n,), of donors and scored rows.

    ``pair_weights`` gives the weight of every scored prediction, in lines of n rows.
    """

    score: ScoreOfWeights
    pair_weights: Callable[[Floats, Floats], Floats]


class _Samples:
    """Weights of donors and of scored rows: of all rows, and for a jackknife without each group."""

    def __init__(self, population: Population, settings: Settings) -> None:
        self._w, self._s = population.weights, population.scored
        self._leaves_out_donors = settings.interval == "u-statistic"
        self._groups = None
        if settings.interval not in OVER_REPEATS:
            self._groups = jackknife_groups(len(self._w), settings.seed)

    def __iter__(self) -> Iterator[tuple[Floats, Floats]]:
        yield self._w, self._s
        if self._groups is None:
            return
        for group in range(int(self._groups.max()) + 1):
            mask = self._groups != group
            yield (self._w * mask if self._leaves_out_donors else self._w), self._s * mask


def _losses(base: ScoreOfWeights, replaced: Iterable[_Replaced], samples: _Samples) -> Floats:
    """Score of the rows as they are minus that of each replacement, shape (samples, replacements).

    The same pair weights act on both scores, so a feature that the model ignores loses exactly
    nothing. One replacement is in memory at a time, and scored in every sample.
    """
    losses = []
    for part in replaced:
        of_part = []
        for weights in _blocks(part.pair_weights(w, s) for w, s in samples):
            after = part.score.of_each(weights.reshape(len(weights), -1))
            of_part.append(base.of_each(weights.sum(axis=1)) - after)
        losses.append(np.concatenate(of_part))
        del part  # otherwise it stays in memory while the next is made
    return np.ascontiguousarray(np.array(losses).T)


def _blocks(pair_weights: Iterable[Floats]) -> Iterator[Floats]:
    """Yield the pair weights of samples together, as many as fit in the processor's cache."""
    block: list[Floats] = []
    for weights in pair_weights:
        block.append(weights)
        if len(block) * weights.size >= _MOST_WEIGHTS:
            yield np.stack(block)
            block = []
    if block:
        yield np.stack(block)


def _bounds(
    losses: Floats,
    base: ScoreOfWeights,
    samples: _Samples,
    population: Population,
    settings: Settings,
) -> Bounds:
    repeats = losses[0]
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
        interval = bounds(change, settings.interval, settings.level, population, settings.reference)
        return over_baseline(interval, before) if ratio else interval
    baselines = [-base(s) if ratio else 0.0 for _, s in samples]
    replicates = np.column_stack([losses.mean(axis=1), baselines])[1:]
    covariance, freedom = covariance_without_groups(replicates)
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
) -> Iterator[_Replaced]:
    """Yield the score of each repeat's replacement; with every row as a donor, one of them all."""
    columns = evaluations.table.columns_of(feature)
    replacements: list[Any] = settings.draws.replacements(evaluations.table, columns)
    distributions = evaluations.distributions(replacements, metric, callback)
    subgroups = evaluations.subgroups(columns, settings.replacement).codes
    truth = evaluations.truth
    if settings.n_repeats == "all":
        _, codes = distinct_rows(evaluations.table, columns)
        score = metric.on_all(distributions, truth)
        yield _Replaced(score, lambda w, s: every_pair(w, s, codes, subgroups))
        return
    all_donors = evaluations.donors_in_turn(replacements)
    for distribution, donors in zip(distributions, all_donors, strict=True):
        yield _Replaced(metric.on(distribution, truth), _pair_weights(donors, subgroups))
        del distribution, donors  # otherwise they stay in memory while the next are made


def _check_memory(evaluations: Evaluations, metric: Metric, features: Sequence[str]) -> None:
    """Raise an error if the scores of all pairs of a row and a donor's value need too much memory.

    A metric is no mean over pairs, so it needs the predictions of all of them at once.
    """
    for feature in features:
        columns = evaluations.table.columns_of(feature)
        n_values = len(distinct_rows(evaluations.table, columns)[0])
        nbytes = _NUMBERS_PER_PAIR * 8 * n_values * len(evaluations.table)
        if nbytes > evaluations.memory_limit:
            raise ValueError(
                f"{metric.name} over every donor of {feature!r} needs the predictions of "
                f"{n_values:,} values in {len(evaluations.table):,} rows at once; give a number of "
                f"n_repeats, or memory_limit='{math.ceil(nbytes / 1e6)}MB'."
            )


def _pair_weights(donors: Positions, subgroups: Positions) -> Callable[[Floats, Floats], Floats]:
    def pair_weights(w: Floats, s: Floats) -> Floats:
        if subgroups.any():
            s = balanced(s, w[donors], subgroups)
        return np.asarray(s * w[donors])[None]

    return pair_weights
