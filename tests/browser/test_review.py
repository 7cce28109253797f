"""The review of a saved page: its path, its answers, its tables, and what of it is printed."""

from __future__ import annotations

import csv
import re

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

import uqwidgets as uq
from browser.harness import watched_page
from browser.reading import answered, wait_for_answer
from cases import thorough_after

HOSTILE = "</script><img src=x onerror=\"document.title='taken'\">"
FOCUSED = "() => document.activeElement.textContent || document.activeElement.value"


def model(X):
    return (2 * X["length"] - X[HOSTILE]).to_numpy(), np.full(len(X), 0.5)


@pytest.fixture(scope="module")
def explorer():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(90, 2)), columns=["length", HOSTILE])
    y = model(X)[0] + rng.normal(size=90)
    with uq.explore(model, X, y, stress_feature="length", feature="length", n_repeats=3) as widget:
        widget.tau = 0.5
        widget.pin("lengths were larger")
        widget.tau, widget.feature = 0.0, HOSTILE
        widget.pin()
        widget.feature = "length"
        yield widget


@pytest.fixture(scope="module")
def path(explorer, tmp_path_factory):
    path = tmp_path_factory.mktemp("reviews") / "my review.html"
    explorer.save(path, title="Lengths", author="An Author", progress=False)
    return path


def opened(page, path):
    page.goto(path.as_uri())
    root = page.get_by_test_id("uq-root")
    wait_for_answer(root)
    return root


@pytest.fixture
def page(browser, path):
    with watched_page(browser) as page:
        opened(page, path)
        yield page


def saved_file(page, button, folder):
    with page.expect_download() as info:
        button.click()
    target = folder / info.value.suggested_filename
    info.value.save_as(target)
    return target


def open_form(page):
    page.get_by_role("heading", name="Review", exact=True).click()


def test_the_page_opens_with_its_head_and_the_pins_as_a_path(page):
    words = page.locator("body").inner_text()
    order = ["Lengths", "An Author", "Reading path", "lengths were larger", "Review"]
    order += ["Importance", "Tables and code", "Provenance", "Remarks"]
    places = [words.index(each) for each in order]
    assert places == sorted(places)
    assert re.match(r"\d{4}-\d\d-\d\d$", page.locator("header time").first.inner_text())
    assert page.title() == "Lengths"
    for name in ("Verdict", "Reviewer", "Comment on view 1", "Download with answers"):
        assert name not in words
    root = page.get_by_test_id("uq-root")
    with answered(root):
        page.get_by_role("button", name="Show view 1 in the explorer").press("Enter")
    assert root.get_by_test_id("uq-tau").input_value() == "0.5"
    expect(page.locator("[data-pin][aria-current=step]")).to_contain_text("lengths were larger")


def test_answers_are_given_by_keyboard_and_kept_in_the_downloaded_page(page, browser, tmp_path):
    press, type_text = page.keyboard.press, page.keyboard.type
    page.get_by_role("button", name="Show view 1 in the explorer").focus()
    for text in ("see the second row", HOSTILE):
        press("Tab")
        assert page.evaluate(FOCUSED) == "Comment"
        press("Enter")
        press("Tab")
        type_text(text)
        press("Tab")
    # A comment on a pin is downloaded while the form is folded.
    expect(page.get_by_role("button", name="Download with answers")).to_be_visible()
    assert page.evaluate(FOCUSED) == "Review: verdict and comment"
    press("Enter")
    press("Tab")
    assert page.evaluate(FOCUSED) == ""  # no verdict yet
    press("ArrowDown")
    press("ArrowDown")
    press("Tab")
    type_text("R. Viewer")
    press("Tab")
    type_text("first line\nsecond line")
    press("Tab")
    assert page.evaluate(FOCUSED) == "Download with answers"
    expect(page.get_by_text("Your answers are not kept yet")).to_be_visible()
    copy = saved_file(page, page.get_by_role("button", name="Download with answers"), tmp_path)
    assert copy.name == "my review.html"
    expect(page.get_by_text("Downloaded with your answers.")).to_be_visible()

    with watched_page(browser) as again:
        requests = []
        again.on("request", lambda request: requests.append(request.url))
        root = opened(again, copy)
        for i, text in enumerate(("see the second row", HOSTILE), start=1):
            field = again.get_by_role("textbox", name=f"Comment on view {i}")
            expect(field).to_be_visible()
            expect(field).to_have_value(text)
        expect(again.get_by_label("approved with conditions")).to_be_checked()
        expect(again.get_by_label("Reviewer")).to_have_value("R. Viewer")
        comment = again.get_by_role("textbox", name="Comment", exact=True)
        expect(comment).to_have_value("first line\nsecond line")
        expect(again.get_by_text(re.compile(r"Answered on \d{4}"))).to_be_visible()
        assert again.title() == "Lengths"
        assert requests == [copy.as_uri()]
        with answered(root):
            root.get_by_test_id("uq-tau").press("ArrowRight")


def test_the_downloaded_page_differs_in_the_answers_and_its_seal_alone(page, path, tmp_path):
    open_form(page)
    page.get_by_label("Reviewer").fill("somebody")
    copy = saved_file(page, page.get_by_role("button", name="Download with answers"), tmp_path)
    data = re.compile(r'(id="uq-(?:answers|seal)">)(.*?)(</script>)')
    texts = [data.sub(r"\1\3", file.read_text("utf-8")) for file in (path, copy)]
    contents = [re.findall(r"<(script|style)[^>]*>(.*?)</\1>", text, re.S) for text in texts]
    assert contents[0] == contents[1]
    assert "somebody" in data.findall(copy.read_text("utf-8"))[1][1]


