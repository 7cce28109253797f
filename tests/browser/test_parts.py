"""Parts of the front end are loaded on demand, under the strictest security policy."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

import uqwidgets as uq
from browser.reading import wait_for_answer
from uqwidgets.widgets import explorer, views
from uqwidgets.widgets.kernel.front_end import PARTS

HEADING = "The model itself"
# The parts that every widget shows: without rows of an image, a time, and anything to compare with.
NAMES = sorted(PARTS.keys() & {*views.NAMES, "strip"} - {"pixels", "over_time", "comparison"})


def make_widget(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 2))
    return uq.explore(lambda X: (X[:, 0], np.ones(len(X))), X, X[:, 0])


@pytest.fixture
def requests(bridge, monkeypatch):  # noqa: ARG001, widgets are made after the bridge
    """The custom messages of the page, with the answers that the kernel gave."""
    contents = []
    answer_to = explorer.answer_to

    def note(content):
        contents.append(content)
        return answer_to(content)

    monkeypatch.setattr(explorer, "answer_to", note)
    return contents


def test_two_widgets_of_a_page_load_a_part_once(bridge, requests):
    with make_widget(0) as one, make_widget(1) as other:
        bridge.mount(one)
        bridge.mount(other)
        headings = bridge.page.get_by_role("heading", name=HEADING)
        expect(headings).to_have_count(2)
        for root in bridge.page.get_by_test_id("uq-root").all():
            wait_for_answer(root)
            expect(root.locator(".uq-scores tbody tr").first).to_be_visible()
            # The style of the part has arrived in each of them.
            grid = root.locator(".uq-performance-grid")
            assert grid.evaluate("(element) => getComputedStyle(element).display") == "flex"
    assert sorted(request["part"] for request in requests) == NAMES


def test_without_kernel_a_sentence_stands_in_the_place_of_a_part(bridge, requests, monkeypatch):
    with monkeypatch.context() as away, make_widget() as widget:
        away.setattr(explorer, "answer_to", requests.append)
        root = bridge.mount(widget)
        wait_for_answer(root)
        sentence = root.get_by_text("The kernel does not answer, so this part")
        expect(sentence).to_have_count(len(NAMES))
        expect(sentence.first).to_be_visible()
        expect(root.get_by_role("heading", name=HEADING)).to_have_count(0)
        # What does not arrive is requested once more.
        assert sorted({request["part"] for request in requests}) == NAMES
        # The rest works, and the next answer of the kernel shows that it is back.
        away.undo()
        root.get_by_test_id("uq-tau").press("ArrowRight")
        expect(root.get_by_role("heading", name=HEADING)).to_be_visible()
        expect(sentence).to_have_count(0)


def test_a_part_that_fails_leaves_the_widget_alive(bridge, monkeypatch):
    broken = {**PARTS["performance"], "script": "throw new Error('broken')"}
    monkeypatch.setitem(PARTS, "performance", broken)
    with make_widget() as widget:
        root = bridge.mount(widget)
        wait_for_answer(root)
        message = "A part of the widget could not be read (Error: broken); run the cell again."
        expect(root.get_by_text(message)).to_be_visible()
        root.get_by_test_id("uq-measure").select_option(value="entropy")
        wait_for_answer(root)
        assert widget.measure == "entropy"


def test_without_kernel_a_curve_of_categories_is_drawn(bridge, requests, monkeypatch):
    X = pd.DataFrame({"kind": ["red", "blue"] * 10, "length": range(20)})
    explorer_of = uq.Explorer(uq.Explainer(lambda X: X["length"], X, X["length"]), feature="kind")
    with monkeypatch.context() as away, explorer_of as widget:
        away.setattr(explorer, "answer_to", requests.append)
        widget.wait(30)
        root = bridge.mount(widget)
        wait_for_answer(root)
        panel = root.get_by_role("region", name="Dependence", exact=True)
        for name in ("red", "blue"):
            expect(panel.locator(".uq-row-name", has_text=name)).to_be_visible()
        assert "curveDetails" not in {request["part"] for request in requests}
