"""The page for everyone: axe-core in both themes, widths, and a line of help for each control."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect
from sklearn.linear_model import LinearRegression

import uqwidgets as uq
from browser.bridge import Bridge
from browser.fitting import LISTED, OUTSIDE, OVERLAPS
from browser.harness import watched_page
from browser.reading import answered, wait_for_answer
from cases import thorough_after

AXE = Path(__file__).parents[2] / "js" / "node_modules" / "axe-core" / "axe.min.js"
CLASSES = [f"kind of cell number {k}" for k in range(8)]
VIOLATIONS = """async () => {
  // The two sliders of a range lie on one track; the fields beside them do the same.
  const within = { include: "[data-testid=uq-root]", exclude: ".uq-range" };
  const { violations } = await axe.run(within, {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    // It reads the two parts of a shortened name as two words.
    rules: { "label-content-name-mismatch": { enabled: false } },
  });
  const marks = (nodes) => nodes.map(({ html }) => html.slice(0, 160)).join(" | ");
  return violations.map(({ id, nodes }) => `${id}: ${marks(nodes)}`);
}"""
# Resolves when no element changes its opacity any more.
FADED = "() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished))"
# Ratios of contrast between marks and the surface, and what surrounds the element with the focus.
FORCED = """(root) => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map((value) => value / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const probe = root.appendChild(document.createElement("i"));
  probe.style.color = "Canvas";
  const canvas = light(getComputedStyle(probe).color);
  probe.remove();
  const contrast = (selector, name) => {
    const [a, b] = [light(getComputedStyle(root.querySelector(selector))[name]), canvas];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  };
  return {
    dots: contrast(".uq-bar circle", "fill"),
    whiskers: contrast(".uq-bar .uq-whisker", "stroke"),
    bars: contrast(".uq-bar rect", "fill"),
    picked: contrast(".uq-picked circle", "fill"),
    curve: contrast(".uq-average", "stroke"),
    profile: contrast(".uq-chosen", "stroke"),
    level: contrast(".uq-now", "fill"),
    text: contrast(".uq-axis text", "fill"),
  };
}"""
RING = """() => {
  const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(document.activeElement);
  return [document.activeElement.dataset.testid ?? "", outlineStyle, parseFloat(outlineWidth),
    outlineColor];
}"""
MOVING = """(root) => [...root.querySelectorAll("*")]
  .filter((element) => {
    const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(element);
    return /[1-9]/.test(transitionDuration) || animationName !== "none"
      || scrollBehavior === "smooth";
  })
  .map((element) => element.outerHTML.slice(0, 80))"""
UNTOLD = """(root) => [...root.querySelectorAll("button, input, select, summary")]
  .filter((element) => element.getClientRects().length > 0)
  .filter((element) => {
    element.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
    return !element.closest("[title]");
  })
  .map((element) => element.outerHTML.slice(0, 120))"""


@pytest.fixture(scope="module")
def explainer():
    """Eight classes, features whose names begin alike, and a second model."""
    rng = np.random.default_rng(0)
    names = [f"measurement of the left ventricle, {end}" for end in ("width", "height", "depth")]
    X = pd.DataFrame(rng.normal(size=(160, 3)), columns=names)
    X["site"] = rng.choice(["Rome", "Bern", "Oslo"], 160)
    centres = rng.normal(size=(8, 3)) * 2

    def model(table, factor=1.0):
        logits = table[names].to_numpy() @ centres.T * factor
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        return shares / shares.sum(axis=1, keepdims=True)

    model.classes_ = np.array(CLASSES)
    y = rng.choice(CLASSES, 160)
    flat = partial(model, factor=0.5)
    flat.classes_ = model.classes_
    return uq.Explainer(model, X, y, others={"a second model, half as sure": flat})


def shown(bridge, explainer, **inputs):
    """Mount a widget with everything open that opens, and return its root."""
    root = bridge.mount(uq.Explorer(explainer, n_repeats=3, **inputs))
    wait_for_answer(root)
    for summary in root.locator("details:not([open]) > summary").all():
        if summary.is_visible():
            summary.click()
    return root


@pytest.mark.parametrize("theme", thorough_after(1, ["light", "dark"]))
def test_axe_finds_no_violation_in_any_panel(browser, monkeypatch, explainer, theme):
    import comm

    from browser.bridge import QueueComm

    monkeypatch.setattr(comm, "create_comm", lambda **kwargs: QueueComm(**kwargs))
    with watched_page(browser, color_scheme=theme, bypass_csp=True) as page:
        bridge = Bridge(page)
        if theme == "dark":
            page.evaluate("document.body.style.background = '#111'")
        root = shown(bridge, explainer, tau=0.4)
        assert root.get_attribute("data-theme") == theme
        for question in root.get_by_test_id("uq-help").all():
            question.click()
        with answered(root):
            root.get_by_test_id("uq-filter-add").select_option(index=2)
        root.get_by_test_id("uq-pin").click()
        root.get_by_test_id("uq-pin-note").wait_for()
        # What is shown for other inputs is dimmed until the levels of tau arrive; then it fades in.
        expect(root.locator("[data-stale=true]").filter(visible=True)).to_have_count(0)
        page.evaluate(FADED)
        # Nothing is drawn for the place of the mouse, which could cover a control.
        page.mouse.move(0, 0)
        page.evaluate(AXE.read_text())
        assert page.evaluate(VIOLATIONS) == []


@pytest.mark.thorough
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_no_violation_in_a_comparison_and_on_the_card_of_a_row(
    browser, monkeypatch, explainer, theme
):
    import comm

    from browser.bridge import QueueComm

    monkeypatch.setattr(comm, "create_comm", lambda **kwargs: QueueComm(**kwargs))
    inputs = {"compare_with": "model:a second model, half as sure", "selection": [3, 7], "row": 3}
    with watched_page(browser, color_scheme=theme, bypass_csp=True) as page:
        bridge = Bridge(page)
        if theme == "dark":
            page.evaluate("document.body.style.background = '#111'")
        layout = ["importance", "dependence", "comparison", "selection"]
        widget = uq.Explorer(explainer, n_repeats=3, tau=0.4, layout=layout, **inputs)
        root = bridge.mount(widget)
        wait_for_answer(root)
        expect(root.locator(".uq-difference-scores tbody tr").first).to_be_visible()
        expect(root.get_by_test_id("uq-card-measures")).to_be_visible()
        widget.what_if = [{"feature": explainer.features[0], "value": 0.25}]
        expect(root.get_by_test_id("uq-what-if-status")).to_contain_text("in place of")
        for question in root.get_by_test_id("uq-help").filter(visible=True).all():
            question.click()
        expect(root.locator("[data-stale=true]").filter(visible=True)).to_have_count(0)
        page.evaluate(AXE.read_text())
        assert page.evaluate(VIOLATIONS) == []


@pytest.mark.thorough
def test_a_comparison_and_a_card_fit_at_any_width(bridge, explainer):
    bridge.page.set_viewport_size({"width": 600, "height": 1200})
    layout = ["importance", "dependence", "comparison", "selection"]
    inputs = {"compare_with": "model:a second model, half as sure", "selection": [3, 7], "row": 3}
    root = bridge.mount(uq.Explorer(explainer, n_repeats=3, tau=0.4, layout=layout, **inputs))
    wait_for_answer(root)
    expect(root.locator(".uq-difference-scores tbody tr").first).to_be_visible()
    expect(root.get_by_test_id("uq-card-measures")).to_be_visible()
    for width in (600, 833, 1280, 1920):
        bridge.page.set_viewport_size({"width": width, "height": 1200})
        bridge.page.wait_for_timeout(300)
        assert root.evaluate(OUTSIDE) == [], width
        assert root.evaluate(OVERLAPS) == [], width
        # An interval is on one line, and its table is as wide as its place.
        cells = "(root) => [...root.querySelectorAll('.uq-difference-scores td')].map((cell) => "
        assert max(root.evaluate(f"{cells} cell.getClientRects()[0].height)")) < 60, width
        table = root.locator(".uq-difference-scores")
        assert table.evaluate("(box) => box.scrollWidth <= box.clientWidth + 1"), width


def test_nothing_is_cut_or_overlaps_at_any_width(bridge, explainer):
    bridge.page.set_viewport_size({"width": 500, "height": 1200})
    root = bridge.mount(uq.Explorer(explainer, n_repeats=3, tau=0.4))
    wait_for_answer(root)
    summaries = root.locator(".uq-more > summary")
    expect(summaries.first).to_be_visible()
    for opens in (False, True):
        if opens:
            for summary in summaries.all():
                summary.click()
            expect(root.get_by_test_id("uq-anchor")).to_be_visible()
        for width in (500, 600, 833, 900, 1280, 1920):
            bridge.page.set_viewport_size({"width": width, "height": 1200})
            bridge.page.wait_for_timeout(300)
            assert root.evaluate(OUTSIDE) == [], width
            assert root.evaluate(OVERLAPS) == [], width
            assert root.evaluate(LISTED) == [], width
            page = "document.documentElement"
            assert bridge.page.evaluate(f"{page}.scrollWidth <= {page}.clientWidth"), width


# The length of the slider, and the gaps between the words below it, in pixels.
TRACK = """(root) => {
  const words = [...root.querySelectorAll(".uq-tau-scale span")].map((span) => {
    const range = document.createRange();
    range.selectNodeContents(span);
    return range.getBoundingClientRect();
  });
  const gaps = words.slice(1).map((word, i) => word.left - words[i].right);
  const track = root.querySelector(".uq-tau-track").getBoundingClientRect().width;
  return { track, gap: Math.min(...gaps) };
}"""


def test_the_slider_keeps_its_length_beside_a_long_question(bridge):
    rng = np.random.default_rng(0)
    x = pd.DataFrame(rng.normal(size=(60, 2)), columns=["sensor_reading_000", "age"])
    root = bridge.mount(uq.explore(LinearRegression().fit(x, x["age"]), x, x["age"], n_repeats=2))
    wait_for_answer(root)
    for width in (500, 600, 700, 800, 848, 900, 1000, 1280, 1920):
        bridge.page.set_viewport_size({"width": width, "height": 900})
        bridge.page.wait_for_timeout(50)
        measured = root.evaluate(TRACK)
        assert measured["track"] >= 240, width
        assert measured["gap"] >= 6, width


TITLE_BORDERS = """(root) => {
  const titles = [...root.querySelectorAll(".uq-sort")];
  const surface = root.appendChild(document.createElement("i"));
  surface.style.color = "Canvas";
  return {
    count: titles.length,
    colours: [...new Set(titles.map((one) => getComputedStyle(one).borderTopColor))],
    surface: getComputedStyle(surface).color,
  };
}"""


@pytest.mark.thorough
def test_forced_colours_keep_marks_and_focus_visible(bridge, explainer):
    bridge.page.emulate_media(forced_colors="active")
    root = bridge.mount(uq.Explorer(explainer, n_repeats=3, tau=0.4))
    wait_for_answer(root)
    # WCAG 2.2 asks for 3 to 1 of what is no text; a theme's grey may have less.
    contrasts = root.evaluate(FORCED)
    assert {name: ratio for name, ratio in contrasts.items() if ratio < 3} == {}
    # The titles of columns are buttons without a box, and boxes of neighbours would touch.
    borders = root.evaluate(TITLE_BORDERS)
    assert borders["count"] > 1
    assert borders["colours"] == [borders["surface"]]
    root.get_by_test_id("uq-stress-feature").focus()
    reached = set()
    for _ in range(30):
        bridge.page.keyboard.press("Tab")
        name, style, width, colour = bridge.page.evaluate(RING)
        assert style != "none", name
        assert width >= 1, name
        assert not colour.endswith(", 0)"), name
        reached.add(name)
    assert {"uq-tau", "uq-measure", "uq-importance-row"} <= reached


@pytest.mark.thorough
def test_nothing_moves_by_itself_where_less_motion_is_preferred(bridge, explainer):
    root = bridge.mount(uq.Explorer(explainer, n_repeats=3))
    wait_for_answer(root)
    assert root.evaluate(MOVING) != []
    bridge.page.emulate_media(reduced_motion="reduce")
    assert root.evaluate(MOVING) == []


@pytest.mark.thorough
def test_every_control_has_a_line_of_help(bridge, explainer):
    root = shown(bridge, explainer)
    root.get_by_test_id("uq-filter-add").select_option(index=2)
    wait_for_answer(root)
    root.get_by_test_id("uq-pin").click()
    root.get_by_test_id("uq-pin-note").wait_for()
    root.evaluate("(root) => root.querySelectorAll('details').forEach((one) => (one.open = true))")
    for control in ("uq-anchor", "uq-held", "uq-replacement"):
        root.get_by_test_id(control).first.wait_for()
    assert root.evaluate(UNTOLD) == []
