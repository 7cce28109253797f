"""The rows that are averaged over, and weighted means over them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from uqwidgets._typing import Floats, Positions
from uqwidgets._utils.masks import refuse_masked
from uqwidgets._utils.options import has_text, has_truth_value
from uqwidgets.inference.groups import GroupCount, RowGroups
from uqwidgets.inference.sums import weighted_sums

#: Arrays of (lines, rows) are processed whole while they fit the processor's cache, else a few
#: lines at a time.
CACHED_VALUES = 1 << 16
# Smaller numbers have less precision, and so have their ratios.
_LEAST_WEIGHT = 1e-305


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
    groups : RowGroups or None
        Rows that may depend on each other; None if each row is independent of all others.
    """

    weights: Floats
    scored: Floats
    rows: Positions | None
    weighted: bool
    groups: RowGroups | None = None

    @classmethod
    def of(
        cls, n: int, sample_weight: Any = None, rows: Any = None, groups: RowGroups | None = None
    ) -> Population:
        """Check the weights and rows that a user passes.

        Parameters
        ----------
        n : int
            Number of rows of the table.
        sample_weight : array-like of shape (n,), optional
            See `checked_weights`.
        rows : array-like, optional
            A mask of shape (n,), or different positions of rows; negative ones count from the end.
        groups : RowGroups, optional

        Raises
        ------
        ValueError
            As `checked_weights`, if rows are neither, or no row of positive weight is scored.
        """
        weights = np.ones(n) if sample_weight is None else checked_weights(sample_weight, n)
        chosen = None if rows is None else _checked_rows(rows, n)
        scored = weights
        if chosen is not None:
            scored = np.zeros(n)
            scored[chosen] = weights[chosen]
            if not scored.any():
                raise ValueError("every chosen row has weight 0; choose others.")
        return cls(weights, scored, chosen, sample_weight is not None, groups)

    def reweighted(self, weights: Floats) -> Population:
        """Return the same rows with other weights (n,) of mean 1, which are not checked."""
        scored = weights
        if self.rows is not None:
            scored = np.zeros(len(weights))
            scored[self.rows] = weights[self.rows]
        return replace(self, weights=weights, scored=scored, weighted=True)

    def among(self, members: Positions) -> Population:
        """Return the population of some of the rows, in which positions count among these.

        Parameters
        ----------
        members : ndarray of shape (u,)
            Positions; at least one is scored with a positive weight.
        """
        scored = self.scored[members]
        return Population(
            self.weights[members],
            scored,
            np.flatnonzero(scored),
            self.weighted,
            None if self.groups is None else self.groups.among(members),
        )

    @property
    def units(self) -> Population:
        """The population of what is drawn independently: the groups, or else the rows themselves.

        The weight of a group is the sum of those of its rows.
        """
        # Not cached, because a population that holds itself stays in memory.
        return self if self.groups is None else self._of_groups

    @cached_property
    def _of_groups(self) -> Population:
        assert self.groups is not None
        scale = len(self.groups) / len(self.weights)
        weights, scored = (scale * self.of_units(each) for each in (self.weights, self.scored))
        rows = None if self.rows is None else np.flatnonzero(scored)
        return Population(weights, scored, rows, weighted=True)

    @property
    def group_count(self) -> GroupCount | None:
        """The number of groups of the scored rows; None if each row is independent."""
        if self.groups is None:
            return None
        return GroupCount(self.groups.name, len(self.units.positions), self.units.ess)

    def of_units(self, values: Floats) -> Floats:
        """Return sums over the rows of each of the `units`: (..., n) to (..., u)."""
        return values if self.groups is None else self.groups.sums(values)

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
    weights: :math:`\sum s_i^2 (v_i - \bar v)^2 / (\sum s_i)^2`, times ESS / (ESS - 1). Rows of a
    group are added before they are squared, and the ESS is that of the groups.

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
    step = max(1, CACHED_VALUES // max(1, values.shape[1]))
    for k in range(0, len(values), step):
        lines = slice(k, k + step)
        mean[lines] = weighted_sums(values[lines], s)
        deviation = values[lines] - mean[lines, None]
        if population.groups is not None:
            variance[lines] = np.square(population.groups.sums(s * deviation)).sum(axis=1)
            continue
        variance[lines] = weighted_sums(np.square(deviation, out=deviation), squared)
    return mean, np.sqrt(variance * population.units.small_sample)


def influences_on_means(values: Floats, means: Floats, population: Population) -> Floats:
    """Return the influences of rows, or groups of rows, on weighted means, up to a factor: (m, u).

    Parameters
    ----------
    values : ndarray of shape (m, n)
    means : ndarray of shape (m,)
        Their `mean_over_rows`.
    population : Population
    """
    return population.of_units(population.scored * (values - means[:, None]))


def half_width(std_error: npt.ArrayLike, level: float, population: Population) -> Floats:
    """Half the width of a t interval with ESS - 1 degrees of freedom (n - 1 without weights).

    The ESS is that of the groups, if rows belong together. The width is NaN where a single row or
    group has all the weight.

    Parameters
    ----------
    std_error : array-like
    level : float
    population : Population
    """
    df = population.units.ess - 1
    quantile = stdtrit(df if df > 0 else np.nan, (1 + level) / 2)
    return np.asarray(quantile * np.asarray(std_error, dtype=np.float64))


def checked_weights(weights: Any, n: int, name: str = "sample_weight") -> Floats:
    """Return weights that a user passes, with mean 1.

    Parameters
    ----------
    weights : array-like of shape (n,)
        Of any scale. Truth values count as 1 and 0, and so does less than 1e-305 of the greatest
        weight, as where an exponential function underflows, as 0.
    n : int
    name : str
        Of the argument.

    Raises
    ------
    ValueError
        If a weight is no number or negative, or if all are 0 or less than 1e-305.
    """
    refuse_masked(weights, name, "give each row a weight, such as 0")
    try:
        listed = np.asarray(weights)
        is_number = listed.dtype.kind in "biuf" or (listed.dtype == object and not has_text(listed))
        if not is_number:
            raise TypeError
        values = np.asarray(listed, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} must be numbers; pass one weight per row.") from None
    if values.shape != (n,):
        raise ValueError(
            f"{name} has shape {values.shape} but X has {n} rows; pass one weight per row."
        )
    if not np.isfinite(values).all() or values.min() < 0:
        row = int(np.argmax(~np.isfinite(values) | (values < 0)))
        raise ValueError(
            f"{name} is {values[row]:g} in row {row}; weights must be finite and >= 0."
        )
    heaviest = values.max()
    if heaviest == 0:
        raise ValueError(f"{name} is 0 everywhere; give at least one row a weight.")
    if heaviest < _LEAST_WEIGHT:
        raise ValueError(
            f"{name} is at most {heaviest:g}; pass it at another scale, because ratios of such "
            "small numbers are inexact."
        )
    relative = values / heaviest  # avoids overflow and underflow of the sum
    relative[relative < _LEAST_WEIGHT] = 0.0
    return np.asarray(relative / relative.mean())


def _checked_rows(rows: Any, n: int) -> Positions:
    refuse_masked(rows, "rows")
    try:
        chosen: npt.NDArray[Any] = np.asarray(rows)
    except ValueError:  # lists of several lengths
        chosen = np.asarray("")
    # A list of whole numbers and truth values becomes an array of numbers.
    is_mixed = isinstance(rows, (list, tuple)) and chosen.dtype != bool and has_truth_value(rows)
    if is_mixed or (chosen.dtype.kind not in "iub" and chosen.size):
        raise ValueError("rows must be a mask of the rows, or their positions as whole numbers.")
    if chosen.dtype == bool:
        if chosen.shape != (n,):
            raise ValueError(
                f"the mask rows has shape {chosen.shape} but X has {n} rows; pass one value per "
                "row."
            )
        chosen = np.flatnonzero(chosen)
    elif chosen.ndim != 1:
        raise ValueError(f"rows has shape {chosen.shape}; pass a list of positions, or a mask.")
    if len(chosen) == 0:
        raise ValueError("rows chooses no row; choose at least one.")
    outside = chosen[(chosen < -n) | (chosen >= n)]
    if len(outside):
        raise ValueError(f"rows contains position {outside[0]}; pass positions from 0 to {n - 1}.")
    distinct, counts = np.unique(chosen.astype(np.intp) % n, return_counts=True)
    if counts.max() > 1:
        raise ValueError(
            f"rows contains position {distinct[counts.argmax()]} twice; pass each once, and the "
            "number of times as sample_weight."
        )
    return distinct
