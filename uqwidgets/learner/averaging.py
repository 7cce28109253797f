"""The mean over refits, its interval, and the remarks that belong to it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets._utils.remarks import Remark
from uqwidgets.learner.interval_choice import (
    LearnerIntervalName,
    ResultKind,
    best_interval,
    checked_interval,
    coverage,
)
from uqwidgets.learner.intervals import (
    LearnerInterval,
    corrected_interval,
    correction_share,
    group_jackknife_interval,
    row_effect_interval,
    variance_components_interval,
)
from uqwidgets.learner.refits import Refit
from uqwidgets.learner.resampling import ResamplingPlan
from uqwidgets.learner.row_effects import (
    group_table,
    interaction_variance,
    row_effect_variance,
    share_rows,
)

# An interval from held-out values takes this many arrays of their size.
_ARRAYS = 4
# Rows of a refit seem to depend on each other now and then by chance; in most refits they do.
_ON_ROWS = ("rows-of-groups", "rows-in-order", "duplicated-rows")
_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")


@dataclass(frozen=True, eq=False)
class Averaging:
    """Refits to average over, and how their mean gets its interval.

    Attributes
    ----------
    refits : tuple of Refit, length m
    plan : ResamplingPlan
        How the rows of each were drawn.
    correction : str, float or None
    requested : str or None
        The interval that the user requests, see `uqwidgets.learner.intervals`; None for the best.
    weighted : bool
        Whether rows have weights.
    level : float
    remarks : tuple of Remark
        Remarks on the refits themselves, such as failed ones.
    """

    refits: tuple[Refit, ...]
    plan: ResamplingPlan
    correction: str | float | None
    requested: LearnerIntervalName | None
    weighted: bool
    level: float
    remarks: tuple[Remark, ...]

    @property
    def n(self) -> int:
        """Rows of the table."""
        return self.plan.n

    @property
    def share(self) -> float:
        """Term that is added to 1/m in the variance of the mean (Molnar et al. 2023, sect. 7.3)."""
        return correction_share(self.correction, *self._sizes)

    def interval_name(self, kind: ResultKind) -> LearnerIntervalName:
        """Return the name of the interval to compute.

        Raises
        ------
        ValueError
            If the requested interval does not suit this kind of result.
        """
        if self.requested is not None:
            return checked_interval(self.requested, kind)
        own_correction = self.correction != "nadeau-bengio"
        held_out = [self.plan.units_of(refit.held_out) for refit in self.refits]
        if own_correction or self.weighted or not share_rows(held_out):
            return "corrected"
        return best_interval(kind, self.plan.resampling)

    def corrected(self, estimates: Floats) -> LearnerInterval:
        """Interval of the mean of estimates of shape (m, ...) (Nadeau and Bengio 2003)."""
        return corrected_interval(estimates, *self._sizes, self.level, self.share)

    def interval(
        self, estimates: Floats, values: Sequence[Floats], kind: ResultKind
    ) -> LearnerInterval:
        """Interval for the mean over refits, of as many quantities at a time as fit in memory.

        Parameters
        ----------
        estimates : ndarray of shape (m, q), or (m, ...) for the interval ``corrected``
        values : sequence of m ndarrays of shape (n2, q)
            Held-out values of each refit, whose mean is its estimate. They are not read where the
            estimate is not a mean over rows.
        kind : str
            Kind of result.

        Raises
        ------
        ValueError
            If the requested interval does not suit this kind of result.
        """
        name = self.interval_name(kind)
        if name == "corrected":
            return self.corrected(estimates)
        step = self.quantities_in_memory
        parts = [slice(first, first + step) for first in range(0, estimates.shape[1], step)]
        return LearnerInterval.joined(
            [
                self._interval_of_rows(name, estimates[:, some], [v[:, some] for v in values], kind)
                for some in parts
            ]
        )

    @property
    def array_room(self) -> int:
        """Bytes that the arrays of a result may take, a fifth of the memory limit.

        All refits are evaluated at the same time, and each uses its own share of the limit.
        """
        return sum(refit.explainer.evaluations.array_room for refit in self.refits) // 2

    @property
    def quantities_in_memory(self) -> int:
        """Number of quantities whose held-out values of all refits fit in memory."""
        return max(1, self.array_room // (_ARRAYS * 8 * len(self.refits) * self.n))

    def _interval_of_rows(
        self,
        name: LearnerIntervalName,
        estimates: Floats,
        values: Sequence[Floats],
        kind: ResultKind,
    ) -> LearnerInterval:
        n = self.plan.n_units
        held_out = np.full((len(values), n, *values[0].shape[1:]), np.nan)
        for refit, line, of_rows, mean in zip(
            self.refits, held_out, values, estimates, strict=True
        ):
            rows = refit.held_out
            line[self.plan.units_of(rows)] = self.plan.unit_values(of_rows, rows, mean)
        if name == "group-jackknife":
            assert self.plan.splits is not None
            table = group_table(held_out, self.plan.splits)
            return group_jackknife_interval(estimates, table, *self._sizes, self.level)
        variance = row_effect_variance(held_out)
        if name == "row-effect":
            return row_effect_interval(estimates, variance, n, *self._sizes, self.level)
        return variance_components_interval(
            estimates,
            variance,
            interaction_variance(held_out),
            n,
            *self._sizes,
            self.level,
            bootstrap=self.plan.resampling == "bootstrap",
            of_loss=kind == "importance by a loss",
        )

    def remarks_on(
        self, kind: ResultKind, of_refits: Sequence[tuple[Remark, ...]] = ()
    ) -> tuple[Remark, ...]:
        """Return the remarks on a result: on the refits, on their results, on its interval.

        Parameters
        ----------
        kind : str
            Kind of result.
        of_refits : sequence of m tuples of Remark
            Remarks on each refit's own result.
        """
        name = self.interval_name(kind)
        covered = coverage(
            name,
            kind,
            self.plan.resampling,
            self.correction,
            self.weighted,
            self.plan.row_groups is not None,
        )
        # A refit has a part of the memory, and the remarks on all refits are on the whole.
        on_parts = {
            remark
            for refit in self.refits
            for remark in refit.explainer.evaluations.remarks_on_memory()
        }
        codes = Counter(code for each in of_refits for code in {r.code for r in each})
        by_chance = {code for code in _ON_ROWS if 2 * codes[code] <= len(of_refits)}
        others = [
            tuple(r for r in each if r not in on_parts and r.code not in by_chance)
            for each in of_refits
        ]
        return (*self.remarks, *merge_remarks(others), Remark("learner-coverage", covered))

    def over_refits(self, values: Sequence[Floats]) -> Floats:
        """Average each row's value over the refits that held the row out.

        Parameters
        ----------
        values : sequence of m ndarrays of shape (n2, ...)
            Values of each refit's held-out rows.

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
        """Mean number of distinct training rows, or groups, and of held-out ones of a refit."""
        each = [(refit.rows.train, refit.rows.held_out) for refit in self.refits]
        counts = [[len(self.plan.units_of(rows)) for rows in refit] for refit in each]
        n_train, n_test = np.mean(counts, axis=0)
        return float(n_train), float(n_test)


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


