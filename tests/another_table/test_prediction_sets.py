"""Prediction sets that contain the target as often as they promise, also under weights."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import uqwidgets as uq
from uqwidgets.another_table.prediction_sets import thresholds


def table(n, seed, shift=0.0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 2)) + np.array([shift, 0.0]), columns=["a", "b"])
    y = X["a"] + rng.normal(size=n) * np.where(X["a"] > 0, 2.0, 0.5)
    return X, y


def too_sure(X):
    return X["a"], np.full(len(X), 0.5)


def test_the_calibrated_sets_hold_and_those_of_a_model_that_is_too_sure_do_not():
    X, y = table(2000, 0)
    ex = uq.Explainer(too_sure, X, y)
    calls = ex.model_calls
    for kind in ("distribution", "residual"):
        sets = ex.prediction_sets(0.9, kind=kind)
        assert sets.low["calibrated"][0] < 0.9 < sets.high["calibrated"][0]
    assert ex.model_calls == calls
    own = ex.prediction_sets(0.9)
    low, high = ex.evaluations.original.interval(0.9)
    assert own.coverage["own"][0] == pytest.approx(((low <= y) & (y <= high)).mean())
    assert own.size["own"][0] == pytest.approx((high - low).mean())
    assert own.high["own"][0] < 0.7


def test_new_rows_are_covered_by_their_sets():
    X, y = table(3000, 0)
    new, truth = table(3000, 1)
    sets = uq.Explainer(too_sure, X, y).prediction_sets(0.8)
    of_new = sets.of(uq.as_predictive(too_sure)(new))
    inside = (of_new["low"] <= truth) & (truth <= of_new["high"])
    assert inside.mean() == pytest.approx(0.8, abs=0.03)


def test_the_coverage_is_on_average_the_level_also_under_the_weights_of_a_shift():
    weighted, unweighted = [], []
    for seed in range(40):
        X, y = table(800, seed)
        new, truth = table(800, 1000 + seed, shift=0.7)
        ex = uq.Explainer(too_sure, X, y)
        q = uq.as_predictive(too_sure)(new)
        for weights, into in (
            (ex.stress_to(table=new, features=["a"]), weighted),
            (None, unweighted),
        ):
            of_new = ex.prediction_sets(0.9, sample_weight=weights).of(q)
            into.append(((of_new["low"] <= truth) & (truth <= of_new["high"])).mean())
    assert np.mean(weighted) == pytest.approx(0.9, abs=0.012)
    assert np.mean(unweighted) < 0.88


def test_sets_of_classes_hold_and_are_small_where_the_model_is_sure():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(2500, 2)), columns=["a", "b"])
    y = np.digitize(2 * X["a"] + rng.normal(size=2500), [-1.0, 1.0])
    ex = uq.Explainer(LogisticRegression().fit(X[:500], y[:500]), X[500:], y[500:])
    sets = ex.prediction_sets(0.9, by="a")
    assert sets.low["calibrated"][0] < 0.9 < sets.high["calibrated"][0]
    frame = sets.frame[sets.frame["sets"] == "calibrated"].set_index("part")
    assert frame["size"].iloc[-1] < frame["size"].loc["all rows"] < frame["size"].max()
    assert frame["rows"].iloc[1:].sum() == 2000
    holds = sets.of(ex.evaluations.original)
    assert list(holds.columns) == ["0", "1", "2"]
    assert holds.to_numpy()[np.arange(2000), y[500:]].mean() == pytest.approx(0.9, abs=0.02)
    assert "calibrated sets contain" in sets._repr_html_()
    assert sets.to_altair().to_dict()


def test_the_threshold_is_a_weighted_quantile_with_the_new_row_at_infinity():
    scores, weights = np.array([3.0, 1.0, 2.0]), np.array([1.0, 2.0, 1.0])
    # Shares 2/5, 1/5, 1/5 and 1/5 for the new row.
    np.testing.assert_array_equal(thresholds(scores, weights, np.array([1.0]), 0.4), [1.0])
    np.testing.assert_array_equal(thresholds(scores, weights, np.array([1.0]), 0.6), [2.0])
    np.testing.assert_array_equal(thresholds(scores, weights, np.array([1.0]), 0.8), [3.0])
    np.testing.assert_array_equal(thresholds(scores, weights, np.array([1.0]), 0.9), [np.inf])
    np.testing.assert_array_equal(
        thresholds(scores, weights, np.array([0.0, 9.0]), 0.6), [2, np.inf]
    )


def test_infinite_sets_are_counted_and_called_so():
    X, y = table(60, 0)
    weights = np.ones(60)
    weights[:2] = 200.0
    sets = uq.Explainer(too_sure, X, y).prediction_sets(0.95, sample_weight=weights)
    assert sets.infinite[0] > 0.5
    assert "infinite" in sets._repr_html_()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"kind": "pit"}, "kind"),
        ({"by": "c"}, "no feature or extra column"),
        ({"level": 1.5}, "level"),
    ],
)
def test_bad_input_is_one_sentence(options, sentence):
    X, y = table(50, 0)
    with pytest.raises(ValueError, match=sentence):
        uq.Explainer(too_sure, X, y).prediction_sets(**options)


def test_what_has_no_sets_says_so():
    X, y = table(50, 0)
    with pytest.raises(ValueError, match="single numbers"):
        uq.Explainer(lambda X: X["a"], X, y).prediction_sets(kind="distribution")
    with pytest.raises(ValueError, match="needs y"):
        uq.Explainer(too_sure, X).prediction_sets()
