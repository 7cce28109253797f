"""Where is it worst: slices in the page, which filter, become cohorts and are compared."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

import uqwidgets as uq
from browser.reading import wait_for_answer
from browser.saved_pages import opened


@pytest.fixture
def widget(bridge):  # noqa: ARG001, the bridge has to be there first
    rng = np.random.default_rng(0)
    n = 1500
    X = pd.DataFrame(
        {
            "age": rng.normal(50, 10, n).round(),
            "dose": rng.normal(size=n),
            "site": rng.choice(["Bern", "Oslo", "Graz"], n),
        }
    )
    is_worse = (X["age"] >= 63) & (X["site"] == "Oslo") | (X["dose"] > 1.6)
    y = X["dose"] + rng.normal(size=n) * np.where(is_worse, 3.0, 1.0)

    def model(X):
        return X["dose"], np.ones(len(X))

    with uq.explore(model, X, y, n_repeats=3, stress_feature="age") as explorer:
        yield explorer


def test_a_slice_filters_all_panels_is_kept_and_compared(bridge, widget, root, tmp_path):
    calls = widget.explainer.model_calls
    panel = root.locator(".uq-slices")
    slices = panel.get_by_test_id("uq-slices-filter")
    expect(slices.first).to_be_visible()
    names = slices.all_inner_texts()
    assert any("dose" in name for name in names)
    first = names[0]
    slices.first.click()
    wait_for_answer(root)
    assert [dict(each) for each in widget.ice_filter] == widget.result("slices").conditions[0]
    # The list stays while its rows are shown alone.
    assert slices.all_inner_texts() == names
    expect(slices.first).to_have_attribute("aria-pressed", "true")
    panel.get_by_test_id("uq-slices-cohort").first.click()
    panel.get_by_test_id("uq-slices-compare").first.click()
    wait_for_answer(root)
    assert widget.compare_with == "rest"
    assert widget.cohorts[0]["name"].replace("\N{MINUS SIGN}", "-") in first.replace("−", "-")
    slices.first.click()
    wait_for_answer(root)
    assert widget.ice_filter == []
    panel.get_by_test_id("uq-slices-measure").select_option("squared_error")
    wait_for_answer(root)
    assert widget.slices_of == "squared_error"
    assert widget.explainer.model_calls == calls

    path = tmp_path / "page.html"
    widget.save(path, stress_features=["age"], lines=2, progress=False)
    with opened(bridge.page.context.browser, path) as page:
        saved = page.locator(".uq-slices")
        expect(saved.get_by_test_id("uq-slices-filter").first).to_contain_text("dose")
