"""The curve of a feature as a function of tau, with its band and what is drawn beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.widgets.inputs import Inputs
from uqwidgets.widgets.over_tau import Check, Level, Samples, Track
from uqwidgets.widgets.population import Populations
from uqwidgets.widgets.views.view import Content

_MOVING = ("average", "low", "high", "near", "counts", "ice_weight")
# Largest error of what is interpolated, as a share of its axis; that of the opacity of a line may
# be so many times as large.
_TOLERANCE, _OF_OPACITY = 0.001, 10


def curve_track(key: tuple[Any, ...], compute: Callable[[Inputs, Populations], Content]) -> Track:
    """Return the track of a curve.

    Parameters
    ----------
    key : tuple
        Identifies the curve.
    compute : callable
        Returns the content of a frame.
    """

    def sample(levels: Sequence[Level], check: Check) -> Samples:
        samples: dict[str, list[Floats]] = {name: [] for name in _MOVING}
        for level in levels:
            check()
            at_level = compute(level.inputs, level.populations).columns
            for name, values in samples.items():
                values.append(at_level[name].astype(np.float64))
        return {name: np.stack(values) for name, values in samples.items()}

    return Track("curve", key, sample, _TOLERANCE, _sizes)


def _sizes(columns: Samples) -> dict[str, Any]:
    ends = np.stack([columns[name] for name in ("average", "low", "high")])
    finite = ends[np.isfinite(ends)]
    axis = np.ptp(finite) if len(finite) else 0.0
    return {
        **dict.fromkeys(("average", "low", "high"), axis),
        "counts": columns["counts"].max(initial=0.0),
        "ice_weight": _OF_OPACITY * columns["ice_weight"].max(initial=0.0),
    }
