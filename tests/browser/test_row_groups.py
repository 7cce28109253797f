"""Rows of patients on the page: the choice of what rows belong to, and what a page holds of it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

import uqwidgets as uq
from browser.reading import OUTSIDE, answered, model_calls, outside, wait_for_answer
from browser.saved_pages import opened

PATIENTS, ROWS = 30, 10


def line(X):
    return X["age"] + 0.5 * X["dose"], np.ones(len(X))


def explorer(**inputs):
    rng = np.random.default_rng(0)
    n, patient = PATIENTS * ROWS, np.repeat(np.arange(PATIENTS), ROWS)
    X = pd.DataFrame({"age": rng.normal(size=PATIENTS)[patient], "dose": rng.normal(size=n)})
    effect = rng.normal(size=PATIENTS)[patient]
    y = pd.Series(X["age"] + 0.5 * X["dose"] + effect + rng.normal(size=n), name="outcome")
    extra = pd.DataFrame({"patient": patient, "site": patient // 6})
    inputs = {"feature": "age", "stress_feature": "age", "n_repeats": 4, **inputs}
    return uq.explore(line, X, y, extra=extra, **inputs)


@pytest.fixture
def widget(bridge):  # noqa: ARG001, the bridge must exist before the widget
    with explorer() as widget:
        yield widget


def test_what_rows_belong_to_is_chosen_by_keyboard(bridge, widget):
    bridge.page.set_viewport_size({"width": 600, "height": 1000})
    root = bridge.mount(widget)
    wait_for_answer(root)
    groups = root.get_by_test_id("uq-row-groups")
    expect(groups).to_have_value("")
    expect(groups.locator("option")).to_have_text(["each row by itself", "30 patients", "5 sites"])
    note = root.locator(".uq-importance .uq-note")
    expect(note).to_contain_text("over 300 rows")
    alone = widget.result("importance")
    with answered(root):
        groups.focus()
        bridge.page.keyboard.press("ArrowDown")
    expect(groups).to_be_focused()
    expect(groups).to_have_value("patient")
    assert widget.groups == "patient"
    assert model_calls(root) == 0
    expect(note).to_contain_text("over 300 rows of 30 patients")
    expect(root.get_by_test_id("uq-rows")).to_have_text("300 of 300 rows, 30 patients")
    expect(root.get_by_test_id("uq-stress-readout")).to_contain_text("300 rows of 30 patients")
    expect(root.locator(".uq-header")).to_contain_text("300 rows of 30 patients")
    of_patients = widget.result("importance")
    age = of_patients.features.index("age")
    spread = [result.high[age] - result.low[age] for result in (alone, of_patients)]
    assert spread[1] > 1.5 * spread[0]
    with answered(root):
        root.get_by_test_id("uq-tau").focus()
        bridge.page.keyboard.press("End")
    readout = root.get_by_test_id("uq-stress-readout")
    expect(readout).to_contain_text("of the 300 rows and")
    expect(readout).to_contain_text("of the 30 patients")
    assert model_calls(root) == 0
    # Undone like any other input.
    for _ in range(2):
        with answered(root):
            root.get_by_test_id("uq-undo").press("Enter")
    expect(groups).to_have_value("")
    expect(note).not_to_contain_text("patients")
    assert root.evaluate(OUTSIDE) == []
    assert outside(root) == []


@pytest.mark.usefixtures("bridge")
def test_a_page_holds_the_groups_that_were_chosen(browser, tmp_path):
    path = tmp_path / "page.html"
    with explorer(groups="site") as widget:
        widget.pin("of sites")
        widget.groups = "patient"
        widget.save(path, stress_features=["age"], progress=False)
    with opened(browser, path) as root:
        expect(root.get_by_test_id("uq-row-groups")).to_be_hidden()
        expect(root.get_by_test_id("uq-rows")).to_contain_text("30 patients")
        note = root.locator(".uq-importance .uq-note")
        expect(note).to_contain_text("300 rows of 30 patients")
        with answered(root):
            root.get_by_test_id("uq-pin-view").first.click()
        expect(note).to_contain_text("300 rows of 5 sites")
