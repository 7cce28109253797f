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
    def values(self) -> Floats:
        """The matrix, shape (m, k)."""
        return np.asarray((self.left * self.scale) @ self.right.astype(np.float32))


def low_rank(matrix: Floats) -> LowRank:
    """Return a product that differs from a matrix by less than 1 everywhere.

    Parameters
    ----------
    matrix : ndarray of shape (m, k)
        Finite numbers, in multiples of their largest error.
    """
    scores, components = _principal(matrix)
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
        error = float(np.abs(product.values - matrix).max(initial=0.0))
        if error < _MOST:
            best = product
            if error > _LEAST:
                break
        trials += 1
        # After the trials, steps become smaller until one is precise enough.
        ratio = min(max(_AIM / max(error, 1e-3), 0.2), 3.0)
        step *= ratio if trials < _MOST_TRIALS else min(ratio, 1 / _SMALLER)
    return best


def _principal(matrix: Floats) -> tuple[Floats, Floats]:
    """Return scores (m, r) and components (r, k), the largest first, of nearly all of a matrix."""
    # Products with random vectors span the largest components (Halko, Martinsson & Tropp 2011).
    rng = np.random.default_rng(0)
    scores, components = np.zeros((len(matrix), 0)), np.zeros((0, matrix.shape[1]))
    rest = matrix
    while np.abs(rest).max(initial=0.0) > _NEGLIGIBLE:
        products = rest @ rng.normal(size=(matrix.shape[1], _BLOCK))
        basis = _normed(products, products.T @ products)
        further = basis.T @ rest
        rest = rest - basis @ further
        scores = np.concatenate([scores, basis], axis=1)
        components = np.concatenate([components, further])
    rotated = _normed(components.T, components @ components.T).T
    return scores @ (components @ rotated.T), rotated


def _normed(columns: Floats, gram: Floats) -> Floats:
    """Return orthonormal combinations of columns with a Gram matrix, the largest first."""
    squares, vectors = np.linalg.eigh(gram)
    known = squares > 1e-13 * squares.max(initial=0.0)
    vectors = (vectors[:, known] / np.sqrt(squares[known]))[:, ::-1]
    return np.asarray(columns @ vectors)


def _rank(scores: Floats, components: Floats) -> int:
    """Return the number of components without which no number differs by more than a share."""
    # Single precision takes half of the time; it is relative to the components that are left out.
    left, right = scores.astype(np.float32), components.astype(np.float32)
    low, high = 0, len(components)
    while low < high:
        middle = (low + high) // 2
        rest = left[:, middle:] @ right[middle:]
        if max(rest.max(initial=0.0), -rest.min(initial=0.0)) < _SHARE:
            high = middle
        else:
            low = middle + 1
    return low
