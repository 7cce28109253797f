"""Losses of a metric's score: of each repeat of a replacement, and without each group of rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from uqwidgets._typing import Floats, Positions
from uqwidgets.evaluation.distinct import distinct_rows
from uqwidgets.evaluation.evaluations import Evaluations
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.importance.settings import OVER_REPEATS, Settings
from uqwidgets.inference import balanced, every_pair, jackknife_groups
from uqwidgets.inference.population import Population
from uqwidgets.metrics import Metric, ScoreOfWeights
from uqwidgets.predictive.distributions import Distribution

# Numbers in memory per pair of a row and a donor's value while all pairs are scored together:
# target, prediction and weight, and what scikit-learn makes of them.
_NUMBERS_PER_PAIR = 12
# Weights that are scored together, if one sample has no more.
_MOST_WEIGHTS = 16_000
# Groups of rows of the jackknife.
_GROUPS = 20
# Least and greatest number where each takes two calls of the scorer's function: as many as repeats,
# so that the calls are three for each repeat. With ten groups, the interval is 8 % wider, because
# the 97.5 % quantile of t is 2.26 for 9 degrees of freedom and 2.09 for 19.
_FEW_GROUPS = (5, 10)
# With fewer rows on average, a group is too large a part of the rows for a linear approximation.
_LEAST_ROWS_OF_GROUP = 4


class MetricLosses(NamedTuple):
    """Losses of score.

    Attributes
    ----------
    of_repeats : ndarray of shape (repeats,)
    without_groups : ndarray of shape (groups,)
        Mean over repeats without each group of rows.
    excess : float
        How much Monte Carlo variance the jackknife counts too much, relative to that of a repeat.
    """

    of_repeats: Floats
    without_groups: Floats
    excess: float


@dataclass(frozen=True, eq=False)
class _Replaced:
    """Score of a replacement under weights of donors and of scored rows, each of shape (n,).

    Attributes
    ----------
    score : ScoreOfWeights
    pair_weights : callable
        From weights of donors and of scored rows to those of the predictions, in lines of n rows.
    repeat : tuple of (Distribution, ndarray of shape (n,)) or None
        Predictions and donors of one repeat; None for every row as a donor.
    """

    score: ScoreOfWeights
    pair_weights: Callable[[Floats, Floats], Floats]
    repeat: tuple[Distribution, Positions] | None = None


class JackknifeWeights:
    """Weights of donors and of scored rows: of all rows, and for a jackknife without each group."""

    def __init__(self, population: Population, settings: Settings, groups: int) -> None:
        self.donors, self.scored = population.weights, population.scored
        self.leaves_out_donors = settings.interval == "u-statistic"
        self.groups, self.n_groups = np.zeros(0, dtype=np.intp), 0
        if settings.interval not in OVER_REPEATS:
            n, units = len(self.donors), population.groups
            self.groups = jackknife_groups(n, settings.seed, groups, units)
            self.n_groups = int(self.groups.max()) + 1

    def __iter__(self) -> Iterator[tuple[Floats, Floats]]:
        yield self.donors, self.scored
        for group in range(self.n_groups):
            mask = self.groups != group
            donors = self.donors * mask if self.leaves_out_donors else self.donors
            yield donors, self.scored * mask

    def excess(self, n_scored: int, n_repeats: int) -> float:
        """Return `MetricLosses.excess` of groups that are scored in so many of the repeats."""
        # Where donors are left out too, each pair falls in two groups.
        return (2 if self.leaves_out_donors else 1) / n_scored - 1 / n_repeats


class PopulationScores:
    """The scores of a model in a population, with its rows as they are and with replaced values.

    Parameters
    ----------
    evaluations, metric, population, features, settings
        See `metric_importance`, which also says what is raised.
    """

    def __init__(
        self,
        evaluations: Evaluations,
        metric: Metric,
        population: Population,
        features: Sequence[str],
        settings: Settings,
    ) -> None:
        if settings.interval == "random-variable":
            raise ValueError(
                f"{metric.name} has no value for a single pair of rows, which "
                "interval='random-variable' needs; use 'u-statistic'."
            )
        evaluations.table.require_target(metric.name)
        if settings.n_repeats == "all":
            _check_memory(evaluations, metric, features)
        self._evaluations, self._metric, self._settings = evaluations, metric, settings
        self._population = population
        #: Score of the rows as they are.
        self.base = metric.on(evaluations.original_for(metric), evaluations.truth)

    def samples(self, *, is_quick: bool | None = None) -> JackknifeWeights:
        """Return the samples of the jackknife, fewer where a scorer's function is called."""
        groups, (least, most) = _GROUPS, _FEW_GROUPS
        if not (self.base.is_quick if is_quick is None else is_quick):
            n_repeats = self._settings.n_repeats
            groups = most if n_repeats == "all" else max(least, min(int(n_repeats), most))
        return JackknifeWeights(self._population, self._settings, groups)

    def losses(
        self, feature: str, samples: JackknifeWeights, callback: ProgressCallback | None
    ) -> MetricLosses:
        """Return the score of the rows as they are minus that of each replacement.

        The same pair weights act on both scores, so a feature that the model ignores loses exactly
        nothing. One replacement is in memory at a time, and scored in every sample.
        """
        columns = self._evaluations.table.columns_of(feature)
        subgroups = self._evaluations.subgroups(columns, self._settings.replacement).codes
        is_large = len(samples.groups) >= _LEAST_ROWS_OF_GROUP * samples.n_groups > 0
        if is_large and not subgroups.any() and not np.isnan(self._growth):
            of_parts = self._by_parts(self._replaced(columns, subgroups, callback), samples)
            if of_parts is not None:
                return of_parts
        losses = []
        for part in self._replaced(columns, subgroups, callback):
            losses.append(
                _lost(self.base, part.score, (part.pair_weights(w, s) for w, s in samples))
            )
            del part  # otherwise it stays in memory while the next is made
        each = np.array(losses)
        return MetricLosses(
            each[:, 0], each[:, 1:].mean(axis=0), samples.excess(len(each), len(each))
        )

    def _replaced(
        self, columns: tuple[int, ...], subgroups: Positions, callback: ProgressCallback | None
    ) -> Iterator[_Replaced]:
        """Yield the score of each repeat, or that of every row as a donor."""
        evaluations, metric, settings = self._evaluations, self._metric, self._settings
        replacements: list[Any] = settings.draws.replacements(evaluations.table, columns)
        distributions = evaluations.distributions(replacements, metric, callback)
        truth = evaluations.truth
        if settings.n_repeats == "all":
            _, codes = distinct_rows(evaluations.table, columns)
            score = metric.on_all(distributions, truth)
            yield _Replaced(score, lambda w, s: every_pair(w, s, codes, subgroups))
            return
        all_donors = evaluations.donors_in_turn(replacements)
        for repeat in zip(distributions, all_donors, strict=True):
            distribution, donors = repeat
            weights = partial(_pair_weights, donors, subgroups)
            yield _Replaced(metric.on(distribution, truth), weights, repeat)
            del repeat, distribution, donors  # otherwise they stay in memory with the next ones

    @cached_property
    def _growth(self) -> float:
        """How the score of two copies of some rows relates to that of one: 1, or 2 for a total.

        It is NaN where scores of parts tell nothing about the whole, or are not needed.
        """
        if self.base.is_quick or self._settings.n_repeats == "all":
            return math.nan
        # Half of the predictions belong to other rows, because the score may be 0 if none does, or
        # if all do.
        q = self._evaluations.original_for(self._metric)
        truth = self._evaluations.truth.copy()
        half = np.random.default_rng(0).permutation(len(truth))[: len(truth) // 2]
        truth[half] = truth[np.roll(half, 1)]
        s = self._population.scored
        one, two = (self._metric.on_all([q] * copies, truth) for copies in (1, 2))
        with np.errstate(all="ignore"):
            growth = float(np.divide(two(np.tile(s, 2)), one(s)))
        # Corrections such as n - 1 for n, and numbers of pairs of rows, change little.
        return growth if np.isclose(growth, [1, 2], rtol=0.05).any() else math.nan

    def _by_parts(
        self, replaced: Iterable[_Replaced], samples: JackknifeWeights
    ) -> MetricLosses | None:
        r"""Return `losses` with two calls of the scorer's function for each group of few rows.

        A part has the pairs whose scored row is in the group g and those whose donor is. With
        :math:`w_g` their share of the weight of all pairs, the score without the group is, to first
        order in this share, :math:`\theta - w_g (\theta_g - \theta)`. It responds to rows as the
        mean over repeats does, because the donors of all repeats are drawn alike. Where donors are
        never left out, the pairs of the same donors are in every part, so that no part is small.

        None if a part has no score, as where it lacks a class.
        """
        of_repeats: list[float] = []
        parts: list[tuple[Distribution, Positions, Floats]] = []
        n_repeats, n = self._settings.n_repeats, len(samples.donors)
        assert isinstance(n_repeats, int)
        most = self._evaluations.memory_limit // (2 * _NUMBERS_PER_PAIR * 8 * n)
        # With fewer, more Monte Carlo variance is subtracted, and the degrees of freedom are too
        # many: if its part in a repeat equals that of the rows, intervals of ten repeats cover .93
        # with five of them, .91 with three and .88 with two.
        most = max(1, min((n_repeats + 1) // 2, most))
        for part in replaced:
            weights = part.pair_weights(samples.donors, samples.scored)
            of_repeats.append(_lost(self.base, part.score, [weights])[0])
            if len(parts) < most and part.repeat is not None:
                parts.append((*part.repeat, weights[0]))
            del part  # otherwise it stays in memory while the next is made
        weights = np.concatenate([of_part for *_, of_part in parts])
        of_scored = np.tile(samples.groups, len(parts))
        of_donors = np.concatenate([samples.groups[donors] for _, donors, _ in parts])
        after = self._metric.on_all((q for q, *_ in parts), self._evaluations.truth)
        shares, lost = np.empty((2, samples.n_groups))
        for group in range(samples.n_groups):
            # A pair is there twice if it is one of the scored row and one of the donor.
            same = of_donors == (group if samples.leaves_out_donors else 0)
            pairs = np.concatenate([np.flatnonzero(of_scored == group), np.flatnonzero(same)])
            own = weights[pairs]
            shares[group] = own.sum() / weights.sum()
            try:
                lost[group] = self.base.of_rows(pairs % n, own) - after.of_rows(pairs, own)
            except ValueError:
                return None
        if not np.isfinite(lost).all():
            return None
        if self._growth > 1.5:  # a total, of as many pairs as one repeat has
            lost /= shares * len(parts)
        changes = shares * (lost - np.average(lost, weights=shares))
        changes *= samples.n_groups / (samples.n_groups - 1)
        return MetricLosses(
            np.array(of_repeats),
            np.mean(of_repeats) - changes,
            samples.excess(len(parts), len(of_repeats)),
        )


def _lost(before: ScoreOfWeights, after: ScoreOfWeights, samples: Iterable[Floats]) -> Floats:
    """Return the loss of score for each sample of pair weights, which are lines of rows."""
    losses = []
    for weights in _blocks(samples):
        of_rows = weights.reshape(len(weights), -1, before.n).sum(axis=1)
        losses.append(before.of_each(of_rows) - after.of_each(weights.reshape(len(weights), -1)))
    return np.concatenate(losses) if losses else np.zeros(0)


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


def _pair_weights(donors: Positions, subgroups: Positions, w: Floats, s: Floats) -> Floats:
    if subgroups.any():
        s = balanced(s, w[donors], subgroups)
    return np.asarray(s * w[donors])[None]
