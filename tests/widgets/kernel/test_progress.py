"""Progress of long work under a simulated clock: its total, its labels and its remaining time."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from uqwidgets.widgets.kernel.timing import Timing
from uqwidgets.widgets.views.dependence.view import DependenceView
from widgets.test_explorer import Frames


class Clock:
    """A simulated clock that the model advances; each reading adds a microsecond."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1e-6  # two readings of a clock differ
        return self.now


class Slow:
    """A classifier that takes a fixed time for a call and for each row."""

    classes_ = np.array(["no", "yes"])

    def __init__(self, clock: Clock, call: float, row: float) -> None:
        self.clock, self.call, self.row = clock, call, row
        self.rows = 0

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        self.clock.now += self.call + self.row * len(X)
        self.rows += len(X)
        yes = 1 / (1 + np.exp(-X["a"].to_numpy()))
        return np.column_stack([1 - yes, yes])


@pytest.mark.parametrize(
    ("call", "row"),
    [(0.0, 1e-3), (0.05, 5e-4), (0.1, 2e-4), (0.5, 1e-3), (1.0, 1e-3), (1.0, 5e-4)],
)
def test_progress_never_decreases_and_predicts_the_remaining_time(
    monkeypatch: pytest.MonkeyPatch, call: float, row: float
) -> None:
    clock = Clock()
    monkeypatch.setattr(time, "perf_counter", clock)
    monkeypatch.setattr(uq.Explorer, "_timing", Timing(clock=clock, heartbeat=1e9))
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 6)), columns=list("abcdef"))
    model = Slow(clock, call, row)
    explainer = uq.Explainer(model, X, np.where(X["a"] > 0, "yes", "no"))
    with uq.Explorer(explainer) as widget:
        frames = Frames(widget)
        at: list[float] = []
        widget.observe(lambda _: at.append(clock.now), "_frame")
        assert widget.wait(60)
    shown = [
        (moment, frame["meta"]["progress"])
        for moment, frame in zip(at, frames, strict=True)
        if frame["meta"]["progress"] and frame["meta"]["progress"]["seconds_left"] is not None
    ]
    assert len(shown) >= 5
    # The line with the button that stops the work is there from its first progress to the end.
    running = [frame["meta"]["progress"] is not None for frame in frames]
    assert all(running[running.index(True) : -1])
    assert frames[-1]["meta"]["final"]
    shares = [p["done"] / p["total"] for _, p in shown]
    assert shares == sorted(shares), "progress never decreases"
    assert shares[-1] > 0.7
    end = clock.now
    for moment, progress in shown:
        truth = end - moment
        # The estimate is compared only while more than two calls remain.
        if truth > max(2 * call, 0.5):
            assert truth / 2 <= progress["seconds_left"] <= truth * 2, progress
    labels = {progress["what"] for _, progress in shown}
    assert any(label.startswith("importance, 0 of 10 shuffles") for label in labels)
    curve = widget._session.view(DependenceView)
    assert model.rows == 300 * (1 + 10 * 6 + len(curve.replacements(widget._inputs()[0])))


@pytest.mark.parametrize(
    ("n", "p", "most_calls"), [(284, 8, 6), (300, 6, 5), (300, 26, 6), (3000, 10, 6)]
)
def test_a_model_with_calls_of_seconds_is_called_rarely_and_promised_enough_time(
    monkeypatch: pytest.MonkeyPatch, n: int, p: int, most_calls: int
) -> None:
    clock = Clock()
    monkeypatch.setattr(time, "perf_counter", clock)
    monkeypatch.setattr(uq.Explorer, "_timing", Timing(clock=clock, heartbeat=1e9))
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n, p)), columns=[chr(97 + j) for j in range(p)])
    explainer = uq.Explainer(Slow(clock, 2.0, 0.0), X, np.where(X["a"] > 0, "yes", "no"))
    with uq.Explorer(explainer) as widget:
        frames = Frames(widget)
        at: list[float] = []
        widget.observe(lambda _: at.append(clock.now), "_frame")
        assert widget.wait(60)
    # Two calls or three for the rows as they are, one for all shuffles, one for the curve.
    assert explainer.model_calls <= most_calls
    shown = [(t, f["meta"]["progress"]) for t, f in zip(at, frames, strict=True)]
    estimates = [(clock.now - t, p["seconds_left"]) for t, p in shown if p and p["seconds_left"]]
    assert estimates
    for truth, estimate in estimates:
        if truth > 1.0:  # before the last call
            assert truth / 2 <= estimate <= 2 * truth
