"""How a quantity is averaged over refits, and how far that mean may be off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from uqwidgets.learners.intervals import LearnerInterval, corrected_interval, correction_share
from uqwidgets.learners.refits import Refit
from uqwidgets.predictive.distributions import Floats


@dataclass(frozen=True, eq=False)
class Averaging:
    """What a mean over some refits rests on.

    Attributes
    ----------
    refits : tuple of Refit, length m
    n : int
        Rows of the table.
    correction : str, float or None
    level : float
    seed : int
    remarks : tuple of str
        On the refits.
    """

    refits: tuple[Refit, ...]
    n: int
    correction: str | float | None
    level: float
    seed: int
    remarks: tuple[str, ...]

    @property
    def share(self) -> float:
        """What is added to 1/m in the variance of the mean (003, section 7.3)."""
        learned = float(np.mean([refit.n_train for refit in self.refits]))
        asked = float(np.mean([len(refit.held_out) for refit in self.refits]))
        return correction_share(self.correction, learned, asked)

    def interval(self, estimates: Floats) -> LearnerInterval:
        """Interval for the mean of estimates of shape (m, ...)."""
        return corrected_interval(estimates, 1, 1, self.level, self.share)

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
