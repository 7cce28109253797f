"""Predictive distributions, vectorised over rows.

A distribution here is what a model says about ``n`` rows at once: immutable, checked when it is
made, and made of plain numpy arrays so that many blocks can be cut and joined cheaply.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import xlogy

Floats = npt.NDArray[np.float64]
Rows = slice | npt.NDArray[np.intp]

_LOG_2_PI = float(np.log(2 * np.pi))
# A probability that the model got by float32 arithmetic still sums to one within this.
_SUM_TOLERANCE = 1e-4


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


@dataclass(frozen=True, eq=False)
class Categorical:
    """One probability per class for each row.

    Parameters
    ----------
    probabilities : array-like of shape (n, k)
        Non-negative, each row sums to one.
    classes : array-like of shape (k,)
        The labels, in the order of the columns; strings, bools or numbers.

    Raises
    ------
    ValueError
        If the shapes do not fit, a value is NaN or negative, or a row does not sum to one.
    """

    probabilities: Floats
    classes: npt.NDArray[Any]

    def __post_init__(self) -> None:
        p = _floats(self.probabilities)
        classes = np.asarray(self.classes)
        if p.ndim != 2 or p.shape[1] != len(classes):
            raise ValueError(
                f"probabilities of shape {p.shape} do not fit {len(classes)} classes; "
                f"expected (rows, {len(classes)})."
            )
        _check_probabilities(p)
        object.__setattr__(self, "probabilities", p)
        object.__setattr__(self, "classes", classes)

    def __len__(self) -> int:
        return len(self.probabilities)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self.probabilities.nbytes

    def entropy(self) -> Floats:
        """Shannon entropy in nats, shape (n,) (000, section 3.2)."""
        p = self.probabilities
        total: Floats = -np.einsum("ij->i", xlogy(p, p))
        return total + 0.0  # -0.0 would print as a negative entropy

    def log_prob(self, y: npt.ArrayLike) -> Floats:
        """Log probability of the labels ``y``, shape (n,), in nats.

        Raises
        ------
        ValueError
            If a label is none of the classes.
        """
        return self.log_prob_of_codes(class_codes(y, self.classes))

    def log_prob_of_codes(self, codes: npt.NDArray[np.intp]) -> Floats:
        """Log probability of the classes in these columns, shape (n,), in nats."""
        chosen = np.take_along_axis(self.probabilities, codes[:, None], axis=1)[:, 0]
        with np.errstate(divide="ignore"):
            return np.log(chosen)

    def mode(self) -> npt.NDArray[np.intp]:
        """Column of the most probable class, shape (n,); the first of equals."""
        return np.asarray(self.probabilities.argmax(axis=1), dtype=np.intp)

    def take(self, rows: Rows) -> Self:
        """Return these rows only."""
        return self._of(self.probabilities[rows])

    def joined(self, others: Sequence[Self]) -> Self:
        """Return this distribution followed by ``others``, which have the same classes."""
        return self._of(np.concatenate([self.probabilities, *(o.probabilities for o in others)]))

    def _of(self, probabilities: Floats) -> Self:
        # Already checked: cutting and joining must cost nothing but the copy.
        new = object.__new__(type(self))
        object.__setattr__(new, "probabilities", probabilities)
        object.__setattr__(new, "classes", self.classes)
        return new


@dataclass(frozen=True, eq=False)
class Normal:
    """A normal distribution for each row.

    Parameters
    ----------
    mean : array-like of shape (n,)
    std : array-like of shape (n,)
        Standard deviations, greater than zero, in the units of ``mean``.

    Raises
    ------
    ValueError
        If the shapes differ, a value is not finite, or a standard deviation is not positive.
    """

    mean: Floats
    std: Floats

    def __post_init__(self) -> None:
        mean, std = _floats(self.mean), _floats(self.std)
        if mean.ndim != 1 or mean.shape != std.shape:
            raise ValueError(
                f"mean of shape {mean.shape} and std of shape {std.shape} must both be (rows,)."
            )
        _check_finite(mean, "mean")
        _check_finite(std, "std")
        if len(std) and std.min() <= 0:
            row = int(std.argmin())
            raise InvalidRowError(f"std, which must be greater than zero, is {std[row]:g}", row)
        object.__setattr__(self, "mean", mean)
        object.__setattr__(self, "std", std)

    def __len__(self) -> int:
        return len(self.mean)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self.mean.nbytes + self.std.nbytes

    def entropy(self) -> Floats:
        """Differential entropy in nats, shape (n,): log(std) + (1 + log 2 pi) / 2."""
        return np.log(self.std) + 0.5 * (1.0 + _LOG_2_PI)

    def log_prob(self, y: npt.ArrayLike) -> Floats:
        """Log density at ``y``, shape (n,), in nats."""
        z = (_floats(y) - self.mean) / self.std
        return -0.5 * z * z - np.log(self.std) - 0.5 * _LOG_2_PI

    def take(self, rows: Rows) -> Self:
        """Return these rows only."""
        return self._of(self.mean[rows], self.std[rows])

    def joined(self, others: Sequence[Self]) -> Self:
        """Return this distribution followed by ``others``."""
        return self._of(
            np.concatenate([self.mean, *(o.mean for o in others)]),
            np.concatenate([self.std, *(o.std for o in others)]),
        )

    def _of(self, mean: Floats, std: Floats) -> Self:
        new = object.__new__(type(self))
        object.__setattr__(new, "mean", mean)
        object.__setattr__(new, "std", std)
        return new


@dataclass(frozen=True, eq=False)
class Point:
    """A single predicted value or label for each row, without any uncertainty.

    Parameters
    ----------
    value : array-like of shape (n,)
        Numbers of a regressor, or the labels of a classifier that gives no probabilities.

    Raises
    ------
    ValueError
        If it is not one value per row, or a number is not finite.
    """

    value: npt.NDArray[Any]

    def __post_init__(self) -> None:
        value = np.asarray(self.value)
        if value.ndim != 1:
            raise ValueError(f"predictions of shape {value.shape} must be (rows,).")
        if value.dtype.kind == "f":
            _check_finite(value, "prediction")
        object.__setattr__(self, "value", value)

    def __len__(self) -> int:
        return len(self.value)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self.value.nbytes

    def take(self, rows: Rows) -> Self:
        """Return these rows only."""
        return self._of(self.value[rows])

    def joined(self, others: Sequence[Self]) -> Self:
        """Return this distribution followed by ``others``."""
        return self._of(np.concatenate([self.value, *(o.value for o in others)]))

    def _of(self, value: npt.NDArray[Any]) -> Self:
        new = object.__new__(type(self))
        object.__setattr__(new, "value", value)
        return new


Distribution = Categorical | Normal | Point


def class_codes(y: npt.ArrayLike, classes: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """Position of each label of ``y`` (n,) in ``classes`` (k,), which may be in any order.

    Raises
    ------
    ValueError
        If a label is none of the classes.
    """
    labels = np.asarray(y)
    codes: npt.NDArray[np.intp] = pd.Index(classes).get_indexer(pd.Index(labels))
    if (codes < 0).any():
        row = int(np.argmax(codes < 0))
        raise ValueError(
            f"y has the label {labels.tolist()[row]!r} in row {row}, which the model does not "
            f"know; its classes are {', '.join(repr(c) for c in classes.tolist())}."
        )
    return codes


def _floats(values: npt.ArrayLike) -> Floats:
    return np.ascontiguousarray(values, dtype=np.float64)


def _check_finite(values: Floats, what: str) -> None:
    if not np.isfinite(values).all():
        row = int(np.argmin(np.isfinite(values)))
        raise InvalidRowError(f"{what} is {values[row]}", row)


def _check_probabilities(p: Floats) -> None:
    total = p.sum(axis=1)
    # One comparison finds NaN too: it is never within the tolerance.
    bad = ~(np.abs(total - 1.0) <= _SUM_TOLERANCE)
    if bad.any():
        row = int(bad.argmax())
        if np.isnan(p[row]).any():
            raise InvalidRowError("probability is NaN", row)
        excess = f"{total[row]:.6g}, off from 1 by {total[row] - 1:+.3g},"
        raise InvalidRowError(f"probabilities sum to {excess}", row)
    if p.size and p.min() < 0:
        row = int(p.min(axis=1).argmin())
        raise InvalidRowError(f"probability is negative ({p[row].min():g})", row)
