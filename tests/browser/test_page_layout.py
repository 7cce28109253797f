"""What a saved page looks like: its first screen, any width and any words, and the paper."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

import uqwidgets as uq
from browser.harness import watched_page
from browser.reading import answered, outside, wait_for_answer
from browser.saved_pages import choose
from cases import thorough_after

WIDTHS = [320, 400, 700, 1280, 1440]
LONG = 10_000

# Texts of the axes that touch, and charts' texts beyond their panel.
COLLISIONS = """(root) => {
  const found = [];
  for (const chart of root.querySelectorAll("svg")) {
    const labels = [...chart.querySelectorAll(".uq-axis text")]
      .filter((text) => text.textContent && text.checkVisibility({ visibilityProperty: true }))
      .map((text) => [text.textContent, text.getBoundingClientRect()]);
    labels.forEach(([one, a], i) => {
      for (const [other, b] of labels.slice(i + 1)) {
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (across > 0 && down > 3) found.push(`${chart.getAttribute("class")}: ${one}, ${other}`);
      }
    });
  }
  return found;
}"""
N_LABELS = "(root) => root.querySelectorAll('.uq-axis text').length"
# Tables scroll in their place.
WIDER = """() => {
  const edge = document.documentElement.clientWidth;
  return [...document.body.querySelectorAll("*")]
    .filter((one) => !one.closest(".uq-scroll, .uq-table-scroll, .uq-sr, .uq-ends, .uq-clip"))
    .filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > edge + 1)
    .map((one) => one.outerHTML.slice(0, 120));
}"""


def numbers_of_any_size(rng, n=80):
    """Return features whose labels are long: large and small numbers, dates and categories."""
    return pd.DataFrame(
        {
            "a very large number, in millions": rng.normal(3e7, 1e7, n),
            "tiny": rng.normal(0, 1e-7, n),
            "when it happened": pd.Timestamp("2020-01-01")
            + pd.to_timedelta(rng.integers(0, 2000, n), "D"),
            "kind": rng.choice(["a category whose name is long", "another", "third one"], n),
        }
    )


def regressor(X):
    mean = X.iloc[:, 0] * 1e-3 + X.iloc[:, 1] * 1e10 + (X.iloc[:, 3] == "another") * 3e4
    return mean.to_numpy(), np.full(len(X), 1e4)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    rng = np.random.default_rng(1)
    X = numbers_of_any_size(rng)
    first, tiny, when, kind = X
    path = tmp_path_factory.mktemp("layout") / "page.html"
    with uq.explore(
        regressor, X, regressor(X)[0] + 1e4 * rng.normal(size=len(X)), n_repeats=2
    ) as widget:
        widget.set_trait("feature", first)
        widget.stress_feature, widget.tau = tiny, 0.4
        widget.pin("the first view")
        widget.tau, widget.feature, widget.second = 0.0, kind, when
        widget.pin("a surface")
        widget.feature, widget.second = first, ""
        widget.save(
            path,
            title="A review",
            author="An Author",
            note="What is new.",
            stress_features=[first, tiny],
            progress=False,
        )
    return path


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """Return the path of a page without pins."""
    path = tmp_path_factory.mktemp("layout") / "plain.html"
    save_of_features(path, 3)
    return path


def save_of_features(path, n_features, n_pins=0):
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, n_features))).add_prefix("x")
    with uq.explore(
        lambda X: X["x0"].to_numpy(), X, X["x0"], stress_feature="x0", n_repeats=2
    ) as widget:
        for k in range(n_pins):
            widget.tau = 0.1 * k
            widget.pin(f"pin number {k}")
        widget.save(path, stress_features=["x0"], progress=False)


def opened(page, path):
    page.goto(path.as_uri())
    root = page.get_by_test_id("uq-root")
    wait_for_answer(root)
    return root


def box_of(locator):
    return locator.evaluate(
        "(one) => { const { left, right, top, bottom } = one.getBoundingClientRect();"
        " return { left, right, top, bottom }; }"
    )


def assert_fits(page, root):
    """Assert that nothing is wider than the page, and that no labels of axes touch."""
    edge = page.evaluate("document.documentElement.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") <= edge
    assert page.evaluate(WIDER) == []
    assert outside(root) == []
    assert root.evaluate(N_LABELS) > 10
    assert root.evaluate(COLLISIONS) == []


@pytest.mark.parametrize("size", [(1440, 900), (1280, 800)], ids=["1440", "1280"])
def test_the_first_screen_is_the_explorer_with_the_path_beside_it(browser, path, plain, size):
    width, height = size
    with watched_page(browser, viewport={"width": width, "height": height}) as page:
        root = opened(page, path)
        head, explorer = box_of(page.locator("body > header")), box_of(root)
        assert head["bottom"] - head["top"] < 40, "the head is one line"
        assert explorer["top"] < head["bottom"] + 20
        assert explorer["right"] - explorer["left"] >= 1000, "there is room for two columns"
        steps = page.locator("[data-pin]")
        expect(steps).to_have_count(2)
        for step in steps.all():
            box = box_of(step)
            assert box["right"] <= explorer["left"]
            assert 0 <= box["top"] < box["bottom"] <= height
        expect(page.locator("body > :not(main) :is(textarea, input):visible")).to_have_count(1)
        expect(page.get_by_label("Print all tables")).not_to_be_in_viewport()
        importance = root.get_by_role("region", name="Importance", exact=True)
        expect(importance).to_be_in_viewport(ratio=0.9)
        without = opened(page, plain)
        assert box_of(without)["left"] == box_of(page.locator("body > header"))["left"]
        assert box_of(without)["top"] < 120
        expect(page.locator("body > :not(main) :is(textarea, input):visible")).to_have_count(1)


def test_on_a_narrow_screen_the_path_is_above_the_explorer(browser, path):
    with watched_page(browser, viewport={"width": 1000, "height": 800}) as page:
        root = opened(page, path)
        steps = page.locator("[data-pin]")
        assert box_of(steps.last)["bottom"] <= box_of(root)["top"]
        with answered(root):
            page.get_by_role("button", name="Show view 1 in the explorer").click()
        expect(root).to_be_in_viewport()


@pytest.mark.parametrize("width", WIDTHS)
def test_a_page_of_any_width_fits_and_no_labels_touch(browser, path, width):
    with watched_page(browser, viewport={"width": width, "height": 900}) as page:
        root = opened(page, path)
        assert_fits(page, root)
        for name in ("tiny", "when it happened", "kind"):
            choose(root, feature=name)
            assert_fits(page, root)
        for i in (1, 2):
            with answered(root):
                page.get_by_role("button", name=f"Show view {i} in the explorer").click()
            assert_fits(page, root)
        expect(root.locator(".uq-heat").first).to_be_visible()


@pytest.mark.parametrize("width", thorough_after(1, [320, 1440]))
def test_words_of_any_length_wrap(browser, tmp_path, width):
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 2)), columns=["f" * LONG, "short"])
    path = tmp_path / "page.html"
    with uq.explore(
        lambda X: X.iloc[:, 0].to_numpy(), X, X.iloc[:, 0], n_repeats=2, title="m" * LONG
    ) as widget:
        widget.tau = 0.5
        widget.pin("p" * LONG)
        texts = {"title": "t" * LONG, "author": "a" * LONG, "note": "n" * LONG}
        widget.save(path, **texts, stress_features=list(X)[:1], progress=False)
    with watched_page(browser, viewport={"width": width, "height": 900}) as page:
        root = opened(page, path)
        page.locator("[data-pin] summary").last.click()
        page.get_by_role("textbox", name="Comment on view 1").fill("c" * LONG)
        page.locator(".uq-answer > summary").click()
        page.get_by_label("Reviewer").fill("r" * LONG)
        page.get_by_label("Comment", exact=True).last.fill("d" * LONG)
        assert_fits(page, root)
        for summary in page.locator(".uq-folded > summary").all():
            summary.click()
        for letter in "tanp":
            expect(page.get_by_text(letter * LONG).last).to_be_visible()
        assert_fits(page, root)
        with answered(root):
            page.get_by_role("button", name="Show view 1 in the explorer").click()
        assert_fits(page, root)


def n_pages(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def test_thirty_features_take_at_most_twelve_pages_and_all_tables_come_on_request(
    browser, tmp_path
):
    path = tmp_path / "page.html"
    save_of_features(path, 30, n_pins=2)
    with watched_page(browser) as page:
        opened(page, path)
        page.wait_for_timeout(300)
        few = n_pages(page.pdf(format="A4"))
        assert 4 <= few <= 12
        box = page.get_by_label("Print all tables")
        box.focus()
        box.press("Space")
        expect(box).to_be_checked()
        folded = page.locator("details[data-table]:not([open])").count()
        assert folded >= 8
        assert n_pages(page.pdf(format="A4")) > few + 4
        # On the screen they stay as they were.
        expect(page.locator("details[data-table]:not([open])")).to_have_count(folded)


def test_the_paper_has_the_notes_the_pictures_of_the_pins_and_the_open_tables(browser, path):
    with watched_page(browser) as page:
        opened(page, path)
        pictures = page.locator("article .uq-picture")
        expect(pictures).to_have_count(2)
        expect(pictures.locator("svg").first).to_be_hidden()
        tables = page.locator("details[data-table]")
        tables.first.locator("summary").click()
        is_open = tables.evaluate_all("(all) => all.map(({ open }) => open)")
        assert {True, False} == set(is_open)
        page.emulate_media(media="print")
        for text in ("A review", "An Author", "What is new.", "the first view", "a surface"):
            expect(page.get_by_text(text).filter(visible=True).first).to_be_visible()
        for picture in pictures.all():
            assert picture.locator("svg:visible").count() >= 3
        for table, is_shown in zip(tables.all(), is_open, strict=True):
            assert table.locator("table").is_visible() == is_shown
        expect(page.get_by_label("Print all tables")).to_be_hidden()
        expect(page.locator(".uq-section button:visible")).to_have_count(0)


def test_without_scripts_the_pins_have_their_pictures(browser, path):
    with watched_page(browser, java_script_enabled=False) as page:
        page.goto(path.as_uri())
        picture = page.locator("article .uq-picture").last
        picture.locator("summary").click()
        expect(picture.get_by_text("on kind and when it happened")).to_be_visible()
        expect(page.get_by_text("Print all tables")).to_have_count(0)
