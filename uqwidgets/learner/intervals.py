r"""Intervals for the mean over refits that share rows.

What is wanted is the distance of the mean over refits from its expectation over data sets of this
size (Molnar et al. 2023, section 7). To first order a refit's estimate is

.. math:: \hat\theta_d - \theta = \frac{1}{n_1} \sum_{i \in B_d} a_i
          + \frac{1}{n_2} \sum_{i \in B_{-d}} b_i + \text{noise}_d,

where :math:`a_i` is the effect of learning from row i and :math:`b_i` that of being scored on it.
The mean over many refits then has variance :math:`(S_{aa} + S_{bb} + 2 S_{ab}) / n` with S the
(co)variances over rows, whereas the sample variance of the estimates has expectation

.. math:: E s^2 = \frac1n \left[ \tfrac{n_2}{n_1} S_{aa} + \tfrac{n_1}{n_2} S_{bb} - 2 S_{ab}
          \right] + \operatorname{var} \text{noise}_d.

Times :math:`n_2 / n_1` it holds the variance of being scored, a third of that of learning, and the
covariance with the wrong sign: a refit that learns from a row does not score it, so that the one
effect comes with the lack of the other. That is why the correction of Nadeau and Bengio is too
small for linear models, most of all for their importance, where :math:`a_i` and :math:`b_i` go
together, and looks right for trees, whose noise makes up for what is missing.

============================== =========================== =====================================
interval                       for                         what it takes besides the estimates
============================== =========================== =====================================
`corrected_interval`           performance; anything, with nothing
                               less coverage
`row_effect_interval`          importance by a loss, where values of held-out rows
                               features do not correlate
`variance_components_interval` importance and dependence   values of held-out rows
`group_jackknife_interval`     dependence, and importance  values of held-out rows, of refits
                               that does not look at the   that leave two groups out
                               target
============================== =========================== =====================================

`benchmarks/coverage.md` has the coverage of all four.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import stdtrit

from uqwidgets._typing import Floats
from uqwidgets._utils.choices import unknown
from uqwidgets.inference import checked_level

Correction = Literal["nadeau-bengio"]
# How much the standard error may grow with the estimate, per standard error: with 15 refits the
# lower end of a 95 % interval of row effects then stays that of a one-sided 95 % interval. Where
# the variance has less by assumption it grows more; both were settled by simulation.
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


def corrected_interval(
    estimates: Floats,
    n_train: float,
    n_test: float,
    level: float = 0.95,
    correction: Correction | float | None = "nadeau-bengio",
) -> LearnerInterval:
    r"""Interval of t with m - 1 degrees of freedom and a corrected variance.

    Source: Molnar et al. 2023, section 7.3.

    The variance is :math:`(1/m + c) s^2`, with s^2 the sample variance of the estimates and c =
    n_test / n_train (Nadeau and Bengio 2003, Machine Learning 52, 239-281).

    Parameters
    ----------
    estimates : ndarray of shape (m, ...)
        The estimate of each refit, for as many quantities as there are further axes.
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
        that is none.
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
    r"""Interval for importance by a loss, in which a row counts alike as learned from and scored.

    The importance that a learner gives a feature by a loss that it makes small is, to first order,
    the product of the effect in the rows learned from and of the effect in the rows scored. For
    least squares it is symmetric in both, :math:`a_i = b_i`; where a learner shrinks effects, as
    forests do, :math:`a_i` is smaller and the interval on the safe side. That takes features that
    do not correlate: with correlation :math:`\rho` between two features of least squares the
    noise of the target makes :math:`S_{aa} = S_{bb} (1 + 3 \rho^2) / (1 - \rho^2)`, nearly five
    times as much at 0.7, where `variance_components_interval` is the one to take. So the variance
    of the mean over refits is

    .. math:: V = 4 \hat S_{bb} / n

    with the variance of row effects as `row_effect_variance` gives it, which every refit that a
    row was held out of helps to find: it takes no effect of learning, too small to be seen among
    the noise of 15 refits.

    Importance is also quadratic in the strength of an effect, hence its variance proportional to
    itself: tables that happen to show a weak effect give a small importance with a small standard
    error, and symmetric intervals miss on one side only. As in Wilson's interval of a proportion,
    the variance is taken at each candidate,

    .. math:: (\theta - \hat\theta)^2 = t^2 V \left[ 1 + r (\theta - \hat\theta) / \sqrt V
              \right], \quad r = \min(\sqrt V / \hat\theta,\, 0.3),

    with 0.3 where the estimate is not positive. The interval is nowhere narrower than
    `corrected_interval`, which has the noise of refits that row effects leave out. The quantile t
    is that of (m - 1) / 2 degrees of freedom; these and the 0.3 were settled by simulation.

    Parameters
    ----------
    estimates : ndarray of shape (m, ...)
    row_variance : ndarray of shape (...)
        As `row_effect_variance` gives it.
    n : int
        Number of rows of the table.
    n_train, n_test : float
        As in `corrected_interval`.
    level : float

    Returns
    -------
    LearnerInterval
        Its upper end is farther from the estimate than its lower end, or as far.

    Raises
    ------
    ValueError
        With fewer than two refits, or a level that is none.
    """
    corrected = corrected_interval(estimates, n_train, n_test, level)
    estimate = corrected.estimate
    t = _quantile((len(estimates) - 1) / 2, level)
    error = np.sqrt(4 * np.maximum(row_variance, 0.0) / n)
    return _no_narrower(corrected, error, *_bent(estimate, error, t, _LARGEST_SLOPE))


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
    r"""Interval from the variances of learning, of being scored, and of their covariance.

    Of the three parts of the variance of the mean over refits that the sample variance of the
    estimates holds (see above), row effects give :math:`S_{bb}`, and theory gives
    :math:`S_{ab}`: it is 0 where the target is not looked at, for what a row teaches is its
    noise, of mean 0 given its features; and for importance by a loss that the learner makes small,
    :math:`S_{ab} = S_{bb}`, whether features correlate or not, as least squares shows. So
    :math:`S_{aa}` is what is left,

    .. math:: \frac{S_{aa}}{n} = \frac1\lambda \left[ s^2 - \frac{\hat S_{rb}}{n_2}
              - \left( \frac1{n_2} - \frac1n \right) \hat S_{bb} + \frac2n S_{ab} \right],
              \quad V = \frac{S_{aa} + \hat S_{bb} + 2 S_{ab}}{n} + \frac{\hat S_{rb}}{m\, n_2},

    with :math:`S_{rb}` the interaction of refits and rows, the noise of permutations in it, and
    :math:`\lambda` the variance between refits of how often one learns from a row, over that
    between tables: :math:`n / n_1 - 1`, and 1 for the bootstrap, whose refits vary by what they
    learn as fits on fresh tables do. The noise of a fit itself counts as if it were learning, on
    the safe side. V is nowhere less than the variance of `corrected_interval`.

    Importance by a loss has the ends of `row_effect_interval`, which grow with the candidate, with
    0.5 in the place of 0.3, and t with (m - 1) / 3 degrees of freedom; everything else is symmetric
    with (m - 1) / 2; no fewer than one.

    Parameters
    ----------
    estimates : ndarray of shape (m, ...)
    row_variance, interaction : ndarray of shape (...)
        As `row_effect_variance` and `interaction_variance` give them.
    n : int
        Number of rows of the table.
    n_train, n_test : float
        As in `corrected_interval`.
    level : float
    bootstrap : bool
        Whether refits learn from n rows drawn with replacement; else from ``n_train`` distinct
        ones.
    of_loss : bool
        Whether it is importance by a measure that looks at the target.

    Returns
    -------
    LearnerInterval

    Raises
    ------
    ValueError
        With fewer than two refits, or a level that is none.
    """
    corrected = corrected_interval(estimates, n_train, n_test, level)
    m = len(estimates)
    rows = np.maximum(row_variance, 0.0)
    together = rows if of_loss else np.zeros_like(rows)
    noise = interaction / n_test
    drawn = 1.0 if bootstrap else n / n_train - 1
    left = estimates.var(axis=0, ddof=1) - noise - (1 / n_test - 1 / n) * rows + 2 * together / n
    learning = np.maximum(left / drawn, 0.0)
    variance = learning + (rows + 2 * together) / n + noise / m
    error = np.sqrt(np.maximum(variance, corrected.std_error**2))
    if of_loss:
        t = _quantile(max((m - 1) / 3, 1.0), level)
        ends = _bent(corrected.estimate, error, t, _LARGEST_SLOPE_OF_COMPONENTS)
        return _no_narrower(corrected, error, *ends)
    half = _quantile(max((m - 1) / 2, 1.0), level) * error
    return _no_narrower(corrected, error, half, half)


