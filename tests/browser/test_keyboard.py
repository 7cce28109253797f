"""Every control of the explorer is reached by Tab, and its focus is visible."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from browser.reading import wait_for_answer

FOCUSABLE = """(root) => [...root.querySelectorAll(
    "a[href], button, input, select, summary, textarea, [tabindex]")]
  .filter((one) => one.checkVisibility() && !one.disabled && one.tabIndex >= 0)
  .map((one) => ((one.id ||= `focus-${Math.random()}`), [
    one.id, one.dataset.testid ?? "", one.type ?? one.getAttribute("role") ?? one.tagName,
    one.getAttribute("aria-label") ?? one.textContent.slice(0, 40)]))"""
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


def test_every_control_is_reached_by_tab_and_its_focus_is_seen(bridge, widget):
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
