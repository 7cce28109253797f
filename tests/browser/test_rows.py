"""Row filters on the page: missing values, filters without rows, and a stable layout."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

import uqwidgets as uq
from browser.reading import answered, model_calls, numbers
from cases import thorough_after
from models import Logistic


@pytest.fixture
def widget(bridge):  # noqa: ARG001, the bridge must exist before the widget
    rng = np.random.default_rng(1)
    n = 300
    X = pd.DataFrame(
        {
            "length": rng.normal(size=n),
            "age": np.where(np.arange(n) < 40, np.nan, rng.normal(40, 10, n)),
            "town": pd.Series(rng.choice(["Ulm", "Bonn"], n)).where(np.arange(n) >= 20),
            "day": pd.to_datetime("2024-01-01") + pd.to_timedelta(rng.integers(0, 3, n), unit="D"),
        }
    )
    y = np.where(rng.random(n) < Logistic("length").predict_proba(X)[:, 1], "yes", "no")
    site = pd.Series([f"site {i % 30}" for i in range(n)]).where(np.arange(n) >= 10)
    inputs = {"tau": 0.5, "feature": "length", "stress_feature": "length"}
    with uq.explore(Logistic("length"), X, y, extra={"site": site}, **inputs) as widget:
        yield widget


def shown_rows(root):
    return numbers(root.get_by_test_id("uq-rows").inner_text())[0]


@pytest.mark.thorough
def test_missing_values_are_filtered_out_by_their_checkbox(root, widget):
    add = root.get_by_test_id("uq-filter-add")
    for name, missing in (("age", 40), ("town", 20)):
        with answered(root):
            add.select_option(value=name)
        assert shown_rows(root) == 300, "the new filter selects all rows"
        item = root.get_by_test_id("uq-filter-item")
        expect(item).to_contain_text(f"missing ({missing} rows)")
        with answered(root):
            item.get_by_test_id("uq-filter-missing").uncheck()
        assert shown_rows(root) == 300 - missing
        with answered(root):
            root.get_by_test_id("uq-filter-remove").click()
    with answered(root):
        add.select_option(value="day")
    with answered(root):
        root.get_by_test_id("uq-filter-low").fill("2024-01-02")
    day = widget.explainer.table.column("day")
    expected = (day >= pd.Timestamp("2024-01-02")).sum()
    assert shown_rows(root) == expected
    assert f"of the {expected} rows" in root.get_by_test_id("uq-stress-readout").inner_text()
    assert model_calls(root) == 0


@pytest.mark.thorough
def test_a_column_that_is_no_feature_is_searched_and_limited_to_one_value(root, widget):
    site = widget.explainer.extra.column("site")
    with answered(root):
        root.get_by_test_id("uq-filter-add").select_option(value="site")
    root.get_by_test_id("uq-filter-search").fill("site 12")
    expect(root.get_by_test_id("uq-filter-value")).to_have_count(1)
    with answered(root):
        root.get_by_test_id("uq-filter-search").press("Tab")  # to "all"
        root.get_by_test_id("uq-filter-only").focus()
        root.get_by_test_id("uq-filter-only").press("Enter")
    assert shown_rows(root) == (site == "site 12").sum()
    root.get_by_test_id("uq-filter-search").fill("missing")
    with answered(root):
        root.get_by_role("button", name="only missing").click()
    assert shown_rows(root) == site.isna().sum() == 10
    assert widget.ice_filter == [{"feature": "site", "values": [None]}]
    assert model_calls(root) == 0


@pytest.mark.parametrize("width", thorough_after(1, [700, 1500]))
def test_the_layout_does_not_move_when_no_row_meets_the_filter(root, width):
    root.page.set_viewport_size({"width": width, "height": 900})
    add = root.get_by_test_id("uq-filter-add")
    with answered(root):
        add.select_option(value="length")

    def positions():
        """Return the box of every panel, by its name, once all boxes have come to rest."""
        boxes = None
        for _ in range(50):
            before, boxes = boxes, boxes_now()
            if boxes == before:
                break
            root.page.wait_for_timeout(100)
        return boxes

    def boxes_now():
        panels = root.locator(".uq-panel, .uq-readout").filter(visible=True).all()
        return {
            f"{place} {panel.get_attribute('aria-label')} {side}": length
            for place, panel in enumerate(panels)
            for side, length in panel.bounding_box().items()
        }

    before = positions()
    readout = root.get_by_test_id("uq-stress-readout").inner_text()
    with answered(root):
        root.get_by_test_id("uq-filter-low").fill("100")
        root.get_by_test_id("uq-filter-low").press("Enter")
    assert shown_rows(root) == 0
    expect(root.get_by_text("No row matches")).to_be_visible()
    # Two paragraphs of the same height may differ by a hundredth of a pixel.
    assert positions() == pytest.approx(before, abs=0.5)
    assert root.get_by_test_id("uq-stress-readout").inner_text() == readout
    with answered(root):
        root.get_by_test_id("uq-filter-low").fill("")
        root.get_by_test_id("uq-filter-low").press("Enter")
    assert shown_rows(root) == 300
    expect(root.get_by_text("No row matches")).to_have_count(0)
    # Two paragraphs of the same height may differ by a hundredth of a pixel.
    assert positions() == pytest.approx(before, abs=0.5)