def _bent(estimate: Floats, error: Floats, t: float, steepest: float) -> tuple[Floats, Floats]:
    """How far down and up an interval reaches whose standard error grows with the candidate."""
    slope = np.full_like(error, steepest)
    np.divide(error, estimate, out=slope, where=estimate > error / steepest)
    bend = t * slope / 2
    root = np.sqrt(1 + bend**2)
    return t * error * (root - bend), t * error * (root + bend)


def group_jackknife_interval(
    estimates: Floats,
    table: Floats,
    n_train: float,
    n_test: float,
    level: float = 0.95,
) -> LearnerInterval:
    r"""Interval by the delete-a-group jackknife, from refits that leave every two groups out.

    The refits that left group e out, asked about the other group that each left out, are the
    cross-validation of the table without e. So the means :math:`c_e` of the table's columns are
    the jackknife's replicates, without a further refit, and hold what a row does by being learned
    from and by being scored together with its sign:

    .. math:: V_J = \frac{G - 1}{G} \sum_e (c_e - \bar c)^2 .

    Each replicate rests on G - 1 refits only, and the noise of a refit, which the mean over all m
    refits hardly has, would count in full. Its variance is known from what the sums of the effects
    of two groups leave unexplained: :math:`\sigma_s^2` of the mean of a refit's two groups (m - G
    degrees of freedom) and :math:`\sigma_a^2` of half their difference (m - G + 1). Then

    .. math:: V = V_J - \sigma_a^2 - \left( \frac{G - 2}{G} - \frac1m \right) \sigma_s^2

    is without bias. The interval is that of t with G - 1 degrees of freedom, but nowhere narrower
    than `corrected_interval`.

    Parameters
    ----------
    estimates : ndarray of shape (m, ...)
    table : ndarray of shape (G, G, ...)
        As `group_table` gives it.
    n_train, n_test : float
        As in `corrected_interval`.
    level : float

    Returns
    -------
    LearnerInterval

    Raises
    ------
    ValueError
        If a refit is missing, or the level is none.
    """
    m, n_groups = len(estimates), len(table)
    off = ~np.eye(n_groups, dtype=bool)
    if m != n_groups * (n_groups - 1) // 2 or np.isnan(table[off]).any():
        raise ValueError(
            f"the jackknife over {n_groups} groups needs the refit of every two groups, and has "
            f"{m} of {n_groups * (n_groups - 1) // 2} or rows without a value; finish the refits "
            "or use corrected_interval."
        )
    corrected = corrected_interval(estimates, n_train, n_test, level)
    replicates = np.nanmean(table, axis=0)
    jackknife = (n_groups - 1) * replicates.var(axis=0)
    together, apart = _noise(table)
    noise = apart + ((n_groups - 2) / n_groups - 1 / m) * together
    error = np.sqrt(np.maximum(jackknife - noise, 0.0))
    half = _quantile(n_groups - 1, level) * error
    return _no_narrower(corrected, error, half, half)


def _noise(table: Floats) -> tuple[Floats, Floats]:
    """Variances of a refit's noise: of the mean of its two groups, of half their difference."""
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
        _unexplained(mean, member) / (m - n_groups),
        _unexplained(difference, signed) / (m - n_groups + 1),
    )


def _unexplained(values: Floats, effects: Floats) -> Floats:
    flat = values.reshape(len(values), -1)
    left = flat - effects @ np.linalg.lstsq(effects, flat, rcond=None)[0]
    squares: Floats = np.square(left).sum(axis=0)
    return squares.reshape(values.shape[1:])


def _no_narrower(
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
    """Return what is added to 1/m in the variance of a mean over m refits.

    Raises
    ------
    ValueError
        If the correction has an unknown name or is negative.
    """
    if correction is None:
        return 0.0
    if correction == "nadeau-bengio":
        return n_test / n_train
    if isinstance(correction, (int, float)) and correction >= 0:
        return float(correction)
    if isinstance(correction, str):
        raise ValueError(unknown("correction", correction, ["nadeau-bengio"]))
    raise ValueError(
        f"correction is {correction!r}; it must be 'nadeau-bengio', a number from 0, or None."
    )
