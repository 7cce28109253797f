"""The rows that are averaged over."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats


@dataclass(frozen=True, eq=False)
class Population:
    """The rows that are averaged over.

    Weights describe a population and act on a row in both its roles, as scored and as donor
    of a value; chosen rows are those that are scored, while donors come from all.

    Attributes
    ----------
    weights : ndarray of shape (n,)
        Mean 1.
    scored : ndarray of shape (n,)
        The same weights, zero for rows that are not scored.
    rows : ndarray of shape (m,) or None
        Positions of the scored rows; None for all.
    weighted : bool
        Whether weights were given.
    """

    weights: Floats
    scored: Floats
    rows: npt.NDArray[np.intp] | None
    weighted: bool

    @classmethod
    def of(cls, n: int, sample_weight: Any = None, rows: Any = None) -> Population:
        """Check weights and rows as a person gives them.

        Parameters
        ----------
        n : int
            Rows of the table.
        sample_weight : array-like of shape (n,), optional
            Non-negative, of any scale.
        rows : array-like, optional
            A mask of shape (n,), or positions.

        Raises
        ------
        ValueError
            If a weight is negative or not finite, or nothing is left to average.
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

    @property
    def plain(self) -> bool:
        """Whether every row is scored, and all weigh the same."""
        return self.rows is None and not self.weighted

    @cached_property
    def uniform(self) -> bool:
        """Whether every row is scored, and all weights are equal."""
        return self.rows is None and bool(np.ptp(self.weights) == 0)

    @cached_property
    def positions(self) -> npt.NDArray[np.intp]:
        """Positions of the scored rows."""
        return np.arange(len(self.weights)) if self.rows is None else self.rows

    @cached_property
    def ess(self) -> float:
        """Effective sample size of the scored rows."""
        return effective_sample_size(self.scored)

    @property
    def small_sample(self) -> float:
        """What a mean square of deviations is multiplied by: ESS / (ESS - 1), NaN for one row."""
        m = self.ess
        return m / (m - 1) if m > 1 else np.nan


def effective_sample_size(weights: Floats) -> float:
    """Effective sample size of weights (n,): (sum w)^2 / sum w^2."""
    relative = weights / weights.max()  # squares of small weights are no floats
    return float(relative.sum() ** 2 / np.square(relative).sum())


def _checked_weights(sample_weight: Any, n: int) -> Floats:
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n,):
        raise ValueError(f"sample_weight has shape {weights.shape}; X has {n} rows.")
    if not np.isfinite(weights).all() or weights.min() < 0:
        row = int(np.argmax(~np.isfinite(weights) | (weights < 0)))
        raise ValueError(
            f"sample_weight is {weights[row]:g} in row {row}; weights must be finite and >= 0."
        )
    heaviest = weights.max()
    if heaviest == 0:
        raise ValueError("sample_weight is 0 everywhere; give at least one row a weight.")
    relative = weights / heaviest  # the sum of very large or small ones is no float
    return np.asarray(relative / relative.mean())


def _checked_rows(rows: Any, n: int) -> npt.NDArray[np.intp]:
    chosen = np.asarray(rows)
    if chosen.dtype == bool:
        if chosen.shape != (n,):
            raise ValueError(f"the mask rows has shape {chosen.shape}; X has {n} rows.")
        chosen = np.flatnonzero(chosen)
    elif chosen.dtype.kind not in "iu" and chosen.size:
        raise ValueError("rows must be a mask or positions of rows.")
    chosen = np.unique(chosen.astype(np.intp))
    if len(chosen) == 0:
        raise ValueError("rows chooses no row; choose at least one.")
    outside = chosen[(chosen < -n) | (chosen >= n)]
    if len(outside):
        raise ValueError(f"rows names position {outside[0]}; X has {n} rows, counted from 0.")
    return np.unique(chosen % n)
