"""The spread of a statistic of all rows, from what it is without some of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

# More groups cost more and give more degrees of freedom.
_GROUPS = 20


def without_groups(
    statistic: Callable[[npt.NDArray[np.bool_]], float], n: int, seed: int
) -> tuple[float, int]:
    """Variance of a statistic by the delete-a-group jackknife, and its degrees of freedom.

    The rows are cut at random into 20 groups, each of which is left out once (Kott 2001, J. Off.
    Stat. 17, 521-526).

    Parameters
    ----------
    statistic : callable
        From a mask of the rows that stay, shape (n,), to a number.
    n : int
        Number of rows.
    seed : int
        Of the groups.
    """
    groups = min(_GROUPS, n)
    member = np.random.default_rng(seed).permutation(n) % groups
    found = np.array([statistic(member != group) for group in range(groups)])
    return float((groups - 1) / groups * np.square(found - found.mean()).sum()), groups - 1
