"""The mean change over every pair of a scored row and a donor."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats, Positions
from uqwidgets.inference.cancelling import ROUNDING
from uqwidgets.inference.influence import Change, interaction_of_weights
from uqwidgets.inference.population import Population
from uqwidgets.inference.sums import dot

# Up to this many changes are kept until the influences of all rows are known, for the interaction
# of rows: all with up to 700 rows. With more rows it is small, and taken to be zero.
_MAX_STORED_CHANGES = 1 << 19


def every_donor(
    lines: Iterable[tuple[slice, Floats]],
    codes: Positions,
    population: Population,
    subgroups: Positions,
) -> Change:
    r"""`mean_change` over all n^2 pairs of row and donor, or all pairs within subgroups.

    It is the V-statistic :math:`\theta = \sum_{ij} s_i w_j \delta_{ij} / \sum_{ij} s_i w_j`: the
    expectation over random permutations, without Monte Carlo error. As in a random permutation, a
    row is among its own donors. Donors with the same value cause the same change, so a feature
    with u distinct values needs u changes of every row.

    Parameters
    ----------
    lines : iterable of (slice, ndarray)
        Changes of every row under consecutive runs of the u values, each of shape (length of the
        slice, n); together they cover all values in order.
    codes : ndarray of shape (n,)
        Position of the value of each row among the u values.
    population : Population
    subgroups : ndarray of shape (n,)
        Subgroup of each row, counted from 0.

    Returns
    -------
    Change
    """
    w, s = population.weights, population.scored
    n, groups, values = len(w), int(subgroups.max()) + 1, int(codes.max()) + 1
    donor_totals = np.bincount(subgroups, w, minlength=groups)
    donor_shares = _ratio(w, donor_totals[subgroups])
    value_shares, squared_shares = _value_shares(w, codes, subgroups), np.zeros((groups, values))
    np.add.at(squared_shares, (subgroups, codes), np.square(donor_shares))
    by_row, by_value = np.zeros(n), np.zeros((groups, values))
    # Sums of squared pair weights times the change, and times its square.
    first = second = 0.0
    stored = np.empty((values if values * n <= _MAX_STORED_CHANGES else 0, n))
    for part, change in lines:
        if len(stored):
            stored[part] = change
        for g in range(groups):
            rows = np.flatnonzero(subgroups == g) if groups > 1 else slice(None)
            changes, weights = change[:, rows], s[rows]
            by_row[rows] += np.einsum("v,vi->i", value_shares[g, part], changes)
            by_value[g, part] = np.einsum("i,vi->v", weights, changes)
            of_rows, of_donors = np.square(weights), squared_shares[g, part]
            first += float(np.einsum("v,i,vi->", of_donors, of_rows, changes))
            second += float(np.einsum("v,i,vi->", of_donors, of_rows, np.square(changes)))
    # A row without a donor of positive weight has no change.
    scored: Floats = np.where(donor_totals[subgroups] > 0, s, 0.0)
    total = scored.sum()
    if total == 0:
        return Change.of_nothing(n, 0)
    estimate = float(np.einsum("i,i->", scored, by_row) / total)
    scored_totals = np.bincount(subgroups, scored, minlength=groups)
    centre = _ratio(np.bincount(subgroups, scored * by_row, minlength=groups), scored_totals)
    by_donor = _ratio(by_value, scored_totals[:, None])[subgroups, codes]
    squared_pairs = float(squared_shares.sum(axis=1) @ np.bincount(subgroups, np.square(scored)))
    pairs = total**2 / squared_pairs
    squares = second - 2 * estimate * first + estimate**2 * squared_pairs
    influence_scored = scored * (by_row - estimate) * (n / total)
    influence_donor = (
        scored_totals[subgroups] * donor_shares * (by_donor - centre[subgroups]) * (n / total)
    )
    size = math.sqrt(second) * (n / total)
    influence = influence_scored + influence_donor
    if max(abs(estimate), float(np.abs(influence).max())) <= ROUNDING * size:
        # The two roles cancel in every row: the importance is exactly zero.
        estimate, influence_donor = 0.0, -influence_scored
    interaction = _interaction(
        stored,
        scored * (n / total),
        estimate,
        donor_shares,
        codes,
        subgroups,
        influence_scored + influence_donor,
        population,
    )
    return Change(
        estimate=estimate,
        influence_scored=influence_scored,
        influence_donor=influence_donor,
        double_counted=np.zeros(n),
        interaction=interaction,
        double_counted_cubes=0.0,
        pairs=pairs,
        pair_variance=lambda: squares / total**2 * pairs / (pairs - 1) if pairs > 1 else np.nan,
        repeats=np.empty(0),
        totals=np.empty(0),
        per_row=lambda: np.where(donor_totals[subgroups] > 0, by_row, np.nan),
    )


def _interaction(
    changes: Floats,
    scored: Floats,
    estimate: float,
    donor_shares: Floats,
    codes: Positions,
    subgroups: Positions,
    influence: Floats,
    population: Population,
) -> float:
    """Return `Change.interaction`.

    Parameters
    ----------
    changes : ndarray of shape (u, n), or (0, n)
        Of every row under every value.
    scored, donor_shares : ndarray of shape (n,)
        Their products are the weights of the pairs.
    estimate : float
    codes, subgroups : ndarray of shape (n,)
        As in `every_donor`.
    influence : ndarray of shape (n,)
    population : Population
    """
    units, of_units = population.units, population.of_units(influence)
    largest = float(np.abs(of_units).max())
    if not largest > 0 or not len(changes):
        return 0.0
    of_units = of_units / largest
    rows = of_units if population.groups is None else of_units[population.groups.codes]
    by_value = np.zeros((int(subgroups.max()) + 1, len(changes)))
    np.add.at(by_value, (subgroups, codes), donor_shares * rows)
    weights = by_value.T[:, subgroups] * (scored * rows)
    chains = float(np.einsum("vi,vi->", changes / largest, weights))
    chains -= estimate / largest * float(weights.sum())
    of_weights = interaction_of_weights(
        of_units, dot(of_units, of_units), units.scored, units.weights
    )
    return largest * math.cbrt(2 * chains + of_weights)


def every_pair(w: Floats, s: Floats, codes: Positions, subgroups: Positions) -> Floats:
    """Weights of every row under every value that a donor may have, shape (u, n).

    Parameters
    ----------
    w, s : ndarray of shape (n,)
        Weights of the rows as donors and as scored rows.
    codes, subgroups : ndarray of shape (n,)
        As in `every_donor`.
    """
    return np.asarray(_value_shares(w, codes, subgroups).T[:, subgroups] * s)


def _value_shares(w: Floats, codes: Positions, subgroups: Positions) -> Floats:
    """Share of each value in the donor weight of each subgroup, shape (groups, u)."""
    groups, values = int(subgroups.max()) + 1, int(codes.max()) + 1
    shares = np.zeros((groups, values))
    donor_totals = np.bincount(subgroups, w, minlength=groups)
    np.add.at(shares, (subgroups, codes), _ratio(w, donor_totals[subgroups]))
    return shares


def _ratio(numerator: npt.NDArray[Any], denominator: npt.NDArray[Any]) -> Floats:
    """Quotient of two arrays, 0 where the denominator is 0."""
    denominator = np.broadcast_to(denominator, numerator.shape)
    zeros = np.zeros(numerator.shape)
    return np.asarray(np.divide(numerator, denominator, out=zeros, where=denominator > 0))
