"""A measure over the values of two features."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from uqwidgets._utils.options import brief, checked_count, is_whole
from uqwidgets.dependence.curves import CurveTransform
from uqwidgets.dependence.density import axis_of, near, support
from uqwidgets.dependence.grids import Grid, grid_of
from uqwidgets.dependence.surface_result import Surface
from uqwidgets.evaluation.evaluations import Evaluations
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.evaluation.replacement import Constant
from uqwidgets.evaluation.table import Table
from uqwidgets.importance import remarks_on_ceiling
from uqwidgets.inference import Family, influences_on_means
from uqwidgets.inference.mean_intervals import MeanIntervals, mean_intervals
from uqwidgets.inference.population import Population
from uqwidgets.measures import Measure

# Points of each feature, which make 400 points in all.
SURFACE_POINTS = 20
_MOST_POINTS = 1_000_000
# Of each point up to a thousand numbers are kept until all points are known.
_MOST_AT_ONCE = 10_000


def surface_features(feature: Any) -> list[str] | None:
    """Return the features of a surface, from any container of names; None for a single name."""
    is_one = isinstance(feature, (str, bytes)) or getattr(feature, "ndim", 1) == 0
    if is_one or not isinstance(feature, Iterable):
        return None
    if isinstance(feature, (Mapping, set, frozenset)) or getattr(feature, "ndim", 1) > 1:
        raise ValueError(f"feature is {brief(feature)}; pass a name, or a list of two names.")
    return list(feature)


def surface_grids(
    table: Table, features: Sequence[str], grid: Any, spacing: str, form: CurveTransform
) -> tuple[Grid, Grid]:
    """Check the options of a surface and return the grids of its two features.

    Parameters
    ----------
    table : Table
    features : sequence of two str
    grid : int, sequence of two, or None
        A number of points for both, or for each a number of points or the values themselves.
    spacing : str
    form : CurveTransform

    Raises
    ------
    ValueError
        If these are not two features, or their surface has no such grid or form.
    """
    if len(features) != 2 or str(features[0]) == str(features[1]):
        names = ", ".join(repr(name) for name in features)
        raise ValueError(f"a surface has two features, not {names or 'none'}; name two.")
    if not form.plain:
        raise ValueError(
            "center, derivative and relative apply to curves only; name one feature, or leave them "
            "out."
        )
    if grid is None:
        grid = SURFACE_POINTS
    whole = is_whole(grid)
    each = [grid, grid] if whole else list(grid) if isinstance(grid, (list, tuple)) else []
    if len(each) != 2:
        raise ValueError(
            "the grid of a surface must be a number of points, or one or a list of values for "
            "each of the two features."
        )
    first, second = (
        grid_of(table, name, points, spacing) for name, points in zip(features, each, strict=True)
    )
    checked_count(len(first) * len(second), "the number of points of the surface", 1, _MOST_POINTS)
    return first, second


def surface_replacements(first: Grid, second: Grid) -> list[Constant]:
    """Return those of each feature's curve, followed by those of all pairs of points."""
    columns = first.column, second.column
    pairs = [Constant(columns, (one, other)) for one in first.points for other in second.points]
    return [*first.replacements, *second.replacements, *pairs]


def surface(
    evaluations: Evaluations,
    measure: Measure,
    grids: tuple[Grid, Grid],
    population: Population,
    *,
    level: float,
    callback: ProgressCallback | None = None,
    family: Family | None = None,
) -> Surface:
    """PD of a measure over two features, beside the curve of each.

    Source: Wood et al. 2024, eq. 7; band: Molnar et al. 2023, eq. 5; Hall 1992.

    Values that do not fit in memory together are computed and averaged block by block.

    Parameters
    ----------
    evaluations : Evaluations
    measure : Measure
    grids : tuple of Grid
        Of two features.
    population : Population
    level : float
    callback : callable, optional
        See `Evaluations.evaluate_all`.
    family : Family, optional
        An empty one; the intervals of all points of the surface then hold at once.

    Returns
    -------
    Surface

    Raises
    ------
    ValueError
        If there are too many points for intervals that hold at once.
    """
    first, second = grids
    if family is not None and len(first) * len(second) > _MOST_AT_ONCE:
        raise ValueError(
            f"the surface has {len(first) * len(second):,} points, and intervals of at most "
            f"{_MOST_AT_ONCE:,} hold at once; use a smaller grid, or leave simultaneous out."
        )
    points = surface_replacements(first, second)
    (blocks,) = evaluations.curves(measure, [points], [None], [None], callback)
    shape, n_single = (len(first), len(second)), len(first) + len(second)
    parts: list[MeanIntervals] = []
    n_known = 0
    for values in blocks:
        parts.append(mean_intervals(values, population))
        if family is not None:
            # The curves of the two features alone have no interval.
            of_pairs = slice(max(0, n_single - n_known), None)
            some = parts[-1].estimate[of_pairs]
            family.add(influences_on_means(values[of_pairs], some, population))
        n_known += len(values)
        del values  # otherwise it stays in memory while the next is made
    means = MeanIntervals.joined(parts)
    of_surface = MeanIntervals(*(numbers[n_single:] for numbers in means))
    pointwise_level = None if family is None else family.pointwise_level(level)
    average, std_error, low, high = (
        numbers.reshape(shape)
        for numbers in (*of_surface[:2], *of_surface.at(pointwise_level or level))
    )
    axes = [evaluations.memoized(axis_of, evaluations.table, grid) for grid in grids]
    return Surface(
        features=(first.feature, second.feature),
        measure=measure.name,
        label=measure.label,
        unit=measure.unit,
        categorical=(first.categorical, second.categorical),
        grids=(first.values, second.values),
        spacings=(first.spacing, second.spacing),
        average=average,
        std_error=std_error,
        low=low,
        high=high,
        effects=(means.estimate[: len(first)], means.estimate[len(first) : n_single]),
        support=support(axes, population.weights),
        near=near(axes, population.weights),
        rows=population.positions,
        level=level,
        weighted=population.weighted,
        ess=population.ess,
        groups=population.group_count,
        pointwise_level=pointwise_level,
        ends=of_surface.at,
        remarks=first.remarks
        + second.remarks
        + remarks_on_ceiling(measure, evaluations.original_values(measure))
        + evaluations.remarks,
    )
