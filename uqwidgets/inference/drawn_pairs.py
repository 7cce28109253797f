"""The mean change over drawn pairs of a scored row and a donor."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats, Positions
from uqwidgets.inference.cancelling import ROUNDING, less_noisy
from uqwidgets.inference.influence import Change, Influence, interaction_of_weights
from uqwidgets.inference.population import Population
from uqwidgets.inference.sums import dot, values_at

# Arrays of (repeats, rows) are processed whole while they fit the processor's cache, else a few
# repeats at a time.
_CACHED_VALUES = 1 << 15
# The weights of the pairs are computed once, and not once per pass, up to this many of them.
_MOST_STORED_WEIGHTS = 1 << 20
# Sums of the third order correct the skewness of an interval, which is small for so many rows.
# With more rows they are taken from a random sample of them.
_MOST_THIRD_ORDER = 1 << 15


def mean_change(
    change: Floats,
    donors: Positions,
    original: Floats,
    population: Population,
    subgroups: Positions | None = None,
    offered: Floats | None = None,
) -> Change:
    r"""Weighted mean of per-row changes under replacement, and the influence of every row on it.

    With :math:`\delta_{ki}` the change of row i in repeat k, d its donor, w the weights and s
    the weights of the scored rows, the estimate is
    :math:`\theta = \sum s_i w_{d(k,i)} \delta_{ki} / \sum s_i w_{d(k,i)}`: the importance in
    the population that the weights describe, where row and donor are drawn independently.
    Within subgroups g it is :math:`\theta_g`, and :math:`\theta = \sum S_g \theta_g / S` with
    the weights :math:`S_g` of their scored rows.

    Permutation importance is a two-sample U-statistic (Hoeffding 1948; Fisher et al. 2019): every
    row acts as the row that is scored and as the donor of a value, so an interval that accounts
    for only one of the two, or for the repeats alone, covers far too rarely. The influence of row
    i is the sum of both roles,

    .. math:: \psi_i = \frac{n}{S} \left[ s_i (\theta_g - \theta) + \frac{S_g}{c_g} \left\{
              s_i \operatorname{mean}_k w_{d(k,i)} (\delta_{ki} - \theta_g) + w_i
              \operatorname{mean}_k s_{r(k,i)} (\delta_{k r(k,i)} - \theta_g) \right\} \right],
              \quad c_g = \operatorname{mean}_k \sum_{i \in g} s_i w_{d(k,i)},

    where r(k,i) are the rows that received the value of row i. The Monte Carlo noise of each pair
    enters the squares of two influences although it occurred once; the sum of the squares of the
    pairs is therefore returned as ``double_counted``. If the two roles of a row nearly cancel, as
    they do for the entropy of a model that one feature dominates, the noise of the drawn pairs
    hides the influence that remains, and `less_noisy` reduces it.

    Parameters
    ----------
    change : ndarray of shape (K, n)
        Measure of the row with the replaced value minus that of the row itself.
    donors : ndarray of shape (K, n)
        Position of the donor of each.
    original : ndarray of shape (n,)
        The measure of each row without replacement.
    population : Population
    subgroups : ndarray of shape (n,), optional
        Subgroup of each row, counted from 0; the donors of a row belong to its subgroup.
    offered : ndarray of shape (n,), optional
        Mean weight of the donors of each row over all repeats, if ``donors`` holds only some of
        the repeats.

    Returns
    -------
    Change
    """
    w, repeats, n = population.weights, *change.shape
    s = population.scored
    if subgroups is not None:
        offered = w[donors].mean(axis=0) if offered is None else offered
        s = balanced(s, offered, subgroups)
    weights = _PairWeights(w, s, donors, equal=population.plain and subgroups is None)

    sums, totals, squared_weights = weights.sums(change)
    total = totals.sum()
    if total == 0:
        return Change.of_nothing(n, repeats)
    estimate = float(sums.sum() / total)
    n_pairs = float(total**2 / squared_weights)
    scale = n / total  # 1 / repeats if all weights are 1
    # A scalar, or the mean of the subgroup of each row.
    centre = np.asarray(estimate)
    if subgroups is not None:
        row_sums = weights.row_sums(change) / repeats
        centre = _subgroup_means(row_sums, population.scored, s, subgroups)
        del row_sums, offered  # otherwise they stay in memory while the influences are made

    def pair_influences() -> Iterator[tuple[slice, Floats]]:
        for chunk in weights.chunks:
            influence = change[chunk] - centre
            influence *= weights.scaled(chunk, scale)
            yield chunk, influence

    scored, donated, squares = _sums_over_pairs(pair_influences(), donors)
    of_rows = scored + donated
    roles = scored, donated
    if subgroups is not None:
        between = np.where(s > 0, population.scored, 0.0) * (centre - estimate) * (scale * repeats)
        scored = scored + between  # a copy, because the roles are used as they are
        of_rows += between
        del between
    influence = less_noisy(
        Influence(of_rows, squares, pair_influences),
        roles,
        pair_influences,
        donors,
        original,
        population,
    )
    size = math.sqrt(repeats * float(squares.mean()))
    if abs(estimate) <= ROUNDING * size:
        estimate = 0.0

    interaction, double_counted_cubes = _third_order(influence, donors, population)
    with np.errstate(invalid="ignore"):  # NaN for a repeat whose pairs have no weight
        repeat_means = sums / totals
    return Change(
        estimate=estimate,
        influence_scored=scored,
        influence_donor=influence.of_rows - scored,
        double_counted=influence.double_counted,
        interaction=interaction,
        double_counted_cubes=double_counted_cubes,
        pairs=n_pairs,
        pair_variance=lambda: weights.variance(change, estimate, total, n_pairs),
        repeats=repeat_means,
        totals=totals,
        per_row=lambda: weights.row_means(change),
    )


def _sums_over_pairs(
    chunks: Iterator[tuple[slice, Floats]], donors: Positions
) -> tuple[Floats, Floats, Floats]:
    """Sum the influences of the pairs by scored row and by donor, and their squares (n,)."""
    n = donors.shape[1]
    scored, donated, squares = np.zeros(n), np.zeros(n), np.zeros(n)
    for chunk, of_pairs in chunks:
        scored += of_pairs.sum(axis=0)
        donated += np.bincount(donors[chunk].ravel(), weights=of_pairs.ravel(), minlength=n)
        squares += np.einsum("ki,ki->i", of_pairs, of_pairs)
        del of_pairs  # otherwise they stay in memory while other arrays of this size are made
    return scored, donated, squares


class _PairWeights:
    """Weights of the drawn pairs of a scored row and its donor, and sums with them.

    Parameters
    ----------
    w, s : ndarray of shape (n,)
        Weights of the rows as donors and as scored rows; a pair has the product of both.
    donors : ndarray of shape (K, n)
    equal : bool
        Whether every pair has weight 1, so that no weight needs to be looked up.
    """

    def __init__(self, w: Floats, s: Floats, donors: Positions, *, equal: bool) -> None:
        repeats, n = donors.shape
        step = max(1, _CACHED_VALUES // n)
        self.chunks = [slice(k, k + step) for k in range(0, repeats, step)]
        self._w, self._s, self._donors, self._equal = w, s, donors, equal
        stores = not equal and repeats * n <= _MOST_STORED_WEIGHTS
        self._stored = self._computed(slice(None)) if stores else None

    def scaled(self, chunk: slice, scale: float) -> Floats | float:
        """Return the weights of some repeats times a scale, shape (k, n); a scalar if equal."""
        return scale if self._equal else scale * self._of(chunk)

    def sums(self, change: Floats) -> tuple[Floats, Floats, float]:
        """Weighted sum of the changes and of the weights per repeat, (K,), and squared weights."""
        repeats, n = change.shape
        sums, totals = np.empty(repeats), np.full(repeats, float(n))
        squared = float(repeats * n) if self._equal else 0.0
        for chunk in self.chunks:
            if self._equal:
                sums[chunk] = change[chunk].sum(axis=1)
                continue
            weights = self._of(chunk)
            squared += float(np.einsum("ki,ki->", weights, weights))
            totals[chunk] = weights.sum(axis=1)
            sums[chunk] = np.einsum("ki,ki->k", weights, change[chunk])
        return sums, totals, squared

    def row_sums(self, change: Floats) -> Floats:
        """Weighted sum of the changes of each scored row over its pairs, shape (n,)."""
        return np.asarray(
            sum(np.einsum("ki,ki->i", self._of(chunk), change[chunk]) for chunk in self.chunks)
        )

    def row_means(self, change: Floats) -> Floats:
        """Mean change of each row over its donors, by their weights (n,); NaN without any."""
        if self._equal:
            return np.asarray(change.mean(axis=0))
        weights = self._w[self._donors]
        with np.errstate(invalid="ignore"):
            mean: Floats = np.einsum("ki,ki->i", weights, change) / weights.sum(axis=0)
        return mean

    def variance(self, change: Floats, estimate: float, total: float, n_pairs: float) -> float:
        """Variance of the mean, as if the pairs were independent; NaN for one pair."""
        if n_pairs <= 1:
            return np.nan
        squared = sum(
            float(np.square(self.scaled(chunk, 1.0) * (change[chunk] - estimate)).sum())
            for chunk in self.chunks
        )
        return float(squared / total**2 * n_pairs / (n_pairs - 1))

    def _of(self, chunk: slice) -> Floats:
        return self._computed(chunk) if self._stored is None else self._stored[chunk]

    def _computed(self, chunk: slice) -> Floats:
        weights = values_at(self._w, self._donors[chunk])
        weights *= self._s
        return weights


def balanced(s: Floats, offered: Floats, subgroups: Positions) -> Floats:
    """Scale weights of scored rows so that the pairs of a subgroup have the weight of its rows.

    Otherwise a subgroup of heavy rows would count with the square of its weight. A subgroup in
    which no scored row has a donor of positive weight is left out.

    Parameters
    ----------
    s : ndarray of shape (n,)
        Weights of the scored rows.
    offered : ndarray of shape (n,)
        Mean weight of the donors of each row.
    subgroups : ndarray of shape (n,)
    """
    pairs, rows = np.bincount(subgroups, s * offered), np.bincount(subgroups, s)
    return np.asarray(
        s * np.divide(rows, pairs, out=np.zeros_like(rows), where=pairs > 0)[subgroups]
    )


def _subgroup_means(
    row_sums: Floats, scored: Floats, balanced_scored: Floats, subgroups: Positions
) -> Floats:
    """Mean change in the subgroup of every row, shape (n,), from the sums of its rows."""
    rows = np.bincount(subgroups, np.where(balanced_scored > 0, scored, 0.0))
    sums = np.bincount(subgroups, row_sums)
    return np.asarray(np.divide(sums, rows, out=np.zeros_like(sums), where=rows > 0)[subgroups])


class ThirdOrderRows:
    """The scored rows whose pairs are in sums of the third order.

    Parameters
    ----------
    is_scored : ndarray of shape (n,)

    Attributes
    ----------
    factor : float
        By it sums over these rows are multiplied to give those over all rows.
    """

    def __init__(self, is_scored: npt.NDArray[np.bool_]) -> None:
        self._n, self.factor = len(is_scored), 1.0
        self._sample: Positions | None = None
        if self._n > _MOST_THIRD_ORDER:
            self._sample, self.factor = sample_of_rows(is_scored, _MOST_THIRD_ORDER)
            self._n = len(self._sample)

    def blocks(self, step: int) -> Iterator[slice | Positions]:
        """Yield so many rows at a time."""
        for first in range(0, self._n, step):
            block = slice(first, first + step)
            yield block if self._sample is None else self._sample[block]


def sample_of_rows(is_counted: npt.NDArray[np.bool_], most: int) -> tuple[Positions, float]:
    """Return a random sample of some rows, the same each time, and the inverse of its share.

    Parameters
    ----------
    is_counted : ndarray of shape (n,)
        Whether a row is one of those that are sampled.
    most : int
        Rows of the sample, unless there are fewer.
    """
    rows = np.flatnonzero(is_counted)
    if len(rows) <= most:
        return rows, 1.0
    # One of each of as many parts of the same size.
    places = np.random.default_rng(0).random(most)
    places += np.arange(most)
    places *= len(rows) / most
    return rows[np.minimum(places.astype(np.intp), len(rows) - 1)], len(rows) / most


def _third_order(
    influence: Influence, donors: Positions, population: Population
) -> tuple[float, float]:
    """Cube roots of `Change.interaction` and `Change.double_counted_cubes`."""
    # The influence of the group of each row, if rows belong together.
    of_units = population.of_units(influence.of_rows)
    groups = population.groups
    of_rows = of_units if groups is None else of_units[groups.codes]
    largest = float(np.abs(of_rows).max())
    if influence.pairs is None or not largest > 0:
        return 0.0, 0.0
    chains = cubes = 0.0
    scored = ThirdOrderRows(population.scored > 0)
    for chunk, of_pairs in influence.pairs():
        # Several arrays of this size are in memory at a time.
        step = max(1, _CACHED_VALUES // 8 // len(of_pairs))
        for some in scored.blocks(step):
            pairs = of_pairs[:, some] / largest
            others = of_rows[some] / largest - pairs
            of_donors = values_at(of_rows, donors[chunk, some])
            of_donors /= largest
            of_donors -= pairs
            others *= of_donors
            chains += scored.factor * float(np.einsum("ki,ki->", pairs, others))
            np.multiply(pairs, pairs, out=others)
            cubes += scored.factor * float(np.einsum("ki,ki->", others, pairs))
        del of_pairs, pairs, others, of_donors  # otherwise they stay in memory while the next come
    of_units = of_units / largest
    variance = dot(of_units, of_units) - float(influence.double_counted.sum()) / largest / largest
    units = population.units
    interaction = 2 * chains + interaction_of_weights(
        of_units, variance, units.scored, units.weights
    )
    return largest * math.cbrt(interaction), largest * math.cbrt(cubes)