def test_the_tables_are_downloaded_with_exact_numbers(page, explorer, tmp_path):
    article = page.locator("article").first
    expect(article.get_by_role("heading")).to_have_text("Pin 1: lengths were larger")
    details = article.locator("details[data-table]").first
    file = saved_file(page, details.get_by_role("button", name="Download CSV"), tmp_path)
    assert file.name == "pin-1-lengths-were-larger-importance-nll.csv"
    weights = explorer.explainer.stress_weights("length", 0.5)
    exact = explorer.explainer.importance("nll", n_repeats=3, sample_weight=weights)
    lines = list(csv.DictReader(file.read_text("utf-8").splitlines()))
    assert [line["feature"] for line in lines] == list(exact.frame["feature"])
    values = [float(line["importance"]) for line in lines]
    assert values == pytest.approx(list(exact.frame["importance"]), rel=1e-12)
    details.get_by_role("button", name="Copy table").click()
    expect(details.get_by_role("status")).to_have_text("copied")
    article.get_by_role("button", name="Copy code").click()
    open_form(page)
    page.get_by_label("Reviewer").fill("")
    page.get_by_label("Reviewer").press("Control+v")
    code = (
        "uq.explore(model, X, y, tau=0.5, stress_feature='length', feature='length', n_repeats=3)"
    )
    expect(page.get_by_label("Reviewer")).to_have_value(code)


def test_nothing_on_paper_or_without_a_script_is_a_heading_alone(page, browser, path):
    panels = page.get_by_test_id("uq-root").locator(".uq-panel h3")
    small, surface = (panels.get_by_text(name) for name in ("Small curves", "Two features"))
    expect(small).to_be_visible()
    expect(surface).to_be_visible()
    page.emulate_media(media="print")
    expect(small).to_be_hidden()
    expect(surface).to_be_hidden()
    expect(panels.get_by_text("Importance", exact=True)).to_be_visible()
    context = browser.new_context(java_script_enabled=False)
    try:
        still = context.new_page()
        still.goto(path.as_uri())
        headings = still.get_by_role("heading", level=2).all_inner_texts()
    finally:
        context.close()
    assert headings[0] == "Reading path"
    assert "Review" not in headings


@pytest.mark.thorough
def test_the_charts_of_a_wide_window_are_drawn_anew_for_the_paper(page):
    root = page.get_by_test_id("uq-root")

    # The width of the explorer, and where its charts end.
    page.evaluate("""() => {
      const root = document.querySelector("[data-testid=uq-root]");
      window.ends = () => [root.clientWidth, ...[...root.querySelectorAll("svg")].map((chart) =>
        chart.getBoundingClientRect().right - root.getBoundingClientRect().left)];
    }""")

    def ends():
        return page.evaluate("window.ends()")

    # Panels whose code comes later have had their size observed.
    expect(
        root.get_by_role("region", name="Importance over τ").locator(".uq-plot svg").first
    ).to_be_visible()
    page.wait_for_timeout(500)

    on_screen = ends()
    assert on_screen[0] > 1000
    page.evaluate("""() => {
      window.printed = [];
      window.addEventListener("beforeprint", () => window.printed.push(window.ends()));
      window.dispatchEvent(new Event("beforeprint"));
    }""")
    width, *charts = ends()
    assert 600 < width <= 681
    assert len(charts) > 3
    assert 500 < max(charts) <= width
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    page.wait_for_function("window.ends()[0] > 1000")
    page.pdf(format="A4")
    for width, *charts in page.evaluate("window.printed"):
        assert 600 < width <= 681
        assert 500 < max(charts) <= width
    page.wait_for_timeout(100)
    assert ends() == pytest.approx(on_screen, abs=2)


@pytest.mark.parametrize(
    ("width", "height"), thorough_after(1, [(660, 1000), (680, 920)]), ids=["A4", "letter"]
)
def test_everything_is_printed_and_fits_the_paper(page, width, height):
    page.set_viewport_size({"width": width, "height": height})
    open_form(page)
    page.get_by_role("textbox", name="Comment", exact=True).fill("many lines\n" * 12)
    page.locator("article details").evaluate_all("(all) => all.forEach((one) => (one.open = true))")
    page.emulate_media(media="print")
    for details in page.locator("article details").all():
        expect(details.locator("table, svg").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for button in page.locator(".uq-section button").all():
        expect(button).to_be_hidden()
    area = page.get_by_role("textbox", name="Comment", exact=True)
    assert area.evaluate("(area) => area.scrollHeight <= area.clientHeight + 1")


@pytest.mark.thorough
def test_every_feature_of_a_long_list_is_on_the_paper(browser, tmp_path):
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 45))).add_prefix("x")
    with uq.explore(lambda X: X["x0"].to_numpy(), X, X["x0"], n_repeats=2) as widget:
        widget.save(tmp_path / "page.html", stress_features=["x0"], lines=0, progress=False)
    with watched_page(browser) as page:
        root = opened(page, tmp_path / "page.html")
        page.wait_for_timeout(300)
        panel = root.get_by_role("region", name="Importance", exact=True)
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        assert panel.locator(".uq-bar").count() >= 45
        scroller = panel.locator(".uq-importance-scroll")
        assert scroller.evaluate("(list) => list.scrollHeight <= list.clientHeight + 1")
