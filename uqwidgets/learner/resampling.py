"""Which rows each refit learns from, and which it is scored on.

Three ways to resample: the bootstrap, subsampling, and groups of rows of which every two are left
out once.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Positions
from uqwidgets._utils.choices import one_of
from uqwidgets._utils.options import brief, is_real

Resampling = Literal["bootstrap", "subsampling", "leave-two-groups-out"]
RESAMPLINGS: tuple[Resampling, ...] = get_args(Resampling)

# A resample may lack a class of fewer rows, and the fit on it would then be another kind of model.
_RARE = 20


@dataclass(frozen=True, eq=False)
class Resample:
    """Rows of one refit.

    Attributes
    ----------
    train : ndarray of shape (n1,)
        Positions of the training rows; a bootstrap repeats the rows that it drew several times.
    held_out : ndarray of shape (n2,)
        Positions of the rows that are not among them.
    """

    train: Positions
    held_out: Positions


@dataclass(frozen=True, eq=False)
class GroupSplits:
    """Every way to leave two of G groups of rows out.

    Attributes
    ----------
    groups : ndarray of shape (n,)
        Group of each row, from 0 to G - 1.
    left_out : ndarray of shape (m, 2)
        The two groups that each refit is scored on; m = G (G - 1) / 2.
    train : tuple of m ndarrays of shape (n_train,)
        Positions of the rows that each refit learns from.
    """

    groups: Positions
    left_out: Positions
    train: tuple[Positions, ...]

    def held_out(self, refit: int) -> Positions:
        """Positions of the rows that a refit is scored on."""
        return np.flatnonzero(np.isin(self.groups, self.left_out[refit]))


def leave_two_groups_out(
    n: int,
    n_refits: int = 15,
    train_fraction: float = 0.632,
    random_state: int | np.random.Generator | None = None,
) -> GroupSplits:
    """Cut the rows at random into groups and leave every two of them out once.

    Each row is held out, and learned from, equally often, and so is each pair of groups. The
    refits that left one group out, scored on the second group that each left out, are a
    cross-validation of the table without that group. The jackknife of `group_jackknife_interval`
    therefore needs no further refits.

    Parameters
    ----------
    n : int
        Number of rows.
    n_refits : int
        10, 15, 21 or another number of pairs: 5, 6, 7 groups.
    train_fraction : float
        Largest share of the rows to learn from, so that refits learn from as many rows as with
        other resampling. With six groups, 2/3 of the rows remain; those in excess of the share
        are dropped at random. Where fewer rows remain, all of them are used.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    GroupSplits

    Raises
    ------
    ValueError
        If ``n_refits`` is not a number of pairs, or a group would have fewer than two rows.
    """
    n_groups = round((1 + np.sqrt(1 + 8 * max(n_refits, 0))) / 2)
    if n_groups < 4 or n_groups * (n_groups - 1) // 2 != n_refits:
        raise ValueError(
            f"n_refits is {n_refits}; to leave out every two of G groups takes G (G - 1) / 2 "
            "refits: 6, 10, 15, 21, 28, ..."
        )
    if n < 2 * n_groups:
        raise ValueError(
            f"{n} rows cannot be cut into {n_groups} groups of two or more; "
            "use more rows or fewer refits."
        )
    rng = np.random.default_rng(random_state)
    groups = rng.permutation(np.arange(n, dtype=np.intp) % n_groups)
    left_out = np.array(list(combinations(range(n_groups), 2)), dtype=np.intp)
    largest = max(1, int(train_fraction * n))
    train = []
    for pair in left_out:
        rows = np.flatnonzero(~np.isin(groups, pair))
        if len(rows) > largest:
            rows = np.sort(rng.choice(rows, largest, replace=False))
        train.append(rows)
    return GroupSplits(groups, left_out, tuple(train))


@dataclass(frozen=True, eq=False)
class ResamplingPlan:
    """How the resamples of all refits are drawn.

    Each resample has a seed of its own, so that a learner of more refits begins with the resamples
    of a learner of fewer.

    Attributes
    ----------
    n : int
        Rows of the table.
    resampling : {"bootstrap", "subsampling", "leave-two-groups-out"}
    train_fraction : float
        Share of the rows that a subsample learns from.
    strata : ndarray of shape (n,) or None
        Class of every row, where each class is resampled by itself.
    seed : int
    splits : GroupSplits or None
        The resamples of ``"leave-two-groups-out"``, which are all drawn at once.
    """

    n: int
    resampling: Resampling
    train_fraction: float
    strata: Positions | None
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
    ) -> ResamplingPlan:
        """Validate the options, and decide whether classes are resampled by themselves.

        Raises
        ------
        ValueError
            For a name that does not exist, a fraction out of range, too few rows, a class of a
            single row, or a number of refits that leaves no two groups out.
        """
        name = one_of(RESAMPLINGS, resampling, "resampling")
        if not is_real(train_fraction) or not 0 < train_fraction < 1:
            raise ValueError(
                f"train_fraction is {brief(train_fraction)}; it must be between 0 and 1, such as "
                "0.632."
            )
        if len(y) < 4:
            raise ValueError(f"there are {len(y)} rows; refits need at least 4 to hold some out.")
        strata, splits = _strata(y) if classifier else None, None
        if name == "leave-two-groups-out":
            if strata is not None:
                raise ValueError(
                    f"a class has fewer than {_RARE} rows, too few to cut into groups; use "
                    "resampling='bootstrap'."
                )
            splits = leave_two_groups_out(len(y), n_refits, train_fraction, seed)
        return cls(len(y), name, train_fraction, strata, seed, splits)

    def same_as(self, other: ResamplingPlan) -> bool:
        """Whether another plan draws the same resamples."""
        fields = ("n", "resampling", "train_fraction", "seed")
        return all(getattr(self, f) == getattr(other, f) for f in fields) and (
            (self.strata is None) == (other.strata is None)
        )

    def seeds(self, number: int) -> tuple[np.random.Generator, int]:
        """Return the generator that draws a resample, and the seed of its fit."""
        root = np.random.SeedSequence(self.seed, spawn_key=(number,))
        rows, fit = root.spawn(2)
        return np.random.default_rng(rows), int(fit.generate_state(1)[0] % 2**31)

    def resample(self, number: int) -> Resample:
        """Draw the rows of one refit."""
        if self.splits is not None:
            return Resample(self.splits.train[number], self.splits.held_out(number))
        rng, _ = self.seeds(number)
        everyone = np.arange(self.n)
        strata = [everyone]
        if self.strata is not None:
            strata = [np.flatnonzero(self.strata == c) for c in np.unique(self.strata)]
        train = np.sort(np.concatenate([self._draw(rows, rng) for rows in strata]))
        return Resample(train, np.setdiff1d(everyone, train))

    def _draw(self, rows: Positions, rng: np.random.Generator) -> Positions:
        if self.resampling == "subsampling":
            size = int(np.clip(round(self.train_fraction * len(rows)), 1, len(rows) - 1))
            return rng.choice(rows, size, replace=False)
        while True:  # a bootstrap of few rows may contain all of them and hold none out
            sample = rng.choice(rows, len(rows))
            if len(np.unique(sample)) < len(rows):
                return sample


def _strata(y: npt.NDArray[Any]) -> Positions | None:
    """Class of every row, if one of the classes is rare."""
    labels, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    rarest = int(counts.argmin())
    if counts[rarest] < 2:
        raise ValueError(
            f"class {labels.tolist()[rarest]!r} has a single row, which cannot be learned from and "
            "held out; leave this class out or add rows of it."
        )
    return codes if counts[rarest] < _RARE else None
