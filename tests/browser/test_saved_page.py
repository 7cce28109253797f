"""A saved page, opened from disk, answers its controls with the numbers of the explorer."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect
from sklearn.linear_model import LogisticRegression

import uqwidgets as uq
from browser.harness import watched_page
from browser.quickstart import quickstart
from browser.reading import ROUNDING, answered, number, numbers, table, wait_for_answer
from browser.saved_pages import assert_curve, assert_importance, choose, opened

N_REPEATS = 5


class Classifier:
    classes_ = np.array(["no", "yes"])

    def predict_proba(self, X):
        p = 1 / (1 + np.exp(-(2 * X["a"] - X["b"] * X["a"] + (X["kind"] == "red"))))
        return np.column_stack([1 - p, p])


def rows_and_target():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 3)), columns=list("abc"))
    X["kind"] = rng.choice(["red", "blue", "green"], size=300)
    return X, np.where(rng.random(300) < Classifier().predict_proba(X)[:, 1], "yes", "no")


@pytest.fixture(scope="module")
def explorer():
    X, y = rows_and_target()
    with uq.explore(
        Classifier(), X, y, stress_feature="a", feature="a", n_repeats=N_REPEATS
    ) as explorer:
        explorer.tau, explorer.measure = 0.43, "entropy"
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
        cohorts={"no": "no"},
        stress_features=["a", "kind"],
        progress=False,
    )
    return path


@pytest.fixture
def saved(browser, path):
    with opened(browser, path) as root:
        yield root


def assert_numbers(root, explorer, tau=0.0, feature="a", measure="prediction", tolerance=0.0):
    """Compare importance and curve with those of the explainer."""
    ex = explorer.explainer
    weights = {"sample_weight": ex.stress_weights("a", tau)} if tau else {}
    assert_importance(root, ex.importance("nll", n_repeats=N_REPEATS, **weights), tolerance)
    assert_curve(root, ex.dependence(feature, measure=measure, grid=49, **weights), tolerance)


@pytest.mark.thorough
def test_without_stress_the_numbers_are_those_of_the_explainer(saved, explorer):
    for feature, measure in (("a", "prediction"), ("b", "nll"), ("kind", "entropy")):
        choose(saved, feature=feature, measure=measure)
        assert_numbers(saved, explorer, feature=feature, measure=measure)


def test_under_stress_they_are_within_a_fifth_of_a_percent_of_their_axis(saved, explorer):
    choose(saved, feature="b")
    for tau in (-1, -0.35, 0.6, 1):
        choose(saved, tau=tau)
        assert f"τ = {tau:.2f}".replace("-", "−") in saved.inner_text()
        assert_numbers(saved, explorer, tau, "b", tolerance=0.002)


def test_intervals_beside_a_far_longer_one_are_as_precise_as_elsewhere(browser, tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(20, 6)), columns=[f"x{j}" for j in range(6)])
    y = X["x0"] + X["x1"] * X["x2"] + rng.normal(size=20) > 0
    model = LogisticRegression().fit(X, y)
    with uq.explore(model, X, y, stress_feature="x0", feature="x0") as explorer:
        explorer.save(tmp_path / "page.html", stress_features=["x0"], progress=False)
        exact = explorer.explainer.importance_over_tau("x0", taus=[-1.0, 0.0])
    with opened(browser, tmp_path / "page.html") as root:
        names = root.get_by_test_id("uq-over-tau-name").all_text_contents()
        _, *shown = table(root, "Importance over τ")[0]
    of_features = dict(zip(names, shown[1::2], strict=True))
    assert numbers(of_features.pop("x0"))[1] > 100, "about two rows have weight"
    for name, interval in of_features.items():
        i = exact.features.index(name)
        # The chart shows about 1.8 nats.
        ends = exact.low[i, 0], exact.high[i, 0]
        np.testing.assert_allclose(numbers(interval), ends, rtol=ROUNDING, atol=0.02)


def test_scores_move_with_tau_and_the_calibration_says_that_it_does_not(saved, explorer):
    choose(saved, tau=0.6)
    panel = saved.get_by_role("region", name="The model itself")
    expect(panel.get_by_text("shown for other inputs")).to_have_count(0)
    expect(saved.get_by_text("the calibration is that at τ = 0")).to_be_visible()
    ex = explorer.explainer
    weights = ex.stress_weights("a", 0.6)
    exact, without = ex.scores(sample_weight=weights), ex.scores()
    rows = panel.locator(".uq-scores tbody tr").all_inner_texts()
    assert len(rows) == len(exact.names) >= 4
    widths = exact.high - exact.low
    numbers = zip(rows, exact.labels, exact.value, without.value, widths, strict=True)
    for row, label, value, base, width in numbers:
        cells = row.split("\t")
        assert cells[0].startswith(label)
        # The decimals are those that the interval gives a meaning to.
        atol = 0.002 * (abs(value) + abs(value - base)) + 0.06 * width
        np.testing.assert_allclose(number(cells[1]), value, rtol=ROUNDING, atol=atol)
        np.testing.assert_allclose(number(cells[3]), base, rtol=ROUNDING)
    cells = panel.locator(".uq-confusion tbody td").all_inner_texts()
    share = ex.confusion(sample_weight=weights).share
    of_rows = share / share.sum(axis=1, keepdims=True)
    shown = [number(cell.split("\n")[0]) / 100 for cell in cells]
    np.testing.assert_allclose(shown, of_rows.ravel(), atol=0.006)


def test_a_pin_shows_the_exact_numbers_of_its_view(saved, explorer):
    with answered(saved):
        saved.get_by_test_id("uq-pin-view").click()
    assert_numbers(saved, explorer, 0.43, measure="entropy")
    # Other inputs have the levels of the slider only.
    choose(saved, feature="b")
    assert float(saved.get_by_test_id("uq-tau").input_value()) == 0.45
    assert_numbers(saved, explorer, 0.45, "b", measure="entropy", tolerance=0.002)


def test_cohorts_choose_rows(saved, explorer):
    ex = explorer.explainer
    choose(saved, rows_shown="1")
    rows = ex.table.y == "no"
    assert numbers(saved.get_by_test_id("uq-rows").inner_text())[0] == rows.sum()
    exact = ex.importance("nll", n_repeats=N_REPEATS, rows=rows)
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
    assert 0.1 < value < 0.5
    expect(saved.get_by_test_id("uq-stress-readout")).to_contain_text(f"τ {value:.2f}")


def test_what_needs_a_kernel_is_disabled_and_says_so(saved):
    saved.get_by_test_id("uq-dependence-options").click()
    for name in ("repeats", "lines", "center", "derivative", "second"):
        control = saved.get_by_test_id(f"uq-{name}")
        expect(control).to_be_disabled()
        assert "notebook" in control.get_attribute("title")
    expect(saved.get_by_test_id("uq-filter-add")).to_have_count(0)


def test_the_code_of_any_view_of_the_page_makes_that_view(saved):
    choose(saved, rows_shown="1", feature="kind", measure="nll", tau=-0.35)
    saved.get_by_test_id("uq-copy").click()
    saved.page.get_by_role("heading", name="Review", exact=True, level=2).click()
    reviewer = saved.page.get_by_label("Reviewer")
    reviewer.fill("")
    reviewer.press("Control+v")
    code = reviewer.input_value()
    X, y = rows_and_target()
    names = {"uq": uq, "model": Classifier(), "X": X, "y": y}
    with eval(code, names) as again:
        shown = (again.tau, again.feature, again.measure, again.stress_feature)
        assert shown == (-0.35, "kind", "nll", "a")
        assert again.ice_filter == [{"feature": None, "values": ["no"]}]
        assert again.wait(60)
        assert again.code() == code
        assert again.result("dependence").feature == "kind"


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
        assert_numbers(root, explorer)
        choose(root, tau=0.6)
        assert_numbers(root, explorer, 0.6, tolerance=0.002)


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


# Moves the slider through all its levels, and waits until each is painted.
DRAG = """async (root) => {
  const slider = root.querySelector("[data-testid=uq-tau]");
  for (let i = -50; i <= 50; i++) {
    slider.value = String(i / 50);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
}"""


def test_a_drag_over_the_page_of_the_quickstart_says_nothing_in_the_console(browser, tmp_path):
    path = tmp_path / "page.html"
    names = quickstart()
    with uq.explore(
        *(names[name] for name in ("model", "X_test", "y_test")), n_repeats=2
    ) as explorer:
        explorer.save(path, lines=20, stress_features=list(names["X"])[:1], progress=False)
    # A page fails on errors and warnings.
    with opened(browser, path) as root:
        root.evaluate(DRAG)
        expect(root.get_by_test_id("uq-stress-readout")).to_contain_text("τ 1.00")
