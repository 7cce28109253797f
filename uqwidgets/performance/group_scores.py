"""Scores of each group of people, or of rows by a column, beside those of all other rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from uqwidgets._utils.remarks import Remark
from uqwidgets.inference.population import Population
from uqwidgets.performance.group_scores_result import GroupScores
from uqwidgets.performance.scores import Score, differences_at_once, scores
from uqwidgets.plotting.text import few, listed

# Rows, or groups of rows that belong together, of a group that is compared.
_LEAST_UNITS = 10


def group_scores(
    by: str,
    parts: Sequence[tuple[str, npt.NDArray[np.bool_]]],
    chosen: Sequence[Score],
    population: Population,
    level: float,
    seed: int,
) -> GroupScores:
    """Compute the scores of each group, and their differences from those of all other rows.

    Parameters
    ----------
    by : str
    parts : sequence of (str, ndarray of bool)
        The name of each group, and which rows (n,) belong to it.
    chosen : sequence of Score
    population : Population
        Of all rows that are compared.
    level : float
    seed : int

    Raises
    ------
    ValueError
        If fewer than two groups have enough rows.
    """
    is_scored = population.scored > 0
    compared: list[tuple[str, tuple[Population, Population]]] = []
    left_out: list[str] = []
    for name, mask in parts:
        sides = [side & is_scored for side in (mask, ~mask)]
        if min(map(np.count_nonzero, sides)) < _LEAST_UNITS:
            left_out.append(name)
            continue
        own, rest = (_restricted(population, side) for side in sides)
        if min(len(own.units.positions), len(rest.units.positions)) < _LEAST_UNITS:
            left_out.append(name)
            continue
        compared.append((name, (own, rest)))
    if not compared:
        raise ValueError(
            f"no group by {by!r} has {_LEAST_UNITS} rows and as many others; name a column with "
            "fewer values."
        )
    of_groups = [scores(chosen, own, level, seed) for _, (own, _) in compared]
    of_rest = [scores(chosen, rest, level, seed) for _, (_, rest) in compared]
    terms = [[(one, side) for side in sides] for _, sides in compared for one in chosen]
    bounds, pointwise_level = differences_at_once(terms, level, seed)
    shape = len(compared), len(chosen)
    remarks: tuple[Remark, ...] = ()
    if left_out:
        names = listed(few(left_out))
        remarks = (
            Remark(
                "groups-of-few-rows",
                f"{names}: fewer than {_LEAST_UNITS} rows, or all but as few, so there is no "
                "comparison",
            ),
        )
    return GroupScores(
        by=by,
        groups=tuple(name for name, _ in compared),
        rows=np.array([len(own.positions) for _, (own, _) in compared]),
        names=of_groups[0].names,
        labels=of_groups[0].labels,
        units=of_groups[0].units,
        value=np.array([each.value for each in of_groups]),
        low=np.array([each.low for each in of_groups]),
        high=np.array([each.high for each in of_groups]),
        rest=np.array([each.value for each in of_rest]),
        difference=np.array([each.estimate for each in bounds]).reshape(shape),
        difference_low=np.array([each.low for each in bounds]).reshape(shape),
        difference_high=np.array([each.high for each in bounds]).reshape(shape),
        level=level,
        remarks=remarks,
        pointwise_level=pointwise_level,
    )


def _restricted(population: Population, mask: npt.NDArray[np.bool_]) -> Population:
    """Return the population of some of the rows."""
    weights = population.weights if population.weighted else None
    return Population.of(len(mask), weights, mask, population.groups)
