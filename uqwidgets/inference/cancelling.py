"""Influences of rows whose two roles, as scored row and as donor, nearly cancel.

Take a measure that does not read the target, such as the entropy, and a model that one feature
dominates: what a row contributes as the scored row it takes back as the donor. The influence that
remains is small beside the Monte Carlo noise of the pairs that were drawn. But a permutation uses
every row once in each role, so any quantity that depends on one row alone has the same sum in all
permutations. Subtracting it from the pairs leaves the mean unchanged and reduces the noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from uqwidgets._typing import Floats, Positions
from uqwidgets.inference.population import Population
from uqwidgets.inference.sums import dot
from uqwidgets.inference.variance import relative_precision

# Relative precision of the residuals: about 50 iterations for three lines, fewer for more.
_PRECISION = 1e-13
_MAX_ITERATIONS = 200
# A variance whose relative precision exceeds the first of these is left as it is; one below the
# second is estimated from the interactions. Twice these numbers are degrees of freedom.
_PRECISE, _FAIR = 10.0, 5.0
# Repeats beyond this number of values are not needed to separate two variance components, and take
# memory.
_MAX_VALUES = 1 << 17
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
    n_subgroups: int,
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
    n_subgroups : int
        Number of subgroups within which donors are drawn.
    """
    repeats, n = donors.shape
    if influence.precision > _PRECISE or not _are_permutations(donors):
        return influence
    controlled = _control_variates(influence, pair_influences, donors, original, population)
    candidates = [influence, controlled]
    if controlled.precision < _FAIR and population.uniform and repeats > 1:
        candidates += _from_interactions(change, donors, original, n_subgroups)
    size = math.sqrt(repeats * float(influence.double_counted.mean()))
    for candidate in candidates:
        if np.abs(candidate.of_rows).max() <= ROUNDING * size:
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
    mixed = dot(scored, drawn)
    gram = [[repeats * dot(scored, scored), mixed], [mixed, repeats * dot(donor, donor)]]
    moments = [dot(scored, by_scored), dot(donor, by_donor)]
    (slope_scored, slope_donor), *_ = np.linalg.lstsq(
        np.array(gram), np.array(moments), rcond=1e-12
    )
    squares = np.zeros(n)
    for chunk, of_pairs in pair_influences():
        residuals = of_pairs - slope_scored * scored - (slope_donor * donor)[donors[chunk]]
        squares += np.einsum("ki,ki->i", residuals, residuals)
    return Influence(influence.of_rows - slope_donor * drawn - slope_scored * received, squares)


def _from_interactions(
    change: Floats, donors: Positions, original: Floats, n_subgroups: int
) -> list[Influence]:
    r"""Subtract from the pairs everything that depends on the scored row or the donor alone.

    With the measure :math:`L_{ij} = \mu + \alpha_i + \beta_j + \gamma_{ij}` of row i with the
    value of row j, every permutation has the same sum of all :math:`\alpha_i` and :math:`\beta_j`,
    and so have the rows without replacement. Of the mean change remains
    :math:`\operatorname{mean}_{ki} \gamma_{i d(k,i)} - \operatorname{mean}_i \gamma_{ii}`, with
    the variance :math:`(\tau^2 + \sigma^2 / K) / n` from the variances :math:`\tau^2` of
    :math:`\gamma_{ii}` and :math:`\sigma^2` of :math:`\gamma_{ij}`. Both are estimated from the
    residuals of an additive least-squares fit to all K + 1 lines, whose expected sums of squares
    are linear in both. The traces in them are estimated with one vector of random signs
    (Hutchinson 1990).

    Parameters
    ----------
    change : ndarray of shape (K, n)
        Of at least two permutations.
    donors : ndarray of shape (K, n)
    original : ndarray of shape (n,)
        The measure of each row without replacement.
    n_subgroups : int
        Number of subgroups within which rows are permuted.

    Returns
    -------
    list of Influence
        One, or none if the rows are too few to separate the two variances, or too many for the
        memory that the computation may use.
    """
    repeats, n = change.shape
    enough = _MAX_VALUES // n
    if enough < 2:
        return []
    change, donors = change[:enough], donors[:enough]
    lines = len(change) + 1
    values = np.vstack([original, original + change])
    values[0] -= values[0].mean()
    values[1:] -= values[1:].mean()
    columns = np.vstack([np.arange(n), donors])
    incidence = csr_array(
        (np.ones(lines * n), (np.tile(np.arange(n), lines), columns.ravel())), shape=(n, n)
    )
    residuals = _additive_residuals(values, columns, incidence)
    signs = np.zeros((lines, n))
    signs[0] = np.random.default_rng(0).choice([-1.0, 1.0], n)
    projected = _additive_residuals(signs, columns, incidence)
    # Estimated traces of blocks of the projection onto the residuals.
    within, first = dot(projected[0], projected[0]), dot(signs[0], projected[0])
    between = first - within
    residual_df = n * (lines - 2) + n_subgroups - 1
    # Expected sums of squares of the first line (rows without replacement) and of the others.
    expected = np.array([[within, between], [between, residual_df - first - between]])
    if not (first > 0 and np.linalg.cond(expected) < _MAX_CONDITION):
        return []
    of_original, of_replaced = np.linalg.solve(expected.T, [1.0, 1 / repeats])
    squares = np.square(residuals)
    # Their mean is an unbiased estimate of n times the variance.
    parts = n * (of_original * squares[0] + of_replaced * squares[1:].sum(axis=0))
    of_rows = -residuals[0] * (n / first)
    return [Influence(of_rows, np.square(of_rows) - parts)]


def _additive_residuals(values: Floats, columns: Positions, incidence: csr_array) -> Floats:
    """Residuals of the least-squares fit of row plus column effects to lines of values (m, n).

    The row effects are eliminated from the normal equations, which conjugate gradients solve for
    the column effects.
    """
    lines, n = values.shape
    row_sums = values.sum(axis=0)
    column_sums = np.bincount(columns.ravel(), weights=values.ravel(), minlength=n)
    transposed = incidence.T.tocsr()

    effects, residual = np.zeros(n), column_sums - transposed @ row_sums / lines
    direction, norm = residual, dot(residual, residual)
    tolerance = norm * _PRECISION**2
    for _ in range(_MAX_ITERATIONS):
        if norm <= tolerance:
            break
        image = lines * direction - transposed @ (incidence @ direction) / lines
        curvature = dot(direction, image)
        if not curvature > _PRECISION * dot(direction, direction):
            break  # a constant, which the row effects contain as well
        effects = effects + direction * (norm / curvature)
        residual = residual - image * (norm / curvature)
        last, norm = norm, dot(residual, residual)
        direction = residual + direction * (norm / last)
    row_effects = (row_sums - incidence @ effects) / lines
    return np.asarray(values - row_effects - effects[columns])
