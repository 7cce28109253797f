"""Indicators over tau for every feature: the computation of `Stress`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy

from uqwidgets._typing import Floats, Positions
from uqwidgets._utils.remarks import Remark
from uqwidgets.inference import Family, checked_level
from uqwidgets.inference.groups import RowGroups
from uqwidgets.inference.population import effective_sample_sizes
from uqwidgets.inference.tested import Ends, filled
from uqwidgets.metrics import undefined
from uqwidgets.stress.columns import StressedColumn
from uqwidgets.stress.compressed.features import CompressedColumn
from uqwidgets.stress.compressed.levels import Levels, levels
from uqwidgets.stress.indicators import Indicator, MetricIndicator
from uqwidgets.stress.intervals import (
    COVERAGE_BY_ROWS,
    coverage_remarks,
)
from uqwidgets.stress.projection import Projection
from uqwidgets.stress.replicates import metric_interval
from uqwidgets.stress.result import Stress
from uqwidgets.stress.summaries import summaries_with_intervals

# Weights of levels that are summarised together; a memory limit does not bound them.
_WEIGHTS_TOGETHER = 1 << 12


def stress(
    columns: Iterable[StressedColumn | CompressedColumn],
    n: int,
    indicators: Sequence[Indicator | MetricIndicator],
    taus: Floats,
    *,
    tail: float,
    anchor: str,
    level: float | None,
    remarks: tuple[Remark, ...],
    n_together: int = _WEIGHTS_TOGETHER,
    check: Callable[[], None] = lambda: None,
    family: Family | None = None,
) -> Stress:
    """Stress each column separately and summarise the rows at each level.

    Source: Bachoc et al. 2023, sections 2.2, 3.

    Parameters
    ----------
    columns : iterable of StressedColumn or CompressedColumn, length p
        An iterator, because all columns at once would take the memory of a second table.
        Compressed ones have the outputs of these indicators, and do where not `needs_rows`.
    n : int
        Number of rows of the table.
    indicators : sequence, length q
    taus : ndarray of shape (t,)
    tail : float
    anchor : str
    level : float or None
        Level of the intervals; None for none.
    remarks : tuple of Remark
    n_together : int, default=4096
        About as many weights as are summarised together. More take less time, and memory.
    check : callable, optional
        Called before these; what it raises ends the work.
    family : Family, optional
        An empty one; the intervals of all features, levels and indicators then hold at once.

    Returns
    -------
    Stress
    """
    if not indicators:
        raise ValueError("indicators is empty; name at least one.")
    level = None if level is None else checked_level(level)
    if family is not None and level is None:
        raise ValueError("simultaneous is about intervals; pass their level too, such as 0.95.")
    plain = [i for i in indicators if isinstance(i, Indicator)]
    features, lines, intervals, unit = [], [], [], "row"
    for column in columns:
        features.append(column.name)
        if isinstance(column, StressedColumn):
            has_interval = level is not None
            line, ends = _over_rows(
                column, n, indicators, taus, has_interval, n_together, check, family
            )
            lines.append(line)
            intervals.append(ends)
            unit = "row" if column.groups is None else "group"
        else:
            lines.append(_over_nodes(column, plain, taus))
    values = _by_name(indicators, [line.values for line in lines])
    reached = np.stack([line.reached for line in lines])
    for one in indicators:
        if isinstance(one, MetricIndicator):
            remarks += undefined_points(one.label, values[one.name], reached)
    ess = np.stack([line.units_ess for line in lines])
    if level is not None:
        remarks += coverage_remarks(features, taus, ess, COVERAGE_BY_ROWS, unit)
    no_interval = {name: np.full(of_one.shape, np.nan) for name, of_one in values.items()}
    result = build_result(
        features,
        lines,
        indicators,
        (values, no_interval, dict(no_interval)),
        taus,
        tail=tail,
        anchor=anchor,
        level=level,
        remarks=remarks,
    )
    if level is not None:
        pointwise_level = None if family is None else family.pointwise_level(level)
        result = with_intervals(result, intervals, pointwise_level)
    return result if unit == "row" else replace(result, effective_groups=ess)


def with_intervals(result: Stress, ends: Sequence[Ends], pointwise_level: float | None) -> Stress:
    """Return the same values with intervals that are known as functions of the level.

    Parameters
    ----------
    result : Stress
        With a level.
    ends : sequence of callable, length p
        Of each feature, from a level to the ends of shape (q, t).
    pointwise_level : float or None
        See `Stress`.
    """
    assert result.level is not None
    at = [of_feature(pointwise_level or result.level) for of_feature in ends]
    low, high = (
        dict(zip(result.indicators, np.stack(lines, axis=1), strict=True))
        for lines in zip(*at, strict=True)
    )
    return replace(result, low=low, high=high, ends=tuple(ends), pointwise_level=pointwise_level)


def _by_name(
    indicators: Sequence[Indicator | MetricIndicator], lines: Sequence[Floats]
) -> dict[str, Floats]:
    """Return values (q, t) of each of p features as an array (p, t) for each indicator."""
    return {one.name: of_one for one, of_one in zip(indicators, np.stack(lines, 1), strict=True)}


def needs_rows(indicators: Sequence[Indicator | MetricIndicator], level: float | None) -> bool:
    """Whether `stress` needs the rows of the columns: for intervals, and for metrics."""
    return level is not None or any(isinstance(i, MetricIndicator) for i in indicators)


def build_result(
    features: Sequence[str],
    lines: Sequence[_Profile | Levels],
    indicators: Sequence[Indicator | MetricIndicator],
    intervals: tuple[dict[str, Floats], dict[str, Floats], dict[str, Floats]],
    taus: Floats,
    *,
    tail: float,
    anchor: str,
    level: float | None,
    remarks: tuple[Remark, ...],
) -> Stress:
    """Build the result from columns that are stressed one by one.

    Parameters
    ----------
    features : sequence of str, length p
    lines : sequence, length p
        Weights and statistics of each column at each level.
    indicators : sequence, length q
    intervals : tuple of dict of str to ndarray of shape (p, t)
        Values of each indicator, and lower and upper ends of their intervals.
    taus : ndarray of shape (t,)
    tail, anchor, level, remarks
        See `Stress`.
    """
    values, low, high = intervals
    return Stress(
        features=tuple(features),
        indicators=tuple(i.name for i in indicators),
        taus=taus,
        target=np.stack([line.target for line in lines]),
        reached=np.stack([line.reached for line in lines]),
        ess=np.stack([line.ess for line in lines]),
        kl=np.stack([line.kl for line in lines]),
        half_share=np.stack([line.half_share for line in lines]),
        status=np.stack([line.status for line in lines]),
        values=values,
        low=low,
        high=high,
        labels={i.name: i.label for i in indicators},
        units={i.name: i.unit for i in indicators},
        tail=tail,
        anchor=anchor,
        level=level,
        remarks=remarks,
    )


@dataclass(frozen=True, eq=False)
class _Profile:
    """One stressed column at every level: arrays (t,), and (q, t) for indicators.

    ``units_ess`` is the effective number of groups, or else of rows.
    """

    target: Floats
    reached: Floats
    ess: Floats
    units_ess: Floats
    kl: Floats
    half_share: Floats
    status: npt.NDArray[np.str_]
    values: Floats


def _over_nodes(
    column: CompressedColumn, indicators: Sequence[Indicator], taus: Floats
) -> _Profile:
    """Summarise a column by its nodes, at a cost per level that is independent of the rows."""
    solved = levels(column.compressed, taus)
    means, values, start = solved.means.T, np.empty((len(indicators), len(taus))), 0
    n_known, n_unmoved = column.compressed.n, column.n_unmoved
    share, ess = n_known / (n_known + n_unmoved), solved.ess
    if n_unmoved:
        means = share * means + (1 - share) * column.means_of_unmoved[:, None]
        ess = (n_known + n_unmoved) ** 2 / (n_known**2 / ess + n_unmoved)
    for q, indicator in enumerate(indicators):
        stop = start + len(indicator.per_row)
        values[q] = indicator.combine(*means[start:stop])
        start = stop
    return _Profile(
        solved.target,
        solved.reached,
        ess,
        ess,
        share * solved.kl,
        solved.half_share_beside(n_unmoved),
        solved.status,
        values,
    )


def _over_rows(
    stressed: StressedColumn,
    n: int,
    indicators: Sequence[Indicator | MetricIndicator],
    taus: Floats,
    has_interval: bool,
    n_together: int,
    check: Callable[[], None],
    family: Family | None,
) -> tuple[_Profile, Ends]:
    """Summarise a column by the weights of its rows, which intervals and scorers need.

    Also return the ends of the intervals (q, t) by their level.
    """
    values = np.full((len(indicators), len(taus)), np.nan)
    names = ("reached", "ess", "units_ess", "kl", "half_share")
    points = {name: np.full(len(taus), np.nan) for name in names}
    targets, status, summarised = np.empty(len(taus)), [], stressed.summarised
    pending: list[tuple[Any, Ends]] = []
    single: list[int] = []
    plain = [one for one in indicators if isinstance(one, Indicator)]
    is_plain = np.array([isinstance(one, Indicator) for one in indicators])
    metrics = {q: one for q, one in enumerate(indicators) if isinstance(one, MetricIndicator)}

    def chosen(output: Floats) -> Floats:
        return output if summarised is None else output[summarised]

    def summarise(at: Positions, known: Floats, weights: Floats) -> None:
        rows = stressed.stressed_rows(taus[at], known) if has_interval else None
        add = None if family is None else add_influences
        numbers, ends = summaries_with_intervals(plain, chosen, weights, rows, add)
        values[np.ix_(is_plain, at)] = numbers
        pending.append((np.ix_(is_plain, at), ends))

    def add_influences(influences: Floats, n_without: int) -> None:
        assert family is not None
        everywhere = influences
        if summarised is not None and stressed.groups is None:
            everywhere = np.zeros((*influences.shape[:-1], n))
            everywhere[..., summarised] = influences
        family.add(everywhere)
        family.add_unknown(n_without)

    for batch in _batches(stressed.column.projections(taus), n_together):
        check()
        solved: dict[int, Floats] = {}
        for t, projection in batch:
            targets[t] = projection.target
            status.append(projection.status)
            if projection.weights is not None:
                solved[t] = projection.weights
                points["reached"][t] = projection.reached
        if not solved:
            continue
        at, known = np.array(list(solved)), _stacked(list(solved.values()))
        weights = stressed.summary_weights(known)
        for name, of_levels in described_weights(weights).items():
            points[name][at] = of_levels
        points["units_ess"][at] = units_ess(weights, stressed.groups)
        if plain:
            summarise(at, known, weights)
        several = np.count_nonzero(known, axis=1) > 1
        single += at[~several].tolist()
        for i, t in enumerate(at.tolist() if metrics else []):
            rows = None
            if has_interval and several[i]:
                rows = stressed.stressed_rows(taus[t], known[i])
            for q, metric in metrics.items():
                score = stressed.score_of_summarised(metric.score, n)
                values[q, t] = value = score(weights[i])
                if rows is None or not np.isfinite(value):
                    continue
                ends = metric_interval(score, value, rows, metric.bounds)
                if ends is not None:
                    pending.append(((q, t), ends))
                    if family is not None:
                        family.add_unknown()
    profile = _Profile(
        target=targets,
        status=np.array(status, dtype="<U15"),
        values=values,
        **points,
    )
    # The value of a single row has no interval.
    return profile, partial(filled, values.shape, pending, (slice(None), single))


def _batches(
    projections: Iterable[Projection], n_together: int
) -> Iterator[list[tuple[int, Projection]]]:
    """Yield the positions and projections of the levels that are summarised together."""
    batch, n_weights = [], 0
    for t, projection in enumerate(projections):
        batch.append((t, projection))
        n_weights += 0 if projection.weights is None else projection.weights.size
        if n_weights >= n_together:
            yield batch
            batch, n_weights = [], 0
    yield batch


def _stacked(lines: Sequence[Floats]) -> Floats:
    """Return lines (n,) as an array (m, n), which is no copy of a single one."""
    return np.stack(lines) if len(lines) > 1 else lines[0][None]


def undefined_points(label: str, values: Floats, reached: Floats) -> tuple[Remark, ...]:
    """Remark on points where there are weights, but a metric is not defined for them.

    Parameters
    ----------
    label : str
        Of the metric.
    values, reached : ndarray of shape (p, t)
        Of the metric, and of the features' means, which are NaN where there are no weights.
    """
    known = np.isfinite(reached)
    missing = int((known & np.isnan(values)).sum())
    return (undefined(label, missing, int(known.sum()), "points"),) if missing else ()


def units_ess(weights: Floats, groups: RowGroups | None) -> Floats:
    """Effective number of groups, or else of rows, with weights (..., n)."""
    return effective_sample_sizes(weights if groups is None else groups.sums(weights))


def described_weights(weights: Floats) -> dict[str, Floats]:
    """Effective sample size, divergence and half share of weights (..., n) of mean 1, by name."""
    return {
        "ess": effective_sample_sizes(weights),
        "kl": divergence(weights),
        "half_share": half_share(weights),
    }


def divergence(weights: Floats) -> Floats:
    """Kullback-Leibler divergence of weights (..., n) of mean 1 from equal ones, in nats."""
    return np.asarray(np.maximum(0.0, xlogy(weights, weights).mean(axis=-1)))


def half_share(weights: Floats) -> Floats:
    """Smallest share of the rows that carries half of weights (..., n), between 0 and 0.5."""
    heaviest = np.cumsum(np.sort(weights, axis=-1)[..., ::-1], axis=-1)
    n_less = np.count_nonzero(heaviest < heaviest[..., -1:] / 2, axis=-1)
    return np.asarray((n_less + 1) / weights.shape[-1])
