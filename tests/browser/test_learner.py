"""A learner beside the model on the page: during its fits, and its results after them."""

from __future__ import annotations

import re
import threading
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect
from sklearn.linear_model import LinearRegression

import uqwidgets as uq
from browser.reading import ROWS, answered, model_calls, wait_for_answer
from cases import thorough_after

WORDS = "learner, refitted 10 times"


class Gated(LinearRegression):
    """A regression whose fits wait until `go_on` is set."""

    go_on = threading.Event()

    def fit(self, X, y):
        assert Gated.go_on.wait(30)
        return super().fit(X, y)


def table():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(120, 3)), columns=["length", "width", "height"])
    X["site"] = np.where(X["width"] > 0, 1.0, 2.0)
    return X, X["length"] - 0.5 * X["width"] + rng.normal(size=120) / 2


@pytest.fixture
def learner():
    Gated.go_on = threading.Event()
    yield uq.Learner(Gated(), *table(), n_refits=10)
    Gated.go_on.set()


@pytest.fixture
def root(bridge, learner):
    X, y = table()
    model = LinearRegression().fit(X, y)
    with uq.explore(model, X, y, learner=learner, n_repeats=5) as widget:
        yield bridge.mount(widget)


@pytest.fixture
def complete(root):
    Gated.go_on.set()
    wait_for_answer(root)
    return root


def legends(root):
    return root.locator(".uq-importance .uq-legend, .uq-dependence .uq-legend")


def test_the_model_views_respond_while_the_learner_is_fitted(root, bridge):
    progress = root.locator(".uq-work")
    expect(progress).to_contain_text("fitting the learner, 0 of 10 fits")
    expect(root.locator(".uq-average")).to_have_attribute("d", re.compile("M"))
    root.get_by_test_id("uq-tau").press("ArrowRight")
    expect(root.get_by_test_id("uq-stress-readout")).to_contain_text("τ 0.05")
    bridge.page.wait_for_timeout(2000)
    expect(root.get_by_test_id("uq-watchdog")).to_be_hidden()
    root.get_by_test_id("uq-stop").click()
    for legend in legends(root).all():
        expect(legend).to_contain_text("learner: stopped")
    expect(root.get_by_test_id("uq-progress")).to_be_hidden()
    expect(root.locator(".uq-work")).to_contain_text("of 10 fits of the learner.")
    Gated.go_on.set()
    root.get_by_test_id("uq-go-on").click()
    for legend in legends(root).all():
        expect(legend).to_contain_text(WORDS)


def test_learner_results_are_drawn_beside_the_model_and_do_not_move_under_stress(complete):
    expect(complete.locator(".uq-learner-line")).to_have_attribute("d", re.compile("M"))
    diamonds = complete.locator(".uq-bars .uq-learner path")
    assert diamonds.count() == 4
    before = [mark.get_attribute("transform") for mark in diamonds.all()]
    curve = complete.locator(".uq-learner-line").get_attribute("d")
    with answered(complete):
        complete.get_by_test_id("uq-tau").fill("0.05")
    assert model_calls(complete) == 0
    assert [mark.get_attribute("transform") for mark in diamonds.all()] == before
    assert complete.locator(".uq-learner-line").get_attribute("d") == curve
    expect(legends(complete).first).to_contain_text(f"{WORDS} (unstressed)")


def test_learner_results_are_in_the_table(complete, learner):
    result = learner.importance("squared_error", n_repeats=5)
    rows = complete.locator(".uq-importance .uq-twin").evaluate(ROWS)
    assert [row[0] for row in rows] == ["length", "width", "site", "height"]
    for name, *cells in rows:
        position = result.features.index(name)
        expected = [result.importance[position], result.low[position], result.high[position]]
        shown = [float(cell.replace("\N{MINUS SIGN}", "-")) for cell in cells[4:]]
        np.testing.assert_allclose(shown, expected, rtol=0.006)


@pytest.mark.parametrize("width", thorough_after(1, [480, 1280]))
def test_no_label_overlaps_or_leaves_its_panel(complete, page, width):
    page.set_viewport_size({"width": width, "height": 1400})
    page.wait_for_timeout(300)
    for panel in ("importance", "dependence"):
        outer = complete.locator(f".uq-{panel}").bounding_box()
        keys = complete.locator(f".uq-{panel} .uq-legend > .uq-key:visible")
        boxes = [key.bounding_box() for key in keys.all()]
        assert len(boxes) >= 2
        for box in boxes:
            assert outer["x"] <= box["x"]
            assert box["x"] + box["width"] <= outer["x"] + outer["width"]
        for first, second in pairwise(boxes):
            below = second["y"] >= first["y"] + first["height"] - 1
            assert below or second["x"] >= first["x"] + first["width"]
    texts = complete.locator(".uq-bars text").all()
    heights = sorted({text.bounding_box()["y"] for text in texts})
    assert len(texts) == len(heights) == 8
    assert min(np.diff(heights)) >= 13
