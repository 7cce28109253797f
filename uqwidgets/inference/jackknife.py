"""The spread of a statistic of all rows, from what it is without some of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats

# More groups cost more and give more degrees of freedom.
_GROUPS = 20


def without_groups(
    statistics: Callable[[npt.NDArray[np.bool_]], Sequence[float]], n: int, seed: int
) -> tuple[Floats, int]:
    """Covariance of statistics by the delete-a-group jackknife, and its degrees of freedom.

    The rows are cut at random into 20 groups, each of which is left out once (Kott 2001, J. Off.
    Stat. 17, 521-526).

    Parameters
    ----------
    statistics : callable
        From a mask of the rows that stay, shape (n,), to m numbers.
    n : int
        Number of rows.
    seed : int
        Of the groups.

    Returns
    -------
    covariance : ndarray of shape (m, m)
    freedom : int
    """
    groups = min(_GROUPS, n)
    member = np.random.default_rng(seed).permutation(n) % groups
    replicates = np.array([statistics(member != group) for group in range(groups)])
    deviations = replicates - replicates.mean(axis=0)
    covariance = (groups - 1) / groups * np.einsum("gi,gj->ij", deviations, deviations)
    return np.asarray(covariance), groups - 1
