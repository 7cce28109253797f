"""What each row does to a stressed mean: the delta method with re-solved weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from uqwidgets.population import effective_sample_size
from uqwidgets.predictive.distributions import Floats
from uqwidgets.stress.left_out import LeftOut
from uqwidgets.stress.projection import Column
from uqwidgets.sums import dot

# A row that holds the solution alone says nothing of its own error.
_LEAST_FREEDOM = 0.05
# Of the largest value of a column, in its unit: what weighting it may round off.
_ROUNDING = 1e-13


@dataclass(frozen=True, eq=False)
class Leaning:
    """What the lack of a row, or of a group of rows, does to an estimate and to its error.

    Attributes
    ----------
    n : int
        Rows.
    weights, deviation, standard, bend, off : ndarray of shape (g,)
        Weight; distance from the target, and the same over the variance; their product; and by
        how much more than its own weight a row moves the target.
    lack : ndarray of shape (g,)
        1 over what of a row the solution leaves free.
    gone, turn, retarget : ndarray of shape (g,)
        Without a row: the weight that goes with it, how xi follows, and how the target moves.
    """

    n: int
    weights: Floats
    deviation: Floats
    standard: Floats
    bend: Floats
    off: Floats
    lack: Floats
    gone: Floats
    turn: Floats
    retarget: Floats

    def lean(self, direct: Floats, through: Floats, robust: Floats, slope: float) -> float:
        """How an estimate's error leans, see `Reweighted.influence`.

        Parameters
        ----------
        direct, through, robust : ndarray of shape (g,)
            Influence by the rows' own weight, by the target, and altogether with the stretch.
        slope : float
            How the estimate answers to the target.
        """
        plain, squares = direct + through, np.square(robust)
        total, robust_total = dot(plain, plain), float(squares.sum())
        lost = direct / self.n * self.lack
        moved = slope * self.retarget - lost
        moved -= moved.mean()
        movement = dot(moved, moved)
        if not (total > 0 and movement > 0):
            return 0.0
        # How the sum of squares answers to xi, to the weights' sum, to the mean and to the slope.
        by_turn = dot(plain * direct, self.deviation)
        by_sum = dot(plain, direct)
        by_mean = dot(plain, self.weights)
        by_slope = dot(plain, self.off)
        bend = dot(direct, self.bend) / self.n
        change = self.turn * (by_turn + bend * by_slope) + self.gone * by_sum
        change += lost * (by_mean - by_slope * self.standard)
        left = 1 - squares / robust_total + 2 * change / total
        log_error = np.log(np.maximum(left, _LEAST_FREEDOM)) / 2
        return float(dot(moved, log_error) / movement * np.sqrt(robust_total) / self.n)


class Reweighted:
    r"""A column at one level of tau: what each of its rows does to stressed means.

    A fresh sample would have other rows, and with them another mean, other ends for tau and
    other weights. With target t, the weighted mean :math:`\theta = \sum w_i o_i / n` of an output
    solves :math:`\sum w_i (x_i - t) = 0` with :math:`w_i \propto e^{\xi x_i}` (004, eq. 4), so
    that

    .. math:: \mathrm{IF}_i = w_i r_i + \beta\,\mathrm{IF}_i(t), \qquad
              r_i = (o_i - \theta) - \beta (x_i - t),

    where :math:`\beta = \mathrm{cov}_w(o, x) / \mathrm{var}_w(x)` is how the mean answers to
    the target, and :math:`\mathrm{IF}(t) = (1 - |\tau|)(x_i - m) + |\tau|\,\mathrm{IF}(end)`
    how the target hangs on the rows. :math:`r` are the residuals of a weighted regression of
    the output on the column, and as there (HC4: Cribari-Neto 2004) a row's residual is divided by
    :math:`(1 - h_i)^{\min(4, h_i / \bar h) / 2}`, with the leverage
    :math:`h_i = w_i / n \{1 + (x_i - t)^2 / \mathrm{var}_w(x)\}`. This tells how
    errors lean. How large they are comes from leaving out each row (`uqwidgets.stress.left_out`),
    or groups of rows (`uqwidgets.stress.directions`).

    The intervals that follow need weights of finite variance in the population: a column with
    a tail heavier than that of the exponential distribution has none when it is stressed far
    upwards. A small effective sample size tells of it. Nor do they know of a quantile that jumps
    from one value of a column of few values to the next.

    Parameters
    ----------
    column : Column
    tau : float
    weights : ndarray of shape (n,)
        Mean 1, those of the column at ``tau``.
    """

    def __init__(self, column: Column, tau: float, weights: Floats) -> None:
        n = len(weights)
        # In standard units: squares of very small or very large numbers are no floats.
        unit = column.std or 1.0
        x = (column.values - column.mean) / unit
        self.n, self.weights, self.share = n, weights, weights / n
        self.kept = effective_sample_size(weights) / n
        self.deviation = x - dot(self.share, x)
        spread = dot(self.share, np.square(self.deviation))
        # On the edge of the data all weight lies on one value, and there is nothing to solve.
        rounding = (_ROUNDING * float(np.abs(x).max())) ** 2
        inverse = 1 / spread if spread > rounding else 0.0
        self.standard = self.deviation * inverse
        hold = self.share * (1 + self.deviation * self.standard)
        free = np.maximum(1 - hold, _LEAST_FREEDOM)
        # Heavy rows draw the solution to themselves and look better fitted than a fresh row would.
        self.stretch = free ** (-np.minimum(4.0, hold / hold.mean()) / 2)
        low, high = column.end_influences
        self.target = (1 - abs(tau)) * x + abs(tau) * ((high if tau > 0 else low) / unit)
        # Without a row: the weight that goes with it, how the target moves, and how xi follows.
        self.gone = self.share / free
        self.retarget = -self.target / max(n - 1, 1)
        self.turn = (self.gone * self.deviation + self.retarget) * inverse
        self.inverse = inverse
        self.leaning = Leaning(
            n,
            weights=weights,
            deviation=self.deviation,
            standard=self.standard,
            bend=self.deviation * self.standard,
            off=self.target - weights * self.deviation,
            lack=1 / free,
            gone=self.gone,
            turn=self.turn,
            retarget=self.retarget,
        )

    def influence(self, output: Floats) -> tuple[Floats, float]:
        r"""Influence of each row on the stressed mean of an output, and how its error leans.

        The standard error of a skewed output is smallest in the very samples whose mean is too
        small. The lean is how much its logarithm grows while the estimate grows by one standard
        error: the slope of a regression of one on the other over the samples that lack one row,
        each with its weights solved anew. These follow to first order from :math:`\mathrm{IF}`,
        with :math:`1 / (1 - h_i)` for the weight that a lacking row had held. Of a plain mean it is
        half the skewness of the mean.

        Parameters
        ----------
        output : ndarray of shape (n,)

        Returns
        -------
        influence : ndarray of shape (n,)
            The variance of the mean is the mean square, over n.
        lean : float
        """
        centred = output - dot(self.share, output)
        slope = dot(self.share * self.standard, centred)
        residual = centred - slope * self.deviation
        direct, through = self.weights * residual, slope * self.target
        robust = direct * self.stretch + through
        return robust, self.leaning.lean(direct, through, robust, slope)

    @cached_property
    def left_out(self) -> LeftOut:
        """The same rows, without each of them in turn."""
        # Rows that share their value with a quantile make it seem to move on the whole.
        retarget = self.retarget - self.retarget.mean()
        return LeftOut(self.share, self.deviation, self.inverse, retarget, self.turn)
