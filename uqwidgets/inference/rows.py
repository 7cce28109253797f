"""Weighted means over rows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from uqwidgets._typing import Floats
from uqwidgets.inference.population import Population
from uqwidgets.inference.sums import weighted_sums

# Work on whole lines of values while they fit the processor's cache, else a few at a time.
_CACHED_VALUES = 1 << 16


def mean_over_rows(values: Floats, population: Population) -> tuple[Floats, Floats]:
    """Weighted mean over rows of each line of ``values``, with its standard error.

    Parameters
    ----------
    values : ndarray of shape (m, n)
    population : Population

    Returns
    -------
    mean, std_error : ndarray of shape (m,)
        The variance is that of a mean of independent rows (Molnar et al. 2023, section 6), in its
        form for unequal weights: sum s^2 (v - mean)^2 / (sum s)^2, times ESS / (ESS - 1).
    """
    s = population.scored / population.scored.sum()
    squared = np.square(s)
    mean, variance = np.empty(len(values)), np.empty(len(values))
    step = max(1, _CACHED_VALUES // max(1, values.shape[1]))
    for k in range(0, len(values), step):
        lines = slice(k, k + step)
        mean[lines] = weighted_sums(values[lines], s)
        deviation = values[lines] - mean[lines, None]
        variance[lines] = weighted_sums(np.square(deviation, out=deviation), squared)
    return mean, np.sqrt(variance * population.small_sample)


def half_width(std_error: npt.ArrayLike, level: float, population: Population) -> Floats:
    """Half the width of a t interval with ESS - 1 degrees of freedom (n - 1 without weights).

    It is NaN where a single row holds all the weight.

    Parameters
    ----------
    std_error : array-like
    level : float
    population : Population
    """
    df = population.ess - 1
    quantile = stdtrit(df if df > 0 else np.nan, (1 + level) / 2)
    return np.asarray(quantile * np.asarray(std_error, dtype=np.float64))
