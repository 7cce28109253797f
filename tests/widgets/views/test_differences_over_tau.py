"""Differences of a comparison at the levels of tau."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LogisticRegression

import uqwidgets as uq
from cases import thorough_after
from uqwidgets.widgets.views.comparison import view as comparison_view
from widgets.following import Still, Watched, at_level

HALF = [{"feature": "b", "low": None, "high": 0.0}]


def numbers():
    rng = np.random.default_rng(2)
    X = pd.DataFrame(rng.normal(size=(150, 3)), columns=["a", "b", "c"])
    return X, X["a"].to_numpy() + np.abs(X["b"].to_numpy()) + rng.normal(size=150)


def normal(slope):
    return lambda X: (slope * X["a"].to_numpy(), np.exp(0.3 * X["b"].to_numpy()))


def of_models():
    X, y = numbers()
    forest = RandomForestRegressor(10, min_samples_leaf=5, random_state=0).fit(X, y)
    ex = uq.Explainer(normal(0.9), X, y, others={"forest": uq.as_predictive(forest, noise=1.0)})
    return ex, {"compare_with": "model:forest"}


def of_rows():
    X, y = numbers()
    ex = uq.Explainer(normal(0.9), X, y)
    return ex, {"compare_with": "rest", "ice_filter": HALF, "measure": "entropy"}


def of_classes():
    X, y = numbers()
    labels = np.array(["low", "middle", "high"])[np.digitize(y, [0, 1])]
    ex = uq.Explainer(LogisticRegression().fit(X, labels), X, labels)
    inputs = {"measure": "probability:high", "importance_of": ["probability:high"]}
    return ex, {"compare_with": "class:low", **inputs}


@pytest.mark.parametrize("make", thorough_after(1, [of_models, of_rows, of_classes]))
def test_differences_at_a_level_are_those_of_an_answer(make):
    explainer, inputs = make()
    session = Watched(
        explainer, n_repeats=3, feature="a", stress_feature="a", ice_lines=0, **inputs
    )
    try:
        evaluated = explainer.rows_evaluated
        session.follow()
        assert explainer.rows_evaluated == evaluated
        _, columns = session.messages[-1]
        view = session.view(comparison_view.ComparisonView)
        names = [n for n in columns if n.startswith("comparison.") or n.endswith(".ghost")]
        assert {"comparison.importance_high", "comparison.curve_low", "comparison.tau"} <= {*names}
        for tau in (-0.85, -0.4, 0.0, 0.15, 0.55, 1.0):
            at = replace(session.inputs, tau=tau)
            populations = session.builder.build(at, lambda: None)
            *_, content = view._shown(at, populations, lambda *_: None)
            exact = {f"comparison.{name}": v for name, v in content.columns.items()}
            exact |= {name: v for name, v in content.under.items() if name in names}
            for at_score, score in enumerate(content.meta["scores"]):
                exact |= {f"comparison.scores.{at_score}.{end}": score[end] for end in score}
            exact["comparison.tau"] = tau
            for name in names:
                level = at_level(*session.messages[-1], name, tau)
                np.testing.assert_allclose(level, exact[name], rtol=1e-5, atol=1e-6)
    finally:
        session.widget.close()


@pytest.mark.thorough
def test_a_pin_that_lies_under_the_views_is_not_moved_like_a_model():
    explainer, inputs = of_models()
    session = Watched(explainer, n_repeats=2, feature="a", stress_feature="a", **inputs)
    try:
        (*_, (_, free)) = session.over_tau.follow(session.inputs, lambda: None)
        (*_, (_, pinned)) = session.over_tau.follow(session.inputs, lambda: None, has_pin=True)
        assert set(free) - set(pinned) == {"importance.ghost", "dependence.ghost"}
    finally:
        session.widget.close()


def test_differences_of_many_rows_are_those_of_their_level(monkeypatch):
    monkeypatch.setattr(comparison_view, "MOST_VALUES", 1000)
    explainer, inputs = of_models()
    session = Watched(explainer, n_repeats=2, feature="a", stress_feature="a", **inputs)
    try:
        session.follow()
        _, columns = session.messages[-1]
        assert not any(name.startswith("comparison.") for name in columns)
        assert "importance.value" in columns
    finally:
        session.widget.close()


def test_nothing_is_compared_over_tau_where_nothing_is_chosen():
    explainer, _ = of_models()
    with Still(explainer, n_repeats=2, compare_with="", stress_feature="a") as widget:
        assert widget.wait()
        view = widget._session.view(comparison_view.ComparisonView)
        assert not view.over_tau(widget._inputs()[0])
