"""Which rows each refit learns from, and which it is scored on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from uqwidgets._utils.choices import one_of
from uqwidgets.learner.splits import GroupSplits, leave_two_groups_out

Rows = npt.NDArray[np.intp]
Resampling = Literal["bootstrap", "subsampling", "leave-two-groups-out"]
RESAMPLINGS: tuple[Resampling, ...] = get_args(Resampling)

# A class of fewer rows may be missing from a resample, which would make another model of it.
_RARE = 20


@dataclass(frozen=True, eq=False)
class Resample:
    """Rows of one refit.

    Attributes
    ----------
    train : ndarray of shape (n1,)
        Positions to learn from; of a bootstrap, as often as they were drawn.
    held_out : ndarray of shape (n2,)
        Positions of the rows that are not among them.
    """

    train: Rows
    held_out: Rows


@dataclass(frozen=True, eq=False)
class Plan:
    """How resamples are drawn: each from its own seed, so that more of them begin with the same.

    Attributes
    ----------
    n : int
        Rows of the table.
    resampling : {"bootstrap", "subsampling", "leave-two-groups-out"}
    train_fraction : float
        Share of the rows that a subsample learns from.
    strata : ndarray of shape (n,) or None
        Class of every row, where each is resampled by itself.
    seed : int
    splits : GroupSplits or None
        All resamples at once, where groups of rows are left out.
    """

    n: int
    resampling: Resampling
    train_fraction: float
    strata: Rows | None
    seed: int
    splits: GroupSplits | None = None

    @classmethod
    def of(
        cls,
        y: npt.NDArray[Any],
        resampling: str,
        train_fraction: float,
        classifier: bool,
        seed: int,
        n_refits: int,
    ) -> Plan:
        """Check what a person asks for.

        Raises
        ------
        ValueError
            For a name that does not exist, a fraction out of range, too few rows, a class of a
            single row, or a number of refits that leaves no two groups out.
        """
        known = one_of(RESAMPLINGS, resampling, "resampling")
        if not 0 < train_fraction < 1:
            raise ValueError(
                f"train_fraction is {train_fraction}; it must be between 0 and 1, such as 0.632."
            )
        if len(y) < 4:
            raise ValueError(f"there are {len(y)} rows; refits need at least 4 to hold some out.")
        strata, splits = _strata(y) if classifier else None, None
        if known == "leave-two-groups-out":
            if strata is not None:
                raise ValueError(
                    f"a class has fewer than {_RARE} rows, too few to cut into groups; use "
                    "resampling='bootstrap'."
                )
            splits = leave_two_groups_out(len(y), n_refits, train_fraction, seed)
        return cls(len(y), known, train_fraction, strata, seed, splits)

    def same_as(self, other: Plan) -> bool:
        """Whether another plan draws the same resamples."""
        fields = ("n", "resampling", "train_fraction", "seed")
        return all(getattr(self, f) == getattr(other, f) for f in fields) and (
            (self.strata is None) == (other.strata is None)
        )

    def seeds(self, number: int) -> tuple[np.random.Generator, int]:
        """Give the stream that draws a resample, and the seed of its fit."""
        root = np.random.SeedSequence(self.seed, spawn_key=(number,))
        rows, fit = root.spawn(2)
        return np.random.default_rng(rows), int(fit.generate_state(1)[0] % 2**31)

    def resample(self, number: int) -> Resample:
        """Draw the rows of one refit."""
        if self.splits is not None:
            return Resample(self.splits.train[number], self.splits.held_out(number))
        stream, _ = self.seeds(number)
        everyone = np.arange(self.n)
        strata = [everyone]
        if self.strata is not None:
            strata = [np.flatnonzero(self.strata == c) for c in np.unique(self.strata)]
        train = np.sort(np.concatenate([self._drawn(rows, stream) for rows in strata]))
        return Resample(train, np.setdiff1d(everyone, train))

    def _drawn(self, rows: Rows, stream: np.random.Generator) -> Rows:
        if self.resampling == "subsampling":
            size = int(np.clip(round(self.train_fraction * len(rows)), 1, len(rows) - 1))
            return stream.choice(rows, size, replace=False)
        while True:  # a resample of few rows may hold all of them, and leave none to score
            drawn = stream.choice(rows, len(rows))
            if len(np.unique(drawn)) < len(rows):
                return drawn


def _strata(y: npt.NDArray[Any]) -> Rows | None:
    """Class of every row, if one of them is rare."""
    labels, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    rarest = int(counts.argmin())
    if counts[rarest] < 2:
        raise ValueError(
            f"class {labels.tolist()[rarest]!r} has a single row, which cannot be learned from and "
            "held out; leave this class out or add rows of it."
        )
    return codes if counts[rarest] < _RARE else None
