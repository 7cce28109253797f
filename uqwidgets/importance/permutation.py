r"""Permutation importance of features for a measure: the mean change when values are replaced.

With the measure :math:`\ell`, row i and the donor d(k, i) of its value of feature j in repeat k,

.. math:: \hat{I}_j = \frac{1}{K n} \sum_{k=1}^{K} \sum_{i=1}^{n}
          \left[ \ell(x_{d(k,i),j}, x_{i,-j}, y_i) - \ell(x_i, y_i) \right].

With the negative log-likelihood as the measure this is Likelihood-PFI (Wood et al. 2024, eq. 5),
with the entropy Entropy-PFI (section 3.2 there), with a loss and ``ablation`` randomized ablation
importance (Merrick 2019, eq. 9), with a loss and ``permutation`` model PFI (Molnar et al. 2023,
eq. 4). Row weights :math:`w` act on both roles of a row: each term is weighted by
:math:`w_i w_{d(k,i)}`, which gives the importance in the reweighted population.

The changes of single rows come from `Evaluations.differences`, the weighted mean and the influence
of each row on it from `uqwidgets.inference.mean_change`, the default interval of all features from
`uqwidgets.inference.u_statistic_bounds`, and intervals of other kinds from `bounds`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd

from uqwidgets._typing import Floats, Positions
from uqwidgets._utils.errors import NoRatioError
from uqwidgets._utils.remarks import Remark
from uqwidgets.evaluation.distinct import distinct_rows
from uqwidgets.evaluation.evaluations import Differences, Evaluations
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.evaluation.replacement import Scheme
from uqwidgets.evaluation.table import Table
from uqwidgets.importance.remarks import (
    remarks_on_many,
    remarks_on_measure,
    remarks_on_pairs,
    remarks_on_sampler,
    remarks_on_subgroups,
    remarks_on_tails,
    remarks_within_groups,
)
from uqwidgets.importance.result import Importance
from uqwidgets.importance.settings import Settings
from uqwidgets.inference import (
    Bounds,
    Change,
    Family,
    Interval,
    Moments,
    bounds,
    every_donor,
    interval_moments,
    listed_bounds,
    mean_change,
    pooled,
    ratio_bounds,
    ratio_change,
)
from uqwidgets.inference.groups import RowGroups
from uqwidgets.inference.moments import degrees_of_freedom
from uqwidgets.inference.population import Population
from uqwidgets.inference.sums import dot
from uqwidgets.measures import Measure


def permutation_importance(
    evaluations: Evaluations,
    measure: Measure,
    features: Sequence[str],
    population: Population,
    settings: Settings,
    callback: ProgressCallback | None = None,
) -> Importance:
    """Rank features, or groups of features, by importance, the most important first.

    Parameters
    ----------
    evaluations : Evaluations
    measure : Measure
    features : sequence of str, length p
        Features, or groups of them that move together.
    population : Population
    settings : Settings
    callback : callable, optional
        See `Evaluations.evaluate_all`.

    Returns
    -------
    Importance

    Raises
    ------
    ValueError
        If the comparison is a ratio and the measure's mean is not positive.
    """
    changes = mean_changes(evaluations, measure, features, population, settings, callback)
    return importance_of_changes(evaluations, measure, features, population, settings, changes)


def mean_changes(
    evaluations: Evaluations,
    measure: Measure,
    features: Sequence[str],
    population: Population,
    settings: Settings,
    callback: ProgressCallback | None = None,
) -> Iterator[Change]:
    """Yield the mean change of a measure under the replacements of each feature.

    Lazily, because the changes of one feature hold arrays of all rows and repeats.

    Parameters
    ----------
    evaluations, measure, features, population, settings, callback
        As in `permutation_importance`.

    Yields
    ------
    Change
    """
    columns = [evaluations.table.columns_of(feature) for feature in features]
    if settings.sampler == "residuals":
        yield from _changes_by_residuals(
            evaluations, measure, columns, population, settings, callback
        )
        return
    if settings.permute == "rows":
        for differences in evaluations.differences(measure, columns, settings.draws, callback):
            yield change_of_differences(differences, population)
        return
    groups = population.groups
    assert groups is not None
    for is_constant, some in groupby(columns, partial(constant_within, evaluations.table, groups)):
        scheme: Scheme = "permutation of groups" if is_constant else "permutation"
        draws = settings.draws._replace(scheme=scheme)
        change_of = change_of_groups if is_constant else change_of_differences
        for differences in evaluations.differences(measure, list(some), draws, callback):
            yield change_of(differences, population)


def _changes_by_residuals(
    evaluations: Evaluations,
    measure: Measure,
    columns: Sequence[tuple[int, ...]],
    population: Population,
    settings: Settings,
    callback: ProgressCallback | None,
) -> Iterator[Change]:
    """Yield the changes where donors are the rows whose residuals others take.

    The interval takes the models of the features as they are. Their error is a sum over the same
    rows, which mostly cancels a part of the influences, so that this is cautious.
    """
    assert settings.n_repeats != "all"
    for moved in columns:
        evaluations.sampler(moved)  # raises here rather than after calls of the model
    all_differences = evaluations.differences(measure, columns, settings.draws, callback)
    for moved, differences in zip(columns, all_differences, strict=True):
        donors = evaluations.donors(moved, "permutation", settings.seed, settings.n_repeats)
        blocks = (block._replace(donors=donors[block.replacements]) for block in differences.blocks)
        of_residuals = replace(differences, blocks=blocks, donors=iter(donors))
        yield change_of_differences(of_residuals, population)


def constant_within(table: Table, groups: RowGroups, columns: tuple[int, ...]) -> bool:
    """Whether some columns have one value, or one combination of values, in each group of rows."""
    _, codes = distinct_rows(table, columns)
    return bool((codes == codes[groups.first_rows][groups.codes]).all())


def change_of_groups(differences: Differences, population: Population) -> Change:
    r"""Return the mean change of a feature that is constant within groups of rows, between groups.

    A group is one row of a smaller table: it is scored with the total weight of its scored rows and
    the weighted mean of their changes, and it is a donor with the mean weight of its rows, whatever
    their number. With the groups g of the rows and :math:`S_g = \sum_{i \in g} s_i`, the estimate
    is the mean of :math:`\sum_{i \in g} s_i \delta_i(h) / S_g` over all pairs of a group g and a
    donor group h, its own included, with the weights :math:`S_g \bar w_h`. So influences, double
    counted noise and degrees of freedom are those of `mean_change` or `every_donor` over groups.

    Parameters
    ----------
    differences : Differences
        Whose donors are the first rows of groups.
    population : Population
        With groups.
    """
    groups, s = population.groups, population.scored
    assert groups is not None
    firsts, n, g = groups.first_rows, len(s), len(groups)
    weights = groups.sums(population.weights) / groups.sums(np.ones(n))
    totals = groups.sums(s)
    # Rows that are not scored count as equals in a group without any scored row.
    share = np.where(totals[groups.codes] > 0, s, 1.0)
    share /= groups.sums(share)[groups.codes]
    of_units = Population(
        weights / weights.mean(),
        totals / totals.sum() * g,
        None if population.rows is None else np.flatnonzero(totals),
        weighted=True,
    )
    w, codes = of_units.weights, None
    if differences.codes is not None:
        codes = differences.codes[firsts]
        value_weights = np.bincount(codes, w, minlength=differences.n_replacements)
    row_sums, row_weights, parts, donors = np.zeros(n), np.zeros(n), [], []
    for block in differences.blocks:
        parts.append((block.replacements, groups.sums(share * block.values)))
        if codes is not None:
            of_block = value_weights[block.replacements]
            row_sums += of_block @ block.values
            row_weights += of_block.sum()
            continue
        assert block.donors is not None
        of_pairs = groups.codes[block.donors]
        row_sums += np.einsum("ki,ki->i", w[of_pairs], block.values)
        row_weights += w[of_pairs].sum(axis=0)
        donors.append(of_pairs[:, firsts])
        del block  # otherwise it stays in memory while the next is made
    one = np.zeros(g, dtype=np.intp)
    if codes is not None:
        change = every_donor(parts, codes, of_units, one)
    else:
        values = np.concatenate([values for _, values in parts])
        original = groups.sums(share * differences.original)
        change = mean_change(values, np.concatenate(donors), original, of_units)

    def at_first_rows(of_groups: Floats, scale: float) -> Floats:
        everywhere = np.zeros(n)
        everywhere[firsts] = of_groups * scale
        return everywhere

    scale = n / g
    with np.errstate(invalid="ignore"):  # NaN for a row that has no donor of positive weight
        of_rows = row_sums / row_weights
    return replace(
        change,
        influence_scored=at_first_rows(change.influence_scored, scale),
        influence_donor=at_first_rows(change.influence_donor, scale),
        double_counted=at_first_rows(change.double_counted, scale**2),
        interaction=change.interaction * scale,
        double_counted_cubes=change.double_counted_cubes * scale,
        per_row=lambda: of_rows,
    )


def change_of_differences(differences: Differences, population: Population) -> Change:
    """Return the mean change of one feature from the changes of single rows."""
    original, subgroups = differences.original, differences.subgroups
    if differences.codes is not None and subgroups is not None:
        blocks = ((block.replacements, block.values) for block in differences.blocks)
        return every_donor(blocks, differences.codes, population, subgroups)
    if differences.n_blocks > 1:
        return pooled(_changes_of_blocks(differences, population), len(original))
    (block,) = differences.blocks
    assert block.donors is not None
    return mean_change(block.values, block.donors, original, population, subgroups)


def _changes_of_blocks(
    differences: Differences, population: Population
) -> Iterator[tuple[Change, Floats | float]]:
    """Yield the change over the draws of each block, with the weight of each row's donors."""
    offered = None
    if population.weighted and differences.subgroups is not None:
        totals = (population.weights[donors] for donors in differences.donors)
        offered = np.asarray(sum(totals) / differences.n_replacements)
    for block in differences.blocks:
        assert block.donors is not None
        weights: Floats | float = float(len(block.donors))
        if population.weighted:
            weights = np.asarray(sum(population.weights[donors] for donors in block.donors))
        change = mean_change(
            block.values,
            block.donors,
            differences.original,
            population,
            differences.subgroups,
            offered,
        )
        yield change, weights
        del block, change, weights  # otherwise they stay in memory while the next are made


