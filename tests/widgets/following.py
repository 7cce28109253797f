"""Reader of the levels of tau in a frame, as in the browser."""

from __future__ import annotations

import numpy as np

from uqwidgets.widgets.interpolation import interpolated


def at_level(meta, columns, name, tau):
    """Return a column at one level, NaN where none is sent of that side."""
    track = next(t for t in meta["tracks"] if name in t["columns"])
    values = columns[name].astype(np.float64)
    below = track["below"]
    side = values[: below + 1][::-1] if tau < 0 else values[below:]
    if len(side) == 1:
        return np.full(values.shape[1:], np.nan)
    if track["straight"]:
        place = abs(tau) * (len(side) - 1)
        j = min(int(place), len(side) - 2)
        return side[j] + (place - j) * (side[j + 1] - side[j])
    return interpolated(side, np.array([abs(tau)]))[0]
