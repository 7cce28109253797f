"""A saved page, opened from disk, answers its controls with the numbers of the explorer."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

import uqwidgets as uq
from browser.harness import watched_page
from browser.reading import ROUNDING, answered, number, numbers, table, wait_for_answer


class Classifier:
    classes_ = np.array(["no", "yes"])

    def predict_proba(self, X):
        p = 1 / (1 + np.exp(-(2 * X["a"] - X["b"] * X["a"] + (X["kind"] == "red"))))
        return np.column_stack([1 - p, p])


@pytest.fixture(scope="module")
def explorer():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 3)), columns=list("abc"))
    X["kind"] = rng.choice(["red", "blue", "green"], size=300)
    y = np.where(rng.random(300) < Classifier().predict_proba(X)[:, 1], "yes", "no")
    with uq.explore(Classifier(), X, y, stress_feature="a", feature="a") as explorer:
        explorer.tau, explorer.measure = 0.5, "entropy"
        explorer.pin("uncertain")
        explorer.tau, explorer.measure = 0.0, "prediction"
        yield explorer


@pytest.fixture(scope="module")
def path(explorer, tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "page.html"
    explorer.save(
        path,
        title="Review",
        author="Somebody",
        note="For all.",
        cohorts="classes",
        stress_features=["a", "kind"],
        progress=False,
    )
    return path


@pytest.fixture
def saved(browser, path):
    """The root of the page, which may ask for nothing but itself."""
    with watched_page(browser) as page:
        requests = []
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())
        root = page.get_by_test_id("uq-root")
        wait_for_answer(root)
        yield root
        assert requests == [path.as_uri()]


def choose(root, **inputs):
    for name, value in inputs.items():
        with answered(root):
            control = root.get_by_test_id(f"uq-{name.replace('_', '-')}")
            if name == "tau":
                control.evaluate(
                    "(e, v) => { e.value = v; e.dispatchEvent(new Event('input', {bubbles: true}));"
                    "e.dispatchEvent(new Event('change', {bubbles: true})); }",
                    str(value),
                )
            else:
                control.select_option(value)


def assert_importance(root, explainer, tau, tolerance):
    shown = table(root, "Importance")
    exact = explainer.importance("nll", n_repeats=10, **stressed(explainer, tau))
    by_name = {name: i for i, name in enumerate(exact.features)}
    axis = max(exact.high) - min(0, *exact.low)
    assert len(shown) == len(by_name)
    for name, value, low, high, *_ in shown:
        i = by_name[name]
        assert number(value) == pytest.approx(
            exact.importance[i], rel=ROUNDING, abs=tolerance * axis
        )
        for end, text in ((exact.low[i], low), (exact.high[i], high)):
            assert number(text) == pytest.approx(end, rel=ROUNDING, abs=5 * tolerance * axis)


def assert_curve(root, explainer, feature, measure, tau, tolerance):
    shown = table(root, "Dependence")
    exact = explainer.dependence(feature, measure=measure, grid=49, **stressed(explainer, tau))
    axis = max(exact.high) - min(exact.low)
    assert len(shown) == len(exact.grid)
    for cells, average in zip(shown, exact.average, strict=True):
        assert number(cells[1]) == pytest.approx(average, rel=ROUNDING, abs=tolerance * axis)


def stressed(explainer, tau):
    return {"sample_weight": explainer.stress_weights("a", tau)} if tau else {}


def test_without_stress_the_numbers_are_those_of_the_explainer(saved, explorer):
    assert_importance(saved, explorer.explainer, 0, 0)
    for feature, measure in (("a", "prediction"), ("b", "nll"), ("kind", "entropy")):
        choose(saved, feature=feature, measure=measure)
        assert_curve(saved, explorer.explainer, feature, measure, 0, 0)


def test_under_stress_they_are_within_a_fifth_of_a_percent_of_their_axis(saved, explorer):
    choose(saved, feature="b")
    for tau in (-1, -0.37, 0.62, 1):
        choose(saved, tau=tau)
        assert f"τ = {tau:.2f}".replace("-", "−") in saved.inner_text()
        assert_importance(saved, explorer.explainer, tau, 0.002)
        assert_curve(saved, explorer.explainer, "b", "prediction", tau, 0.002)


def test_scores_are_those_without_stress_and_say_so(saved):
    choose(saved, tau=0.62)
    panel = saved.get_by_role("region", name="The model itself")
    expect(panel.get_by_text("shown for other inputs")).to_be_visible()
    expect(
        saved.get_by_text("scores, calibration and confusion are those at τ = 0")
    ).to_be_visible()


def test_a_pin_shows_the_exact_numbers_of_its_view(saved, explorer):
    with answered(saved):
        saved.get_by_test_id("uq-pin-view").click()
    assert_importance(saved, explorer.explainer, 0.5, 0)
    assert_curve(saved, explorer.explainer, "a", "entropy", 0.5, 0)


def test_cohorts_choose_rows(saved, explorer):
    ex = explorer.explainer
    choose(saved, rows_shown="1")
    rows = ex.table.y == "no"
    assert numbers(saved.get_by_test_id("uq-rows").inner_text())[0] == rows.sum()
    exact = ex.importance("nll", n_repeats=10, rows=rows)
    shown = {name: number(value) for name, value, *_ in table(saved, "Importance")}
    for name, value in zip(exact.features, exact.importance, strict=True):
        assert shown[name] == pytest.approx(value, rel=ROUNDING)


def test_the_slider_is_driven_by_keys(saved):
    slider = saved.get_by_test_id("uq-tau")
    slider.focus()
    for key in ("ArrowRight", "ArrowRight", "PageUp"):
        with answered(saved):
            slider.press(key)
    value = float(slider.input_value())
    assert 0.02 < value < 0.5
    expect(saved.get_by_test_id("uq-stress-readout")).to_contain_text(f"τ {value:.2f}")


def test_what_needs_a_kernel_is_disabled_and_says_so(saved):
    saved.get_by_test_id("uq-dependence-options").click()
    for name in ("repeats", "lines", "center", "derivative", "second"):
        control = saved.get_by_test_id(f"uq-{name}")
        expect(control).to_be_disabled()
        assert "notebook" in control.get_attribute("title")
    expect(saved.get_by_test_id("uq-filter-add")).to_have_count(0)


def test_the_head_has_the_texts_of_the_author(saved):
    head = saved.page.locator("body > header")
    for text in ("Review", "Somebody", "For all."):
        expect(head.get_by_text(text)).to_be_visible()
    assert saved.page.title() == "Review"


def test_without_scripts_the_page_shows_a_still(browser, path):
    with watched_page(browser, java_script_enabled=False) as page:
        page.goto(path.as_uri())
        for name in ("Importance for", "Dependence of", "under stress"):
            expect(page.get_by_text(name).first).to_be_visible()
        assert page.locator("#uq-still svg").count() >= 3


def test_a_frozen_page_lives_in_the_output_of_a_cell(browser, explorer):
    frozen = explorer.freeze(stress_features=["a"], progress=False)
    with watched_page(browser) as page:
        page.set_content(f"<!DOCTYPE html><body>{frozen._repr_html_()}</body>")
        root = page.frame_locator("iframe").get_by_test_id("uq-root")
        wait_for_answer(root)
        assert_importance(root, explorer.explainer, 0, 0)
        choose(root, tau=0.62)
        assert_importance(root, explorer.explainer, 0.62, 0.002)


def test_rows_of_the_page_are_selected_and_move_along_their_lines(saved, explorer):
    lines = saved.get_by_test_id("uq-selection-lines")
    lines.press("ArrowRight")
    name = lines.get_attribute("aria-valuetext")
    row = int(numbers(name)[0])
    with answered(saved):
        lines.press("Enter")
    card = saved.get_by_test_id("uq-card")
    expect(card).to_contain_text(name)
    q = explorer.explainer.evaluations.original.take([row])
    expect(card.locator(".uq-bar-value").first).to_have_text(
        f"{q.probabilities.max():.0%}".replace("%", " %")
    )
    # The number fields need a kernel, the slider along the line does not.
    expect(saved.get_by_test_id("uq-what-if").first).to_be_disabled()
    expect(saved.get_by_test_id("uq-selection-keep")).to_be_hidden()
    expect(saved.get_by_test_id("uq-range-low")).to_be_hidden()
    slider = saved.get_by_test_id("uq-what-if-slider")
    with answered(saved):
        slider.press("Home")
    curve = explorer.explainer.dependence("a", measure="prediction", grid=49)
    changed = number(
        saved.get_by_test_id("uq-card-measures")
        .locator("tr", has_text="probability")
        .locator("td")
        .nth(1)
        .inner_text()
    )
    assert changed == pytest.approx(curve.curves[0, list(curve.rows).index(row)], abs=0.001)
    with answered(saved):
        slider.press("Escape")
    expect(card).to_be_hidden()