def importance_of_changes(
    evaluations: Evaluations,
    measure: Measure,
    features: Sequence[str],
    population: Population,
    settings: Settings,
    changes: Iterable[Change],
) -> Importance:
    """Rank features by their mean changes, with an interval for each.

    Parameters
    ----------
    evaluations, measure, features, population, settings
        As in `permutation_importance`.
    changes : iterable of Change, length p
        In the order of ``features``.

    Raises
    ------
    ValueError
        If the comparison is a ratio and the measure's mean is not positive.
    """
    ranking = FeatureRanking(evaluations, measure, features, population, settings)
    for change in changes:
        ranking.add(change)
        del change  # otherwise its arrays stay in memory while the next are made
    return ranking.result()


class FeatureRanking:
    """Importance of features whose mean changes are added one by one.

    Parameters
    ----------
    evaluations, measure, features, population, settings
        As in `permutation_importance`.

    Raises
    ------
    ValueError
        If the comparison is a ratio and the measure's mean is not positive.
    """

    def __init__(
        self,
        evaluations: Evaluations,
        measure: Measure,
        features: Sequence[str],
        population: Population,
        settings: Settings,
    ) -> None:
        self._evaluations, self._measure, self._features = evaluations, measure, features
        self._population, self._settings = population, settings
        self._original = evaluations.original_values(measure)
        self._baseline = dot(population.scored, self._original) / population.scored.sum()
        check_ratio(settings, measure, self._baseline)
        self._estimates = Estimates(settings)
        self._per_row = np.empty((len(features), 0))

    def add(self, change: Change) -> None:
        """Add the mean change of the next feature, in the order of ``features``."""
        j, estimates = len(self._estimates.pairs), self._estimates
        estimates.add(change, self._original, self._baseline, self._population)
        row = estimates.row_changes(change, self._baseline, self._population)
        if j == 0:  # not earlier: the interval of the first feature needs much memory
            self._per_row = np.empty((len(self._features), len(row)))
        self._per_row[j] = row

    def result(self) -> Importance:
        """Return the importance of all features, after the last of them was added."""
        evaluations, measure, features = self._evaluations, self._measure, self._features
        population, settings, estimates = self._population, self._settings, self._estimates
        intervals = estimates.intervals()
        return build_result(
            features,
            intervals,
            self._per_row,
            estimates.repeats,
            measure=measure.name,
            label=measure.label,
            unit=measure.unit if settings.compare == "difference" else "times",
            baseline=self._baseline,
            subgroups=subgroups_frame(evaluations, features, settings),
            remarks=remarks_on_pairs(estimates.pairs)
            + self._remarks_on_groups()
            + self._remarks_on_sampler()
            + remarks_on_measure(measure, self._original, features, intervals, population, settings)
            + self._remarks_on_tails()
            + remarks_on_many(intervals, settings)
            + evaluations.remarks,
            **estimates.together,
            **provenance(settings, population),
        )

    def _remarks_on_groups(self) -> tuple[Remark, ...]:
        """Return a remark on features whose values could not move between whole groups."""
        groups, table = self._population.groups, self._evaluations.table
        if self._settings.permute == "rows" or groups is None:
            return ()
        within = [
            feature
            for feature in self._features
            if not constant_within(table, groups, table.columns_of(feature))
        ]
        return remarks_within_groups(within, self._population)

    def _remarks_on_sampler(self) -> tuple[Remark, ...]:
        """Return a remark on the models that values were drawn by."""
        if self._settings.sampler != "residuals":
            return ()
        table = self._evaluations.table
        samplers = (self._evaluations.sampler(table.columns_of(each)) for each in self._features)
        return remarks_on_sampler(
            [(j, of.name, of.explained) for j, of in zip(self._features, samplers, strict=True)]
        )

    def _remarks_on_tails(self) -> tuple[Remark, ...]:
        if self._settings.interval != "u-statistic":
            return ()
        moments, name = self._estimates.moments, self._measure.name
        df, is_changed = degrees_of_freedom(moments), moments.size > 0
        of_features = zip(self._features, df.tolist(), is_changed, strict=True)
        named = [(f"the importance of {j} for {name}", of) for j, of, known in of_features if known]
        return remarks_on_tails(named, self._population)


