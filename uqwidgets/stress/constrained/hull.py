"""Position of a point relative to the convex hull of many others, by linear programs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog

from uqwidgets._typing import Floats

# A point within this distance of the hull's boundary is on it. All distances are in the unit of the
# points, which is a standard deviation.
EDGE = 1e-12
# Tolerances of the solver; a looser one is tried if it does not converge with a tighter one.
_PRECISIONS = (1e-10, 1e-9, 1e-8)
# A point within this distance of the plane of a face is on the face.
FACE = 5e-10
# The rows are divided into this number of parts, each of which contributes one cut.
_PARTS = 16
# Upper bound of the slopes of the hull: steeper ones make no visible difference.
_STEEPEST = 1e6


@dataclass(frozen=True, eq=False)
class Exit:
    """The face of the hull that a ray from the mean of the points through a target leaves by.

    Attributes
    ----------
    outward : ndarray of shape (r,)
        The outward normal of the face, of length 1.
    depth : float
        Distance of the target from the plane of the face; negative outside of the hull.
    """

    outward: Floats
    depth: float


def exit_towards(points: Floats, target: Floats) -> Exit | None:
    """Follow the ray from the mean of the points through the target; None if they are the same.

    The target is a convex combination of the points with positive weights, which is what Bachoc et
    al. 2023, theorem 2.2, assumes, if and only if its depth is positive. Among all slopes d with
    <d, ray> = 1, that of the face minimises max_i <d, points_i>, and the minimum is the distance to
    the face along the ray.

    Parameters
    ----------
    points : ndarray of shape (n, r)
        Points of rank r with mean 0.
    target : ndarray of shape (r,)
    """
    far = float(np.linalg.norm(target))
    if far == 0:
        return None
    ray, size = target / far, len(target)
    free = np.full(size, np.inf)
    slope, _ = _program(
        points,
        objective=np.append(np.zeros(size), 1.0),
        low=np.append(-free, 0.0),
        high=np.append(free, np.inf),
        ray=ray,
    )
    # The optimum of the program is a lower bound of this maximum.
    exits_at, steepness = float((points @ slope).max()), float(np.linalg.norm(slope))
    return Exit(slope / steepness, (exits_at - far) / steepness)


def least_depth(points: Floats, weights: Floats, target: Floats) -> float:
    """Lower bound of a target's distance from the hull's boundary; negative where it is unknown.

    Along every direction the variance of the points is at most the product of the distances of
    their mean from both extremes (Bhatia and Davis 2000). One of these is at most that of the
    farthest point, so the other one, the depth of the mean, is not small where the least variance
    of all directions is not.

    Parameters
    ----------
    points : ndarray of shape (n, r)
    weights : ndarray of shape (n,)
        Of sum 1, with the target as the weighted mean of the points, or nearly.
    target : ndarray of shape (r,)
    """
    gap = weights @ points - target
    centred = points - target - gap
    least_variance = float(np.linalg.eigvalsh((centred.T * weights) @ centred)[0])
    farthest = float(np.sqrt(np.square(centred).sum(axis=1).max()))
    return least_variance / farthest - float(np.linalg.norm(gap))


def distance(points: Floats, target: Floats) -> float:
    """L1 distance of the target (r,) from the hull of the points (n, r), by its dual program."""
    within = np.append(np.ones(len(target)), np.inf)
    direction, support = _program(points, np.append(-target, 1.0), low=-within, high=within)
    return max(0.0, float(direction @ target - support))


def reach(points: Floats, target: Floats) -> tuple[float, float]:
    """Minimum and maximum of the last coordinate in the hull, where the others are the target's.

    Parameters
    ----------
    points : ndarray of shape (n, r)
    target : ndarray of shape (r,)
        All coordinates but the last one are those of a point in the hull.
    """
    ends = []
    steepest = np.append(np.full(len(target) - 1, _STEEPEST), [0.0, np.inf])
    for sign in (-1.0, 1.0):
        fixed = np.zeros(len(steepest))
        fixed[-2] = sign
        slope, support = _program(
            points,
            np.append(-target[:-1], [0.0, 1.0]),
            low=fixed - steepest,
            high=fixed + steepest,
        )
        ends.append(sign * (support - float(slope[:-1] @ target[:-1])))
    return ends[0], ends[1]


def _program(
    points: Floats,
    objective: Floats,
    low: Floats,
    high: Floats,
    ray: Floats | None = None,
) -> tuple[Floats, float]:
    """Minimise <objective, (d, c)> with low <= (d, c) <= high and c >= max_i <d, points_i>.

    By the cutting-plane method (Kelley 1960): few rows are active, so the program is solved with
    some rows, and the rows whose constraints its solution violates most are added, until there are
    none.

    Parameters
    ----------
    points : ndarray of shape (n, r)
    objective, low, high : ndarray of shape (r + 1,)
    ray : ndarray of shape (r,), optional
        Adds the constraint <d, ray> = 1.

    Returns
    -------
    d : ndarray of shape (r,)
    c : float
    """
    rows = np.union1d(points.argmin(axis=0), points.argmax(axis=0))
    starts = np.unique(np.linspace(0, len(points), _PARTS + 1).astype(np.intp)[:-1])
    bounds = list(zip(low.tolist(), high.tolist(), strict=True))
    while True:
        cuts = np.column_stack([points[rows], np.full(len(rows), -1.0)])
        solution = _solve_program(objective, cuts, bounds, ray)
        direction, support = solution[:-1], float(solution[-1])
        along = points @ direction
        worst = _worst_of_each(along, starts)
        more = np.setdiff1d(worst[along[worst] > support + EDGE], rows)
        if not len(more):
            return direction, support
        rows = np.concatenate([rows, more])


def _worst_of_each(along: Floats, starts: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    stops = [*starts[1:].tolist(), len(along)]
    pairs = zip(starts.tolist(), stops, strict=True)
    return np.array([a + int(along[a:b].argmax()) for a, b in pairs], dtype=np.intp)


def _solve_program(
    objective: Floats, cuts: Floats, bounds: list[tuple[float, float]], ray: Floats | None
) -> Floats:
    for precision in _PRECISIONS:
        result = linprog(
            objective,
            A_ub=cuts,
            b_ub=np.zeros(len(cuts)),
            A_eq=None if ray is None else np.append(ray, 0.0)[None, :],
            b_eq=None if ray is None else np.ones(1),
            bounds=bounds,
            method="highs",
            options={
                "primal_feasibility_tolerance": precision,
                "dual_feasibility_tolerance": precision,
            },
        )
        if result.status == 0:
            return np.asarray(result.x, dtype=np.float64)
    raise ArithmeticError(
        f"whether the targets can be reached could not be decided: {result.message}"
    )
