"""Standard errors of stressed summaries: the delta method with re-solved weights."""

from __future__ import annotations

import numpy as np

from uqwidgets.predictive.distributions import Floats
from uqwidgets.stress.projection import Column


def influence(column: Column, tau: float, weights: Floats, outputs: Floats) -> Floats:
    r"""Influence of each row on the stressed means of some outputs.

    A fresh sample would have other rows, and with them another mean, other ends for tau and
    other weights. With target t, the weighted means :math:`\theta = \sum w_i o_i / n` solve
    :math:`\sum w_i (x_i - t) = 0` with :math:`w_i \propto e^{\xi x_i}` (004, eq. 4), so that

    .. math:: \mathrm{IF}_i = w_i \{(o_i - \theta) - \beta (x_i - t)\} + \beta\,\mathrm{IF}_i(t),

    where :math:`\beta = \mathrm{cov}_w(o, x) / \mathrm{var}_w(x)` is how the mean answers to
    the target, and :math:`\mathrm{IF}(t) = (1 - |\tau|)(x_i - m) + |\tau|\,\mathrm{IF}(end)`
    how the target hangs on the rows.

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
    end = column.anchors.influence(column.values, upper=tau > 0)
    target = (1 - abs(tau)) * x + abs(tau) * end
    moved = weights[:, None] * (centred - np.outer(deviation, slope))
    return np.asarray(moved + np.outer(target, slope))
