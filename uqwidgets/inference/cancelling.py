"""Influences of rows whose two roles, as scored row and as donor, nearly cancel.

Take a measure that does not read the target, such as the entropy, and a model that one feature
dominates: what a row contributes as the scored row it takes back as the donor. The influence that
remains is small beside the Monte Carlo noise of the pairs that were drawn. But a permutation uses
every row once in each role, so any quantity that depends on one row alone has the same sum in all
permutations. Subtracting it from the pairs leaves the mean unchanged and reduces the noise. The
measure of the row without replacement is such a quantity.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats, Positions
from uqwidgets.inference.influence import Influence, PairInfluences
from uqwidgets.inference.population import Population
from uqwidgets.inference.sums import dot, values_at

# A variance whose relative precision exceeds the first of these is left as it is; below the second,
# control variates are used in full. Twice these numbers are degrees of freedom.
PRECISE, FAIR = 10.0, 5.0
# Influences smaller than this, relative to those of single pairs, are rounding errors.
ROUNDING = 1e-10
# Normal equations of two variables are singular below this ratio of their eigenvalues.
_SINGULAR = 1e-12
# Products of several sums beyond this number, or below its reciprocal, leave the floats.
_LARGE = 1e60


def less_noisy(
    influence: Influence,
    roles: tuple[Floats, Floats],
    pair_influences: PairInfluences,
    donors: Positions,
    original: Floats,
    population: Population,
) -> Influence:
    """Return the influence of every row with less noise of the drawn pairs.

    If the variance is known well, the influence is returned unchanged. Otherwise the measure of
    the rows without replacement serves as a control variate. As the weights of the rows change,
    it takes effect gradually, so that intervals do not jump.

    Parameters
    ----------
    influence : Influence
        As it follows from the pairs.
    roles : ndarray of shape (n,), ndarray of shape (n,)
        Sums of the influences of the pairs over the repeats, by scored row and by donor.
    pair_influences : callable
        Yields the influence of each pair, some repeats at a time.
    donors : ndarray of shape (K, n)
    original : ndarray of shape (n,)
        The measure of each row without replacement.
    population : Population
    """
    repeats, n = donors.shape
    precision = influence.precision(population)
    noise = influence.double_counted.any()
    if not noise or precision >= PRECISE or not _are_permutations(donors):
        return influence
    share = float(share_of_controls(precision))
    result = _control_variates(
        influence, roles, pair_influences, donors, original, population, share
    )
    size = math.sqrt(repeats * float(influence.double_counted.mean()))
    for candidate in (influence, result):
        if np.abs(candidate.of_rows).max() <= ROUNDING * size and population.uniform:
            return Influence(np.zeros(n), np.zeros(n))
    return result


def share_of_controls(precision: npt.ArrayLike) -> Floats:
    """Return the share of the control variates, from the precision of the variance without them.

    It decreases smoothly from 1 at `FAIR` to 0 at `PRECISE`.
    """
    t = np.clip((PRECISE - np.asarray(precision)) / (PRECISE - FAIR), 0.0, 1.0)
    return np.asarray(t * t * (3 - 2 * t))


def _are_permutations(donors: Positions) -> bool:
    repeats, n = donors.shape
    return bool((np.bincount(donors.ravel(), minlength=n) == repeats).all())


def _control_variates(
    influence: Influence,
    roles: tuple[Floats, Floats],
    pair_influences: PairInfluences,
    donors: Positions,
    original: Floats,
    population: Population,
    share: float,
) -> Influence:
    """Regress the pairs on the measure of their two rows without replacement, by least squares.

    It is one control variate as the measure of the scored row, and one as that of the donor. A
    share of what they explain is subtracted.
    """
    scored, donor = (
        weights * (original - dot(weights, original) / weights.sum())
        for weights in (population.scored, population.weights)
    )
    drawn, received = np.zeros_like(donor), np.zeros_like(scored)
    for line in donors:
        drawn += values_at(donor, line)
        received += np.bincount(line, scored)
    by_scored, by_donor = roles
    slope_scored, slope_donor = share * regression_on_two(
        len(donors),
        dot(scored, scored),
        dot(donor, donor),
        dot(scored, drawn),
        dot(scored, by_scored),
        dot(donor, by_donor),
    )
    of_rows = influence.of_rows - slope_donor * drawn - slope_scored * received
    del drawn, received  # otherwise they stay in memory while other arrays are made
    scored *= slope_scored
    donor *= slope_donor

    def remainders() -> Iterator[tuple[slice, Floats]]:
        for chunk, of_pairs in pair_influences():
            of_pairs -= scored
            of_pairs -= values_at(donor, donors[chunk])
            yield chunk, of_pairs

    squares = np.zeros_like(scored)
    for _, of_pairs in remainders():
        squares += np.einsum("ki,ki->i", of_pairs, of_pairs)
        del of_pairs
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
    a, b = repeats * np.asarray(scored), repeats * np.asarray(donor)
    # A quotient of sums in the same unit, whose products would leave the floats otherwise.
    most = np.maximum(a, b)
    is_far = (most > _LARGE) | ((most > 0) & (most < 1 / _LARGE))
    unit = np.where(is_far, most, 1.0)
    a, b, c, p, q = (each / unit for each in (a, b, mixed, by_scored, by_donor))
    determinant, trace = a * b - c * c, a + b
    # The larger eigenvalue of the matrix of the normal equations, which is [[a, c], [c, b]].
    largest = trace / 2 + np.hypot((a - b) / 2, c)
    regular = determinant > _SINGULAR * largest * largest
    inverse_of_det = np.divide(1.0, determinant, out=np.zeros_like(largest), where=regular)
    # The pseudoinverse of a matrix of rank 1 is the matrix over the square of its eigenvalue.
    singular = (largest > 0) & ~regular
    inverse_square = np.divide(1.0, largest * largest, out=np.zeros_like(largest), where=singular)
    return np.stack(
        [
            inverse_of_det * (b * p - c * q) + inverse_square * (a * p + c * q),
            inverse_of_det * (a * q - c * p) + inverse_square * (c * p + b * q),
        ]
    )
