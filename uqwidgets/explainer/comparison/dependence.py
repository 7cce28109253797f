"""The difference of two curves: of two models, or of one model in two groups of rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.dependence import CurveTransform, Grid, curve_blocks, dependence
from uqwidgets.dependence.result import Dependence
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.explainer.comparison.base import Sides
from uqwidgets.explainer.comparison.blocks import block_differences
from uqwidgets.inference import Family, influences_on_means
from uqwidgets.inference.mean_intervals import MeanIntervals, mean_intervals
from uqwidgets.inference.population import Population


def dependences(
    sides: Sides,
    title: str,
    grid: Grid,
    form: CurveTransform,
    level: float,
    callback: ProgressCallback | None,
    lines: int | None = None,
    seed: int | None = None,
) -> tuple[Dependence, Dependence, Dependence]:
    r"""Return the curve of each side, and of the first minus the second with a band of its own.

    With the curves :math:`c^A_i` and :math:`c^B_i` of row i in two models, the difference is the
    mean of :math:`c^A_i(v) - c^B_i(v)` over rows, and its band that of a mean over rows (Molnar et
    al. 2023, eq. 5). In two groups of rows it is the difference of two means, on which every row
    has an influence.

    Parameters
    ----------
    sides : tuple of two Side
    title : str
        The difference in words.
    grid : Grid
        Of the first side.
    form : CurveTransform
    level : float
    callback : callable or None
        See `Evaluations.evaluate_all`.
    lines : int, optional
        Number of rows whose curves the results hold.
    seed : int, optional
        With it, each band holds at all points at once; see `Family`.

    Returns
    -------
    first, second, difference : Dependence
    """
    grids = [
        replace(grid, column=evaluations.table.index(grid.feature)) for evaluations, _, _ in sides
    ]
    first, second = (
        dependence(
            evaluations,
            measure,
            on,
            population,
            form=form,
            level=level,
            lines=lines,
            callback=callback,
            family=None if seed is None else Family(seed),
        )
        for (evaluations, measure, population), on in zip(sides, grids, strict=True)
    )
    populations = [side.population for side in sides]
    own, other = (
        curve_blocks(side.evaluations, side.of, on, form)
        for side, on in zip(sides, grids, strict=True)
    )
    means, family = [], None if seed is None else Family(seed)
    of_rows: dict[str, Any] = {}
    if populations[0] is populations[1]:
        curves = []
        for block in block_differences(own, other):
            means.append(mean_intervals(block, populations[0]))
            if family is not None:
                family.add(influences_on_means(block, means[-1].estimate, populations[0]))
            curves.append(block if first.curve_rows is None else block[:, first.curve_rows])
            del block  # otherwise it stays in memory while the next is made
        of_rows = {
            "curves": np.concatenate(curves) if len(curves) > 1 else curves[0],
            "remarks": grid.remarks,
        }
    else:
        most_df = min(each.units.ess for each in populations) - 1
        for block in own:
            mean, influences = _mean_difference(block, populations)
            means.append(MeanIntervals.of(mean, influences, np.full(len(mean), most_df)))
            if family is not None:
                family.add(influences)
    joined = MeanIntervals.joined(means)
    pointwise_level = None if family is None else family.pointwise_level(level)
    low, high = joined.at(pointwise_level or level)
    difference = replace(
        first,
        label=f"{first.label}, {title}",
        average=joined.estimate,
        std_error=joined.error,
        low=low,
        high=high,
        ends=joined.at,
        pointwise_level=pointwise_level,
        **of_rows,
    )
    return first, second, difference


def _mean_difference(values: Floats, sides: Sequence[Population]) -> tuple[Floats, Floats]:
    """Return the mean of each line in the first population minus the second, with influences.

    Parameters
    ----------
    values : ndarray of shape (m, n)
    sides : sequence of two Population

    Returns
    -------
    difference : ndarray of shape (m,)
    influences : ndarray of shape (m, u)
        Of rows, or of groups of rows; to first order, their sum is the error.
    """
    means, influences = [], []
    for side in sides:
        share = side.scored / side.scored.sum()
        mean = values @ share
        means.append(mean)
        of_units = side.of_units(share * (values - mean[:, None]))
        influences.append(of_units * math.sqrt(side.units.small_sample))
    return means[0] - means[1], influences[0] - influences[1]
