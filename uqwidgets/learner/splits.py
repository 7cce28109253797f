"""Which rows each refit learns from, when the refits are to tell about each other."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.intp]


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

    groups: Rows
    left_out: Rows
    train: tuple[Rows, ...]

    @property
    def n_train(self) -> float:
        """Mean number of rows that a refit learns from."""
        return float(np.mean([len(rows) for rows in self.train]))

    @property
    def n_test(self) -> float:
        """Mean number of rows that a refit is scored on."""
        sizes = np.bincount(self.groups)
        return float(sizes[self.left_out].sum(axis=1).mean())

    def held_out(self, refit: int) -> Rows:
        """Positions of the rows that a refit is scored on."""
        return np.flatnonzero(np.isin(self.groups, self.left_out[refit]))


def leave_two_groups_out(
    n: int,
    n_refits: int = 15,
    train_fraction: float = 0.632,
    random_state: int | np.random.Generator | None = None,
) -> GroupSplits:
    """Cut the rows at random into groups and leave every two of them out once.

    Each row is held out, and learned from, equally often, and so is each pair of groups: the
    refits are the folds of every cross-validation on all groups but one, which is what the
    jackknife of `group_jackknife_interval` needs and no other refits have to be made for.

    Parameters
    ----------
    n : int
        Number of rows.
    n_refits : int
        10, 15, 21 or another number of pairs: 5, 6, 7 groups.
    train_fraction : float
        Share of the rows to learn from, so that refits can be compared with those of other
        resampling. The groups that are left would be 2/3 of the rows with six groups; what is
        more than the share is dropped at random, what is less is not made up for.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    GroupSplits

    Raises
    ------
    ValueError
        If the number of refits is no number of pairs, or there are fewer than two rows a group.
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
    if not 0 < train_fraction < 1:
        raise ValueError(f"train_fraction is {train_fraction}; it must be between 0 and 1.")
    rng = np.random.default_rng(random_state)
    groups = rng.permutation(np.arange(n, dtype=np.intp) % n_groups)
    left_out = np.array(list(combinations(range(n_groups), 2)), dtype=np.intp)
    most = max(1, int(train_fraction * n))
    train = []
    for pair in left_out:
        rows = np.flatnonzero(~np.isin(groups, pair))
        train.append(rows if len(rows) <= most else np.sort(rng.choice(rows, most, replace=False)))
    return GroupSplits(groups, left_out, tuple(train))
