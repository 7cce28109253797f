"""Entropic projection under any number of constraints at once.

Source: Bachoc et al. 2023, theorems 2.1 and 2.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import kl_div

from uqwidgets._typing import Floats
from uqwidgets.inference.population import Population, effective_sample_size
from uqwidgets.stress.constrained.hull import (
    EDGE,
    FACE,
    distance,
    exit_towards,
    least_depth,
    reach,
)
from uqwidgets.stress.constrained.tilting import TOLERANCE, Tilt, tilt
from uqwidgets.stress.constrained.whitening import Space, orthogonal_complement, whiten
from uqwidgets.stress.profile import half_share

# Relative rounding error of a value that was computed by the user.
_ROUNDING = 8 * float(np.finfo(np.float64).eps)
# Steps of Newton's method, after which a linear program decides whether a target can be reached;
# where it can, twenty are enough for nearly all.
_STEPS_OF_PROOF = 30
# Constraints that an error message names.
_NAMED = 3
# A number in a message that is smaller than this is shown as 0; in standard deviations.
_ZERO = 1e-8
_TOO_NEAR = (
    "the targets lie too near the edge of what weights of these rows reach for numbers of this "
    "precision; move them inwards."
)


@dataclass(frozen=True, eq=False)
class ConstrainedProjection:
    """Row weights that meet constraints, or the reason why there are none.

    Attributes
    ----------
    names : tuple of str, length k
        Names of the constraints.
    weights : ndarray of shape (n,) or None
        Weights of mean 1; None where no weights meet the constraints.
    xi : ndarray of shape (k,)
        Multipliers of Bachoc et al. 2023, eq. 4, per unit of each constraint; NaN on the edge,
        where they diverge. Redundant constraints have one of many possible choices.
    target, reached : ndarray of shape (k,)
        Weighted mean of each constraint: the one to reach and the actual one, which is NaN where
        there are no weights.
    ess, kl, half_share : float
        Effective sample size; Kullback-Leibler divergence from the rows as they were, in nats;
        smallest share of the rows that carries half the weight. NaN where there are no weights.
    status : {"ok", "edge", "infeasible", "constant"}
        ``edge``: the target can be reached, but only by weights that are zero on some rows;
        these are the limit of the weights for targets that come from inside. ``infeasible``:
        no weights reach it. ``constant``: a constraint has the same value in every row, and it
        is not the target.
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
    _explain: Callable[[], str] = field(repr=False)

    @cached_property
    def message(self) -> str:
        """The status in one sentence, with the reason; it takes longer than the status."""
        return self._explain()


class _Standard(NamedTuple):
    """Constraints in standard deviations from their means, so that units do not matter."""

    points: Floats
    target: Floats
    centre: Floats
    scale: Floats
    noise: Floats

    def text(self, j: int, value: float) -> str:
        """Value of constraint j in its own unit, for a message."""
        number = self.centre[j] + self.scale[j] * value
        return f"{number if abs(number) > _ZERO * self.scale[j] else 0.0:.6g}"


