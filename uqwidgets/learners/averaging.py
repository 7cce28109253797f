"""How a quantity is averaged over refits, and how far that mean may be off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from uqwidgets.learners.intervals import (
    LearnerInterval,
    corrected_interval,
    correction_share,
    group_jackknife_interval,
    row_effect_interval,
)
from uqwidgets.learners.refits import Refit
from uqwidgets.learners.row_effects import group_table, row_effect_variance
from uqwidgets.learners.splits import GroupSplits
from uqwidgets.predictive.distributions import Floats

IntervalOfLearner = Literal["corrected", "row-effect", "group-jackknife"]
LEARNER_INTERVALS: tuple[IntervalOfLearner, ...] = get_args(IntervalOfLearner)


@dataclass(frozen=True, eq=False)
class Averaging:
    """What a mean over some refits rests on.

    Attributes
    ----------
    refits : tuple of Refit, length m
    n : int
        Rows of the table.
    splits : GroupSplits or None
        Where every two groups of rows were left out.
    correction : str, float or None
    how : {"corrected", "row-effect", "group-jackknife"}
        Which interval, see `uqwidgets.learners.intervals`.
    level : float
    seed : int
    remarks : tuple of str
        On the refits.
    """

    refits: tuple[Refit, ...]
    n: int
    splits: GroupSplits | None
    correction: str | float | None
    how: IntervalOfLearner
    level: float
    seed: int
    remarks: tuple[str, ...]

    @property
    def share(self) -> float:
        """What is added to 1/m in the variance of the mean (003, section 7.3)."""
        return correction_share(self.correction, *self._sizes)

    def corrected(self, estimates: Floats) -> LearnerInterval:
        """Interval for the mean of estimates of shape (m, ...), from these alone."""
        return corrected_interval(estimates, *self._sizes, self.level, self.share)

    def interval(self, estimates: Floats, values: Sequence[Floats]) -> LearnerInterval:
        """Interval for the mean over refits.

        Parameters
        ----------
        estimates : ndarray of shape (m, ...)
        values : sequence of m ndarrays of shape (n2, ...)
            What each refit says of its held-out rows, whose mean is its estimate; NaN where that
            is no mean over rows.

        Raises
        ------
        ValueError
            If the interval needs values of rows, and there are none.
        """
        if self.how == "corrected":
            return self.corrected(estimates)
        if np.isnan(values[0]).all():
            raise ValueError(
                f"interval {self.how!r} needs a mean over rows, which this is not; use "
                "interval='corrected'."
            )
        of_rows = np.full((len(values), self.n, *values[0].shape[1:]), np.nan)
        for refit, line, held_out in zip(self.refits, of_rows, values, strict=True):
            line[refit.held_out] = held_out
        if self.how == "row-effect":
            variance = row_effect_variance(of_rows)
            return row_effect_interval(estimates, variance, self.n, *self._sizes, self.level)
        assert self.splits is not None
        table = group_table(of_rows, self.splits)
        return group_jackknife_interval(estimates, table, *self._sizes, self.level)

    def over_refits(self, values: Sequence[Floats]) -> Floats:
        """Average what the refits say of each row, over those that have not seen it.

        Parameters
        ----------
        values : sequence of m ndarrays of shape (n2, ...)
            Of each refit's held-out rows.

        Returns
        -------
        ndarray of shape (n, ...)
            NaN for rows that no refit held out.
        """
        total = np.zeros((self.n, *values[0].shape[1:]))
        count = np.zeros(self.n)
        for refit, of_rows in zip(self.refits, values, strict=True):
            total[refit.held_out] += of_rows
            count[refit.held_out] += 1
        count = count.reshape(-1, *[1] * (total.ndim - 1))
        return np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)

    @property
    def _sizes(self) -> tuple[float, float]:
        """Distinct rows that a refit learned from, and rows it is asked about, on average."""
        learned = np.mean([refit.n_train for refit in self.refits])
        asked = np.mean([len(refit.held_out) for refit in self.refits])
        return float(learned), float(asked)
