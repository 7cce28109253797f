"""Functions of the rows in units of their own: uncorrelated, and only as many as there are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from uqwidgets._typing import Floats


@dataclass(frozen=True, eq=False)
class Space:
    """Points and a target in r coordinates, made from k by a shift and a matrix.

    Attributes
    ----------
    points : ndarray of shape (n, r)
    target : ndarray of shape (r,)
    matrix : ndarray of shape (k, r)
        Its columns are the coordinates, as sums of the first ones.
    noise : ndarray of shape (k,)
        Of the first coordinates: the size below which a difference is rounding.
    """

    points: Floats
    target: Floats
    matrix: Floats
    noise: Floats

    def noise_along(self, directions: Floats) -> Floats:
        """Size below which a difference along directions (..., r) is rounding."""
        return np.abs(directions @ self.matrix.T) @ self.noise

    def most_likely_error(self, direction: Floats) -> Floats:
        """Of the errors (r,) that reach 1 along a direction (r,), the least beside the noise."""
        error: Floats = self.matrix.T @ (np.square(self.noise) * (self.matrix @ direction))
        return error / (error @ direction)

    def within(self, basis: Floats) -> Space:
        """Return the space with the columns of ``basis`` (r, s) as its coordinates."""
        return Space(self.points @ basis, self.target @ basis, self.matrix @ basis, self.noise)


def whitened(space: Space, base: Floats) -> Space | None:
    """Bring the mean of the points to the origin and their covariance to the identity.

    Directions in which they do not vary are dropped, if the target asks nothing else of them.

    Parameters
    ----------
    space : Space
    base : ndarray of shape (n,)
        Weights of the rows, sum 1.

    Returns
    -------
    Space or None
        None if no weights of these rows reach the target in a direction that is dropped.
    """
    centre = base @ space.points
    target = space.target - centre
    # Singular values of the points themselves: those of their covariance would lose half of
    # the digits, and with them constraints that are nearly, but not quite, the same.
    centred = space.points - centre
    triangle = np.linalg.qr(centred * np.sqrt(base)[:, None], mode="r")
    _, spread, directions = np.linalg.svd(triangle)
    spread = np.append(spread, np.zeros(len(directions) - len(spread)))
    least = np.maximum(space.noise_along(directions), 1e-12)
    varies = spread > least
    if (np.abs(directions @ target) > least)[~varies].any():
        return None
    moved = Space(centred, target, space.matrix, space.noise)
    return moved.within(directions[varies].T / spread[varies])


def across(direction: Floats) -> Floats:
    """Orthonormal basis (r, r - 1) of what is orthogonal to a direction (r,) of length 1."""
    return np.linalg.svd(direction[None, :])[2][1:].T
