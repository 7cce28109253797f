"""Go through each of the six lessons by keyboard, wherever they are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Locator

    from uqwidgets.teach.lesson import Lesson


def press(root: Locator, name: str, key: str = "Enter") -> None:
    root.get_by_test_id(name).first.press(key)


def explanation(root: Locator) -> Locator:
    return root.get_by_test_id("uq-explanation")


def have_the_numbers_of_python(roots: Locator, lessons: dict[str, Lesson]) -> None:
    """Go through all lessons of a page, and do the same in Python: the sentences are equal."""
    expect(roots).to_have_count(len(lessons), timeout=200_000)
    for k, (name, lesson) in enumerate(lessons.items()):
        root = roots.nth(k)
        for trait, value in _GO[name](root, lesson).items():
            setattr(lesson, trait, value)
        sentences = lesson._frame["meta"]["explanation"]
        assert sentences
        expect(explanation(root).locator("p")).to_have_text(sentences)
        expect(root.get_by_role("alert")).to_be_hidden()


def _guess(root: Locator, _: Lesson) -> dict[str, Any]:
    press(root, "uq-down")
    expect(root.get_by_test_id("uq-spoken")).to_have_text("x1 is now number 2 of 3.")
    press(root, "uq-reveal")
    return {"order": ("x0", "x1", "x2"), "revealed": True}


def _shuffle(root: Locator, _: Lesson) -> dict[str, Any]:
    press(root, "uq-guess-nll", "Space")
    press(root, "uq-one-row")
    expect(root.get_by_test_id("uq-spoken")).to_contain_text("Row")
    press(root, "uq-all-rows")
    expect(explanation(root)).to_contain_text("Over all 80 rows and over 1 shuffle")
    press(root, "uq-all-donors")
    return {"guess": "nll", "rows": 24, "repeats": 21}


def _place(root: Locator, lesson: Any) -> dict[str, Any]:
    press(root, "uq-guess-unsure", "Space")
    expect(explanation(root)).to_contain_text("There are rows around")
    before = explanation(root).inner_text()
    step = lesson.grids[0][1] - lesson.grids[0][0]
    left = lesson.place[0] - lesson.grids[0][0] > step / 2
    press(root, "uq-place", "ArrowLeft" if left else "ArrowRight")
    expect(explanation(root)).not_to_have_text(before, use_inner_text=True)
    press(root, "uq-reveal")
    place = lesson.place[0] + (-step if left else step), lesson.place[1]
    return {"guess": "unsure", "place": place, "revealed": True}


def _target(root: Locator, _: Lesson) -> dict[str, Any]:
    press(root, "uq-guess-neither", "Space")
    press(root, "uq-tau", "PageUp")
    expect(root.get_by_test_id("uq-worth")).to_contain_text("of the 80 rows")
    press(root, "uq-reveal")
    tau = float(root.get_by_test_id("uq-tau").input_value())
    assert tau > 0
    return {"guess": "neither", "tau": tau, "revealed": True}


def _coverage(root: Locator, lesson: Any) -> dict[str, Any]:
    most = lesson._about["most"]
    root.get_by_test_id("uq-guess").fill("7")
    press(root, "uq-guess")
    press(root, "uq-sample")
    expect(explanation(root)).to_contain_text("of 1 interval")
    press(root, "uq-all")
    expect(explanation(root)).to_contain_text(f"of {most} intervals")
    for _ in range(2):
        press(root, "uq-interval", "ArrowDown")
    return {"guess": 7, "samples": most, "interval": "u-statistic"}


def _refits(root: Locator, _: Lesson) -> dict[str, Any]:
    root.get_by_test_id("uq-guess").fill("14")
    press(root, "uq-guess")
    press(root, "uq-refit")
    expect(explanation(root)).to_contain_text("One fit draws one curve")
    press(root, "uq-all")
    expect(explanation(root)).to_contain_text("15 curves differ")
    press(root, "uq-reveal")
    return {"guess": 14, "refits": 15, "revealed": True}


_GO = {
    "guess": _guess,
    "shuffle": _shuffle,
    "place": _place,
    "target": _target,
    "coverage": _coverage,
    "refits": _refits,
}
