"""What follows tau: a session that records it, and a reader of its levels as in the browser."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import uqwidgets as uq
from uqwidgets.widgets.kernel.timing import Timing
from uqwidgets.widgets.over_tau.following import OverTau


def at_level(meta, columns, name, tau):
    """Return a column at one of the levels that were sent."""
    return columns[name][meta["levels"].index(tau)].astype(np.float64)


def exact_numbers(session, tau):
    """Return what a message holds as each view computes it at a level, by name."""
    _, columns = session.messages[-1]
    at = replace(session.inputs, tau=tau)
    populations = session.builder.build(at, lambda: None)
    contents = {
        view.name: view.complete(at, populations, lambda: None)
        for view in session.views
        if any(name.startswith(f"{view.name}.") for name in columns)
    }
    exact = {}
    for name in columns:
        view, own = name.split(".", 1)
        content = contents[view]
        if own in content.columns:
            exact[name] = np.asarray(content.columns[own], dtype=np.float64)
            continue
        value = content.meta
        for part in own.split("."):
            value = value[int(part)] if isinstance(value, (list, tuple)) else value[part]
        exact[name] = np.asarray(np.nan if value is None else value, dtype=np.float64)
    return exact


def assert_exact(session, tau):
    """Compare all that was sent of a level with what the views compute there."""
    meta, columns = session.messages[-1]
    for name, exact in exact_numbers(session, tau).items():
        sent = at_level(meta, columns, name, tau)
        # Numbers are sent in single precision.
        axis = np.abs(exact[np.isfinite(exact)]).max(initial=0.0)
        np.testing.assert_allclose(
            sent.ravel(),
            exact.ravel(),
            rtol=2e-6,
            atol=2e-6 * axis + 1e-12,
            err_msg=name,
        )


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
