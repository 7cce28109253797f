r"""Influences of rows from which everything is subtracted that depends on one row alone.

Of the pairs of a scored row and a donor remain the interactions of both, which are the residuals of
an additive least-squares fit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from uqwidgets._typing import Floats, Positions
from uqwidgets.inference.influence import Influence
from uqwidgets.inference.population import Population
from uqwidgets.inference.sums import dot

# Relative precision of the effects: about 25 iterations for three lines, fewer for more. Values
# that are so nearly additive need all digits, which separate interactions from rounding errors.
PRECISION, FULL_PRECISION, NEARLY_ADDITIVE = 1e-7, 1e-13, 1e-3
# The normal equations of so few rows are solved directly.
FEW_ROWS = 64
MAX_ITERATIONS = 200
TRACE_PRECISION = 1e-3
# Repeats beyond this number of values are not needed to separate two variance components, and take
# memory.
MAX_VALUES = 1 << 17
MAX_ROWS = 1 << 18
MAX_CONDITION = 1e6


def interaction_influences(
    changes: Sequence[Floats],
    donors: Positions,
    originals: Sequence[Floats],
    population: Population,
) -> list[Influence]:
    r"""Subtract from the pairs everything that depends on the scored row or the donor alone.

    With the measure :math:`L_{ij} = \mu + \alpha_i + \beta_j + \gamma_{ij}` of row i with the
    value of row j, every permutation has the same sum of all :math:`\alpha_i` and :math:`\beta_j`,
    and so have the rows without replacement. Of the mean change remains
    :math:`\operatorname{mean}_{ki} \gamma_{i d(k,i)} - \operatorname{mean}_i \gamma_{ii}`, with
    the variance :math:`(\tau^2 + \sigma^2 / K) / n` from the variances :math:`\tau^2` of
    :math:`\gamma_{ii}` and :math:`\sigma^2` of :math:`\gamma_{ij}`. Both are estimated from the
    residuals of an additive least-squares fit to all K + 1 lines, whose expected sums of squares
    are linear in both. The traces in them are estimated with two vectors of random signs
    (Hutchinson 1990).

    With weights :math:`w` of mean 1, the fit is weighted, :math:`w_i \gamma_{ii}` and
    :math:`w_i w_j \gamma_{ij}` take the place of the interactions, and the effects of rows leave
    :math:`(w_i - 1) w_j \beta_j - w_i \beta_i (w_j - 1)` in every pair.

    Parameters
    ----------
    changes : sequence of ndarray of shape (K, n)
        Of one measure each, under the same permutations, of which there are at least two.
    donors : ndarray of shape (K, n)
    originals : sequence of ndarray of shape (n,)
        Each measure of the rows without replacement.
    population : Population
        All rows are scored.

    Returns
    -------
    list of Influence
        One for each measure, or none if the rows are too few to separate the two variances, or too
        many for the memory that the computation may use.
    """
    repeats, n = donors.shape
    if n > MAX_ROWS:
        return []
    enough = max(2, MAX_VALUES // n)
    columns = np.vstack([np.arange(n), donors[:enough]])
    w = population.weights
    of_pairs = w * w[columns]
    # The first line has the rows without replacement, and the others the pairs.
    factors, signs = np.vstack([w, of_pairs[1:]]), random_signs(columns.shape)
    lines = np.array(
        [np.vstack([line, line + d[:enough]]) for line, d in zip(originals, changes, strict=True)]
    )
    fit = _AdditiveFit(columns, of_pairs)
    of_signs, of_lines = fit(signs, TRACE_PRECISION), fit(lines, PRECISION)
    size = np.ptp(lines, axis=(1, 2))
    nearly_additive = np.abs(of_lines[0]).max(axis=(1, 2)) < NEARLY_ADDITIVE * size
    if not fit.is_direct and nearly_additive.any():
        of_lines = fit(lines, FULL_PRECISION)
    expected = np.square(factors * of_signs[0])
    expected = np.stack([expected[:, 0].sum(axis=1), expected[:, 1:].sum(axis=(1, 2))], axis=1)
    first = dot(signs[0, 0], of_signs[0][0, 0])
    if not (first > 0 and np.linalg.cond(expected) < MAX_CONDITION):
        return []
    # Errors of the interactions add this to the effects.
    errors = np.array([_from_effects(each, w).mean() for each in of_signs[1]])
    spread, squared_weight = float(np.square(w - 1).mean()), float(np.square(w).mean())
    per_variance = np.array([squared_weight * (repeats + spread), squared_weight**2]) - errors
    of_original, of_replaced = np.linalg.solve(expected, per_variance / repeats)
    influences = []
    for residuals, effects in zip(*of_lines, strict=True):
        squares = np.square(factors * residuals)
        # Their mean is an unbiased estimate of n times the variance.
        parts = n * (of_original * squares[0] + of_replaced * squares[1:].sum(axis=0))
        parts += _from_effects(effects, w) / repeats
        of_rows = -w * residuals[0] * (n / first)
        influences.append(Influence(of_rows, np.square(of_rows) - parts))
    return influences


@lru_cache(maxsize=1)
def random_signs(shape: tuple[int, int]) -> Floats:
    """Return two sets of random signs for lines of values, shape (2, lines, n).

    They are the same for all features, so those of the latest shape are cached.
    """
    rng, signs = np.random.default_rng(0), np.zeros((2, *shape))
    for k, block in enumerate((slice(0, 1), slice(1, None))):
        # There are as many of either sign, because the level of the lines is corrected for with the
        # influences.
        part = signs[k, block].shape
        signs[k, block] = rng.permutation(np.resize([-1.0, 1.0], math.prod(part))).reshape(part)
    signs.flags.writeable = False
    return signs


def _from_effects(effects: Floats, w: Floats) -> Floats:
    """Mean square, over donors, of what the effects leave in the pairs of each row (n,).

    It is zero for equal weights.
    """
    excess = w - 1
    if not excess.any():
        return np.zeros_like(effects)
    weighted = w * (effects - dot(w, effects) / len(w))
    products = excess * weighted
    return np.asarray(
        np.square(excess) * np.square(weighted).mean()
        + np.square(weighted) * np.square(excess).mean()
        - 2 * products * products.mean()
    )


class _AdditiveFit:
    """Weighted least-squares fits of row and column effects to lines of values (m, n).

    The level of the first line may differ from that of the others. The row effects are eliminated
    from the normal equations, which are solved for the column effects: directly for few rows, else
    by conjugate gradients with the weight of each column as preconditioner.

    Parameters
    ----------
    columns : ndarray of shape (m, n)
        Column of each row in each line; every line is a permutation.
    weights : ndarray of shape (m, n)

    Attributes
    ----------
    is_direct : bool
        Whether every fit has all digits, whatever its precision.
    """

    def __init__(self, columns: Positions, weights: Floats) -> None:
        m, n = columns.shape
        self._columns, self._weights = columns, weights
        by_row, by_column = weights.sum(axis=0), np.bincount(columns.ravel(), weights.ravel())
        self._row_scale, self._column_scale = (
            np.divide(1, np.sqrt(sums), out=np.zeros_like(sums), where=sums > 0)
            for sums in (by_row, by_column)
        )
        # The design matrix A in these scales: the normal equations are I - A'A.
        scaled = weights * self._row_scale
        scaled *= self._column_scale[columns]
        self._design = _design_matrix(columns, scaled)
        self._transposed = self._design.T.tocsr() if n > FEW_ROWS else self._design.T
        self._normal = None
        if n <= FEW_ROWS:
            # They are singular: the row effects contain a constant as well.
            self._normal = (1 + FULL_PRECISION) * np.eye(n)
            self._normal -= self._transposed @ self._design
        self.is_direct = self._normal is not None
        level = np.zeros((1, m, n))
        level[:, 0] = 1.0
        (self._level,), (self._level_effects,) = self._of_rows_and_columns(level, FULL_PRECISION)
        self._level_weights = weights * self._level
        self._level_weights /= np.einsum("ki,ki->", self._level_weights, self._level)

    def __call__(self, values: Floats, precision: float) -> tuple[Floats, Floats]:
        """Return the residuals of some values (fits, m, n) and the column effects (fits, n)."""
        residuals, effects = self._of_rows_and_columns(values, precision)
        slopes = np.einsum("ki,fki->f", self._level_weights, residuals)
        residuals -= slopes[:, None, None] * self._level
        effects -= slopes[:, None] * self._level_effects
        return residuals, effects

    def _of_rows_and_columns(self, values: Floats, precision: float) -> tuple[Floats, Floats]:
        weighted, flat = values * self._weights, self._columns.ravel()
        row_sums = self._row_scale * weighted.sum(axis=1)
        column_sums = np.array([np.bincount(flat, each.ravel()) for each in weighted])
        right = self._column_scale * column_sums
        right -= np.array([self._transposed @ each for each in row_sums])
        if self._normal is not None:
            effects = np.linalg.solve(self._normal, right.T).T
        else:
            effects = np.array([self._solution(each, precision) for each in right])
        row_sums -= np.array([self._design @ each for each in effects])
        row_effects, effects = self._row_scale * row_sums, self._column_scale * effects
        return values - row_effects[:, None] - effects[:, self._columns], effects

    def _solution(self, right: Floats, precision: float) -> Floats:
        """Solve the normal equations by conjugate gradients."""
        result, residual, direction = np.zeros_like(right), right, right
        norm = dot(right, right)
        tolerance = norm * precision**2
        for _ in range(MAX_ITERATIONS):
            if norm <= tolerance:
                break
            image = direction - self._transposed @ (self._design @ direction)
            curvature = dot(direction, image)
            if not curvature > FULL_PRECISION * dot(direction, direction):
                break  # a constant
            result = result + direction * (norm / curvature)
            residual = residual - image * (norm / curvature)
            last, norm = norm, dot(residual, residual)
            direction = residual + direction * (norm / last)
        return result


def _design_matrix(columns: Positions, weights: Floats) -> Any:
    """Return the sum of the weights of each row and column, (n, n); sparse unless rows are few."""
    m, n = columns.shape
    if n > FEW_ROWS:
        starts = np.arange(0, m * n + 1, m)
        return csr_array((weights.T.ravel(), columns.T.ravel(), starts), shape=(n, n))
    cells = columns + n * np.arange(n)
    return np.bincount(cells.ravel(), weights.ravel(), minlength=n * n).reshape(n, n)
