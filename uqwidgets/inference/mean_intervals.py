"""Intervals of means over rows, corrected for the skewness of the rows' influences.

The intervals of scores, of curves and surfaces, and of summaries under stress are of this kind.
That of an importance, a mean over pairs of rows, has the same degrees of freedom and the same
correction (`uqwidgets.inference.moments`).
`benchmarks/bench_means.py` has their coverage beside that of a
plain interval of t.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.inference.moments import quantile
from uqwidgets.inference.population import CACHED_VALUES, Population
from uqwidgets.inference.sums import dots, weighted_sums
from uqwidgets.inference.variance import satterthwaite_df, skewness_corrected

# Fewer degrees of freedom than this, and than this share of the rows, mean that a few rows decide
# the variance, and that larger ones may be missing. Chosen by simulation, see
# benchmarks/bench_means.py: it finds errors of t with 3 degrees of freedom, whose intervals cover
# less, and neither normal nor exponential losses. With fewer rows their tails hardly show.
_FEW_DEGREES, _SHARE_OF_ROWS, _ROWS_FOR_TAILS = 30.0, 1 / 15, 150


def have_heavy_tails(df: Floats, n: int) -> npt.NDArray[np.bool_]:
    """Whether a few of n rows, or groups of rows, decide variances with these degrees of freedom.

    The degrees of freedom are those of `satterthwaite_df`, about 2 n over the kurtosis of the
    influences.
    """
    is_known = n >= _ROWS_FOR_TAILS
    return np.asarray(is_known & (df < min(_FEW_DEGREES, _SHARE_OF_ROWS * n)))


class MeanIntervals(NamedTuple):
    r"""What the intervals of m means, or functions of means, follow from at any level.

    The quantile of t has the degrees of freedom of the estimated variance (Satterthwaite 1946), and
    Hall's cubic transformation corrects it for the skewness of the mean influence,
    :math:`\gamma = \sum \psi_i^3 / (\sum \psi_i^2)^{3/2}` (Hall 1992). Without it, an interval of
    a mean loss of few rows is too low: samples without a large loss have a low mean and a small
    error.

    Attributes
    ----------
    estimate, error, df, skewness : ndarray of one shape
    """

    estimate: Floats
    error: Floats
    df: Floats
    skewness: Floats

    @classmethod
    def of(cls, estimate: npt.ArrayLike, influence: Floats, most_df: npt.ArrayLike) -> Self:
        """Return the intervals of estimates with the influences of rows, or groups of rows.

        Parameters
        ----------
        estimate : array-like of shape (...)
        influence : ndarray of shape (..., u)
            To first order, their sum is the error of the estimate.
        most_df : array-like of shape (...)
            Largest degrees of freedom, those of the number of rows.
        """
        squares = np.square(influence)
        total = squares.sum(axis=-1)
        unit = np.where(total > 0, total, 1.0)
        skewness = dots(squares, influence) / unit**1.5
        df = np.minimum(satterthwaite_df(squares), most_df)
        return cls(np.asarray(estimate), np.sqrt(total), df, np.asarray(skewness))

    def at(self, level: float | Floats) -> tuple[Floats, Floats]:
        """Return both ends at a level; NaN without degrees of freedom, unless there is no error."""
        t = quantile(self.df, level, "t")
        upper, lower = skewness_corrected(np.stack([t, -t]), self.skewness)
        no_error = self.error == 0
        below, above = (np.where(no_error, 0.0, end * self.error) for end in (upper, lower))
        return self.estimate - below, self.estimate - above

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Return the intervals of all parts, arrays of shape (m,) each, one after the other."""
        return cls(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def mean_intervals(values: Floats, population: Population) -> MeanIntervals:
    """Return the intervals of the weighted mean over rows of each line of ``values`` (m, n).

    The standard error is that of `mean_over_rows`. If rows belong together, their influences are
    added first, and the degrees of freedom are those of the groups.
    """
    share = population.scored / population.scored.sum()
    units = population.units
    most_df = units.ess - 1 if units.ess > 1 else np.nan
    root = math.sqrt(units.small_sample) if units.ess > 1 else np.nan
    parts = []
    step = max(1, CACHED_VALUES // max(1, values.shape[1]))
    for k in range(0, len(values), step):
        lines = values[k : k + step]
        mean = weighted_sums(lines, share)
        influence = lines - mean[:, None]
        influence *= share * root
        of_units = population.of_units(influence)
        if units.rows is not None:
            of_units = np.take(of_units, units.rows, axis=1)
        parts.append(MeanIntervals.of(mean, of_units, np.full(len(mean), most_df)))
    return MeanIntervals.joined(parts)
