"""Influences of rows whose two roles, as scored and as donor, all but cancel.

For a measure that does not look at the target, as the entropy, of a model that one feature
dominates, a row loses as the scored one what it gives as the donor. What is left of its influence
is small beside the values of the rows that it happened to be paired with. But a permutation uses
every row once in each role: whatever depends on one row alone has the same sum in all of them, and
may be taken out of the pairs without any effect on the mean.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from uqwidgets._typing import Floats
from uqwidgets.inference.population import Population
from uqwidgets.inference.skewness import steadiness
from uqwidgets.inference.sums import dot

Positions = npt.NDArray[np.intp]

# Of the residuals: about 50 steps from three lines of values, fewer from more.
_PRECISION = 1e-13
_MOST_STEPS = 200
# Twice these are degrees of freedom from which on a variance is known well enough.
_STEADY, _FAIR = 10.0, 5.0
# Repeats beyond this many values are not needed to tell two variances, and take memory.
_MOST_VALUES = 1 << 17
_MOST_CONDITION = 1e6
# What is smaller, beside the single changes, is their rounding.
ROUNDING = 1e-10


@dataclass(frozen=True, eq=False)
class Influence:
    """Influence of every row in both roles, shape (n,), and what of its square is counted twice."""

    of_rows: Floats
    counted_twice: Floats

    @property
    def steadiness(self) -> float:
        """How well the variance is known that it gives."""
        return steadiness(np.square(self.of_rows) - self.counted_twice)


def revealed(
    influence: Influence,
    moved: Callable[[], Iterable[tuple[slice, Floats]]],
    change: Floats,
    donors: Positions,
    original: Floats,
    population: Population,
    groups: int,
) -> Influence:
    """Return the influence of every row with no more noise of the draws than necessary.

    If the variance is known well it is returned as it is. Else the measure of the rows as they
    are is taken out of the pairs, and if that is not enough, all that depends on one row alone.

    Parameters
    ----------
    influence : Influence
        As the pairs give it.
    moved : callable
        Gives the influence of each pair, for some repeats at a time.
    change, donors : ndarray of shape (K, n)
    original : ndarray of shape (n,)
        The measure of each row as it is.
    population : Population
    groups : int
        Number of subgroups that the draws keep apart.
    """
    repeats, n = donors.shape
    if influence.steadiness > _STEADY or not _permuted(donors):
        return influence
    candidates = [influence, _controlled(influence, moved, donors, original, population)]
    if candidates[1].steadiness < _FAIR and population.uniform and repeats > 1:
        candidates += _interactions(change, donors, original, groups)
    size = math.sqrt(repeats * float(influence.counted_twice.mean()))
    for candidate in candidates:
        if np.abs(candidate.of_rows).max() <= ROUNDING * size:
            return Influence(np.zeros(n), np.zeros(n))
    return max(candidates, key=lambda candidate: candidate.steadiness)


def _permuted(donors: Positions) -> bool:
    repeats, n = donors.shape
    return bool((np.bincount(donors.ravel(), minlength=n) == repeats).all())


def _controlled(
    influence: Influence,
    moved: Callable[[], Iterable[tuple[slice, Floats]]],
    donors: Positions,
    original: Floats,
    population: Population,
) -> Influence:
    """Take out of the pairs what the measure of their rows as they are tells of them.

    It serves as a control variate of the scored row and one of the donor, by least squares.
    """
    repeats, n = donors.shape
    scored, donor = (
        weights * (original - dot(weights, original) / weights.sum())
        for weights in (population.scored, population.weights)
    )
    by_scored, by_donor, drawn, received = (np.zeros(n) for _ in range(4))
    for chunk, cells in moved():
        flat = donors[chunk].ravel()
        by_scored += cells.sum(axis=0)
        by_donor += np.bincount(flat, weights=cells.ravel(), minlength=n)
        drawn += donor[donors[chunk]].sum(axis=0)
        received += np.bincount(flat, np.broadcast_to(scored, cells.shape).ravel(), minlength=n)
    mixed = dot(scored, drawn)
    gram = [[repeats * dot(scored, scored), mixed], [mixed, repeats * dot(donor, donor)]]
    moments = [dot(scored, by_scored), dot(donor, by_donor)]
    (of_scored, of_donor), *_ = np.linalg.lstsq(np.array(gram), np.array(moments), rcond=1e-12)
    squares = np.zeros(n)
    for chunk, cells in moved():
        left = cells - of_scored * scored - (of_donor * donor)[donors[chunk]]
        squares += np.einsum("ki,ki->i", left, left)
    return Influence(influence.of_rows - of_donor * drawn - of_scored * received, squares)


def _interactions(
    change: Floats, donors: Positions, original: Floats, groups: int
) -> list[Influence]:
    r"""Take out of the pairs all that depends on the scored row alone, or on the donor alone.

    With the measure :math:`L_{ij} = \mu + \alpha_i + \beta_j + \gamma_{ij}` of row i under the
    value of row j, every permutation sums all :math:`\alpha_i` and all :math:`\beta_j`, and so do
    the rows as they are. What is left of the mean change is :math:`\operatorname{mean}_{ki}
    \gamma_{i d(k,i)} - \operatorname{mean}_i \gamma_{ii}`, and its variance :math:`(\tau^2 +
    \sigma^2 / K) / n`, with the variances :math:`\tau^2` of :math:`\gamma_{ii}` and
    :math:`\sigma^2` of :math:`\gamma_{ij}`. They are estimated from the residuals of the
    additive fit by least squares to all K + 1 lines, whose expected sums of squares are linear in
    both; the traces in them are those that a random vector of signs gives (Hutchinson 1990,
    Commun. Stat. Simul. Comput. 19, 433-450).

    Parameters
    ----------
    change : ndarray of shape (K, n)
        Of at least two permutations.
    donors : ndarray of shape (K, n)
    original : ndarray of shape (n,)
        The measure of each row as it is.
    groups : int
        Number of subgroups that the permutations keep apart.

    Returns
    -------
    list of Influence
        Empty where the rows are too few to tell both variances, or too many to be worked on at
        once.
    """
    repeats, n = change.shape
    enough = _MOST_VALUES // n
    if enough < 2:
        return []
    change, donors = change[:enough], donors[:enough]
    lines = len(change) + 1
    values = np.vstack([original, original + change])
    values[0] -= values[0].mean()
    values[1:] -= values[1:].mean()
    columns = np.vstack([np.arange(n), donors])
    meets = csr_array(
        (np.ones(lines * n), (np.tile(np.arange(n), lines), columns.ravel())), shape=(n, n)
    )
    residuals = _residuals(values, columns, meets)
    signs = np.zeros((lines, n))
    signs[0] = np.random.default_rng(0).choice([-1.0, 1.0], n)
    projected = _residuals(signs, columns, meets)
    own, first = dot(projected[0], projected[0]), dot(signs[0], projected[0])
    both = first - own
    # Sums of squares that are expected of the rows as they are, and of all replaced ones.
    total = n * (lines - 2) + groups - 1
    expected = np.array([[own, both], [both, total - first - both]])
    if not (first > 0 and np.linalg.cond(expected) < _MOST_CONDITION):
        return []
    of_rows, of_pairs = np.linalg.solve(expected.T, [1.0, 1 / repeats])
    squares = np.square(residuals)
    # Their mean is n times the variance, without bias.
    parts = n * (of_rows * squares[0] + of_pairs * squares[1:].sum(axis=0))
    of_each = -residuals[0] * (n / first)
    return [Influence(of_each, np.square(of_each) - parts)]


def _residuals(values: Floats, columns: Positions, meets: csr_array) -> Floats:
    """Residuals of the additive fit of lines of values (m, n) to their rows and columns."""
    lines, n = values.shape
    by_row = values.sum(axis=0)
    by_column = np.bincount(columns.ravel(), weights=values.ravel(), minlength=n)
    met = meets.T.tocsr()

    # Conjugate gradients on the normal equations without the rows.
    of_column, left = np.zeros(n), by_column - met @ by_row / lines
    along, size = left, dot(left, left)
    least = size * _PRECISION**2
    for _ in range(_MOST_STEPS):
        if size <= least:
            break
        image = lines * along - met @ (meets @ along) / lines
        bend = dot(along, image)
        if not bend > _PRECISION * dot(along, along):  # a constant, which the rows have as well
            break
        of_column = of_column + along * (size / bend)
        left = left - image * (size / bend)
        last, size = size, dot(left, left)
        along = left + along * (size / last)
    of_row = (by_row - meets @ of_column) / lines
    return np.asarray(values - of_row - of_column[columns])
