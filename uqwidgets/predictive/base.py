"""What every predictive distribution offers, whatever its kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.predictive.checks import inside

Rows = slice | npt.NDArray[np.intp]

# Numbers of which a few arrays stay in the processor's cache together.
_BLOCK = 1 << 14


def blocks(n: int, numbers_per_row: int) -> Iterator[slice]:
    """Stretches of ``n`` rows, for what needs several numbers of each at the same time."""
    step = max(1, _BLOCK // max(1, numbers_per_row))
    for first in range(0, n, step):
        yield slice(first, min(n, first + step))


class PerRow(ABC):
    """What a model says about ``n`` rows at once, immutable and checked when it is made.

    It is made of plain numpy arrays with the rows first, so that many blocks can be cut and
    joined cheaply. What a kind cannot give raises a `ValueError` that says so.
    """

    _arrays: ClassVar[tuple[str, ...]]

    def __len__(self) -> int:
        return len(getattr(self, self._arrays[0]))

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(getattr(self, name).nbytes for name in self._arrays)

    def arrays(self) -> list[npt.NDArray[Any]]:
        """Return the arrays that it is made of, each with the rows first."""
        return [getattr(self, name) for name in self._arrays]

    def take(self, rows: Rows) -> Self:
        """Return these rows only."""
        return self._with(**{name: getattr(self, name)[rows] for name in self._arrays})

    def joined(self, others: Sequence[Self]) -> Self:
        """Return this distribution followed by ``others``, which are of the same kind."""
        all_of_them = [self, *others]
        return self._with(
            **{
                name: np.concatenate([getattr(one, name) for one in all_of_them])
                for name in self._arrays
            }
        )

    def owned(self) -> Self:
        """Return a copy whose memory nothing else holds, and which cannot be written to.

        A model may answer with a buffer of its own, which its next answer overwrites.
        """
        return self._with(**{name: getattr(self, name).copy() for name in self._arrays})

    def _with(self, **arrays: Any) -> Self:
        # Already checked: cutting and joining must cost nothing but the copy.
        for array in arrays.values():
            if isinstance(array, np.ndarray):
                # Results of different measures and scorers are read off the same arrays.
                array.flags.writeable = False
        new = object.__new__(type(self))
        vars(new).update(vars(self), **arrays)
        return new

    @abstractmethod
    def entropy(self) -> Floats:
        """Entropy in nats, shape (n,) (Wood et al. 2024, section 3.2)."""

    @abstractmethod
    def log_prob(self, y: npt.ArrayLike) -> Floats:
        """Log probability or log density of ``y``, shape (n,), in nats."""

    @abstractmethod
    def mean(self) -> Floats:
        """Mean, shape (n,)."""

    @abstractmethod
    def variance(self) -> Floats:
        """Variance, shape (n,)."""

    def std(self) -> Floats:
        """Root of the variance, shape (n,)."""
        return np.sqrt(self.variance())

    @abstractmethod
    def quantile(self, p: float) -> Floats:
        """Value that is not passed with probability ``p``, shape (n,)."""

    def interval(self, level: float) -> tuple[Floats, Floats]:
        """Central interval that holds ``level`` of the probability: low and high, shape (n,)."""
        tail = (1.0 - inside(level, "level")) / 2
        return self.quantile(tail), self.quantile(1.0 - tail)

    @abstractmethod
    def crps(self, y: npt.ArrayLike) -> Floats:
        """Continuous ranked probability score of ``y``, shape (n,), in the units of ``y``.

        The integral of (F(x) - 1{y <= x})^2 over x, of which less is better; for a single value
        it is the absolute error (Gneiting and Raftery 2007, eq. 20).
        """
