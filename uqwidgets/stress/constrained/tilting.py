"""Exponential tilting: weights exp(<xi, points>) that move several means at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from uqwidgets._typing import Floats

_MOST_STEPS = 300
_ARMIJO = 1e-4
# Rounding error of H, relative to the largest exponent.
_ROUNDING = 8 * float(np.finfo(np.float64).eps)
# Rows at a time, so that a block and its weighted copy stay in the processor's cache.
_BLOCK = 1 << 13

# Tolerance of the weighted means, in standard deviations of each column.
TOLERANCE = 1e-10


@dataclass(frozen=True, eq=False)
class Tilt:
    """Weights of the exponential family with the points as sufficient statistics.

    Attributes
    ----------
    xi : ndarray of shape (r,)
    weights : ndarray of shape (n,)
        Weights of sum 1.
    gap : ndarray of shape (r,)
        Weighted mean of the points minus the target.
    value : float
        H(xi) (Bachoc et al. 2023, theorem 2.1).
    steps : int
        Number of steps of Newton's method, from xi = 0.
    """

    xi: Floats
    weights: Floats
    gap: Floats
    value: float
    steps: int

    @property
    def error(self) -> float:
        """Length of the gap."""
        return float(np.linalg.norm(self.gap))


def tilt(
    points: Floats,
    base: Floats,
    target: Floats,
    most_steps: int = _MOST_STEPS,
    ridge: Floats | float = 0.0,
    start: Floats | None = None,
) -> Tilt:
    """Solve for weights base exp(<xi, points>) / Z(xi) with the target as weighted mean.

    Source: Bachoc et al. 2023, eq. 3, 4.

    Damped Newton's method on the strictly convex H(xi) = log Z(xi) - <xi, target> (Bachoc et al.
    2023, theorem 2.1): its gradient is the gap of the means, its Hessian their covariance under the
    weights.

    Parameters
    ----------
    points : ndarray of shape (n, r)
        Of rank r, in units in which their covariance is about 1.
    base : ndarray of shape (n,)
        Positive weights of the rows before tilting, of sum 1.
    target : ndarray of shape (r,)
        Inside the convex hull of the points.
    most_steps : int, default=300
    ridge : float or ndarray of shape (r,), default=0.0
        Adds half of its product with the squares of xi to H (Dudík et al. 2007), so that the means
        miss the target by its product with xi. The gap is then the gradient of this sum.
    start : ndarray of shape (r,), optional
        Where xi starts; by default at 0.

    Returns
    -------
    Tilt
        Its gap is at rounding level, or above `TOLERANCE` if the method did not converge.
    """
    relative = points - target  # so that H has no term <xi, target>
    farthest = float(np.sqrt(np.square(relative).sum(axis=1).max()))
    xi = np.zeros(points.shape[1]) if start is None else start
    penalty = np.broadcast_to(np.asarray(ridge, dtype=np.float64), xi.shape)
    current = _at(relative, base, xi, penalty)
    while current.error > 0 and current.steps < most_steps:
        new = _next(relative, base, current, farthest, penalty)
        if new is None or (current.error <= TOLERANCE and new.error >= current.error):
            break  # the remaining gap is rounding error
        current = new
    return current


def _at(relative: Floats, base: Floats, xi: Floats, ridge: Floats, steps: int = 0) -> Tilt:
    exponents = relative @ xi
    highest = float(exponents.max())
    weights = base * np.exp(exponents - highest)
    total = float(weights.sum())
    weights /= total
    value = float(np.log(total)) + highest + 0.5 * float(ridge @ np.square(xi))
    return Tilt(xi, weights, weights @ relative + ridge * xi, value, steps)


def _next(relative: Floats, base: Floats, now: Tilt, farthest: float, ridge: Floats) -> Tilt | None:
    mean = now.gap - ridge * now.xi
    covariance = _covariance(relative, now.weights, mean) + np.diag(ridge)
    direction = _newton_direction(covariance, now.gap)
    # Where nearly all weight is on one row, the covariance is too small to limit the step.
    longest = 10 * max(1.0, float(np.linalg.norm(now.xi)))
    direction *= min(1.0, longest / float(np.linalg.norm(direction)))
    slope = float(direction @ now.gap)
    size = 1.0
    while size > 1e-12:
        new = _at(relative, base, now.xi + size * direction, ridge, now.steps + 1)
        if new.value <= now.value + _ARMIJO * size * slope:
            return new
        # Near the minimum, changes of H are below rounding error, but its gradient is still exact.
        # A rise of H beyond rounding is a step too far, even where it halves the gap: such steps
        # would alternate.
        rounding = _ROUNDING * (1 + float(np.linalg.norm(new.xi)) * farthest)
        if new.value <= now.value + rounding and new.error <= 0.5 * now.error:
            return new
        size /= 2
    return None


def _covariance(relative: Floats, weights: Floats, mean: Floats) -> Floats:
    size = relative.shape[1]
    second = np.zeros((size, size))
    for start in range(0, len(relative), _BLOCK):
        block = relative[start : start + _BLOCK] - mean
        second += (block.T * weights[start : start + _BLOCK]) @ block
    return second


def _newton_direction(covariance: Floats, gap: Floats) -> Floats:
    values, vectors = np.linalg.eigh(covariance)
    tiny = np.finfo(np.float64).tiny
    floored = np.maximum(values, max(1e-15 * float(values[-1]), tiny))
    with np.errstate(over="ignore"):
        steps = np.clip((vectors.T @ gap) / floored, -1e100, 1e100)
    direction: Floats = -(vectors @ steps)
    return direction
