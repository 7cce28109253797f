"""Rows are selected on the page, by pointer and by keyboard, and tried with other values."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

import uqwidgets as uq
from browser.reading import answered, model_calls
from uqwidgets.widgets.inputs.rows_text import text_of_rows
from widgets.wire import columns as columns_of


def mean(X: pd.DataFrame) -> np.ndarray:
    return X["dose"].to_numpy() + X["age"].to_numpy() / 20 + (X["site"] == "<b>Rome</b>").to_numpy()


@pytest.fixture
def widget(bridge):  # noqa: ARG001, the bridge must exist before the widget
    rng = np.random.default_rng(0)
    n = 120
    X = pd.DataFrame(
        {
            "dose": rng.normal(size=n),
            "age": rng.normal(50, 10, n).round(),
            "site": rng.choice(["<b>Rome</b>", "Bern"], n),
        },
        index=[f"P-{i}" for i in range(n)],
    )
    y = mean(X) + rng.normal(size=n)
    model = lambda X: (mean(X), np.exp(X["dose"].to_numpy() / 4))  # noqa: E731
    with uq.explore(model, X, y, n_repeats=2, feature="dose", stress_feature="age") as widget:
        yield widget


def columns(widget):
    return columns_of(widget._frame)


def chart(root):
    """The box of the curves on the page, after it was scrolled into view."""
    layers = root.locator(".uq-dependence .uq-layers")
    layers.scroll_into_view_if_needed()
    return layers.bounding_box()


def test_rows_are_selected_by_pointer_and_kept_until_escape(root, widget):
    page = root.page
    box = chart(root)
    # A box over the left half of the curves meets some of the lines.
    page.mouse.move(box["x"] + 150, box["y"] + 30)
    with answered(root):
        page.mouse.down()
        page.mouse.move(box["x"] + 170, box["y"] + 110, steps=3)
        page.mouse.up()
    few = widget.selection
    assert 0 < len(few) < 100
    expect(root.get_by_test_id("uq-selected-row")).to_have_count(len(few))
    expect(root.locator(".uq-selected-lines")).to_have_attribute("d", re.compile("^M"))
    # A drag over the bars selects all rows with such values, and makes a filter.
    box = chart(root)
    x0 = box["x"] + box["width"] * 0.4
    x1 = box["x"] + box["width"] * 0.6
    bars = box["y"] + 240
    page.mouse.move(x0, bars)
    with answered(root):
        page.mouse.down()
        page.mouse.move(x1, bars, steps=3)
        page.mouse.up()
    dose = widget.explainer.table.numbers("dose")
    inside = dose[widget.selection]
    assert (
        widget.selection == np.flatnonzero((dose >= inside.min()) & (dose <= inside.max())).tolist()
    )
    assert len(widget.selection) > 3
    calls = widget.explainer.model_calls
    widget.measure = "entropy"
    widget.tau = 0.5
    assert widget.wait(30)
    selection = widget.selection
    with answered(root):
        root.get_by_test_id("uq-range-keep").click()
    (condition,) = widget.ice_filter
    assert condition["feature"] == "dose"
    assert widget.selection == selection
    assert widget.explainer.model_calls == calls
    with answered(root):
        root.get_by_test_id("uq-selection-keep").click()
    assert widget.ice_filter[1] == {"rows": text_of_rows(selection)}
    assert f"{len(selection)} rows" in root.get_by_test_id("uq-filter-item").last.inner_text()
    with answered(root):
        root.get_by_test_id("uq-tau").press("Escape")
    assert widget.selection == []
    expect(root.get_by_test_id("uq-card")).to_be_hidden()
    assert model_calls(root) == 0


@pytest.mark.thorough
def test_everything_is_done_by_keyboard(root, widget):
    lines = root.get_by_test_id("uq-selection-lines")
    lines.focus()
    lines.press("ArrowRight")
    row = int(columns(widget)["dependence.ice_row"][1])
    assert lines.get_attribute("aria-valuetext") == f"row {row}, P-{row}"
    with answered(root):
        lines.press("Enter")
    assert widget.selection == [row]
    find = root.get_by_test_id("uq-selection-find")
    find.fill("P-7777")
    find.press("Enter")
    expect(root.get_by_text("no row P-7777")).to_be_visible()
    with answered(root):
        find.fill("117")
        find.press("Enter")
    assert widget.selection == sorted({row, 117})
    expect(root.get_by_test_id("uq-card")).to_contain_text("row 117, P-117")
    with answered(root):
        root.get_by_test_id("uq-card-next").press("Enter")
    assert widget.row == row
    # Two handles make a range of the bars.
    low = root.get_by_test_id("uq-range-low")
    with answered(root):
        low.press("PageUp")
    edges = columns(widget)["dependence.edges"]
    dose = widget.explainer.table.numbers("dose")
    assert widget.selection == np.flatnonzero(dose >= float(f"{edges[5]:.4g}")).tolist()
    clear = root.get_by_test_id("uq-range-clear")
    expect(clear).to_be_visible()
    listed = root.get_by_test_id("uq-selected-row").first
    expect(listed).to_contain_text(re.compile("^row .*truly .*, predicted mean: "))
    assert len(re.findall(r"\d\.\d", listed.inner_text())) == 2, "no number is there twice"
    # The range is not that of rows that are selected elsewhere.
    widget.selection = [3, 4]
    expect(clear).to_be_hidden()
    expect(root.get_by_test_id("uq-selected-row")).to_have_count(2)
    with answered(root):
        low.press("PageUp")
    expect(clear).to_be_visible()
    with answered(root):
        low.press("Escape")
    assert widget.selection == []
    expect(clear).to_be_hidden()


@pytest.mark.thorough
def test_a_changed_value_moves_along_the_line_and_is_reset(root, widget):
    widget.selection = [3]
    slider = root.get_by_test_id("uq-what-if-slider")
    slider.focus()
    with answered(root):
        slider.press("Home")
    status = root.get_by_test_id("uq-what-if-status")
    expect(status).to_contain_text("in place of")
    expect(status).not_to_contain_text("asking")
    assert model_calls(root) == 0
    grid = columns(widget)["dependence.grid"]
    assert widget.what_if == [{"feature": "dose", "value": grid[0]}]
    X = pd.DataFrame(
        {name: widget.explainer.table.column(name) for name in ("dose", "age", "site")}
    )
    table = root.get_by_test_id("uq-card-measures")
    (expected,) = mean(X.loc[[3]].assign(dose=grid[0]))
    expect(table).to_contain_text(f"{expected:.3g}".replace("-", "−"))
    # A value between those of the curve, of another feature too: one row is asked.
    with answered(root):
        root.get_by_label("what if age were").fill("61.5")
    expect(status).not_to_contain_text("asking")
    (expected,) = mean(X.loc[[3]].assign(dose=grid[0], age=61.5))
    expect(table).to_contain_text(f"{expected:.3g}".replace("-", "−"))
    expect(root.locator(".uq-value[data-changed]")).to_have_count(2)
    assert root.locator(".uq-values-list b").count() == 0
    with answered(root):
        root.get_by_test_id("uq-what-if-reset").click()
    assert widget.what_if == []
    expect(root.locator(".uq-value[data-changed]")).to_have_count(0)
