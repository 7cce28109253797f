"""Every control of the explorer by keyboard: reached by Tab, with a visible focus that is kept."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

import uqwidgets as uq
from browser.reading import wait_for_answer

# Controls by the input that their keys change. Pins, the tour and undo are in other tests.
CHANGES = {
    "uq-anchor": "anchor",
    "uq-cohort": "ice_filter",
    "uq-column-prediction": "importance_of",
    "uq-compare": "compare",
    "uq-compare-with": "compare_with",
    "uq-complement": "complement",
    "uq-feature": "feature",
    "uq-filter-all": "ice_filter",
    "uq-filter-high": "ice_filter",
    "uq-filter-low": "ice_filter",
    "uq-filter-missing": "ice_filter",
    "uq-filter-none": "ice_filter",
    "uq-filter-only": "ice_filter",
    "uq-filter-remove": "ice_filter",
    "uq-filter-value": "ice_filter",
    "uq-fold": "top",
    "uq-importance-row": "feature",
    "uq-indicator": "indicator",
    "uq-interval": "interval",
    "uq-measure": "measure",
    "uq-range-high": "selection",
    "uq-range-low": "selection",
    "uq-repeats": "n_repeats",
    "uq-second": "second",
    "uq-selected-row": "row",
    "uq-selection-clear": "selection",
    "uq-selection-find": "selection",
    "uq-selection-keep": "ice_filter",
    "uq-selection-line": "selection",
    "uq-card-next": "row",
    "uq-stress-feature": "stress_feature",
    "uq-tail": "tail",
    "uq-tau": "tau",
    "uq-tau-beside": "tau",
    "uq-tau-reset": "tau",
    "uq-what-if": "what_if",
    "uq-what-if-slider": "what_if",
}
KEYS = {
    "select-one": ["ArrowDown"],
    "checkbox": ["Space"],
    "range": ["ArrowRight"],
    "slider": ["ArrowRight"],
    "number": ["Control+a", "3", "Enter"],
    "text": ["1", "Enter"],
    "option": ["ArrowDown", "Enter"],
}
FOCUSABLE = """(root) => [...root.querySelectorAll(
    "a[href], button, input, select, summary, textarea, [tabindex]")]
  .filter((one) => one.checkVisibility() && !one.disabled && one.tabIndex >= 0)
  .map((one) => ((one.id ||= `focus-${Math.random()}`), [
    one.id, one.dataset.testid ?? "", one.type ?? one.getAttribute("role") ?? one.tagName,
    one.getAttribute("aria-label") ?? one.textContent.slice(0, 40)]))"""
CLOSE = """(root) => {
  for (const one of root.querySelectorAll("details:has([data-testid=uq-table-toggle])"))
    if (one.firstElementChild.dataset.testid === "uq-table-toggle") one.open = false;
}"""
IS_LAST = "(select) => select.selectedIndex === select.options.length - 1"
# Buttons before and after the widget, so that Tab comes from outside and leaves again.
AROUND = """() => {
  const make = (id) => Object.assign(document.createElement("button"), { id, textContent: id });
  document.body.prepend(make("before"));
  document.body.append(make("after"));
  document.getElementById("before").focus();
}"""
FOCUS = """() => {
  const one = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(one);
  const { width, height } = one.getBoundingClientRect();
  const isRinged = outlineStyle !== "none" && parseFloat(outlineWidth) >= 1;
  return { id: one.id, isLost: one === document.body, isSeen: isRinged && width * height > 0 };
}"""
N = 24


class Logistic:
    classes_ = np.array(["no", "yes"])

    def __init__(self, slope):
        self.slope = slope

    def predict_proba(self, X):
        score = X["age"] + X["income"] + 0.3 * X["hours"].fillna(0) + (X["site"] == "Rome")
        yes = 1 / (1 + np.exp(-self.slope * score.to_numpy()))
        return np.stack([1 - yes, yes], axis=1)


@pytest.fixture
def widget(bridge):  # noqa: ARG001, the bridge must exist before the widget
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(N, 3)), columns=["age", "income", "hours"])
    X["site"] = rng.choice(["Rome", "Bern", "Oslo"], N)
    X.loc[:2, "site"] = None
    X.loc[3:5, "hours"] = np.nan
    y = np.where(X["age"] + rng.normal(size=N) > 0, "yes", "no")
    inputs = {
        "n_repeats": 2,
        "ice_lines": 4,
        "feature": "age",
        "stress_feature": "age",
        "tau": 0.3,
        "selection": [3, 7],
        "compare_with": "",
        "top": 3,
        "ice_filter": [
            {"feature": "site", "values": ["Rome", "Bern", "Oslo", None]},
            {"feature": "hours", "low": -9.0, "high": None, "missing": True},
        ],
        "cohorts": [{"name": "Rome", "ice_filter": [{"feature": "site", "values": ["Rome"]}]}],
    }
    with uq.explore({"steep": Logistic(1.5), "flat": Logistic(0.4)}, X, y, **inputs) as widget:
        yield widget


def opened(root):
    """Open all that opens, and return the focusable controls: identity, name, kind and label."""
    root.get_by_test_id("uq-pin").press("Enter")
    root.get_by_test_id("uq-pin-note").wait_for()
    # What is under "more" may hold tables of its own.
    for _ in range(2):
        for summary in root.locator("details:not([open]) > summary").all():
            if summary.is_visible():
                summary.click()
        root.page.wait_for_timeout(200)
    root.get_by_test_id("uq-anchor").wait_for()
    root.get_by_test_id("uq-column-nll").wait_for()
    return root.evaluate(FOCUSABLE)


def test_every_control_is_reached_and_operated_by_keyboard(bridge, widget):
    page, press = bridge.page, bridge.page.keyboard.press
    root = bridge.mount(widget)
    wait_for_answer(root)
    controls = opened(root)
    page.evaluate(AROUND)
    press("Tab")
    reached = []
    while (focus := page.evaluate(FOCUS))["id"] != "after":
        reached.append(focus["id"])
        assert focus["isSeen"], focus
        assert len(reached) <= len(controls) + 1
        press("Tab")
    assert [name for identity, *name in controls if identity not in reached] == []

    # Tables are drawn anew with every frame.
    root.evaluate(CLOSE)
    before = widget.state
    operated = set()
    for _, name, kind, _ in controls:
        if name not in CHANGES or name in operated:
            continue
        operated.add(name)
        control = root.get_by_test_id(name).first
        control.focus()
        keys = KEYS.get(kind, ["Enter"])
        if kind == "select-one" and control.evaluate(IS_LAST):
            keys = ["ArrowUp"]
        seq = root.get_attribute("data-seq")
        for key in keys:
            press(key)
        # The first frame of the answer is enough: it draws what the input changes.
        expect(root).not_to_have_attribute("data-seq", seq)
        assert widget.state[CHANGES[name]] != before[CHANGES[name]], name
        for restored in (False, True):
            if restored:
                widget.state = before
                page.wait_for_timeout(40)
            focus = page.evaluate(FOCUS)
            assert (focus["isLost"], focus["isSeen"]) == (False, True), (name, restored)
    assert operated == set(CHANGES)
