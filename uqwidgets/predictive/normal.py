"""The normal distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from uqwidgets._typing import Floats
from uqwidgets.predictive.base import (
    InvalidRowError,
    PredictiveDistribution,
    finite,
    floats,
    inside,
    positive,
    targets,
)

LOG_2_PI = float(np.log(2 * np.pi))
SQRT_2_PI = float(np.sqrt(2 * np.pi))
# The density of a smaller standard deviation would overflow.
_SMALLEST_STD = 1e-150
SQRT_PI = float(np.sqrt(np.pi))


@dataclass(frozen=True, eq=False, init=False)
class Normal(PredictiveDistribution):
    """A normal distribution for each row.

    Parameters
    ----------
    mean : array-like of shape (n,)
        Or (n, m): ``m`` normal distributions for each row, the members of a `Mixture`.
    std : array-like of the same shape
        Standard deviations, greater than zero, in the units of ``mean``.

    Attributes
    ----------
    loc, scale : ndarray of shape (n,) or (n, m)
        The means and the standard deviations. The methods return arrays of this shape.
    classes : None
        The target is a number.

    Raises
    ------
    ValueError
        If the shapes differ, a value is not finite, or a standard deviation is not positive.

    See Also
    --------
    Mixture : Several normal distributions for each row.
    as_predictive : Reads the distribution off a fitted model.

    References
    ----------
    Gneiting and Raftery 2007 (the continuous ranked probability score).

    Examples
    --------
    >>> import uqwidgets as uq
    >>> q = uq.Normal(mean=[0.0, 10.0], std=[1.0, 2.0])
    >>> q.entropy().round(3)
    array([1.419, 2.112])
    >>> low, high = q.interval(0.95)
    >>> high.round(2)
    array([ 1.96, 13.92])
    """

    loc: Floats
    scale: Floats

    classes: ClassVar[None] = None
    _arrays: ClassVar[tuple[str, ...]] = ("loc", "scale")

    def __init__(self, mean: npt.ArrayLike, std: npt.ArrayLike) -> None:
        loc, scale = floats(mean, "mean"), floats(std, "std")
        if loc.ndim not in (1, 2) or loc.shape != scale.shape:
            raise ValueError(
                f"mean of shape {loc.shape} and std of shape {scale.shape} must both be (rows,), "
                "or (rows, members) for a mixture."
            )
        finite(loc, "mean")
        finite(scale, "std")
        positive(scale, "std")
        smallest = float(scale.min(initial=np.inf))
        if smallest < _SMALLEST_STD:
            row = int(np.unravel_index(int(scale.argmin()), scale.shape)[0])
            raise InvalidRowError(f"std is {smallest:g}, which is too small for a density", row)
        object.__setattr__(self, "loc", loc)
        object.__setattr__(self, "scale", scale)

    def entropy(self) -> Floats:
        """Differential entropy in nats: log(std) + (1 + log 2 pi) / 2.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Normal([0.0, 1.0], [1.0, 2.0])
        >>> q.entropy().round(3)
        array([1.419, 2.112])
        """
        return np.log(self.scale) + 0.5 * (1.0 + LOG_2_PI)

    def log_prob(self, y: npt.ArrayLike) -> Floats:
        """Log density at ``y`` (n,), in nats.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Normal([0.0, 1.0], [1.0, 2.0])
        >>> q.log_prob([0.0, 0.0]).round(3)
        array([-0.919, -1.737])
        """
        z = self._standardised(y)
        return -0.5 * z * z - np.log(self.scale) - 0.5 * LOG_2_PI

    def mean(self) -> Floats:
        """Mean.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Normal([0.0, 1.0], [1.0, 2.0])
        >>> q.mean()
        array([0., 1.])
        """
        return self.loc

    def variance(self) -> Floats:
        """Variance.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Normal([0.0, 1.0], [1.0, 2.0])
        >>> q.variance().round(3)
        array([1., 4.])
        """
        return np.square(self.scale)

    def std(self) -> Floats:
        """Square root of the variance.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Normal([0.0, 1.0], [1.0, 2.0])
        >>> q.std()
        array([1., 2.])
        """
        return self.scale

    def quantile(self, p: float) -> Floats:
        """Quantile at level ``p``.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Normal([0.0, 1.0], [1.0, 2.0])
        >>> q.quantile(0.9).round(3)
        array([1.282, 3.563])
        """
        return self.loc + self.scale * ndtri(inside(p, "p"))

    def crps(self, y: npt.ArrayLike) -> Floats:
        """Continuous ranked probability score of ``y`` (n,).

        In closed form (Gneiting and Raftery 2007, section 4.2).

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Normal([0.0, 1.0], [1.0, 2.0])
        >>> q.crps([0.0, 0.0]).round(3)
        array([0.234, 0.663])
        """
        z = self._standardised(y)
        density = np.exp(-0.5 * z * z) / SQRT_2_PI
        return self.scale * (z * (2 * ndtr(z) - 1) + 2 * density - 1 / SQRT_PI)

    def _standardised(self, y: npt.ArrayLike) -> Floats:
        at = targets(y, len(self), members=self.loc.ndim == 2)
        return np.asarray((at - self.loc) / self.scale)
