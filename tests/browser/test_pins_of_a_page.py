"""Each pin of a saved page shows what the notebook shows of it, and its line of code."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import expect

import uqwidgets as uq
from browser.harness import watched_page
from browser.reading import NUMBER, ROUNDING, answered, numbers, wait_for_answer
from browser.test_saved_page import Classifier, rows_and_target
from cases import thorough_after

RED = [{"feature": "kind", "values": ["red"]}]
ROWS = {"selection": [3, 7, 11], "row": 7}
# What each pin has beside the view that the page opens with.
PINS = {
    "another feature and measure": {"feature": "b", "measure": "entropy"},
    "a category's curve": {"feature": "kind", "measure": "nll", "indicator": "fpr"},
    "tau of another feature": {"tau": 0.43, "stress_feature": "b"},
    "a slice": {"ice_filter": [{"feature": "a", "low": 0.0, "high": None}], "feature": "b"},
    "a slice under stress": {"ice_filter": RED, "tau": -0.6},
    "the other rows": {"ice_filter": RED, "complement": True},
    "a category's share": {"stress_feature": "kind", "stress_category": "green", "tau": 0.5},
    "a surface": {"second": "b"},
    "selected rows": ROWS,
    "small curves": {"small_curves": 3},
    "another anchor": {"anchor": "tail-mean", "tail": 0.2, "tau": -0.7},
    "curves from a point": {"center": True},
    "a surface under stress": {"second": "kind", "tau": 0.6},
    "another replacement": {"replacement": "conditional", "compare": "ratio"},
}
# What all panels say: their tables, the card of a row and the list of selected rows.
SHOWN = """async (root) => {
  for (const twin of root.querySelectorAll("details.uq-twin")) twin.open = true;
  await new Promise((resolve) => setTimeout(resolve, 300));
  const seen = (within, selector) => [...within.querySelectorAll(selector)]
    .filter((one) => one.checkVisibility());
  const text = (one) => one.textContent.replace(/\\s+/g, " ").trim();
  const panels = seen(root, ".uq-panel").map((panel) => [text(panel.querySelector("h3")), {
    stale: panel.dataset.stale ?? null,
    words: seen(panel, ".uq-note, .uq-card-facts, .uq-card-status, .uq-selected-row").map(text),
    tables: seen(panel, "table").map((table) => [...table.rows].map(({ cells }) =>
      [...cells].map(text))),
  }]);
  const above = seen(root, "[data-testid=uq-stress-readout], [data-testid=uq-rows]").map(text);
  return { above, ...Object.fromEntries(panels) };
}"""
# At the levels of the slider, the numbers of a page are rounded.
OVER_TAU = ("Stress", "Importance over τ", "All indicators")


def is_alike(one: str, other: str) -> bool:
    """Whether two texts say the same, their numbers to three digits."""
    if NUMBER.sub("#", one) != NUMBER.sub("#", other):
        return False
    return bool(np.allclose(numbers(one), numbers(other), rtol=ROUNDING, atol=1e-12))


def differences(live, saved, path=""):
    """Yield the places where two values differ."""
    if isinstance(live, dict) and isinstance(saved, dict):
        for name in {**live, **saved}:
            if name == "tables" and path in OVER_TAU:
                continue
            yield from differences(live.get(name), saved.get(name), path or name)
    elif isinstance(live, list) and isinstance(saved, list) and len(live) == len(saved):
        for one, other in zip(live, saved, strict=True):
            yield from differences(one, other, path)
    elif isinstance(live, str) and isinstance(saved, str):
        if not is_alike(live, saved):
            yield path, live, saved
    elif live != saved:
        yield path, live, saved


def show(root, i):
    with answered(root):
        root.get_by_test_id("uq-pin-view").nth(i).click()
    return root.evaluate(SHOWN)


def pinned(pins):
    """Return an explorer with pins that differ from its present view as told."""
    X, y = (every[:150] for every in rows_and_target())
    explorer = uq.explore(Classifier(), X, y, stress_feature="a", feature="a", n_repeats=2)
    assert explorer.wait(60)
    present = {name: getattr(explorer, name) for pin in pins.values() for name in pin}
    for note, changes in pins.items():
        with explorer.hold_trait_notifications():
            for name, value in {**present, **changes}.items():
                setattr(explorer, name, value)
        assert explorer.wait(60)
        explorer.pin(note)
    with explorer.hold_trait_notifications():
        for name, value in present.items():
            setattr(explorer, name, value)
    return explorer


HALVES = [dict(list(PINS.items())[start::2]) for start in range(2)]


@pytest.mark.parametrize("pins", thorough_after(1, HALVES), ids=["one half", "the other half"])
def test_every_pin_shows_what_the_notebook_shows(pins, bridge, browser, tmp_path):
    path = tmp_path / "page.html"
    with pinned(pins) as explorer:
        explorer.save(path, stress_features=["a"], selection=True, progress=False)
        live = bridge.mount(explorer)
        wait_for_answer(live)
        with watched_page(browser) as page:
            page.goto(path.as_uri())
            saved = page.get_by_test_id("uq-root")
            wait_for_answer(saved)
            page.locator("[data-pin] summary").first.click()
            field = page.get_by_role("textbox", name="Comment on view 1")
            for i, note in enumerate(pins):
                in_notebook, in_page = show(live, i), show(saved, i)
                assert list(differences(in_notebook, in_page)) == [], note
                assert "Calibration" in str(saved.inner_text())
                saved.get_by_test_id("uq-copy").click()
                field.fill("")
                field.press("Control+v")
                assert explorer.wait(60)
                assert field.input_value() == explorer.code()
                expect(page.locator("article code").nth(i)).to_have_text(explorer.code())


WHAT_IF = {**ROWS, "what_if": [{"feature": "a", "value": 1.2345}]}


def test_selected_rows_are_in_the_page_only_if_the_sender_says_so(browser, tmp_path):
    path = tmp_path / "page.html"
    with pinned({"rows": WHAT_IF}) as explorer:
        with pytest.warns(UserWarning, match="the rows that pin 1 selects are not in the page"):
            saved = explorer.save(path, stress_features=["a"], lines=5, progress=False)
        assert "of 5 rows" in saved.rows
        with pytest.warns(UserWarning, match="those of pin 1 need the notebook"):
            held = explorer.save(
                tmp_path / "rows.html", stress_features=["a"], lines=2, selection=True,
                progress=False,
            )  # fmt: skip
        # Each selected row has a card.
        assert "weights of 2 rows and values of all features and predictions of 3 rows" in held.rows
        with pytest.raises(ValueError, match="with lines=0 no row is in the page"):
            explorer.save(tmp_path / "no.html", lines=0, selection=True)
        assert not (tmp_path / "no.html").exists()
        with pytest.warns(UserWarning, match="are not in the page"):
            explorer.save(tmp_path / "none.html", stress_features=["a"], lines=0, progress=False)
    assert "1.2345" in (tmp_path / "rows.html").read_text("utf-8")
    without = (tmp_path / "none.html").read_text("utf-8")
    assert "1.2345" not in without
    assert "Thin strokes" not in without
    with watched_page(browser) as page:
        page.goto(path.as_uri())
        root = page.get_by_test_id("uq-root")
        wait_for_answer(root)
        expect(root.get_by_text("the rows that pin 1 selects are not in the page")).to_be_visible()
        show(root, 0)
        expect(root.get_by_test_id("uq-card")).to_be_hidden()
        page.goto((tmp_path / "rows.html").as_uri())
        root = page.get_by_test_id("uq-root")
        wait_for_answer(root)
        show(root, 0)
        expect(root.get_by_test_id("uq-selected-row")).to_have_count(3)
        card = root.get_by_test_id("uq-card")
        expect(card).to_contain_text("row 7")
        expect(root.get_by_test_id("uq-what-if-status")).to_contain_text(
            "the page holds this only along the line that is drawn"
        )
