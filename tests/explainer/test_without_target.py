"""An Explainer without the true target: results that need no target, and errors of the others."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import uqwidgets as uq

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
Y = X[:, 0] + RNG.normal(size=80)
LABELS = np.where(Y > 0, "yes", "no")


def normal(rows):
    return rows[:, 0], 1 + rows[:, 1] ** 2


@pytest.fixture(params=["numbers", "classes"])
def pair(request):
    """Explain the same model without and with the target."""
    model, y = (normal, Y) if request.param == "numbers" else (classifier(), LABELS)
    return uq.Explainer(model, X), uq.Explainer(model, X, y)


def classifier():
    return LogisticRegression().fit(X, LABELS)


def same(result, other):
    pd.testing.assert_frame_equal(result.frame, other.frame)


def test_results_that_need_no_target_are_the_same_without_it(pair):
    without, explainer = pair
    for measure in ("entropy", "prediction", lambda q, _y: q.entropy()):
        same(without.importance(measure, n_repeats=3), explainer.importance(measure, n_repeats=3))
        same(without.dependence("x0", measure), explainer.dependence("x0", measure))
    same(without.dependence(["x0", "x1"], "entropy"), explainer.dependence(["x0", "x1"], "entropy"))
    same(
        without.importance_over_tau("x0", "entropy", n_repeats=3, taus=3),
        explainer.importance_over_tau("x0", "entropy", n_repeats=3, taus=3),
    )
    same(without.scores(["entropy"]), explainer.scores(["entropy"]))
    same(without.redundancy(n_estimators=50), explainer.redundancy(n_estimators=50))
    same(without.stress_to({"x0": 0.5}), explainer.stress_to({"x0": 0.5}))
    np.testing.assert_array_equal(
        without.stress_weights("x0", 0.5), explainer.stress_weights("x0", 0.5)
    )


def test_stress_without_target_has_the_indicators_that_need_none(pair):
    without, explainer = pair
    needs_target = {"error_rate", "tpr", "fpr", "rmse"} | set(unavailable(without))
    assert set(without.indicators) == explainer.indicators.keys() - needs_target
    names = list(without.indicators)
    same(without.stress(["x0"], level=0.9), explainer.stress(["x0"], names, level=0.9))


def unavailable(explainer):
    listed = explainer.measures.set_index("measure")
    return listed.index[listed["reason"] == "it needs y; pass y to Explainer"]


def test_a_measure_that_needs_the_target_is_an_error_without_it(pair):
    without, explainer = pair
    assert "nll" in unavailable(without)
    assert not len(unavailable(explainer))
    assert all(explainer.measure(name).needs_truth for name in unavailable(without))
    for call in (without.importance, lambda: without.dependence("x0", "nll"), without.diagnose):
        with pytest.raises(ValueError, match="'nll' is not available: it needs y; pass y to"):
            call()


def test_every_method_that_needs_the_target_is_an_error_of_one_sentence(pair):
    without = pair[0]
    scorer = "roc_auc" if without.classes is not None else "r2"
    for call, what in (
        (lambda: without.importance(scorer), scorer),
        (lambda: without.stress(["x0"], [scorer]), scorer),
        (without.scores, r"scores\(\)"),
        (without.confusion, r"confusion\(\)"),
        (without.calibration, r"calibration\(\)"),
        (lambda: without.redundancy(with_target=True, n_estimators=50), "with_target"),
        (lambda: without.stress_to(shares={None: {"yes": 0.5}}), "a share of the target"),
    ):
        with pytest.raises(ValueError, match=f"^{what} needs y; pass it to Explainer.$"):
            call()


@pytest.mark.parametrize(
    "function",
    [
        lambda q, y: q.mean() - y,
        lambda q, y: (q.mean() == y) * 1.0,
        lambda q, y: (y == q.mean()) * 1.0,
        lambda _q, y: np.asarray(y),
        lambda _q, y: y.astype(float),
        lambda _q, y: np.array([v for v in y]),  # noqa: C416
        lambda _q, y: np.zeros(len(y)),
        lambda _q, y: y[:],
        lambda q, y: np.where(y > q.mean(), 1.0, 0.0),
        lambda q, y: -q.log_prob(y),
    ],
)
def test_a_custom_measure_that_uses_the_target_is_an_error(function):
    function.__name__ = "mine"
    with pytest.raises(ValueError, match=r"^measure 'mine' needs y; pass it to Explainer\.$"):
        uq.Explainer(normal, X).importance(function, n_repeats=2)


def test_labels_without_target_have_no_measure():
    labels = uq.Explainer(lambda rows: np.where(rows[:, 0] > 0, "a", "b"), X)
    assert labels.classes.tolist() == ["a", "b"]
    assert not labels.measures["available"].any()
    assert not labels.indicators
    assert labels.redundancy(n_estimators=50).features


def test_the_summary_says_that_there_is_no_target(pair):
    assert "not passed" in pair[0]._repr_html_()


def test_the_learner_still_needs_its_target():
    with pytest.raises((TypeError, ValueError)):
        uq.Learner(DecisionTreeClassifier(), X, None)
