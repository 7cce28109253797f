r"""Intervals for the mean over refits that share rows.

The target of all four is the expectation of the mean over refits, over data sets of this size
(Molnar et al. 2023, section 7). To first order a refit's estimate is

.. math:: \hat\theta_d - \theta = \frac{1}{n_1} \sum_{i \in B_d} a_i
          + \frac{1}{n_2} \sum_{i \in B_{-d}} b_i + \text{noise}_d,

where :math:`a_i` is the effect of learning from row i and :math:`b_i` that of being scored on it.
The mean over many refits then has variance :math:`(S_{aa} + S_{bb} + 2 S_{ab}) / n` with S the
(co)variances over rows, whereas the sample variance of the estimates has expectation

.. math:: E s^2 = \frac1n \left[ \tfrac{n_2}{n_1} S_{aa} + \tfrac{n_1}{n_2} S_{bb} - 2 S_{ab}
          \right] + \operatorname{var} \text{noise}_d.

Multiplied by :math:`n_2 / n_1`, :math:`s^2` contains all of :math:`S_{bb}`, about a third of
:math:`S_{aa}`, and :math:`-2 S_{ab}` instead of :math:`+2 S_{ab}`: a row is either in the training
part or in the held-out part of a refit, so the two effects are negatively correlated across refits.
This is why the correction of Nadeau and Bengio (2003) is too small for linear models, most of all
for their importance, where :math:`a_i` and :math:`b_i` are positively correlated. It looks right
for trees, because the noise of single fits makes up for the missing terms.

============================== =========================== =====================================
interval                       for                         computed from the estimates and
============================== =========================== =====================================
`corrected_interval`           performance; any result,    nothing else
                               with lower coverage
`row_effect_interval`          importance by a loss, where held-out values
                               features are uncorrelated
`variance_components_interval` importance and dependence   held-out values
`group_jackknife_interval`     dependence, and importance  held-out values of refits that leave
                               by a measure that does not  two groups out
                               depend on the target
============================== =========================== =====================================

`benchmarks/coverage.md` has the simulated coverage of all four.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import stdtrit

from uqwidgets._typing import Floats
from uqwidgets._utils.choices import unknown
from uqwidgets._utils.options import brief, is_real
from uqwidgets.inference import checked_level

Correction = Literal["nadeau-bengio"]
# Upper bounds on the slope of the standard error in the candidate value, per standard error. With
# 0.3 and 15 refits, the lower end of a 95 % row-effect interval equals that of a one-sided 95 %
# interval. The interval from variance components needs a larger slope, because its variance makes
# fewer assumptions. Both were chosen by simulation, see benchmarks/coverage.md.
_LARGEST_SLOPE = 0.3
_LARGEST_SLOPE_OF_COMPONENTS = 0.5


@dataclass(frozen=True, eq=False)
class LearnerInterval:
    """Means over refits with their intervals.

    Attributes
    ----------
    estimate, std_error, low, high : ndarray of shape (...)
    """

    estimate: Floats
    std_error: Floats
    low: Floats
    high: Floats

    @classmethod
    def joined(cls, parts: Sequence[LearnerInterval]) -> LearnerInterval:
        """Join the intervals of some quantities each."""
        each = ((part.estimate, part.std_error, part.low, part.high) for part in parts)
        return cls(*(np.concatenate(values) for values in zip(*each, strict=True)))


def corrected_interval(
    estimates: Floats,
    n_train: float,
    n_test: float,
    level: float = 0.95,
    correction: Correction | float | None = "nadeau-bengio",
) -> LearnerInterval:
    r"""Interval of t with m - 1 degrees of freedom and Nadeau and Bengio's corrected variance.

    The variance is :math:`(1/m + c) s^2`, with :math:`s^2` the sample variance of the estimates and
    :math:`c = n_2 / n_1` (Nadeau and Bengio 2003; Molnar et al. 2023, section 7.3).

    Parameters
    ----------
    estimates : ndarray of shape (m, ...)
        The estimate of each refit; further axes are further quantities.
    n_train, n_test : float
        Rows that a refit learned from and was scored on; for the bootstrap, distinct rows, on
        average 0.632 n and 0.368 n.
    level : float
    correction : {"nadeau-bengio"}, float or None
        c, by name or as a number. None is 0: the refits have no row in common.

    Returns
    -------
    LearnerInterval

    Raises
    ------
    ValueError
        With fewer than two refits, a correction that does not exist or is negative, or a level
        that is not between 0 and 1.
    """
    m = _checked_refits(estimates)
    quantile = _quantile(m - 1, level)
    share = correction_share(correction, n_train, n_test)
    error = np.sqrt((1 / m + share) * estimates.var(axis=0, ddof=1))
    estimate, half = estimates.mean(axis=0), quantile * error
    return LearnerInterval(estimate, error, estimate - half, estimate + half)


def row_effect_interval(
    estimates: Floats,
    row_variance: Floats,
    n: int,
    n_train: float,
    n_test: float,
    level: float = 0.95,
) -> LearnerInterval:
    r"""Interval for importance by a loss, from the variance of the row effects.

    To first order, importance by a loss that the learner minimises is the product of the effect
    in the training rows and the effect in the scored rows. For least squares it is symmetric in
    both, so that :math:`a_i = b_i`. A learner that shrinks effects, such as a forest, has smaller
    :math:`a_i`, and the interval is then conservative. The symmetry needs uncorrelated features:
    with correlation :math:`\rho` between two features of least squares, the noise of the target
    makes :math:`S_{aa} = S_{bb} (1 + 3 \rho^2) / (1 - \rho^2)`, nearly five times as much at 0.7;
    use `variance_components_interval` there. Under the symmetry the variance of the mean over
    refits is

    .. math:: V = 4 \hat S_{bb} / n

    with the estimate of `row_effect_variance`, to which every refit contributes that held a row
    out. The effect of training rows is not estimated, as the noise of 15 refits would hide it.

    Importance is also quadratic in the strength of an effect, so its variance is proportional to
    the importance itself: a sample that happens to show a weak effect gives a small importance with
    a small standard error, and symmetric intervals miss on one side only. As in Wilson's
    interval for a proportion (Wilson 1927), the variance is therefore evaluated at each candidate,

    .. math:: (\theta - \hat\theta)^2 = t^2 V \left[ 1 + r (\theta - \hat\theta) / \sqrt V
              \right], \quad r = \min(\sqrt V / \hat\theta,\, 0.3),

    with 0.3 where the estimate is not positive. The interval contains `corrected_interval`, which
    includes the noise of refits that the row effects do not. The quantile t has (m - 1) / 2 degrees
    of freedom; these and the 0.3 were chosen by simulation.

    Parameters
    ----------
    estimates : ndarray of shape (m, ...)
    row_variance : ndarray of shape (...)
        From `row_effect_variance`.
    n : int
        Number of rows of the table.
    n_train, n_test : float
        As in `corrected_interval`.
    level : float

    Returns
    -------
    LearnerInterval
        The upper end is at least as far from the estimate as the lower end.

    Raises
    ------
    ValueError
        With fewer than two refits, or a level that is not between 0 and 1.
    """
    corrected = corrected_interval(estimates, n_train, n_test, level)
    estimate = corrected.estimate
    t = _quantile((len(estimates) - 1) / 2, level)
    error = np.sqrt(4 * np.maximum(row_variance, 0.0) / n)
    return _containing(corrected, error, *_wilson_distances(estimate, error, t, _LARGEST_SLOPE))


def variance_components_interval(
    estimates: Floats,
    row_variance: Floats,
    interaction: Floats,
    n: int,
    n_train: float,
    n_test: float,
    level: float = 0.95,
    *,
    bootstrap: bool,
    of_loss: bool,
) -> LearnerInterval:
    r"""Interval from the variances of training rows and of scored rows and their covariance.

    The sample variance of the estimates contains three components (see the docstring of this
    module). The row effects estimate :math:`S_{bb}`, and theory gives :math:`S_{ab}`: it is 0 for a
    measure that does not depend on the target, because the effect of a training row is its noise,
    which has mean 0 given the features. For importance by a loss that the learner minimises,
    :math:`S_{ab} = S_{bb}`, with correlated features too, as derived for least squares. The
    remainder estimates :math:`S_{aa}`,

    .. math:: \frac{S_{aa}}{n} = \frac1\lambda \left[ s^2 - \frac{\hat S_{rb}}{n_2}
              - \left( \frac1{n_2} - \frac1n \right) \hat S_{bb} + \frac2n S_{ab} \right],
              \quad V = \frac{S_{aa} + \hat S_{bb} + 2 S_{ab}}{n} + \frac{\hat S_{rb}}{m\, n_2},

    with :math:`S_{rb}` the interaction of refits and rows, which includes the Monte Carlo error of
    permutations. :math:`\lambda` is the variance, over refits, of how often a refit learns from a
    row, relative to that over data sets: :math:`n / n_1 - 1`, and 1 for the bootstrap, whose refits
    vary by their training rows as fits on fresh data sets do. The noise of single fits counts as
    if it were an effect of training rows, which is conservative. V is at least the variance of
    `corrected_interval`.

    Importance by a loss has the asymmetric ends of `row_effect_interval`, with 0.5 instead of 0.3
    and t with (m - 1) / 3 degrees of freedom. All other intervals are symmetric, with (m - 1) / 2
    degrees of freedom. There is at least one degree of freedom.

    Parameters
    ----------
    estimates : ndarray of shape (m, ...)
    row_variance, interaction : ndarray of shape (...)
        From `row_effect_variance` and `interaction_variance`.
    n : int
        Number of rows of the table.
    n_train, n_test : float
        As in `corrected_interval`.
    level : float
    bootstrap : bool
        Whether refits learn from n rows drawn with replacement, or from ``n_train`` distinct
        rows.
    of_loss : bool
        Whether it is importance by a measure that depends on the target.

    Returns
    -------
    LearnerInterval

    Raises
    ------
    ValueError
        With fewer than two refits, or a level that is not between 0 and 1.
    """
    corrected = corrected_interval(estimates, n_train, n_test, level)
    m = len(estimates)
    rows = np.maximum(row_variance, 0.0)
    covariance = rows if of_loss else np.zeros_like(rows)
    noise = interaction / n_test
    ratio = 1.0 if bootstrap else n / n_train - 1
    remainder = (
        estimates.var(axis=0, ddof=1) - noise - (1 / n_test - 1 / n) * rows + 2 * covariance / n
    )
    training = np.maximum(remainder / ratio, 0.0)
    variance = training + (rows + 2 * covariance) / n + noise / m
    error = np.sqrt(np.maximum(variance, corrected.std_error**2))
    if of_loss:
        t = _quantile(max((m - 1) / 3, 1.0), level)
        ends = _wilson_distances(corrected.estimate, error, t, _LARGEST_SLOPE_OF_COMPONENTS)
        return _containing(corrected, error, *ends)
    half = _quantile(max((m - 1) / 2, 1.0), level) * error
    return _containing(corrected, error, half, half)


def _wilson_distances(
    estimate: Floats, error: Floats, t: float, steepest: float
) -> tuple[Floats, Floats]:
    """Distances of both ends from the estimate, if the error grows linearly with the candidate."""
    slope = np.full_like(error, steepest)
    np.divide(error, estimate, out=slope, where=estimate > error / steepest)
    shift = t * slope / 2
    root = np.sqrt(1 + shift**2)
    return t * error * (root - shift), t * error * (root + shift)


def group_jackknife_interval(
    estimates: Floats,
    table: Floats,
    n_train: float,
    n_test: float,
    level: float = 0.95,
) -> LearnerInterval:
    r"""Interval by the delete-a-group jackknife, from refits that leave every two groups out.

    The refits that left group e out, scored on the other group that each left out, are a
    cross-validation of the table without e. The means :math:`c_e` of the table's columns are
    therefore the replicates of the jackknife, without further refits. They contain the effects of a
    row as training row and as scored row, and their covariance with the right sign:

    .. math:: V_J = \frac{G - 1}{G} \sum_e (c_e - \bar c)^2 .

    Each replicate is a mean over G - 1 refits only, so the noise of single refits would count in
    full, although the mean over all m refits hardly has it. The variance of this noise is the
    residual variance of an additive model of group effects: :math:`\sigma_s^2` for the mean of a
    refit's two groups (m - G degrees of freedom) and :math:`\sigma_a^2` for half their difference
    (m - G + 1). Then

    .. math:: V = V_J - \sigma_a^2 - \left( \frac{G - 2}{G} - \frac1m \right) \sigma_s^2

    is unbiased. The interval uses t with G - 1 degrees of freedom and contains
    `corrected_interval`.

    Parameters
    ----------
    estimates : ndarray of shape (m, ...)
    table : ndarray of shape (G, G, ...)
        From `group_table`.
    n_train, n_test : float
        As in `corrected_interval`.
    level : float

    Returns
    -------
    LearnerInterval

    Raises
    ------
    ValueError
        If a refit is missing, or the level is not between 0 and 1.
    """
    m, n_groups = len(estimates), len(table)
    different = ~np.eye(n_groups, dtype=bool)
    if m != n_groups * (n_groups - 1) // 2 or np.isnan(table[different]).any():
        raise ValueError(
            f"the jackknife over {n_groups} groups needs the refit of every two groups, and has "
            f"{m} of {n_groups * (n_groups - 1) // 2} or rows without a value; finish the refits "
            "or use corrected_interval."
        )
    corrected = corrected_interval(estimates, n_train, n_test, level)
    replicates = np.nanmean(table, axis=0)
    jackknife = (n_groups - 1) * replicates.var(axis=0)
    mean_noise, difference_noise = _noise(table)
    noise = difference_noise + ((n_groups - 2) / n_groups - 1 / m) * mean_noise
    error = np.sqrt(np.maximum(jackknife - noise, 0.0))
    half = _quantile(n_groups - 1, level) * error
    return _containing(corrected, error, half, half)


def _noise(table: Floats) -> tuple[Floats, Floats]:
    """Variances of the mean of a refit's two groups and of half their difference, by its noise."""
    n_groups = len(table)
    m = n_groups * (n_groups - 1) // 2
    one, other = np.triu_indices(n_groups, k=1)
    mean = (table[one, other] + table[other, one]) / 2
    difference = (table[one, other] - table[other, one]) / 2
    member = np.zeros((m, n_groups))
    member[np.arange(m), one] = 1.0
    member[np.arange(m), other] = 1.0
    signed = member.copy()
    signed[np.arange(m), other] = -1.0
    return (
        _residual_squares(mean, member) / (m - n_groups),
        _residual_squares(difference, signed) / (m - n_groups + 1),
    )