def merge_remarks(of_refits: Sequence[tuple[Remark, ...]]) -> tuple[Remark, ...]:
    """Return each remark once, whatever the number of refits that have it.

    Remarks that differ in their numbers only, such as a number of held-out rows, are one remark
    with the range of each number, as in "in 1 to 3 of 47 rows".

    Parameters
    ----------
    of_refits : sequence of m tuples of Remark
    """
    alike: dict[str, list[Remark]] = {}
    n_refits: dict[str, int] = {}
    for remarks in of_refits:
        shapes = {remark: _NUMBER.sub("#", remark) for remark in dict.fromkeys(remarks)}
        for remark, shape in shapes.items():
            alike.setdefault(shape, []).append(remark)
        # One refit may have the remark twice, with different numbers.
        for shape in set(shapes.values()):
            n_refits[shape] = n_refits.get(shape, 0) + 1
    m = len(of_refits)
    merged = []
    for shape, same in alike.items():
        if n_refits[shape] < m:
            where = f"in {n_refits[shape]} of {m} refits: "
        else:
            where = "" if len(set(same)) == 1 else "in each refit: "
        merged.append(Remark(same[0].code, where + _with_ranges(same)))
    return tuple(merged)


def _with_ranges(remarks: Sequence[str]) -> str:
    """Merge remarks that differ in their numbers only."""
    words = _NUMBER.split(remarks[0])
    columns = zip(*(_NUMBER.findall(remark) for remark in remarks), strict=True)
    texts = [_range([*dict.fromkeys(column)]) for column in columns]
    return "".join(word + text for word, text in zip(words, [*texts, ""], strict=True))


def _range(numbers: Sequence[str]) -> str:
    ordered = sorted(numbers, key=lambda text: float(text.replace(",", "")))
    return ordered[0] if len(ordered) == 1 else f"{ordered[0]} to {ordered[-1]}"
