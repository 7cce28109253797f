"""The present level of tau as a function of tau: an indicator, and what describes the weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.stress.profile import described_weights
from uqwidgets.widgets.rows.population import Populations, Selection
from uqwidgets.widgets.tracks import Check, Level, Samples, Track, extent

# Largest error of what is interpolated, as a share of its range.
_TOLERANCE = 0.001


def stress_tracks(
    indicator: str, value: Callable[[Selection, Floats | None], float]
) -> list[Track]:
    """Return the tracks of the weights, which are the same for all indicators, and of one of these.

    Parameters
    ----------
    indicator : str
    value : callable
        From the chosen rows and their weights to the indicator.
    """

    def of_weights(level: Level) -> dict[str, Any]:
        projection = level.populations.projection
        assert projection is not None
        return {
            "tau": level.tau,
            "target": projection.target,
            "reached": projection.reached,
            **described(chosen_weights(level.populations)),
        }

    def of_indicator(level: Level) -> dict[str, Any]:
        rows = level.populations
        return {"value": value(rows.selection, chosen_weights(rows))}

    return [
        Track("now", (), partial(_sample, of_weights), _TOLERANCE, _sizes),
        Track("value", (indicator,), partial(_sample, of_indicator), _TOLERANCE, _sizes),
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


def described(weights: Floats | None) -> dict[str, float | None]:
    """Describe weights of rows by name, with None where there are none."""
    if weights is None:
        return dict.fromkeys(("ess", "ess_share", "half_share", "kl"))
    of_weights = described_weights(weights)
    return {**of_weights, "ess_share": of_weights["ess"] / len(weights)}


def _sample(
    of_level: Callable[[Level], dict[str, Any]], levels: Sequence[Level], check: Check
) -> Samples:
    samples: dict[str, list[float]] = {}
    for level in levels:
        check()
        for name, number in of_level(level).items():
            samples.setdefault(f"now.{name}", []).append(number)
    return {name: np.array(values, dtype=np.float64) for name, values in samples.items()}


def _sizes(columns: Samples) -> dict[str, Any]:
    # The share of rows that hold half the weight is a step function.
    return {name: extent([v], 1) for name, v in columns.items() if name != "now.half_share"}
