"""The lessons of `uq.teach` by keyboard alone, read by axe-core in both themes."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect
from sklearn.tree import DecisionTreeRegressor

import small_lessons
import uqwidgets as uq
from browser.all_lessons import have_the_numbers_of_python, press
from browser.bridge import Bridge
from browser.harness import watched_page
from cases import thorough_after
from uqwidgets.teach import coverage

AXE = Path(__file__).parents[2] / "js" / "node_modules" / "axe-core" / "axe.min.js"
VIOLATIONS = """async () => {
  const { violations } = await axe.run("[data-testid=uq-root]", {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160))}`);
}"""
# What is drawn beyond the widget.
OUTSIDE = """(root) => {
  const box = root.getBoundingClientRect();
  return [...root.querySelectorAll("button, select, input, p, li, svg text, table")]
    .filter((element) => element.checkVisibility() && !element.closest(".uq-sr, .uq-table-scroll"))
    .filter((element) => {
      const { left, right } = element.getBoundingClientRect();
      return right > box.right + 1 || left < box.left - 1;
    })
    .map((element) => `${element.localName} ${element.textContent}`);
}"""


@pytest.fixture(scope="module")
def explainer():
    return small_lessons.linear()


@pytest.fixture(params=thorough_after(1, ["light", "dark"]))
def themed(request, browser, monkeypatch):
    """A page of 600 pixels in one of the themes."""
    import comm

    from browser.bridge import QueueComm

    monkeypatch.setattr(comm, "create_comm", lambda **kwargs: QueueComm(**kwargs))
    with watched_page(browser, color_scheme=request.param, bypass_csp=True) as page:
        page.set_viewport_size({"width": 600, "height": 900})
        bridge = Bridge(page)

        def mount(lesson):
            bridge.clear()
            if request.param == "dark":
                page.evaluate("document.body.style.background = '#111'")
            root = bridge.mount(lesson)
            expect(root).to_have_attribute("data-theme", request.param)
            return root

        yield mount


@pytest.mark.thorough
def test_a_page_of_all_lessons_works_without_a_kernel(browser, tmp_path, monkeypatch):
    """Go through the saved page by keyboard; its sentences are those of the kernel."""
    monkeypatch.setattr(coverage, "_MOST_SAMPLES", 10)
    monkeypatch.setattr(coverage, "_FITS", 10)
    path = tmp_path / "lessons.html"
    lessons = small_lessons.make()
    uq.teach.save(path, list(lessons.values()), progress=False)
    with watched_page(browser, bypass_csp=True) as page:
        page.goto(path.as_uri())
        have_the_numbers_of_python(page.get_by_test_id("uq-root"), lessons)
        page.evaluate(AXE.read_text())
        assert page.evaluate(VIOLATIONS) == []
    for lesson in lessons.values():
        lesson.close()


def test_in_a_page_other_features_need_the_notebook(browser, tmp_path, monkeypatch):
    monkeypatch.setattr("uqwidgets.teach.page.MOST_FEATURES_OF_PAGE", 2)
    X = np.random.default_rng(0).normal(size=(30, 4))
    explainer = uq.Explainer(lambda X: (X[:, 0], np.ones(len(X))), X, X[:, 0])
    with uq.teach.StressToATarget(explainer, target=0.2) as lesson:
        lesson.save(tmp_path / "lesson.html", progress=False)
    with watched_page(browser, bypass_csp=True) as page:
        page.goto((tmp_path / "lesson.html").as_uri())
        root = page.get_by_test_id("uq-root")
        expect(root.get_by_test_id("uq-note")).to_contain_text("2 features need the notebook")
        disabled = root.get_by_test_id("uq-feature").locator("option:disabled")
        expect(disabled).to_have_text(["x2", "x3"])
        expect(disabled.first).to_have_attribute("title", "This needs the notebook.")


def test_without_scripts_a_page_of_lessons_has_its_question(browser, explainer, tmp_path):
    with uq.teach.GuessTheRanking(explainer) as lesson:
        lesson.save(tmp_path / "lesson.html", progress=False)
    with watched_page(browser, java_script_enabled=False) as page:
        page.goto((tmp_path / "lesson.html").as_uri())
        expect(page.locator("#uq-still")).to_contain_text("needs JavaScript")
        expect(page.locator("#uq-still")).to_contain_text("Which feature does the model need most?")


def test_a_slow_lesson_is_shown_at_once_with_its_progress(themed):
    opened = threading.Event()
    opened.set()

    def slow(X):
        assert opened.wait(60)
        return X[:, 0], np.ones(len(X))

    X = np.random.default_rng(0).normal(size=(40, 2))
    explainer = uq.Explainer(slow, X, X[:, 0])
    opened.clear()
    lesson = uq.teach.GuessTheRanking(explainer)
    root = themed(lesson)
    work = root.get_by_test_id("uq-work")
    expect(work).to_be_visible()
    expect(work.get_by_role("progressbar", name="Progress of the work")).to_be_visible()
    expect(root.get_by_role("alert")).to_be_hidden()
    check_page(root)
    opened.set()
    expect(work).to_be_hidden()
    press(root, "uq-reveal")
    expect(root.get_by_test_id("uq-explanation")).to_contain_text("A bar says")


def check_page(root):
    """Look for what a reader cannot reach: faults of axe-core, and texts beyond the widget."""
    root.page.evaluate(AXE.read_text())
    assert root.page.evaluate(VIOLATIONS) == []
    assert root.evaluate(OUTSIDE) == []


def test_every_lesson_works_by_keyboard_and_axe_finds_no_violation(themed, explainer, monkeypatch):
    monkeypatch.setattr(coverage, "_FITS", 40)
    guess_by_keyboard(themed, uq.teach.GuessTheRanking(explainer, order=("x1", "x0", "x2")))
    shuffle_by_keyboard(themed, uq.teach.ShuffleOneColumn(explainer))
    coverage_by_keyboard(themed, uq.teach.WhatTheBarCovers(n=20))
    target_by_keyboard(themed, uq.teach.StressToATarget(explainer, target=0.2))
    place_by_keyboard_and_mouse(themed, uq.teach.ThePlaceNobodyHasBeen(small_lessons.hollow()))
    refits_by_keyboard(themed, uq.teach.ManyRefits(estimator=DecisionTreeRegressor(max_depth=4)))


def guess_by_keyboard(mount, lesson):
    root = mount(lesson)
    explanation = root.get_by_test_id("uq-explanation")
    expect(explanation).to_be_empty()
    check_page(root)
    press(root, "uq-down")
    expect(root.get_by_test_id("uq-spoken")).to_have_text("x1 is now number 2 of 3.")
    root.page.keyboard.press("ArrowUp")
    expect(root.get_by_test_id("uq-spoken")).to_have_text("x1 is now number 1 of 3.")
    root.page.keyboard.press("ArrowDown")
    press(root, "uq-reveal")
    right, clear = lesson.score
    expect(explanation).to_contain_text(f"{right} of the {clear} clear pairs")
    assert lesson.order == ("x0", "x1", "x2")
    figure = root.get_by_role("group", name="Importance of 3 features")
    expect(figure).to_contain_text("x0 (you: 1)")
    check_page(root)


def shuffle_by_keyboard(mount, lesson):
    root = mount(lesson)
    explanation = root.get_by_test_id("uq-explanation")
    root.get_by_test_id("uq-feature").focus()
    root.page.keyboard.press("ArrowDown")
    expect(root.get_by_role("group", name="Rise when x1 is shuffled")).to_be_visible()
    root.get_by_test_id("uq-guess-nll").press("Space")
    press(root, "uq-one-row")
    expect(root.get_by_test_id("uq-spoken")).to_contain_text("Row")
    expect(explanation).to_contain_text("1 row of 24")
    expect(root.locator(".uq-last")).to_have_count(2)
    press(root, "uq-all-rows")
    expect(explanation).to_contain_text("Over all 80 rows and over 1 shuffle")
    press(root, "uq-again")
    expect(explanation).to_contain_text("over 2 shuffles")
    press(root, "uq-all-donors")
    expect(explanation).to_contain_text("with every row as a donor")
    expect(explanation).to_contain_text("You were right: the likelihood loss rises more.")
    assert (lesson.feature, lesson.rows, lesson.repeats) == ("x1", 24, 21)
    check_page(root)


def coverage_by_keyboard(mount, lesson):
    root = mount(lesson)
    explanation = root.get_by_test_id("uq-explanation")
    guess = root.get_by_test_id("uq-guess")
    guess.fill("47")
    guess.press("Enter")
    press(root, "uq-sample")
    expect(explanation).to_contain_text("of 1 interval")
    kind = root.get_by_test_id("uq-interval")
    kind.focus()
    root.page.keyboard.press("End")
    expect(explanation).to_contain_text("which rows the model learned from")
    root.page.keyboard.press("Home")
    expect(explanation).to_contain_text("the luck of the shuffles alone")
    press(root, "uq-ten")
    expect(explanation).to_contain_text("of 11 intervals")
    press(root, "uq-all")
    expect(explanation).to_contain_text("of 50 intervals")
    expect(explanation).to_contain_text(f"You expected 47, and there are {lesson.hits}.")
    expect(root.locator(".uq-interval")).to_have_count(50)
    expect(root.locator(".uq-look-wrong")).to_have_count(50 - lesson.hits)
    for _ in range(2):
        kind.press("ArrowDown")
    expect(explanation).to_contain_text("which rows there are, scored and lending")
    assert (lesson.interval, lesson.samples, lesson.guess) == ("u-statistic", 50, 47)
    expect(root.locator(".uq-look-wrong")).to_have_count(50 - lesson.hits)
    check_page(root)


def target_by_keyboard(mount, lesson):
    root = mount(lesson)
    explanation = root.get_by_test_id("uq-explanation")
    expect(explanation).to_be_empty()
    root.get_by_test_id("uq-guess-neither").press("Space")
    slider = root.get_by_test_id("uq-tau")
    slider.press("PageUp")
    expect(explanation).to_contain_text("rows")
    expect(root.get_by_test_id("uq-worth")).to_contain_text("of the 80 rows")
    assert lesson.tau > 0
    press(root, "uq-reveal")
    expect(explanation).to_contain_text("You were right: no mean between")
    press(root, "uq-restart")
    expect(slider).to_have_value("0")
    slider.press("End")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("mean of x0"))
    check_page(root)
    assert (lesson.tau, lesson.revealed, lesson.guess) == (1, True, "neither")


def place_by_keyboard_and_mouse(mount, lesson):
    root = mount(lesson)
    explanation = root.get_by_test_id("uq-explanation")
    point, where = root.get_by_test_id("uq-place"), root.get_by_test_id("uq-where")
    expect(root.get_by_test_id("uq-reveal")).to_have_attribute("aria-disabled", "true")
    expect(explanation).to_be_empty()
    check_page(root)
    root.get_by_test_id("uq-guess-unsure").press("Space")
    expect(explanation).to_contain_text("There are rows around")
    first, second = lesson.place
    point.press("ArrowLeft")
    point.press("Shift+ArrowUp")
    expect(root).to_have_attribute("data-seq", "3")
    steps = [float(grid[1] - grid[0]) for grid in lesson.grids]
    moved = [abs(now - then) for now, then in zip(lesson.place, (first, second), strict=True)]
    assert all(by <= 4.01 * step for by, step in zip(moved, steps, strict=True))
    assert any(moved)
    box = root.locator(".uq-plot").bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    root.page.mouse.move(middle[0] + 60, middle[1])
    root.page.mouse.down()
    root.page.mouse.move(*middle, steps=3)
    root.page.mouse.up()
    expect(explanation).to_contain_text("There are no rows around")
    expect(explanation).to_contain_text("it bluffs")
    expect(where).to_contain_text(re.compile(r"x1 = .?0\.0"))
    expect(point).to_have_attribute("aria-valuetext", re.compile(r"x1 = .?0\.0"))
    press(root, "uq-reveal")
    expect(explanation).to_contain_text("You were right: unsure becomes the most unsure")
    expect(root.locator(".uq-cell")).to_have_count(33 * 33)
    root.get_by_test_id("uq-model").focus()
    root.page.keyboard.press("End")
    expect(root.locator(".uq-panels h4")).to_have_text(["sure", "unsure"])
    expect(root).to_have_attribute("data-seq", str(lesson._seq))
    assert (lesson.guess, lesson.model, lesson.revealed) == ("unsure", "unsure", True)
    check_page(root)


def refits_by_keyboard(mount, lesson):
    root = mount(lesson)
    explanation = root.get_by_test_id("uq-explanation")
    show = root.get_by_test_id("uq-reveal")
    guess = root.get_by_test_id("uq-guess")
    guess.fill("14")
    guess.press("Enter")
    press(root, "uq-refit")
    expect(explanation).to_contain_text("One fit draws one curve")
    expect(show).to_have_attribute("aria-disabled", "true")
    check_page(root)
    press(root, "uq-all")
    expect(explanation).to_contain_text("15 curves differ")
    expect(root.locator(".uq-look-refit")).to_have_count(15)
    press(root, "uq-reveal")
    expect(explanation).to_contain_text(f"truth at {lesson.hits} of 15 values. You expected 14.")
    expect(root.locator("circle.uq-look-hit")).to_have_count(lesson.hits)
    expect(root.locator("circle.uq-look-wrong")).to_have_count(15 - lesson.hits)
    check_page(root)
    press(root, "uq-restart")
    expect(explanation).to_be_empty()
    assert (lesson.refits, lesson.revealed, lesson.guess) == (0, False, 14)
