"""The difference of two models' curves: the mean of the differences of the rows' curves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from uqwidgets.dependence import CurveTransform, Grid, curve_blocks
from uqwidgets.explainer.comparison.pair import Pair, block_differences
from uqwidgets.inference import half_width, mean_over_rows
from uqwidgets.inference.population import Population
from uqwidgets.measures import Measure

if TYPE_CHECKING:
    from uqwidgets.dependence.result import Dependence


def dependence_difference(
    pair: Pair,
    measures: tuple[Measure, Measure],
    grid: Grid,
    population: Population,
    form: CurveTransform,
    first: Dependence,
) -> Dependence:
    r"""Return the curve of the first model minus that of the second, with a band of its own.

    With the curves :math:`c^A_i` and :math:`c^B_i` of row i it is the mean of
    :math:`c^A_i(v) - c^B_i(v)` over rows, and its band that of a mean over rows (Molnar et al.
    2023, eq. 5).

    Parameters
    ----------
    pair : Pair
    measures : tuple of Measure
        Of the first and of the second model.
    grid : Grid
        Of the first model.
    population : Population
    form : CurveTransform
    first : Dependence
        That of the first model; it says which rows' curves the result holds.

    Returns
    -------
    Dependence
    """
    means, curves = [], []
    blocks = block_differences(
        curve_blocks(pair.first, measures[0], grid, form),
        curve_blocks(pair.second, measures[1], grid_for(pair, grid), form),
    )
    for block in blocks:
        means.append(mean_over_rows(block, population))
        curves.append(block if first.curve_rows is None else block[:, first.curve_rows])
        del block  # otherwise it stays in memory while the next is made
    average, std_error = (np.concatenate(parts) for parts in zip(*means, strict=True))
    width = half_width(std_error, first.level, population)
    return replace(
        first,
        label=f"{first.label}, {pair.title}",
        average=average,
        std_error=std_error,
        low=average - width,
        high=average + width,
        curves=np.concatenate(curves) if len(curves) > 1 else curves[0],
        remarks=grid.remarks,
    )


def grid_for(pair: Pair, grid: Grid) -> Grid:
    """Return a grid of the first model's table as one of the second's, with the same values."""
    return replace(grid, column=pair.second.table.index(grid.feature))
