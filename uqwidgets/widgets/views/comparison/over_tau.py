"""Differences as functions of tau, and the other side that is drawn behind the views."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.widgets.inputs import Inputs
from uqwidgets.widgets.levels import Check, Level, Samples
from uqwidgets.widgets.rows.population import Populations
from uqwidgets.widgets.tracks import OF_OTHERS, Track
from uqwidgets.widgets.views.comparison.content import Shown

# Largest error of an interpolated difference as a share of its axis. Ends of intervals have kinks,
# which no further levels make smooth, so their errors may be so many times as large.
_TOLERANCE, _OF_ENDS = 0.002, 5
_START, _FINEST = 8, 16
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

    return Track("differences", key, sample, _TOLERANCE, _sizes, _START, _START, _FINEST)


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


def _sizes(columns: Samples) -> dict[str, Any]:
    """Length of the axis of each column: of each measure, curve or score."""
    sizes: dict[str, Any] = {}
    for name, values in columns.items():
        stem = name.removesuffix("_low").removesuffix("_high")
        is_score = name.startswith("scores.")
        if is_score:
            stem = f"{name.rpartition('.')[0]}.value"
        # Lines of importance are measures with an axis each.
        of_measures = stem.endswith("importance") or name.endswith("importance.ghost")
        like = columns.get(stem, values)
        axes = (1, 3) if of_measures else tuple(range(1, like.ndim))
        finite = np.where(np.isfinite(like), like, 0.0)
        low = np.minimum(finite.min(axis=axes, keepdims=True), 0)
        high = np.maximum(finite.max(axis=axes, keepdims=True), 0)
        is_end = name.endswith(("low", "high"))
        sizes[name] = (high - low) * (_OF_ENDS if is_end else 1)
    return sizes
