"""A data-generating process, whose functions are checked each time they are called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets._utils.options import brief, is_real
from uqwidgets.evaluation.containers import container_of
from uqwidgets.predictive import Predictive, as_predictive

Noise = float | Callable[[Any, np.random.Generator], Any]


@dataclass(frozen=True, eq=False)
class GeneratingProcess:
    """Source of rows and their target.

    Attributes
    ----------
    f : callable
        ``f(X)``, the expected target of each row.
    sample : callable
        ``sample(n, rng)``, a table of n rows.
    noise : float or callable
        Standard deviation of normal noise, or ``noise(X, rng)``, the difference of each row's
        target from its expectation.
    """

    f: Callable[[Any], Any]
    sample: Callable[[int, np.random.Generator], Any]
    noise: Noise

    @classmethod
    def of(cls, f: Any, sample: Any, noise: Any) -> GeneratingProcess:
        """Check the arguments, before any row is drawn.

        Raises
        ------
        TypeError
            If f or sample is not a function.
        ValueError
            If the noise is neither a function nor a standard deviation.
        """
        for name, function, signature in (("f", f, "f(X)"), ("sample", sample, "sample(n, rng)")):
            if not callable(function):
                raise TypeError(
                    f"{name} is of type {type(function).__name__}; pass a function {signature}."
                )
        if not callable(noise):
            if not is_real(noise) or not 0 <= noise < np.inf:
                raise ValueError(
                    f"noise is {brief(noise)}; pass a standard deviation, at least 0, or a "
                    "function noise(X, rng)."
                )
            noise = float(noise)
        return cls(f, sample, noise)

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Any, Floats]:
        """Draw rows and their target.

        Returns
        -------
        X : DataFrame, polars or Arrow table, or ndarray, of shape (n, p)
        y : ndarray of shape (n,)

        Raises
        ------
        ValueError
            If a function returns an array of the wrong shape, or values that are not finite.
        """
        X = container_of(self.sample(n, rng), f"sample({n}, rng)").table
        if len(X) != n:
            raise ValueError(f"sample({n}, rng) returned a table of {len(X)} rows, not {n} rows.")
        expected = _numbers("f(X)", self.f(X), n)
        if callable(self.noise):
            return X, expected + _numbers("noise(X, rng)", self.noise(X, rng), n)
        return X, expected + self.noise * rng.normal(size=n)

    @property
    def predictive(self) -> Predictive:
        """The process as a predictive model.

        It predicts a normal distribution if the noise is normal, else only the expected target.
        """
        if callable(self.noise) or self.noise == 0:
            return as_predictive(self.f)
        return as_predictive(self.f, noise=self.noise)


def _numbers(name: str, values: Any, n: int) -> Floats:
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.shape != (n,):
        raise ValueError(
            f"{name} returned an array of shape {numbers.shape} for {n} rows; it must give one "
            "number per row."
        )
    if not np.isfinite(numbers).all():
        row = int(np.flatnonzero(~np.isfinite(numbers))[0])
        raise ValueError(f"{name} returned {numbers[row]} for row {row}; it must be a number.")
    return numbers
