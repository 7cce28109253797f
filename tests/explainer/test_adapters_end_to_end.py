"""Explainers of models through every adapter, compared with the losses of scikit-learn."""

from __future__ import annotations

import time

import numpy as np
import pytest
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, QuantileRegressor
from sklearn.metrics import brier_score_loss, log_loss, mean_squared_error
from sklearn.naive_bayes import GaussianNB

from models import normal_model, table
from uqwidgets import Explainer
from uqwidgets.predictive import as_predictive

X, Y = table(80)
TWO = np.array(["yes", "no"])[(Y > 0) * 1]
THREE = np.array(["up", "down", "level"])[np.digitize(Y, [-0.5, 0.5])]


@pytest.mark.parametrize("y", [TWO, THREE, Y > 0], ids=["two", "three", "bools"])
@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(),
        GaussianNB(),
        GaussianProcessClassifier(optimizer=None),
        HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=5),
        RandomForestClassifier(30, min_samples_leaf=4, random_state=0),
    ],
    ids=lambda m: type(m).__name__,
)
def test_losses_of_a_classifier_are_those_of_scikit_learn(model, y):
    p = model.fit(X, y).predict_proba(X)
    members = isinstance(model, RandomForestClassifier)
    for predictive in [model, as_predictive(model, members=True)] if members else [model]:
        explainer = Explainer(predictive, X, y)

        def baseline(measure, explainer=explainer):
            return explainer.importance(measure, n_repeats=1).baseline

        assert baseline("nll") == pytest.approx(log_loss(y, p, labels=model.classes_), rel=1e-9)
        expected = brier_score_loss(y, p, labels=model.classes_)
        assert baseline("brier") == pytest.approx(expected, rel=1e-9)
        assert baseline("zero_one") == pytest.approx(np.mean(model.predict(X) != y))


def kinds():
    forest = RandomForestClassifier(8, random_state=0).fit(X, TWO)
    yield as_predictive(forest, members=True), TWO, ("aleatoric", "epistemic", "brier")
    trees = RandomForestRegressor(12, random_state=0).fit(X, Y)
    numeric = ("std", "crps", "interval_width:0.9")
    yield as_predictive(trees, members=True, noise=0.3), Y, (*numeric, "aleatoric", "epistemic")
    levels = (0.1, 0.3, 0.5, 0.7, 0.9)
    quantiles = {q: QuantileRegressor(quantile=q, alpha=0.0).fit(X, Y) for q in levels}
    yield as_predictive(quantiles), Y, numeric
    yield [LogisticRegression(C=c).fit(X, TWO) for c in (0.1, 10.0)], TWO, ("epistemic", "brier")
    yield as_predictive(LinearRegression().fit(X, Y), noise=0.4), Y, numeric
    spread = np.linspace(-1, 1, 7)[:, None]
    yield as_predictive(lambda X: normal_model(X)[0] + spread, samples=True), Y, numeric


@pytest.mark.parametrize(("model", "y", "measures"), list(kinds()))
def test_every_measure_works_with_every_adapter(model, y, measures):
    explainer = Explainer(model, X, y)
    before = None
    for measure in ("nll", "entropy", *measures):
        result = explainer.importance(measure, n_repeats=2)
        assert np.isfinite(result.importance).all()
        # All measures come from the same predictions.
        before = before or explainer.model_calls
        assert explainer.model_calls == before
    assert np.isfinite(explainer.dependence("x0", "entropy", grid=5).average).all()


def test_values_of_members_have_every_measure_but_the_likelihood():
    trees = RandomForestRegressor(12, random_state=0).fit(X, Y)
    explainer = Explainer(as_predictive(trees, members=True), X, Y)
    for measure in ("entropy", "epistemic", "std", "crps", "squared_error", "prediction"):
        assert np.isfinite(explainer.importance(measure, n_repeats=2).importance).all()
    refusal = r"members predict single values.*noise=\.\.\..*oob_score=True"
    with pytest.raises(ValueError, match=r"'nll' is not available: the " + refusal):
        explainer.importance(n_repeats=2)
    with pytest.raises(ValueError, match=r"there is no likelihood: the " + refusal):
        explainer.importance(lambda q, y: -q.log_prob(y), n_repeats=2)
    with pytest.raises(ValueError, match=refusal):
        explainer.diagnose(n_repeats=2)
    assert "nll" not in explainer.scores().frame["score"].tolist()


def test_results_say_that_the_noise_of_a_forest_is_estimated():
    trees = RandomForestRegressor(60, oob_score=True, random_state=0).fit(X, Y)
    explainer = Explainer(as_predictive(trees, members=True), X, Y)
    result = explainer.importance(n_repeats=2)
    noise = explainer.evaluations.original.members.scale[0, 0]
    (remark,) = [one for one in result.remarks if "out-of-bag residuals" in one]
    assert f"{noise:.3g}, is estimated" in remark
    assert "noise=" in remark
    assert (np.abs(result.importance) < 100).all()
    by_hand = Explainer(as_predictive(trees, members=True, noise=noise), X, Y)
    again = by_hand.importance(n_repeats=2)
    np.testing.assert_array_equal(result.importance, again.importance)
    assert not [one for one in again.remarks if "out-of-bag" in one]


def test_nll_with_fixed_noise_is_the_scaled_squared_error():
    model = LinearRegression().fit(X, Y)
    noise = 0.7
    baseline = Explainer(as_predictive(model, noise=noise), X, Y).importance("nll").baseline
    mse = mean_squared_error(Y, model.predict(X))
    expected = 0.5 * np.log(2 * np.pi * noise**2) + mse / (2 * noise**2)
    assert baseline == pytest.approx(expected, rel=1e-12)


@pytest.mark.slow
def test_members_of_a_large_forest_are_not_slower_than_twice_the_forest():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(40_000, 10))
    y = rows[:, 0] + rows[:, 1] * rows[:, 2] + rng.normal(size=len(rows)) > 0
    forest = RandomForestClassifier(500, min_samples_leaf=5, random_state=0, n_jobs=1)
    forest.fit(rows[:4000], y[:4000])
    predictive = as_predictive(forest, members=True)

    def seconds(ask):
        started = time.process_time()
        ask(rows)
        return time.process_time() - started

    # Both are timed in turn, so that other load falls on both; the minimum has the least of it.
    turns = [(seconds(forest.predict_proba), seconds(predictive)) for _ in range(4)]
    alone, together = np.min(turns, axis=0)
    assert together < 2 * alone
