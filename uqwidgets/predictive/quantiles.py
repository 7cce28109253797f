"""Predicted quantiles, completed to a distribution."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.predictive.base import (
    InvalidRowError,
    PredictiveDistribution,
    finite,
    floats,
    inside,
    targets,
)


@dataclass(frozen=True, eq=False)
class Quantiles(PredictiveDistribution):
    """Quantiles of each row, with constant density between neighbours and exponential tails.

    The density is constant between two neighbouring quantiles. Below the lowest and above the
    highest quantile it starts from the density of the neighbouring interval and falls off
    exponentially, so that each tail holds the probability that is left.

    Parameters
    ----------
    levels : array-like of shape (q,)
        Two or more, increasing, strictly between 0 and 1.
    values : array-like of shape (n, q)
        The quantile of each row at each level. Quantiles that cross are sorted: integrated over
        the levels, the sorted quantiles are never further from the true ones than the crossing
        ones were (Chernozhukov et al. 2010).

    Attributes
    ----------
    levels, values : ndarray
        The values sorted within each row.
    crossed : ndarray of bool, shape (n,)
        The rows whose quantiles crossed. Many such rows are a reason to doubt the model.
    classes : None
        The target is a number.

    Raises
    ------
    ValueError
        If the shapes do not fit, the levels do not increase between 0 and 1, or a value is not
        finite.

    Notes
    -----
    Neighbouring quantiles that are equal hold the probability between them in a single point.
    Means, quantiles, intervals and `crps` stay exact; there is no density, so that `log_prob` and
    `entropy` raise an error.

    See Also
    --------
    as_predictive : Reads quantiles off models, with ``levels`` or a dict ``{level: model}``.

    References
    ----------
    Chernozhukov et al. 2010.

    Examples
    --------
    >>> import uqwidgets as uq
    >>> q = uq.Quantiles(levels=[0.1, 0.5, 0.9], values=[[-1.0, 0.0, 1.0], [2.0, 1.0, 5.0]])
    >>> q.crossed
    array([False,  True])
    >>> q.quantile(0.5)
    array([0., 2.])
    >>> q.crps([0.0, 3.0]).round(3)
    array([0.209, 0.552])
    """

    levels: Floats
    values: Floats
    crossed: npt.NDArray[np.bool_] = field(init=False)

    classes: ClassVar[None] = None
    _arrays: ClassVar[tuple[str, ...]] = ("values", "crossed")

    def __post_init__(self) -> None:
        levels, values = floats(self.levels, "levels"), floats(self.values, "values")
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

        The sum of -p log d over the intervals between quantiles, with their probability p and
        density d, and of p (1 - log d) over the two tails, with their density d at the start.

        Raises
        ------
        InvalidRowError
            If two quantiles are equal.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Quantiles([0.1, 0.5, 0.9], [[-1.0, 0.0, 1.0]])
        >>> q.entropy().round(3)
        array([1.116])
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

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Quantiles([0.1, 0.5, 0.9], [[-1.0, 0.0, 1.0]])
        >>> q.log_prob([0.5]).round(3)
        array([-0.916])
        """
        at = targets(y, len(self))
        log_density = self._log_density("log_prob")
        below = (self.values <= at[:, None]).sum(axis=1)
        between = np.clip(below - 1, 0, len(self.levels) - 2)
        inner = np.take_along_axis(log_density, between[:, None], axis=1)[:, 0]
        left, right = self._tails()
        beyond = np.maximum(self.values[:, 0] - at, 0.0) / left
        return np.asarray(inner - beyond - np.maximum(at - self.values[:, -1], 0.0) / right)

    def mean(self) -> Floats:
        """Mean, shape (n,).

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Quantiles([0.1, 0.5, 0.9], [[-1.0, 0.0, 1.0]])
        >>> q.mean().round(3)
        array([-0.])
        """
        p, centre, _ = self._parts()
        return np.asarray(centre @ p)

    def variance(self) -> Floats:
        """Variance, shape (n,): within the intervals and tails, plus between their means.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Quantiles([0.1, 0.5, 0.9], [[-1.0, 0.0, 1.0]])
        >>> q.variance().round(3)
        array([0.592])
        """
        p, centre, variance = self._parts()
        return np.asarray((variance + np.square(centre - (centre @ p)[:, None])) @ p)

    def quantile(self, p: float) -> Floats:
        """Quantile at level ``p``, shape (n,).

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Quantiles([0.1, 0.5, 0.9], [[-1.0, 0.0, 1.0]])
        >>> q.quantile(0.9).round(3)
        array([1.])
        """
        left, right = self._tails()
        first, last = self._outside
        if inside(p, "p") < first:
            return np.asarray(self.values[:, 0] + left * np.log(p / first))
        if p > 1 - last:
            return np.asarray(self.values[:, -1] - right * np.log((1 - p) / last))
        upper = min(int(np.searchsorted(self.levels, p, side="right")), len(self.levels) - 1)
        low, high = self.levels[upper - 1], self.levels[upper]
        share = (p - low) / (high - low)
        below, above = self.values[:, upper - 1], self.values[:, upper]
        return np.asarray((1 - share) * below + share * above)

    def crps(self, y: npt.ArrayLike) -> Floats:
        """Continuous ranked probability score of ``y``, shape (n,), integrated exactly.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Quantiles([0.1, 0.5, 0.9], [[-1.0, 0.0, 1.0]])
        >>> q.crps([0.5]).round(3)
        array([0.309])
        """
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
        """Mean distance of each tail from its start: its probability over its density there."""
        inverse_density = np.diff(self.values, axis=1)[:, [0, -1]] / np.diff(self.levels)[[0, -1]]
        first, last = self._outside
        return first * inverse_density[:, 0], last * inverse_density[:, 1]

    def _parts(self) -> tuple[Floats, Floats, Floats]:
        """Probability (q + 1,) of each tail and interval, its mean and variance (n, q + 1)."""
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
            row, lower = np.unravel_index(int(width.argmin()), width.shape)
            low, high = self.levels[lower], self.levels[lower + 1]
            raise InvalidRowError(
                f"{what} needs a density, but the quantiles at levels {low:g} and {high:g} are "
                f"both {self.values[row, lower]:g} (leave out one of the levels, or use crps)",
                int(row),
            )
        return np.log(np.diff(self.levels)) - np.log(width)


def _mean_square(f: Floats, g: Floats) -> Floats:
    """Mean square of a linear function that goes from ``f`` to ``g``."""
    return np.asarray((f * f + f * g + g * g) / 3)


def _tail_score(beyond: Floats, scale: Floats, p: float) -> Floats:
    """Integral of (F(x) - 1{y <= x})^2 over a tail of probability p; y is ``beyond`` its start."""
    depth = np.maximum(beyond, 0.0)
    scaled = np.divide(depth, scale, out=np.zeros_like(depth), where=scale > 0)
    return np.asarray(depth + 2 * p * scale * np.expm1(-scaled) + 0.5 * p * p * scale)
