"""Curves and surfaces for a learner: the mean over refits of those over the rows held out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.dependence import CurveTransform, dependence, grid_of, surface, surface_grids
from uqwidgets.dependence.curves import POINTS
from uqwidgets.dependence.result import Dependence
from uqwidgets.dependence.surface_result import Surface
from uqwidgets.evaluation.table import Table
from uqwidgets.inference.population import Population
from uqwidgets.learner.averaging import Averaging, weights_of_held_out
from uqwidgets.learner.refits import Refit
from uqwidgets.learner.subjects import Subject, looks_at_target

Result = TypeVar("Result", Dependence, Surface)


def learner_dependence(
    averaging: Averaging,
    table: Table,
    feature: str,
    measure: Any,
    grid: Any,
    spacing: str,
    form: CurveTransform,
    sample_weight: npt.ArrayLike | None,
) -> Dependence:
    """Learner-PD (Molnar et al. 2023, eq. 7, over held-out rows) of one feature.

    Parameters
    ----------
    averaging : Averaging
    table : Table
        All rows: the grid is that of the table, the same for all refits.
    feature : str
    measure : str or callable
    grid, spacing
        See `grid_of`.
    form : CurveTransform
    sample_weight : array-like of shape (n,), optional
    """
    points = grid_of(table, feature, POINTS if grid is None else grid, spacing)
    explainer = averaging.refits[0].explainer
    of_loss = looks_at_target(explainer.measure(measure), explainer)
    subject: Subject = "curves of a loss" if of_loss else "curves of a measure without the target"
    averaging.how(subject)  # it speaks up here, not after every refit was asked
    found = [
        dependence(
            refit.explainer.evaluations,
            refit.explainer.measure(measure),
            points,
            population,
            form=form,
            level=averaging.level,
        )
        for refit, population in _populations(averaging, sample_weight)
    ]
    lines = averaging.over_refits([result.curves.T for result in found])
    everyone = np.arange(averaging.n)
    return replace(
        _averaged(averaging, found, [result.curves.T for result in found], subject),
        curves=lines.T,
        rows=everyone,
        observed=table.column(points.feature).to_numpy(),
    )


def learner_surface(
    averaging: Averaging,
    table: Table,
    features: Sequence[str],
    measure: Any,
    grid: Any,
    spacing: str,
    form: CurveTransform,
    sample_weight: npt.ArrayLike | None,
) -> Surface:
    """Learner-PD of two features; parameters as in `learner_dependence`."""
    grids = surface_grids(table, features, grid, spacing, form)
    averaging.how("surfaces")  # it speaks up here, not after every refit was asked
    found = [
        surface(
            refit.explainer.evaluations,
            refit.explainer.measure(measure),
            grids,
            population,
            level=averaging.level,
        )
        for refit, population in _populations(averaging, sample_weight)
    ]
    one, other = (np.mean([r.effects[side] for r in found], axis=0) for side in (0, 1))
    whole = _averaged(averaging, found, [], "surfaces")
    return replace(whole, effects=(one, other), rows=np.arange(averaging.n))


def _populations(
    averaging: Averaging, sample_weight: npt.ArrayLike | None
) -> Iterable[tuple[Refit, Population]]:
    weights = weights_of_held_out(averaging, sample_weight)
    for refit, of_rows in zip(averaging.refits, weights, strict=True):
        yield refit, Population.of(len(refit.held_out), of_rows)


def _averaged(
    averaging: Averaging, found: Sequence[Result], of_rows: Sequence[Floats], subject: Subject
) -> Result:
    estimates = np.array([result.average for result in found])
    interval = averaging.interval(estimates, of_rows, subject)
    return replace(
        found[0],
        average=interval.estimate,
        std_error=interval.std_error,
        low=interval.low,
        high=interval.high,
        support=np.mean([result.support for result in found], axis=0),
        # Each refit holds out other rows: what is near in most of them is near.
        near=np.mean([result.near for result in found], axis=0) > 0.5,
        ess=float(np.mean([result.ess for result in found])),
        remarks=averaging.remarks_on(subject, [result.remarks for result in found]),
        per_refit=estimates,
    )
