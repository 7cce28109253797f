"""Entropic projection: weights that move the mean of one column and stay closest to the data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets._utils.options import (
    MOST_POINTS,
    brief,
    checked_count,
    has_text,
    has_truth_value,
    is_whole,
)
from uqwidgets.inference.sums import dots
from uqwidgets.stress.anchors import Anchor, anchors_of
from uqwidgets.stress.compressed.compression import Compressed, compress
from uqwidgets.stress.compressed.levels import levels

# Weights of levels that are computed together.
_WEIGHTS = 1 << 14

Status = Literal["ok", "edge", "infeasible", "constant", "beyond quantile", "no value"]


@dataclass(frozen=True, eq=False)
class Projection:
    """Row weights for a column whose mean is to be ``target``.

    Attributes
    ----------
    weights : ndarray of shape (n,) or None
        Weights of mean 1; None where no weights reach the target.
    target, reached : float
        Mean to reach and weighted mean, in the column's unit; NaN where there are no weights.
    status : str
        See `uqwidgets.Stress`.
    """

    weights: Floats | None
    target: float
    reached: float
    status: Status


class Column:
    """A numeric column that can be stressed to many means.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Finite.
    tail : float
        Probability in each tail.
    anchor : {"quantile", "tail-mean"}, default="quantile"
        What tau = -1 and 1 stand for, see `uqwidgets.stress.anchors.Anchors`.
    """

    def __init__(self, values: Floats, tail: float, anchor: Anchor = "quantile") -> None:
        self.values = values
        self.mean = float(values.mean())
        self.anchors = anchors_of(values, tail, anchor)

    @property
    def std(self) -> float:
        """Standard deviation in the unit of the column, divided by n, not by n - 1."""
        return self._compressed.std

    def project(self, tau: float) -> Projection:
        """Weights at one level of tau within [-1, 1]."""
        return next(self.projections(np.array([tau])))

    def projections(self, taus: Floats) -> Iterator[Projection]:
        """Yield the weights at each level of tau (t,), solved on the compressed column.

        Source: Bachoc et al. 2023, eq. 4 and theorem 2.3.
        """
        solved = levels(self._compressed, taus)
        step = max(1, _WEIGHTS // len(self.values))
        for first in range(0, len(taus), step):
            some = slice(first, first + step)
            weights = solved.row_weights(some, self.values)
            moved = dots(weights, self.values - self.mean) / len(self.values)
            each = zip(taus[some].tolist(), solved.status[some].tolist(), moved, strict=True)
            for t, (tau, status, by) in enumerate(each):
                is_solved = status in ("ok", "edge")
                reached = self.mean + (float(by) if tau else 0.0) if is_solved else np.nan
                own = weights[t] if is_solved else None
                yield Projection(own, self.target(tau), reached, status)
                del own  # otherwise the weights stay in memory while the next are made
            del weights

    def target(self, tau: float) -> float:
        """Mean that tau stands for, by linear interpolation (Bachoc et al. 2023, section 2.2)."""
        end = self.anchors.low if tau < 0 else self.anchors.high
        return (1.0 - abs(tau)) * self.mean + abs(tau) * end

    @cached_property
    def end_influences(self) -> tuple[Floats, Floats]:
        """Influence of each row on the lower and on the upper anchor, each of shape (n,)."""
        low, high = (self.anchors.influence(self.values, upper=upper) for upper in (False, True))
        return low, high

    @cached_property
    def _compressed(self) -> Compressed:
        low, high = self.anchors.low, self.anchors.high
        return compress(self.values, (), low, high)


def checked_taus(taus: int | npt.ArrayLike) -> Floats:
    """Stress levels in ascending order; -1, 0 and 1 are always among them.

    A number gives evenly spaced levels; an even number is rounded up, so that 0 is a level.

    Raises
    ------
    ValueError
        If a level is outside [-1, 1], or there are too few or too many.
    """
    if is_whole(taus):
        if taus < 3:
            raise ValueError(
                f"taus is {brief(taus)}; give at least 3 levels, or the levels themselves."
            )
        taus = checked_count(taus, "taus", 3, MOST_POINTS)
        half = np.linspace(0.0, 1.0, (int(taus) + 1) // 2 + (int(taus) % 2 == 0))
        return np.concatenate([-half[:0:-1], half])
    try:
        if has_truth_value(taus) or has_text(taus) or np.ndim(taus) > 1:
            raise TypeError
        levels = np.asarray(taus, dtype=np.float64).ravel()
    except (TypeError, ValueError, OverflowError):
        raise ValueError("tau must be a number, or taus a list of numbers.") from None
    if not len(levels):
        raise ValueError("taus is empty; give at least one level, or how many.")
    checked_count(len(levels), "the number of taus", 1, MOST_POINTS)
    if not (np.abs(levels) <= 1).all():
        worst = levels[np.argmin(np.abs(levels) <= 1)]
        raise ValueError(f"tau is {worst:g}; it must lie within [-1, 1].")
    return np.union1d(levels, [-1.0, 0.0, 1.0])
