"""Single views beside each other on a page, tied by a link."""

from __future__ import annotations

import numpy as np
import pandas as pd
from playwright.sync_api import expect

import uqwidgets as uq
from browser.reading import wait_for_answer


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
