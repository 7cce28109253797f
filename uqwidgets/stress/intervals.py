"""Standard errors of stressed summaries: the delta method with re-solved weights."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, stdtrit

from uqwidgets.predictive.distributions import Floats
from uqwidgets.stress.projection import Column

# A row that holds the solution alone says nothing of its own error.
_LEAST_FREEDOM = 0.05


def influence(column: Column, tau: float, weights: Floats, outputs: Floats) -> Floats:
    r"""Influence of each row on the stressed means of some outputs.

    A fresh sample would have other rows, and with them another mean, other ends for tau and
    other weights. With target t, the weighted means :math:`\theta = \sum w_i o_i / n` solve
    :math:`\sum w_i (x_i - t) = 0` with :math:`w_i \propto e^{\xi x_i}` (004, eq. 4), so that

    .. math:: \mathrm{IF}_i = w_i \{(o_i - \theta) - \beta (x_i - t)\} + \beta\,\mathrm{IF}_i(t),

    where :math:`\beta = \mathrm{cov}_w(o, x) / \mathrm{var}_w(x)` is how the mean answers to
    the target, and :math:`\mathrm{IF}(t) = (1 - |\tau|)(x_i - m) + |\tau|\,\mathrm{IF}(end)`
    how the target hangs on the rows. The first term is the residual of a weighted regression
    of the output on the column, and as there (HC4: Cribari-Neto 2004) a row's residual is
    divided by :math:`(1 - h_i)^{\min(4, h_i / \bar h) / 2}`, with the leverage
    :math:`h_i = w_i / n \{1 + (x_i - t)^2 / \mathrm{var}_w(x)\}`.

    The intervals that follow need weights of finite variance in the population: a column with
    a tail heavier than that of the exponential distribution has none when it is stressed far
    upwards. A small effective sample size tells of it.

    Parameters
    ----------
    column : Column
    tau : float
    weights : ndarray of shape (n,)
        Mean 1, those of the column at ``tau``.
    outputs : ndarray of shape (n, q)

    Returns
    -------
    ndarray of shape (n, q)
        The variance of the means is the mean square of each, over n.
    """
    n = len(weights)
    x = column.values - column.mean
    share = weights / n
    deviation = x - share @ x
    centred = outputs - share @ outputs
    spread = share @ np.square(deviation)
    if spread == 0:  # on the edge of the data, where all weight lies on one value
        return weights[:, None] * centred
    slope = (share * deviation) @ centred / spread
    # Heavy rows draw the solution to themselves and look better fitted than a fresh row would.
    hold = share * (1 + np.square(deviation) / spread)
    power = np.minimum(4.0, hold / hold.mean()) / 2
    weights = weights / np.maximum(1 - hold, _LEAST_FREEDOM) ** power
    end = column.anchors.influence(column.values, upper=tau > 0)
    target = (1 - abs(tau)) * x + abs(tau) * end
    moved = weights[:, None] * (centred - np.outer(deviation, slope))
    return np.asarray(moved + np.outer(target, slope))


def half_width(influence: Floats, level: float) -> float:
    r"""Half the width of an interval from the influence of each row on an estimate.

    Under stress few rows carry much of a sum. So the degrees of freedom of the t interval are
    those of the estimated variance itself (Satterthwaite): 2 over
    :math:`\sum \mathrm{IF}^4 / (\sum \mathrm{IF}^2)^2 - 1/n`.

    Parameters
    ----------
    influence : ndarray of shape (n,)
    level : float

    Returns
    -------
    float
        In the unit of the influence.
    """
    n = len(influence)
    squares = np.square(influence)
    total = float(squares.sum())
    if total == 0:
        return 0.0
    excess = float(np.square(squares).sum()) / total**2 - 1 / n
    freedom = min(n - 1.0, 2 / max(excess, 2 / n**2))
    return float(stdtrit(max(freedom, 1.0), (1 + level) / 2) * np.sqrt(total) / n)


def interval(value: float, half: float, bounds: tuple[float, float]) -> tuple[float, float]:
    """Find the ends of an interval on the scale on which an estimate has room to both sides.

    Shares are taken on the logit scale and positive quantities on that of the logarithm, where
    the interval is symmetric; so its ends never leave what the quantity can be.

    Parameters
    ----------
    value : float
        The estimate.
    half : float
        Half the width of the interval that is symmetric around it.
    bounds : tuple of float
        (0, 1), (0, inf) or (-inf, inf).
    """
    low, high = bounds
    if not low < value < high or np.isinf(low):
        return value - half, value + half
    if np.isinf(high):
        ratio = float(np.exp(half / value))
        return value / ratio, value * ratio
    logit, step = np.log(value / (1 - value)), half / (value * (1 - value))
    return float(expit(logit - step)), float(expit(logit + step))
