"""Variances, their degrees of freedom, and the correction of quantiles for skewness.

Variances are estimated from the influences of rows, or by leaving out groups of rows. Where a few
rows dominate the estimate, its variance is known poorly and its error is skewed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from uqwidgets._typing import Floats, Positions
from uqwidgets.inference.groups import RowGroups
from uqwidgets.inference.sums import dots

# One or two rows may have nearly all of the influence. The data then show that variance and
# skewness are large, but not how large. So the degrees of freedom have a lower bound, and Hall's
# transformation stays away from the point where its slope is infinite. Simulated coverage does not
# suffer from either bound.
_MIN_DF = 10.0
_MAX_CUBIC = 7 / 24  # 3 a t = 7/8: the argument of the cube root is at least about 1/8
# Groups of the jackknife: more of them cost more and give more degrees of freedom.
_JACKKNIFE_GROUPS = 20


def relative_precision(parts: Floats) -> Floats:
    r"""Squared ratio of unbiased variance estimates to their own standard error.

    With :math:`p_i` the share of row i in the sum of the parts it is
    :math:`1 / (\sum p_i^2 - 1/n)`. Twice this number are the degrees of freedom of the estimate
    (Satterthwaite 1946).

    Parameters
    ----------
    parts : ndarray of shape (..., n)
        Contribution of each row to a multiple of the variance; single ones may be negative.

    Returns
    -------
    ndarray of shape (...)
        0 where their sum is not positive.
    """
    n, total = parts.shape[-1], parts.sum(axis=-1)
    is_known = total > 0
    shares = parts / np.where(is_known, total, 1.0)[..., None]
    # Shares avoid the overflow of fourth powers. The lower bound is for equal parts, whose
    # difference from 1/n is only rounding.
    return np.where(is_known, 1 / _excess_of_shares(dots(shares, shares), n), 0.0)


def _excess_of_shares(squared: Floats, n: npt.ArrayLike) -> Floats:
    n = np.asarray(n)
    return np.asarray(np.maximum(squared - 1 / n, 2 / n**2))


def positive_variance(total: npt.ArrayLike, error: npt.ArrayLike) -> tuple[Floats, Floats]:
    r"""Estimate variances that cannot be negative, with their degrees of freedom.

    An unbiased estimate V with the standard error s may be negative. The estimate is the mean of a
    normal distribution with mean V and standard deviation s, truncated to positive values:
    :math:`V + s \phi(V/s) / \Phi(V/s)`. It is V itself wherever V is known well, and large where
    it is not.

    Parameters
    ----------
    total, error : array-like
        V and s, of any unit.
    """
    total, error = np.asarray(total, dtype=np.float64), np.asarray(error, dtype=np.float64)
    uncertain = error > 1e-12 * np.abs(total)
    with np.errstate(divide="ignore", invalid="ignore", under="ignore", over="ignore"):
        ratio = np.where(uncertain, total / error, 0.0)
        density = np.exp(-ratio * ratio / 2) / math.sqrt(2 * math.pi)
        # Far below zero the density underflows; the second is the limit.
        positive = np.where(ratio > -30, ratio + density / ndtr(ratio), -1 / ratio)
    variance = np.where(uncertain, error * positive, np.maximum(total, 0.0))
    return variance, np.where(uncertain, np.maximum(2 * positive**2, _MIN_DF), np.inf)


def satterthwaite_df(squares: Floats) -> Floats:
    r"""Degrees of freedom of variances that are estimated from squared influences.

    They are :math:`2 / (\sum \psi_i^4 / (\sum \psi_i^2)^2 - 1/n)` (Satterthwaite 1946), and at
    least 10.

    Parameters
    ----------
    squares : ndarray of shape (..., n)
        Squared influences.

    Returns
    -------
    ndarray of shape (...)
    """
    return np.maximum(2 * relative_precision(squares), _MIN_DF)


def df_of_shares(squared: Floats, n: npt.ArrayLike) -> Floats:
    """Return `satterthwaite_df` from the sums of the squared shares of n rows in a variance."""
    return np.maximum(2 / _excess_of_shares(squared, n), _MIN_DF)


def skewness_corrected(
    quantile: npt.ArrayLike, skewness: npt.ArrayLike, interaction: npt.ArrayLike = 0.0
) -> Floats:
    r"""Quantile of a studentised statistic from that of a distribution without skewness.

    Let the statistic have the influences :math:`\psi_i` of rows, of variance 1, and
    :math:`\varphi_{ij}` of pairs of rows beyond those, and let
    :math:`\gamma = E \psi_i^3 / \sqrt n` and
    :math:`\kappa = E \psi_i \psi_j \varphi_{ij} / \sqrt n`. Bias aside, the studentised statistic
    has the first cumulant :math:`-\gamma / 2 - \kappa` and the third
    :math:`-2 \gamma - 3 \kappa`. Hall's cubic transformation
    :math:`g(t) = t + a t^2 + a^2 t^3 / 3 + c` with :math:`a = \gamma / 3 + \kappa / 2` and
    :math:`c = \gamma / 6 + \kappa / 2` removes both (Hall 1992). This is its inverse,
    :math:`\{(1 + 3 a (q - c))^{1/3} - 1\} / a`.

    Parameters
    ----------
    quantile : array-like
        Quantile q of a distribution without skewness.
    skewness : array-like
        :math:`\gamma`, the skewness of the mean influence.
    interaction : array-like
        :math:`\kappa`; zero for a mean over rows.
    """
    quantile, skewness, interaction = (
        np.asarray(each, dtype=np.float64) for each in (quantile, skewness, interaction)
    )
    largest = _MAX_CUBIC / np.maximum(np.abs(quantile), 1.0)
    a = np.clip(skewness / 3 + interaction / 2, -largest, largest)
    c = np.clip(skewness / 6 + interaction / 2, -largest, largest)
    is_linear = np.abs(a) < 1e-8  # the cube root would be rounded to 1
    slope = np.where(is_linear, 1.0, a)
    cubic = (np.cbrt(1 + 3 * slope * (quantile - c)) - 1) / slope
    return np.where(is_linear, quantile - c, cubic)


def without_groups(
    statistics: Callable[[npt.NDArray[np.bool_]], Sequence[float]],
    n: int,
    seed: int,
    units: RowGroups | None = None,
) -> tuple[Floats, int]:
    """Covariance of statistics by the delete-a-group jackknife, with its degrees of freedom.

    Parameters
    ----------
    statistics : callable
        From a mask of the remaining rows, shape (n,), to m numbers.
    n : int
        Number of rows.
    seed : int
    units : RowGroups, optional
        See `jackknife_groups`.

    Returns
    -------
    covariance : ndarray of shape (m, m)
    df : int
    """
    group_of_row = jackknife_groups(n, seed, units=units)
    groups = range(int(group_of_row.max()) + 1)
    return covariance_without_groups(np.array([statistics(group_of_row != g) for g in groups]))


def jackknife_groups(
    n: int, seed: int, groups: int = _JACKKNIFE_GROUPS, units: RowGroups | None = None
) -> Positions:
    """Split rows at random into groups, each of which is left out once (Kott 2001).

    Parameters
    ----------
    n : int
        Number of rows; fewer than ``groups`` are a group each.
    seed : int
        Of the split.
    groups : int, default=20
    units : RowGroups, optional
        Rows that are left out together.

    Returns
    -------
    ndarray of shape (n,)
        Group of each row, counted from 0.
    """
    if units is not None:
        return jackknife_groups(len(units), seed, groups)[units.codes]
    return np.random.default_rng(seed).permutation(n) % min(groups, n)


def covariance_without_groups(replicates: Floats) -> tuple[Floats, int]:
    """Covariance of m statistics from their values without each group, with degrees of freedom.

    Parameters
    ----------
    replicates : ndarray of shape (groups, m)
        See `jackknife_groups`.

    Returns
    -------
    covariance : ndarray of shape (m, m)
    df : int
    """
    groups = len(replicates)
    deviations = replicates - replicates.mean(axis=0)
    covariance = (groups - 1) / groups * np.einsum("gi,gj->ij", deviations, deviations)
    return np.asarray(covariance), groups - 1