def _residual_squares(values: Floats, effects: Floats) -> Floats:
    flat = values.reshape(len(values), -1)
    residuals = flat - effects @ np.linalg.lstsq(effects, flat, rcond=None)[0]
    squares: Floats = np.square(residuals).sum(axis=0)
    return squares.reshape(values.shape[1:])


def _containing(
    corrected: LearnerInterval, error: Floats, down: Floats, up: Floats
) -> LearnerInterval:
    return LearnerInterval(
        corrected.estimate,
        np.maximum(error, corrected.std_error),
        np.minimum(corrected.estimate - down, corrected.low),
        np.maximum(corrected.estimate + up, corrected.high),
    )


def _quantile(freedom: float, level: float) -> float:
    return float(stdtrit(freedom, (1 + checked_level(level)) / 2))


def _checked_refits(estimates: Floats) -> int:
    if len(estimates) < 2:
        raise ValueError(
            f"an interval needs two refits or more, there is {len(estimates)}; set n_refits, "
            "15 for example."
        )
    return len(estimates)


def correction_share(correction: object, n_train: float, n_test: float) -> float:
    """Return c, which is added to 1/m in the variance of a mean over m refits.

    Raises
    ------
    ValueError
        If the correction has an unknown name or is negative.
    """
    if correction is None:
        return 0.0
    if isinstance(correction, str) and correction == "nadeau-bengio":
        return n_test / n_train
    if is_real(correction) and correction >= 0:
        return float(correction)
    if isinstance(correction, str):
        raise ValueError(unknown("correction", correction, ["nadeau-bengio"]))
    raise ValueError(
        f"correction is {brief(correction)}; it must be 'nadeau-bengio', a number from 0, or None."
    )
