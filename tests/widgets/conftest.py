"""Fixtures of the widget tests: a small classifier in closed form, its table and its explorer."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from comm.base_comm import BaseComm

import uqwidgets as uq
from uqwidgets.widgets.kernel.timing import Timing
from widgets.following import Watched


class Counting:
    """A binary classifier in closed form that counts its calls and rows."""

    classes_ = np.array(["no", "yes"])

    def __init__(self) -> None:
        self.calls = 0
        self.rows = 0
        self.broken = False

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        self.calls += 1
        self.rows += len(X)
        if self.broken:
            raise RuntimeError("the model is out of order")
        logit = 1.5 * X["a"].to_numpy() - X["b"].to_numpy() + (X["c"] == "red").to_numpy()
        yes = 1 / (1 + np.exp(-logit))
        return np.stack([1 - yes, yes], axis=1)


class Gated(Counting):
    """A model whose calls wait while its gate is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.gate, self.called = threading.Event(), threading.Event()
        self.gate.set()
        self.raises: BaseException | None = None

    def predict_proba(self, X: Any) -> np.ndarray:
        if not self.gate.is_set():
            self.called.set()
            assert self.gate.wait(20)
        if self.raises is not None:
            raise self.raises
        return super().predict_proba(X)


class Broken(BaseComm):
    """A connection to a page that can fail."""

    failing = False

    def publish_msg(self, *_: Any, **__: Any) -> None:
        if Broken.failing:
            raise RuntimeError("no page is there")


def rest(widget: uq.Explorer) -> None:
    """Wait for the answer, and for the other levels of tau that follow it."""
    assert widget.wait(60)
    with widget._scheduler._changed:
        assert widget._scheduler._changed.wait_for(lambda: widget._scheduler.worker is None, 60)


def table(n: int = 40) -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(3)
    X = pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "b": rng.normal(size=n).round(1),
            "c": rng.choice(["red", "blue"], size=n),
            "same": np.full(n, 2.0),
        }
    )
    y = pd.Series(np.where(X["a"] + rng.normal(size=n) > 0, "yes", "no"), name="answer")
    return X, y


@pytest.fixture
def model() -> Counting:
    return Counting()


@pytest.fixture
def explainer(model: Counting) -> uq.Explainer:
    return uq.Explainer(model, *table())


@pytest.fixture
def explorer(explainer: uq.Explainer, monkeypatch: pytest.MonkeyPatch):
    # All repeats are summed at once, and no frame shows progress, also on a slow machine.
    no_progress = Timing(summing=60.0, long_work=60.0, frame_interval=60.0, heartbeat=60.0)
    monkeypatch.setattr(uq.Explorer, "_timing", no_progress)
    with uq.Explorer(explainer, n_repeats=4, ice_lines=6) as widget:
        assert widget.wait(30)
        yield widget


@pytest.fixture
def gated() -> Iterator[tuple[Gated, uq.Explorer]]:
    model = Gated()
    with uq.Explorer(uq.Explainer(model, *table()), n_repeats=3, ice_lines=4) as widget:
        assert widget.wait(30)
        yield model, widget
        model.gate.set()


@pytest.fixture
def reported(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the uncaught exceptions of threads."""
    errors: list[str] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: errors.append(repr(args.exc_value)))
    return errors


@pytest.fixture
def watched(explainer: uq.Explainer) -> Iterator[Watched]:
    session = Watched(explainer, n_repeats=4, feature="a", stress_feature="a")
    yield session
    session.widget.close()
