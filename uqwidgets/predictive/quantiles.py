"""The distribution between and beyond a few predicted quantiles."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.predictive.base import PerRow
from uqwidgets.predictive.checks import InvalidRowError, finite, floats, inside, targets


@dataclass(frozen=True, eq=False)
class Quantiles(PerRow):
    """Quantiles of each row, with equal density between neighbours and exponential tails.

    Between two neighbouring quantiles the probability is spread evenly. Below the lowest and
    above the highest the density goes on from that of the neighbouring stretch and falls off
    exponentially, so that the tails hold the probability that is left.

    Parameters
    ----------
    levels : array-like of shape (q,)
        Two or more, increasing, strictly between 0 and 1.
    values : array-like of shape (n, q)
        The quantile of each row at each level. Where predicted quantiles cross, they are sorted:
        taken over the levels, the rearrangement is never further from the true quantiles than
        the crossing ones were (Chernozhukov, Fernández-Val and Galichon 2010).

    Attributes
    ----------
    levels, values : ndarray
        The values sorted within each row.
    crossed : ndarray of bool, shape (n,)
        The rows in which they had to be: a model with many of them wants another look.
    classes : None
        The target is a number.

    Raises
    ------
    ValueError
        If the shapes do not fit, the levels do not increase between 0 and 1, or a value is not
        finite.

    Notes
    -----
    Equal neighbours hold their probability in a single point. Means, quantiles, intervals and
    `crps` are exact there too; a density, and with it `log_prob` and `entropy`, does not exist.
    """

    levels: Floats
    values: Floats
    crossed: npt.NDArray[np.bool_] = field(init=False)

    classes: ClassVar[None] = None
    _arrays: ClassVar[tuple[str, ...]] = ("values", "crossed")

    def __post_init__(self) -> None:
        levels, values = floats(self.levels), floats(self.values)
        if levels.ndim != 1 or len(levels) < 2:
            raise ValueError(f"levels of shape {levels.shape} must be a list of two or more.")
        if not (levels[0] > 0 and levels[-1] < 1 and (np.diff(levels) > 0).all()):
            raise ValueError(
                f"levels must increase from above 0 to below 1, not {levels.tolist()}; sort them, "
                "and the columns of values with them."
            )
        if values.ndim != 2 or values.shape[1] != len(levels):
            raise ValueError(
                f"values of shape {values.shape} do not fit {len(levels)} levels; "
                f"expected (rows, {len(levels)})."
            )
        finite(values, "quantile")
        crossed = (np.diff(values, axis=1) < 0).any(axis=1)
        object.__setattr__(self, "levels", levels)
        object.__setattr__(self, "values", np.sort(values, axis=1) if crossed.any() else values)
        object.__setattr__(self, "crossed", crossed)

    def entropy(self) -> Floats:
        """Differential entropy in nats, shape (n,).

        The sum of -p log d over the stretches, p their probability and d their density, and of
        p (1 - log d) over the tails, d their density where they begin.

        Raises
        ------
        InvalidRowError
            If two quantiles are equal.
        """
        log_density = self._log_density("entropy")
        first, last = self._outside
        inner = log_density @ np.diff(self.levels)
        tails = first * (1 - log_density[:, 0]) + last * (1 - log_density[:, -1])
        return np.asarray(tails - inner)

    def log_prob(self, y: npt.ArrayLike) -> Floats:
        """Log density at ``y``, shape (n,), in nats.

        Raises
        ------
        InvalidRowError
            If two quantiles are equal.
        """
        at = targets(y, len(self))
        log_density = self._log_density("log_prob")
        below = (self.values <= at[:, None]).sum(axis=1)
        stretch = np.clip(below - 1, 0, len(self.levels) - 2)
        inner = np.take_along_axis(log_density, stretch[:, None], axis=1)[:, 0]
        left, right = self._tails()
        beyond = np.maximum(self.values[:, 0] - at, 0.0) / left
        return np.asarray(inner - beyond - np.maximum(at - self.values[:, -1], 0.0) / right)

    def mean(self) -> Floats:
        """Mean, shape (n,)."""
        p, centre, _ = self._parts()
        return np.asarray(centre @ p)

    def variance(self) -> Floats:
        """Variance, shape (n,): that within the stretches and tails and that between them."""
        p, centre, variance = self._parts()
        return np.asarray((variance + np.square(centre - (centre @ p)[:, None])) @ p)

    def quantile(self, p: float) -> Floats:
        """Value that is not passed with probability ``p``, shape (n,)."""
        left, right = self._tails()
        first, last = self._outside
        if inside(p, "p") < first:
            return np.asarray(self.values[:, 0] + left * np.log(p / first))
        if p > 1 - last:
            return np.asarray(self.values[:, -1] - right * np.log((1 - p) / last))
        stretch = min(int(np.searchsorted(self.levels, p, side="right")), len(self.levels) - 1)
        low, high = self.levels[stretch - 1], self.levels[stretch]
        share = (p - low) / (high - low)
        below, above = self.values[:, stretch - 1], self.values[:, stretch]
        return np.asarray((1 - share) * below + share * above)

    def crps(self, y: npt.ArrayLike) -> Floats:
        """Continuous ranked probability score of ``y``, shape (n,), integrated exactly."""
        at = targets(y, len(self))[:, None]
        low, high = self.values[:, :-1], self.values[:, 1:]
        f, g = self.levels[:-1], self.levels[1:]
        cut = np.clip(at, low, high)
        width = high - low
        share = np.divide(cut - low, width, out=np.zeros_like(width), where=width > 0)
        reached = f + share * (g - f)
        inner = (cut - low) * _mean_square(f, reached)
        inner += (high - cut) * _mean_square(1 - reached, 1 - g)
        left, right = self._tails()
        first, last = self._outside
        return np.asarray(
            inner.sum(axis=1)
            + _tail_score(self.values[:, 0] - at[:, 0], left, first)
            + _tail_score(at[:, 0] - self.values[:, -1], right, last)
        )

    @property
    def _outside(self) -> tuple[float, float]:
        """Probability of the lower and of the upper tail."""
        return float(self.levels[0]), float(1 - self.levels[-1])

    def _tails(self) -> tuple[Floats, Floats]:
        """Mean distance of each tail from where it begins: its probability over its density."""
        spread = np.diff(self.values, axis=1)[:, [0, -1]] / np.diff(self.levels)[[0, -1]]
        first, last = self._outside
        return first * spread[:, 0], last * spread[:, 1]

    def _parts(self) -> tuple[Floats, Floats, Floats]:
        """Probability (q + 1,) of each tail and stretch, its mean and variance (n, q + 1)."""
        first, last = self._outside
        left, right = self._tails()
        values, width = self.values, np.diff(self.values, axis=1)
        middle = values[:, :-1] + width / 2
        centre = np.column_stack([values[:, 0] - left, middle, values[:, -1] + right])
        variance = np.column_stack([left**2, width**2 / 12, right**2])
        return np.array([first, *np.diff(self.levels), last]), centre, variance

    def _log_density(self, what: str) -> Floats:
        width = np.diff(self.values, axis=1)
        if width.size and width.min() <= 0:
            row, stretch = np.unravel_index(int(width.argmin()), width.shape)
            low, high = self.levels[stretch], self.levels[stretch + 1]
            raise InvalidRowError(
                f"{what} needs a density, but the quantiles at levels {low:g} and {high:g} are "
                f"both {self.values[row, stretch]:g} (leave out one of the levels, or use crps)",
                int(row),
            )
        return np.log(np.diff(self.levels)) - np.log(width)


def _mean_square(f: Floats, g: Floats) -> Floats:
    """Mean square of what goes straight from ``f`` to ``g``."""
    return np.asarray((f * f + f * g + g * g) / 3)


def _tail_score(beyond: Floats, scale: Floats, p: float) -> Floats:
    """Integral of (F(x) - 1{y <= x})^2 over a tail that holds ``p``, by how far y lies in it."""
    depth = np.maximum(beyond, 0.0)
    held = np.divide(depth, scale, out=np.zeros_like(depth), where=scale > 0)
    return np.asarray(depth + 2 * p * scale * np.expm1(-held) + 0.5 * p * p * scale)
