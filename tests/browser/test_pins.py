"""Pinned views on the page: their keyboard use, a reload, refused pins and narrow widths."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

import uqwidgets as uq
from browser.reading import (
    ROUNDING,
    answered,
    model_calls,
    number,
    outside,
    table,
    wait_for_answer,
)

FOCUSED = "() => document.activeElement?.dataset.testid ?? null"


def model(X: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    return (2 * X["length"] - X["width"]).to_numpy(), np.full(len(X), 0.5)


@pytest.fixture
def widget(bridge):  # noqa: ARG001, the bridge must exist before the widget
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(120, 3)), columns=["length", "width", "height"])
    y = model(X)[0] + rng.normal(size=120)
    with uq.explore(model, X, y, n_repeats=3, stress_feature="length", feature="length") as widget:
        assert widget.wait(30)
        yield widget


def walk_to(page, testid, key="Tab", most=60):
    """Press a key until the element has the focus."""
    for _ in range(most):
        if page.evaluate(FOCUSED) == testid:
            return
        page.keyboard.press(key)
    pytest.fail(f"{key} does not lead to {testid}")


def notes(widget):
    return [pin["note"] for pin in widget.pins]


def pin_view(page, text):
    walk_to(page, "uq-pin", "Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("uq-pin-note")).to_be_focused()
    page.keyboard.type(text)
    page.keyboard.press("Enter")
    assert page.evaluate(FOCUSED) == "uq-pin-view"


@pytest.mark.thorough
def test_pins_can_be_reviewed_by_keyboard(root, widget):
    page, press = root.page, root.page.keyboard.press
    walk_to(page, "uq-tau")
    with answered(root):
        press("End")
    pin_view(page, "all the way up")
    walk_to(page, "uq-tau")
    with answered(root):
        press("Home")
    pin_view(page, "all the way dwn")
    press("F2")
    press("End")
    press("ArrowLeft")
    press("ArrowLeft")
    page.keyboard.type("o")
    press("Enter")
    assert notes(widget) == ["all the way up", "all the way down"]
    assert [pin["state"]["tau"] for pin in widget.pins] == [1.0, -1.0]

    # move the pin, then show the next one
    press("Alt+ArrowLeft")
    assert notes(widget) == ["all the way down", "all the way up"]
    with answered(root):
        press("ArrowRight")
    assert widget.tau == 1.0
    assert root.get_by_test_id("uq-tau").input_value() == "1"

    # show the ghost of the pin under the other view
    walk_to(page, "uq-pin-ghost")
    with answered(root):
        press("Space")
        press("Shift+Tab")  # the note
        press("Shift+Tab")  # the chosen view
        press("ArrowLeft")
    assert (widget.tau, [pin["ghost"] for pin in widget.pins]) == (-1.0, [False, True])
    assert model_calls(root) == 0
    expect(root.get_by_test_id("uq-pin-key").first).to_contain_text("pin: all the way up")
    head = root.get_by_role("region", name="Importance", exact=True).locator("thead th")
    weights = widget.explainer.stress_weights("length", 1.0)
    expected = widget.explainer.importance("nll", n_repeats=3, sample_weight=weights)
    shown = {line[0]: line for line in table(root, "Importance")}
    column = head.all_text_contents().index("pin")
    for feature, value in zip(expected.features, expected.importance, strict=True):
        assert number(shown[feature][column]) == pytest.approx(value, rel=ROUNDING, abs=1e-12)

    # undo and redo the change of the view
    with answered(root):
        press("Control+z")
    assert widget.tau == 1.0
    with answered(root):
        press("Control+Shift+Z")
    assert widget.tau == -1.0
    press("Delete")
    assert notes(widget) == ["all the way up"]
    expect(root.get_by_test_id("uq-pin-view")).to_have_count(1)


def test_pins_are_restored_after_a_reload(bridge, root, widget):
    page = root.page
    walk_to(page, "uq-tau")
    with answered(root):
        page.keyboard.press("End")
    pin_view(page, "reloaded")
    root.get_by_test_id("uq-pin-ghost").check()
    assert widget.wait(30)
    saved = json.loads(json.dumps(widget.state))
    assert saved["pins"][0]["ghost"]
    for again in (widget, uq.Explorer(widget.explainer, state=saved)):
        assert again.wait(30)
        page.evaluate("document.body.replaceChildren()")
        second = bridge.mount(again)
        wait_for_answer(second)
        expect(second.get_by_test_id("uq-pin-view")).to_have_text("1reloaded")
        expect(second.get_by_test_id("uq-pin-key").first).to_contain_text("pin: reloaded")
    again.close()


def test_pins_refused_by_the_kernel_are_removed(root, widget):
    widget.pin("stays")
    expect(root.get_by_test_id("uq-pin-view")).to_have_count(1)
    root.page.evaluate(
        """() => {
          const pins = [{ note: "taken", state: { feature: "no such feature" }, ghost: false }];
          window.model.set("pins", pins);
          window.model.save_changes();
        }"""
    )
    expect(root.get_by_test_id("uq-error")).to_contain_text("no such feature")
    expect(root.get_by_test_id("uq-pin-view")).to_have_text("1stays")
    assert notes(widget) == ["stays"]


def test_the_code_is_copied_to_the_clipboard(root, widget):
    widget.pin("room to paste")
    root.get_by_test_id("uq-copy").click()
    expect(root.get_by_test_id("uq-pin-status")).to_have_text("copied")
    root.get_by_test_id("uq-pin-view").click()
    root.get_by_test_id("uq-pin-note").fill("")
    root.get_by_test_id("uq-pin-note").press("Control+v")
    expect(root.get_by_test_id("uq-pin-note")).to_have_value(widget.code())


@pytest.mark.thorough
@pytest.mark.parametrize("width", [320, 600, 900])
def test_the_pins_panel_has_no_overflow_or_overlap(root, widget, width):
    for note in ("short", "", "a note that is far too long for its place " * 3):
        widget.pin(note)
    root.page.set_viewport_size({"width": width, "height": 900})
    root.get_by_test_id("uq-pin-view").last.click()
    root.get_by_test_id("uq-pin-ghost").check()
    expect(root.get_by_test_id("uq-pin-key").first).to_be_visible()
    assert not outside(root)
    parts = root.locator(".uq-header > h2, .uq-header > span, .uq-pin-bar > *, .uq-pin")
    controls = root.locator(".uq-pin-edit :is(input, button)")
    boxes = [part.bounding_box() for part in [*parts.all(), *controls.all()]]
    shown = [box for box in boxes if box and box["width"]]
    for i, first in enumerate(shown):
        for second in shown[i + 1 :]:
            assert are_apart(first, second), (first, second)


def are_apart(one, other):
    """Return whether two boxes overlap by at most one pixel."""
    return any(
        first[at] + first[size] <= second[at] + 1
        for first, second in ((one, other), (other, one))
        for at, size in (("x", "width"), ("y", "height"))
    )
