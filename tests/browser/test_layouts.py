"""Single views beside each other on a page, tied by a link."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Locator, expect

import uqwidgets as uq
from browser.reading import wait_for_answer
from cases import thorough_after


def model(X: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    return (2 * X["length"] - X["width"]).to_numpy(), np.full(len(X), 0.5)


def test_a_click_in_one_view_moves_the_linked_one(bridge):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(100, 3)), columns=["length", "width", "height"])
    explainer = uq.Explainer(model, X, model(X)[0] + rng.normal(size=100))
    with (
        uq.ImportanceView(explainer, n_repeats=3, title="left") as one,
        uq.DependenceView(explainer, feature="length") as other,
    ):
        uq.link(one, other)
        bridge.mount(one)
        bridge.mount(other)
        left, right = (bridge.page.get_by_test_id("uq-root").nth(i) for i in (0, 1))
        for root in (left, right):
            wait_for_answer(root)
        expect(left.get_by_role("heading", name="left")).to_be_visible()
        # Each shows its own view alone, and the parts of the others were not loaded.
        expect(left.locator(".uq-slot:not([hidden])")).to_have_count(1)
        expect(right.locator(".uq-panel:visible")).to_have_count(1)
        left.get_by_test_id("uq-importance-row").filter(has_text="height").click()
        expect(right.get_by_test_id("uq-feature")).to_have_value("height")
        right.get_by_test_id("uq-tau").press("End")
        expect(left.locator(".uq-tau-value")).to_have_text("τ = 1.00")


@pytest.mark.parametrize("n_features", thorough_after(1, [4, 25]), ids=["few features", "a list"])
def test_a_panel_of_half_the_width_has_a_neighbour(bridge, n_features):
    rng = np.random.default_rng(0)
    names = ["length", "width", *(f"x{i}" for i in range(n_features - 2))]
    X = pd.DataFrame(rng.normal(size=(60, n_features)), columns=names)
    y = model(X)[0] + rng.normal(size=60)
    with uq.explore(model, X, y, layout="all", image_rows=n_features // 5, n_repeats=2) as widget:
        bridge.mount(widget)
        bridge.page.set_viewport_size({"width": 1280, "height": 900})
        root = bridge.page.get_by_test_id("uq-root")
        wait_for_answer(root)
        assert_no_half_is_alone(root)
        widget.views = ["importance", "dependence", "stress", "small_curves", "surface"]
        assert widget.wait(30)
        expect(root.locator(".uq-importance_over_tau")).to_be_hidden()
        assert_no_half_is_alone(root)


def assert_no_half_is_alone(root: Locator) -> None:
    """Assert that the place beside each panel of half the width is taken."""
    expect(root.locator(".uq-stress")).to_be_visible()
    whole = root.locator(".uq-panels").bounding_box()["width"]
    panels = [panel.bounding_box() for panel in root.locator(".uq-panel:visible").all()]
    halves = [box for box in panels if box["width"] < 0.9 * whole]
    assert len(halves) >= 3
    for half in halves:
        middle = half["y"] + half["height"] / 2
        across = [box for box in halves if box["y"] <= middle <= box["y"] + box["height"]]
        assert {box["x"] for box in across} == {box["x"] for box in halves}, half


@pytest.mark.thorough
def test_the_button_below_a_long_list_keeps_its_size(bridge):
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 60))).add_prefix("x")
    X = X.rename(columns={"x0": "length", "x1": "width"})
    with uq.explore(model, X, model(X)[0], n_repeats=2) as widget:
        bridge.mount(widget)
        sizes = []
        for width in (800, 1280):  # below and beside the other panels
            bridge.page.set_viewport_size({"width": width, "height": 900})
            wait_for_answer(bridge.page.get_by_test_id("uq-root"))
            bridge.page.wait_for_timeout(100)
            box = bridge.page.get_by_test_id("uq-fold").bounding_box()
            sizes.append((round(box["width"]), round(box["height"])))
    assert sizes[0] == sizes[1]
