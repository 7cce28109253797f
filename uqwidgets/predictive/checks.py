"""What is looked at when a distribution is made, and the sentences for what is wrong."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats

# Values whose spread is below this share of their size are equal up to rounding.
_ROUNDING = 1e-12
# A probability that the model got by float32 arithmetic still sums to one within this.
_SUM_TOLERANCE = 1e-4
# As the complement of another, it may then be this far below zero.
_NEGATIVE_TOLERANCE = 1e-6


class InvalidRowError(ValueError):
    """A row of what should be a distribution is none.

    Attributes
    ----------
    problem : str
        What is wrong, as far as the row does not matter.
    row : int
        Position of the first such row.
    """

    def __init__(self, problem: str, row: int) -> None:
        super().__init__(f"{problem} in row {row}.")
        self.problem = problem
        self.row = row


def floats(values: npt.ArrayLike) -> Floats:
    """Return an array of doubles; the same one, if it is one already."""
    return np.asarray(values, dtype=np.float64, order="C")


def targets(y: npt.ArrayLike, n: int, members: bool = False) -> Floats:
    """Return true values as (n,), or (n, 1) to stand beside members.

    Raises
    ------
    ValueError
        If they are not one finite number for each row.
    """
    values = floats(y)
    if values.shape != (n,):
        raise ValueError(f"y of shape {values.shape} does not fit the {n} rows of the answer.")
    finite(values, "y")
    return values[:, None] if members else values


def finite(values: Floats, what: str) -> None:
    """Raise an `InvalidRowError` if a value is NaN or infinite."""
    if not np.isfinite(values).all():
        at = int(np.argmin(np.isfinite(values)))
        row = int(np.unravel_index(at, values.shape)[0])
        raise InvalidRowError(f"{what} is {values.flat[at]}", row)


def equal_up_to_rounding(values: Floats) -> npt.NDArray[np.bool_]:
    """Whether all values of each line (n, m) are the same, up to rounding errors; shape (n,)."""
    size = np.abs(values).max(axis=1)
    return np.asarray(np.ptp(values, axis=1) <= _ROUNDING * size)


def positive(values: Floats, what: str) -> None:
    """Raise an `InvalidRowError` if a value is not greater than zero."""
    if values.size and values.min() <= 0:
        at = int(values.argmin())
        row = int(np.unravel_index(at, values.shape)[0])
        raise InvalidRowError(
            f"{what}, which must be greater than zero, is {values.flat[at]:g}", row
        )


def simplex(shares: Floats, one: str, several: str) -> None:
    """Raise an `InvalidRowError` if what stands along the last axis is no set of shares of one.

    What is negative by rounding only passes; the caller sets it to zero.
    """
    with np.errstate(invalid="ignore"):
        # Several times as fast as a sum over the few numbers of a last axis.
        total = shares @ np.ones(shares.shape[-1])
    # One comparison finds NaN too: it is never within the tolerance.
    bad = ~(np.abs(total - 1.0) <= _SUM_TOLERANCE)
    if bad.any():
        at = np.unravel_index(int(bad.argmax()), bad.shape)
        row = int(at[0])
        if np.isnan(shares[at]).any():
            raise InvalidRowError(f"{one} is NaN", row)
        excess = f"{total[at]:.6g}, off from 1 by {total[at] - 1:+.3g},"
        raise InvalidRowError(f"{several} sum to {excess}", row)
    if shares.size and shares.min() < -_NEGATIVE_TOLERANCE:
        at = np.unravel_index(int(shares.argmin()), shares.shape)
        raise InvalidRowError(f"{one} is negative ({shares[at]:g})", int(at[0]))


def inside(value: float, what: str) -> float:
    """Return a share that must lie strictly between 0 and 1."""
    if not 0.0 < value < 1.0:
        raise ValueError(f"{what} must lie between 0 and 1, not {value:g}.")
    return float(value)
