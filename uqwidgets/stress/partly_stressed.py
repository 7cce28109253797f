"""Influence of rows on stressed means where some rows have no value and keep weight 1."""

from __future__ import annotations

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.inference.population import effective_sample_sizes
from uqwidgets.inference.sums import dots
from uqwidgets.stress.influence import (
    MIN_FREE_WEIGHT,
    LeaveOneOutEffects,
    StressedRows,
    skew_slope,
)


class PartlyStressedRows(StressedRows):
    r"""Rows with a value at levels of tau, followed by rows without one, which keep weight 1.

    Of n rows, a share p has a value. The mean of an output is
    :math:`\theta = p\,\theta_1 + (1 - p)\,\theta_0`, with :math:`\theta_1` the stressed mean of the
    rows with a value and :math:`\theta_0` the mean of the others. Another sample has another share
    too, so that the influence function is :math:`\mathrm{IF}_i(\theta_1) + \theta_1 - \theta` for a
    row with a value (see `StressedRows`), and :math:`o_i - \theta` for one without.

    Parameters
    ----------
    known : StressedRows
        Of the m rows with a value.
    n_unmoved : int
        Number of rows without one, k.

    Attributes
    ----------
    deviation, target : ndarray of shape (..., n)
        Divided by p for rows with a value, and 0 for the others: means over all rows are then
        those over the rows with a value.
    """

    def __init__(self, known: StressedRows, n_unmoved: int) -> None:
        self.known, self.n_known = known, known.n
        self.n = n = known.n + n_unmoved
        present = known.n / n

        def pad(values: Floats, others: float) -> Floats:
            shape = (*values.shape[:-1], n_unmoved)
            return np.concatenate([values, np.full(shape, others)], axis=-1)

        self.weights = pad(known.weights, 1.0)
        self.share = self.weights / n
        self.ess_share = effective_sample_sizes(self.weights) / n
        self.deviation = pad(known.deviation / present, 0.0)
        self.inverse_variance = known.inverse_variance * present
        self.standard = pad(known.standard, 0.0)
        self.target = pad(known.target / present, 0.0)
        self.target_change = pad(known.target_change, 0.0)
        self.xi_change = pad(known.xi_change * present, 0.0)
        # As for a plain mean, each of the other rows has a leverage of 1 over their number.
        free = max(1 - 1 / n_unmoved, MIN_FREE_WEIGHT)
        self.hc4_factor = pad(known.hc4_factor, free**-0.5)
        inverse_free_weight = pad(known.effects.inverse_free_weight, 1 / free)
        self.effects = LeaveOneOutEffects(
            n,
            weights=self.weights,
            deviation=self.deviation,
            standard=self.standard,
            squared_distance=self.deviation * self.standard,
            target_excess=self.target - self.weights * self.deviation,
            inverse_free_weight=inverse_free_weight,
            lost_weight=self.share * inverse_free_weight,
            xi_change=self.xi_change,
            target_change=self.target_change,
        )

    def influence(self, outputs: Floats) -> tuple[Floats, Floats]:
        """Influence of each row on the mean of outputs, and the skewness of its error.

        Parameters
        ----------
        outputs : ndarray of shape (..., n)
            Of the rows with a value, then of the others.

        Returns
        -------
        influence : ndarray of shape (..., n)
        skew_slope : ndarray of shape (...)
            See `StressedRows.influence`.
        """
        m, n = self.n_known, self.n
        known, others = outputs[..., :m], outputs[..., m:]
        direct, through_target, robust, slope = self.known.parts(known)
        mean, mean_of_others = self._mean_of_known(known), others.mean(axis=-1, keepdims=True)
        theta, difference = dots(self.share, outputs)[..., None], mean - mean_of_others
        centred = others - mean_of_others
        influence = np.concatenate(
            [robust + mean - theta, centred * self.hc4_factor[..., m:] + mean_of_others - theta],
            axis=-1,
        )
        # The sum of squares is that within both kinds of rows, and that between their means.
        moved, remaining = self.known.effects.without_rows(direct, through_target, robust, slope)
        within, within_others = (
            np.square(each).sum(axis=-1, keepdims=True) for each in (robust, centred)
        )
        k = n - m
        total = within + within_others + m * k / n * np.square(difference)
        fewer = max(k - 1, 1)
        squares = np.concatenate(
            [
                within * remaining
                + within_others
                + (m - 1) * k / (n - 1) * np.square(difference + moved),
                within
                + within_others
                - k / fewer * np.square(centred)
                + m * (k - 1) / (n - 1) * np.square(difference + centred / fewer),
            ],
            axis=-1,
        )
        squares /= np.where(total > 0, total, 1.0)
        movement = self._without(mean + moved, others, mean) - theta
        movement -= movement.mean(axis=-1, keepdims=True)
        slope = skew_slope(movement, squares, total[..., 0], n)
        return influence, np.where(total[..., 0] > 0, slope, 0.0)

    def means_without(self, outputs: Floats) -> Floats:
        """Means of outputs (..., n) without each row, with weights that are solved anew."""
        m = self.n_known
        known = outputs[..., :m]
        without, mean = self.known.means_without(known), self._mean_of_known(known)
        return self._without(without, outputs[..., m:], mean)

    def _mean_of_known(self, outputs: Floats) -> Floats:
        """Stressed means of outputs (..., m) of the rows with a value, shape (..., 1)."""
        return dots(self.known.share, outputs)[..., None]

    def _without(self, known: Floats, others: Floats, mean: Floats) -> Floats:
        """Means of all rows without each, from those of the rows with a value."""
        m, n, total = self.n_known, self.n, others.sum(axis=-1, keepdims=True)
        parts = [(m - 1) * known + total, m * mean + total - others]
        return np.asarray(np.concatenate(parts, axis=-1) / (n - 1))
