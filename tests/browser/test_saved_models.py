"""A saved page of two models and of a learner: what was compared in the notebook is in the page."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import uqwidgets as uq
from browser.reading import ROWS, number, table, wait_for_answer
from browser.saved_pages import assert_importance, choose, opened


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 3)), columns=list("abc"))
    return X, np.where(X["a"] + X["b"] ** 2 - 1 + rng.normal(size=200) > 0, "yes", "no")


@pytest.fixture(scope="module")
def explorer(data):
    X, y = data
    models = {
        "linear": LogisticRegression().fit(X, y),
        "tree": DecisionTreeClassifier(min_samples_leaf=20, random_state=0).fit(X, y),
    }
    with uq.explore(models, X, y, stress_feature="a", feature="a", n_repeats=3) as explorer:
        explorer.pin("the line")
        explorer.shown_model = "tree"
        explorer.tau = 0.5
        explorer.pin("the tree")
        explorer.shown_model = "linear"
        explorer.tau = 0.0
        yield explorer


@pytest.fixture
def saved(browser, explorer, tmp_path):
    path = tmp_path / "page.html"
    explorer.save(path, stress_features=["a", "b"], progress=False)
    with opened(browser, path) as root:
        yield root


def assert_compared(root, explorer, first, second, weights=None):
    """Compare the differences with those of the Explainer."""
    linear = explorer.explainer
    comparison = linear.compare(linear.others["tree"], names=("linear", "tree"))
    sign = 1 if first == "linear" else -1
    panel = root.locator("section.uq-comparison")
    expect(panel).to_contain_text(f"{first} minus {second}")
    scores = comparison.scores(sample_weight=weights).difference
    lines = panel.locator(".uq-difference-scores tbody tr").all()
    shown = [number(line.locator("td").nth(2).inner_text()) for line in lines]
    assert shown == pytest.approx(sign * np.array(scores.value), rel=5e-3, abs=2e-3)
    exact = comparison.importance("nll", n_repeats=3, sample_weight=weights).difference
    at = {name: sign * value for name, value in zip(exact.features, exact.importance, strict=True)}
    rows = panel.locator("details.uq-twin").first.evaluate(ROWS)
    assert {name: number(value) for name, value, _ in rows} == pytest.approx(at, rel=5e-3, abs=2e-3)


def test_the_page_holds_both_models_with_their_paired_differences(saved, explorer):
    ex = explorer.explainer
    assert_importance(saved, ex.importance("nll", n_repeats=3))
    assert_compared(saved, explorer, "linear", "tree")
    choose(saved, tau=0.5)
    weights = ex.stress_weights("a", 0.5)
    assert_compared(saved, explorer, "linear", "tree", weights)
    # The widget is made anew for another model.
    saved.get_by_test_id("uq-shown-model").select_option("tree")
    expect(saved.get_by_test_id("uq-shown-model")).to_have_value("tree")
    assert_compared(saved, explorer, "tree", "linear", weights)


def test_what_the_page_does_not_hold_of_a_comparison_is_named(saved):
    panel = saved.locator("section.uq-comparison")
    choose(saved, tau=0.5)
    expect(panel).not_to_contain_text("this page holds no differences")
    choose(saved, stress_feature="b")
    expect(panel).to_contain_text("this page holds no differences at this τ")
    expect(panel).to_contain_text("The difference under stress of b is not in this page.")
    choose(saved, tau=0)
    expect(panel).not_to_contain_text("this page holds no differences at this τ")


def test_a_pin_of_another_model_shows_that_model(saved, explorer):
    saved.get_by_test_id("uq-pin-view").nth(1).click()
    expect(saved.get_by_test_id("uq-shown-model")).to_have_value("tree")
    wait_for_answer(saved)
    other = explorer.explainer.others["tree"]
    weights = other.stress_weights("a", 0.5)
    assert_importance(saved, other.importance("nll", n_repeats=3, sample_weight=weights))


def test_the_marks_of_the_learner_are_in_the_page(browser, data, tmp_path):
    X, y = data
    learner = uq.Learner(LogisticRegression(), X, y, n_refits=4)
    model = LogisticRegression().fit(X, y)
    with uq.explore(model, X, y, learner=learner, feature="a", n_repeats=3) as explorer:
        explorer.wait()
        explorer.save(tmp_path / "page.html", stress_features=[], progress=False)
        exact = learner.importance("nll", list("abc"), n_repeats=3)
    with opened(browser, tmp_path / "page.html") as root:
        at = dict(zip(exact.features, exact.importance, strict=True))
        for name, _value, _low, _high, _base, mean, *_ in table(root, "Importance"):
            assert number(mean) == pytest.approx(at[name], rel=5e-3)
        expect(root).to_contain_text("learner, refitted 4 times")
        choose(root, feature="b")
        expect(root).to_contain_text("learner: not in this page")
