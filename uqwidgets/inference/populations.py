r"""Mean changes in many populations at once: the same drawn pairs under many weights of the rows.

`uqwidgets.inference.mean_change` gives the change in one population, with the influence of every
row. Where weights move along a path, as under stress, the mean alone is needed more often. A sum
over donors is then a product of a sparse matrix, whose row i has the changes :math:`\delta_{ki}`
in the columns of its donors d(k,i), with the weights of each population.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from uqwidgets._typing import Floats

# Values of an array (rows, populations): more populations are computed part by part.
_MOST_VALUES = 1 << 17


@dataclass(frozen=True, eq=False)
class Populations:
    """Weights of the same rows in several populations.

    Attributes
    ----------
    weights, scored : ndarray of shape (n, t)
        As in `uqwidgets.inference.population.Population`, a column for each population.
    """

    weights: Floats
    scored: Floats

    def parts(self) -> Iterator[Populations]:
        """Yield as many populations at a time as can be computed at once."""
        n, t = self.weights.shape
        step = max(1, _MOST_VALUES // n)
        for k in range(0, t, step):
            weights, scored = self.weights[:, k : k + step], self.scored[:, k : k + step]
            yield Populations(np.ascontiguousarray(weights), np.ascontiguousarray(scored))


def mean_changes_in(
    populations: Populations,
    changes: Sequence[Floats],
    donors: npt.NDArray[np.integer[Any]],
    check: Callable[[], None],
) -> Floats:
    """Return the weighted mean of each measure's change, shape (measures, t).

    Parameters
    ----------
    populations : Populations
    changes : sequence of ndarray of shape (K, n)
        See `mean_change`, for each measure.
    donors : ndarray of shape (K, n)
    check : callable
        Called between parts of the work; what it raises ends it.
    """
    repeats, n = donors.shape
    indices = np.ascontiguousarray(donors.T, dtype=np.int32).ravel()
    starts = np.arange(0, len(indices) + 1, repeats, dtype=np.int64)

    def matrix(lines: Floats) -> csr_array:
        return csr_array((np.ascontiguousarray(lines.T).ravel(), indices, starts), shape=(n, n))

    ones, matrices = matrix(np.ones(donors.shape)), [matrix(lines) for lines in changes]
    parts = []
    for part in populations.parts():
        check()
        s, w = part.scored, part.weights
        totals = _dot(s, np.asarray(ones @ w))
        parts.append(np.stack([_dot(s, np.asarray(m @ w)) / totals for m in matrices]))
    return np.concatenate(parts, axis=1)


def _dot(one: Floats, other: Floats) -> Floats:
    return np.asarray(np.einsum("nt,nt->t", one, other))
