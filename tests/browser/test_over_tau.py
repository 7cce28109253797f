"""A drag of tau is painted from the levels that the page has."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

import uqwidgets as uq
from browser.reading import answered, numbers, wait_for_answer

# Pixels of what tau moves: estimates and intervals, the curve with its band, the profile and the
# indicator.
MARKS = """(root) => {
  const of = (selector, ...names) => [...root.querySelectorAll(selector)].flatMap((element) =>
    names.flatMap((name) => (element.getAttribute(name) ?? "").match(/-?[\\d.]+/g) ?? [])
      .map(Number));
  return {
    bars: of(".uq-bar circle", "cx"),
    intervals: of(".uq-bar .uq-whisker", "x1", "x2"),
    curve: of(".uq-curves .uq-average", "d"),
    band: of(".uq-curves .uq-band", "d"),
    profile: of(".uq-profile .uq-chosen", "d"),
    indicator: of(".uq-profile .uq-now", "cx", "cy"),
  };
}"""
# As a hand moves: an event per animation frame, each read on the page at once or one frame later.
DRAG = """(root, { moves, end = 0.8 }) => new Promise((resolve) => {
  const slider = root.querySelector("[data-testid=uq-tau]");
  const marks = MARKS;
  const painted = [];
  root.addEventListener("uq:painted", (event) => painted.push(event.detail));
  const started = performance.now();
  let step = 0, before = started, rests = 0;
  const move = () => {
    const now = performance.now();
    if (now - before > PAUSE) rests += 1;
    before = now;
    if (step === moves) {
      const milliseconds = now - started;
      return resolve({ painted, marks: marks(root), milliseconds, rests });
    }
    step += 1;
    slider.value = String(end * Math.sin((step / moves) * Math.PI / 2));
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    requestAnimationFrame(move);
  };
  move();
})""".replace("MARKS", MARKS)
# Milliseconds until a hand that does not move counts as resting, as in js/src/session/hand.ts.
DRAG = DRAG.replace("PAUSE", "250")


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
    # While the slider moves, panels that are far from the screen wait.
    bridge.page.set_viewport_size({"width": 1280, "height": 3000})
    root = bridge.mount(widget)
    wait_for_answer(root)
    expect(root).to_have_attribute("data-follows-tau", "true")
    # The first levels are followed by the others.
    if (worker := widget._scheduler.worker) is not None:
        worker.join(60)
    root.page.wait_for_timeout(500)
    calls = widget.explainer.model_calls
    after = int(root.get_attribute("data-seq"))
    drag = root.evaluate(DRAG, {"moves": 60})
    levels = {round(one["tau"], 6) for one in drag["painted"]}
    # Nearly every level is painted, and the kernel hears of τ four times a second at most.
    assert len(levels) >= 12
    assert len(messages) <= drag["milliseconds"] / 250 + 1
    wait_for_answer(root, after)
    assert widget.tau == pytest.approx(0.8)
    assert messages[-1] == pytest.approx(0.8)
    assert widget.explainer.model_calls == calls
    # Nothing moves when the frame of the kernel takes over.
    for name, exact in root.evaluate(MARKS).items():
        assert len(exact) == len(drag["marks"][name]) > 0, name
        np.testing.assert_allclose(exact, drag["marks"][name], atol=0.02, err_msg=name)
    readout = root.get_by_test_id("uq-stress-readout").inner_text()
    assert numbers(readout)


def test_a_slow_kernel_is_told_when_the_hand_rests(bridge, widget, monkeypatch):
    bridge.page.set_viewport_size({"width": 1280, "height": 3000})
    root = bridge.mount(widget)
    wait_for_answer(root)
    expect(root).to_have_attribute("data-follows-tau", "true")
    if (worker := widget._scheduler.worker) is not None:
        worker.join(60)
    builder = widget._session.populations
    build = builder.build

    def slow(*arguments):
        time.sleep(0.6)
        return build(*arguments)

    monkeypatch.setattr(builder, "build", slow)
    with answered(root):
        root.evaluate(DRAG, {"moves": 1})
    messages = []
    original = widget.set_state
    monkeypatch.setattr(
        widget, "set_state", lambda data: (messages.append(data.get("tau")), original(data))
    )
    with answered(root):
        drag = root.evaluate(DRAG, {"moves": 60})
    assert len({round(one["tau"], 6) for one in drag["painted"]}) >= 10
    # The last level, and none that the hand passed. A busy browser may stop on the way for so long
    # that the hand counts as resting there.
    told = [tau for tau in messages if tau is not None]
    assert told[-1] == pytest.approx(0.8)
    assert len(set(told)) == len(told) <= 1 + drag["rests"]