@dataclass(eq=False)
class Estimates:
    """Importance of the features so far, each with the parts of its result.

    Attributes
    ----------
    settings : Settings
    repeats : list of ndarray of shape (K,)
    pairs : list of float
        Effective number of pairs of a scored row and its donor.
    """

    settings: Settings
    repeats: list[Floats] = field(default_factory=list)
    pairs: list[float] = field(default_factory=list)
    _at_level: list[Callable[[float], Bounds]] = field(default_factory=list)
    _bounds: list[Bounds] = field(default_factory=list)
    _moments: list[Moments] = field(default_factory=list)
    _family: Family | None = None

    def __post_init__(self) -> None:
        if self.settings.simultaneous:
            self._family = Family(self.settings.seed)

    def add(
        self,
        change: Change,
        original: Floats,
        baseline: float,
        population: Population,
    ) -> None:
        """Add the next feature.

        Parameters
        ----------
        change : Change
        original : ndarray of shape (n,)
            The measure of the rows as they are.
        baseline : float
            Its weighted mean.
        population : Population
        """
        settings, is_alone = self.settings, self._family is None
        is_ratio = settings.compare == "ratio"
        kept = change if is_alone else change.without_pairs()

        def at(level: float) -> Bounds:
            options = settings.interval, level, population, settings.reference
            return ratio_bounds(kept, original, *options) if is_ratio else bounds(kept, *options)

        influences = None
        if not is_alone:
            of_change = ratio_change(change, original, population) if is_ratio else change
            influences = _influences(of_change, settings.interval, population)
        # A ratio is 1 where the change is 0, so that the tests of both are those of the change.
        moments = interval_moments(change, settings.interval, population)
        from_moments = not is_ratio and (settings.interval == "u-statistic" or not is_alone)
        repeats = 1 + change.repeats / baseline if is_ratio else change.repeats
        self.add_interval(None if from_moments else at, moments, influences, repeats)
        self.pairs.append(change.pairs)

    def add_interval(
        self,
        at: Callable[[float], Bounds] | None,
        moments: Moments,
        influences: Floats | None,
        repeats: Floats,
    ) -> None:
        """Add the next feature by its interval.

        Parameters
        ----------
        at : callable, optional
            The interval as a function of the level; by default it follows from the moments.
        moments : Moments
            Arrays of shape ().
        influences : ndarray of shape (u,), optional
            Of rows, or of groups of rows; read with ``simultaneous``.
        repeats : ndarray of shape (K,)
        """
        self._moments.append(moments)
        self.repeats.append(repeats)
        if self._family is None:
            if at is not None:
                self._bounds.append(at(self.settings.level))
            return
        if influences is None:
            self._family.add_unknown()
        else:
            self._family.add(influences)
        if at is not None:
            self._at_level.append(at)

    def row_changes(self, change: Change, baseline: float, population: Population) -> Floats:
        """Return the change of every scored row, or its part in the ratio, shape (m,)."""
        changes = change.per_row()[population.positions]
        return 1 + changes / baseline if self.settings.compare == "ratio" else changes

    def intervals(self) -> list[Bounds]:
        """Return the interval of every feature; those from moments are computed together."""
        level = self.settings.level if self._pointwise_level is None else self._pointwise_level
        if self._at_level:
            return [at(level) for at in self._at_level]
        return self._bounds or listed_bounds(self.moments, level, self.settings.reference)

    @property
    def together(self) -> dict[str, Any]:
        """Attributes of an `Importance` that tests and intervals of all features follow from."""
        return {
            "moments": self.moments,
            "family": self._family,
            "pointwise_level": self._pointwise_level,
        }

    @cached_property
    def moments(self) -> Moments:
        """Moments of all features, arrays of shape (p,)."""
        return Moments.stacked(self._moments)

    @cached_property
    def _pointwise_level(self) -> float | None:
        if self._family is None:
            return None
        return self._family.pointwise_level(self.settings.level)


