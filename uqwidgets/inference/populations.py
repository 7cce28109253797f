r"""Mean changes in many populations at once: the same drawn pairs under many weights of the rows.

`uqwidgets.inference.mean_change` gives the change in one population, with the influence of every
row. Where weights move along a path, as under stress, the mean alone is needed more often. A sum
over donors is then a product of a sparse matrix, whose row i has the changes :math:`\delta_{ki}`
in the columns of its donors d(k,i), with the weights of each population.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from uqwidgets._typing import Floats
from uqwidgets.inference.groups import RowGroups
from uqwidgets.inference.mean_intervals import MeanIntervals
from uqwidgets.inference.population import Population
from uqwidgets.inference.sums import dots_over_rows
from uqwidgets.inference.variance import df_of_shares

# Values of an array (rows, populations): more populations are computed part by part.
_MOST_VALUES = 1 << 19
# The fewest populations that are quicker together than one by one.
_FEWEST = 16


@dataclass(frozen=True, eq=False)
class ManyPopulations:
    """Weights of the same rows in several populations.

    Attributes
    ----------
    weights, scored : ndarray of shape (n, t)
        As in `uqwidgets.inference.population.Population`, a column for each population.
    groups : RowGroups or None
        As there.
    """

    weights: Floats
    scored: Floats
    groups: RowGroups | None = None

    @property
    def units(self) -> ManyPopulations:
        """The populations of the groups, or else of the rows, as `Population.units`."""
        return self if self.groups is None else self._of_groups

    @cached_property
    def _of_groups(self) -> ManyPopulations:
        assert self.groups is not None
        scale = len(self.groups) / len(self.weights)
        weights, scored = (scale * self.of_units(each) for each in (self.weights, self.scored))
        return ManyPopulations(weights, scored)

    def of_units(self, values: Floats) -> Floats:
        """Return sums over the rows of each of the `units`: (n, t) to (u, t)."""
        return values if self.groups is None else self.groups.sums_of_rows(values)

    def of_rows(self, values: Floats) -> Floats:
        """Return for each row the value of its unit: (u, t) to (n, t)."""
        return values if self.groups is None else values[self.groups.codes]

    @cached_property
    def ess_and_evenness(self) -> tuple[Floats, Floats]:
        """`Population.ess` and `Population.evenness` of each, shape (t,)."""
        relative = self.scored / self.scored.max(axis=0)
        ess = np.square(relative.sum(axis=0)) / np.square(relative).sum(axis=0)
        return ess, np.minimum(1.0, ess / np.count_nonzero(self.scored, axis=0))

    @cached_property
    def leverage_cubed(self) -> Floats:
        """Third power of `Population.leverage` of each, shape (n, t)."""
        shares = self.scored / self.scored.sum(axis=0)
        ess, _ = self.ess_and_evenness
        with np.errstate(divide="ignore"):
            leverage = np.where(shares > 0, 1 / (1 - shares), ess / (ess - 1))
        leverage = np.where(ess > 1, leverage, np.nan)
        return np.asarray(leverage * leverage * leverage)

    def parts(self, most_values: int) -> Iterator[ManyPopulations]:
        """Yield so many populations at a time that an array has no more values than this.

        Single ones are yielded instead of a few: short lines of an array take longer.
        """
        n, t = self.weights.shape
        step = most_values // n if most_values >= _FEWEST * n else 1
        yield from (self.some(slice(k, k + step)) for k in range(0, t, step))

    def some(self, which: slice | npt.NDArray[np.bool_]) -> ManyPopulations:
        """Return some of the populations."""
        weights = np.ascontiguousarray(self.weights[:, which])
        if self.scored is self.weights:
            return ManyPopulations(weights, weights, self.groups)
        scored = np.ascontiguousarray(self.scored[:, which])
        return ManyPopulations(weights, scored, self.groups)


def mean_changes_in(
    populations: ManyPopulations,
    changes: Sequence[Floats],
    donors: npt.NDArray[np.integer[Any]],
    check: Callable[[], None],
) -> Floats:
    """Return the weighted mean of each measure's change, shape (measures, t).

    Parameters
    ----------
    populations : ManyPopulations
    changes : sequence of ndarray of shape (K, n)
        See `mean_change`, for each measure.
    donors : ndarray of shape (K, n)
    check : callable
        Called between parts of the work; what it raises ends it.
    """
    matrix = pair_matrices(donors, donors.shape[1])
    ones, matrices = matrix(np.ones(donors.shape)), [matrix(lines) for lines in changes]
    parts = []
    for part in populations.parts(_MOST_VALUES):
        check()
        s, w = part.scored, part.weights
        totals = dots_over_rows(s, np.asarray(ones @ w))
        with np.errstate(invalid="ignore"):  # no pair may have a weight
            each = [dots_over_rows(s, np.asarray(m @ w)) / totals for m in matrices]
        parts.append(np.stack(each))
    return np.concatenate(parts, axis=1)


def pair_matrices(donors: npt.NDArray[np.integer[Any]], n: int) -> Callable[[Floats], csr_array]:
    """Return what makes sparse matrices whose row i has values in the columns of its donors.

    Parameters
    ----------
    donors : ndarray of shape (K, m)
    n : int
        Rows that may be donors.

    Returns
    -------
    callable
        From an array (K, m) with a value of each pair to a matrix of shape (m, n), which has a
        copy of the values.
    """
    repeats, m = donors.shape
    index = np.int32 if donors.size <= np.iinfo(np.int32).max else np.int64
    indices = donors.T.astype(index).ravel()
    starts = np.arange(0, donors.size + 1, repeats, dtype=index)

    def matrix(values: Floats) -> csr_array:
        return csr_array((values.T.flatten(), indices, starts), shape=(m, n))

    return matrix


def mean_intervals_in(values: Floats, populations: Sequence[Population]) -> MeanIntervals:
    r"""Return the `mean_intervals` in many populations, arrays of shape (t, m).

    With the shares s of the weight and the deviations d from a centre that is near all means, sums
    of powers of the influences are sums of products of powers,
    :math:`\sum_i s_i^k (d_i - \mu)^k = \sum_j \binom{k}{j} (-\mu)^{k-j} \sum_i s_i^k d_i^j`.

    Parameters
    ----------
    values : ndarray of shape (m, n)
    populations : sequence of Population, length t
    """
    t, groups = len(populations), populations[0].groups
    step = max(1, _MOST_VALUES // max(1, values.shape[1]))
    parts = []
    for first in range(0, len(values), step):
        lines = values[first : first + step]
        # So that the power of a sum loses no digits.
        center = lines.mean(axis=1)
        deviation = lines - center[:, None]
        powers = [deviation]
        for _ in range(3 if groups is None else 0):
            powers.append(powers[-1] * deviation)
        mean = np.empty((t, len(lines)))
        sums = np.empty((3, t, len(lines)))
        for k in range(0, t, step):
            part = slice(k, k + step)
            share = np.stack([p.scored for p in populations[part]])
            share /= share.sum(axis=1, keepdims=True)
            mean[part] = share @ deviation.T
            if groups is None:
                sums[:, part] = _powers_of_influences(share, powers, mean[part])
                continue
            for i, line in enumerate(share, start=k):
                of_groups = groups.sums(line * (deviation - mean[i][:, None]))
                sums[:, i] = [(of_groups**power).sum(axis=1) for power in (2, 3, 4)]
        parts.append((mean + center, sums))
    means = np.concatenate([mean for mean, _ in parts], axis=1)
    squares, cubes, fourths = np.concatenate([sums for _, sums in parts], axis=2)
    squares = np.maximum(squares, 0.0)
    units = [p.units for p in populations]
    root = np.sqrt([of.small_sample for of in units])[:, None]
    number = np.array([len(of.positions) for of in units])[:, None]
    known = squares > 0
    unit = np.where(known, squares, 1.0)
    df = np.where(known, df_of_shares(fourths / unit**2, number), 0.0)
    most_df = np.array([of.ess - 1 if of.ess > 1 else np.nan for of in units])[:, None]
    return MeanIntervals(means, np.sqrt(squares) * root, np.minimum(df, most_df), cubes / unit**1.5)


def _powers_of_influences(share: Floats, powers: Sequence[Floats], mean: Floats) -> Floats:
    """Return the sums of the second to fourth powers of influences, shape (3, t, m).

    Parameters
    ----------
    share : ndarray of shape (t, n)
    powers : sequence of four ndarray of shape (m, n)
        Deviations, and their powers.
    mean : ndarray of shape (t, m)
    """
    sums, weights = [], share
    for k in (2, 3, 4):
        weights = weights * share
        total = (-mean) ** k * weights.sum(axis=1, keepdims=True)
        for j in range(1, k + 1):
            total += math.comb(k, j) * (-mean) ** (k - j) * (weights @ powers[j - 1].T)
        sums.append(total)
    return np.stack(sums)
