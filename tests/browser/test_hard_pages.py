"""Saved pages of tables that are unlike those of a textbook."""

from __future__ import annotations

import pytest

import uqwidgets as uq
from browser.saved_pages import assert_curve, assert_importance, choose, opened
from cases import thorough_after
from hard_tables import TABLES, hard_table

# Differences on the screen that are rounding errors: the features have effects of about 1.
LEAST = 1e-9


@pytest.mark.parametrize("name", thorough_after(1, TABLES))
def test_the_page_has_the_numbers_of_the_explainer(name, browser, tmp_path):
    explainer = uq.Explainer(*hard_table(name))
    stressed = "x0" if name == "dates" else "x1"
    options = {"stress_features": [stressed], "progress": False}
    inputs = {"feature": "x0", "stress_feature": stressed, "n_repeats": 2, "measure": "nll"}
    if name == "300 features":
        # Curves of all of them, by every measure, would take a minute.
        options["lines"], inputs["views"] = 0, ["importance"]
    category = "red" if name == "categories only" else None
    path = tmp_path / "page.html"
    with uq.Explorer(explainer, stress_category=category or "", **inputs) as explorer:
        explorer.save(path, **options)
    with opened(browser, path) as root:
        for tau, tolerance in ((0.0, 0.0), (0.6, 0.002)):
            choose(root, tau=tau)
            weights = explainer.stress_weights(stressed, tau, category=category)
            how = {"sample_weight": weights} if tau else {}
            assert_importance(
                root, explainer.importance("nll", n_repeats=2, **how), tolerance, LEAST
            )
            if "views" in inputs:
                continue
            curve = explainer.dependence("x0", measure="nll", grid=49, **how)
            assert_curve(root, curve, tolerance, LEAST)
