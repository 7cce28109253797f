r"""Intervals that hold all at once: the level at which each of them is to be computed.

Of thirty 95 % intervals, about 1.5 miss their value. Intervals hold all at once if, in at least
95 % of the tables, none of them misses. With the influences :math:`\psi_{ji}` of row i on estimate
j, the multiplier bootstrap (Chernozhukov et al. 2013) draws independent normal
multipliers :math:`e_{bi}` and finds the quantile c of

.. math:: \max_j \Bigl| \sum_i e_{bi} \psi_{ji} \Bigr| \Big/ \sqrt{\sum_i \psi_{ji}^2} .

A single one of these is normal, so c stands for the level :math:`2 \Phi(c) - 1` of each interval.
At this level every interval is computed as it is without others, so it keeps its own degrees of
freedom and its own correction for skewness.

Given the influences, the sums are normal with the correlations of the influences. So it is enough
to draw normal numbers with these correlations, and p x 1,000 numbers are kept instead of p x n:
beyond 1,000 rows, or groups of rows, those of a random block get the same multiplier. Correlations
that are estimated from few rows are shrunk towards none (Schäfer and Strimmer 2005), because noise
in them lowers c where estimates are many. Whatever the correlations, c is at most the quantile of
as many independent estimates (Sidak 1967), which is below that of Bonferroni.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from uqwidgets._typing import Floats
from uqwidgets.inference.groups import RowGroups
from uqwidgets.inference.variance import jackknife_groups

# More blocks of rows take more time and memory, and hardly change the quantile.
_MOST_BLOCKS = 1000
# With so many draws, 95 % are 94.8 to 95.2 %.
_DRAWS, _DRAWS_TOGETHER = 10_000, 1000
_LINES_TOGETHER = 512


class Family:
    """Estimates whose intervals are to hold all at once, which are added one after the other.

    An estimate without any error, as the importance of a feature that the model ignores, does not
    count: its interval never misses.

    Parameters
    ----------
    seed : int
        Of the multipliers, and of the blocks of rows.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._blocks: list[Floats] = []
        self._n_units = 0
        self._n_unknown = 0

    def __len__(self) -> int:
        """Return the number of estimates with an error."""
        return sum(map(len, self._blocks)) + self._n_unknown

    def add(self, influences: Floats) -> None:
        """Add estimates by the influences of all rows, or groups of rows, on them.

        Parameters
        ----------
        influences : ndarray of shape (..., u)
            Of any unit. NaN stands for an estimate that is not known, which does not count.
            Estimates with another u than the first count as independent of the others.
        """
        lines = influences.reshape(-1, influences.shape[-1])
        largest = np.abs(lines).max(axis=1, initial=0.0)
        known = np.isfinite(largest) & (largest > 0)
        if not known.any():
            return
        self._n_units = self._n_units or lines.shape[1]
        if lines.shape[1] != self._n_units:
            self.add_unknown(int(known.sum()))
            return
        sums = lines[known] / largest[known, None]
        if self._n_units > _MOST_BLOCKS:
            sums = RowGroups(jackknife_groups(self._n_units, self._seed, _MOST_BLOCKS)).sums(sums)
        self._blocks.append(sums / np.sqrt(np.square(sums).sum(axis=1, keepdims=True)))

    def add_unknown(self, number: int = 1) -> None:
        """Add estimates whose correlation with the others is not known; none is assumed."""
        self._n_unknown += number

    def joined(self, other: Family) -> Family:
        """Return the family of the estimates of both."""
        both = Family(self._seed)
        both._n_unknown = self._n_unknown + other._n_unknown
        both._blocks, both._n_units = list(self._blocks), self._n_units
        if other._n_units in (0, self._n_units):
            both._blocks += other._blocks
        else:
            both.add_unknown(len(other) - other._n_unknown)
        return both

    def pointwise_level(self, level: float) -> float:
        """Return the level of each interval at which all of them hold at once with ``level``.

        Parameters
        ----------
        level : float

        Returns
        -------
        float
            Between ``level``, for a single estimate, and that of independent estimates.
        """
        number = len(self)
        if number < 2:
            return level
        independent = math.pow(level, 1 / number)
        if not self._blocks:
            return independent
        largest = np.concatenate(list(self._maxima(np.concatenate(self._blocks))))
        found = 2 * float(ndtr(np.quantile(largest, level))) - 1
        return min(max(found, level), independent)

    def adjusted(self, p_values: Floats) -> Floats:
        """Return p-values for which the estimates are tested all at once.

        Each is the probability that the smallest of all p-values is as small as its own. So one is
        below 1 minus a level where the interval of `pointwise_level` is clear of 0.

        Parameters
        ----------
        p_values : ndarray of shape (m,)
            Two-sided ones; NaN stays NaN.

        Returns
        -------
        ndarray of shape (m,)
        """
        number = len(self)
        if number < 2:
            return p_values
        independent = -np.expm1(number * np.log1p(-np.minimum(p_values, 1 - 1e-16)))
        if not self._blocks:
            return np.asarray(independent)
        largest = np.sort(np.concatenate(list(self._maxima(np.concatenate(self._blocks)))))
        ends = -ndtri(p_values / 2)
        found = 1 - np.searchsorted(largest, ends, side="left") / len(largest)
        # Beyond the draws, independence is what bounds the probability.
        found = np.where(found > 0, found, independent)
        return np.where(np.isnan(p_values), np.nan, np.clip(found, p_values, independent))

    def _maxima(self, lines: Floats) -> Iterator[Floats]:
        """Yield draws of the largest of the absolute studentised sums, some at a time."""
        rng = np.random.default_rng(self._seed)
        # Normal numbers times this matrix have the correlations of the lines.
        root = np.linalg.qr(lines.T, mode="r")
        shrinkage = _shrinkage(lines)
        for _ in range(0, _DRAWS, _DRAWS_TOGETHER):
            sums = rng.standard_normal((_DRAWS_TOGETHER, len(root))) @ root
            if shrinkage > 0:
                sums *= math.sqrt(1 - shrinkage)
                sums += math.sqrt(shrinkage) * rng.standard_normal(sums.shape)
            largest = np.abs(sums, out=sums).max(axis=1)
            if self._n_unknown:
                shares = rng.random(_DRAWS_TOGETHER) ** (1 / self._n_unknown)
                largest = np.maximum(largest, ndtri((1 + shares) / 2))
            yield largest


