r"""Influences without the effects of single rows, in many populations at once.

`uqwidgets.inference.interactions.interaction_influences` gives them in one population. The weight
of a pair is the product of the weights of its rows. So the design matrix of the additive fit is
the same matrix of counts B in all populations, with its rows and columns scaled: ``diag(r) B
diag(c)``. The normal equations of all populations and values are solved together: directly for few
rows, else by conjugate gradients, whose every iteration is one product of B with a matrix. Arrays
have the rows first and the populations last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from uqwidgets._typing import Floats, Positions
from uqwidgets.inference.interactions import (
    FEW_ROWS,
    FULL_PRECISION,
    MAX_CONDITION,
    MAX_ITERATIONS,
    MAX_ROWS,
    MAX_VALUES,
    NEARLY_ADDITIVE,
    PRECISION,
    TRACE_PRECISION,
    random_signs,
)

# Values of an array (lines, rows, populations): several of them are in memory at a time.
_BLOCK = 1 << 17


def interaction_influences_in(
    changes: Sequence[Floats],
    donors: Positions,
    originals: Sequence[Floats],
    weights: Floats,
    check: Callable[[], None],
) -> tuple[Floats, Floats]:
    """Return `interaction_influences` in many populations.

    Parameters
    ----------
    changes : sequence of ndarray of shape (K, n)
        Of one measure each, under the same permutations, of which there are at least two.
    donors : ndarray of shape (K, n)
    originals : sequence of ndarray of shape (n,)
        Each measure of the rows without replacement.
    weights : ndarray of shape (n, t)
        Of the rows in each population, with mean 1; all rows are scored.
    check : callable
        Called between parts of the work; what it raises ends it.

    Returns
    -------
    of_rows, double_counted : ndarray of shape (measures, n, t)
        As the attributes of `Influence`; NaN in populations where they are not known.
    """
    repeats, n = donors.shape
    of_rows, double_counted = np.full((2, len(changes), *weights.shape), np.nan)
    if n > MAX_ROWS:
        return of_rows, double_counted
    enough = max(2, MAX_VALUES // n)
    columns = np.vstack([np.arange(n), donors[:enough]])
    signs = _Values(random_signs(columns.shape), columns)
    measured = [np.vstack([v, v + d[:enough]]) for v, d in zip(originals, changes, strict=True)]
    lines = _Values(np.array(measured), columns)
    step = max(1, _BLOCK // columns.size)
    for first in range(0, weights.shape[1], step):
        check()
        block = slice(first, first + step)
        of_rows[:, :, block], double_counted[:, :, block] = _in_block(
            signs, lines, columns, np.ascontiguousarray(weights[:, block]), repeats
        )
    return of_rows, double_counted


def _in_block(
    signs: _Values, lines: _Values, columns: Positions, w: Floats, repeats: int
) -> tuple[Floats, Floats]:
    n = len(w)
    fits = _AdditiveFits(columns, w, PRECISION)
    of_signs = fits(signs, TRACE_PRECISION)
    residuals, effects = fits(lines, PRECISION)
    sizes = np.ptp(lines.values, axis=(1, 2))
    is_additive = (np.abs(residuals).max(axis=(1, 2)) < NEARLY_ADDITIVE * sizes[:, None]).any(
        axis=0
    )
    if not fits.is_direct and is_additive.any():
        again = _AdditiveFits(columns, np.ascontiguousarray(w[:, is_additive]), FULL_PRECISION)
        precise = again(lines, FULL_PRECISION)
        residuals[..., is_additive], effects[..., is_additive] = precise
    factors = w * w[columns]
    factors[0] = w
    expected = _squares(factors, of_signs.residuals)
    first = np.einsum("i,it->t", signs.values[0, 0], of_signs.residuals[0, 0])
    # Errors of the interactions add this to the effects.
    errors = _from_effects(of_signs.effects, w).mean(axis=1)
    spread, squared_weight = np.square(w - 1).mean(axis=0), np.square(w).mean(axis=0)
    per_variance = np.stack([squared_weight * (repeats + spread), squared_weight**2]) - errors
    is_known = (first > 0) & np.isfinite(expected).all(axis=(0, 1))
    is_known[is_known] = np.linalg.cond(expected[..., is_known].transpose(2, 0, 1)) < MAX_CONDITION
    of_original, of_replaced = np.full((2, w.shape[1]), np.nan)
    of_original[is_known], of_replaced[is_known] = np.linalg.solve(
        expected[..., is_known].transpose(2, 0, 1), per_variance.T[is_known, :, None] / repeats
    )[..., 0].T
    squares = np.square(factors * residuals)
    # Their mean is an unbiased estimate of n times the variance.
    parts = n * (of_original * squares[:, 0] + of_replaced * squares[:, 1:].sum(axis=1))
    parts += _from_effects(effects, w) / repeats
    with np.errstate(divide="ignore", invalid="ignore"):
        of_rows = np.where(is_known, -w * residuals[:, 0] * (n / first), np.nan)
    return of_rows, np.square(of_rows) - parts


def _squares(factors: Floats, residuals: Floats) -> Floats:
    """Return sums of squares of the first line and of the others, shape (values, 2, t)."""
    squares = np.einsum("fkit,fkit->fkt", factors * residuals, factors * residuals)
    return np.stack([squares[:, 0], squares[:, 1:].sum(axis=1)], axis=1)


def _from_effects(effects: Floats, w: Floats) -> Floats:
    """Mean square, over donors, of what the effects (values, n, t) leave in the pairs of each row.

    See the function of this name for one population.
    """
    weighted = w * (effects - (w * effects).mean(axis=1, keepdims=True))
    excess = w - 1
    products = excess * weighted
    return np.asarray(
        np.square(excess) * np.square(weighted).mean(axis=1, keepdims=True)
        + np.square(weighted) * np.square(excess).mean(axis=0)
        - 2 * products * products.mean(axis=1, keepdims=True)
    )


class _Values:
    """Several values of every pair (values, lines, n), and as matrices by row and donor."""

    def __init__(self, values: Floats, columns: Positions) -> None:
        self.values = values
        self._matrices = [_matrix(each, columns) for each in values]

    def sums(self, w: Floats) -> tuple[Floats, Floats]:
        """Weighted sums by row and by column, (n, values, t), without the weight of that row."""
        by_row = np.stack([np.asarray(matrix @ w) for matrix, _ in self._matrices], axis=1)
        by_column = np.stack([np.asarray(matrix @ w) for _, matrix in self._matrices], axis=1)
        return by_row, by_column


def _matrix(values: Floats, columns: Positions) -> tuple[csr_array, csr_array]:
    """Return the matrix with values (lines, n) in these columns of each row, and its transpose."""
    lines, n = columns.shape
    starts = np.arange(0, lines * n + 1, lines)
    matrix = csr_array((values.T.ravel(), columns.T.ravel(), starts), shape=(n, n))
    return matrix, matrix.T.tocsr()


class _Fits(NamedTuple):
    """Residuals (values, lines, n, t) and column effects (values, n, t)."""

    residuals: Floats
    effects: Floats


class _AdditiveFits:
    """Weighted least-squares fits of row and column effects, see `interactions`.

    Parameters
    ----------
    columns : ndarray of shape (lines, n)
        Column of each row in each line; every line is a permutation.
    w : ndarray of shape (n, t)
    precision : float
        Of the level of the first line.

    Attributes
    ----------
    is_direct : bool
        Whether every fit has all digits, whatever its precision.
    """

    def __init__(self, columns: Positions, w: Floats, precision: float) -> None:
        self._columns, self._w = columns, w
        self._counts, self._transposed = _matrix(np.ones(columns.shape), columns)
        sums = w * (self._counts @ w), w * (self._transposed @ w)
        # The scales get an axis for the values.
        self._row_scale, self._column_scale = (
            np.divide(1, np.sqrt(each), out=np.zeros_like(each), where=each > 0)[:, None]
            for each in sums
        )
        self._of_row, self._of_column = (
            self._row_scale * w[:, None],
            self._column_scale * w[:, None],
        )
        self.is_direct = len(w) <= FEW_ROWS
        if self.is_direct:
            # They are singular, see the fit in one population.
            rows, columns_of = (each[:, 0].T for each in (self._of_row, self._of_column))
            design = rows[:, :, None] * self._counts.toarray() * columns_of[:, None]
            self._normal = (1 + FULL_PRECISION) * np.eye(len(w)) - design.swapaxes(1, 2) @ design
        level = np.zeros((1, *columns.shape))
        level[:, 0] = 1.0
        residuals, effects = self._of_rows_and_columns(_Values(level, columns), precision)
        self._level, self._level_effects = residuals[0], effects[0]
        self._level_weights = w * w[columns] * self._level
        self._level_weights /= np.einsum("kit,kit->t", self._level_weights, self._level)

    def __call__(self, values: _Values, precision: float) -> _Fits:
        """Return the fits of some values, whose first line has a level of its own."""
        residuals, effects = self._of_rows_and_columns(values, precision)
        slopes = np.einsum("kit,fkit->ft", self._level_weights, residuals)
        residuals -= slopes[:, None, None] * self._level
        effects -= slopes[:, None] * self._level_effects
        return _Fits(residuals, effects)

    def _of_rows_and_columns(self, values: _Values, precision: float) -> _Fits:
        row_sums, column_sums = values.sums(self._w)
        row_sums *= self._of_row
        column_sums *= self._of_column
        column_sums -= self._scaled_product(
            self._transposed, self._of_row, self._of_column, row_sums
        )
        effects = self._solution(column_sums, precision)
        row_sums -= self._scaled_product(self._counts, self._of_column, self._of_row, effects)
        row_effects = (self._row_scale * row_sums).swapaxes(0, 1)
        effects = np.ascontiguousarray((self._column_scale * effects).swapaxes(0, 1))
        residuals = values.values[..., None] - row_effects[:, None]
        residuals -= effects[:, self._columns]
        return _Fits(residuals, effects)

    def _scaled_product(
        self, matrix: csr_array, before: Floats, after: Floats, values: Floats
    ) -> Floats:
        """Return ``diag(after) matrix diag(before) values`` for each of the values (n, f, t)."""
        product = _product(matrix, before * values)
        product *= after
        return product

    def _solution(self, right: Floats, precision: float) -> Floats:
        """Solve the normal equations of all values and populations (n, f, t)."""
        if self.is_direct:
            solved = np.linalg.solve(self._normal, right.transpose(2, 0, 1))
            return np.ascontiguousarray(solved.transpose(1, 2, 0))
        result, residual, direction = np.zeros_like(right), right.copy(), right.copy()
        norm, squared = _norms(right), np.square(self._of_row)
        tolerance = norm * precision**2
        for _ in range(MAX_ITERATIONS):
            is_open = norm > tolerance
            if not is_open.any():
                break
            image = _product(self._counts, self._of_column * direction)
            image *= squared
            image = _product(self._transposed, image)
            image *= self._of_column
            np.subtract(direction, image, out=image)
            curvature = np.einsum("nft,nft->ft", direction, image)
            # Otherwise it is a constant.
            is_open &= curvature > FULL_PRECISION * _norms(direction)
            step = _ratio(norm, curvature, is_open)
            image *= step
            residual -= image
            result += np.multiply(direction, step, out=image)
            last, norm = norm, np.where(is_open, _norms(residual), 0.0)
            direction *= _ratio(norm, last, is_open)
            direction += residual
        return result


def _product(matrix: csr_array, values: Floats) -> Floats:
    """Multiply a matrix (n, n) by each of the values (n, f, t)."""
    return np.asarray(matrix @ values.reshape(len(values), -1)).reshape(values.shape)


def _norms(values: Floats) -> Floats:
    return np.asarray(np.einsum("nft,nft->ft", values, values))


def _ratio(one: Floats, other: Floats, where: npt.NDArray[np.bool_]) -> Floats:
    return np.divide(one, other, out=np.zeros_like(one), where=where)
