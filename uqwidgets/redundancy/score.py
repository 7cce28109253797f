"""R2 with an interval."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.inference import half_width, mean_over_rows
from uqwidgets.inference.population import Population
from uqwidgets.inference.sums import dot, weighted_sums
from uqwidgets.stress.intervals import transformed_interval


@dataclass(frozen=True, eq=False)
class Score:
    """Share of the variance that predictions leave, and the influence of each row on it, (m,).

    Attributes
    ----------
    left : float
        1 - R2.
    influence : ndarray of shape (m,)
    population : Population
    """

    left: float
    influence: Floats
    population: Population

    @classmethod
    def of(cls, values: Floats, predicted: Floats, population: Population) -> Score:
        """Compare predictions with values, both of shape (m, k), all columns together."""
        share = population.scored / population.scored.sum()
        errors = np.square(values - predicted).sum(axis=1)
        spreads = np.square(values - weighted_mean(values, share)).sum(axis=1)
        spread = dot(share, spreads)
        left = dot(share, errors) / spread
        return cls(left, (errors - left * spreads) / spread, population)

    def r2(self, level: float) -> tuple[float, float, float]:
        """R2 and the ends of its interval, which like R2 itself stay below 1."""
        least, most = transformed_interval(self.left, self._half(level), (0.0, np.inf))
        return 1 - self.left, 1 - most, 1 - least

    def gain(self, before: Score, level: float) -> tuple[float, float, float]:
        """How much less is left than before, and the ends of its interval from the same rows."""
        gain = before.left - self.left
        half = replace(self, influence=before.influence - self.influence)._half(level)
        return gain, gain - half, gain + half

    def _half(self, level: float) -> float:
        _, std_error = mean_over_rows(self.influence[None], self.population)
        return float(half_width(std_error, level, self.population)[0])


def weighted_mean(values: Floats, share: Floats) -> Floats:
    """Weighted mean of every column: (m, k) and (m,) to (k,)."""
    return weighted_sums(values.T, share)
