"""A drag of tau on the page is painted from interpolated levels."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

import uqwidgets as uq
from browser.reading import numbers, wait_for_answer

# As a hand moves: an event per animation frame, each read on the page at once or one frame later.
DRAG = """(root, { moves }) => new Promise((resolve) => {
  const slider = root.querySelector("[data-testid=uq-tau]");
  const bars = () =>
    [...root.querySelectorAll(".uq-bar circle")].map((c) => Number(c.getAttribute("cx")));
  const painted = [];
  root.addEventListener("uq:painted", (event) => painted.push(event.detail));
  let step = 0;
  const move = () => {
    if (step === moves) return resolve({ painted, bars: bars() });
    step += 1;
    slider.value = String(0.8 * Math.sin((step / moves) * Math.PI / 2));
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    requestAnimationFrame(move);
  };
  move();
})"""
BARS = """(root) =>
  [...root.querySelectorAll(".uq-bar circle")].map((c) => Number(c.getAttribute("cx")))"""


def model(X):
    p = 1 / (1 + np.exp(-(2 * X["a"] - X["b"] * X["a"])))
    return np.column_stack([1 - p, p])


@pytest.fixture
def widget(bridge):  # noqa: ARG001, the bridge has to be there first
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 3)), columns=list("abc"))
    y = (rng.random(300) < model(X)[:, 1]).astype(int)
    with uq.explore(model, X, y, stress_feature="a") as widget:
        yield widget


def test_a_drag_is_painted_from_the_levels(bridge, widget):
    messages = []
    original = widget.set_state

    def set_state(data):
        if "tau" in data:
            messages.append(data["tau"])
        original(data)

    widget.set_state = set_state
    root = bridge.mount(widget)
    wait_for_answer(root)
    expect(root).to_have_attribute("data-follows-tau", "true")
    calls = widget.explainer.model_calls
    after = int(root.get_attribute("data-seq"))
    drag = root.evaluate(DRAG, {"moves": 60})
    levels = {round(one["tau"], 6) for one in drag["painted"]}
    # Nearly every move is painted, and most of them before the kernel could answer.
    assert len(levels) >= 40
    assert len(messages) < 15
    wait_for_answer(root, after)
    assert widget.tau == pytest.approx(0.8)
    assert messages[-1] == pytest.approx(0.8)
    assert widget.explainer.model_calls == calls
    exact = root.evaluate(BARS)
    assert len(exact) == len(drag["bars"]) > 0
    assert np.abs(np.array(exact) - drag["bars"]).max() <= 1.0
    readout = root.get_by_test_id("uq-stress-readout").inner_text()
    assert numbers(readout)
