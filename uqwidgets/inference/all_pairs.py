"""The mean change over every pair of a scored row and a donor."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.inference.cancelling import ROUNDING
from uqwidgets.inference.influence import Change
from uqwidgets.inference.population import Population

Positions = npt.NDArray[np.intp]


def every_donor(
    lines: Iterable[tuple[slice, Floats]],
    codes: Positions,
    population: Population,
    subgroups: Positions,
) -> Change:
    r"""`mean_change` over all n^2 pairs of row and donor, or all pairs within subgroups.

    Donors with the same value make the same change, so a feature with u distinct values needs u
    changes of every row. A row is among its own donors, as it is in random permutations; what
    is left is the expectation of theirs, without any error of drawing.

    Parameters
    ----------
    lines : iterable of (slice, ndarray)
        Change of every row under some of the u values, shape (of the slice, n); all of them in
        their order.
    codes : ndarray of shape (n,)
        Which of the u values each row has.
    population : Population
    subgroups : ndarray of shape (n,)
        Which subgroup a row is in, from 0.

    Returns
    -------
    Change
    """
    w, s = population.weights, population.scored
    n, groups, values = len(w), int(subgroups.max()) + 1, int(codes.max()) + 1
    donors = np.bincount(subgroups, w, minlength=groups)
    relative = _divided(w, donors[subgroups])
    offered, squared = _offered(w, codes, subgroups), np.zeros((groups, values))
    np.add.at(squared, (subgroups, codes), np.square(relative))
    by_row, by_value = np.zeros(n), np.zeros((groups, values))
    first = second = 0.0
    for part, change in lines:
        for g in range(groups):
            rows = np.flatnonzero(subgroups == g) if groups > 1 else slice(None)
            seen, weights = change[:, rows], s[rows]
            by_row[rows] += np.einsum("v,vi->i", offered[g, part], seen)
            by_value[g, part] = np.einsum("i,vi->v", weights, seen)
            of_rows, of_donors = np.square(weights), squared[g, part]
            first += float(np.einsum("v,i,vi->", of_donors, of_rows, seen))
            second += float(np.einsum("v,i,vi->", of_donors, of_rows, np.square(seen)))
    counted: Floats = np.where(donors[subgroups] > 0, s, 0.0)
    total = counted.sum()
    if total == 0:
        return Change.of_nothing(n, 0)
    estimate = float(np.einsum("i,i->", counted, by_row) / total)
    held = np.bincount(subgroups, counted, minlength=groups)
    centre = _divided(np.bincount(subgroups, counted * by_row, minlength=groups), held)
    given = _divided(by_value, held[:, None])[subgroups, codes]
    squared_pairs = float(squared.sum(axis=1) @ np.bincount(subgroups, np.square(counted)))
    pairs = total**2 / squared_pairs
    spread = second - 2 * estimate * first + estimate**2 * squared_pairs
    scored = counted * (by_row - estimate) * (n / total)
    donated = held[subgroups] * relative * (given - centre[subgroups]) * (n / total)
    size = math.sqrt(second) * (n / total)
    if max(abs(estimate), float(np.abs(scored + donated).max())) <= ROUNDING * size:
        # The two roles cancel in any rows: the importance is zero, and known to be.
        estimate, donated = 0.0, -scored
    return Change(
        estimate=estimate,
        scored=scored,
        donated=donated,
        counted_twice=np.zeros(n),
        pairs=pairs,
        pair_variance=lambda: spread / total**2 * pairs / (pairs - 1) if pairs > 1 else np.nan,
        repeats=np.empty(0),
        totals=np.empty(0),
        per_row=lambda: np.where(donors[subgroups] > 0, by_row, np.nan),
    )


def every_pair(w: Floats, s: Floats, codes: Positions, subgroups: Positions) -> Floats:
    """Weights of every row under every value that a donor may have, shape (u, n).

    Parameters
    ----------
    w, s : ndarray of shape (n,)
        Weights of the rows as donors and as scored.
    codes, subgroups : ndarray of shape (n,)
        As in `every_donor`.
    """
    return np.asarray(_offered(w, codes, subgroups).T[:, subgroups] * s)


def _offered(w: Floats, codes: Positions, subgroups: Positions) -> Floats:
    """Share that donors of each value have in the weight of each subgroup's donors."""
    groups, values = int(subgroups.max()) + 1, int(codes.max()) + 1
    offered = np.zeros((groups, values))
    donors = np.bincount(subgroups, w, minlength=groups)
    np.add.at(offered, (subgroups, codes), _divided(w, donors[subgroups]))
    return offered


def _divided(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> Floats:
    other = np.broadcast_to(other, one.shape)
    return np.asarray(np.divide(one, other, out=np.zeros(one.shape), where=other > 0))
