r"""Weights of the rows at hand that make them look like the rows of another table.

The weights are :math:`w_i \propto \exp(\langle \xi, \Phi(x_i) \rangle)` (Bachoc et al. 2023, eq.
3) with moments :math:`\Phi` (`moments`) whose weighted means are those of the other table, t. These
are estimates themselves, with standard errors :math:`s_k`, so nothing is gained by meeting them
exactly.
The ridge :math:`\frac \lambda 2 \sum_k s_k^2 \xi_k^2` lets the means miss their targets by
:math:`\lambda s_k^2 \xi_k` (Dudík et al. 2007), and :math:`\lambda` is the largest of a grid with
which the root mean square of the misses, in standard errors, is at most a quarter.

A mean of l under the weights, :math:`\theta`, changes with every row of both tables. With the
covariances C of the moments and c of the moments with l under the weights, and
:math:`b = (C + \Lambda)^{-1} c`, a row at hand has the influence
:math:`w_i \{l_i - \theta - b^T (\Phi_i - \bar \Phi)\} / n`, and a row of the other table
:math:`b^T (\Phi_j - t) / m`: the delta method for the equations that define
:math:`\xi` and :math:`\theta`. Rows at hand are divided by 1 minus their leverage, as in the
jackknife, because few of them carry much of the weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.another_table.moments import ColumnMoments, Mask
from uqwidgets.inference.groups import RowGroups
from uqwidgets.inference.population import effective_sample_size
from uqwidgets.stress.constrained.tilting import tilt

# Misses of the targets in standard errors, root mean square; and the ridges that are tried.
_MISS = 0.25
_RIDGES = 4.0 ** np.arange(6, -9, -1)
# With fewer effective rows, or a smaller share of them, a smaller ridge is not tried.
_LEAST_ROWS, _LEAST_SHARE = 15.0, 0.005
_MOST_LEVERAGE = 0.9


@dataclass(frozen=True, eq=False)
class TowardsTable:
    """Weights of rows towards the moments of another table.

    Attributes
    ----------
    moments : sequence of ColumnMoments
    base : ndarray of shape (n,)
        Weights of the rows before, of mean 1.
    base_there : ndarray of shape (m,)
        Weights of the rows of the other table, 0 for rows without a counterpart, of mean 1.
    weights : ndarray of shape (n,)
        Of mean 1.
    xi, ridge : ndarray of shape (k,)
    errors : ndarray of shape (k,)
        Standard errors of the targets.
    groups, groups_there : RowGroups or None
    """

    moments: Sequence[ColumnMoments]
    base: Floats
    base_there: Floats
    weights: Floats
    xi: Floats
    ridge: Floats
    errors: Floats
    groups: RowGroups | None
    groups_there: RowGroups | None

    @classmethod
    def of(
        cls,
        moments: Sequence[ColumnMoments],
        base: Floats,
        base_there: Floats,
        groups: RowGroups | None,
        groups_there: RowGroups | None,
    ) -> TowardsTable:
        """Solve for the weights."""
        here, there = (np.column_stack([getattr(m, s) for m in moments]) for s in ("here", "there"))
        share = base_there / base_there.sum()
        target = share @ there
        errors = _errors(share[:, None] * (there - target), groups_there)
        # A moment without any error is met up to the error of a single row.
        floor = np.maximum(errors, 1e-3 / np.sqrt(len(there)))
        start, ridge = np.zeros(len(target)), _RIDGES[0] * np.square(floor)
        q = base / base.sum()
        tilted = tilt(here, q, target, ridge=ridge, start=start)
        for factor in _RIDGES[1:]:
            missed = tilted.weights @ here - target
            if float(np.sqrt(np.mean(np.square(missed / floor)))) <= _MISS:
                break
            smaller = factor * np.square(floor)
            nearer = tilt(here, q, target, ridge=smaller, start=tilted.xi)
            ess = effective_sample_size(nearer.weights)
            if ess < max(_LEAST_ROWS, _LEAST_SHARE * len(here)):
                break
            tilted, ridge = nearer, smaller
        return cls(
            moments,
            base,
            base_there,
            tilted.weights * len(here),
            tilted.xi,
            ridge,
            floor,
            groups,
            groups_there,
        )

    def of_columns(self, moments: Sequence[ColumnMoments]) -> TowardsTable:
        """Return the weights towards some of the columns alone."""
        return TowardsTable.of(moments, self.base, self.base_there, self.groups, self.groups_there)

    @cached_property
    def here(self) -> Floats:
        """Moments of the rows at hand, shape (n, k)."""
        return np.column_stack([each.here for each in self.moments])

    @cached_property
    def target(self) -> Floats:
        """Means of the moments in the other table, shape (k,)."""
        share = self.base_there / self.base_there.sum()
        return np.concatenate([share @ each.there for each in self.moments])

    @cached_property
    def reached(self) -> Floats:
        """Weighted means of the moments of the rows at hand, shape (k,)."""
        return np.asarray(self.weights @ self.here / len(self.weights))

    def influences(self, values: Floats) -> tuple[Floats, Floats]:
        """Return the influences of all rows on a weighted mean that has these deviations.

        Parameters
        ----------
        values : ndarray of shape (n,)
            Of a mean of l, l minus its weighted mean.

        Returns
        -------
        here : ndarray of shape (n,)
            Their sum, with that of the others, is to first order the error of the mean.
        there : ndarray of shape (m,)
        """
        share = self.weights / self.weights.sum()
        centred = self.here - self.reached
        slopes = self._inverse @ ((share * values) @ centred)
        leverage = share * (1 + np.einsum("ij,jk,ik->i", centred, self._inverse, centred))
        of_rows = share * (values - centred @ slopes)
        of_rows /= 1 - np.minimum(leverage, _MOST_LEVERAGE)
        there = np.column_stack([each.there for each in self.moments]) - self.target
        of_there = self.base_there / self.base_there.sum() * (there @ slopes)
        return of_rows, of_there

    @cached_property
    def _inverse(self) -> Floats:
        share = self.weights / self.weights.sum()
        centred = self.here - self.reached
        covariance = (centred.T * share) @ centred + np.diag(self.ridge)
        return np.asarray(np.linalg.pinv(covariance, hermitian=True))

    @cached_property
    def outside(self) -> Mask:
        """Which rows of the other table have a value without a counterpart, shape (m,)."""
        return np.asarray(np.stack([each.outside for each in self.moments]).any(axis=0))


def _errors(influences: Floats, groups: RowGroups | None) -> Floats:
    """Return the standard errors of means from influences of rows (m, k)."""
    sums = influences if groups is None else groups.sums_of_rows(influences)
    m = len(sums)
    return np.asarray(np.sqrt(np.square(sums).sum(axis=0) * m / max(m - 1, 1)))
