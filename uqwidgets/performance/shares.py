"""The interval of a share of rows."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from uqwidgets._typing import Floats


def wilson(share: Floats, ess: Floats, level: float) -> tuple[Floats, Floats]:
    r"""Wilson's score interval of a share (Wilson 1927).

    It is the set of shares :math:`\pi` with :math:`|\hat\pi - \pi| \le z \sqrt{\pi (1 - \pi) / m}`,
    where m is the effective number of rows. Unlike the interval of Wald it covers well near 0 and
    1, and never leaves them.

    Parameters
    ----------
    share : ndarray
        Between 0 and 1.
    ess : ndarray of the same shape
        Effective number of rows m.
    level : float

    Returns
    -------
    low, high : ndarray
        NaN where there is no row.
    """
    z2 = float(ndtri((1 + level) / 2)) ** 2
    with np.errstate(invalid="ignore", divide="ignore"):
        centre = (share + z2 / (2 * ess)) / (1 + z2 / ess)
        half = np.sqrt(z2 * (share * (1 - share) / ess + z2 / (4 * ess**2))) / (1 + z2 / ess)
    return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)
