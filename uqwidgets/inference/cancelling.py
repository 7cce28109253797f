"""Influences of rows whose two roles, as scored row and as donor, nearly cancel.

Take a measure that does not read the target, such as the entropy, and a model that one feature
dominates: what a row contributes as the scored row it takes back as the donor. The influence that
remains is small beside the Monte Carlo noise of the pairs that were drawn. But a permutation uses
every row once in each role, so any quantity that depends on one row alone has the same sum in all
permutations. Subtracting it from the pairs leaves the mean unchanged and reduces the noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats, Positions
from uqwidgets.inference.population import Population
from uqwidgets.inference.sums import dot
from uqwidgets.inference.variance import relative_precision

# Relative precision of the residuals: about 50 iterations for three lines, fewer for more.
_PRECISION = 1e-13
_MAX_ITERATIONS = 200
_TRACE_PRECISION = 1e-3
# A variance whose relative precision exceeds the first of these is left as it is; one below the
# second is estimated from the interactions. Twice these numbers are degrees of freedom.
PRECISE, FAIR = 10.0, 5.0
# Under weights that estimate depends on more assumptions, and few heavy rows decide it.
FAIR_UNDER_WEIGHTS = 1.5
# Repeats beyond this number of values are not needed to separate two variance components, and take
# memory.
_MAX_VALUES = 1 << 17
_MAX_ROWS = 1 << 18
_MAX_CONDITION = 1e6
# Influences smaller than this, relative to those of single pairs, are rounding errors.
ROUNDING = 1e-10

PairInfluences = Callable[[], Iterable[tuple[slice, Floats]]]


@dataclass(frozen=True, eq=False)
class Influence:
    """Influence of every row in both roles, (n,), and the part of its square counted twice, (n,).

    See `Change.double_counted`.
    """

    of_rows: Floats
    double_counted: Floats
    pairs: PairInfluences | None = None

    @property
    def precision(self) -> float:
        """Relative precision of the variance that follows from it."""
        return relative_precision(np.square(self.of_rows) - self.double_counted)


def less_noisy(
    influence: Influence,
    pair_influences: PairInfluences,
    change: Floats,
    donors: Positions,
    original: Floats,
    population: Population,
) -> Influence:
    """Return the influence of every row with as little noise of the drawn pairs as necessary.

    If the variance is known well, the influence is returned unchanged. Otherwise the measure of
    the rows without replacement serves as a control variate. If that is not enough, everything
    that depends on one row alone is subtracted from the pairs.

    Parameters
    ----------
    influence : Influence
        As it follows from the pairs.
    pair_influences : callable
        Yields the influence of each pair, some repeats at a time.
    change, donors : ndarray of shape (K, n)
    original : ndarray of shape (n,)
        The measure of each row without replacement.
    population : Population
    """
    repeats, n = donors.shape
    noise = influence.double_counted.any()
    if not noise or influence.precision > PRECISE or not _are_permutations(donors):
        return influence
    controlled = _control_variates(influence, pair_influences, donors, original, population)
    candidates = [influence, controlled]
    fair = FAIR if population.uniform else FAIR_UNDER_WEIGHTS
    if controlled.precision < fair and population.rows is None and repeats > 1:
        candidates += interaction_influences(change, donors, original, population)
    size = math.sqrt(repeats * float(influence.double_counted.mean()))
    for candidate in candidates:
        if np.abs(candidate.of_rows).max() <= ROUNDING * size and population.uniform:
            return Influence(np.zeros(n), np.zeros(n))
    return max(candidates, key=lambda candidate: candidate.precision)


def _are_permutations(donors: Positions) -> bool:
    repeats, n = donors.shape
    return bool((np.bincount(donors.ravel(), minlength=n) == repeats).all())


def _control_variates(
    influence: Influence,
    pair_influences: PairInfluences,
    donors: Positions,
    original: Floats,
    population: Population,
) -> Influence:
    """Regress the pairs on the measure of their two rows without replacement, by least squares.

    It is one control variate as the measure of the scored row, and one as that of the donor.
    """
    repeats, n = donors.shape
    scored, donor = (
        weights * (original - dot(weights, original) / weights.sum())
        for weights in (population.scored, population.weights)
    )
    by_scored, by_donor, drawn, received = (np.zeros(n) for _ in range(4))
    for chunk, of_pairs in pair_influences():
        flat = donors[chunk].ravel()
        by_scored += of_pairs.sum(axis=0)
        by_donor += np.bincount(flat, weights=of_pairs.ravel(), minlength=n)
        drawn += donor[donors[chunk]].sum(axis=0)
        received += np.bincount(flat, np.broadcast_to(scored, of_pairs.shape).ravel(), minlength=n)
        del flat, of_pairs  # otherwise they stay in memory while other arrays are made
    mixed = dot(scored, drawn)
    slope_scored, slope_donor = regression_on_two(
        repeats,
        dot(scored, scored),
        dot(donor, donor),
        mixed,
        dot(scored, by_scored),
        dot(donor, by_donor),
    )
    del by_scored, by_donor

    def remainders() -> Iterator[tuple[slice, Floats]]:
        for chunk, of_pairs in pair_influences():
            yield chunk, of_pairs - slope_scored * scored - (slope_donor * donor)[donors[chunk]]

    squares = np.zeros(n)
    for _, of_pairs in remainders():
        squares += np.einsum("ki,ki->i", of_pairs, of_pairs)
    of_rows = influence.of_rows - slope_donor * drawn - slope_scored * received
    return Influence(of_rows, squares, remainders)


def regression_on_two(
    repeats: int,
    scored: npt.ArrayLike,
    donor: npt.ArrayLike,
    mixed: npt.ArrayLike,
    by_scored: npt.ArrayLike,
    by_donor: npt.ArrayLike,
) -> Floats:
    """Return the least-squares slopes of the pairs on both control variates, shape (2, ...).

    Parameters
    ----------
    repeats : int
    scored, donor : array-like
        Sum of squares of each control variate over the rows.
    mixed : array-like
        Sum of their products over the pairs.
    by_scored, by_donor : array-like
        Sums of the products of each with the pairs.
    """
    gram = np.array([[repeats * np.asarray(scored), mixed], [mixed, repeats * np.asarray(donor)]])
    inverse = np.linalg.pinv(np.moveaxis(gram, (0, 1), (-2, -1)), rcond=1e-12, hermitian=True)
    moments = np.stack([np.asarray(by_scored), np.asarray(by_donor)], axis=-1)
    return np.moveaxis(np.einsum("...ij,...j->...i", inverse, moments), -1, 0)


def interaction_influences(
    change: Floats, donors: Positions, original: Floats, population: Population
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
    change : ndarray of shape (K, n)
        Of at least two permutations.
    donors : ndarray of shape (K, n)
    original : ndarray of shape (n,)
        The measure of each row without replacement.
    population : Population
        All rows are scored.

    Returns
    -------
    list of Influence
        One, or none if the rows are too few to separate the two variances, or too many for the
        memory that the computation may use.
    """
    repeats, n = change.shape
    if n > _MAX_ROWS:
        return []
    enough = max(2, _MAX_VALUES // n)
    change, donors = change[:enough], donors[:enough]
    columns = np.vstack([np.arange(n), donors])
    w = population.weights
    fit = _AdditiveFit(columns, w * w[columns])
    residuals, effects = fit(np.vstack([original, original + change]))
    # Of the first line (rows without replacement) and of the others.
    rng, factors = np.random.default_rng(0), np.vstack([w, w * w[donors]])
    expected = np.zeros((2, 2))
    # Of the effects, and what interactions add to it by their errors.
    first, from_effects, errors = 0.0, _from_effects(effects, w), np.zeros(2)
    for k, block in enumerate((slice(0, 1), slice(1, None))):
        signs = np.zeros(columns.shape)
        # As many of either sign: the level of the lines is corrected for with the influences.
        shape = signs[block].shape
        signs[block] = rng.permutation(np.resize([-1.0, 1.0], math.prod(shape))).reshape(shape)
        projected, wrong_effects = fit(signs, _TRACE_PRECISION)
        errors[k] = _from_effects(wrong_effects, w).mean()
        squares = np.square(factors * projected).sum(axis=1)
        expected[k] = squares[0], squares[1:].sum()
        if k == 0:
            first = dot(signs[0], projected[0])
    if not (first > 0 and np.linalg.cond(expected) < _MAX_CONDITION):
        return []
    spread, squared_weight = float(np.square(w - 1).mean()), float(np.square(w).mean())
    per_variance = np.array([squared_weight * (repeats + spread), squared_weight**2]) - errors
    of_original, of_replaced = np.linalg.solve(expected, per_variance / repeats)
    squares = np.square(factors * residuals)
    # Their mean is an unbiased estimate of n times the variance.
    parts = n * (of_original * squares[0] + of_replaced * squares[1:].sum(axis=0))
    parts += from_effects / repeats
    of_rows = -w * residuals[0] * (n / first)
    return [Influence(of_rows, np.square(of_rows) - parts)]


def _from_effects(effects: Floats, w: Floats) -> Floats:
    """Mean square, over donors, of what the effects leave in the pairs of each row (n,).

    It is zero for equal weights.
    """
    weighted = w * (effects - dot(w, effects) / len(w))
    excess = w - 1
    products = excess * weighted
    return np.asarray(
        np.square(excess) * np.square(weighted).mean()
        + np.square(weighted) * np.square(excess).mean()
        - 2 * products * products.mean()
    )


class _AdditiveFit:
    """Weighted least-squares fit of row and column effects to lines of values (m, n).

    The level of the first line may differ from that of the others. The row effects are eliminated
    from the normal equations, which conjugate gradients solve for the column effects, with the
    weight of each column as preconditioner.

    Parameters
    ----------
    columns : ndarray of shape (m, n)
        Column of each row in each line; every line is a permutation.
    weights : ndarray of shape (m, n)
    """

    def __init__(self, columns: Positions, weights: Floats) -> None:
        self._columns, self._weights = columns, weights
        self._rows = np.argsort(columns, axis=1)
        self._of_columns = np.take_along_axis(weights, self._rows, axis=1)
        row_weights, column_weights = weights.sum(axis=0), self._of_columns.sum(axis=0)
        self._per_row = np.divide(
            1, row_weights, out=np.zeros_like(row_weights), where=row_weights > 0
        )
        self._scale = np.divide(
            1, np.sqrt(column_weights), out=np.zeros_like(column_weights), where=column_weights > 0
        )

        level = np.zeros(columns.shape)
        level[0] = 1.0
        self._level, self._level_effects = self._of_rows_and_columns(level, _PRECISION)
        self._level_weights = weights * self._level
        self._level_weights /= np.einsum("ki,ki->", self._level_weights, self._level)

    def __call__(self, values: Floats, precision: float = _PRECISION) -> tuple[Floats, Floats]:
        """Return the residuals of values (m, n) and the column effects (n,)."""
        residuals, effects = self._of_rows_and_columns(values, precision)
        slope = np.einsum("ki,ki->", self._level_weights, residuals)
        return residuals - slope * self._level, effects - slope * self._level_effects

    def _of_rows_and_columns(self, values: Floats, precision: float) -> tuple[Floats, Floats]:
        row_means = np.einsum("ki,ki->i", self._weights, values) * self._per_row
        by_column = np.take_along_axis(values, self._rows, axis=1)
        residual = self._scale * (
            np.einsum("kj,kj->j", self._of_columns, by_column) - self._to_columns(row_means)
        )
        effects, direction, norm = np.zeros_like(residual), residual, dot(residual, residual)
        tolerance = norm * precision**2
        for _ in range(_MAX_ITERATIONS):
            if norm <= tolerance:
                break
            image = direction - self._scale * self._to_columns(
                self._row_means(self._scale * direction)
            )
            curvature = dot(direction, image)
            if not curvature > _PRECISION * dot(direction, direction):
                break  # a constant, which the row effects contain as well
            effects = effects + direction * (norm / curvature)
            residual = residual - image * (norm / curvature)
            last, norm = norm, dot(residual, residual)
            direction = residual + direction * (norm / last)
        effects = self._scale * effects
        row_effects = row_means - self._row_means(effects)
        return np.asarray(values - row_effects - effects[self._columns]), effects

    def _row_means(self, effects: Floats) -> Floats:
        means: Floats = np.einsum("ki,ki->i", self._weights, effects[self._columns])
        means *= self._per_row
        return means

    def _to_columns(self, effects: Floats) -> Floats:
        sums: Floats = np.einsum("kj,kj->j", self._of_columns, effects[self._rows])
        return sums
