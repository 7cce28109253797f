r"""A matrix as the product of two thin ones, in whole numbers, to within a tolerance.

The rows are populations, and the columns are what is averaged over them. Populations that differ
by stress only are alike, so a few combinations of columns describe all rows: the principal
components of the matrix.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats

# Rounding may take half of the tolerance, and the components that are left out the other half.
_SHARE = 0.6
_FINER = 1.2
_MOST_STEPS = 60


class LowRank(NamedTuple):
    """The product ``left @ right * scale``.

    Attributes
    ----------
    left : ndarray of shape (m, r), int32
    right : ndarray of shape (r, k), int32
    scale : float
    """

    left: npt.NDArray[np.int32]
    right: npt.NDArray[np.int32]
    scale: float

    @property
    def values(self) -> Floats:
        """The matrix, shape (m, k)."""
        product = self.left.astype(np.float64) @ self.right.astype(np.float64)
        return np.asarray(product * self.scale)


def low_rank(matrix: Floats) -> LowRank:
    """Return a product that differs from a matrix by less than 1 in every entry.

    Parameters
    ----------
    matrix : ndarray of shape (m, k)
        Finite, in multiples of the largest error.
    """
    # A Gram matrix of the shorter side, which is small: its eigenvectors are the components.
    is_tall = matrix.shape[0] >= matrix.shape[1]
    tall = matrix if is_tall else matrix.T
    values, vectors = np.linalg.eigh(tall.T @ tall)
    sizes, vectors = np.sqrt(np.maximum(values[::-1], 0)), vectors[:, ::-1]
    scores = tall @ vectors
    rank = _rank(scores, vectors)
    balance = np.sqrt(np.maximum(sizes[:rank], 1e-12 * sizes[:1].max(initial=1.0)))
    left, right = scores[:, :rank] / balance, (vectors[:, :rank] * balance).T
    step = 1 / np.sqrt(sizes[:rank].mean()) if rank else 1.0
    for _ in range(_MOST_STEPS):
        whole = LowRank(_rounded(left / step), _rounded(right / step), float(step) ** 2)
        if np.abs(whole.values - tall).max(initial=0.0) < 1:
            break
        step /= _FINER
    if is_tall:
        return whole
    return LowRank(whole.right.T, whole.left.T, whole.scale)


def _rank(scores: Floats, vectors: Floats) -> int:
    """Return the number of components without which no entry differs by more than a share of 1."""
    low, high = 0, scores.shape[1]
    while low < high:
        middle = (low + high) // 2
        left_out = scores[:, middle:] @ vectors[:, middle:].T
        if np.abs(left_out).max(initial=0.0) < _SHARE:
            high = middle
        else:
            low = middle + 1
    return low


def _rounded(values: Floats) -> npt.NDArray[np.int32]:
    return np.rint(values).astype(np.int32)
