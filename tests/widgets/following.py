"""What follows tau: a session that records it, and a reader of its levels as in the browser."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import uqwidgets as uq
from uqwidgets.widgets.interpolation import interpolated
from uqwidgets.widgets.over_tau import OverTau
from uqwidgets.widgets.timing import Timing


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


class Still(uq.Explorer):
    """A widget that follows nothing itself."""

    _timing = Timing(before_following=3600.0)


class Watched:
    """A session without a page that records its published frames."""

    def __init__(self, explainer, **inputs):
        self.widget = Still(explainer, **inputs)
        self.widget.wait()
        session = self.widget._session
        self.views, self.builder = session.views, session.populations
        self.over_tau = OverTau(self.views, self.builder)
        self.messages = []

    def view(self, kind):
        return self.widget._session.view(kind)

    @property
    def inputs(self):
        return self.widget._inputs()[0]

    def follow(self, check=lambda: None):
        for message in self.over_tau.follow(self.inputs, check):
            self.messages.append(message)

    def exact(self, kind, tau):
        inputs = replace(self.inputs, tau=tau)
        populations = self.builder.build(inputs, lambda: None)
        return self.view(kind).compute(inputs, populations)
