"""Methods of an explainer for curves and surfaces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import numpy.typing as npt

from uqwidgets._utils.options import check_callback, checked_flag
from uqwidgets.dependence import (
    FEWEST_OF_BIN,
    POINTS,
    ROWS_OF_BIN,
    CurveTransform,
    accumulated_effects,
    checked_lines,
    dependence,
    dependences,
    grid_of,
    surface,
    surface_features,
    surface_grids,
)
from uqwidgets.dependence.result import Dependence
from uqwidgets.dependence.surface_result import Surface
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.explainer.base import ExplainerBase
from uqwidgets.inference import Family, checked_level
from uqwidgets.measures import Function


class Curves(ExplainerBase):
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
        simultaneous: bool = ...,
        lines: int | None = ...,
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
        simultaneous: bool = False,
        lines: int | None = None,
        sample_weight: npt.ArrayLike | None = None,
        rows: npt.ArrayLike | None = None,
        callback: ProgressCallback | None = None,
    ) -> Dependence | Surface:
        """Show a measure as a function of one feature or two: ICE per row, PD as their mean.

        Parameters
        ----------
        feature : str or sequence of two str
            Two features give a surface.
        measure : str or callable, default="prediction"
            A name of `measures`, or a function (see `measure`). A scikit-learn scorer has no
            curve, because it has no values of single rows.
        grid : int, array-like of shape (g,), or one of these for each of two features
            Number of values, or the values themselves. By default 50 for a curve, and 20 of each
            feature for a surface.
        spacing : {"quantile", "even", "observed"}, default="quantile"
            Quantiles of the observed values; even steps from the lowest to the highest; or every
            distinct value, whatever ``grid`` says. A grid of 2 g - 1 points evaluates only the
            g - 1 points that one of g points does not have.
        center : bool or value of the feature, default=False
            c-ICE: each row's curve minus its value at the first point of the grid, or at this
            value of the feature.
        derivative : bool, default=False
            d-ICE: the slope of each row's curve, for numeric features.
        relative : bool, default=False
            Individual conditional importance: each row's curve minus the measure of the row as it
            is. Its mean is the partial importance; with ``spacing="observed"`` the result's
            ``importance`` is the permutation importance over all donors.
        level : float, default=0.95
            Confidence level of the band, which is pointwise.
        simultaneous : bool, default=False
            Whether the band of a curve or a surface holds at all its points at once, as in
            `importance`.
        lines : int, optional
            Number of scored rows, evenly chosen, whose curves the result holds; averages are over
            all rows. By default all, or if their curves take more than two fifths of
            ``memory_limit``, as many as fit, with a remark. A number of rows is met whatever memory
            it takes.
        sample_weight : array-like of shape (n,), optional
            Weights that describe a population, stress included.
        rows : array-like, optional
            A mask or the positions of the rows that are averaged.
        callback : callable, optional
            Called with a `Progress` after every block of model calls. An exception that it raises
            stops the work; finished blocks are kept.

        Returns
        -------
        Dependence or Surface
            Both show which points are far from the data.

        Raises
        ------
        ValueError
            For a name that does not exist, a value out of range, or options that exclude each
            other.

        See Also
        --------
        Explainer.dependences : The curves of several features.
        Explainer.accumulated_effects : Effects where there are data.
        Explainer.importance : How much a measure changes on average.

        References
        ----------
        Likelihood and entropy curves: Wood et al. 2024, eq. 7 to 9. Partial dependence: Friedman
        2001; c-ICE and d-ICE: Goldstein et al. 2015; partial importance: Dankers et al. 2020,
        chapter 8; Casalicchio et al. 2018; band: Molnar et al. 2023, eq. 5.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(100, 2))
        >>> explainer = uq.Explainer(lambda X: 3 * X[:, 0], X, X[:, 0])
        >>> curve = explainer.dependence("x0", grid=[-1.0, 0.0, 1.0])
        >>> curve.average.round(6).tolist()
        [-3.0, 0.0, 3.0]
        >>> explainer.dependence("x0", grid=[-1.0, 0.0, 1.0], derivative=True).quantity
        'slope of prediction per unit of x0'
        """
        check_callback(callback)
        family = Family(self.seed) if checked_flag(simultaneous, "simultaneous") else None
        form = CurveTransform.of(center, derivative, relative)
        of_rows, level = self.measure(measure), checked_level(level)
        population = self.table.population(sample_weight, rows)
        pair = surface_features(feature)
        if pair is not None:
            grids = surface_grids(self.table, pair, grid, spacing, form)
            if lines is not None:
                raise ValueError(
                    "lines is a number of curves, and a surface has none; leave lines out."
                )
            return surface(
                self.evaluations,
                of_rows,
                grids,
                population,
                level=level,
                callback=callback,
                family=family,
            )
        points = grid_of(self.table, str(feature), POINTS if grid is None else grid, spacing)
        return dependence(
            self.evaluations,
            of_rows,
            points,
            population,
            form=form,
            level=level,
            lines=checked_lines(lines),
            callback=callback,
            family=family,
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
        simultaneous: bool = False,
        lines: int | None = None,
        sample_weight: npt.ArrayLike | None = None,
        rows: npt.ArrayLike | None = None,
        callback: ProgressCallback | None = None,
    ) -> dict[str, Dependence]:
        """Compute `dependence` for several features at once, in few large model calls.

        Parameters
        ----------
        features : sequence of str, optional
            By default all features.
        measure, grid, spacing, center, derivative, relative, level, sample_weight, rows, callback
            As in `dependence`; ``grid`` and ``center`` are the same for all features.
        simultaneous : bool, default=False
            Whether the bands of all curves hold at all points at once.
        lines : int, optional
            As in `dependence`, for each feature; the curves of all features share the memory.

        Returns
        -------
        dict of str to Dependence

        Raises
        ------
        ValueError
            For a name that does not exist, a value out of range, or options that exclude each
            other.

        See Also
        --------
        Explainer.dependence : One curve or surface.

        References
        ----------
        Friedman 2001.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(100, 2))
        >>> explainer = uq.Explainer(lambda X: 3 * X[:, 0], X, X[:, 0])
        >>> curves = explainer.dependences(grid=5)
        >>> {name: len(curve.grid) for name, curve in curves.items()}
        {'x0': 5, 'x1': 5}
        """
        check_callback(callback)
        family = Family(self.seed) if checked_flag(simultaneous, "simultaneous") else None
        form = CurveTransform.of(center, derivative, relative)
        return dependences(
            self.evaluations,
            self.measure(measure),
            [grid_of(self.table, name, grid, spacing) for name in self._named(features)],
            self.table.population(sample_weight, rows),
            form=form,
            level=checked_level(level),
            lines=checked_lines(lines),
            callback=callback,
            family=family,
        )

    def accumulated_effects(
        self,
        feature: str,
        measure: str | Function = "prediction",
        *,
        grid: int | npt.ArrayLike | None = None,
        level: float = 0.95,
        simultaneous: bool = False,
        lines: int | None = None,
        sample_weight: npt.ArrayLike | None = None,
        rows: npt.ArrayLike | None = None,
        callback: ProgressCallback | None = None,
    ) -> Dependence:
        r"""Accumulated local effects (ALE) of a feature on a measure.

        Partial dependence sets a feature to every value in every row, also where no data are like
        that because features depend on each other. ALE moves it to the two ends of its own bin
        only, and adds up the mean differences :math:`d_i` of the bins:

        .. math:: ALE(z_k) = \sum_{m \le k} \frac{1}{n_m} \sum_{i \in m} d_i - c

        with c such that the mean over the rows is zero. For a sum of functions of single features
        it is the function of the feature, as partial dependence is, up to a constant.

        Parameters
        ----------
        feature : str
            Categories have the order in which neighbours have similar rows (see Notes).
        measure : str or callable, default="prediction"
            As in `dependence`.
        grid : int or array-like of shape (g,), optional
            Number of the edges of the bins, at quantiles, or the edges themselves; of categories,
            the number of the most frequent ones, or the categories in their order. By default the
            grid of `dependence`, whose bins are joined until each has 20 effective rows; other bins
            are joined if they have fewer than two, with a remark.
        level, simultaneous, lines, sample_weight, rows, callback
            As in `dependence`.

        Returns
        -------
        Dependence
            With ``accumulated=True``. Its ``curves`` are those of `dependence`, centred likewise.

        Raises
        ------
        ValueError
            For a name that does not exist, a value out of range, or fewer than two values.

        See Also
        --------
        Explainer.dependence : Partial dependence, which needs the same predictions.

        Notes
        -----
        All rows are evaluated at all edges, as for partial dependence, so that other rows, weights
        and measures, and partial dependence on the same grid, ask the model nothing. Intervals are
        computed from the influence of every row on the steps and on the centre, with the edges
        taken as given; with groups of rows, from those of the groups.

        The distance of two categories is the sum over the other features of the distances of their
        distributions; scaling to one dimension orders the categories. An ordered dtype keeps its
        order.

        A remark says where partial dependence of the same rows, likewise centred, is clearly
        another curve: there it rests on combinations of values that are rare in the data.

        References
        ----------
        Apley and Zhu 2020; band: Hall 1992.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(200, 2))
        >>> X[:, 1] += X[:, 0]
        >>> explainer = uq.Explainer(lambda X: 3 * X[:, 0] + X[:, 1] ** 2, X)
        >>> effects = explainer.accumulated_effects("x0", grid=[-1.0, 0.0, 1.0])
        >>> np.diff(effects.average).round(6).tolist()
        [3.0, 3.0]
        """
        check_callback(callback)
        family = Family(self.seed) if checked_flag(simultaneous, "simultaneous") else None
        return accumulated_effects(
            self.evaluations,
            self.measure(measure),
            grid_of(self.table, str(feature), POINTS if grid is None else grid),
            self.table.population(sample_weight, rows),
            least=ROWS_OF_BIN if grid is None else FEWEST_OF_BIN,
            level=checked_level(level),
            lines=checked_lines(lines),
            family=family,
            callback=callback,
        )
