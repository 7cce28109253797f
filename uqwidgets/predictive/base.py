"""The base class of all predictive distributions, and the checks of their parameters.

Distributions are vectorised over rows. They check their parameters once, when they are made, and
raise `InvalidRowError` with the first row that is wrong.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from uqwidgets._typing import Floats
from uqwidgets._utils.options import brief, is_real
from uqwidgets.predictive.rows_of_answers import in_order

Rows = slice | npt.NDArray[np.intp]

# Array cells per block: a few arrays of this size fit into the processor's cache together.
_BLOCK_CELLS = 1 << 14
# Values whose range is below this share of their size are equal up to rounding.
_ROUNDING = 1e-12
# Probabilities computed in float32 sum to one within this tolerance.
_SUM_TOLERANCE = 1e-4
# A probability computed in float32 as one minus the others may be this far below zero.
_NEGATIVE_TOLERANCE = 1e-6


class PredictiveDistribution(ABC):
    """The predictive distributions of ``n`` rows: immutable, and checked when they are made.

    A distribution consists of numpy arrays with the rows first, so that blocks of rows are cut
    and concatenated cheaply. A quantity that a kind of distribution does not have raises a
    `ValueError` that says so.
    """

    _arrays: ClassVar[tuple[str, ...]]

    def __len__(self) -> int:
        return len(getattr(self, self._arrays[0]))

    @property
    def nbytes(self) -> int:
        """Memory that the arrays take, in bytes."""
        return sum(getattr(self, name).nbytes for name in self._arrays)

    def arrays(self) -> list[npt.NDArray[Any]]:
        """Return the arrays that define the distribution, each with the rows first.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Normal([0.0, 1.0], [1.0, 2.0])
        >>> [array.tolist() for array in q.arrays()]
        [[0.0, 1.0], [1.0, 2.0]]
        """
        return [getattr(self, name) for name in self._arrays]

    def take(self, rows: Rows) -> Self:
        """Return the distribution of these rows only.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Normal([0.0, 1.0], [1.0, 2.0])
        >>> q.take(slice(1, None)).loc
        array([1.])
        """
        return self._with(**{name: getattr(self, name)[rows] for name in self._arrays})

    def joined(self, others: Sequence[Self]) -> Self:
        """Return this distribution followed by ``others``, which are of the same kind.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Normal([0.0], [1.0])
        >>> q.joined([uq.Normal([5.0], [1.0])]).loc
        array([0., 5.])
        """
        parts = [self, *others]
        return self._with(
            **{
                name: np.concatenate([getattr(part, name) for part in parts])
                for name in self._arrays
            }
        )

    def owned(self, rows: slice = slice(None)) -> Self:
        """Return a read-only copy of these rows that shares no memory with other objects.

        A model may return a buffer of its own, which its next prediction overwrites.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Normal([0.0, 1.0], [1.0, 2.0])
        >>> q.owned().loc is q.loc
        False
        """
        return self._with(**{name: getattr(self, name)[rows].copy() for name in self._arrays})

    def _with(self, **arrays: Any) -> Self:
        # The arrays were checked before: cutting and concatenating must cost only the copy.
        for array in arrays.values():
            if isinstance(array, np.ndarray):
                # Several measures and scorers read the same arrays.
                array.flags.writeable = False
        new = object.__new__(type(self))
        vars(new).update(vars(self), **arrays)
        return new

    @abstractmethod
    def entropy(self) -> Floats:
        """Entropy in nats, shape (n,) (Wood et al. 2024, section 3.2).

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Normal([0.0, 1.0], [1.0, 2.0])
        >>> q.entropy().round(3)
        array([1.419, 2.112])
        """

    @abstractmethod
    def log_prob(self, y: npt.ArrayLike) -> Floats:
        """Log probability or log density of ``y``, shape (n,), in nats.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Normal([0.0, 1.0], [1.0, 2.0])
        >>> q.log_prob([0.0, 0.0]).round(3)
        array([-0.919, -1.737])
        """

    @abstractmethod
    def mean(self) -> Floats:
        """Mean, shape (n,).

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Normal([0.0, 1.0], [1.0, 2.0])
        >>> q.mean()
        array([0., 1.])
        """

    @abstractmethod
    def variance(self) -> Floats:
        """Variance, shape (n,).

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Normal([0.0, 1.0], [1.0, 2.0])
        >>> q.variance()
        array([1., 4.])
        """

    def std(self) -> Floats:
        """Square root of the variance, shape (n,).

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Categorical([[0.2, 0.3, 0.5]], [1, 2, 4])
        >>> q.std().round(3)
        array([1.249])
        """
        return np.sqrt(self.variance())

    @abstractmethod
    def quantile(self, p: float) -> Floats:
        """Quantile at level ``p``, shape (n,).

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Normal([0.0, 1.0], [1.0, 2.0])
        >>> q.quantile(0.975).round(2)
        array([1.96, 4.92])
        """

    def interval(self, level: float) -> tuple[Floats, Floats]:
        """Central interval that holds ``level`` of the probability: low and high, shape (n,).

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Normal([0.0, 1.0], [1.0, 2.0])
        >>> low, high = q.interval(0.95)
        >>> low.round(2), high.round(2)
        (array([-1.96, -2.92]), array([1.96, 4.92]))
        """
        tail = (1.0 - inside(level, "level")) / 2
        return self.quantile(tail), self.quantile(1.0 - tail)

    @abstractmethod
    def crps(self, y: npt.ArrayLike) -> Floats:
        """Continuous ranked probability score of ``y``, shape (n,), in the units of ``y``.

        The integral of (F(x) - 1{y <= x})^2 over x; smaller is better. For a single predicted
        value it is the absolute error (Gneiting and Raftery 2007, eq. 20).

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Normal([0.0, 1.0], [1.0, 2.0])
        >>> q.crps([0.0, 0.0]).round(3)
        array([0.234, 0.663])
        """


class InvalidRowError(ValueError):
    """The parameters of one row do not define a distribution.

    Attributes
    ----------
    problem : str
        What is wrong, without the row.
    row : int
        Position of the first such row.
    advice : str
        What follows the row in a sentence: empty, or a clause after a semicolon.
    """

    def __init__(self, problem: str, row: int, advice: str = "") -> None:
        super().__init__(f"{problem} in row {row}{advice}.")
        self.problem = problem
        self.row = row
        self.advice = advice


class SumError(InvalidRowError):
    """The shares of one row do not sum to one."""


def blocks(n: int, numbers_per_row: int) -> Iterator[slice]:
    """Cut ``n`` rows into blocks whose temporary arrays fit into the processor's cache."""
    step = max(1, _BLOCK_CELLS // max(1, numbers_per_row))
    for first in range(0, n, step):
        yield slice(first, min(n, first + step))


def floats(values: npt.ArrayLike, what: str) -> Floats:
    """Return an array of doubles; the array itself if it is one already.

    ``what`` names the values in an error.

    Raises
    ------
    ValueError
        If they are no real numbers.
    """
    numbers = unmasked(values)
    try:
        # numpy would take the real part of complex numbers, and count the units of moments.
        if getattr(getattr(numbers, "dtype", None), "kind", "f") in "cmM":
            raise TypeError
        return np.asarray(numbers, dtype=np.float64, order="C")
    except OverflowError:
        raise ValueError(f"{brief(values)} is beyond all floating-point numbers.") from None
    except (TypeError, ValueError) as error:
        if type(error) not in (TypeError, ValueError):  # of an object with an error of its own
            raise
        raise ValueError(
            f"{what} must be numbers in rows of equal length, not {brief(values)}."
        ) from None


def unmasked(values: Any) -> Any:
    """Return values, a sparse matrix as a dense array, labelled rows in the order of the batch.

    Raises
    ------
    ValueError
        If some of them are masked: numpy would read what lies behind the mask. If they have
        labels of other rows, see `in_order`.
    """
    values = in_order(values)
    if issparse(values):
        return values.toarray()  # type: ignore[attr-defined]  # of every sparse container
    count = int(np.count_nonzero(values.mask)) if isinstance(values, np.ma.MaskedArray) else 0
    if count:
        raise ValueError(
            f"{count} of {values.size} numbers are masked; return a number for each row."
        )
    return values


def targets(y: npt.ArrayLike, n: int, members: bool = False) -> Floats:
    """Return true values as (n,), or as (n, 1) for a comparison with members.

    Raises
    ------
    ValueError
        If they are not one finite number for each row.
    """
    values = floats(y, "y")
    if values.shape != (n,):
        raise ValueError(f"y has shape {values.shape}; pass one value for each of the {n} rows.")
    finite(values, "y")
    return values[:, None] if members else values


def finite(values: Floats, what: str) -> None:
    """Raise an `InvalidRowError` if a value is NaN or infinite."""
    if not np.isfinite(values).all():
        at = int(np.argmin(np.isfinite(values)))
        row = int(np.unravel_index(at, values.shape)[0])
        raise InvalidRowError(f"{what} is {values.flat[at]}", row)


def equal_up_to_rounding(values: Floats) -> npt.NDArray[np.bool_]:
    """Whether all values of each row (n, m) are equal up to rounding errors; shape (n,)."""
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
    """Raise an `InvalidRowError` unless the last axis holds shares that sum to one.

    Shares that are negative only by rounding pass; the caller sets them to zero.
    """
    with np.errstate(invalid="ignore"):
        # A matrix product is several times as fast as a sum over a short last axis.
        total = shares @ np.ones(shares.shape[-1])
    # Written so that NaN fails the comparison.
    bad = ~(np.abs(total - 1.0) <= _SUM_TOLERANCE)
    if bad.any():
        at = np.unravel_index(int(bad.argmax()), bad.shape)
        row = int(at[0])
        if np.isnan(shares[at]).any():
            raise InvalidRowError(f"{one} is NaN", row)
        excess = f"{total[at]:.6g}, off from 1 by {total[at] - 1:+.3g},"
        raise SumError(f"{several} sum to {excess}", row)
    if shares.size and shares.min() < -_NEGATIVE_TOLERANCE:
        at = np.unravel_index(int(shares.argmin()), shares.shape)
        raise InvalidRowError(f"{one} is negative ({shares[at]:g})", int(at[0]))


def inside(value: float, what: str) -> float:
    """Return a number that must lie strictly between 0 and 1.

    Raises
    ------
    ValueError
        If it does not.
    """
    if not (is_real(value) and 0.0 < value < 1.0):
        raise ValueError(f"{what} must lie between 0 and 1, not {brief(value)}.")
    return float(value)