def _influences(change: Change, interval: Interval, population: Population) -> Floats | None:
    """Return the influences that an interval accounts for, of rows or of groups of rows.

    None for an interval over draws or pairs: those of two features are independent.
    """
    match interval:
        case "u-statistic":
            return population.of_units(change.influence_scored + change.influence_donor)
        case "model":
            return population.of_units(change.influence_scored)
        case _:
            return None


def check_ratio(settings: Settings, measure: Measure, baseline: float) -> None:
    """Raise a ValueError if the comparison is a ratio and the measure's mean is not positive."""
    if settings.compare == "ratio" and not baseline > 0:
        raise NoRatioError(
            f"the mean {measure.name} of the scored rows is {baseline:.4g}, and a ratio needs a "
            "positive one; use compare='difference'."
        )


def build_result(
    features: Sequence[str],
    intervals: Sequence[Bounds],
    per_row: Floats,
    repeats: Sequence[Floats],
    moments: Moments | None = None,
    **attributes: Any,
) -> Importance:
    """Sort the results of all features into an `Importance`, the most important first.

    Parameters
    ----------
    features : sequence of str, length p
    intervals : sequence of Bounds, length p
    per_row : ndarray of shape (p, m)
        It is sorted in place, because with many rows or features there is no memory for a copy.
    repeats : sequence of p ndarrays of shape (K,)
    moments : Moments, optional
        Arrays of shape (p,).
    **attributes
        All other attributes of an `Importance`.
    """
    attributes["remarks"] += remarks_on_subgroups(attributes.get("subgroups"))
    estimates = np.array([interval.estimate for interval in intervals])
    # A stable sort keeps the table's order among equal estimates.
    order = np.argsort(-estimates, kind="stable")
    _sort_rows(per_row, order)
    return Importance(
        features=tuple(features[j] for j in order),
        importance=estimates[order],
        std_error=np.array([intervals[j].std_error for j in order]),
        low=np.array([intervals[j].low for j in order]),
        high=np.array([intervals[j].high for j in order]),
        per_row=per_row,
        repeats=np.stack([repeats[j] for j in order]),
        moments=None if moments is None else moments.of(order),
        **attributes,
    )


