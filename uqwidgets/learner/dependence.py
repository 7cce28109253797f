"""Learner-PD: the mean over refits of the partial dependence in the rows that each held out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Positions
from uqwidgets._utils.remarks import Remark
from uqwidgets.dependence import (
    AveragedCurves,
    CurveTransform,
    curve_blocks,
    dependence_of_averages,
    grid_of,
    surface,
    surface_grids,
)
from uqwidgets.dependence.curves import POINTS
from uqwidgets.dependence.result import Dependence
from uqwidgets.dependence.surface_result import Surface
from uqwidgets.evaluation.table import Table
from uqwidgets.inference.mean_intervals import MeanIntervals, mean_intervals
from uqwidgets.inference.population import Population
from uqwidgets.learner.averaging import Averaging, weights_of_held_out
from uqwidgets.learner.interval_choice import ResultKind, depends_on_target
from uqwidgets.learner.intervals import LearnerInterval
from uqwidgets.learner.refits import Refit
from uqwidgets.plotting.choice import evenly

Averaged = TypeVar("Averaged", Dependence, Surface)


def learner_dependence(
    averaging: Averaging,
    table: Table,
    feature: str,
    measure: Any,
    grid: Any,
    spacing: str,
    transform: CurveTransform,
    sample_weight: npt.ArrayLike | None,
) -> Dependence:
    r"""Learner-PD of one feature (Molnar et al. 2023, eq. 7, over the held-out rows).

    With :math:`\hat f_d` the model of refit d and :math:`B_{-d}` the rows that it held out,

    .. math:: \overline{PD}(x) = \frac1m \sum_{d=1}^m \frac{1}{|B_{-d}|} \sum_{i \in B_{-d}}
              \hat f_d(x, x_C^{(i)}).

    Parameters
    ----------
    averaging : Averaging
    table : Table
        All rows of the learner. The grid is made from these, so that all refits share it.
    feature : str
    measure : str or callable
    grid, spacing
        See `grid_of`.
    transform : CurveTransform
    sample_weight : array-like of shape (n,), optional
    """
    points = grid_of(table, feature, POINTS if grid is None else grid, spacing)
    explainer = averaging.refits[0].explainer
    of_loss = depends_on_target(explainer.measure(measure), explainer)
    kind: ResultKind = "curves of a loss" if of_loss else "curves of a measure without the target"
    averaging.interval_name(kind)  # raises here rather than after all model calls
    refits = list(_populations(averaging, sample_weight))
    measures = [refit.explainer.measure(measure) for refit, _ in refits]
    # Each refit yields the curves of its rows at one point of the grid after the other.
    lines = [
        chain.from_iterable(curve_blocks(refit.explainer.evaluations, of_rows, points, transform))
        for (refit, _), of_rows in zip(refits, measures, strict=True)
    ]
    rows, remarks = _curve_rows(averaging, len(points))
    step = averaging.quantities_in_memory
    means, intervals = [], []
    row_curves = np.empty((averaging.n if rows is None else len(rows), len(points)))
    for first in range(0, len(points), step):
        curves = [np.stack(list(islice(of_refit, step))) for of_refit in lines]
        pairs = zip(curves, refits, strict=True)
        means.append([mean_intervals(block, population) for block, (_, population) in pairs])
        values = [block.T for block in curves]
        estimates = np.array([of_refit.estimate for of_refit in means[-1]])
        intervals.append(averaging.interval(estimates, values, kind))
        over_refits = averaging.over_refits(values)
        row_curves[:, first : first + step] = over_refits if rows is None else over_refits[rows]
        del curves, values, over_refits  # otherwise they stay in memory while the next are made
    results = []
    for (refit, population), of_rows, parts in zip(
        refits, measures, zip(*means, strict=True), strict=True
    ):
        results.append(
            dependence_of_averages(
                refit.explainer.evaluations,
                of_rows,
                points,
                population,
                transform,
                averaging.level,
                AveragedCurves(MeanIntervals.joined(parts), np.empty((len(points), 0))),
            )
        )
    mean = _averaged(averaging, results, LearnerInterval.joined(intervals), kind)
    return replace(
        mean,
        ends=None,
        curves=row_curves.T,
        curve_rows=rows,
        rows=np.arange(averaging.n),
        observed=table.column(points.feature).to_numpy(),
        remarks=(*remarks, *mean.remarks),
    )


def _curve_rows(averaging: Averaging, n_points: int) -> tuple[Positions | None, tuple[Remark, ...]]:
    """Choose the rows whose curves a result holds, None for all, with a remark if some lack."""
    n, room = averaging.n, averaging.array_room
    if 8 * n_points * n <= room:
        return None, ()
    rows = np.asarray(evenly(n, max(1, room // (8 * n_points))))
    return rows, (
        Remark(
            "curves-of-some-rows",
            f"the average is over {n:,} rows; the curves of {len(rows):,} of them, evenly chosen, "
            f"fit in the memory (memory_limit='{math.ceil(8 * n_points * n * 5 / 1e6)}MB' holds "
            "them all)",
        ),
    )


def learner_surface(
    averaging: Averaging,
    table: Table,
    features: Sequence[str],
    measure: Any,
    grid: Any,
    spacing: str,
    transform: CurveTransform,
    sample_weight: npt.ArrayLike | None,
) -> Surface:
    """Learner-PD of two features; parameters as in `learner_dependence`."""
    grids = surface_grids(table, features, grid, spacing, transform)
    averaging.interval_name("surfaces")  # raises here rather than after all model calls
    results = [
        surface(
            refit.explainer.evaluations,
            refit.explainer.measure(measure),
            grids,
            population,
            level=averaging.level,
        )
        for refit, population in _populations(averaging, sample_weight)
    ]
    one, other = (np.mean([r.effects[side] for r in results], axis=0) for side in (0, 1))
    estimates = np.array([result.average for result in results])
    interval = averaging.interval(estimates, [], "surfaces")
    surface_mean = _averaged(averaging, results, interval, "surfaces")
    return replace(surface_mean, ends=None, effects=(one, other), rows=np.arange(averaging.n))


def _populations(
    averaging: Averaging, sample_weight: npt.ArrayLike | None
) -> Iterable[tuple[Refit, Population]]:
    weights = weights_of_held_out(averaging, sample_weight)
    for refit, refit_weights in zip(averaging.refits, weights, strict=True):
        yield refit, refit.explainer.table.population(refit_weights)


def _averaged(
    averaging: Averaging,
    results: Sequence[Averaged],
    interval: LearnerInterval,
    kind: ResultKind,
) -> Averaged:
    return replace(
        results[0],
        average=interval.estimate,
        std_error=interval.std_error,
        low=interval.low,
        high=interval.high,
        support=np.mean([result.support for result in results], axis=0),
        # The refits hold different rows out: near the data means near in most of the refits.
        near=np.mean([result.near for result in results], axis=0) > 0.5,
        ess=float(np.mean([result.ess for result in results])),
        groups=averaging.plan.group_count([r.groups.ess for r in results if r.groups]),
        remarks=averaging.remarks_on(kind, [result.remarks for result in results]),
        per_refit=np.array([result.average for result in results]),
    )
