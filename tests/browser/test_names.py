"""Saved pages and widgets whose names are those of properties that every JavaScript object has."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from browser.reading import answered, table, wait_for_answer
from browser.saved_pages import choose, opened
from cases import thorough_after
from named import explorer_named

# As `Object.getOwnPropertyNames(Object.prototype)` lists them.
NAMES = [
    *("constructor", "__defineGetter__", "__defineSetter__", "hasOwnProperty"),
    *("__lookupGetter__", "__lookupSetter__", "isPrototypeOf", "propertyIsEnumerable"),
    *("toString", "valueOf", "__proto__", "toLocaleString"),
]
# The first half are names of features, the others of groups.
HALVES = pytest.mark.parametrize(
    "names", thorough_after(1, [NAMES, NAMES[::-1]]), ids=["one half", "the other half"]
)


def visit(root, names):
    """Look along all features, at tau, by classes, and at the groups."""
    assert root.evaluate("() => Object.getOwnPropertyNames(Object.prototype).sort()") == sorted(
        NAMES
    )
    half = len(names) // 2
    for name in names[:half]:
        choose(root, feature=name)
        assert len(table(root, "Dependence")) > 1
    choose(root, feature="categories")
    assert {category for category, *_ in table(root, "Dependence")} == set(names)
    for stressed in (names[0], "categories"):
        choose(root, stress_feature=stressed, tau=0.5)
        expect(root.get_by_test_id("uq-stress-readout")).to_contain_text("τ 0.50")
    # Those whose shares can be moved; so many are offered.
    categories = root.get_by_test_id("uq-stress-category").locator("option").all_inner_texts()
    choose(root, stress_category=categories[-1])
    expect(root.get_by_test_id("uq-stress-readout")).to_contain_text(categories[-1])
    expect(root.get_by_test_id("uq-error")).to_be_hidden()


@HALVES
def test_a_saved_page_holds_names_that_every_object_has(names, browser, tmp_path):
    path = tmp_path / "page.html"
    with explorer_named(names, n_rows=24) as explorer:
        explorer.save(path, stress_features=[names[0], "categories"], lines=2, progress=False)
    with opened(browser, path) as root:
        visit(root, names)
        cohorts = root.get_by_test_id("uq-rows-shown").locator("option").all_inner_texts()
        # The others have the same rows.
        assert [text.split(" (")[0] for text in cohorts] == ["all rows", names[0]]
        with answered(root):
            root.get_by_test_id("uq-rows-shown").select_option(index=1)


@HALVES
def test_a_widget_holds_names_that_every_object_has(names, bridge):
    with explorer_named(names, n_rows=24) as explorer:
        root = bridge.mount(explorer)
        wait_for_answer(root)
        visit(root, names)
        with answered(root):
            root.get_by_test_id("uq-shown-model").select_option(value=names[-1])
        with answered(root):
            root.get_by_test_id("uq-cohort").select_option(value=f"={names[-1]}")
