"""Influence functions of stressed means: the delta method, with weights that are solved anew."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.inference.population import effective_sample_sizes
from uqwidgets.inference.sums import dots
from uqwidgets.stress.jackknife import Jackknife
from uqwidgets.stress.projection import Column

# Lower bound of 1 - leverage: a row with leverage near 1 says nothing about its own error.
MIN_FREE_WEIGHT = 0.05
# Rounding error of a weighted value, relative to the largest value of the column.
_ROUNDING = 1e-13


@dataclass(frozen=True, eq=False)
class LeaveOneOutEffects:
    """First-order effects of leaving out a row, or a group of rows, on the stressed weights.

    Attributes
    ----------
    n : int
        Number of rows.
    weights, deviation, standard, squared_distance, target_excess : ndarray of shape (..., g)
        Weight; distance from the target; the distance over the variance; the product of the last
        two; and influence on the target minus weight times distance.
    inverse_free_weight : ndarray of shape (..., g)
        1 / (1 - leverage).
    lost_weight, xi_change, target_change : ndarray of shape (..., g)
        Without the row: the weight that is lost, the change of xi, and the change of the target.
    """

    n: int
    weights: Floats
    deviation: Floats
    standard: Floats
    squared_distance: Floats
    target_excess: Floats
    inverse_free_weight: Floats
    lost_weight: Floats
    xi_change: Floats
    target_change: Floats

    def skew_slope(
        self, direct: Floats, through_target: Floats, robust: Floats, slope: npt.ArrayLike
    ) -> Floats:
        """Slope of the log standard error on the estimate, see `StressedRows.influence`.

        Parameters
        ----------
        direct, through_target, robust, slope
            See `without_rows`.
        """
        movement, remaining = self.without_rows(direct, through_target, robust, slope)
        return skew_slope(movement, remaining, np.square(robust).sum(axis=-1), self.n)

    def without_rows(
        self, direct: Floats, through_target: Floats, robust: Floats, slope: npt.ArrayLike
    ) -> tuple[Floats, Floats]:
        """Movement of estimates, and what remains of the sum of squares, without each row.

        Parameters
        ----------
        direct, through_target, robust : ndarray of shape (..., g)
            Influence through the rows' own weight, influence through the target, and their sum
            with the HC4 factor on the first.
        slope : array-like of shape (...)
            Derivative of the estimate with respect to the target.

        Returns
        -------
        movement : ndarray of shape (..., g)
            Change of the estimate, around its mean.
        remaining : ndarray of shape (..., g)
            Sum of the squared influences over that with all rows; 1 where all influences are 0.
        """
        plain, squares = direct + through_target, np.square(robust)
        total = dots(plain, plain)[..., None]
        lost = direct / self.n * self.inverse_free_weight
        movement = np.asarray(slope)[..., None] * self.target_change - lost
        movement -= movement.mean(axis=-1, keepdims=True)
        # Derivatives of the sum of squares by xi, by the sum of the weights, by the mean, and by
        # the slope.
        by_xi = dots(plain * direct, self.deviation)[..., None]
        by_weight = dots(plain, direct)[..., None]
        by_mean = dots(plain, self.weights)[..., None]
        by_slope = dots(plain, self.target_excess)[..., None]
        curvature = dots(direct, self.squared_distance)[..., None] / self.n
        change = self.xi_change * (by_xi + curvature * by_slope) + self.lost_weight * by_weight
        change += lost * (by_mean - by_slope * self.standard)
        is_moved = total > 0
        unit = np.where(is_moved, squares.sum(axis=-1, keepdims=True), 1.0)
        remaining = 1 - squares / unit + 2 * change / np.where(is_moved, total, 1.0)
        return np.where(is_moved, movement, 0.0), np.where(is_moved, remaining, 1.0)


def skew_slope(movement: Floats, remaining: Floats, total: Floats, n: int) -> Floats:
    """Slope of the log standard error on the estimate over the samples that lack one row.

    Parameters
    ----------
    movement, remaining : ndarray of shape (..., g)
        See `LeaveOneOutEffects.without_rows`.
    total : ndarray of shape (...)
        Sum of the squared influences.
    n : int
        Number of rows.

    Returns
    -------
    ndarray of shape (...)
        0 where the estimate does not move.
    """
    movement_total = dots(movement, movement)
    log_error = np.log(np.maximum(remaining, MIN_FREE_WEIGHT)) / 2
    unit = np.where(movement_total > 0, movement_total, 1.0)
    slope = dots(movement, log_error) / unit * np.sqrt(total) / n
    return np.where(movement_total > 0, slope, 0.0)


class StressedRows:
    r"""A column at levels of tau, and the influence of its rows on stressed means.

    Another sample would have other rows, and with them another mean, other anchors of tau and
    other weights. With target t, the weighted mean :math:`\theta = \sum w_i o_i / n` of an output
    solves :math:`\sum w_i (x_i - t) = 0` with :math:`w_i \propto e^{\xi x_i}` (Bachoc et al. 2023,
    eq. 4), so that the influence function is

    .. math:: \mathrm{IF}_i = w_i r_i + \beta\,\mathrm{IF}_i(t), \qquad
              r_i = (o_i - \theta) - \beta (x_i - t),

    where :math:`\beta = \mathrm{cov}_w(o, x) / \mathrm{var}_w(x)` is the derivative of the mean
    with respect to the target, and
    :math:`\mathrm{IF}(t) = (1 - |\tau|)(x_i - m) + |\tau|\,\mathrm{IF}(\mathrm{anchor})` is the
    influence of the rows on the target. The :math:`r_i` are the residuals of a weighted regression
    of the output on the column. As in the estimator HC4 (Cribari-Neto 2004) a row's residual is
    divided by :math:`(1 - h_i)^{\min(4, h_i / \bar h) / 2}`, with the leverage
    :math:`h_i = w_i / n \{1 + (x_i - t)^2 / \mathrm{var}_w(x)\}`. The skewness of the error is
    computed from these influences; its size comes from the jackknife over rows
    (`uqwidgets.stress.jackknife`) or over groups of rows (`uqwidgets.stress.replicates`).

    The intervals assume that the weights have a finite variance in the population. A column with a
    heavier tail than the exponential distribution has none when it is stressed far upwards; a
    small effective sample size is the sign of it. For columns with few distinct values the
    intervals ignore that the quantile can jump between neighbouring values.

    Parameters
    ----------
    column : Column
    tau : array-like of shape (...)
        One level, or several.
    weights : ndarray of shape (..., n)
        Mean 1, those of the column at ``tau``.

    Attributes
    ----------
    n, n_known : int
        Number of rows, and of those with a value, which come first: here they all are.
    """

    def __init__(self, column: Column, tau: npt.ArrayLike, weights: Floats) -> None:
        n = self.n_known = weights.shape[-1]
        # In standard deviations, because squares of very small or large numbers lose precision.
        unit = column.std or 1.0
        x = (column.values - column.mean) / unit
        self.n, self.weights, self.share = n, weights, weights / n
        self.ess_share = effective_sample_sizes(weights) / n
        self.deviation = x - dots(self.share, x)[..., None]
        variance = dots(self.share, np.square(self.deviation))
        # On the edge of the data all weight lies on one value, and there is nothing to solve.
        is_solved = variance > (_ROUNDING * float(np.abs(x).max())) ** 2
        self.inverse_variance = np.where(is_solved, 1 / np.where(is_solved, variance, 1.0), 0.0)
        self.standard = self.deviation * self.inverse_variance[..., None]
        leverage = self.share * (1 + self.deviation * self.standard)
        free = np.maximum(1 - leverage, MIN_FREE_WEIGHT)
        # Rows of high leverage attract the solution, so that their residuals are too small.
        average = leverage.mean(axis=-1, keepdims=True)
        self.hc4_factor = free ** (-np.minimum(4.0, leverage / average) / 2)
        tau = np.asarray(tau)[..., None]
        low, high = column.end_influences
        end = np.where(tau > 0, high, low) / unit
        self.target = (1 - np.abs(tau)) * x + np.abs(tau) * end
        self.target_change = -self.target / max(n - 1, 1)
        lost_weight = self.share / free
        change = lost_weight * self.deviation + self.target_change
        self.xi_change = change * self.inverse_variance[..., None]
        self.effects = LeaveOneOutEffects(
            n,
            weights=weights,
            deviation=self.deviation,
            standard=self.standard,
            squared_distance=self.deviation * self.standard,
            target_excess=self.target - weights * self.deviation,
            inverse_free_weight=1 / free,
            lost_weight=lost_weight,
            xi_change=self.xi_change,
            target_change=self.target_change,
        )

    def influence(self, outputs: Floats) -> tuple[Floats, Floats]:
        r"""Influence of each row on the stressed mean of outputs, and the skewness of its error.

        The standard error of a skewed output is smallest in those samples whose mean is too small.
        The skew slope is the change of the logarithm of the standard error while the estimate grows
        by one standard error: the slope of the regression of one on the other over the samples that
        lack one row, with weights solved anew. To first order these samples follow from
        :math:`\mathrm{IF}`, with the factor :math:`1 / (1 - h_i)` for the weight of the row that is
        left out. For a plain mean the skew slope is half the skewness of the mean.

        Parameters
        ----------
        outputs : ndarray of shape (..., n)

        Returns
        -------
        influence : ndarray of shape (..., n)
            Its mean square over n is the variance of the mean.
        skew_slope : ndarray of shape (...)
        """
        direct, through_target, robust, slope = self.parts(outputs)
        return robust, self.effects.skew_slope(direct, through_target, robust, slope)

    def parts(self, outputs: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Parts of the influence on stressed means, see `LeaveOneOutEffects.without_rows`."""
        centred = outputs - dots(self.share, outputs)[..., None]
        slope = dots(self.share * self.standard, centred)
        residual = centred - slope[..., None] * self.deviation
        direct, through_target = self.weights * residual, slope[..., None] * self.target
        return direct, through_target, direct * self.hc4_factor + through_target, slope

    def means_without(self, outputs: Floats) -> Floats:
        """Stressed means of outputs (..., n) without each row, with weights solved anew."""
        return self.jackknife.means(outputs)

    @cached_property
    def jackknife(self) -> Jackknife:
        """The same rows, without each of them in turn."""
        # Ties at a quantile make the target changes add up to something other than 0.
        target_change = self.target_change - self.target_change.mean(axis=-1, keepdims=True)
        return Jackknife(
            self.share, self.deviation, self.inverse_variance, target_change, self.xi_change
        )
