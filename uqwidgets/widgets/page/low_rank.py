"""Paths over tau as the product of two thin matrices of whole numbers.

The rows of the matrix of `Paths` are coefficients of sides, and the columns are what is averaged.
Populations that differ by stress only are alike, so a few combinations of columns describe all
rows: the principal components of the matrix.

The averages of all features are over the same populations. So the scores of many chunks of a page
are combinations of shared scores, which are stored once: each chunk has the weights of its
combinations, which are fewer than its scores, and its own components. Columns that are hardly
alike, as the shares of rows in the bars of a histogram, need about as many components as there are
columns; then the weights of the shared scores in each column take fewer bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.widgets.page.paths import Paths, Single

# Components may be left out as long as they make this share of the largest error.
_SHARE = 0.8
# Steps of the components relative to those of the scores, at which the fewest bytes are needed.
_FINER = 0.02
# An error between these is near enough to the largest one.
_LEAST, _AIM, _MOST = 0.9, 0.95, 1.0
_MOST_TRIALS, _SMALLER = 6, 1.1
# The search for the number of components begins with those of this size, and goes on in strides.
_SMALL, _STRIDE = 0.3, 8
# Columns with more components than this share of their number are hardly alike.
_FEW_COMPONENTS = 1 / 8
# Fewer matrices than this have scores of their own, because shared scores are more of them.
_FEW_MATRICES = 6
# Most scores that matrices share; the second number is tried where less than a tenth of the first
# is negligible. A score is negligible if its root mean square over all columns is below the last.
_MOST_SHARED, _ENOUGH, _NEGLIGIBLE = (256, 640), 0.9, 0.002
# The step of a score in the column where it has the largest weight, and how many steps its largest
# number has: with fewer all of its numbers might be rounded to 0, and more do not fit 32 bits.
_SHARED_STEP, _LEAST_STEPS, _MOST_STEPS = 0.03, 4, 1 << 30


@dataclass(frozen=True, eq=False)
class SharedScores:
    """Scores ``scale * whole`` of several matrices; the columns are orthogonal up to rounding.

    Attributes
    ----------
    whole : ndarray of shape (m, r), int32
    scale : ndarray of shape (r,), float32
    """

    whole: npt.NDArray[np.int32]
    scale: npt.NDArray[np.float32]

    @cached_property
    def values(self) -> Floats:
        """The scores, shape (m, r)."""
        return np.asarray(self.whole * self.scale.astype(np.float64))

    def weights(self, matrix: Single) -> Single:
        """Return the weights (r, k) whose combinations are nearest to the columns (m, k)."""
        return np.asarray(self._inverse @ matrix)

    @cached_property
    def _inverse(self) -> Single:
        # Rounded scores are not orthogonal.
        inverse = np.linalg.solve(self.values.T @ self.values, self.values.T)
        return inverse.astype(np.float32)


class LowRank(NamedTuple):
    """The product ``left @ (scale * right)``.

    Attributes
    ----------
    left : ndarray of shape (m, r), int32, or float64 of combinations
    right : ndarray of shape (r, k), int32
    scale : ndarray of shape (r,), float32
    weights : ndarray of shape (s, r), int32, or None
        With it, ``left`` are these combinations of the first s shared scores.
    shared : SharedScores or None
        Without weights, ``left`` are the first r of these scores.
    """

    left: npt.NDArray[np.int32] | Floats
    right: npt.NDArray[np.int32]
    scale: npt.NDArray[np.float32]
    weights: npt.NDArray[np.int32] | None = None
    shared: SharedScores | None = None

    @property
    def values(self) -> Single:
        """The matrix, shape (m, k)."""
        left = self.left.astype(np.float32) * self.scale
        return np.asarray(left @ self.right.astype(np.float32))


def shared_scores(paths: Sequence[Paths]) -> SharedScores | None:
    """Return scores that describe all of these matrices; None if they are few.

    They are the left singular vectors of the matrices side by side, from random combinations of
    the columns (Halko et al. 2011).

    Parameters
    ----------
    paths : sequence of Paths
        With the same sides.
    """
    if len(paths) < _FEW_MATRICES:
        return None
    rng, m = np.random.default_rng(0), paths[0].shape[0] * paths[0].shape[1]
    negligible = _NEGLIGIBLE * np.sqrt(sum(one.shape[2] for one in paths))
    sketch = np.empty((m, 0), dtype=np.float32)
    for most in _MOST_SHARED:
        n_more = min(m, most) - sketch.shape[1]
        if not n_more:
            break
        sketch = np.hstack([sketch, _random_combinations(paths, n_more, rng)])
        scores, _ = _principal(sketch / np.sqrt(np.float32(sketch.shape[1])))
        sizes = np.sqrt(np.square(scores).sum(axis=0))
        vectors = scores[:, sizes > negligible] / sizes[sizes > negligible]
        if vectors.shape[1] < _ENOUGH * sketch.shape[1]:
            break
    if not vectors.shape[1]:
        return None
    weights = [np.abs(vectors.T @ one.matrix).max(axis=1) for one in paths]
    size = np.abs(vectors).max(axis=0)
    steps = np.clip(_SHARED_STEP / np.max(weights, axis=0), size / _MOST_STEPS, size / _LEAST_STEPS)
    scale = steps.astype(np.float32)
    return SharedScores(np.rint(vectors / scale).astype(np.int32), scale)


def _random_combinations(paths: Sequence[Paths], k: int, rng: np.random.Generator) -> Single:
    """Return random combinations (m, k) of the columns of all matrices."""
    total = np.zeros((paths[0].shape[0] * paths[0].shape[1], k), dtype=np.float32)
    # One matrix at a time, because all of them may take much memory.
    for one in paths:
        total += one.matrix @ rng.standard_normal((one.shape[2], k), dtype=np.float32)
    return total


def low_rank(
    paths: Paths, shared: SharedScores | None = None, weights: Single | None = None
) -> LowRank:
    """Return a product whose polynomials differ by less than the room at every point.

    Parameters
    ----------
    paths : Paths
    shared : SharedScores, optional
        Scores whose combinations are used if there are weights.
    weights : ndarray of shape (r, k), optional
        See `shared_weights`.

    Returns
    -------
    LowRank
        Of the matrix of the paths.
    """
    matrix, largest = paths.matrix, paths.largest
    shared = None if weights is None else shared
    scores, components = _principal(matrix if weights is None else weights)
    all_scores = scores if shared is None else shared.values @ scores
    rank = _rank(matrix, all_scores, components, largest)
    scores, components = scores[:, :rank], components[:rank]
    sizes = np.sqrt(np.square(all_scores[:, :rank]).mean(axis=0))

    def rounded(step: float) -> LowRank:
        finer = _FINER * step / np.where(sizes > 0, sizes, 1.0)
        left = np.rint(scores / step).astype(np.int32)
        right = np.rint(components / finer[:, None]).astype(np.int32)
        scale = (step * finer).astype(np.float32)
        if shared is None:
            return LowRank(left, right, scale)
        n_scores = _n_scores(left)
        combined = shared.values[:, :n_scores] @ left[:n_scores]
        return LowRank(combined, right, scale, left[:n_scores], shared)

    return _coarsest(rounded, matrix, largest)


def combinations(paths: Paths, shared: SharedScores, weights: Single) -> LowRank | None:
    """Return the combinations of shared scores if the columns of the matrix are hardly alike.

    Parameters
    ----------
    paths, shared, weights
        As for `low_rank`.

    Returns
    -------
    LowRank or None
        None if few components describe the matrix.
    """
    matrix = paths.matrix
    # The mean squares of the components; those of shared scores are the same up to rounding.
    precise = weights.astype(np.float64)
    squares = np.linalg.eigvalsh(precise.T @ precise) / len(matrix)
    if np.count_nonzero(squares > _SMALL**2) <= _FEW_COMPONENTS * matrix.shape[1]:
        return None

    def rounded(step: float) -> LowRank:
        right = np.rint(weights / step).astype(np.int32)
        n_scores = _n_scores(right)
        scale = np.full(n_scores, step, dtype=np.float32)
        return LowRank(shared.values[:, :n_scores], right[:n_scores], scale, None, shared)

    return _coarsest(rounded, matrix, paths.largest)


def shared_weights(paths: Paths, shared: SharedScores) -> Single | None:
    """Return the weights (r, k) of shared scores in the columns of the matrix.

    Parameters
    ----------
    paths : Paths
    shared : SharedScores

    Returns
    -------
    ndarray or None
        None if the scores do not describe the matrix.
    """
    matrix = paths.matrix
    weights = shared.weights(matrix)
    is_described = paths.largest(shared.values.astype(np.float32) @ weights - matrix) < _SHARE
    return weights if is_described else None


def _n_scores(weights: npt.NDArray[np.int32]) -> int:
    """Return the number of scores; trailing ones without weight are none of a matrix."""
    return int(np.flatnonzero(weights.any(axis=1)).max(initial=-1)) + 1


def _coarsest(
    rounded: Callable[[float], LowRank], matrix: Single, largest: Callable[[Single], float]
) -> LowRank:
    """Return the product with the largest steps whose error is still below the largest one."""
    step, best = 4.0, None
    for _ in range(_MOST_TRIALS):
        product = rounded(step)
        error = largest(product.values - matrix)
        if error < _MOST:
            best = product
            if error > _LEAST:
                break
        step *= min(max(_AIM / max(error, 1e-3), 0.2), 3.0)
    while best is None:
        step /= _SMALLER
        product = rounded(step)
        best = product if largest(product.values - matrix) < _MOST else None
    return best


def _principal(matrix: Single) -> tuple[Floats, Floats]:
    """Return scores (m, r) and components (r, k), the largest first."""
    # Squares of small components would be lost in single precision.
    precise = matrix.astype(np.float64)
    # They come from the Gram matrix of the shorter side, which is small.
    if matrix.shape[0] >= matrix.shape[1]:
        vectors = np.linalg.eigh(precise.T @ precise)[1][:, ::-1]
        return precise @ vectors, vectors.T
    squares, vectors = np.linalg.eigh(precise @ precise.T)
    sizes = np.sqrt(np.maximum(squares[::-1], 0.0))
    vectors = vectors[:, ::-1]
    known = sizes > 1e-7 * sizes.max(initial=0.0)
    sizes, vectors = sizes[known], vectors[:, known]
    return vectors * sizes, vectors.T @ precise / sizes[:, None]


def _rank(
    matrix: Single, scores: Floats, components: Floats, largest: Callable[[Single], float]
) -> int:
    """Return the number of components without which no polynomial differs by more than a share."""
    low, high = 0, len(components)
    left, right = scores.astype(np.float32), components.astype(np.float32)
    # Where the components that are left out are small, they are few.
    middle = int(np.count_nonzero(np.square(scores).mean(axis=0) > _SMALL**2))
    while low < high:
        if largest(matrix - left[:, :middle] @ right[:middle]) < _SHARE:
            high = middle
        else:
            low = middle + 1
        middle = min((low + high) // 2, low + _STRIDE)
    return low
