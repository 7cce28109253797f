"""Entropic projection under any number of constraints at once.

Source: Bachoc et al. 2023, theorems 2.1 and 2.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import kl_div

from uqwidgets._typing import Floats
from uqwidgets.inference.population import Population, effective_sample_size
from uqwidgets.stress.constrained.functions import Phi, checked_targets, values_of
from uqwidgets.stress.constrained.hull import EDGE, FACE, distance, exit_towards, reach
from uqwidgets.stress.constrained.tilting import TOLERANCE, tilt
from uqwidgets.stress.constrained.whitening import Space, across, whitened
from uqwidgets.stress.profile import half_share

# Of a value, by rounding in the arithmetic that made it.
_ROUNDING = 8 * float(np.finfo(np.float64).eps)
# Constraints in one sentence.
_NAMED = 3
# What a number in a sentence may be off, in standard deviations.
_ZERO = 1e-8
_TOO_NEAR = (
    "the targets lie too near the edge of what weights of these rows reach for numbers of this "
    "precision; move them inwards."
)


@dataclass(frozen=True, eq=False)
class Projected:
    """Row weights that meet constraints, as close to the data as possible.

    Attributes
    ----------
    names : tuple of str of length k
        Of the constraints.
    weights : ndarray of shape (n,) or None
        Mean 1; None where there are none.
    xi : ndarray of shape (k,)
        Multipliers of Bachoc et al. 2023, eq. 4, per unit of each constraint; NaN on the edge,
        where they diverge. Of constraints that say the same, one of the possible choices.
    target, reached : ndarray of shape (k,)
        Wanted and actual weighted means of each constraint; ``reached`` is NaN where there are
        no weights.
    ess, kl, half_share : float
        Effective sample size; Kullback-Leibler divergence from the rows as they were, in nats;
        smallest share of the rows that carries half the weight. NaN where there are no weights.
    status : {"ok", "edge", "infeasible", "constant"}
        ``edge``: the target can be reached, but only by weights that are zero on some rows;
        these are the limit of the weights for targets that come from inside. ``infeasible``:
        no weights reach it. ``constant``: a constraint has the same value in every row, and it
        is not the target.
    message : str
        The same in one sentence, with the reason.
    """

    names: tuple[str, ...]
    weights: Floats | None
    xi: Floats
    target: Floats
    reached: Floats
    ess: float
    kl: float
    half_share: float
    status: Literal["ok", "edge", "infeasible", "constant"]
    message: str


class _Standard(NamedTuple):
    """Constraints in standard deviations of their own, which makes units and origins equal."""

    points: Floats
    target: Floats
    centre: Floats
    scale: Floats
    noise: Floats

    def shown(self, j: int, value: float) -> str:
        """Value of a constraint in its own unit, for a sentence."""
        number = self.centre[j] + self.scale[j] * value
        return f"{number if abs(number) > _ZERO * self.scale[j] else 0.0:.6g}"


class _Solution(NamedTuple):
    # None: of all rows.
    rows: npt.NDArray[np.intp] | None
    weights: Floats
    xi: Floats


def project(
    phi: Phi,
    targets: npt.ArrayLike,
    *,
    X: pd.DataFrame | None = None,
    sample_weight: npt.ArrayLike | None = None,
    names: Sequence[str] | None = None,
) -> Projected:
    r"""Reweight rows so that functions of them get given means, as close to the data as possible.

    The weights :math:`\lambda_i = \exp(\langle\xi, \Phi_i\rangle - \log Z(\xi))` are those of
    least Kullback-Leibler divergence among all that reach the targets (Bachoc et al. 2023, eq. 4
    and theorem 2.2). Whether any do is decided first: they do if the target lies inside the convex
    hull of the rows of Phi. On the hull's edge the weights are the limit of those for targets that
    come from inside: the projection of the rows on the face that holds the target.

    Parameters
    ----------
    phi : array-like of shape (n, k) or (n,), or callable
        One column per constraint, or a function that makes them from ``X``.
    targets : array-like of shape (k,), or float
        Wanted weighted mean of each column. Targets that say the same twice are fine.
    X : DataFrame of n rows, optional
        What ``phi`` is called with, if it is a function.
    sample_weight : array-like of shape (n,), optional
        The population to start from, and to stay close to; equal weights unless given.
    names : sequence of str of length k, optional
        Of the constraints, for messages; those of the columns if ``phi`` is a DataFrame.

    Returns
    -------
    Projected
        Targets are reached to 1e-10 standard deviations of their column, or as near as the
        rounding of the values allows where columns of very different origin say the same.

    Raises
    ------
    ValueError
        If shapes do not fit, a value is missing or infinite, or there is only one row.
    """
    values, labels = values_of(phi, X, names)
    wanted = checked_targets(targets, len(labels))
    population = Population.of(len(values), sample_weight).weights
    alive = np.flatnonzero(population)
    if len(alive) < 2:
        raise ValueError("only one row has weight; reweighting takes at least two.")
    whole = len(alive) == len(values)
    held = values if whole else values[alive]
    base = population[alive] / population[alive].sum()
    nothing = partial(_nothing, labels, wanted)

    low, high = held.min(axis=0), held.max(axis=0)
    constant = (low == high) & (np.abs(wanted - low) > _ROUNDING * np.abs(low))
    if constant.any():
        j = int(constant.argmax())
        why = f"{labels[j]} cannot be {wanted[j]:.6g}: it is {low[j]:.6g} in every row."
        return nothing("constant", why)
    standard = _standardised(held, base, wanted)
    found = _solved(standard, base)
    if found is None:
        return nothing("infeasible", _why_not(standard, labels))
    points = standard.points if found.rows is None else standard.points[found.rows]
    gap = found.weights @ points - standard.target
    if (np.abs(gap) > 10 * (TOLERANCE + standard.noise.max())).any():
        return nothing("infeasible", _TOO_NEAR)
    weights = np.zeros(len(values))
    weights[alive if found.rows is None else alive[found.rows]] = found.weights
    weights *= len(values) / weights.sum()
    edge, ess = found.rows is not None, effective_sample_size(weights)
    return Projected(
        names=tuple(labels),
        weights=weights,
        xi=np.full(len(wanted), np.nan) if edge else found.xi / standard.scale,
        target=wanted,
        reached=wanted + standard.scale * gap,
        ess=ess,
        # Its terms are all positive, so that small divergences are no difference of large sums.
        kl=float(kl_div(weights, population).mean()),
        half_share=half_share(weights),
        status="edge" if edge else "ok",
        message=(
            f"the targets lie on the edge of what weights of these rows reach: only "
            f"{np.count_nonzero(weights)} of {len(alive)} rows carry weight."
            if edge
            else f"the targets are reached, with the weight of {ess:.0f} of {len(alive)} rows."
        ),
    )


def _solved(standard: _Standard, base: Floats) -> _Solution | None:
    """Weights for the target, on the face of the hull that holds it; None if it is outside."""
    rows: npt.NDArray[np.intp] | None = None
    points, target = standard.points, standard.target
    while (extreme := _extreme(points, target, standard.noise)) is not None:
        if not len(extreme):
            return None
        rows = extreme if rows is None else rows[extreme]
        points, base = points[extreme], base[extreme] / base[extreme].sum()
    space = Space(points, target, np.eye(len(target)), standard.noise)
    while (white := whitened(space, base)) is not None:
        if not len(white.target):
            return _Solution(rows, base, np.zeros(len(target)))
        # A single constraint was decided by its extremes, to the last bit.
        leaves = exit_towards(white.points, white.target) if len(target) > 1 else None
        if leaves is None or leaves.depth > EDGE:
            tilted = tilt(white.points, base, white.target)
            return _Solution(rows, tilted.weights, white.matrix @ tilted.xi)
        if leaves.depth < -EDGE - 4 * float(white.noise_along(leaves.outward)):
            return None
        height = white.points @ leaves.outward
        face = np.flatnonzero(height >= height.max() - FACE)
        rows = face if rows is None else rows[face]
        base = base[face] / base[face].sum()
        # Rounding may have put the target beyond the face, or just before it.
        moved = white.target + leaves.depth * white.most_likely_error(leaves.outward)
        on_face = replace(white, points=white.points[face], target=moved)
        space = on_face.within(across(leaves.outward))
    return None


def _extreme(points: Floats, target: Floats, noise: Floats) -> npt.NDArray[np.intp] | None:
    """Rows at the extremes that the target asks for; none if beyond, None if it asks for none."""
    low, high = points.min(axis=0), points.max(axis=0)
    if (np.maximum(low - target, target - high) > TOLERANCE + noise).any():
        return np.zeros(0, dtype=np.intp)
    nearest = np.clip(target, low, high)
    tight = (low < high) & ((nearest == low) | (nearest == high))
    if not tight.any():
        return None
    return np.flatnonzero((points[:, tight] == nearest[tight]).all(axis=1))


def _standardised(values: Floats, base: Floats, wanted: Floats) -> _Standard:
    centre = base @ values
    points = values - centre
    # Squares of very small or large numbers leave the range of floats.
    widest = np.abs(points).max(axis=0)
    widest[widest == 0] = 1.0
    points /= widest
    relative = np.sqrt(base @ np.square(points))
    relative[relative == 0] = 1.0
    points /= relative
    scale = widest * relative
    noise = _ROUNDING * np.maximum(np.abs(values).max(axis=0), np.abs(wanted)) / scale
    return _Standard(points, (wanted - centre) / scale, centre, scale, noise)


def _nothing(
    labels: Sequence[str],
    wanted: Floats,
    status: Literal["infeasible", "constant"],
    message: str,
) -> Projected:
    none = np.full(len(wanted), np.nan)
    return Projected(
        tuple(labels), None, none, wanted, none, np.nan, np.nan, np.nan, status, message
    )


def _why_not(standard: _Standard, labels: Sequence[str]) -> str:
    """Which targets cannot be reached, fewest possible, and what one of them could be."""
    points, target = standard.points, standard.target
    conflict = list(range(len(labels)))
    for j in reversed(range(len(labels))):
        rest = [i for i in conflict if i != j]
        if rest and distance(points[:, rest], target[rest]) > FACE:
            conflict = rest
    *others, last = conflict
    low, high = reach(points[:, conflict], target[conflict])
    asked = {j: f"{labels[j]} at {standard.shown(j, target[j])}" for j in others[:_NAMED]}
    more = len(others) - len(asked)
    given = [*asked.values(), *([f"{more} more"] if more else [])]
    together = f" together with {' and '.join(given)}" if given else ""
    said = f"{labels[last]} cannot be {standard.shown(last, target[last])}{together}"
    if low <= target[last] <= high:
        return f"{said}: this is just beyond what weights of these rows reach."
    least, most = standard.shown(last, low), standard.shown(last, high)
    only = f"only {least}" if least == most else f"{least} to {most}"
    return f"{said}: weights of these rows reach {only}."
