"""Differences at levels of tau, and the other side that is drawn behind the views."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.over_tau.levels import Check, Level, Samples
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


def difference_track(key: tuple[Any, ...], inputs: Inputs, shown: Shown, compute: Compute) -> Track:
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
    """
    like = _samples(shown)

    def sample(levels: Sequence[Level], check: Check) -> Samples:
        at_levels = []
        for level in levels:
            check()
            of_level = _samples(compute(level.inputs(inputs), level.populations, check))
            # What is not defined at a level has no value there.
            values = {k: of_level.get(k, np.full_like(v, np.nan)) for k, v in like.items()}
            at_levels.append(values)
        return {name: np.stack([values[name] for values in at_levels]) for name in like}

    return Track("differences", key, sample)


def _samples(shown: Shown) -> dict[str, npt.NDArray[np.float64]]:
    """Return the columns and numbers that tau moves."""
    samples = {k: v for k, v in shown.columns.items() if not k.startswith(_FIXED)}
    samples |= {
        f"{OF_OTHERS}{k}": v
        for k, v in shown.under.items()
        if k in ("importance.ghost", "dependence.ghost")
    }
    for at, score in enumerate(shown.meta["scores"]):
        samples |= {f"scores.{at}.{name}": _number(score[name]) for name in _OF_SCORES}
    samples["tau"] = _number(shown.meta["tau"])
    return {name: np.asarray(values, dtype=np.float64) for name, values in samples.items()}


def _number(value: float | None) -> Floats:
    return np.asarray(np.nan if value is None else value, dtype=np.float64)
