"""Whitening: constraints as uncorrelated coordinates of unit variance, without redundant ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from uqwidgets._typing import Floats


@dataclass(frozen=True, eq=False)
class Space:
    """Points and a target in r coordinates, which are linear combinations of k original ones.

    Attributes
    ----------
    points : ndarray of shape (n, r)
    target : ndarray of shape (r,)
    matrix : ndarray of shape (k, r)
        Its columns are the coefficients of the coordinates.
    noise : ndarray of shape (k,)
        Rounding error of each original coordinate.
    """

    points: Floats
    target: Floats
    matrix: Floats
    noise: Floats

    def noise_along(self, directions: Floats) -> Floats:
        """Bound of the rounding error along directions (..., r)."""
        return np.abs(directions @ self.matrix.T) @ self.noise

    def most_likely_error(self, direction: Floats) -> Floats:
        """Return the error of 1 along a direction (r,) that is least relative to the noise."""
        error: Floats = self.matrix.T @ (np.square(self.noise) * (self.matrix @ direction))
        return error / (error @ direction)

    def within(self, basis: Floats) -> Space:
        """Return the space with the columns of ``basis`` (r, s) as its coordinates."""
        return Space(self.points @ basis, self.target @ basis, self.matrix @ basis, self.noise)


def whiten(space: Space, base: Floats) -> Space | None:
    """Transform the points to mean 0 and covariance identity.

    Directions in which the points do not vary are dropped, if the target agrees with them there.

    Parameters
    ----------
    space : Space
    base : ndarray of shape (n,)
        Weights of the rows, sum 1.

    Returns
    -------
    Space or None
        None if the target differs from the points in a direction in which these do not vary.
    """
    centre = base @ space.points
    target = space.target - centre
    # The singular values of the points, because those of their covariance would lose half of the
    # digits: too many to distinguish nearly redundant constraints from redundant ones.
    centred = space.points - centre
    triangle = np.linalg.qr(centred * np.sqrt(base)[:, None], mode="r")
    _, std, directions = np.linalg.svd(triangle)
    std = np.append(std, np.zeros(len(directions) - len(std)))
    least = np.maximum(space.noise_along(directions), 1e-12)
    varies = std > least
    if (np.abs(directions @ target) > least)[~varies].any():
        return None
    moved = Space(centred, target, space.matrix, space.noise)
    return moved.within(directions[varies].T / std[varies])


def orthogonal_complement(direction: Floats) -> Floats:
    """Orthonormal basis (r, r - 1) of the orthogonal complement of a unit vector (r,)."""
    return np.linalg.svd(direction[None, :])[2][1:].T
