r"""The difference of an indicator under stress, of two models or of two groups of rows.

An indicator is a function g of weighted means of rows (see `uqwidgets.stress.indicators`). The
difference :math:`g(\bar a) - g(\bar b)` of two models is a function of the means of both, so it is
an indicator itself, whose interval follows from the influences of the same rows on both.

Two groups of rows may overlap, and each has a mean, anchors and weights of its own. With the
estimates :math:`\theta_1, \theta_2` and the ends :math:`l, u` of their intervals, the difference
has the ends

.. math:: \theta_1 - \theta_2 \mp \sqrt{a^2 + b^2 - 2 r a b},

with :math:`a = \theta_1 - l_1, b = u_2 - \theta_2` for the lower end and
:math:`a = u_1 - \theta_1, b = \theta_2 - l_2` for the upper one (Zou and Donner 2008; for
correlated estimates Zou 2007). So the difference keeps the skewness of both intervals. The
correlation r is that of the influences of the rows on both estimates; it is 0 for groups that share
no row.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.inference import Family
from uqwidgets.inference.population import Population
from uqwidgets.inference.sums import dot
from uqwidgets.inference.tested import Ends, LevelOrLevels
from uqwidgets.measures import UNBOUNDED
from uqwidgets.stress.columns import StressedColumn
from uqwidgets.stress.indicators import MEAN, SHARE, Combination, Indicator, MetricIndicator
from uqwidgets.stress.profile import with_intervals
from uqwidgets.stress.result import Stress

_OF_POINTS = ("target", "reached", "ess", "kl", "half_share", "status")
_OF_INDICATORS = ("values", "low", "high")
ColumnPairs = Sequence[tuple[StressedColumn, StressedColumn]]


def indicator_minus(
    first: Indicator | MetricIndicator,
    second: Indicator | MetricIndicator,
    title: str,
    identity: Hashable,
) -> Indicator | MetricIndicator:
    """Return the first indicator minus the second, which is of the same kind.

    Parameters
    ----------
    first, second : Indicator or MetricIndicator
    title : str
        The difference in words.
    identity : hashable
        Of the two models, so that the cached means of one pair are not those of another.
    """
    label = f"{first.label}, {title}"
    if isinstance(first, MetricIndicator):
        assert isinstance(second, MetricIndicator)
        own, other = first.score, second.score
        return MetricIndicator(
            first.name, label, first.unit, lambda weights: own(weights) - other(weights), UNBOUNDED
        )
    assert isinstance(second, Indicator)
    of_first, of_second, k = first.combination, second.combination, len(first.per_row)

    def value(*means: Floats) -> Floats:
        return np.asarray(of_first.value(*means[:k]) - of_second.value(*means[k:]))

    def slopes(*means: Floats) -> tuple[Any, ...]:
        return (*of_first.slopes(*means[:k]), *(-s for s in of_second.slopes(*means[k:])))

    return Indicator(
        first.name,
        label,
        first.unit,
        (*first.per_row, *second.per_row),
        Combination(value, slopes),
        UNBOUNDED,
        ("minus", identity, first.identity, second.identity),
    )


def agreeing_shares(difference: Stress, of_models: Sequence[tuple[Any, Any]]) -> Stress:
    """Give intervals to differences of shares whose outputs differ in no row, or by 1 in every row.

    Their estimated variance is zero, which more rows would not confirm. The end is that of a share
    of zero of the effective rows (Clopper and Pearson 1934). A rate has none, because its
    denominator may have few of these rows.

    Parameters
    ----------
    difference : Stress
        Without intervals, it stays as it is.
    of_models : sequence of (Indicator, Indicator)
        Each indicator of the first and of the second model.
    """
    if difference.ends is None:
        return difference
    names, groups = difference.indicators, difference.effective_groups
    values, low, high = (
        np.stack([of[name] for name in names], axis=1)
        for of in (difference.values, difference.low, difference.high)
    )
    plain = [own if isinstance(own, Indicator) else None for own, _ in of_models]
    is_share = np.array([own is not None and own.bounds == SHARE for own in plain])
    is_mean = np.array([own is not None and own.combination is MEAN for own in plain])
    is_certain = is_share[:, None] & np.isfinite(values) & (low == high)
    sizes = (difference.ess if groups is None else groups)[:, None]
    known = np.where(is_mean[:, None], sizes, np.nan)
    parts = zip(difference.ends, values, is_certain, known, strict=True)
    ends = [partial(_with_reach, *of_feature) for of_feature in parts]
    return with_intervals(difference, ends, difference.pointwise_level)


def _with_reach(
    ends: Ends,
    value: Floats,
    is_certain: npt.NDArray[np.bool_],
    size: Floats,
    level: LevelOrLevels,
) -> tuple[Floats, Floats]:
    """Return the ends of the intervals of a feature (q, t), where certain shares have some."""
    low, high = ends(level)
    reach = 1 - ((1 - level) / 2) ** (1 / size)
    return (
        np.where(is_certain, np.maximum(value - reach, -1.0), low),
        np.where(is_certain, np.minimum(value + reach, 1.0), high),
    )


def only(stress: Stress, features: Sequence[str]) -> Stress:
    """Return the profiles of some features alone, in this order."""
    at = [stress.features.index(feature) for feature in features]
    arrays: dict[str, Any] = {name: getattr(stress, name)[at] for name in _OF_POINTS}
    for name in _OF_INDICATORS:
        arrays[name] = {key: values[at] for key, values in getattr(stress, name).items()}
    if stress.effective_groups is not None:
        arrays["effective_groups"] = stress.effective_groups[at]
    if stress.ends is not None:
        arrays["ends"] = tuple(stress.ends[j] for j in at)
    return replace(stress, features=tuple(features), **arrays)


def stress_difference(
    first: Stress,
    second: Stress,
    title: str,
    correlations: dict[str, Floats],
    pointwise_level: float | None,
) -> Stress:
    """Return the first profile minus the second, with intervals if both have them.

    Parameters
    ----------
    first, second : Stress
        Of the same features, indicators and levels of tau.
    title : str
        The difference in words.
    correlations : dict of str to ndarray of shape (p, t)
        Of both estimates, by the name of the indicator.
    pointwise_level : float or None
        See `Stress`.
    """
    difference = replace(
        first,
        ess=np.minimum(first.ess, second.ess),
        effective_groups=_least(first.effective_groups, second.effective_groups),
        values={name: first.values[name] - second.values[name] for name in first.indicators},
        labels={name: f"{label}, {title}" for name, label in first.labels.items()},
        remarks=(),
    )
    if first.ends is None or second.ends is None:
        return difference
    values, other_values, r = (
        np.stack([of[name] for name in first.indicators], axis=1)
        for of in (first.values, second.values, correlations)
    )
    parts = zip(first.ends, second.ends, values, other_values, r, strict=True)
    ends = [partial(_ends_of_difference, *of_feature) for of_feature in parts]
    return with_intervals(difference, ends, pointwise_level)


def _ends_of_difference(
    own_ends: Ends,
    other_ends: Ends,
    own: Floats,
    other: Floats,
    r: Floats,
    level: LevelOrLevels,
) -> tuple[Floats, Floats]:
    """Return the ends of the differences of two intervals (Zou and Donner 2008)."""
    (low, high), (other_low, other_high) = own_ends(level), other_ends(level)
    return (
        own - other - _combined(own - low, other_high - other, r),
        own - other + _combined(high - own, other - other_low, r),
    )


def correlations_of(
    columns: ColumnPairs,
    sides: tuple[Population, Population],
    indicators: Sequence[Indicator | MetricIndicator],
    taus: Floats,
    family: Family | None,
) -> dict[str, Floats]:
    """Return the correlation of the estimates of two groups, by indicator, each of shape (p, t).

    That of a metric, which has no influences of rows, counts as 0: rows that both groups have
    would make the interval narrower.

    Parameters
    ----------
    columns : sequence of two StressedColumn, length p
        The same column in both groups.
    sides : tuple of Population
    indicators : sequence of Indicator or MetricIndicator
    taus : ndarray of shape (t,)
    family : Family or None
        An empty one, to which the differences are added.
    """
    result = {one.name: np.zeros((len(columns), len(taus))) for one in indicators}
    are_apart = not len(np.intersect1d(sides[0].positions, sides[1].positions))
    if are_apart and family is None:
        return result
    n = len(sides[0].weights)
    for p, pair in enumerate(columns):
        levels = zip(*(column.column.projections(taus) for column in pair), strict=True)
        for t, projections in enumerate(levels):
            weights = [projection.weights for projection in projections]
            for one in indicators:
                if isinstance(one, MetricIndicator):
                    if family is not None and all(each is not None for each in weights):
                        family.add_unknown()
                    continue
                own, other = (
                    side.of_units(
                        np.zeros(n) if each is None else _influence(one, column, each, taus[t], n)
                    )
                    for side, column, each in zip(sides, pair, weights, strict=True)
                )
                size = np.sqrt(dot(own, own) * dot(other, other))
                result[one.name][p, t] = dot(own, other) / size if size > 0 else 0.0
                if family is None or any(each is None for each in weights):
                    continue
                if own.any() or other.any():
                    family.add(own - other)
                else:
                    family.add_unknown()
    return result


def _influence(
    indicator: Indicator, column: StressedColumn, weights: Floats, tau: float, n: int
) -> Floats:
    """Influence of every row of the table on a stressed indicator of a group.

    To first order, their sum is the error of the indicator.
    """
    everywhere = np.zeros(n)
    if np.count_nonzero(weights) < 2:
        return everywhere
    rows = column.stressed_rows(float(tau), weights)
    positions = slice(None) if column.summarised is None else column.summarised
    outputs = [np.asarray(output[positions]) for output in indicator.per_row]
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = indicator.combination.slopes(*(np.asarray(dot(rows.share, o)) for o in outputs))
    total = np.asarray(sum(s * o for s, o in zip(slopes, outputs, strict=True)))
    if np.isfinite(total).all():
        everywhere[positions] = sum(rows.parts(total)) / rows.n
    return everywhere


def _combined(own: Floats, other: Floats, r: Floats) -> Floats:
    return np.sqrt(np.maximum(own**2 + other**2 - 2 * r * own * other, 0.0))


def _least(own: Floats | None, other: Floats | None) -> Floats | None:
    return None if own is None or other is None else np.minimum(own, other)
