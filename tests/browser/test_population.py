"""The population on the page: shares of categories, other anchors, cohorts and constraints."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

import uqwidgets as uq
from browser.reading import answered, model_calls, outside
from models import Logistic

N = 200


@pytest.fixture
def widget(bridge):  # noqa: ARG001, the bridge must exist before the widget
    rng = np.random.default_rng(1)
    X = pd.DataFrame(
        {
            "length": rng.normal(size=N),
            "skewed": np.where(np.arange(N) < 4, 1000.0, np.arange(N) % 7),
            "town": pd.Series(rng.choice(["Ulm", "Bonn", "Jena"], N)).where(np.arange(N) >= 20),
        }
    )
    y = np.where(rng.random(N) < Logistic("length").predict_proba(X)[:, 1], "yes", "no")
    with uq.explore(Logistic("length"), X, y, feature="length", stress_feature="length") as widget:
        yield widget


@pytest.mark.thorough
def test_the_share_of_a_category_is_moved_with_the_slider(root, widget):
    with answered(root):
        root.get_by_test_id("uq-stress-feature").select_option("town")
    category = root.get_by_test_id("uq-stress-category")
    expect(category).to_be_visible()
    with answered(root):
        category.select_option("Ulm")
    with answered(root):
        root.get_by_test_id("uq-tau").fill("0.5")
    readout = root.get_by_test_id("uq-stress-readout")
    expect(readout).to_contain_text("share of Ulm in town")
    expect(readout).to_contain_text(f"of the {N} rows")
    expect(root.get_by_text("Rows with town = Ulm count more.")).to_be_visible()
    expect(root.get_by_text("20 rows without a value keep their weight.")).to_be_visible()
    slider = root.get_by_test_id("uq-tau")
    assert slider.get_attribute("aria-valuetext").startswith("τ 0.50, share of Ulm in town 0.")
    assert (widget.stress_feature, widget.stress_category) == ("town", "Ulm")
    assert model_calls(root) == 0
    assert outside(root) == []


@pytest.mark.thorough
def test_a_mean_beyond_the_quantile_offers_the_mean_of_the_tail(root, widget):
    with answered(root):
        root.get_by_test_id("uq-stress-feature").select_option("skewed")
    with answered(root):
        root.get_by_test_id("uq-tau").fill("0.5")
    offer = root.get_by_test_id("uq-use-tail-mean")
    expect(offer).to_be_visible()
    with answered(root):
        offer.press("Enter")
    assert widget.anchor == "tail-mean"
    expect(root.get_by_test_id("uq-use-tail-mean")).to_have_count(0)
    expect(root.get_by_test_id("uq-stress-readout")).not_to_contain_text("not reached")
    root.get_by_test_id("uq-anchor-options").click()
    expect(root.get_by_test_id("uq-anchor")).to_have_value("tail-mean")
    with answered(root):
        root.get_by_test_id("uq-tail").fill("10")
        root.get_by_test_id("uq-tail").press("Enter")
    assert widget.tail == 0.1
    assert model_calls(root) == 0


@pytest.mark.thorough
def test_cohorts_are_saved_switched_and_turned_around_by_keyboard(root, widget):
    town = widget.explainer.table.column("town")
    with answered(root):
        root.get_by_test_id("uq-filter-add").select_option("town")
    with answered(root):
        root.get_by_role("button", name="only Ulm").click()
    root.get_by_test_id("uq-cohort-save").press("Enter")
    name = root.get_by_test_id("uq-cohort-name")
    expect(name).to_be_focused()
    name.fill("from Ulm")
    with answered(root):
        name.press("Enter")
    expect(root.get_by_test_id("uq-cohort-save")).to_be_focused()
    with answered(root):
        root.get_by_test_id("uq-complement").press("Space")
    rows = root.get_by_test_id("uq-rows")
    expect(rows).to_have_text(f"{(town != 'Ulm').sum()} of {N} rows")
    with answered(root):
        root.get_by_test_id("uq-cohort").select_option(label="from Ulm")
    expect(rows).to_have_text(f"{(town == 'Ulm').sum()} of {N} rows")
    assert [cohort["name"] for cohort in widget.cohorts] == ["from Ulm"]
    with answered(root):
        root.get_by_test_id("uq-cohort").select_option(label="all rows")
    expect(rows).to_have_text(f"{N} of {N} rows")
    assert model_calls(root) == 0
    assert outside(root) == []
