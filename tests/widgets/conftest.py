"""Fixtures of the widget tests: a small classifier in closed form, its table and its explorer."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from uqwidgets.widgets.timing import Timing


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
