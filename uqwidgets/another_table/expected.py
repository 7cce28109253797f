"""Scores that are expected in another table, from the rows at hand that look like its rows.

If the relation of y to x is the same in both tables, a score there is that of the rows at hand with
the weights towards the other table (`weights`). Its interval contains the errors of both samples:
the influence of a row at hand on the score, through its own term and through the weights, and that
of a row there through the moments that the weights aim at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from uqwidgets._typing import Floats, Positions
from uqwidgets.another_table.weights import TowardsTable
from uqwidgets.inference import Bounds, Moments, listed_bounds
from uqwidgets.inference.groups import RowGroups
from uqwidgets.inference.moments import moments_of_influences
from uqwidgets.inference.population import Population
from uqwidgets.performance.metrics import RankIndicator
from uqwidgets.performance.scores import Score, value_and_influence
from uqwidgets.stress.indicators import MetricIndicator


@dataclass(frozen=True, eq=False)
class Estimate:
    """A score with the influences of the rows of both tables on it.

    Attributes
    ----------
    value : float
    here, there : ndarray of shape (n,) and (m,)
        Influences; their sum is to first order the error of the value.
    """

    value: float
    here: Floats
    there: Floats

    def minus(self, other: Estimate) -> Estimate:
        """Return the difference of two scores of the same rows."""
        return Estimate(self.value - other.value, self.here - other.here, self.there - other.there)


def score_here(score: Score, population: Population, n_there: int) -> Estimate:
    """Return a score of the rows at hand."""
    value, influence = value_and_influence(score, population)
    of_rows = np.zeros(len(population.scored))
    of_rows[population.positions] = influence
    return Estimate(value, of_rows, np.zeros(n_there))


def score_there(score: Score, towards: TowardsTable) -> Estimate:
    """Return the score that is expected in the other table."""
    population = Population.of(len(towards.weights), towards.weights)
    value, influence = value_and_influence(score, population)
    share = population.scored / population.scored.sum()
    deviations = np.divide(influence, share, out=np.zeros_like(share), where=share > 0)
    return Estimate(value, *towards.influences(deviations))


def score_seen(
    score: Score, population: Population, rows: Positions, n_there: int, n_here: int
) -> Estimate:
    """Return the score of rows of the other table whose target is known.

    Parameters
    ----------
    score : Score
        Of these rows alone.
    population : Population
        Of these rows alone.
    rows : ndarray
        Their positions in the other table.
    n_there, n_here : int
        Rows of the other table, and rows at hand.
    """
    value, influence = value_and_influence(score, population)
    there = np.zeros(n_there)
    there[rows[population.positions]] = influence
    return Estimate(value, np.zeros(n_here), there)


def bounds_of(
    estimates: Sequence[Estimate],
    towards: TowardsTable,
    most_df: float,
    level: float,
    ends: Sequence[tuple[float, float]],
) -> list[Bounds]:
    """Return the intervals of scores, within their possible ends (Satterthwaite 1946; Hall 1992).

    Parameters
    ----------
    estimates : sequence of Estimate
    towards : TowardsTable
        Has the groups of the rows of both tables.
    most_df : float
        Degrees of freedom at most.
    level : float
    ends : sequence of tuple of float
    """
    moments = [
        moments_of_influences(
            each.value,
            np.concatenate(
                [_sums(each.here, towards.groups), _sums(each.there, towards.groups_there)]
            ),
            most_df,
        )
        for each in estimates
    ]
    if not moments:
        return []
    return [
        Bounds(each.estimate, each.std_error, max(low, each.low), min(high, each.high))
        for each, (low, high) in zip(
            listed_bounds(Moments.stacked(moments), level), ends, strict=True
        )
    ]


def has_influences(score: Score) -> bool:
    """Whether the influences of rows on a score are known."""
    return not isinstance(score, MetricIndicator)


def bounds_of_difference(score: Score) -> tuple[float, float]:
    """Return the ends of the difference of two values of a score."""
    return (-1.0, 1.0) if isinstance(score, RankIndicator) else (-np.inf, np.inf)


def _sums(values: Floats, groups: RowGroups | None) -> Floats:
    return values if groups is None else groups.sums(values)
