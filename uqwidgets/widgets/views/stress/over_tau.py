"""An indicator, and what describes the weights, at levels of tau."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.inference.groups import RowGroups
from uqwidgets.inference.population import effective_sample_sizes
from uqwidgets.stress.profile import described_weights
from uqwidgets.widgets.over_tau.levels import Check, Level, Samples
from uqwidgets.widgets.over_tau.tracks import Track
from uqwidgets.widgets.rows.population import Populations, Selection

# Weights that are in one array.
_MOST_WEIGHTS = 1 << 16
# What describes a level, also without weights.
_OF_PROJECTION = ("tau", "target", "reached")


def stress_tracks(indicator: str, values: Callable[[Selection, Floats], Floats]) -> list[Track]:
    """Return the tracks of the weights, which are the same for all indicators, and of one of these.

    Parameters
    ----------
    indicator : str
    values : callable
        From the chosen rows and their weights (l, n) at some levels to the indicator (l,).
    """

    def of_weights(levels: Sequence[Level], weights: Floats) -> dict[str, npt.ArrayLike]:
        projections = [level.populations.projection for level in levels]
        return {
            "tau": [level.tau for level in levels],
            "target": [each.target for each in projections if each is not None],
            "reached": [each.reached for each in projections if each is not None],
            **described(weights, levels[0].populations.selection.groups),
        }

    def of_indicator(levels: Sequence[Level], weights: Floats) -> dict[str, npt.ArrayLike]:
        return {"value": values(levels[0].populations.selection, weights)}

    return [
        Track("now", (), partial(_sample, of_weights)),
        Track("value", (indicator,), partial(_sample, of_indicator)),
    ]


def chosen_weights(populations: Populations) -> Floats | None:
    """Return the weights of the chosen rows, with and without a value; None if there are none."""
    projection, selection = populations.projection, populations.selection
    if projection is None or projection.weights is None:
        return None
    if len(projection.weights) == selection.n_rows:
        return projection.weights
    weights, rows = populations.now.weights, selection.rows
    return weights if rows is None else weights[rows]


def described(weights: Floats, groups: RowGroups | None) -> dict[str, Floats]:
    """Describe weights (..., n) of rows, which may be in groups, by name, each of shape (...)."""
    of_weights = described_weights(weights)
    if groups is not None:
        of_weights["groups_ess"] = effective_sample_sizes(groups.sums(weights))
    return {**of_weights, "ess_share": of_weights["ess"] / weights.shape[-1]}


def _sample(
    of_levels: Callable[[Sequence[Level], Floats], dict[str, npt.ArrayLike]],
    levels: Sequence[Level],
    check: Check,
) -> Samples:
    samples: dict[str, list[npt.ArrayLike]] = {}
    step = max(1, _MOST_WEIGHTS // levels[0].populations.selection.n_rows)
    for first in range(0, len(levels), step):
        check()
        some = levels[first : first + step]
        weights = [chosen_weights(level.populations) for level in some]
        # Where nothing can be stressed, tau = 0 has no weights either.
        equal = np.ones(some[0].populations.selection.n_rows)
        stacked = np.stack([equal if each is None else each for each in weights])
        is_known = np.array([each is not None for each in weights])
        for name, numbers in of_levels(some, stacked).items():
            known = is_known | (name in _OF_PROJECTION)
            samples.setdefault(f"now.{name}", []).append(np.where(known, numbers, np.nan))
    return {
        name: np.concatenate([np.asarray(part, dtype=np.float64) for part in parts])
        for name, parts in samples.items()
    }
