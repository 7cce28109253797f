"""The rows that are averaged over, and weighted means over them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from uqwidgets._typing import Floats, Positions
from uqwidgets._utils.masks import refuse_masked
from uqwidgets.inference.sums import weighted_sums

# Arrays of (lines, rows) are processed whole while they fit the processor's cache, else a few
# lines at a time.
_CACHED_VALUES = 1 << 16


@dataclass(frozen=True, eq=False)
class Population:
    """The rows that are averaged over.

    Weights describe a population and act on a row in both its roles, as the row that is scored and
    as the donor of a value. Chosen rows are the ones that are scored; donors come from all rows.

    Attributes
    ----------
    weights : ndarray of shape (n,)
        Weights of the rows as donors, of mean 1.
    scored : ndarray of shape (n,)
        The same weights, zero for rows that are not scored.
    rows : ndarray of shape (m,) or None
        Positions of the scored rows; None for all.
    weighted : bool
        Whether the user passed weights.
    """

    weights: Floats
    scored: Floats
    rows: Positions | None
    weighted: bool

    @classmethod
    def of(cls, n: int, sample_weight: Any = None, rows: Any = None) -> Population:
        """Check the weights and rows that a user passes.

        Parameters
        ----------
        n : int
            Number of rows of the table.
        sample_weight : array-like of shape (n,), optional
            Non-negative, of any scale.
        rows : array-like, optional
            A mask of shape (n,), or positions of rows.

        Raises
        ------
        ValueError
            If a weight is negative or not finite, or no row of positive weight is scored.
        """
        weights = np.ones(n) if sample_weight is None else _checked_weights(sample_weight, n)
        chosen = None if rows is None else _checked_rows(rows, n)
        scored = weights
        if chosen is not None:
            scored = np.zeros(n)
            scored[chosen] = weights[chosen]
            if not scored.any():
                raise ValueError("every chosen row has weight 0; choose others.")
        return cls(weights, scored, chosen, sample_weight is not None)

    def reweighted(self, weights: Floats) -> Population:
        """Return the same rows with other weights (n,) of mean 1, which are not checked."""
        scored = weights
        if self.rows is not None:
            scored = np.zeros(len(weights))
            scored[self.rows] = weights[self.rows]
        return Population(weights, scored, self.rows, weighted=True)

    def among(self, members: Positions) -> Population:
        """Return the population of some of the rows, in which positions count among these.

        Parameters
        ----------
        members : ndarray of shape (u,)
            Positions; at least one is scored with a positive weight.
        """
        scored = self.scored[members]
        return Population(self.weights[members], scored, np.flatnonzero(scored), self.weighted)

    @property
    def plain(self) -> bool:
        """Whether every row is scored and the user passed no weights."""
        return self.rows is None and not self.weighted

    @cached_property
    def uniform(self) -> bool:
        """Whether every row is scored and all weights are equal."""
        return self.rows is None and bool(np.ptp(self.weights) == 0)

    @cached_property
    def positions(self) -> Positions:
        """Positions of the scored rows."""
        return np.arange(len(self.weights)) if self.rows is None else self.rows

    @cached_property
    def ess(self) -> float:
        """Effective sample size of the scored rows, (sum s)^2 / sum s^2."""
        return effective_sample_size(self.scored)

    @cached_property
    def evenness(self) -> float:
        """Effective sample size over the number of scored rows of positive weight, at most 1."""
        return min(1.0, self.ess / np.count_nonzero(self.scored))

    @property
    def leverage(self) -> Floats:
        """Factor 1 / (1 - h) of every row with the share h of the weight, shape (n,).

        With m equal weights it is Bessel's correction m / (m - 1), as it is for rows that are not
        scored, with the effective sample size as m. It is NaN if one row has all the weight.
        """
        shares = self.scored / self.scored.sum()
        if not self.ess > 1:
            return np.full(len(shares), np.nan)
        return np.where(shares > 0, 1 / (1 - shares), self.small_sample)

    @cached_property
    def leverage_cubed(self) -> Floats:
        """Third power of `leverage`, shape (n,)."""
        leverage = self.leverage
        return np.asarray(leverage * leverage * leverage)

    @property
    def small_sample(self) -> float:
        """Bessel's correction of a mean squared deviation: ESS / (ESS - 1), NaN for one row."""
        ess = self.ess
        return ess / (ess - 1) if ess > 1 else np.nan


def effective_sample_size(weights: Floats) -> float:
    """Effective sample size of weights (n,): (sum w)^2 / sum w^2."""
    return float(effective_sample_sizes(weights))


def effective_sample_sizes(weights: Floats) -> Floats:
    """Effective sample size of weights (..., n) in each population."""
    # Relative weights avoid the underflow of squares of small weights.
    relative = weights / weights.max(axis=-1, keepdims=True)
    return np.asarray(np.square(relative.sum(axis=-1)) / np.square(relative).sum(axis=-1))


def mean_over_rows(values: Floats, population: Population) -> tuple[Floats, Floats]:
    r"""Weighted mean over rows of each line of ``values``, with its standard error.

    The variance is that of a mean of independent rows (Molnar et al. 2023, section 6) for unequal
    weights: :math:`\sum s_i^2 (v_i - \bar v)^2 / (\sum s_i)^2`, times ESS / (ESS - 1).

    Parameters
    ----------
    values : ndarray of shape (m, n)
    population : Population

    Returns
    -------
    mean, std_error : ndarray of shape (m,)
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

    It is NaN where a single row has all the weight.

    Parameters
    ----------
    std_error : array-like
    level : float
    population : Population
    """
    df = population.ess - 1
    quantile = stdtrit(df if df > 0 else np.nan, (1 + level) / 2)
    return np.asarray(quantile * np.asarray(std_error, dtype=np.float64))


def _checked_weights(sample_weight: Any, n: int) -> Floats:
    refuse_masked(sample_weight, "sample_weight", "give each row a weight, such as 0")
    try:
        if np.iscomplexobj(sample_weight):
            raise TypeError
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("sample_weight must be numbers; pass one weight per row.") from None
    if weights.shape != (n,):
        raise ValueError(
            f"sample_weight has shape {weights.shape} but X has {n} rows; pass one weight per row."
        )
    if not np.isfinite(weights).all() or weights.min() < 0:
        row = int(np.argmax(~np.isfinite(weights) | (weights < 0)))
        raise ValueError(
            f"sample_weight is {weights[row]:g} in row {row}; weights must be finite and >= 0."
        )
    heaviest = weights.max()
    if heaviest == 0:
        raise ValueError("sample_weight is 0 everywhere; give at least one row a weight.")
    relative = weights / heaviest  # avoids overflow and underflow of the sum
    return np.asarray(relative / relative.mean())


def _checked_rows(rows: Any, n: int) -> Positions:
    refuse_masked(rows, "rows")
    chosen = np.asarray(rows)
    if chosen.dtype == bool:
        if chosen.shape != (n,):
            raise ValueError(
                f"the mask rows has shape {chosen.shape} but X has {n} rows; pass one value per "
                "row."
            )
        chosen = np.flatnonzero(chosen)
    elif chosen.dtype.kind not in "iu" and chosen.size:
        raise ValueError("rows must be a mask of the rows, or their positions as whole numbers.")
    chosen = np.unique(chosen.astype(np.intp))
    if len(chosen) == 0:
        raise ValueError("rows chooses no row; choose at least one.")
    outside = chosen[(chosen < -n) | (chosen >= n)]
    if len(outside):
        raise ValueError(f"rows contains position {outside[0]}; pass positions from 0 to {n - 1}.")
    return np.unique(chosen % n)