def _shrinkage(lines: Floats) -> float:
    """Return the share of independence in the correlations of lines (p, u) of length 1.

    It is the estimated variance of all correlations over the sum of their squares (Schäfer and
    Strimmer 2005, table 1, target D).
    """
    p, u = lines.shape
    variance, squares = 0.0, -float(p)
    for start in range(0, p, _LINES_TOGETHER):
        squared = np.square(lines[start : start + _LINES_TOGETHER] @ lines.T)
        squares += float(squared.sum())
        variance += float(np.square(1 - squared).sum()) / max(u - 1, 1)
    return min(1.0, variance / squares) if squares > 0 else 1.0


def adjusted(p_values: Floats, counts: npt.NDArray[np.bool_], adjust: str | None) -> Floats:
    """Adjust p-values for the number of tests.

    Parameters
    ----------
    p_values : ndarray of shape (m,)
        NaN stays NaN, and does not count.
    counts : ndarray of bool, shape (m,)
        Which of them are tests; the others keep their p-value.
    adjust : {"holm", "bh"} or None
        ``"holm"`` bounds the probability of any false find (Holm 1979), ``"bh"`` the expected share
        of false ones among the finds (Benjamini and Hochberg 1995).

    Returns
    -------
    ndarray of shape (m,)
    """
    result = p_values.copy()
    tests = np.flatnonzero(counts & np.isfinite(p_values))
    order = tests[np.argsort(p_values[tests], kind="stable")]
    m = len(order)
    ranks = np.arange(1, m + 1)
    if adjust == "holm":
        result[order] = np.maximum.accumulate((m - ranks + 1) * p_values[order])
    elif adjust == "bh":
        result[order] = np.minimum.accumulate((m / ranks * p_values[order])[::-1])[::-1]
    return np.minimum(result, 1.0)
