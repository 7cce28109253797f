"""Influences of rows whose two roles, as scored row and as donor, nearly cancel.

Take a measure that does not read the target, such as the entropy, and a model that one feature
dominates: what a row contributes as the scored row it takes back as the donor. The influence that
remains is small beside the Monte Carlo noise of the pairs that were drawn. But a permutation uses
every row once in each role, so any quantity that depends on one row alone has the same sum in all
permutations. Subtracting it from the pairs leaves the mean unchanged and reduces the noise.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats, Positions
from uqwidgets.inference.influence import Influence, PairInfluences
from uqwidgets.inference.interactions import interaction_influences
from uqwidgets.inference.population import Population
from uqwidgets.inference.sums import dot, squared_deviations, values_at

# A variance whose relative precision exceeds the first of these is left as it is; below the second,
# control variates are used in full, and the interactions come in if all weights are equal. Twice
# these numbers are degrees of freedom.
PRECISE, FAIR = 10.0, 5.0
# Under weights the interactions depend on more assumptions, and few heavy rows decide them: from
# this evenness down, they come in below this precision.
_UNEVEN, _FAIR_UNDER_WEIGHTS = 0.8, 1.5
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
    change: Floats,
    donors: Positions,
    original: Floats,
    population: Population,
) -> Influence:
    """Return the influence of every row with as little noise of the drawn pairs as necessary.

    If the variance is known well, the influence is returned unchanged. Otherwise the measure of
    the rows without replacement serves as a control variate. If that is not enough, the influence
    is combined with one from which everything is subtracted that depends on one row alone.
    As the weights of the rows change, each of these takes effect gradually, so that intervals do
    not jump.

    Parameters
    ----------
    influence : Influence
        As it follows from the pairs.
    roles : ndarray of shape (n,), ndarray of shape (n,)
        Sums of the influences of the pairs over the repeats, by scored row and by donor.
    pair_influences : callable
        Yields the influence of each pair, some repeats at a time.
    change, donors : ndarray of shape (K, n)
    original : ndarray of shape (n,)
        The measure of each row without replacement.
    population : Population
    """
    repeats, n = donors.shape
    precision = influence.precision
    noise = influence.double_counted.any()
    if not noise or precision >= PRECISE or not _are_permutations(donors):
        return influence
    share = float(share_of_controls(precision))
    result = _control_variates(
        influence, roles, pair_influences, donors, original, population, share
    )
    candidates = [influence, result]
    share = float(share_of_interactions(result.precision, population.evenness))
    if share > 0 and population.rows is None and repeats > 1:
        for each in interaction_influences([change], donors, [original], population):
            candidates.append(each)
            result = combined(result, each, share)
    size = math.sqrt(repeats * float(influence.double_counted.mean()))
    for candidate in candidates:
        if np.abs(candidate.of_rows).max() <= ROUNDING * size and population.uniform:
            return Influence(np.zeros(n), np.zeros(n))
    return result


def share_of_controls(precision: npt.ArrayLike) -> Floats:
    """Return the share of the control variates, from the precision without them."""
    return _decreasing(precision, FAIR, PRECISE)


def share_of_interactions(precision: npt.ArrayLike, evenness: npt.ArrayLike) -> Floats:
    """Return the largest weight of the interactions, from the precision without them.

    Parameters
    ----------
    precision : array-like
    evenness : array-like
        See `Population.evenness`.
    """
    x = (np.asarray(evenness) - _UNEVEN) / (1 - _UNEVEN)
    fair = _FAIR_UNDER_WEIGHTS + (FAIR - _FAIR_UNDER_WEIGHTS) * np.clip(x, 0.0, 1.0)
    return _decreasing(precision, fair / 2, fair)


def _decreasing(x: npt.ArrayLike, low: npt.ArrayLike, high: npt.ArrayLike) -> Floats:
    """Return a smooth function that decreases from 1 at the low number to 0 at the high one."""
    low, high = np.asarray(low), np.asarray(high)
    t = np.clip((high - np.asarray(x)) / (high - low), 0.0, 1.0)
    return np.asarray(t * t * (3 - 2 * t))


def combined(influence: Influence, interactions: Influence, share: float) -> Influence:
    r"""Average two estimates of the influence, with weights by the precision of their variances.

    With the standard errors :math:`s_1, s_2` of both estimates of the variance, the second has the
    weight :math:`s_1^2 / (s_1^2 + s_2^2)` times ``share``. An estimate that is wrong by far has a
    large standard error, and so a small weight, even if its relative precision is high.
    """
    parts, others = influence.parts, interactions.parts
    # In a unit of their size, because their squares would overflow for large values.
    unit = max(float(np.ptp(each)) for each in (parts, others)) or 1.0
    squared_error, other = (float(squared_deviations(each, unit)) for each in (parts, others))
    weight = share * squared_error / (squared_error + other) if squared_error > 0 else 0.0
    of_rows = (1 - weight) * influence.of_rows + weight * interactions.of_rows
    double_counted = np.square(of_rows) - (1 - weight) * parts - weight * others
    return Influence(of_rows, double_counted, influence.pairs, 1 - weight)


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
