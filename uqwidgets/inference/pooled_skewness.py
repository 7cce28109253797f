r"""The skewness of influences under weights, from moments of the weights and of the influences.

Rows of large weight are few, and a sample that lacks the most influential of them shows too little
skewness. The influences per unit of weight :math:`u_i = \psi_i / v_i` are more alike, where
:math:`v_i = \sqrt{w_i^2 + 0.1^2}`: those of lighter rows are mostly noise of the draws.
"""

from __future__ import annotations

import numpy as np

from uqwidgets._typing import Floats

# Smaller weights count as about this one. If they were cut off there, an interval over tau would
# have a kink wherever the weight of a row passes it.
_LEAST_WEIGHT = 0.1
# Rows that are added at a time, so that intermediate arrays stay small.
_BLOCK = 1 << 11


class PooledSkewness:
    r"""Skewness of the mean influence in t populations, as the rows of all weights show it.

    It is

    .. math:: \frac{\sum v_i^3 \cdot \sum v_i u_i^3 / \sum v_i}
              {(\sum v_i^2 \cdot \sum v_i u_i^2 / \sum v_i)^{3/2}},

    in which no single row has both a large weight and a large influence per unit of weight. It
    raises the coverage of intervals of losses under weights, see
    ``benchmarks/importance_coverage.md``.

    Parameters
    ----------
    t : int
    """

    def __init__(self, t: int) -> None:
        self._roles = np.zeros(t)
        self._sums = np.zeros((5, t))

    def add(self, as_scored: Floats, of_rows: Floats, weights: Floats) -> None:
        """Add some rows.

        Parameters
        ----------
        as_scored, of_rows : ndarray of shape (m, t)
            Influences as scored, and in both roles, of any unit.
        weights : ndarray of shape (m, t)
            Of mean 1 over all rows.
        """
        for start in range(0, len(of_rows), _BLOCK):
            block = slice(start, start + _BLOCK)
            self._add(as_scored[block], of_rows[block], weights[block])

    def _add(self, as_scored: Floats, of_rows: Floats, weights: Floats) -> None:
        self._roles += np.square(as_scored).sum(axis=0)
        self._roles += np.square(of_rows - as_scored).sum(axis=0)
        own = np.square(weights) + _LEAST_WEIGHT**2
        smooth = np.sqrt(own)
        per_weight = of_rows / smooth
        squares = per_weight * of_rows
        sums = smooth, own, own * smooth, squares, squares * per_weight
        self._sums += np.stack([each.sum(axis=0) for each in sums])

    def excess(self, squares: Floats, cubes: Floats) -> Floats:
        """Return by how much it exceeds the skewness of the influences, shape (t,).

        It is zero for equal weights, and where the influences in both roles of a row cancel:
        those that remain are no multiples of the weights.

        Parameters
        ----------
        squares, cubes : ndarray of shape (t,)
            Sums of powers of the influences in both roles.
        """
        total, of_squares, of_cubes, m2, m3 = self._sums
        with np.errstate(divide="ignore", invalid="ignore"):
            pooled = of_cubes * (m3 / total) / (of_squares * (m2 / total)) ** 1.5
            excess = pooled - cubes / squares**1.5
            share = np.minimum(squares / self._roles, 1.0)
        # A smooth function from 0 to 1, so that intervals over tau have no corners.
        return np.where(squares > 0, share * share * (3 - 2 * share) * excess, 0.0)
