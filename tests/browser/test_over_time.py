"""The charts over time on the page: their periods are dragged over to choose the rows."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

import uqwidgets as uq
from browser.reading import OUTSIDE, answered, model_calls, outside, wait_for_answer

N = 320


def mean(X):
    return np.asarray(X["dose"]), np.ones(len(X))


@pytest.fixture
def widget(bridge):  # noqa: ARG001, the bridge must exist before the widget
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"dose": rng.normal(size=N)})
    y = pd.Series(X["dose"] + rng.normal(size=N) * (1 + 3 * np.arange(N) / N), name="outcome")
    extra = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=N)})
    inputs = {"feature": "dose", "stress_feature": "dose", "indicator": "rmse", "n_repeats": 2}
    with uq.explore(mean, X, y, extra=extra, **inputs) as widget:
        yield widget


def test_periods_are_read_and_dragged_over_to_choose_the_rows(bridge, widget):
    root = bridge.mount(widget)
    wait_for_answer(root)
    panel = root.locator(".uq-over_time")
    expect(panel.get_by_test_id("uq-over-time-words")).to_contain_text("lie clearly away")
    expect(panel.locator(".uq-note")).to_contain_text("along day, 320 rows")
    readers = panel.get_by_role("slider")
    expect(readers).to_have_count(2)
    readers.first.focus()
    bridge.page.keyboard.press("End")
    last = re.compile("^2024-10-27 to 2024-11-15, RMSE")
    expect(readers.first).to_have_attribute("aria-valuetext", last)
    readers.first.scroll_into_view_if_needed()
    box = readers.first.bounding_box()
    middle = box["y"] + 0.5 * box["height"]
    with answered(root):
        bridge.page.mouse.move(box["x"] + 0.6 * box["width"], middle)
        bridge.page.mouse.down()
        bridge.page.mouse.move(box["x"] + 0.8 * box["width"], middle + 5, steps=4)
        bridge.page.mouse.move(box["x"] + box["width"] - 14, middle + 9, steps=4)
        bridge.page.mouse.up()
    (condition,) = widget.ice_filter
    assert condition["feature"] == "day"
    assert condition["low"] > "2024-06"
    assert condition["high"].startswith("2024-11-15")
    expect(root.get_by_test_id("uq-rows")).not_to_contain_text("320 of 320")
    assert model_calls(root) == 0
    assert root.evaluate(OUTSIDE) == []
    assert outside(root) == []
