"""Differences at levels of tau, and the other side that is drawn behind the views."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import Any

import numpy as np

from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.over_tau.levels import Check, Level, Samples, at_each
from uqwidgets.widgets.over_tau.tracks import OF_OTHERS, Track
from uqwidgets.widgets.rows.population import Populations
from uqwidgets.widgets.views.comparison.content import Shown

#: Changes and curves of single rows that one level averages: more take too long for many levels.
MOST_VALUES = 1_000_000
# Profiles over tau are the same at every level.
_FIXED = ("stress", "curve_grid")
_OF_SCORES = ("first", "second", "value", "low", "high")

#: A function from a level and a check to the content at that level.
Compute = Callable[[Inputs, Populations, Check], Shown]


def difference_track(
    key: tuple[Any, ...],
    inputs: Inputs,
    shown: Shown,
    compute: Compute,
    stressed: Collection[str] | None = None,
) -> Track:
    """Return the track of all differences.

    Parameters
    ----------
    key : tuple
        Of the inputs that decide the content.
    inputs : Inputs
        Whatever their tau.
    shown : Shown
        The content at the present level; it says what there is to follow.
    compute : callable
    stressed : collection of str, optional
        The stressed features under which differences are computed, all by default; under others
        there is no value.
    """
    like = _columns(shown)

    def of_level(level: Level, check: Check) -> Samples:
        if stressed is not None and level.stress["stress_feature"] not in stressed:
            return {name: np.full_like(values, np.nan) for name, values in like.items()}
        columns = _columns(compute(level.inputs(inputs), level.populations, check))
        # What is not defined at a level has no value there.
        return {name: columns.get(name, np.full_like(v, np.nan)) for name, v in like.items()}

    return Track("differences", key, partial(at_each, of_level))


def _columns(shown: Shown) -> Samples:
    """Return the columns and numbers that tau moves."""
    columns: dict[str, Any] = {k: v for k, v in shown.columns.items() if not k.startswith(_FIXED)}
    columns |= {
        f"{OF_OTHERS}{k}": v
        for k, v in shown.under.items()
        if k in ("importance.ghost", "dependence.ghost")
    }
    for at, score in enumerate(shown.meta["scores"]):
        columns |= {f"scores.{at}.{name}": score[name] for name in _OF_SCORES}
    columns["tau"] = shown.meta["tau"]
    # A score that is not defined is None.
    return {name: np.asarray(values, dtype=np.float64) for name, values in columns.items()}