class _Solution(NamedTuple):
    # Positions of the rows with weight; None for all rows.
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
) -> ConstrainedProjection:
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
        Weighted mean of each column to reach. Redundant constraints are allowed.
    X : DataFrame of n rows, optional
        What ``phi`` is called with, if it is a function.
    sample_weight : array-like of shape (n,), optional
        Weights of the population that the result stays close to; by default equal weights.
    names : sequence of str, length k, optional
        Names of the constraints; by default the columns of ``phi`` if it is a DataFrame.

    Returns
    -------
    ConstrainedProjection
        Targets are reached to 1e-10 standard deviations of their column, or as near as the
        rounding of the values allows where redundant columns have very different origins.

    Raises
    ------
    ValueError
        If shapes do not fit, a value is missing or infinite, or there is only one row.
    """
    values, labels = values_of(phi, X, names)
    goals = checked_targets(targets, len(labels))
    population = Population.of(len(values), sample_weight).weights
    weighted = np.flatnonzero(population)
    if len(weighted) < 2:
        raise ValueError("only one row has weight; reweighting takes at least two.")
    rows = values if len(weighted) == len(values) else values[weighted]
    base = population[weighted] / population[weighted].sum()
    no_weights = partial(_no_weights, labels, goals)

    low, high = rows.min(axis=0), rows.max(axis=0)
    constant = (low == high) & (np.abs(goals - low) > _ROUNDING * np.abs(low))
    if constant.any():
        j = int(constant.argmax())
        why = f"{labels[j]} cannot be {goals[j]:.6g}: it is {low[j]:.6g} in every row."
        return no_weights("constant", partial(str, why))
    standard = _standardise(rows, base, goals)
    solution = _solve(standard, base)
    if solution is None:
        return no_weights("infeasible", partial(_why_not, standard, labels))
    points = standard.points if solution.rows is None else standard.points[solution.rows]
    gap = solution.weights @ points - standard.target
    if (np.abs(gap) > 10 * (TOLERANCE + standard.noise.max())).any():
        return no_weights("infeasible", partial(str, _TOO_NEAR))
    weights = np.zeros(len(values))
    weights[weighted if solution.rows is None else weighted[solution.rows]] = solution.weights
    weights *= len(values) / weights.sum()
    edge, ess = solution.rows is not None, effective_sample_size(weights)
    message = (
        f"the targets lie on the edge of what weights of these rows reach: only "
        f"{np.count_nonzero(weights)} of {len(weighted)} rows carry weight."
        if edge
        else f"the targets are reached, with the weight of {ess:.0f} of {len(weighted)} rows."
    )
    return ConstrainedProjection(
        names=tuple(labels),
        weights=weights,
        xi=np.full(len(goals), np.nan) if edge else solution.xi / standard.scale,
        target=goals,
        reached=goals + standard.scale * gap,
        ess=ess,
        # All terms of kl_div are positive, so that small divergences keep their digits.
        kl=float(kl_div(weights, population).mean()),
        half_share=float(half_share(weights)),
        status="edge" if edge else "ok",
        _explain=partial(str, message),
    )


def _solve(standard: _Standard, base: Floats) -> _Solution | None:
    """Weights for the target, on the face of the hull that contains it; None if it is outside."""
    rows: npt.NDArray[np.intp] | None = None
    points, target = standard.points, standard.target
    while (extreme := _extreme(points, target, standard.noise)) is not None:
        if not len(extreme):
            return None
        rows = extreme if rows is None else rows[extreme]
        points, base = points[extreme], base[extreme] / base[extreme].sum()
    space = Space(points, target, np.eye(len(target)), standard.noise)
    while (white := whiten(space, base)) is not None:
        if not len(white.target):
            return _Solution(rows, base, np.zeros(len(target)))
        # A single constraint was decided exactly, by its minimum and maximum.
        is_decided = len(target) == 1
        if not is_decided and (tilted := _tilt_within(white.points, base, white.target)):
            return _Solution(rows, tilted.weights, white.matrix @ tilted.xi)
        exit_face = None if is_decided else exit_towards(white.points, white.target)
        if exit_face is None or exit_face.depth > EDGE:
            tilted = tilt(white.points, base, white.target)
            return _Solution(rows, tilted.weights, white.matrix @ tilted.xi)
        if exit_face.depth < -EDGE - 4 * float(white.noise_along(exit_face.outward)):
            return None
        height = white.points @ exit_face.outward
        face = np.flatnonzero(height >= height.max() - FACE)
        rows = face if rows is None else rows[face]
        base = base[face] / base[face].sum()
        # By rounding the target may be slightly outside or inside of the face.
        moved = white.target + exit_face.depth * white.most_likely_error(exit_face.outward)
        on_face = replace(white, points=white.points[face], target=moved)
        space = on_face.within(orthogonal_complement(exit_face.outward))
    return None


def _tilt_within(points: Floats, base: Floats, target: Floats) -> Tilt | None:
    """Return the tilt to a target if it proves that the target lies inside the hull.

    Weights that reach the target and leave some variance along every direction do, in a fraction of
    the time of a linear program.
    """
    tilted = tilt(points, base, target, _STEPS_OF_PROOF)
    has_converged = tilted.steps < _STEPS_OF_PROOF and tilted.error <= TOLERANCE
    is_inside = has_converged and least_depth(points, tilted.weights, target) > FACE
    return tilted if is_inside else None


def _extreme(points: Floats, target: Floats, noise: Floats) -> npt.NDArray[np.intp] | None:
    """Rows at the extremes on which the target lies; none if it is beyond, None if it is inside."""
    low, high = points.min(axis=0), points.max(axis=0)
    if (np.maximum(low - target, target - high) > TOLERANCE + noise).any():
        return np.zeros(0, dtype=np.intp)
    nearest = np.clip(target, low, high)
    tight = (low < high) & ((nearest == low) | (nearest == high))
    if not tight.any():
        return None
    return np.flatnonzero((points[:, tight] == nearest[tight]).all(axis=1))


def _standardise(values: Floats, base: Floats, targets: Floats) -> _Standard:
    centre = base @ values
    points = values - centre
    # Squares of very small or large numbers underflow or overflow.
    widest = np.abs(points).max(axis=0)
    widest[widest == 0] = 1.0
    points /= widest
    relative = np.sqrt(base @ np.square(points))
    relative[relative == 0] = 1.0
    points /= relative
    scale = widest * relative
    noise = _ROUNDING * np.maximum(np.abs(values).max(axis=0), np.abs(targets)) / scale
    return _Standard(points, (targets - centre) / scale, centre, scale, noise)


def _no_weights(
    labels: Sequence[str],
    targets: Floats,
    status: Literal["infeasible", "constant"],
    explain: Callable[[], str],
) -> ConstrainedProjection:
    nan = np.full(len(targets), np.nan)
    return ConstrainedProjection(
        tuple(labels), None, nan, targets, nan, np.nan, np.nan, np.nan, status, explain
    )


def _why_not(standard: _Standard, labels: Sequence[str]) -> str:
    """Name a minimal set of targets that conflict, and the range of the last one."""
    points, target = standard.points, standard.target
    conflict = list(range(len(labels)))
    for j in reversed(range(len(labels))):
        rest = [i for i in conflict if i != j]
        if rest and distance(points[:, rest], target[rest]) > FACE:
            conflict = rest
    *others, last = conflict
    low, high = reach(points[:, conflict], target[conflict])
    named = {j: f"{labels[j]} at {standard.text(j, target[j])}" for j in others[:_NAMED]}
    more = len(others) - len(named)
    conflicting = [*named.values(), *([f"{more} more"] if more else [])]
    together = f" together with {' and '.join(conflicting)}" if conflicting else ""
    sentence = f"{labels[last]} cannot be {standard.text(last, target[last])}{together}"
    if low <= target[last] <= high:
        return f"{sentence}: this is just beyond what weights of these rows reach."
    least, most = standard.text(last, low), standard.text(last, high)
    only = f"only {least}" if least == most else f"{least} to {most}"
    return f"{sentence}: weights of these rows reach {only}."


Phi = npt.ArrayLike | Callable[[pd.DataFrame], npt.ArrayLike]


def values_of(
    phi: Phi, X: pd.DataFrame | None, names: Sequence[str] | None
) -> tuple[Floats, list[str]]:
    """Values of the functions in every row (n, k), and their names.

    Raises
    ------
    ValueError
        If shapes do not fit, a value is missing or infinite, or there is only one row.
    """
    if callable(phi):
        if X is None:
            raise ValueError("phi is a function of the rows; pass them as X.")
        phi = phi(X)
    if names is None and isinstance(phi, (pd.DataFrame, pd.Series)):
        names = [str(c) for c in pd.DataFrame(phi).columns]
    values = _floats(phi, "phi")
    values = values[:, None] if values.ndim == 1 else values
    if values.ndim != 2 or 0 in values.shape:
        raise ValueError(f"phi has shape {values.shape}; it must be (rows, constraints).")
    if X is not None and len(values) != len(X):
        raise ValueError(f"phi has {len(values)} rows but X has {len(X)}; give one per row.")
    size = values.shape[1]
    labels = [f"constraint {j}" for j in range(size)] if names is None else [*names]
    if len(labels) != size:
        raise ValueError(f"there are {len(labels)} names for {size} constraints; pass one each.")
    bad = ~np.isfinite(values)
    if bad.any():
        row, j = np.argwhere(bad)[0].tolist()
        raise ValueError(
            f"{labels[j]} is {values[row, j]} in row {row}; every row needs a number, so drop "
            "or fill such rows."
        )
    if len(values) == 1:
        raise ValueError("there is only one row; reweighting takes at least two.")
    return values, labels


def checked_targets(targets: npt.ArrayLike, size: int) -> Floats:
    """Return the targets as an array (k,).

    Raises
    ------
    ValueError
        If they are not k finite numbers.
    """
    means = np.atleast_1d(_floats(targets, "targets"))
    if means.shape != (size,):
        raise ValueError(
            f"targets has shape {means.shape}; pass one for each of {size} constraints."
        )
    if not np.isfinite(means).all():
        raise ValueError(f"a target is {means[~np.isfinite(means)][0]}; give finite numbers.")
    return means


def _floats(values: Any, name: str) -> Floats:
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} holds something that is not a number; give numbers only."
        ) from None
