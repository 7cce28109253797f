"""The widget on a page without a notebook: its controls, its errors and floods of events."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

import uqwidgets as uq
from browser.reading import answered, flood, model_calls, numbers, wait_for_answer
from cases import thorough_after

HOSTILE = "<img src=x onerror=\"document.title='taken'\">"


class Coin:
    """A fast classifier; setting `fault` makes its calls fail with this message."""

    classes_ = np.array(["heads & <b>tails</b>", "tails"])
    fault: str | None = None

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        if self.fault is not None:
            raise RuntimeError(self.fault)
        score = 2 * X["length"] - X[HOSTILE] + 0.5 * X["length"] * X["width"]
        p = 1 / (1 + np.exp(-score.to_numpy()))
        return np.column_stack([1 - p, p])


@pytest.fixture
def model():
    return Coin()


@pytest.fixture
def widget(model, bridge):  # noqa: ARG001, the bridge must exist before the widget
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 3)), columns=["length", "width", HOSTILE])
    p = model.predict_proba(X)[:, 1]
    y = np.where(rng.random(200) < p, model.classes_[1], model.classes_[0])
    with uq.explore(model, X, y) as widget:
        yield widget


def test_tau_set_by_keyboard_reaches_python(root, widget):
    with answered(root):
        root.get_by_test_id("uq-tau").press("ArrowRight")
    assert widget.tau == 0.05
    assert model_calls(root) == 0
    with answered(root):
        root.get_by_test_id("uq-tau-reset").click()
    assert widget.tau == 0


def test_a_selection_in_a_picker_reaches_python(root, widget):
    for control, trait, choice in (
        ("uq-stress-feature", "stress_feature", "width"),
        ("uq-feature", "feature", "width"),
        ("uq-measure", "measure", "entropy"),
        ("uq-indicator", "indicator", "entropy"),
        ("uq-interval", "interval", "model"),
    ):
        assert getattr(widget, trait) != choice
        with answered(root):
            root.get_by_test_id(control).select_option(value=choice)
        assert getattr(widget, trait) == choice
        assert root.get_by_test_id(control).input_value() == choice


def test_a_number_field_reaches_python(root, widget):
    root.get_by_test_id("uq-dependence-options").click()
    for control, trait in (("uq-repeats", "n_repeats"), ("uq-lines", "ice_lines")):
        assert getattr(widget, trait) != 17
        with answered(root):
            root.get_by_test_id(control).fill("17")
            root.get_by_test_id(control).press("Enter")
        assert getattr(widget, trait) == 17


def test_checkboxes_change_the_curves_without_a_model_call(root, widget):
    root.get_by_test_id("uq-dependence-options").click()
    center, derivative = (root.get_by_test_id(f"uq-{name}") for name in ("center", "derivative"))
    with answered(root):
        center.check()
    assert widget.center
    assert model_calls(root) == 0
    title = root.locator(".uq-curves .uq-title").first
    expect(title).to_contain_text("change of probability of tails from length = ")
    with answered(root):
        derivative.press("Space")
    assert widget.derivative
    assert model_calls(root) == 0
    expect(title).to_contain_text("slope of probability of tails per unit of length")
    expect(center).to_be_disabled()
    with answered(root):
        derivative.uncheck()
    expect(center).to_be_enabled()
    expect(center).to_be_checked()


def test_a_row_selects_its_feature_by_click_and_by_key(root, widget):
    rows = root.get_by_test_id("uq-importance-row")
    last = rows.last.get_attribute("data-feature")
    with answered(root):
        rows.last.click()
    assert widget.feature == last
    with answered(root):
        rows.last.press("Home")
        root.page.keyboard.press("Enter")
    assert widget.feature == rows.first.get_attribute("data-feature")


def test_filters_choose_rows_without_a_model_call(root, widget):
    add = root.get_by_test_id("uq-filter-add")
    with answered(root):
        add.select_option(value="width")
    with answered(root):
        root.get_by_test_id("uq-filter-low").fill("0")
        root.get_by_test_id("uq-filter-low").press("Enter")
    (condition,) = widget.ice_filter
    assert (condition["feature"], condition["low"]) == ("width", 0)
    assert model_calls(root) == 0
    selected, total = numbers(root.get_by_test_id("uq-rows").inner_text())
    assert 0 < selected < total == 200

    with answered(root):
        add.select_option(index=1)
    with answered(root):
        root.get_by_test_id("uq-filter-class").first.uncheck()
    assert widget.ice_filter[1] == {"feature": None, "values": ["tails"]}
    assert model_calls(root) == 0
    of_class, _ = numbers(root.get_by_test_id("uq-rows").inner_text())
    assert 0 < of_class < selected

    for n_filters in (1, 0):
        with answered(root):
            root.get_by_test_id("uq-filter-remove").first.click()
        expect(root.get_by_test_id("uq-filter-item")).to_have_count(n_filters)
    assert widget.ice_filter == []


def test_another_measure_or_interval_needs_no_model_call(root):
    for control, choice in (
        ("uq-measure", "nll"),
        ("uq-interval", "model"),
        ("uq-indicator", "nll"),
    ):
        with answered(root):
            root.get_by_test_id(control).select_option(value=choice)
        assert model_calls(root) == 0, control


def test_another_feature_calls_the_model_once(root):
    for feature, calls in (("width", True), ("length", None), ("width", False)):
        with answered(root):
            root.get_by_test_id("uq-feature").select_option(value=feature)
        if calls is not None:
            assert (model_calls(root) > 0) == calls


def test_setting_traits_in_python_moves_the_controls(root, widget):
    widget.tau = 0.5
    expect(root.get_by_test_id("uq-stress-readout")).to_contain_text("τ 0.50")
    assert root.get_by_test_id("uq-tau").input_value() == "0.5"


def test_a_level_between_two_stops_is_shown_and_a_key_leaves_it_for_a_stop(root, widget):
    slider = root.get_by_test_id("uq-tau")
    widget.tau = 0.43
    expect(root.get_by_test_id("uq-stress-readout")).to_contain_text("τ 0.43")
    assert slider.input_value() == "0.43"
    with answered(root):
        slider.press("ArrowRight")
    assert widget.tau == float(slider.input_value()) == 0.45


def test_names_and_labels_are_text(root, page):
    with answered(root):
        root.get_by_test_id("uq-feature").select_option(value=HOSTILE)
    with answered(root):
        root.get_by_test_id("uq-stress-feature").select_option(value=HOSTILE)
    for control in ("uq-filter-add", "uq-measure"):
        root.get_by_test_id(control).focus()
    with answered(root):
        root.get_by_test_id("uq-filter-add").select_option(value=HOSTILE)
    with answered(root):
        root.get_by_test_id("uq-filter-add").select_option(index=1)
    for toggle in root.get_by_test_id("uq-table-toggle").locator("visible=true").all():
        toggle.click()
    root.locator(".uq-reader").first.hover()
    assert HOSTILE in root.inner_text()
    assert root.locator("img, b").count() == 0
    assert page.title() == "bridge"


INVALID = [
    ("tau", 7),
    ("feature", "no such feature"),
    ("measure", "no such measure"),
    ("n_repeats", -1),
    ("ice_filter", [{"feature": "width", "low": "zero", "high": None}]),
    ("ice_filter", [{"feature": "no such feature", "low": 0, "high": 1}]),
]


def test_an_invalid_value_from_the_browser_is_an_error_of_one_sentence(root, widget, page):
    for trait, value in INVALID:
        before = getattr(widget, trait)
        with answered(root):
            page.evaluate(
                """([trait, value]) => {
                  model.set(trait, value);
                  model.set("_seq", model.get("_seq") + 1);
                  model.save_changes();
                }""",
                [trait, value],
            )
        expect(root.get_by_test_id("uq-error")).to_have_text(re.compile(r"\w.*[.?]$"))
        assert getattr(widget, trait) == before
        with answered(root):
            root.get_by_test_id("uq-tau").press("ArrowRight")
        expect(root.get_by_test_id("uq-error")).to_be_hidden()


def test_the_widget_survives_an_error_of_the_model(root, model):
    rows = root.get_by_test_id("uq-importance-row").all_inner_texts()
    new_feature = next(name for name in ("width", "length") if name != value_of(root, "uq-feature"))
    model.fault = "out of memory"
    with answered(root):
        root.get_by_test_id("uq-feature").select_option(value=new_feature)
    error = root.get_by_test_id("uq-error")
    expect(error).to_contain_text("out of memory")
    expect(error).to_contain_text(new_feature)
    assert root.get_by_test_id("uq-importance-row").all_inner_texts() == rows
    with answered(root):
        root.get_by_test_id("uq-tau").press("ArrowRight")
    expect(root.get_by_test_id("uq-stress-readout")).to_contain_text("τ 0.05")

    model.fault = None
    with answered(root):
        root.get_by_test_id("uq-feature").select_option(value=HOSTILE)
    expect(error).to_be_hidden()


def test_a_flood_of_events_ends_on_the_last_value(root, widget):
    """Answers are faster here than in a notebook, so more requests are computed than there."""
    computed = []
    widget.observe(lambda change: computed.append(change["new"]["inputs"]["tau"]), "_frame")
    # At most the request in flight and that of the last value are answered after the last event.
    assert flood(root, events=200, last=0.35) <= 2
    wait_for_answer(root)
    assert widget.tau == computed[-1] == 0.35
    assert len(computed) < 150


def test_a_silent_kernel_is_reported_until_it_answers(bridge, root, widget):
    watchdog, slider = root.get_by_test_id("uq-watchdog"), root.get_by_test_id("uq-tau")
    expect(watchdog).to_be_hidden()
    bridge.answering = False
    slider.press("ArrowRight")
    expect(watchdog).to_be_visible()
    slider.press("ArrowRight")
    assert float(slider.input_value()) == 0.1
    bridge.answering = True
    with answered(root):
        slider.press("ArrowRight")
    expect(watchdog).to_be_hidden()
    assert widget.tau == 0.15


@pytest.mark.parametrize(
    ("background", "theme"), thorough_after(1, [("#111111", "dark"), ("#ffffff", "light")])
)
def test_the_theme_follows_the_page(root, page, background, theme):
    page.evaluate("(colour) => { document.body.style.backgroundColor = colour; }", background)
    expect(root).to_have_attribute("data-theme", theme)


def test_one_slider_step_is_one_request_without_a_model_call(root, widget):
    before = widget._seq
    with answered(root):
        root.get_by_test_id("uq-tau").press("ArrowRight")
    expect(root.get_by_test_id("uq-stress-readout")).to_contain_text("τ 0.05")
    assert widget._seq == before + 1
    assert model_calls(root) == 0


def test_the_slider_beside_the_stress_chart_stands_above_its_levels(root, page):
    beside = root.get_by_test_id("uq-tau-beside")
    beside.scroll_into_view_if_needed()
    ticks = root.locator(".uq-profile .uq-axis-bottom line")
    expect(ticks).to_have_count(5)
    for tick, tau in enumerate([-1, -0.5, 0, 0.5, 1]):
        mark, slider = ticks.nth(tick).bounding_box(), beside.bounding_box()
        page.mouse.click(mark["x"], slider["y"] + slider["height"] / 2)
        assert float(beside.input_value()) == tau


def value_of(root, control):
    return root.get_by_test_id(control).input_value()


def test_no_class_is_offered_without_a_target(bridge, widget):
    with uq.explore(widget.explainer.predictive, rows_of(widget)) as unlabelled:
        root = bridge.mount(unlabelled)
        wait_for_answer(root)
        expect(root.locator(".uq-header")).to_contain_text("classification, no target")
        expect(root.get_by_role("alert")).to_have_count(0)
        options = root.get_by_test_id("uq-filter-add").locator("option").all_inner_texts()
        assert not [text for text in options if "class" in text]
        assert {"length", "width"} <= set(options)


def rows_of(widget):
    return pd.DataFrame({f: widget.explainer.table.column(f) for f in widget.explainer.features})
