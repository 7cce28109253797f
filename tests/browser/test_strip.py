"""The strip under the title: scores, the paired difference, and notes that one click mends."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

import uqwidgets as uq
from browser.reading import OUTSIDE, answered, model_calls, outside, wait_for_answer

PATIENTS, ROWS = 30, 10


def line(X):
    return X["age"] + 0.5 * X["dose"], np.full(len(X), 1.4)


def half(X):
    return 0.5 * X["age"], np.full(len(X), 1.6)


@pytest.fixture
def widget(bridge):  # noqa: ARG001, the bridge must exist before the widget
    rng = np.random.default_rng(0)
    n, patient = PATIENTS * ROWS, np.repeat(np.arange(PATIENTS), ROWS)
    X = pd.DataFrame({"age": rng.normal(size=PATIENTS)[patient], "dose": rng.normal(size=n)})
    effect = rng.normal(size=PATIENTS)[patient]
    y = pd.Series(X["age"] + 0.5 * X["dose"] + effect + rng.normal(size=n), name="outcome")
    extra = pd.DataFrame({"patient": patient})
    inputs = {"feature": "age", "stress_feature": "age", "n_repeats": 5}
    with uq.explore({"line": line, "half": half}, X, y, extra=extra, **inputs) as widget:
        yield widget


def test_the_first_line_answers_the_first_question_and_one_click_mends_a_note(bridge, widget):
    root = bridge.mount(widget)
    wait_for_answer(root)
    scores, pair = root.get_by_test_id("uq-strip-scores"), root.get_by_test_id("uq-strip-pair")
    expect(scores).to_contain_text("RMSE")
    expect(scores).to_contain_text("R²")
    expect(scores).to_contain_text("Calibrated, as far as 300 rows can tell.")
    expect(pair).to_contain_text("line is better by")
    expect(pair).to_contain_text("clearly")
    note = root.get_by_test_id("uq-strip-remarks")
    expect(note).to_contain_text("Rows with the same patient have errors that resemble each other")
    expect(root.get_by_test_id("uq-notes")).not_to_contain_text("rows with the same patient")
    of_rows, rows = scores.inner_text(), widget.result("performance", "scores")
    with answered(root):
        root.get_by_test_id("uq-mend").focus()
        bridge.page.keyboard.press("Enter")
    assert widget.groups == "patient"
    assert model_calls(root) == 0
    expect(note).to_be_hidden()
    expect(root.get_by_test_id("uq-strip")).to_be_focused()
    expect(scores).not_to_have_text(of_rows)
    of_patients = widget.result("performance", "scores")
    assert of_patients.high[0] - of_patients.low[0] > 1.3 * (rows.high[0] - rows.low[0])
    with answered(root):
        root.get_by_test_id("uq-tau").focus()
        bridge.page.keyboard.press("End")
    expect(scores).to_contain_text("worth about")
    assert model_calls(root) == 0
    assert root.evaluate(OUTSIDE) == []
    assert outside(root) == []
