"""Matrices of levels of tau as products of two thin matrices of whole numbers.

The rows of a matrix are levels of tau, and the columns are what is averaged. Populations that
differ by stress only are alike, so a few combinations of columns describe all rows: the principal
components of the matrix.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats

# It takes half of the time of double precision, and is relative to the largest numbers.
Singles = npt.NDArray[np.float32]

# Components may be left out as long as they make this share of the largest error.
_SHARE = 0.7
# Components that are looked for at once, until no number differs by more than a share.
_BLOCK, _NEGLIGIBLE = 64, 0.1
# Steps of the components relative to those of the scores, times the square root of the number of
# rows, at which the fewest bytes are needed.
_FINER = 1.5
# An error between these is near enough to the largest one.
_LEAST, _AIM, _MOST = 0.9, 0.95, 1.0
_MOST_TRIALS, _SMALLER = 6, 1.1


class LowRank(NamedTuple):
    """The product ``left @ (scale * right)``.

    Attributes
    ----------
    left : ndarray of shape (m, r), int32
    right : ndarray of shape (r, k), int32
    scale : ndarray of shape (r,), float32
    """

    left: npt.NDArray[np.int32]
    right: npt.NDArray[np.int32]
    scale: npt.NDArray[np.float32]

    @property
    def values(self) -> Singles:
        """The matrix, shape (m, k)."""
        return np.asarray((self.left * self.scale) @ self.right.astype(np.float32))


def low_rank(matrix: Floats) -> LowRank:
    """Return a product that differs from a matrix by less than 1 everywhere.

    Parameters
    ----------
    matrix : ndarray of shape (m, k)
        Finite numbers, in multiples of their largest error.
    """
    single = matrix.astype(np.float32)
    scores, components = _principal(single)
    rank = _rank(scores, components)
    scores, components = scores[:, :rank], components[:rank]
    sizes = np.sqrt(np.square(scores).mean(axis=0))
    step, best = 4.0, None
    trials = 0
    while best is None or trials < _MOST_TRIALS:
        finer = _FINER * step / np.where(sizes > 0, sizes, 1.0) / len(matrix) ** 0.5
        product = LowRank(
            np.rint(scores / step).astype(np.int32),
            np.rint(components / finer[:, None]).astype(np.int32),
            (step * finer).astype(np.float32),
        )
        error = float(np.abs(product.values - single).max(initial=0.0))
        if error < _MOST:
            best = product
            if error > _LEAST:
                break
        trials += 1
        # After the trials, steps become smaller until one is precise enough.
        ratio = min(max(_AIM / max(error, 1e-3), 0.2), 3.0)
        step *= ratio if trials < _MOST_TRIALS else min(ratio, 1 / _SMALLER)
    return best


def _principal(matrix: Singles) -> tuple[Singles, Singles]:
    """Return scores (m, r) and components (r, k), the largest first, of nearly all of a matrix."""
    # Products with random vectors span the largest components (Halko, Martinsson & Tropp 2011).
    rng = np.random.default_rng(0)
    scores, components = matrix[:, :0], matrix[:0]
    rest = matrix
    while len(components) < min(matrix.shape) and np.abs(rest).max(initial=0.0) > _NEGLIGIBLE:
        draws = rng.standard_normal((matrix.shape[1], _BLOCK), dtype=np.float32)
        basis = _normed(rest @ draws)
        further = basis.T @ rest
        rest = rest - basis @ further
        scores = np.concatenate([scores, basis], axis=1)
        components = np.concatenate([components, further])
    rotated = _normed(components.T).T
    return scores @ (components @ rotated.T), rotated


def _normed(columns: Singles) -> Singles:
    """Return orthonormal combinations of columns, the largest first."""
    wide = columns.astype(np.float64)
    squares, vectors = np.linalg.eigh(wide.T @ wide)
    known = squares > 1e-12 * squares.max(initial=0.0)
    vectors = (vectors[:, known] / np.sqrt(squares[known]))[:, ::-1]
    return np.asarray(wide @ vectors, dtype=np.float32)


def _rank(scores: Singles, components: Singles) -> int:
    """Return the number of components without which no number differs by more than a share."""
    low, high = 0, len(components)
    while low < high:
        middle = (low + high) // 2
        rest = scores[:, middle:] @ components[middle:]
        if max(rest.max(initial=0.0), -rest.min(initial=0.0)) < _SHARE:
            high = middle
        else:
            low = middle + 1
    return low
