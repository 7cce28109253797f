"""What the views show at the levels of tau: equal to their answers, in order, computed once."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import BayesianRidge
from sklearn.naive_bayes import GaussianNB

import uqwidgets as uq
from cases import thorough_after
from uqwidgets.inference.populations import mean_intervals_in
from uqwidgets.widgets.kernel.interruptions import SupersededError
from uqwidgets.widgets.over_tau.levels import STOPS
from uqwidgets.widgets.views.dependence.view import DependenceView
from widgets.following import Watched, assert_exact, at_level

NASTY = ("few", "zero", "heavy", "skewed", "binary")


def nasty(n=240):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "few": rng.integers(0, 4, n).astype(float),
            "zero": np.where(rng.random(n) < 0.8, 0.0, rng.exponential(size=n)),
            "heavy": rng.standard_t(2, n),
            "skewed": np.exp(1.5 * rng.normal(size=n)),
            "binary": (rng.random(n) < 0.06) * 1.0,
        }
    )
    score = X["few"] - 1.5 + X["zero"] + 0.2 * X["heavy"] + np.log(X["skewed"])
    return X, (score + rng.logistic(size=n) > 0).astype(int)


def cancer():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X = X[X.columns[1::3]]
    forest = RandomForestClassifier(25, max_depth=6, random_state=0).fit(X[::2], y[::2])
    columns = ["mean texture", "worst perimeter"]
    return uq.Explainer(forest, X[1::4], y[1::4]), columns


def diabetes():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    forest = RandomForestRegressor(25, min_samples_leaf=5, random_state=0).fit(X[::2], y[::2])
    return uq.Explainer(forest, X[1::2], y[1::2]), ["bmi", "sex", "s5"]


def nasties():
    X, y = nasty()
    forest = RandomForestClassifier(25, min_samples_leaf=5, random_state=0).fit(X, y)
    return uq.Explainer(forest, X, y), list(NASTY)


@pytest.mark.parametrize("case", thorough_after(1, [cancer, diabetes, nasties]))
def test_every_number_of_a_level_is_that_of_an_answer(case):
    """Of every stressed column; the model is not called."""
    explainer, columns = case()
    session = Watched(explainer, n_repeats=4)
    calls = explainer.model_calls
    rng = np.random.default_rng(1)
    for column in columns:
        session.widget.stress_feature = column
        session.widget.wait()
        session.follow()
        meta, sent = session.messages[-1]
        assert {"importance.low", "dependence.high", "stress.now.value"} <= sent.keys()
        for tau in {-1.0, 0.0, 1.0, *rng.choice(STOPS, 4).tolist()} & {*meta["levels"]}:
            assert_exact(session, tau)
    assert explainer.model_calls == calls
    session.widget.close()


@pytest.mark.parametrize(
    ("interval", "replacement"),
    [
        ("model", "permutation"),
        ("fixed-data", "permutation"),
        ("random-variable", "permutation"),
        ("quantile", "permutation"),
        ("u-statistic", "ablation"),
    ],
)
def test_importance_follows_tau_whatever_the_interval(explainer, interval, replacement):
    inputs = {"stress_feature": "a", "interval": interval, "replacement": replacement}
    session = Watched(explainer, n_repeats=4, **inputs)
    session.follow()
    for tau in (-0.6, 0.25, 1.0):
        assert_exact(session, tau)
    session.widget.close()


def test_levels_come_nearest_first_and_each_message_has_those_before(watched):
    watched.widget.tau = 0.4
    watched.widget.wait()
    watched.follow()
    levels = [meta["levels"] for meta, _ in watched.messages]
    assert [len(each) for each in levels] == [4, 8, 16, 32, 41]
    assert {0.35, 0.4, 0.45} < {*levels[0]}
    assert all({*before} < {*after} for before, after in pairwise(levels))
    assert levels[-1] == STOPS.tolist()


def test_with_many_rows_the_level_in_hand_comes_first(watched, monkeypatch):
    monkeypatch.setattr("uqwidgets.widgets.over_tau.following._MANY_ROWS", 1)
    watched.widget.tau = -0.35
    watched.widget.wait()
    watched.follow()
    assert watched.messages[0][0]["levels"] == [-0.35]
    assert len(watched.messages[-1][0]["levels"]) == 41


def test_no_level_is_computed_twice(watched, monkeypatch):
    counted = []

    def means(values, populations):
        counted.extend(population.weights.tobytes() for population in populations)
        return mean_intervals_in(values, populations)

    monkeypatch.setattr("uqwidgets.widgets.views.dependence.over_tau.mean_intervals_in", means)
    watched.follow()
    assert len(counted) == len(set(counted)) == 41
    sent = len(watched.messages)
    counted.clear()
    watched.widget.tau = 0.4
    watched.widget.wait()
    watched.follow()
    assert counted == []
    assert len(watched.messages) == sent
    # Another feature leaves the importance as it is, and has a curve of its own.
    importance = watched.over_tau._followed["importance", "ends"].samples
    watched.widget.feature = "b"
    watched.widget.wait()
    watched.follow()
    assert watched.over_tau._followed["importance", "ends"].samples is importance
    assert len(counted) == 41


def test_what_was_interrupted_goes_on_where_it_was(watched, monkeypatch):
    counted = []

    def means(values, populations):
        counted.append(len(populations))
        return mean_intervals_in(values, populations)

    monkeypatch.setattr("uqwidgets.widgets.views.dependence.over_tau.mean_intervals_in", means)
    checks = iter(range(10_000))
    interruptions = 0
    while watched.over_tau.key is None:

        def check():
            if next(checks) % 60 == 59:
                raise SupersededError

        try:
            watched.follow(check)
        except SupersededError:
            interruptions += 1
            assert interruptions < 200
    assert interruptions > 2
    assert sum(counted) == 41
    lengths = [len(meta["levels"]) for meta, _ in watched.messages]
    assert lengths == sorted(lengths)
    assert lengths[-1] == 41
    assert_exact(watched, -0.55)


def test_levels_are_sent_again_after_those_of_other_inputs(watched):
    watched.follow()
    n_sent = len(watched.messages)
    watched.widget.stress_feature = "b"
    watched.widget.wait()
    others = watched.over_tau.follow(watched.inputs, lambda: None)
    next(others)
    others.close()  # a newer request came before all levels
    watched.widget.stress_feature = "a"
    watched.widget.wait()
    watched.follow()
    assert len(watched.messages) > n_sent


def test_a_side_that_cannot_be_reached_has_no_levels():
    rng = np.random.default_rng(0)
    # The mean lies beyond the upper quantile.
    x = np.where(np.arange(200) < 4, 1e4, rng.normal(size=200))
    X = pd.DataFrame({"far": x, "other": rng.normal(size=200)})
    session = Watched(
        uq.Explainer(lambda X: (X["other"], np.ones(len(X))), X, X["other"]),
        stress_feature="far",
        feature="other",
    )
    session.follow()
    assert session.messages[-1][0]["levels"] == STOPS[STOPS <= 0].tolist()
    session.widget.close()


def test_a_target_at_the_edge_of_the_data_has_its_status():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"zero": np.where(rng.random(100) < 0.6, 0.0, 1 + rng.random(100))})
    session = Watched(
        uq.Explainer(lambda X: (X["zero"], np.ones(len(X))), X, X["zero"]), stress_feature="zero"
    )
    session.follow()
    texts = session.messages[-1][0]["texts"]
    assert texts["stress.now.status"] == ["edge", *["ok"] * 40]
    assert len(texts["performance.verdict"]) == 41
    session.widget.close()


@pytest.mark.parametrize("stressed", ["a", "b"])
def test_the_rows_whose_lines_are_drawn_are_the_same_where_few_rows_have_all_the_weight(
    explainer, stressed
):
    """At an end that one row alone reaches, the others have no weight, and were left out."""
    rows = [{"feature": "a", "low": 0.0, "high": None}]
    ends = {"anchor": "tail-mean", "tail": 0.001}
    session = Watched(explainer, n_repeats=4, stress_feature=stressed, ice_filter=rows, **ends)
    session.follow()
    meta, columns = session.messages[-1]
    at_zero = session.exact(DependenceView, 0.0)
    assert columns["dependence.ice_weight"].shape[1] == len(at_zero.columns["ice"])
    ends = [tau for tau in (-1.0, 1.0) if tau in meta["levels"]]
    sent = {tau: at_level(meta, columns, "dependence.ice_weight", tau) for tau in ends}
    reached = {tau: weights for tau, weights in sent.items() if np.isfinite(weights).all()}
    assert reached
    for tau, weights in reached.items():
        at_end = session.exact(DependenceView, tau).columns
        np.testing.assert_array_equal(at_end["ice"], at_zero.columns["ice"])
        np.testing.assert_allclose(weights, at_end["ice_weight"], atol=1e-5)
        assert np.count_nonzero(weights) == 1
    session.widget.close()


def test_without_stressed_feature_there_are_no_levels(explainer):
    session = Watched(explainer, n_repeats=2)
    session.widget.stress_feature = ""
    session.widget.wait()
    inputs = replace(session.inputs, stress_feature="")
    assert not list(session.over_tau.follow(inputs, lambda: None))
    session.widget.close()


def test_the_widget_sends_the_levels_in_few_bytes():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    explainer = uq.Explainer(GaussianNB().fit(X, y), X[::4], y[::4])
    with uq.Explorer(explainer, n_repeats=3) as widget:
        sent = []
        widget.observe(lambda change: sent.append(change["new"]), "_over_tau")
        widget.wait()
        calls = explainer.model_calls
        worker = widget._scheduler.worker
        if worker is not None:
            worker.join(60)
        assert 1 <= len(sent) <= 5
        message = sent[-1]
        assert explainer.model_calls == calls
        assert message["inputs"] == widget._frame["inputs"]
        assert message["meta"]["levels"] == STOPS.tolist()
        # Of 30 features and two measures.
        assert sum(len(raw) for raw in message["cols"].values()) < 200_000


def test_a_newer_request_ends_the_computation_of_levels(explorer, monkeypatch):
    started = []

    def follow(inputs, check, **_):
        started.append(inputs.tau)
        if len(started) == 1:
            explorer.tau = 0.3
        check()
        yield from ()

    monkeypatch.setattr(explorer._session.over_tau, "follow", follow)
    explorer.tau = 0.2
    explorer.wait()
    while len(started) < 2 and (worker := explorer._scheduler.worker) is not None:
        worker.join(30)
    assert started == [0.2, 0.3]


def test_the_calibration_of_numbers_follows_tau():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    explainer = uq.Explainer(BayesianRidge().fit(X, y), X[::2], y[::2])
    session = Watched(explainer, n_repeats=2, stress_feature="bmi")
    session.follow()
    assert "performance.calibration_observed" in session.messages[-1][1]
    for tau in (-0.85, 0.4):
        assert_exact(session, tau)
    session.widget.close()
