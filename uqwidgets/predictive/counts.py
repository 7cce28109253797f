"""Distributions of counts: Poisson and negative binomial.

Their entropies and the mean difference of two draws are integrals over t > 0 of smooth functions
of the generating function. In s = log t these have no singularity nearer to the real line than
pi / 2, and decay exponentially at both ends, so that the trapezoidal rule with a step h has an
error of the order exp(-pi^2 / h) (Trefethen and Weideman 2014): all digits of a double at h = 1/4,
whatever the mean.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import betainc, betaln, gammaln, i0e, i1e, pdtr, xlog1py, xlogy

from uqwidgets._typing import Floats
from uqwidgets.predictive.base import (
    InvalidRowError,
    PredictiveDistribution,
    blocks,
    finite,
    floats,
    inside,
    targets,
)
from uqwidgets.predictive.normal import LOG_2_PI

_STEP = 0.25
# What is left of an integral beyond the ends of its nodes, relative to the rest.
_TAIL = 1e-17
# From this mean on, the series of the entropy is exact to 1e-11, and the integral is not: it is
# the difference of two numbers of the size of the mean.
_LARGE = 300.0
# Greater counts are not all doubles.
_LARGEST = 1e15
_DISPERSIONS = 1e-12, 1e12


class Counts(PredictiveDistribution):
    """What the distributions of counts have in common.

    ``rate`` holds their means; they are called so because `mean` is a method.
    """

    rate: Floats

    classes: ClassVar[None] = None

    @abstractmethod
    def cdf(self, y: npt.ArrayLike) -> Floats:
        """Probability of at most ``y`` (n,), shape (n,).

        Examples
        --------
        >>> import uqwidgets as uq
        >>> uq.Poisson([1.0, 2.0]).cdf([0, 2]).round(3)
        array([0.368, 0.677])
        """

    @abstractmethod
    def deviance(self, y: npt.ArrayLike) -> Floats:
        """Return the unit deviance of ``y``, shape (n,).

        Twice the log-likelihood that is lost against the mean y, at the same dispersion
        (McCullagh and Nelder 1989, section 2.3).

        Examples
        --------
        >>> import uqwidgets as uq
        >>> uq.Poisson([1.0, 2.0]).deviance([0, 2])
        array([2., 0.])
        """

    @abstractmethod
    def _mean_up_to(self, y: Floats) -> Floats:
        """Return the sum of k P(k) over all k up to y, shape (n,)."""

    @abstractmethod
    def _half_difference(self) -> Floats:
        """Return half the mean absolute difference of two draws, shape (n,)."""

    def mean(self) -> Floats:
        """Mean.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> uq.Poisson([1.0, 2.0]).mean()
        array([1., 2.])
        """
        return self.rate

    def quantile(self, p: float) -> Floats:
        """Quantile at level ``p``: the least count that at most ``p`` of the probability is below.

        It is found by bisection between the limits of Cantelli's inequality (Cantelli 1928).

        Examples
        --------
        >>> import uqwidgets as uq
        >>> uq.Poisson([1.0, 20.0]).quantile(0.9)
        array([ 2., 26.])
        """
        odds = np.sqrt(inside(p, "p") / (1 - p))
        low = np.maximum(np.floor(self.rate - self.std() / odds) - 1, -1.0)
        high = np.ceil(self.rate + self.std() * odds) + 1
        for _ in range(int(np.log2((high - low).max(initial=1.0))) + 1):
            middle = np.floor((low + high) / 2)
            # The count -1, below which a quantile may lie, has no probability.
            enough = (middle >= 0) & (self.cdf(np.maximum(middle, 0.0)) >= p)
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        return np.asarray(high)

    def crps(self, y: npt.ArrayLike) -> Floats:
        """Continuous ranked probability score of ``y`` (n,).

        The mean distance of y from a draw, less half that of two draws from each other
        (Gneiting and Raftery 2007, eq. 21).

        Examples
        --------
        >>> import uqwidgets as uq
        >>> uq.Poisson([1.0, 2.0]).crps([0, 2]).round(3)
        array([0.476, 0.311])
        """
        at = self._counts(y)
        distance = at * (2 * self.cdf(at) - 1) + self.rate - 2 * self._mean_up_to(at)
        return np.asarray(np.maximum(distance - self._half_difference(), 0.0))

    def pit(self, y: npt.ArrayLike, seed: int = 0) -> Floats:
        """Randomised probability integral transform of ``y``, shape (n,).

        A random number between the probabilities of less than y and of at most y. It is uniform
        where the distributions are right, as that of densities is (Czado et al. 2009).

        Parameters
        ----------
        y : array-like of shape (n,)
            Counts.
        seed : int, default=0
            Of the random numbers.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> u = uq.Poisson([1.0, 2.0]).pit([0, 2])
        >>> bool(0 <= u[0] <= 0.368), bool(0.406 <= u[1] <= 0.677)
        (True, True)
        """
        lower, upper = self._around(y)
        share = np.random.default_rng(seed).random(len(lower))
        return np.asarray(lower + share * (upper - lower))

    def outside(self, y: npt.ArrayLike, level: float) -> Floats:
        """Probability that the transform of ``y`` is outside the central ``level``, shape (n,).

        Its mean is 1 - level where the distributions are right. The intervals themselves hold
        more than their level, since counts are steps (Czado et al. 2009, the transform that is
        not random).

        Examples
        --------
        >>> import uqwidgets as uq
        >>> uq.Poisson([1.0, 1.0]).outside([0, 4], 0.9).round(3)
        array([0.136, 1.   ])
        """
        lower, upper = self._around(y)
        tail = (1.0 - inside(level, "level")) / 2
        held = np.clip(upper, tail, 1 - tail) - np.clip(lower, tail, 1 - tail)
        share = np.divide(held, upper - lower, out=np.zeros_like(held), where=upper > lower)
        return np.asarray(1 - share)

    def _around(self, y: npt.ArrayLike) -> tuple[Floats, Floats]:
        """Return the probabilities of less than y, and of at most y."""
        at = self._counts(y)
        below = np.where(at > 0, self.cdf(np.maximum(at - 1, 0.0)), 0.0)
        return np.asarray(below), self.cdf(at)

    def _counts(self, y: npt.ArrayLike) -> Floats:
        """Return true values, if they are counts."""
        values = targets(y, len(self))
        wrong = (values < 0) | (values != np.floor(values))
        if wrong.any():
            row = int(wrong.argmax())
            raise InvalidRowError(
                f"y is {values[row]:g}, which is no count,",
                row,
                "; pass lambda X: model.predict(X) to explain the predicted numbers without a "
                "distribution, or as_predictive(model, noise=...) for a normal one",
            )
        return values


@dataclass(frozen=True, eq=False, init=False)
class Poisson(Counts):
    """A Poisson distribution for each row.

    Parameters
    ----------
    mean : array-like of shape (n,)
        Expected counts, zero or greater.

    Attributes
    ----------
    rate : ndarray of shape (n,)
        The means.
    classes : None
        The target is a number.

    Raises
    ------
    ValueError
        If a mean is not finite, negative or above 1e15; of methods, if a target is no count.

    See Also
    --------
    NegativeBinomial : For counts that vary more.
    as_predictive : Reads the distribution off a fitted model.

    References
    ----------
    Evans and Boersma 1988 (entropy); Wei and Held 2014 (the continuous ranked probability score);
    Czado et al. 2009 (the randomised transform).

    Examples
    --------
    >>> import uqwidgets as uq
    >>> q = uq.Poisson([1.0, 20.0])
    >>> q.entropy().round(3)
    array([1.305, 2.913])
    >>> q.log_prob([0, 20]).round(3)
    array([-1.   , -2.421])
    """

    rate: Floats

    _arrays: ClassVar[tuple[str, ...]] = ("rate",)

    def __init__(self, mean: npt.ArrayLike) -> None:
        object.__setattr__(self, "rate", _means(mean))

    def entropy(self) -> Floats:
        r"""Shannon entropy in nats.

        With :math:`u = 1 - e^{-t}` it is :math:`\mu - \mu \log \mu + \int_0^\infty e^{-t}
        (\mu - (1 - e^{-\mu u}) / u) \, dt / t`, and the series :math:`\log(2 \pi e \mu) / 2 -
        1 / (12 \mu) - 1 / (24 \mu^2) - 19 / (360 \mu^3)` for means above 300 (Evans and Boersma
        1988).

        Examples
        --------
        >>> import uqwidgets as uq
        >>> uq.Poisson([1.0, 1000.0]).entropy().round(3)
        array([1.305, 4.873])
        """
        mean = np.minimum(self.rate, _LARGE)
        t = _nodes(_TAIL, 45.0, 2 * float(np.square(mean).max(initial=0.0)))
        u = -np.expm1(-t)
        integral = np.empty(len(mean))
        for rows in blocks(len(mean), len(t)):
            m = mean[rows, None]
            integral[rows] = (m + np.expm1(-m * u) / u) @ (np.exp(-t) * _STEP)
        large = np.maximum(self.rate, _LARGE)
        correction = 1 / (12 * large) + 1 / (24 * large**2) + 19 / (360 * large**3)
        series = 0.5 * (LOG_2_PI + 1 + np.log(large)) - correction
        exact = np.maximum(mean - xlogy(mean, mean) + integral, 0.0)
        return np.where(self.rate > _LARGE, series, exact)

    def log_prob(self, y: npt.ArrayLike) -> Floats:
        """Log probability of the counts ``y`` (n,), in nats.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> uq.Poisson([1.0, 2.0]).log_prob([0, 2]).round(3)
        array([-1.   , -1.307])
        """
        at = self._counts(y)
        return np.asarray(xlogy(at, self.rate) - gammaln(at + 1) - self.rate)

    def variance(self) -> Floats:
        """Variance, which is the mean.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> uq.Poisson([1.0, 2.0]).variance()
        array([1., 2.])
        """
        return self.rate

    def cdf(self, y: npt.ArrayLike) -> Floats:
        """Probability of at most ``y`` (n,).

        Examples
        --------
        >>> import uqwidgets as uq
        >>> uq.Poisson([1.0, 2.0]).cdf([0, 2]).round(3)
        array([0.368, 0.677])
        """
        return np.asarray(pdtr(self._counts(y), self.rate))

    def deviance(self, y: npt.ArrayLike) -> Floats:
        """Return the unit deviance of ``y`` (n,): 2 (y log(y / mean) - y + mean).

        McCullagh and Nelder 1989, section 2.3.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> uq.Poisson([1.0, 2.0]).deviance([0, 2])
        array([2., 0.])
        """
        at = self._counts(y)
        lost = xlogy(at, at) - xlogy(at, self.rate) - at + self.rate
        return np.asarray(2 * np.maximum(lost, 0.0))

    def _mean_up_to(self, y: Floats) -> Floats:
        return np.where(y > 0, self.rate * pdtr(np.maximum(y - 1, 0.0), self.rate), 0.0)

    def _half_difference(self) -> Floats:
        # Wei and Held 2014, with the scaled Bessel functions.
        return np.asarray(self.rate * (i0e(2 * self.rate) + i1e(2 * self.rate)))


@dataclass(frozen=True, eq=False, init=False)
class NegativeBinomial(Counts):
    """A negative binomial distribution for each row: a Poisson whose mean itself varies.

    Parameters
    ----------
    mean : array-like of shape (n,)
        Expected counts, zero or greater.
    dispersion : float or array-like of shape (n,)
        From 1e-12 to 1e12. The variance is mean + dispersion * mean^2, as in statsmodels (there
        ``alpha``); scipy's ``nbinom`` has n = 1 / dispersion and p = 1 / (1 + dispersion * mean).

    Attributes
    ----------
    rate, dispersion : ndarray of shape (n,)
        The means and the dispersions.
    classes : None
        The target is a number.

    Raises
    ------
    ValueError
        If a value is not finite or out of range, or the shapes differ; of methods, if a target is
        no count.

    See Also
    --------
    Poisson : Its limit for a dispersion of zero.
    as_predictive : Reads the distribution off a fitted model.

    References
    ----------
    Cheraghchi 2018 (entropy); Cameron and Trivedi 2013 (parameters, deviance); Czado et al. 2009
    (the randomised transform).

    Examples
    --------
    >>> import uqwidgets as uq
    >>> q = uq.NegativeBinomial([1.0, 20.0], dispersion=0.5)
    >>> q.variance()
    array([  1.5, 220. ])
    >>> q.entropy().round(3)
    array([1.372, 3.925])
    """

    rate: Floats
    dispersion: Floats

    _arrays: ClassVar[tuple[str, ...]] = ("rate", "dispersion")

    def __init__(self, mean: npt.ArrayLike, dispersion: npt.ArrayLike) -> None:
        rate, each = _means(mean), floats(dispersion, "dispersion")
        if each.ndim == 0:
            each = np.full(rate.shape, float(each))
        if each.shape != rate.shape:
            raise ValueError(
                f"dispersion of shape {each.shape} must be one number, or one for each of the "
                f"{len(rate)} rows."
            )
        finite(each, "dispersion")
        wrong = (each < _DISPERSIONS[0]) | (each > _DISPERSIONS[1])
        if wrong.any():
            row = int(wrong.argmax())
            raise InvalidRowError(
                f"dispersion is {each[row]:g}, and must be between 1e-12 and 1e12,",
                row,
                "; use Poisson for none",
            )
        object.__setattr__(self, "rate", rate)
        object.__setattr__(self, "dispersion", each)

    def entropy(self) -> Floats:
        r"""Shannon entropy in nats.

        With the size :math:`r = 1 / \alpha` and the generating function :math:`G(t) = (1 +
        \alpha \mu (1 - e^{-t}))^{-r}` it is :math:`r \log(1 + \alpha \mu) + \mu \log(1 + 1 /
        (\alpha \mu)) - \int_0^\infty (e^{-t} - e^{-rt}) (1 - G(t)) / (1 - e^{-t}) \, dt / t`: the
        logarithms of gamma functions in the mean of -log P are integrals (Cheraghchi 2018). The
        error by rounding is about 1e-16 times the first term, which is at most the mean.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> uq.NegativeBinomial([1.0, 1000.0], 0.5).entropy().round(3)
        array([1.372, 7.793])
        """
        mean, size = self.rate, 1 / self.dispersion
        odds = self.dispersion * mean
        scale = float((mean * (1 + size)).max(initial=0.0))
        t = _nodes(_TAIL, 45.0 / min(1.0, float(size.min(initial=1.0))), scale)
        u = -np.expm1(-t)
        integral = np.empty(len(mean))
        for rows in blocks(len(mean), len(t)):
            r, m = size[rows, None], odds[rows, None]
            below_one = -np.expm1(-r * np.log1p(m * u))
            # e^-t - e^-rt, without cancellation for small t.
            fall = np.exp(-np.minimum(r, 1.0) * t) * np.expm1(-np.abs(r - 1) * t)
            integral[rows] = (np.sign(1 - r) * fall * below_one) @ (_STEP / u)
        surprise = size * np.log1p(odds) + xlog1py(mean, 1 / np.where(odds > 0, odds, 1.0))
        return np.asarray(np.maximum(surprise - integral, 0.0))

    def log_prob(self, y: npt.ArrayLike) -> Floats:
        """Log probability of the counts ``y`` (n,), in nats.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> uq.NegativeBinomial([1.0, 2.0], 0.5).log_prob([0, 2]).round(3)
        array([-0.811, -1.674])
        """
        at, size, odds = self._counts(y), 1 / self.dispersion, self.dispersion * self.rate
        ways = -betaln(size, at + 1) - np.log(at + size)
        return np.asarray(ways - (size + at) * np.log1p(odds) + xlogy(at, odds))

    def variance(self) -> Floats:
        """Variance: mean + dispersion * mean^2.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> uq.NegativeBinomial([1.0, 2.0], 0.5).variance()
        array([1.5, 4. ])
        """
        return np.asarray(self.rate + self.dispersion * np.square(self.rate))

    def cdf(self, y: npt.ArrayLike) -> Floats:
        """Probability of at most ``y`` (n,).

        Examples
        --------
        >>> import uqwidgets as uq
        >>> uq.NegativeBinomial([1.0, 2.0], 0.5).cdf([0, 2]).round(3)
        array([0.444, 0.688])
        """
        return self._at_most(self._counts(y), 1 / self.dispersion)

    def deviance(self, y: npt.ArrayLike) -> Floats:
        """Return the unit deviance of ``y`` (n,) at the same dispersion.

        2 (y log(y / mean) - (y + r) log((y + r) / (mean + r))) with r = 1 / dispersion (Cameron
        and Trivedi 2013, section 5.3).

        Examples
        --------
        >>> import uqwidgets as uq
        >>> uq.NegativeBinomial([1.0, 2.0], 0.5).deviance([0, 2]).round(3)
        array([1.622, 0.   ])
        """
        at, size = self._counts(y), 1 / self.dispersion
        lost = xlogy(at, at) - xlogy(at, self.rate)
        lost -= (at + size) * np.log1p((at - self.rate) / (self.rate + size))
        return np.asarray(2 * np.maximum(lost, 0.0))

    def _mean_up_to(self, y: Floats) -> Floats:
        # k P(k) is the mean times P(k - 1) of the size r + 1 at the same odds.
        below = self._at_most(np.maximum(y - 1, 0.0), 1 / self.dispersion + 1)
        return np.where(y > 0, self.rate * below, 0.0)

    def _at_most(self, y: Floats, size: Floats) -> Floats:
        odds = self.dispersion * self.rate
        # Its complement in scipy, betaincc, takes about ten times as long.
        return np.asarray(1 - betainc(y + 1, size, odds / (1 + odds)))

    def _half_difference(self) -> Floats:
        r"""Return half the mean absolute difference of two draws.

        :math:`|d|` is the integral of :math:`(1 - \cos d \theta) / (1 - \cos \theta)` over
        :math:`\theta` from 0 to :math:`\pi`, divided by :math:`\pi`, and the mean of
        :math:`\cos d \theta` is the squared modulus of the characteristic function,
        :math:`(1 + 2 v (1 - \cos \theta))^{-r}` with :math:`v` the dispersion times the variance.
        The nodes are those of :math:`t = \tan(\theta / 2)`.
        """
        size = 1 / self.dispersion
        v = 4 * self.dispersion * self.variance()
        t = _nodes(_TAIL, 1 / _TAIL, 4 * float(self.variance().max(initial=0.0)))
        sine = np.square(t) / (1 + np.square(t))
        half = np.empty(len(size))
        for rows in blocks(len(size), len(t)):
            r = size[rows, None]
            below_one = -np.expm1(-r * np.log1p(v[rows, None] * sine))
            half[rows] = below_one @ (_STEP / (2 * np.pi * t))
        return half


def _means(mean: npt.ArrayLike) -> Floats:
    rate = floats(mean, "mean")
    if rate.ndim != 1:
        raise ValueError(f"mean of shape {rate.shape} must be one number for each row.")
    finite(rate, "mean")
    for wrong, problem in ((rate < 0, "negative"), (rate > _LARGEST, "too large for a count")):
        if wrong.any():
            row = int(wrong.argmax())
            raise InvalidRowError(f"mean, {rate[row]:g}, is {problem}", row)
    return rate


def _nodes(low: float, high: float, scale: float) -> Floats:
    """Return nodes t = exp(s) with evenly spaced s; the integrand is about scale * t near zero."""
    return np.asarray(np.exp(np.arange(np.log(low / max(scale, 1.0)), np.log(high), _STEP)))
