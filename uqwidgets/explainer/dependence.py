"""What an explainer can be asked about curves and surfaces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import numpy.typing as npt

from uqwidgets.dependence import (
    POINTS,
    CurveTransform,
    dependence,
    dependences,
    grid_of,
    surface,
    surface_grids,
)
from uqwidgets.dependence.result import Dependence
from uqwidgets.dependence.surface_result import Surface
from uqwidgets.evaluation.evaluations import ProgressCallback
from uqwidgets.explainer.base import Explained
from uqwidgets.inference import checked_level
from uqwidgets.inference.population import Population
from uqwidgets.measures import Function


class Curves(Explained):
    """The part of `uqwidgets.Explainer` that draws a measure over features' values."""

    @overload
    def dependence(
        self,
        feature: str,
        measure: str | Function = ...,
        *,
        grid: int | npt.ArrayLike | None = ...,
        spacing: str = ...,
        center: Any = ...,
        derivative: bool = ...,
        relative: bool = ...,
        level: float = ...,
        sample_weight: npt.ArrayLike | None = ...,
        rows: npt.ArrayLike | None = ...,
        callback: ProgressCallback | None = ...,
    ) -> Dependence: ...

    @overload
    def dependence(
        self,
        feature: tuple[str, str] | list[str],
        measure: str | Function = ...,
        *,
        grid: int | Sequence[int | npt.ArrayLike] | None = ...,
        spacing: str = ...,
        level: float = ...,
        sample_weight: npt.ArrayLike | None = ...,
        rows: npt.ArrayLike | None = ...,
        callback: ProgressCallback | None = ...,
    ) -> Surface: ...

    def dependence(
        self,
        feature: str | Sequence[str],
        measure: str | Function = "prediction",
        *,
        grid: Any = None,
        spacing: str = "quantile",
        center: Any = False,
        derivative: bool = False,
        relative: bool = False,
        level: float = 0.95,
        sample_weight: npt.ArrayLike | None = None,
        rows: npt.ArrayLike | None = None,
        callback: ProgressCallback | None = None,
    ) -> Dependence | Surface:
        """Show a measure as a function of one feature or two: ICE per row, PD as their mean.

        Parameters
        ----------
        feature : str or sequence of two str
            Two give a surface.
        measure : str or callable, default="prediction"
            See `measures`.
        grid : int, array-like of shape (g,), or one of these for each of two features
            Number of values, or the values themselves. By default 50 for a curve, and 20 of each
            feature for a surface.
        spacing : {"quantile", "even", "observed"}, default="quantile"
            Quantiles of the observed values, even steps from the lowest to the highest, or every
            distinct value, whatever ``grid`` says. A grid of 2 g - 1 points asks the model for
            g - 1 more than one of g.
        center : bool or value of the feature, default=False
            Each row's curve minus its value at the first point of the grid, or at the value that
            is given (c-ICE; Goldstein et al. 2015).
        derivative : bool, default=False
            The slope of each row's curve (d-ICE; Goldstein et al. 2015), for numeric features.
        relative : bool, default=False
            Each row's curve minus the measure of the row as it is: individual conditional
            importance, and its mean, partial importance (Dankers et al. 2020, chapter 8). With
            ``spacing="observed"`` the result's ``importance`` is that over all donors.
        level, sample_weight, rows, callback
            As in `importance`; the band is pointwise (Molnar et al. 2023, eq. 5).

        Returns
        -------
        Dependence or Surface
            Both say which points are far from the data.

        Raises
        ------
        ValueError
            For a name that does not exist, a value out of range, or forms that exclude each other.
        """
        form = CurveTransform.of(center, derivative, relative)
        found, level = self.measure(measure), checked_level(level)
        population = Population.of(len(self.table), sample_weight, rows)
        if isinstance(feature, (list, tuple)):
            grids = surface_grids(self.table, feature, grid, spacing, form)
            return surface(
                self.evaluations, found, grids, population, level=level, callback=callback
            )
        points = grid_of(self.table, str(feature), POINTS if grid is None else grid, spacing)
        return dependence(
            self.evaluations, found, points, population, form=form, level=level, callback=callback
        )

    def dependences(
        self,
        features: Sequence[str] | None = None,
        measure: str | Function = "prediction",
        *,
        grid: int = POINTS,
        spacing: str = "quantile",
        center: bool = False,
        derivative: bool = False,
        relative: bool = False,
        level: float = 0.95,
        sample_weight: npt.ArrayLike | None = None,
        rows: npt.ArrayLike | None = None,
        callback: ProgressCallback | None = None,
    ) -> dict[str, Dependence]:
        """`dependence` of several features at once, in few large model calls.

        Parameters
        ----------
        features : sequence of str, optional
            All of them, unless named.
        measure, grid, spacing, center, derivative, relative, level, sample_weight, rows, callback
            As in `dependence`.

        Returns
        -------
        dict of str to Dependence

        Raises
        ------
        ValueError
            For a name that does not exist, a value out of range, or forms that exclude each other.
        """
        form = CurveTransform.of(center, derivative, relative)
        return dependences(
            self.evaluations,
            self.measure(measure),
            [grid_of(self.table, name, grid, spacing) for name in self._named(features)],
            Population.of(len(self.table), sample_weight, rows),
            form=form,
            level=checked_level(level),
            callback=callback,
        )
