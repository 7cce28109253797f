"""Influence functions of means under weights that are calibrated to several moments."""

from __future__ import annotations

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.inference.population import effective_sample_sizes
from uqwidgets.inference.sums import dots
from uqwidgets.stress.influence import MIN_FREE_WEIGHT, skew_slope


class CalibratedRows:
    r"""Rows under calibrated weights, and the influence of each on weighted means.

    The weights are :math:`w_i \propto b_i e^{\langle \xi, \psi_i \rangle}` with
    :math:`\sum w_i \psi_i = 0`, where :math:`b_i` is a weight that belongs to the row, and
    :math:`\psi_i` are its constrained columns minus their goals (Bachoc et al. 2023, theorem 2.2).
    Another sample has other weights, so that the influence function of a mean
    :math:`\theta = \sum w_i o_i / n` is that of a calibration estimator (Deville and Särndal 1992),

    .. math:: \mathrm{IF}_i = w_i \{ (o_i - \theta) - \langle \beta, \psi_i \rangle \}
                  + \langle \beta, \mathrm{IF}_i(g) \rangle,

    where :math:`\beta` are the coefficients of a weighted regression of the output on
    :math:`\psi`, and :math:`\mathrm{IF}(g)` is the influence of the rows on a goal that is itself
    estimated from them. With one column and equal :math:`b_i` this is the influence of
    `uqwidgets.stress.influence.StressedRows`; as there, residuals have the factor of HC4, with the
    leverage :math:`h_i = w_i / n \{1 + \psi_i^\top V^{-1} \psi_i\}`,
    :math:`V = \sum w_i \psi_i \psi_i^\top / n`.

    Parameters
    ----------
    weights : ndarray of shape (n,)
        Of mean 1.
    moments : ndarray of shape (n, k)
        The constrained columns minus their goals; their weighted means are 0.
    goal_influence : ndarray of shape (n,) or None
        Influence of the rows on the goal of the last column; None where all goals are fixed.
    """

    def __init__(
        self, weights: Floats, moments: Floats, goal_influence: Floats | None = None
    ) -> None:
        n = self.n = len(weights)
        self.weights, self.share = weights, weights / n
        self.ess_share = effective_sample_sizes(weights) / n
        # Columns of different units would spoil the inverse.
        scales = np.sqrt(self.share @ np.square(moments))
        self._moments = moments / np.where(scales > 0, scales, 1.0)
        gram = (self._moments * self.share[:, None]).T @ self._moments
        self._inverse = np.linalg.pinv(gram, hermitian=True) if len(gram) else gram
        self._goal = np.zeros(n)
        if goal_influence is not None and scales[-1] > 0:
            self._goal = goal_influence / scales[-1]
        leverage = self.share * (
            1 + np.einsum("ij,jk,ik->i", self._moments, self._inverse, self._moments)
        )
        self._free = np.maximum(1 - leverage, MIN_FREE_WEIGHT)
        self._hc4_factor = self._free ** (-np.minimum(4.0, leverage / leverage.mean()) / 2)
        # The change of xi without each row is computed to first order: the moments of the row are
        # missing while the goal moves. So is the derivative of each influence by the slopes.
        lost = (self.share / self._free)[:, None] * self._moments
        self._slope_excess = -weights[:, None] * self._moments
        if moments.shape[1]:
            lost[:, -1] -= self._goal / max(n - 1, 1)
            self._slope_excess[:, -1] += self._goal
        self._xi_change = lost @ self._inverse

    def influence(self, outputs: Floats) -> tuple[Floats, Floats]:
        """Influence of each row on the weighted mean of outputs, and the skewness of its error.

        Parameters
        ----------
        outputs : ndarray of shape (..., n)

        Returns
        -------
        influence : ndarray of shape (..., n)
            Its mean square over n is the variance of the mean.
        skew_slope : ndarray of shape (...)
            See `uqwidgets.stress.influence.StressedRows.influence`.
        """
        direct, through_goal = self.parts(outputs)
        plain, robust = direct + through_goal, direct * self._hc4_factor + through_goal
        total = dots(plain, plain)[..., None]
        lost = direct / self.n / self._free
        movement = -through_goal / max(self.n - 1, 1) - lost
        # Derivatives of the sum of squares by xi, by the sum of the weights, by the mean, and by
        # the slopes, which change with xi and without the row.
        by_slopes = (plain @ self._slope_excess)[..., None, :] @ self._inverse
        slopes_by_xi = (direct[..., None, :] * self._moments.T) @ self._moments / self.n
        by_xi = (plain * direct) @ self._moments + (by_slopes @ slopes_by_xi)[..., 0, :]
        change = by_xi @ self._xi_change.T
        change += self.share / self._free * dots(plain, direct)[..., None]
        change += lost * (
            dots(plain, self.weights)[..., None] - by_slopes[..., 0, :] @ self._moments.T
        )
        squares = np.square(robust)
        sums = squares.sum(axis=-1)
        is_moved = total > 0
        remaining = 1 - squares / np.where(is_moved, sums[..., None], 1.0)
        remaining += 2 * change / np.where(is_moved, total, 1.0)
        movement -= movement.mean(axis=-1, keepdims=True)
        return robust, skew_slope(np.where(is_moved, movement, 0.0), remaining, sums, self.n)

    def means_without(self, outputs: Floats) -> Floats:
        """Weighted means of outputs (..., n) without each row, to first order, with HC4 factors."""
        direct, through_goal = self.parts(outputs)
        change = (direct * self._hc4_factor + through_goal) / max(self.n - 1, 1)
        change -= change.mean(axis=-1, keepdims=True)
        return np.asarray(dots(self.share, outputs)[..., None] - change)

    def parts(self, outputs: Floats) -> tuple[Floats, Floats]:
        """Influences on means of outputs through the rows' own weight, and through the goal."""
        centred = outputs - dots(self.share, outputs)[..., None]
        slopes = ((self.share * centred) @ self._moments) @ self._inverse
        through = np.zeros_like(centred)
        if self._moments.shape[1]:
            through += slopes[..., -1:] * self._goal
        return self.weights * (centred - slopes @ self._moments.T), through
