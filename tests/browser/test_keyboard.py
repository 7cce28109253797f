"""Every control of the explorer by keyboard: Tab reaches it, its focus is seen, its keys work."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from browser.keyboard import FOCUS, FOCUSABLE, OPERATIONS, Keyboard, opener
from browser.reading import wait_for_answer

# Buttons before and after the widget, so that Tab comes from outside and leaves again.
AROUND = """() => {
  const make = (id) => Object.assign(document.createElement("button"), { id, textContent: id });
  document.body.prepend(make("before"));
  document.body.append(make("after"));
  document.getElementById("before").focus();
}"""
CLOSE = """(root) => {
  for (const one of root.querySelectorAll("details.uq-twin")) one.open = false;
}"""
# Inputs that are operated one after the other, because an answer to all views takes longest.
STATES = [
    {"views": ["surface"]},
    {"views": ["stress"]},
    {"views": ["importance", "pixels"]},
    {"views": ["importance", "importance_over_tau", "indicators"]},
    {"views": ["dependence", "selection"]},
    {"views": ["small_curves", "performance", "over_time", "comparison"]},
    {"views": ["slices"]},
    {"views": ["dependence"], "feature": "site", "stress_feature": "site"},
]
N = 24
CITIES = ["Bern", "Bonn", "Brno", "Kiel", "Linz", "Lyon", "Oslo", "Riga", "Rome"]
# More features than are listed without a search.
NUMBERS = ["age", "income", "hours", *(f"test {i}" for i in range(10))]


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
    X = pd.DataFrame(rng.normal(size=(N, len(NUMBERS))), columns=NUMBERS)
    X.insert(3, "since", pd.date_range("2020-01-01", periods=N))
    X["site"] = [CITIES[i % len(CITIES)] for i in range(N)]
    X.loc[:2, "site"] = None
    X.loc[3:5, "hours"] = np.nan
    y = np.where(X["age"] + rng.normal(size=N) > 0, "yes", "no")
    inputs = {
        "n_repeats": 2,
        "ice_lines": 4,
        "feature": "age",
        "stress_feature": "age",
        "tau": 0.3,
        "held": [{"feature": "income", "value": 0.0}],
        "selection": [3, 7],
        "compare_with": "",
        "top": 12,
        "center": True,
        "small_curves": 4,
        "image_rows": 3,
        "ice_filter": [
            {"feature": "site", "values": [*CITIES, None]},
            {"feature": "hours", "low": -9.0, "high": None, "missing": True},
            {"feature": None, "values": ["no", "yes"]},
            {"feature": "since", "low": "2020-01-01", "high": "2020-01-24"},
        ],
        "cohorts": [{"name": "Rome", "ice_filter": [{"feature": "site", "values": ["Rome"]}]}],
    }
    models = {"steep": Logistic(1.5), "flat": Logistic(0.4)}
    groups = {"tests": [f"test {i}" for i in range(10)]}
    extra = {"person": np.arange(N) // 2}
    with uq.explore(models, X, y, feature_groups=groups, extra=extra, **inputs) as widget:
        yield widget


def opened(root):
    """Open all that opens, and return the focusable controls: identity, name, kind and label."""
    for note in ("one", "two"):
        root.get_by_test_id("uq-pin").press("Enter")
        root.get_by_test_id("uq-pin-note").fill(note)
        root.get_by_test_id("uq-pin-note").press("Enter")
    # What is under "more" may hold tables of its own.
    for _ in range(2):
        for summary in root.locator("details:not([open]) > summary").all():
            if summary.is_visible():
                summary.click()
        root.page.wait_for_timeout(200)
    for name in ("uq-anchor", "uq-column-nll", "uq-lines", "uq-cohort-save", "uq-what-if"):
        root.get_by_test_id(name).first.wait_for()
    return root.evaluate(FOCUSABLE)


def test_every_control_is_reached_by_tab(bridge, widget):
    page, press = bridge.page, bridge.page.keyboard.press
    root = bridge.mount(widget)
    wait_for_answer(root)
    controls = opened(root)
    page.evaluate(AROUND)
    press("Tab")
    reached = []
    while (focus := page.evaluate(FOCUS))["id"] != "after":
        # A date has a stop for each of its parts, and the browser marks the part.
        if focus["id"] not in reached[-1:]:
            reached.append(focus["id"])
            assert focus["isSeen"], focus
        assert len(reached) <= len(controls) + 1
        press("Tab")
    assert [name for identity, *name in controls if identity not in reached] == []


@pytest.mark.thorough
@pytest.mark.parametrize("states", [STATES[:1], STATES], ids=["the first views", "all"])
def test_every_control_is_operated_by_keys(bridge, widget, states):
    root = bridge.mount(widget)
    wait_for_answer(root)
    opened(root)
    # Open tables are drawn with every frame.
    root.evaluate(CLOSE)
    keyboard, operated = Keyboard(widget, root), set()
    for inputs in states:
        keyboard.begin(**inputs)
        controls = keyboard.controls()
        names = {name for name, _ in controls}
        hidden = [(name, "") for name in OPERATIONS if name not in names and opener(name) in names]
        for name, kind in dict.fromkeys([*controls, *hidden]):
            # Another model makes its panels anew, so it comes last.
            if (name, kind) not in operated and name != "uq-shown-model":
                operated.add((name, kind))
                keyboard.operate(name, kind)
                keyboard.restore()
    keyboard.operate("uq-shown-model")
    if states == STATES:
        assert set(OPERATIONS) - {name for name, _ in operated} == {"uq-shown-model"}
