r"""The difference of two importances, of two models or of one in two groups of rows.

With the measures :math:`\ell^A` and :math:`\ell^B` of the two models, the importance of a feature
for the measure :math:`\ell^A - \ell^B` is the difference of its importances, because the same
donors replace the same rows (Wood et al. 2024, eq. 5, is linear in the measure). So the influence
of every row, and of every pair of a row and a donor, is the difference of those of the models, and
the interval is that of one U-statistic (Hoeffding 1948). Errors that both models make in the same
rows cancel in it.

A ratio is the importance for the measure divided by its mean :math:`b` without replacement, plus 1.
So the difference of two ratios is the importance for :math:`\ell^A / b^A - \ell^B / b^B`, and the
influence of every row on it has a part from each mean that is divided by (`ratio_change`).

Two groups of rows, which may overlap, are two statistics of all rows of the table: the rows of the
other group have no weight as scored rows. So every row has an influence on both, and its influence
on the difference is the difference of the two: zero covariance where the groups share nothing, and
the exact one where they share rows, or donors of replaced values, which come from all rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets._utils.remarks import Remark
from uqwidgets.evaluation.evaluations import DifferenceBlock, Differences
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.explainer.comparison.base import Sides
from uqwidgets.explainer.comparison.blocks import minus_blocks
from uqwidgets.importance import (
    Estimates,
    FeatureRanking,
    Settings,
    build_result,
    change_of_differences,
    mean_changes,
    metric_differences,
    metric_importance,
    permutation_importance,
    provenance,
    remarks_on_many,
    remarks_on_pairs,
    remarks_on_weights,
)
from uqwidgets.importance.result import Importance
from uqwidgets.inference import Change, Moments, minus_influence, ratio_change
from uqwidgets.inference.population import Population
from uqwidgets.inference.rounding import difference
from uqwidgets.inference.sums import dot
from uqwidgets.metrics import Metric


def importances(
    sides: Sides,
    title: str,
    features: Sequence[str],
    settings: Settings,
    callback: ProgressCallback | None = None,
) -> tuple[Importance, Importance, Importance]:
    """Return the importance of each side, and of the first minus the second, the largest first.

    Parameters
    ----------
    sides : tuple of two Side
    title : str
        The difference in words.
    features : sequence of str, length p
        Features or groups that both sides have.
    settings : Settings
    callback : callable, optional
        See `Evaluations.evaluate_all`.

    Returns
    -------
    first, second, difference : Importance
        The ``baseline`` of the difference is that of the baselines.
    """
    (_, of, population), (_, _, other) = sides
    remarks: tuple[Remark, ...] = ()
    of_rows = len(features), len(population.positions)
    per_row = None
    # Whatever is compared, zero is no difference.
    of_difference = replace(settings, compare="difference")
    estimates = Estimates(of_difference)

    def of_sides(rank: Callable[..., Importance]) -> Iterator[Importance]:
        return (rank(evals, one, features, rows, settings, callback) for evals, one, rows in sides)

    if isinstance(of, Metric):
        first, second = of_sides(metric_importance)
        for each in metric_differences(sides, features, settings, callback):
            estimates.add_interval(*each)
    elif population is other:
        first, second = of_sides(permutation_importance)
        per_row = np.empty(of_rows)
        for change in _of_models(sides, (first, second), features, settings, callback):
            per_row[len(estimates.pairs)] = change.per_row()[population.positions]
            estimates.add(change, np.empty(0), 1.0, population)
            del change  # otherwise its arrays stay in memory with the next ones
        remarks = remarks_on_pairs(estimates.pairs)
        remarks += remarks_on_weights(of, population, settings)
    else:
        first, second = _of_groups(sides, features, settings, estimates, callback)
    intervals = estimates.intervals()
    result = build_result(
        features,
        intervals,
        np.full(of_rows, np.nan) if per_row is None else per_row,
        estimates.repeats,
        measure=of.name,
        label=f"{first.label}, {title}",
        unit=first.unit,
        baseline=first.baseline - second.baseline,
        remarks=remarks + remarks_on_many(intervals, of_difference),
        **estimates.together,
        **provenance(of_difference, population),
    )
    return first, second, result


def _of_models(
    sides: Sides,
    of_sides: tuple[Importance, Importance],
    features: Sequence[str],
    settings: Settings,
    callback: ProgressCallback | None,
) -> Iterator[Change]:
    """Yield the mean change of the first measure minus that of the second, in the same rows."""
    population = sides[0].population
    is_ratio = settings.compare == "ratio"
    before = [each.baseline if is_ratio else 1.0 for each in of_sides]
    for feature, differences in zip(
        features, _differences(sides, features, settings, before, callback), strict=True
    ):
        change = change_of_differences(differences, population)
        if is_ratio:
            # The values of rows whose mean moves the difference of the ratios like the baselines.
            one, two = (
                (each.importance[each.features.index(feature)] - 1)
                * side.evaluations.original_values(side.of)
                / each.baseline
                for each, side in zip(of_sides, sides, strict=True)
            )
            change = minus_influence(change, one - two, population)
        yield change
        del differences, change  # otherwise they stay in memory while the next are made


def _differences(
    sides: Sides,
    features: Sequence[str],
    settings: Settings,
    baselines: Sequence[float],
    callback: ProgressCallback | None,
) -> Iterator[Differences]:
    """Yield the change of the first measure minus that of the second, by row and donor.

    The donors of a feature depend on its name, the seed and the repeat alone, so that they are the
    same for both models. Memory is used as in `Evaluations.differences`. The measure of each model
    is divided by a baseline.
    """
    before, before_other = baselines
    own, other = (
        evaluations.differences(
            measure,
            [evaluations.table.columns_of(feature) for feature in features],
            settings.draws,
            callback,
        )
        for evaluations, measure, _ in sides
    )
    for one, two in zip(own, other, strict=True):
        blocks = minus_blocks(
            ((b.replacements, b.values / before, b.donors) for b in one.blocks),
            ((b.replacements, b.values / before_other, None) for b in two.blocks),
        )
        yield replace(
            one,
            original=difference(one.original / before, two.original / before_other),
            n_blocks=max(one.n_blocks, two.n_blocks),
            blocks=(DifferenceBlock(*block) for block in blocks),
        )


def _of_groups(
    sides: Sides,
    features: Sequence[str],
    settings: Settings,
    estimates: Estimates,
    callback: ProgressCallback | None,
) -> tuple[Importance, Importance]:
    """Return the importance in both groups of rows, and add its differences to the estimates."""
    rankings = [
        FeatureRanking(evaluations, measure, features, population, settings)
        for evaluations, measure, population in sides
    ]
    of_first, of_second = (
        mean_changes(evaluations, measure, features, population, settings, callback)
        for evaluations, measure, population in sides
    )
    for own in of_first:
        changes: tuple[Change, ...] = (own, next(of_second))
        for ranking, change in zip(rankings, changes, strict=True):
            ranking.add(change)
        if settings.compare == "ratio":
            changes = tuple(
                ratio_change(change, evaluations.original_values(measure), population)
                for change, (evaluations, measure, population) in zip(changes, sides, strict=True)
            )
        populations = sides[0].population, sides[1].population
        moments, influences = _of_changes(changes, populations)
        repeats = changes[0].repeats - changes[1].repeats
        estimates.add_interval(None, moments, influences, repeats)
        del own, change, changes, influences  # otherwise they stay in memory with the next ones
    first, second = (ranking.result() for ranking in rankings)
    return first, second


def _of_changes(
    changes: Sequence[Change], sides: tuple[Population, Population]
) -> tuple[Moments, Floats]:
    r"""Return the moments of the mean change in the first population minus that in the second.

    As in `uqwidgets.inference.bounds` with ``u-statistic``: the sum of the squared influences
    :math:`\psi^A_i - \psi^B_i`, without the noise of the drawn pairs that it contains twice. A pair
    whose scored row belongs to both groups has the same noise in both, so that :math:`(a - b)^2`
    is counted twice of it, where :math:`a^2` and :math:`b^2` are counted twice on the sides.

    Parameters
    ----------
    changes : sequence of two Change
        Over the same pairs of a scored row and a donor.
    sides : tuple of Population

    Returns
    -------
    moments : Moments
        Arrays of shape ().
    influences : ndarray of shape (u,)
        Of every row, or group of rows, on the difference.
    """
    own, other = changes
    estimate = own.estimate - other.estimate
    if math.isnan(estimate):
        nothing = np.full(len(sides[0].units.weights), np.nan)
        return Moments.symmetric(np.nan, np.nan, np.nan), nothing
    n, units = len(own.double_counted), [side.units for side in sides]
    influences, twice = [], []
    for change, side in zip(changes, sides, strict=True):
        influences.append(side.of_units(change.influence_scored + change.influence_donor))
        twice.append(side.of_units(change.double_counted))
    relative = influences[0] - influences[1]
    unit = float(np.abs(relative).max()) or 1.0
    relative = relative / unit
    total = dot(relative, relative) or 1.0
    leverage = [side.leverage**1.5 for side in units]
    spread = [g * psi / unit for g, psi in zip(leverage, influences, strict=True)]
    noise = [
        g * np.sqrt(np.maximum(each, 0)) / unit for g, each in zip(leverage, twice, strict=True)
    ]
    parts = np.square(spread[0] - spread[1]) - np.square(noise[0] - noise[1])
    deviations = parts - parts.mean()
    cubes = dot(np.square(relative), relative)
    cubes -= (own.double_counted_cubes / unit) ** 3 - (other.double_counted_cubes / unit) ** 3
    moments = (
        estimate,
        unit * math.sqrt(total) / n,
        parts.sum() / total,
        math.sqrt(dot(deviations, deviations)) / total,
        cubes / total**1.5,
        ((own.interaction / unit) ** 3 - (other.interaction / unit) ** 3) / total**1.5,
        max(1 / side.ess for side in units),
        max(1 / change.pairs for change in changes),
        min(side.evenness for side in units),
    )
    return Moments(*map(np.asarray, moments)), relative
