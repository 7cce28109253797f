"""The mean change over drawn pairs of a scored row and a donor."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.inference.cancelling import ROUNDING, Influence, revealed
from uqwidgets.inference.influence import Change
from uqwidgets.inference.population import Population

Positions = npt.NDArray[np.intp]

# Work on whole (repeats, rows) arrays while they fit the processor's cache, else row by row.
_CACHED_VALUES = 1 << 16
_KEPT_VALUES = 1 << 20


def mean_change(
    change: Floats,
    donors: Positions,
    original: Floats,
    population: Population,
    subgroups: Positions | None = None,
    offered: Floats | None = None,
) -> Change:
    r"""Weighted mean of per-row changes under replacement, and the influence of every row on it.

    With :math:`\delta_{ki}` the change of row i in repeat k, d its donor, w the weights and s
    the weights of the scored rows, the estimate is
    :math:`\theta = \sum s_i w_{d(k,i)} \delta_{ki} / \sum s_i w_{d(k,i)}`: the importance in
    the population that the weights describe, where row and donor are drawn independently.
    Within subgroups g it is :math:`\theta_g`, and :math:`\theta = \sum S_g \theta_g / S` with
    the weights :math:`S_g` of their scored rows.

    Permutation importance is a two-sample statistic: every row acts as the row that is scored
    and as the donor of a value, so an interval that sees only rows, or only repeats, covers far
    too little. The influence of row i is the sum of both roles,

    .. math:: \psi_i = \frac{n}{S} \left[ s_i (\theta_g - \theta) + \frac{S_g}{c_g} \left\{
              s_i \operatorname{mean}_k w_{d(k,i)} (\delta_{ki} - \theta_g) + w_i
              \operatorname{mean}_k s_{r(k,i)} (\delta_{k r(k,i)} - \theta_g) \right\} \right],
              \quad c_g = \operatorname{mean}_k \sum_{i \in g} s_i w_{d(k,i)},

    r(k,i) being the rows that received row i's value. Each pair shows up in two of these terms
    though it happened once: ``counted_twice`` are its squares. Where the two roles of a row all
    but cancel, as they do in the entropy of a model that one feature dominates, what is left is
    hidden by the rows that happened to be drawn; `uqwidgets.inference.cancelling` then makes use
    of what permutations do not change.

    Parameters
    ----------
    change : ndarray of shape (K, n)
        Measure of the replaced row minus that of the row itself.
    donors : ndarray of shape (K, n)
        Position of the donor of each.
    original : ndarray of shape (n,)
        The measure of each row as it is.
    population : Population
    subgroups : ndarray of shape (n,), optional
        Which subgroup a row is in, from 0; its donors are of the same one.
    offered : ndarray of shape (n,), optional
        Mean weight of the donors of each row over all repeats, where these are some of them.

    Returns
    -------
    Change
    """
    w, repeats, n = population.weights, *change.shape
    # Then every pair weighs one, and nothing has to be looked up.
    equal = population.plain and subgroups is None
    step = max(1, _CACHED_VALUES // n)
    chunks = [slice(k, k + step) for k in range(0, repeats, step)]
    s = population.scored
    if subgroups is not None:
        offered = w[donors].mean(axis=0) if offered is None else offered
        s = balanced(s, offered, subgroups)

    # Weights of each pair of a scored row and its donor; kept between the passes while small.
    keeps = not equal and repeats * n <= _KEPT_VALUES
    kept = _pairs(w, s, donors) if keeps else None

    def pairs_of(chunk: slice) -> Floats:
        return _pairs(w, s, donors[chunk]) if kept is None else kept[chunk]

    sums, totals = np.empty(repeats), np.full(repeats, float(n))
    squared_pairs = float(repeats * n) if equal else 0.0
    for chunk in chunks:
        if equal:
            sums[chunk] = change[chunk].sum(axis=1)
            continue
        pairs = pairs_of(chunk)
        squared_pairs += float(np.einsum("ki,ki->", pairs, pairs))
        totals[chunk] = pairs.sum(axis=1)
        sums[chunk] = np.einsum("ki,ki->k", pairs, change[chunk])
    total = totals.sum()
    if total == 0:
        return Change.of_nothing(n, repeats)
    estimate = float(sums.sum() / total)
    # One value, or that of each row's subgroup.
    centre = np.asarray(estimate)
    if subgroups is not None:
        by_row = sum(np.einsum("ki,ki->i", pairs_of(chunk), change[chunk]) for chunk in chunks)
        centre = _of_subgroups(np.asarray(by_row) / repeats, population.scored, s, subgroups)

    scale = n / total  # one over the repeats, were all weights one

    def moved_by_pairs() -> Iterator[tuple[slice, Floats]]:
        for chunk in chunks:
            moved = change[chunk] - centre
            moved *= scale if equal else scale * pairs_of(chunk)
            yield chunk, moved

    scored, donated, squares = np.zeros(n), np.zeros(n), np.zeros(n)
    for chunk, moved in moved_by_pairs():
        scored += moved.sum(axis=0)
        donated += np.bincount(donors[chunk].ravel(), weights=moved.ravel(), minlength=n)
        squares += np.einsum("ki,ki->i", moved, moved)
    if subgroups is not None:
        between = np.where(s > 0, population.scored, 0.0) * (centre - estimate)
        scored += between * (scale * repeats)
    groups = 1 if subgroups is None else int(subgroups.max()) + 1
    influence = revealed(
        Influence(scored + donated, squares),
        moved_by_pairs,
        change,
        donors,
        original,
        population,
        groups,
    )
    donated = influence.of_rows - scored
    size = math.sqrt(repeats * float(squares.mean()))
    if abs(estimate) <= ROUNDING * size and not influence.of_rows.any():
        estimate = 0.0
    effective = float(total**2 / squared_pairs)

    def pair_variance() -> float:
        squared = sum(
            float(np.square(pairs_of(chunk) * (change[chunk] - estimate)).sum()) for chunk in chunks
        )
        return squared / total**2 * effective / (effective - 1) if effective > 1 else np.nan

    def per_row() -> Floats:
        if equal:
            return np.asarray(change.mean(axis=0))
        weights = w[donors]
        with np.errstate(invalid="ignore"):
            mean: Floats = np.einsum("ki,ki->i", weights, change) / weights.sum(axis=0)
        return mean

    with np.errstate(invalid="ignore"):
        each = sums / totals  # NaN for a repeat that pairs no two rows of weight
    return Change(
        estimate=estimate,
        scored=scored,
        donated=donated,
        counted_twice=influence.counted_twice,
        pairs=effective,
        pair_variance=pair_variance,
        repeats=each,
        totals=totals,
        per_row=per_row,
    )


def _pairs(w: Floats, s: Floats, donors: Positions) -> Floats:
    pairs = w[donors]
    pairs *= s
    return pairs


def balanced(s: Floats, offered: Floats, subgroups: Positions) -> Floats:
    """Scale weights of scored rows so that each subgroup's pairs weigh what its rows do.

    Else a subgroup of heavy rows would count with the square of its weight. A subgroup whose
    scored rows meet no donor of any weight is left out.

    Parameters
    ----------
    s : ndarray of shape (n,)
        Weights of the scored rows.
    offered : ndarray of shape (n,)
        Mean weight of the donors of each row.
    subgroups : ndarray of shape (n,)
    """
    met = s * offered
    pairs, rows = np.bincount(subgroups, met), np.bincount(subgroups, s)
    return np.asarray(
        s * np.divide(rows, pairs, out=np.zeros_like(rows), where=pairs > 0)[subgroups]
    )


def _of_subgroups(sums: Floats, scored: Floats, balanced: Floats, subgroups: Positions) -> Floats:
    """Estimate of the subgroup of every row, from the sums of its rows, shape (n,)."""
    rows = np.bincount(subgroups, np.where(balanced > 0, scored, 0.0))
    total = np.bincount(subgroups, sums)
    return np.asarray(np.divide(total, rows, out=np.zeros_like(total), where=rows > 0)[subgroups])