def _sort_rows(array: Floats, order: Positions) -> None:
    """Do ``array[:] = array[order]`` with memory for a single row: each cycle moves by one row."""
    is_in_place = np.zeros(len(order), dtype=bool)
    for first in range(len(order)):
        if is_in_place[first]:
            continue
        overwritten, rank = array[first].copy(), first
        while order[rank] != first:
            array[rank] = array[order[rank]]
            is_in_place[rank] = True
            rank = order[rank]
        array[rank] = overwritten
        is_in_place[rank] = True


def provenance(settings: Settings, population: Population) -> dict[str, Any]:
    """Return the attributes of an `Importance` that describe how it was computed."""
    return {
        "compare": settings.compare,
        "replacement": settings.replacement,
        "n_repeats": settings.n_repeats,
        "permute": settings.permute,
        "sampler": settings.sampler,
        "interval": settings.interval,
        "level": settings.level,
        "reference": settings.reference,
        "seed": settings.seed,
        "rows": population.rows,
        "weighted": population.weighted,
        "ess": population.ess,
        "groups": population.group_count,
    }


def subgroups_frame(
    evaluations: Evaluations, features: Sequence[str], settings: Settings
) -> pd.DataFrame | None:
    """Describe the subgroups of each feature: their number, smallest size and separation."""
    if settings.replacement != "conditional" or settings.sampler == "residuals":
        return None
    columns = [evaluations.table.columns_of(feature) for feature in features]
    subgroups = [evaluations.subgroups(moved, "conditional") for moved in columns]
    return pd.DataFrame(
        {
            "feature": list(features),
            "subgroups": [len(each.sizes) for each in subgroups],
            "smallest": [int(each.sizes.min()) for each in subgroups],
            "separation": [each.separation for each in subgroups],
        }
    )
