"""Variances of rows, and of the interaction of refits and rows, from held-out values.

The intervals of `uqwidgets.learner.intervals` are computed from these. A held-out value is
the value of one refit for one row that it did not learn from, such as the change of its loss when a
feature is permuted. The two-way model of these values is
v[d, i] = mean + refit d + row i + interaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from uqwidgets._typing import Floats, Positions
from uqwidgets.learner.resampling import GroupSplits


def row_effect_variance(values: Floats) -> Floats:
    r"""Variance of the row effects, which all refits share.

    Refits are different models. The covariance between two of them over the rows that neither has
    learned from,

    .. math:: \hat S = \frac{\sum_{d<e} \sum_{i \in B_{-d} \cap B_{-e}}
              (v_{di} - \bar v_{d \mid e}) (v_{ei} - \bar v_{e \mid d})}
              {\sum_{d<e} (|B_{-d} \cap B_{-e}| - 1)},

    with the means over these rows, therefore estimates the variance of the row effects alone,
    without the interaction and without the Monte Carlo error of permutations. It may be negative
    by chance.

    Parameters
    ----------
    values : ndarray of shape (m, n, ...)
        Held-out values of each refit, NaN for rows it was not scored on.

    Returns
    -------
    ndarray of shape (...)

    Raises
    ------
    ValueError
        If no two refits were scored on two rows in common.
    """
    pairs = _PairMoments(values)
    covariances = pairs.products - pairs.sums * pairs.sums_of_other / pairs.common[:, None]
    variance: Floats = covariances.sum(axis=0) / (pairs.common - 1).sum()
    return variance.reshape(values.shape[2:])


def interaction_variance(values: Floats) -> Floats:
    r"""Variance of the interaction of refits and rows, Monte Carlo error included.

    In the notation of `row_effect_variance` this is half the variance of the difference between
    two refits' values of a row, over the rows that neither refit has learned from.

    Parameters
    ----------
    values : ndarray of shape (m, n, ...)
        Held-out values of each refit, NaN for rows it was not scored on.

    Returns
    -------
    ndarray of shape (...)

    Raises
    ------
    ValueError
        If no two refits were scored on two rows in common.
    """
    pairs = _PairMoments(values)
    differences = pairs.squares - 2 * pairs.products
    differences -= np.square(pairs.sums - pairs.sums_of_other) / pairs.common[:, None]
    variance: Floats = differences.sum(axis=0) / (pairs.common - 1).sum() / 2
    return variance.reshape(values.shape[2:])


def share_rows(held_out: Sequence[Positions]) -> bool:
    """Whether two refits were scored on two rows in common.

    The variance of row effects cannot be estimated without.

    Parameters
    ----------
    held_out : sequence of m ndarrays
        Positions of the rows that each refit was scored on.
    """
    return any(len(np.intersect1d(a, b)) >= 2 for a, b in combinations(held_out, 2))


class _PairMoments:
    """Sums over the rows that both refits of a pair were scored on, by pair.

    Attributes
    ----------
    common : ndarray of shape (p,)
        Number of those rows.
    products, sums, sums_of_other : ndarray of shape (p, q)
        Sums of the products of both refits' values, of the one's values, and of the other's.
    """

    def __init__(self, values: Floats) -> None:
        self._centred, self._scored = _centred(values)
        self._one, self._other, self.common = _pairs(self._scored)
        products = np.einsum("dit,eit->det", self._centred, self._centred)
        self.products: Floats = products[self._one, self._other]
        self.sums, self.sums_of_other = self._over_common(self._centred)

    @property
    def squares(self) -> Floats:
        """Sums of the squares of both refits' values, shape (p, q)."""
        one, other = self._over_common(self._centred**2)
        return one + other

    def _over_common(self, values: Floats) -> tuple[Floats, Floats]:
        sums = np.einsum("dit,ei->det", values, self._scored)
        return sums[self._one, self._other], sums[self._other, self._one]


def _centred(values: Floats) -> tuple[Floats, Floats]:
    """Values minus their overall mean, shape (m, n, q), and which are known, shape (m, n)."""
    m, n = values.shape[:2]
    flat = values.reshape(m, n, -1)
    known = ~np.isnan(flat[:, :, 0])
    centred = np.where(known[:, :, None], flat, 0.0)
    # Centred, so that no digits cancel where the mean is large.
    centred -= centred.sum(axis=(0, 1)) / known.sum()
    centred[~known] = 0.0
    return centred, known.astype(np.float64)


def _pairs(scored: Floats) -> tuple[Positions, Positions, Floats]:
    """Pairs of refits that were scored on at least two common rows, and how many these are."""
    common = scored @ scored.T
    one, other = np.nonzero(np.triu(common >= 2, k=1))
    if not len(one):
        raise ValueError(
            "no two refits were scored on two rows in common; "
            "make more refits or hold more rows out."
        )
    return one, other, common[one, other]


def group_table(values: Floats, splits: GroupSplits) -> Floats:
    """Mean of each group under the refit that left it and one other group out.

    Parameters
    ----------
    values : ndarray of shape (m, n, ...)
        Held-out values of each refit, NaN for rows it was not scored on.
    splits : GroupSplits

    Returns
    -------
    ndarray of shape (G, G, ...)
        At (g, e) the mean over group g of the refit that learned from neither g nor e; NaN where
        g = e.
    """
    n_groups = int(splits.groups.max()) + 1
    table = np.full((n_groups, n_groups, *values.shape[2:]), np.nan)
    for refit, (one, other) in enumerate(splits.left_out):
        table[one, other] = values[refit, splits.groups == one].mean(axis=0)
        table[other, one] = values[refit, splits.groups == other].mean(axis=0)
    return table
