"""How a quantity is averaged over refits, and how far that mean may be off."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.learner.intervals import (
    LearnerInterval,
    corrected_interval,
    correction_share,
    group_jackknife_interval,
    row_effect_interval,
    variance_components_interval,
)
from uqwidgets.learner.refits import Refit
from uqwidgets.learner.resampling import Plan
from uqwidgets.learner.row_effects import (
    group_table,
    interaction_variance,
    row_effect_variance,
    share_rows,
)
from uqwidgets.learner.subjects import (
    IntervalOfLearner,
    Subject,
    best_interval,
    checked_interval,
    coverage,
)

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, eq=False)
class Averaging:
    """What a mean over some refits rests on.

    Attributes
    ----------
    refits : tuple of Refit, length m
    plan : Plan
        How the rows of each were drawn.
    correction : str, float or None
    requested : str or None
        Which interval, see `uqwidgets.learner.intervals`; None for the best one.
    weighted : bool
        Whether rows have weights.
    level : float
    remarks : tuple of str
        On the refits.
    """

    refits: tuple[Refit, ...]
    plan: Plan
    correction: str | float | None
    requested: IntervalOfLearner | None
    weighted: bool
    level: float
    remarks: tuple[str, ...]

    @property
    def n(self) -> int:
        """Rows of the table."""
        return self.plan.n

    @property
    def share(self) -> float:
        """What is added to 1/m in the variance of the mean (Molnar et al. 2023, section 7.3)."""
        return correction_share(self.correction, *self._sizes)

    def how(self, subject: Subject) -> IntervalOfLearner:
        """Return which interval is taken.

        Raises
        ------
        ValueError
            If the one that was asked for is none for this.
        """
        if self.requested is not None:
            return checked_interval(self.requested, subject)
        own_correction = self.correction != "nadeau-bengio"
        if own_correction or self.weighted or not share_rows([r.held_out for r in self.refits]):
            return "corrected"
        return best_interval(subject, self.plan.resampling)

    def corrected(self, estimates: Floats) -> LearnerInterval:
        """Interval for the mean of estimates of shape (m, ...), from these alone."""
        return corrected_interval(estimates, *self._sizes, self.level, self.share)

    def interval(
        self, estimates: Floats, values: Sequence[Floats], subject: Subject
    ) -> LearnerInterval:
        """Interval for the mean over refits.

        Parameters
        ----------
        estimates : ndarray of shape (m, ...)
        values : sequence of m ndarrays of shape (n2, ...)
            What each refit says of its held-out rows, whose mean is its estimate; anything where
            that is no mean over rows.
        subject : str
            What this is.

        Raises
        ------
        ValueError
            If the interval that was asked for is none for this.
        """
        how = self.how(subject)
        if how == "corrected":
            return self.corrected(estimates)
        of_rows = np.full((len(values), self.n, *values[0].shape[1:]), np.nan)
        for refit, line, held_out in zip(self.refits, of_rows, values, strict=True):
            line[refit.held_out] = held_out
        if how == "group-jackknife":
            assert self.plan.splits is not None
            table = group_table(of_rows, self.plan.splits)
            return group_jackknife_interval(estimates, table, *self._sizes, self.level)
        variance = row_effect_variance(of_rows)
        if how == "row-effect":
            return row_effect_interval(estimates, variance, self.n, *self._sizes, self.level)
        return variance_components_interval(
            estimates,
            variance,
            interaction_variance(of_rows),
            self.n,
            *self._sizes,
            self.level,
            bootstrap=self.plan.resampling == "bootstrap",
            of_loss=subject == "importance by a loss",
        )

    def remarks_on(
        self, subject: Subject, of_refits: Sequence[tuple[str, ...]] = ()
    ) -> tuple[str, ...]:
        """Return what a reader of a result should know: of the refits, of each, of the interval.

        Parameters
        ----------
        subject : str
            What the result is.
        of_refits : sequence of m tuples of str
            Remarks on each refit's own result.
        """
        how = self.how(subject)
        covers = coverage(how, subject, self.plan.resampling, self.correction, self.weighted)
        return (*self.remarks, *merge_remarks(of_refits), covers)

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


def weights_of_held_out(
    averaging: Averaging, sample_weight: npt.ArrayLike | None
) -> list[Floats | None]:
    """Return the weights of the rows that each refit held out.

    Parameters
    ----------
    averaging : Averaging
    sample_weight : array-like of shape (n,), optional

    Raises
    ------
    ValueError
        If a refit held out no row that has weight.
    """
    if sample_weight is None:
        return [None] * len(averaging.refits)
    weights = np.asarray(sample_weight, dtype=np.float64)
    each = [weights[refit.held_out] for refit in averaging.refits]
    for refit, of_rows in zip(averaging.refits, each, strict=True):
        if not of_rows.any():
            raise ValueError(
                f"sample_weight is 0 for every row that refit {refit.number} held out; give more "
                "rows a weight."
            )
    return [*each]


def merge_remarks(of_refits: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return each remark once, however many refits it is on.

    Remarks that differ in nothing but their numbers, such as how many of the rows that a refit
    held out, are one remark, given as the first of these refits has it.

    Parameters
    ----------
    of_refits : sequence of m tuples of str
    """
    alike: dict[str, list[str]] = {}
    for remarks in of_refits:
        for remark in dict.fromkeys(remarks):
            alike.setdefault(_NUMBER.sub("#", remark), []).append(remark)
    m = len(of_refits)
    return tuple(
        same[0]
        if len(same) == m and len(set(same)) == 1
        # A refit may have said it twice, of other numbers.
        else f"in {min(len(same), m)} of {m} refits, here as the first of them has it: {same[0]}"
        for same in alike.values()
    )
