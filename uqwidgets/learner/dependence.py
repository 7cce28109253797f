"""Learner-PD: the mean over refits of the partial dependence in the rows that each held out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.dependence import (
    CurveTransform,
    curves_of_rows,
    dependence,
    grid_of,
    surface,
    surface_grids,
)
from uqwidgets.dependence.curves import POINTS
from uqwidgets.dependence.result import Dependence
from uqwidgets.dependence.surface_result import Surface
from uqwidgets.evaluation.table import Table
from uqwidgets.inference.population import Population
from uqwidgets.learner.averaging import Averaging, weights_of_held_out
from uqwidgets.learner.interval_choice import ResultKind, depends_on_target
from uqwidgets.learner.refits import Refit

Result = TypeVar("Result", Dependence, Surface)


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
    results = []
    for refit, population in _populations(averaging, sample_weight):
        evaluations, of_rows = refit.explainer.evaluations, refit.explainer.measure(measure)
        results.append(
            dependence(
                evaluations,
                of_rows,
                points,
                population,
                form=transform,
                level=averaging.level,
                # The interval and the mean over refits need the curves of all rows.
                curves=curves_of_rows(evaluations, of_rows, points, transform),
            )
        )
    curves = [result.curves.T for result in results]
    return replace(
        _averaged(averaging, results, curves, kind),
        curves=averaging.over_refits(curves).T,
        rows=np.arange(averaging.n),
        observed=table.column(points.feature).to_numpy(),
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
    surface_mean = _averaged(averaging, results, [], "surfaces")
    return replace(surface_mean, effects=(one, other), rows=np.arange(averaging.n))


def _populations(
    averaging: Averaging, sample_weight: npt.ArrayLike | None
) -> Iterable[tuple[Refit, Population]]:
    weights = weights_of_held_out(averaging, sample_weight)
    for refit, refit_weights in zip(averaging.refits, weights, strict=True):
        yield refit, Population.of(len(refit.held_out), refit_weights)


def _averaged(
    averaging: Averaging,
    results: Sequence[Result],
    held_out_values: Sequence[Floats],
    kind: ResultKind,
) -> Result:
    estimates = np.array([result.average for result in results])
    interval = averaging.interval(estimates, held_out_values, kind)
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
        remarks=averaging.remarks_on(kind, [result.remarks for result in results]),
        per_refit=estimates,
    )
