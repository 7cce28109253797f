"""Refits: curves and bands are those of a learner, and the truth is that of the process."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor

import uqwidgets as uq
from uqwidgets.datasets import CORRELATED_PAIRS, LINEAR, Process
from widgets.wire import columns

TREE = DecisionTreeRegressor(max_depth=4, random_state=0)


@pytest.fixture(scope="module")
def lesson():
    with uq.teach.ManyRefits(estimator=TREE) as widget:
        assert widget.wait(60)
        yield widget


@pytest.fixture(autouse=True)
def fresh(lesson):
    lesson.guess, lesson.refits, lesson.revealed = -1, 0, False


def explanation(lesson):
    assert lesson._frame["meta"]["error"] is None
    return " ".join(lesson._frame["meta"]["explanation"])


@pytest.mark.parametrize("m", [2, 5, 15])
def test_the_band_is_that_of_a_learner_of_so_many_refits(lesson, m):
    lesson.refits = 15
    lesson.refits = m
    shown = columns(lesson._frame)
    X, y = uq.GroundTruth(*CORRELATED_PAIRS).data(300, 1)
    assert np.allclose(shown["grid"], np.quantile(X["x3"], np.linspace(0.025, 0.975, 15)))
    learner = uq.Learner(TREE, X, y, n_refits=m)
    result = learner.dependence("x3", grid=shown["grid"], interval="corrected")
    assert np.allclose(shown["curves"], result.per_refit)
    for name in ("average", "low", "high"):
        assert np.allclose(shown[name], getattr(result, name))
    c = np.mean([len(one.held_out) for one in learner.refits]) / np.mean(
        [one.n_train for one in learner.refits]
    )
    assert f"corrected: {np.sqrt(1 + m * c):.1f} times as wide" in explanation(lesson)
    assert f"{m} curves differ by up to {np.ptp(result.per_refit, axis=0).max():.3g}" in (
        explanation(lesson)
    )


def test_one_curve_has_no_band(lesson):
    assert explanation(lesson) == ""
    lesson.refits = 1
    shown = columns(lesson._frame)
    assert shown["curves"].shape == (1, 15)
    assert "average" not in shown
    assert lesson.hits == 0
    assert "One fit draws one curve" in explanation(lesson)


def test_the_truth_is_that_of_the_process_and_hidden_until_it_is_shown(lesson):
    lesson.refits, lesson.guess = 15, 12
    assert "truth" not in columns(lesson._frame)
    assert "truth" not in explanation(lesson)
    lesson.revealed = True
    shown = columns(lesson._frame)
    # The features have the mean 0, and x3 enters as 0.9 x3^2.
    assert np.allclose(shown["truth"], 0.9 * shown["grid"] ** 2, atol=0.1)
    hit = (shown["low"] <= shown["truth"]) & (shown["truth"] <= shown["high"])
    assert np.array_equal(shown["hit"], hit)
    assert lesson.hits == hit.sum() < 15
    text = explanation(lesson)
    assert f"The band holds the truth at {hit.sum()} of 15 values. You expected 12." in text
    error = shown["average"] - shown["truth"]
    worst = np.abs(error).argmax()
    same = (
        np.sign(shown["curves"][:, worst] - shown["truth"][worst]) == np.sign(error[worst])
    ).sum()
    assert f"the mean of the curves is {abs(error[worst]):.3g} " in text
    assert f"{same} of 15 curves err to the same side" in text
    assert "they do not show the error" in text


def test_refits_that_exist_are_not_fitted_again():
    fits = []

    class Counted(LinearRegression):
        def fit(self, X, y, sample_weight=None):
            fits.append(len(X))
            return super().fit(X, y, sample_weight)

    with uq.teach.ManyRefits(LINEAR, Counted(), "x2", n=60) as lesson:
        assert lesson.wait(60)
        assert fits == []
        for refits, expected in [(1, 2), (2, 2), (15, 15), (4, 15), (0, 15), (7, 15)]:
            lesson.refits = refits
            lesson.revealed = refits > 2
            assert len(fits) == expected
        # The procedure can follow the process.
        lesson.refits = 15
        assert lesson.hits > 10


def test_a_fit_that_fails_is_a_sentence_and_leaves_what_was_shown():
    class Failing(LinearRegression):
        def fit(self, *_):
            raise RuntimeError("no convergence")

    with uq.teach.ManyRefits(LINEAR, Failing(), n=60) as lesson:
        assert lesson.wait(60)
        lesson.refits = 3
        assert "no convergence" in lesson._frame["meta"]["error"]
        assert "grid" in columns(lesson._frame)
        lesson.refits = 0
        assert lesson._frame["meta"]["error"] is None


def test_curves_that_are_all_the_same_are_a_sentence():
    class Constant(LinearRegression):
        def predict(self, X):
            return np.ones(len(X))

    with uq.teach.ManyRefits(LINEAR, Constant(), n=60, refits=4, revealed=True) as lesson:
        assert lesson.wait(60)
        assert "All 4 curves are the same" in explanation(lesson)


def test_errors_say_what_to_do():
    with pytest.raises(TypeError, match=r"process is a str; pass a uq\.datasets\.Process"):
        uq.teach.ManyRefits("linear")
    with pytest.raises(ValueError, match=r"feature is 'x9'; it must be a numeric one of"):
        uq.teach.ManyRefits(feature="x9")
    with pytest.raises(ValueError, match=r"refits is 4; it lies within \[0, 3\]"):
        uq.teach.ManyRefits(n_refits=3, refits=4)
    arrays = Process(lambda X: X[:, 0], lambda n, rng: rng.normal(size=(n, 2)), 1.0)
    with pytest.raises(TypeError, match="DataFrame"):
        uq.teach.ManyRefits(arrays)
