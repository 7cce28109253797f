r"""Slices: ranges and categories in which a measure is higher than elsewhere, with error control.

A slice is chosen because it looks bad, so what it shows in the rows that it was chosen from is too
much. Therefore the rows, or groups of rows, are split at random into two halves. Slices are
searched for in each half, and each is estimated and tested in the other half, in which it is as if
it had been named before. All tests of both halves hold at once.

Let w be the weights of the rows of a half, l the measure, and s the rows of a slice. The difference
of the means in the slice, :math:`\bar l_s`, and elsewhere, :math:`\bar l_e`, has the influences
:math:`w_i (l_i - \bar l_s) / w_s` of rows in it and :math:`-w_i (l_i - \bar l_e) / w_e` of the
others. Its interval has Satterthwaite's degrees of freedom and Hall's correction of the
skewness (Satterthwaite 1946; Hall 1992). Its variance is at least that of rows that are drawn from
the whole half, because a slice of few rows may happen to have equal values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from uqwidgets._typing import Floats, Positions
from uqwidgets._utils.choices import as_names, unknown
from uqwidgets._utils.options import checked_count
from uqwidgets._utils.remarks import Remark
from uqwidgets.evaluation.columns import Columns
from uqwidgets.inference import Family, Moments
from uqwidgets.inference.moments import bounds_of_moments, moments_of_influences, one_sided_p_values
from uqwidgets.inference.population import Population
from uqwidgets.measures import Measure
from uqwidgets.plotting.text import counted
from uqwidgets.slices.bins import Bins, Mask
from uqwidgets.slices.candidates import Candidate, Search
from uqwidgets.slices.result import Slices

# Slices that are tested in each half.
_TESTED = 10
# Rows, or groups of rows, that a slice has at least in each half.
_LEAST_UNITS = 10
# By default a slice has at least this share of the rows.
_LEAST_SHARE = 0.01
# Slices of which this share of the rows is in both are reported once: the clearest.
_SAME_ROWS = 0.5
# A slice within or across another one is reported only if it is worse beyond that, in standard
# errors.
_BEYOND = 2.0


@dataclass(frozen=True, eq=False)
class _Tested:
    """A candidate from one half of the rows, and the other half, in which it is tested."""

    candidate: Candidate
    same: list[Candidate]
    rows: Positions


@dataclass(frozen=True, eq=False)
class FoundSlices:
    """Slices that were found, which can be estimated under any weights of the rows.

    Attributes
    ----------
    measure : Measure
    values : ndarray of shape (n,)
        The measure of every row.
    bins : tuple of Bins
    tested : tuple of _Tested
    n_compared : int
        Candidates of both halves.
    level : float
    seed : int
    remarks : tuple of Remark
    """

    measure: Measure
    values: Floats
    bins: tuple[Bins, ...]
    tested: tuple[_Tested, ...]
    n_compared: int
    level: float
    seed: int
    remarks: tuple[Remark, ...] = ()

    @cached_property
    def masks(self) -> Mask:
        """Which rows are in each slice, shape (m, n)."""
        masks = [each.candidate.mask(self.bins) for each in self.tested]
        return np.array(masks, dtype=np.bool_).reshape(-1, len(self.values))

    def estimated(self, population: Population) -> Slices:
        """Return the slices in which the measure is clearly higher than elsewhere.

        Parameters
        ----------
        population : Population
            Of the same rows as those in which the slices were found, with any weights.
        """
        return self.of(self.clear(population), population)

    def clear(self, population: Population) -> Positions:
        """Return the positions of the slices that are clear, the clearest first.

        One that says no more than those before it is left out.
        """
        columns, _, (_, low, _), p = self._intervals(population)
        order = np.lexsort([-columns[2], p])
        return self._listed([int(k) for k in order if low[k] > 0], population)

    def of(self, listed: Positions, population: Population) -> Slices:
        """Return some of the tested slices in a population.

        Parameters
        ----------
        listed : ndarray of shape (m,)
            Positions of tested slices.
        population : Population
        """
        columns, pointwise_level, (error, low, high), p = self._intervals(population)
        weights = population.scored
        masks = self.masks[listed] & (weights > 0)
        parts = [self.tested[k].candidate.parts for k in listed]
        return Slices(
            measure=self.measure.name,
            label=self.measure.label,
            unit=self.measure.unit,
            slices=tuple(self._text(self.tested[k].candidate) for k in listed),
            conditions=tuple([self.bins[j].condition(chosen) for j, chosen in of] for of in parts),
            same_rows=tuple(self._same(k) for k in listed),
            masks=masks,
            rows=masks.sum(axis=1),
            share=masks @ weights / weights.sum(),
            value=columns[0][listed],
            elsewhere=columns[1][listed],
            difference=columns[2][listed],
            std_error=error[listed],
            low=low[listed],
            high=high[listed],
            p_adjusted=p[listed],
            n_compared=self.n_compared,
            n_tested=len(self.tested),
            level=self.level,
            n_rows=len(population.positions),
            weighted=population.weighted,
            ess=population.ess,
            groups=population.group_count,
            remarks=self.remarks,
            pointwise_level=pointwise_level,
        )

    def _intervals(
        self, population: Population
    ) -> tuple[Floats, float, tuple[Floats, Floats, Floats], Floats]:
        """Return the means and differences (3, m), the level and the ends of each, p-values."""
        lines, moments, family = [], [], Family(self.seed)
        for mask, each in zip(self.masks, self.tested, strict=True):
            line, influences, of_line = self._line(mask, each.rows, population)
            lines.append(line)
            moments.append(of_line)
            family.add(influences)
        level = family.pointwise_level(self.level)
        if not lines:
            empty = np.empty(0)
            return np.empty((3, 0)), level, (empty, empty, empty), empty
        stacked = Moments.stacked(moments)
        p = family.adjusted(2 * np.minimum(*one_sided_p_values(stacked, "t")))
        return np.array(lines).T, level, bounds_of_moments(stacked, level), p

    def _line(
        self, mask: Mask, rows: Positions, population: Population
    ) -> tuple[tuple[float, float, float], Floats, Moments]:
        """Return the means in a slice and elsewhere, their difference, its influences, moments."""
        w = np.zeros(len(self.values))
        w[rows] = population.scored[rows]
        sides = np.where(mask, w, 0.0), np.where(mask, 0.0, w)
        totals = [float(side.sum()) for side in sides]
        if not min(totals) > 0:
            nan, none = math.nan, np.full(len(population.units.weights), np.nan)
            return (nan, nan, nan), none, Moments.symmetric(nan, nan, nan)
        inside, outside = (
            float(side @ self.values) / total for side, total in zip(sides, totals, strict=True)
        )
        signed = sides[0] / totals[0] - sides[1] / totals[1]
        means = np.where(mask, inside, outside), w @ self.values / w.sum()
        own, of_whole = (population.of_units(signed * (self.values - mean)) for mean in means)
        n_units = [int(np.count_nonzero(population.of_units(side))) for side in sides]
        least = max(2, min(n_units))
        error = float(np.linalg.norm(own))
        scale = max(1.0, float(np.linalg.norm(of_whole)) / error) if error > 0 else 1.0
        influences = math.sqrt(least / (least - 1)) * scale * own
        moments = moments_of_influences(inside - outside, influences, 2 * least - 1)
        return (inside, outside, inside - outside), influences, moments

    def _listed(self, clear: Sequence[int], population: Population) -> Positions:
        """Return the clear slices that say more than those listed before them."""
        kept: list[int] = []
        residuals = self.values.copy()
        w = population.scored
        for k in clear:
            mask = self.masks[k]
            is_known = any(_jaccard(self.masks[j], mask) >= _SAME_ROWS for j in kept)
            if is_known or not self._is_beyond(mask, self.tested[k].rows, residuals, population):
                continue
            kept.append(k)
            elsewhere = np.average(residuals[~mask], weights=w[~mask])
            residuals[mask] += elsewhere - np.average(residuals[mask], weights=w[mask])
        return np.array(kept, dtype=np.intp)

    def _is_beyond(
        self, mask: Mask, rows: Positions, residuals: Floats, population: Population
    ) -> bool:
        """Whether what other slices leave of the measure is still higher in this one."""
        w = np.zeros(len(residuals))
        w[rows] = population.scored[rows]
        inside = np.where(mask, w, 0.0)
        centred = residuals - w @ residuals / w.sum()
        of_units = population.of_units(inside * centred)
        return bool(of_units.sum() > _BEYOND * np.linalg.norm(of_units))

    def _text(self, candidate: Candidate) -> str:
        return " and ".join(self.bins[j].text(chosen) for j, chosen in candidate.parts)

    def _same(self, k: int) -> str:
        """Return another condition that nearly the same rows meet, of other features."""
        own = self.tested[k].candidate
        others = [
            each
            for each in self.tested[k].same
            if set(each.features) != set(own.features) and len(each.features) <= len(own.features)
        ]
        return self._text(others[0]) if others else ""


def _jaccard(one: Mask, other: Mask) -> float:
    return float((one & other).sum() / max(1, (one | other).sum()))


def slices(
    measure: Measure,
    values: Floats,
    population: Population,
    columns: Sequence[Columns],
    features: Sequence[str] | None,
    *,
    max_features: int,
    min_rows: int | None,
    level: float,
    seed: int,
) -> FoundSlices:
    """Find slices of the rows in which a measure is higher than elsewhere.

    Parameters
    ----------
    measure : Measure
    values : ndarray of shape (n,)
        The measure of every row.
    population : Population
    columns : sequence of Columns
        The features, and other columns of the same rows.
    features : sequence of str or None
        Names of columns; None for all.
    max_features : int
        Features of a slice, 1 or 2.
    min_rows : int or None
        Rows of the smallest slice; by default 1 % of them, and at least 20.
    level : float
    seed : int
        Of the two halves, and of the bootstrap.

    Returns
    -------
    FoundSlices

    Raises
    ------
    ValueError
        If a column does not exist, or a number is out of range.
    """
    checked_count(max_features, "max_features", 1, 2)
    chosen = _named(columns, features)
    rows = np.flatnonzero(population.scored > 0)
    smallest = max(2 * _LEAST_UNITS, math.ceil(_LEAST_SHARE * len(rows)))
    if min_rows is not None:
        smallest = checked_count(min_rows, "min_rows", 2 * _LEAST_UNITS, len(rows))
    least = -(-smallest // 2)
    halves = _halves(population, rows, seed)
    bins = tuple(Bins.of(own, name, smallest) for own, name in chosen)
    tested: list[_Tested] = []
    n_compared, remarks = 0, []
    units = counted(len(rows), "row") if population.groups is None else str(population.group_count)
    if min(len(np.unique(_units(population, half))) for half in halves) < 2 * _LEAST_UNITS:
        remarks.append(
            Remark(
                "few-rows-for-slices",
                f"No slice was tested: {units} are too few to find slices in one half of them and "
                f"to test these in the other half, each with {2 * _LEAST_UNITS} or more",
            )
        )
    else:
        for searched, other in (halves, halves[::-1]):
            search = Search(
                bins, values[searched], population.among(searched), searched, least, max_features
            )
            best, count = search.best(_TESTED)
            n_compared += count
            for candidate, same in best:
                inside = candidate.mask(bins, other)
                of_units = [
                    len(np.unique(_units(population, other[side]))) for side in (inside, ~inside)
                ]
                if min(of_units) >= _LEAST_UNITS:
                    tested.append(_Tested(candidate, same, other))
    return FoundSlices(
        measure, values, bins, tuple(tested), n_compared, level, seed, tuple(remarks)
    )


def _named(columns: Sequence[Columns], features: Sequence[str] | None) -> list[tuple[Columns, str]]:
    """Return the columns of some names, by default all."""
    every = [(own, name) for own in columns for name in own.names]
    if features is None:
        return every
    of = {name: own for own, name in every}
    names = [str(name) for name in as_names(features)]
    for name in names:
        if name not in of:
            raise ValueError(unknown("feature or extra column", name, list(of)))
    return [(of[name], name) for name in dict.fromkeys(names)]


def _units(population: Population, rows: Positions) -> Positions:
    return rows if population.groups is None else population.groups.codes[rows]


def _halves(population: Population, rows: Positions, seed: int) -> tuple[Positions, Positions]:
    """Split rows at random into halves; rows that belong together are in one of them."""
    _, codes = np.unique(_units(population, rows), return_inverse=True)
    is_first = np.random.default_rng(seed).permutation(int(codes.max()) + 1) % 2 == 0
    return rows[is_first[codes]], rows[~is_first[codes]]
