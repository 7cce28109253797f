"""What does the bar cover?: intervals are the library's, and the count has its error."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor

import uqwidgets as uq
from uqwidgets.datasets import CORRELATED_PAIRS, LINEAR
from uqwidgets.teach import coverage
from widgets.wire import columns

KINDS = ("fixed-data", "model", "u-statistic")


@pytest.fixture(scope="module")
def lesson():
    with uq.teach.WhatTheBarCovers(samples=50) as widget:
        assert widget.wait(60)
        yield widget


@pytest.mark.parametrize("kind", KINDS)
def test_intervals_are_those_of_an_explainer_of_each_sample(lesson, kind):
    lesson.interval = kind
    shown = columns(lesson._frame)
    for i in (0, 7, 49):
        X, y = uq.GroundTruth(*CORRELATED_PAIRS).data(50, i + 1)
        explainer = uq.Explainer(CORRELATED_PAIRS.f, X, y, random_state=i + 1)
        result = explainer.importance("squared_error", ["x1"], n_repeats=5, interval=kind)
        assert shown["value"][i] == result.importance[0]
        assert shown["low"][i] == result.low[0]
        assert shown["high"][i] == result.high[0]
    hit = (shown["low"] <= lesson.population) & (lesson.population <= shown["high"])
    assert np.array_equal(shown["hit"], hit)
    assert lesson.hits == hit.sum()


def test_the_population_is_that_of_the_process(lesson):
    # A mean of squares: x1 is standard normal and has the slope 1, so that its importance is 2.
    assert abs(lesson.population - 2) < 0.05


@pytest.mark.thorough
def test_the_interval_of_a_learner_is_that_of_refits_of_each_sample(monkeypatch):
    monkeypatch.setattr(coverage, "_FITS", 40)
    with uq.teach.WhatTheBarCovers(n=30, samples=2, interval="learner") as lesson:
        assert lesson.wait(120)
        shown = columns(lesson._frame)
        for i in (0, 1):
            X, y = uq.GroundTruth(*CORRELATED_PAIRS).data(30, i + 1)
            learner = uq.Learner(LinearRegression(), X, y, random_state=i + 1)
            result = learner.importance("squared_error", ["x1"])
            assert shown["value"][i] == result.importance[0]
            assert (shown["low"][i], shown["high"][i]) == (result.low[0], result.high[0])
        explanation = " ".join(lesson._frame["meta"]["explanation"])
        assert "which rows the model learned from" in explanation
        assert "Each sample has models of its own" in explanation
        of_learner = lesson.population
        assert lesson._frame["meta"]["population"] == of_learner
        lesson.interval = "u-statistic"
        # The slope of x1 is 1 on average, and its square is larger: 1 plus the variance of fits.
        assert 0 < of_learner - lesson.population < 3
        assert lesson._frame["meta"]["population"] == lesson.population


@pytest.mark.thorough
def test_what_a_learner_estimates_is_known_to_a_twentieth_of_what_models_differ():
    """Compare with the closed form of the importance of x1 in linear models."""
    with uq.teach.WhatTheBarCovers(interval="learner") as lesson:
        assert lesson.wait(600)
        error = lesson._errors_of_learner["rows"]
        # Misses are counted against this number: 2.51, from 6,000 fits and the moments of the
        # process.
        assert abs(lesson.population - expected_of_linear_models(n=50)) < 3 * error
        assert error < 0.2
        lesson.samples = 1
        assert f"400 models, with a standard error of {error:.2g}." in " ".join(
            lesson._frame["meta"]["explanation"]
        )


def expected_of_linear_models(n, fits=3000):
    """Mean importance of x1, 2 b (cov(y, x1) - cov(f, x1) + b), over fits of n resampled rows."""
    truth = uq.GroundTruth(*CORRELATED_PAIRS)
    X, y = truth.data(200_000, 1)
    moments = np.cov(np.column_stack([X, y]).T)
    X, y = (np.asarray(part) for part in truth.data(n * fits, 2))
    rows = [np.random.default_rng(k).integers(n, size=n) + n * k for k in range(fits)]
    X, y = X[rows], y[rows]
    X, y = X - X.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    # All least squares fits at once, by their normal equations.
    of_features, with_target = X.swapaxes(1, 2) @ X, X.swapaxes(1, 2) @ y[:, :, None]
    slopes = np.linalg.solve(of_features, with_target)[:, :, 0]
    left = moments[0, -1] - slopes @ moments[0, :-1]
    return np.mean(2 * slopes[:, 0] * (left + slopes[:, 0] * moments[0, 0]))


def test_a_model_that_can_be_fitted_is_what_the_learner_fits(monkeypatch):
    monkeypatch.setattr(coverage, "_FITS", 2)
    model = DecisionTreeRegressor(max_depth=2)
    X, y = uq.GroundTruth(*LINEAR).data(200, 0)
    model.fit(X, y)
    with uq.teach.WhatTheBarCovers(LINEAR, model, n=30, samples=1, interval="learner") as lesson:
        assert lesson.wait(60)
        X, y = uq.GroundTruth(*LINEAR).data(30, 1)
        learner = uq.Learner(DecisionTreeRegressor(max_depth=2), X, y, random_state=1)
        expected = learner.importance("squared_error", ["x1"]).importance[0]
        assert columns(lesson._frame)["value"][0] == expected


def test_the_kinds_differ_as_they_promise(lesson):
    hits = {}
    for kind in KINDS:
        lesson.interval = kind
        hits[kind] = lesson.hits
    assert hits["fixed-data"] < hits["model"] < hits["u-statistic"]


def test_rows_of_patients_need_intervals_by_patients():
    with uq.teach.WhatTheBarCovers(samples=50, interval="u-statistic") as lesson:
        assert lesson.wait(60)
        population, alone = lesson.population, lesson.hits
        lesson.table = "patients"
        by_rows = lesson.hits
        explanation = " ".join(lesson._frame["meta"]["explanation"])
        assert "900 rows of 30 patients: in about 7 of 10 of its rows" in explanation
        assert "this kind is too narrow" in explanation
        lesson.interval = "groups"
        assert lesson.hits >= 45 > 30 > by_rows
        assert alone >= 45
        assert lesson.population == population
        assert "which patients there are" in " ".join(lesson._frame["meta"]["explanation"])
        assert lesson.wait(60)
        shown = columns(lesson._frame)
        X, y, patient = lesson._sample(8)
        # A patient's rows resemble each other, and each has the distribution of the process.
        assert 240 < len(X.drop_duplicates()) < 330
        assert abs(X["x1"].std() - 1) < 0.2
        explainer = uq.Explainer(CORRELATED_PAIRS.f, X, y, groups=patient, random_state=8)
        result = explainer.importance("squared_error", ["x1"], n_repeats=5)
        assert (shown["low"][7], shown["high"][7]) == (result.low[0], result.high[0])
        # Rows by themselves are groups of one row.
        lesson.table, lesson.interval = "rows", "groups"
        assert lesson.hits == alone


def test_a_learner_resamples_patients(monkeypatch):
    monkeypatch.setattr(coverage, "_FITS", 2)
    of = {"table": "patients", "interval": "learner"}
    with uq.teach.WhatTheBarCovers(samples=1, **of) as lesson:
        assert lesson.wait(60)
        X, y, patient = lesson._sample(1)
        learner = uq.Learner(LinearRegression(), X, y, groups=patient, random_state=1)
        result = learner.importance("squared_error", ["x1"])
        shown = columns(lesson._frame)
        assert (shown["low"][0], shown["high"][0]) == (result.low[0], result.high[0])


def test_the_count_has_the_exact_error_of_a_binomial_share(lesson):
    lesson.interval = "fixed-data"
    k, m = lesson.hits, 50
    low, high = beta.ppf(0.025, k, m - k + 1), beta.ppf(0.975, k + 1, m - k)
    explanation = " ".join(lesson._frame["meta"]["explanation"])
    assert f"{k} of 50 intervals ({100 * k / m:.0f} %)" in explanation
    assert f"could be {100 * low:.0f} % to {100 * high:.0f} %" in explanation
    assert "this kind is too narrow" in explanation
    lesson.interval = "u-statistic"
    assert "nothing speaks against" in " ".join(lesson._frame["meta"]["explanation"])


def test_the_interval_over_shuffles_holds_the_importance_of_its_own_rows(lesson):
    lesson.interval = "fixed-data"
    n_own = 0
    for i in range(50):
        X, y = uq.GroundTruth(*CORRELATED_PAIRS).data(50, i + 1)
        explainer = uq.Explainer(CORRELATED_PAIRS.f, X, y)
        (own,) = explainer.importance("squared_error", ["x1"], n_repeats="all").importance
        shown = columns(lesson._frame)
        n_own += shown["low"][i] <= own <= shown["high"][i]
    assert n_own > 40
    assert f"{n_own} of 50 hold the importance of their own rows" in " ".join(
        lesson._frame["meta"]["explanation"]
    )


def test_samples_stay_the_same_when_others_come_or_go():
    with uq.teach.WhatTheBarCovers(LINEAR, feature="x2", n=20, samples=3) as lesson:
        assert lesson.wait(60)
        first = columns(lesson._frame)["value"]
        lesson.samples = 5
        lesson.samples = 2
        assert np.array_equal(columns(lesson._frame)["value"], first[:2])
        lesson.samples = 0
        assert lesson._frame["meta"]["explanation"] == []


def test_errors_say_what_to_do():
    with pytest.raises(TypeError, match=r"process is a str; pass a uq\.datasets\.Process"):
        uq.teach.WhatTheBarCovers("linear")
    with pytest.raises(ValueError, match=r"n is 5; it lies within \[10, 1000\]"):
        uq.teach.WhatTheBarCovers(n=5)
    with pytest.raises(ValueError, match="there is no interval 'models'; did you mean 'model'"):
        uq.teach.WhatTheBarCovers(interval="models")
    with pytest.raises(ValueError, match="x9"):
        uq.teach.WhatTheBarCovers(feature="x9")
