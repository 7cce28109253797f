"""Influence of rows on means under weights that are calibrated to moments, and the jackknife."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.inference.groups import RowGroups
from uqwidgets.inference.population import effective_sample_sizes
from uqwidgets.inference.sums import dots

# Lower bound of 1 - leverage: a row with leverage near 1 says nothing about its own error.
MIN_FREE_WEIGHT = 0.05
# Upper bound of the change of xi without a row, in 1 over the standard deviation of the moment:
# beyond it the second order says little. Chosen by simulation, see
# benchmarks/bench_stress_coverage.py.
_MAX_XI_CHANGE = 0.3
# Rounding error of a weighted value, relative to the largest value of the column.
_ROUNDING = 1e-13
# Added to squared weights that are divided by: a group may have no weight.
TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True, eq=False)
class LeaveOneOutEffects:
    """First-order effects of leaving out a row, or a group of rows, on calibrated weights.

    Attributes
    ----------
    n : int
        Number of rows.
    weights, inverse_free_weight : ndarray of shape (..., g)
        Weight, and 1 / (1 - leverage).
    moments, standard, goal_excess : ndarray of shape (k, ..., g)
        Distances from the goals; the inverse of their covariance times these; and influence on the
        goals minus weight times distance.
    products : ndarray of shape (k, k, ..., g)
        Of ``standard`` and ``moments``.
    lost_weight : ndarray of shape (..., g)
        Without the row: the weight that is lost.
    xi_change : ndarray of shape (k, ..., g)
        Without the row: the change of xi.
    """

    n: int
    weights: Floats
    inverse_free_weight: Floats
    moments: Floats
    standard: Floats
    goal_excess: Floats
    products: Floats
    lost_weight: Floats
    xi_change: Floats

    def of_groups(self, groups: RowGroups, importance: Floats) -> LeaveOneOutEffects:
        """Return the effects of leaving out each group, as one row with the properties of its rows.

        Parameters
        ----------
        groups : RowGroups
        importance : ndarray of shape (..., n)
            Positive weights of the rows in the averages of these properties.
        """
        total = groups.sums(importance)

        def average(per_row: Floats) -> Floats:
            return groups.sums(importance * per_row) / total

        return LeaveOneOutEffects(
            self.n,
            weights=average(self.weights),
            inverse_free_weight=average(self.inverse_free_weight),
            moments=average(self.moments),
            standard=average(self.standard),
            goal_excess=average(self.goal_excess),
            products=average(self.products),
            lost_weight=groups.sums(self.lost_weight),
            xi_change=groups.sums(self.xi_change),
        )

    def skew_slope(self, direct: Floats, through_goals: Floats, robust: Floats) -> Floats:
        """Slope of the log standard error on the estimate, see `StressedRows.influence`.

        Parameters
        ----------
        direct, through_goals, robust : ndarray of shape (..., g)
            Influence through the rows' own weight, influence through the goals, and their sum
            with the HC4 factor on the first.

        Returns
        -------
        ndarray of shape (...)
            0 where the estimate does not move.
        """
        plain, squares = direct + through_goals, np.square(robust)
        total, sums = dots(plain, plain)[..., None], squares.sum(axis=-1)
        lost = direct / self.n * self.inverse_free_weight
        movement = -through_goals / max(self.n - 1, 1) - lost
        movement -= movement.mean(axis=-1, keepdims=True)
        # Derivatives of the sum of squares by the sum of the weights, by the mean, by xi, and by
        # the slopes, which change with xi and without the row.
        change = self.lost_weight * dots(plain, direct)[..., None]
        change += lost * dots(plain, self.weights)[..., None]
        by_slopes = [dots(plain, excess) for excess in self.goal_excess]
        for b, moment in enumerate(self.moments):
            by_xi = dots(plain * direct, moment)
            for a, by_slope in enumerate(by_slopes):
                by_xi += by_slope * dots(direct, self.products[a, b]) / self.n
            change += self.xi_change[b] * by_xi[..., None]
            change -= lost * self.standard[b] * by_slopes[b][..., None]
        is_moved = (total > 0) & (movement != 0).any(axis=-1, keepdims=True)
        movement = np.where(is_moved, movement, 1.0)
        total, unit = (np.where(is_moved, each, 1.0) for each in (total, sums[..., None]))
        remaining = 1 - squares / unit + 2 * change / total
        log_error = np.log(np.maximum(remaining, MIN_FREE_WEIGHT)) / 2
        slope = dots(movement, log_error) / dots(movement, movement) * np.sqrt(sums) / self.n
        return np.where(is_moved[..., 0], slope, 0.0)


class StressedRows:
    r"""Rows under calibrated weights, at one level of tau or several, and the influence of each.

    The weights are :math:`w_i \propto b_i e^{\langle \xi, \psi_i \rangle}` with
    :math:`\sum w_i \psi_i = 0`, where :math:`b_i` is a weight that belongs to the row, and
    :math:`\psi_i` are its constrained columns minus their goals (Bachoc et al. 2023, theorem 2.2).
    Another sample would have other weights, and where the goals are estimated from the rows, such
    as the mean and the anchors of tau, other goals. So the influence function of a weighted mean
    :math:`\theta = \sum w_i o_i / n` is that of a calibration estimator (Deville and Särndal 1992),

    .. math:: \mathrm{IF}_i = w_i r_i + \langle \beta, \mathrm{IF}_i(g) \rangle, \qquad
              r_i = (o_i - \theta) - \langle \beta, \psi_i \rangle,

    where :math:`\beta` are the coefficients of a weighted regression of the output on
    :math:`\psi`: the derivatives of the mean with respect to the goals. As in the estimator HC4
    (Cribari-Neto 2004) a row's residual :math:`r_i` is divided by
    :math:`(1 - h_i)^{\min(4, h_i / \bar h) / 2}`, with the leverage
    :math:`h_i = w_i / n \{1 + \psi_i^\top V^{-1} \psi_i\}`,
    :math:`V = \sum w_i \psi_i \psi_i^\top / n`. The skewness of the error is computed from these
    influences; its size comes from the jackknife over rows (`means_without`) or over groups of
    rows (`uqwidgets.stress.replicates`).

    The intervals assume that the weights have a finite variance in the population. A column with a
    heavier tail than the exponential distribution has none when it is stressed far upwards; a
    small effective sample size is the sign of it. For columns with few distinct values the
    intervals ignore that the quantile can jump between neighbouring values.

    Parameters
    ----------
    weights : ndarray of shape (..., n)
        Of mean 1.
    moments : ndarray of shape (k, ..., n)
        The constrained columns minus their goals; their weighted means are 0.
    goals : ndarray of shape (k, ..., n)
        Influence of the rows on the goals; 0 for those that are fixed.
    groups : RowGroups, optional
        Rows that belong together, and are left out together. Then "without each row" means
        without each group, and what a row contributes to it is the share of its own.

    Attributes
    ----------
    n : int
        Number of rows.
    groups : RowGroups or None
    share : ndarray of shape (..., n)
        Weights of sum 1.
    ess_share : ndarray of shape (...)
        Effective sample size over the number of rows; for groups, over that without weights.
    moments, goals : ndarray of shape (k, ..., n)
        In units of the weighted standard deviation of the moment; 0 where all weight lies on one
        value, so that there is nothing to solve.
    lost_residual : ndarray of shape (..., n)
        How much of its residual a mean loses without a row.
    """

    def __init__(
        self, weights: Floats, moments: Floats, goals: Floats, groups: RowGroups | None = None
    ) -> None:
        n = self.n = weights.shape[-1]
        self.groups = groups
        self.weights, self.share = weights, weights / n
        self.ess_share = self.effective_sizes(weights) / self.effective_sizes(np.ones(n))
        deviations = np.sqrt(dots(self.share, np.square(moments)))[..., None]
        is_solved = deviations > _ROUNDING * np.abs(moments).max(axis=-1, keepdims=True)
        unit = np.where(is_solved, 1 / np.where(is_solved, deviations, 1.0), 0.0)
        self.moments, self.goals = moments * unit, goals * unit
        covariance = np.einsum("a...i,b...i->...ab", self.share * self.moments, self.moments)
        inverse = np.linalg.pinv(covariance, hermitian=True)
        standard = np.einsum("...ab,b...i->a...i", inverse, self.moments)
        leverage = self.share * (1 + (self.moments * standard).sum(axis=0))
        free = np.maximum(1 - self._of_whole_group(leverage), MIN_FREE_WEIGHT)
        # Rows of high leverage attract the solution, so that their residuals are too small.
        average = leverage.mean(axis=-1, keepdims=True)
        self.hc4_factor = free ** (-np.minimum(4.0, leverage / average) / 2)
        self._remaining = np.maximum(n - self._of_whole_group(np.ones(n)), 1)
        # Without row i the moments of the others are off from their goals by so much, and the
        # regression of an output on the moments is another one (a deletion formula).
        own = self.share / np.maximum(1 - self._of_whole_group(self.share), MIN_FREE_WEIGHT)
        moved = own * self.moments - self.goals / self._remaining
        change = (self.share / free) * (standard * moved).sum(axis=0)
        self.lost_residual = own + change
        xi_change = np.einsum("...ab,b...i->a...i", inverse, moved) + standard * change
        self.effects = LeaveOneOutEffects(
            n,
            weights=weights,
            inverse_free_weight=1 / free,
            moments=self.moments,
            standard=standard,
            goal_excess=self.goals - weights * self.moments,
            products=standard[:, None] * self.moments,
            lost_weight=self.share / free,
            xi_change=(1 - self._of_whole_group(self.share)) * xi_change,
        )

    def effective_sizes(self, weights: Floats) -> Floats:
        """Effective number of rows, or of groups, with weights (..., n)."""
        return effective_sample_sizes(self._per_unit(weights))

    def _per_unit(self, values: Floats) -> Floats:
        """Sum over the rows of each group, if there are groups: (..., n) to (..., u)."""
        return values if self.groups is None else self.groups.sums(values)

    def _of_whole_group(self, values: Floats) -> Floats:
        """Return the sum over the group of each row, (..., n); its own value without groups."""
        return values if self.groups is None else self.groups.sums(values)[..., self.groups.codes]

    def influence(self, outputs: Floats) -> tuple[Floats, Floats]:
        r"""Influence of each row on the weighted mean of outputs, and the skewness of its error.

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
        influence : ndarray of shape (..., u)
            Of rows, or of groups; the sum of squares over n^2 is the variance of the mean.
        skew_slope : ndarray of shape (...)
        """
        direct, through_goals = self.parts(outputs)
        robust, effects = direct * self.hc4_factor + through_goals, self.effects
        if self.groups is not None:
            effects = effects.of_groups(self.groups, np.square(self.weights) + TINY)
        of_units = [self._per_unit(each) for each in (direct, through_goals, robust)]
        return of_units[-1], effects.skew_slope(*of_units)

    def parts(self, outputs: Floats) -> tuple[Floats, Floats]:
        """Influences on means of outputs through the rows' own weight, and through the goals."""
        residual, slopes = self._regression(outputs)
        through_goals = np.zeros_like(residual)
        for slope, goal in zip(slopes, self.goals, strict=True):
            through_goals += slope * goal
        return self.weights * residual, through_goals

    def means_without(self, outputs: Floats) -> Floats:
        r"""Weighted means of outputs (..., n) without each row or group (..., u), to second order.

        Without row i the weights are still exponential in the moments, but these have other goals,
        and :math:`\xi` changes by some :math:`\delta_i` to meet them. The mean follows the goals
        along :math:`\beta`; the residual of the row itself is lost, for fixed goals divided by 1
        minus its leverage, because without the row the regression is another one; and the residuals
        of the other rows add :math:`\delta_i^\top (\sum w r \psi \psi^\top / n)\,\delta_i / 2`.
        Where the goals are the means of the rows themselves, as at :math:`\tau = 0`, nothing is to
        be solved without a row, and the result is the mean of the other rows.
        Where few rows have much weight, the second order is not exact for these rows.
        """
        centre = dots(self.share, outputs)[..., None]
        residual, slopes = self._regression(outputs)
        xi_change = self._per_unit(self.effects.xi_change)
        change = np.clip(xi_change, -_MAX_XI_CHANGE, _MAX_XI_CHANGE)
        means = centre - self._per_unit(self.lost_residual * residual)
        for a, moment in enumerate(self.moments):
            # Ties at a quantile make the influences on it add up to something other than 0.
            goal = self.goals[a] - self.goals[a].mean(axis=-1, keepdims=True)
            means -= slopes[a] * self._per_unit(goal / self._remaining)
            for b, other in enumerate(self.moments):
                curvature = dots(self.share * moment * other, residual)[..., None]
                means += change[a] * change[b] / 2 * curvature
        # A mean lies within the range of the output, however inaccurate the second order is.
        least, most = outputs.min(axis=-1, keepdims=True), outputs.max(axis=-1, keepdims=True)
        return np.asarray(np.clip(means, least, most))

    def _regression(self, outputs: Floats) -> tuple[Floats, list[Floats]]:
        """Return the residuals (..., n) of the weighted regression, and its slopes (..., 1)."""
        residual = outputs - dots(self.share, outputs)[..., None]
        slopes = [dots(self.share * one, residual)[..., None] for one in self.effects.standard]
        for slope, moment in zip(slopes, self.moments, strict=True):
            residual -= slope * moment
        return residual, slopes


def influence_and_bias(without: Floats, value: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Jackknife influence of each row on estimates, and jackknife bias of the estimates.

    Parameters
    ----------
    without : ndarray of shape (..., n)
        The estimates without each row.
    value : array-like of shape (...)
        The estimates.

    Returns
    -------
    influence : ndarray of shape (..., n)
        Its mean square over n is the variance of the estimate.
    bias : ndarray of shape (...)
    """
    n, mean = without.shape[-1], without.mean(axis=-1)
    return np.sqrt(n * (n - 1)) * (mean[..., None] - without), (n - 1) * (mean - value)
