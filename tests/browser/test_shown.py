"""Drawing of special cases: right-to-left and long names, many classes, few rows, no stress."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from pandas.api.types import is_numeric_dtype
from playwright.sync_api import expect

import uqwidgets as uq
from browser.reading import answered, outside, wait_for_answer

HEBREW = ["גיל", "הכנסה", "משקל"]
SITES = {"north": -2.0, "south": 2.0}
LONG = ["unbroken" * 15, "W" * 120, "short"]


class Linear:
    """A classifier of any number of classes from the row sums of a table."""

    def __init__(self, classes):
        self.classes_ = np.asarray(classes, dtype=object)

    def predict_proba(self, X):
        numeric = [X[c] if is_numeric_dtype(X[c]) else X[c].map(SITES) for c in X]
        scores = np.outer(np.sum(numeric, axis=0), np.linspace(-1, 1, len(self.classes_)))
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        return odds / odds.sum(axis=1, keepdims=True)


def shown(bridge, names, classes, n=60, **inputs):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n, len(names))), columns=names)
    y = np.asarray(classes, dtype=object)[rng.integers(0, len(classes), n)]
    widget = uq.explore(Linear(classes), X, y, n_repeats=2, **inputs)
    root = bridge.mount(widget)
    wait_for_answer(root)
    return root


LEFT = """(box, words) => words.map((word) => {
  const walk = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const at = node.data.indexOf(word);
    if (at < 0) continue;
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + word.length);
    return range.getBoundingClientRect().left;
  }
})"""


def test_right_to_left_names_do_not_reorder_numbers(bridge):
    root = shown(bridge, HEBREW, ["u", "v"], stress_feature=HEBREW[0], tau=0.5)
    readout = root.get_by_test_id("uq-stress-readout")
    mean = readout.locator("strong").first.inner_text()
    before, after = mean.split(" → ")
    assert before != after
    left, right = readout.evaluate(LEFT, [before, after])
    assert left < right
    # Found and measured at once, because a new frame draws the readout anew.
    name = readout.evaluate("(all) => all.querySelector('bdi').getBoundingClientRect().left")
    assert name < left
    # In plain text, Unicode isolates surround the name.
    spoken = root.get_by_test_id("uq-tau").get_attribute("aria-valuetext")
    assert f"\u2068{HEBREW[0]}\u2069 {after}" in spoken
    row = root.get_by_test_id("uq-importance-row").first
    assert row.get_attribute("aria-label").startswith("\u2068")


@pytest.mark.thorough
@pytest.mark.parametrize("width", [600, 1280])
def test_long_names_are_clipped_and_available_in_full(bridge, page, width):
    page.set_viewport_size({"width": width, "height": 900})
    classes = ["c" * 120, "d" * 120]
    root = shown(
        bridge, LONG, classes, feature=LONG[1], stress_feature=LONG[0], indicator="tpr", tau=0.4
    )
    assert outside(root) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for text in root.locator(".uq-curves > .uq-title, .uq-label").all():
        assert text.text_content().endswith("…")
    assert LONG[0] in root.get_by_test_id("uq-stress-readout").text_content()
    assert (
        root.locator(".uq-dependence .uq-legend .uq-key-name").last.get_attribute("title")
        == classes[1]
    )
    reader = root.locator(".uq-dependence .uq-reader")
    reader.press("Home")
    assert LONG[1] in reader.get_attribute("aria-valuetext")
    expect(root.locator(".uq-dependence .uq-tooltip strong")).to_contain_text(LONG[1])
    assert outside(root) == []
    root.locator(".uq-stress .uq-reader").press("End")
    expect(root.locator(".uq-stress .uq-tooltip")).to_contain_text(LONG[0])
    for toggle in root.get_by_test_id("uq-table-toggle").locator("visible=true").all():
        toggle.click()
    assert outside(root) == []


@pytest.mark.thorough
def test_ten_classes_have_their_own_colour_and_the_others_share_one(bridge):
    root = shown(bridge, ["a", "b"], [f"class {i}" for i in range(300)], n=400)
    keys = root.locator(".uq-dependence .uq-key:has(.uq-key-name):visible")
    assert keys.count() == 11
    expect(keys.last).to_have_text("290 other classes")
    looks = keys.locator("line").evaluate_all(
        "(lines) => lines.map((line) => "
        "getComputedStyle(line).stroke + ' ' + line.getAttribute('stroke-dasharray'))"
    )
    assert len(set(looks)) == 11
    assert root.locator(".uq-distribution rect").count() == 24 * 11


@pytest.mark.thorough
def test_a_wide_interval_band_is_clipped_at_its_chart(bridge):
    root = shown(bridge, ["a", "b", "c"], ["u", "v"], n=20, stress_feature="a", indicator="nll")
    chart = root.locator(".uq-profile")
    chart.scroll_into_view_if_needed()
    # Outside the chart, the band is neither drawn nor under the pointer.
    above = chart.evaluate(
        """(chart) => {
          const band = chart.querySelector(".uq-stress-band");
          const d = band.getAttribute("d");
          const up = -400;
          band.setAttribute("d", d.replace(/^M([\\d.]+),[\\d.]+/, `M$1,${up}`));
          const [top, shape] = [chart.getBoundingClientRect().top, band.getBoundingClientRect()];
          const at = document.elementsFromPoint(shape.left + 1, top - 20);
          return { leaves: shape.top < top - 40, seen: at.includes(band) };
        }"""
    )
    assert above == {"leaves": True, "seen": False}


@pytest.mark.thorough
def test_the_mark_without_stress_is_shown_under_stress_only(bridge):
    root = shown(bridge, ["a", "b"], ["u", "v"], stress_feature="a")
    marks = root.locator(".uq-key-tick, .uq-legend .uq-key:has(.uq-key-ghost)")
    assert marks.count() == 2
    for mark in marks.all():
        expect(mark).to_be_hidden()
    with answered(root):
        root.get_by_test_id("uq-tau").press("ArrowRight")
    for mark in marks.all():
        expect(mark).to_be_visible()


@pytest.mark.thorough
def test_number_fields_have_room_for_four_digits(bridge):
    root = shown(bridge, ["a", "b"], ["u", "v"])
    root.get_by_test_id("uq-dependence-options").click()
    for field in ("uq-lines", "uq-repeats"):
        control = root.get_by_test_id(field)
        control.evaluate("(input) => { input.value = '1000'; }")
        assert control.evaluate("(input) => input.scrollWidth <= input.clientWidth")


def test_every_region_has_a_unique_accessible_name(bridge):
    root = shown(bridge, ["a", "b"], ["u", "v"])
    regions = root.locator("section, [role=region]")
    expect(regions).to_have_count(26)  # those of the parts come after the first answer
    names = regions.evaluate_all("(all) => all.map((region) => region.ariaLabel)")
    assert len(set(names)) == len(names)


def test_the_most_important_feature_with_a_mean_is_stressed(bridge):
    rng = np.random.default_rng(0)
    # The most important feature is categorical.
    X = pd.DataFrame({"site": rng.choice(list(SITES), 60), "b": 0.01 * rng.normal(size=60)})
    y = np.where(X["site"].map(SITES) > 0, "v", "u").astype(object)
    root = bridge.mount(uq.explore(Linear(["u", "v"]), X, y, n_repeats=2))
    wait_for_answer(root)
    expect(root.get_by_test_id("uq-feature")).to_have_value("site")
    expect(root.get_by_test_id("uq-stress-feature")).to_have_value("b")
    expect(root.get_by_test_id("uq-tau")).to_be_enabled()
    expect(root.locator(".uq-hint")).to_contain_text("All rows count the same")


def test_the_curve_of_a_constant_feature_is_a_point(bridge):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=60), "same": 2.0})
    y = rng.choice(np.array(["u", "v"], dtype=object), 60)
    root = bridge.mount(uq.explore(Linear(["u", "v"]), X, y, n_repeats=2, feature="same"))
    wait_for_answer(root)
    expect(root.locator(".uq-curves .uq-points:not(.uq-learner) circle")).to_be_visible()
    pixels = root.locator(".uq-ice").evaluate(
        """(canvas) => canvas.getContext("2d")
             .getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value > 0)"""
    )
    assert pixels
