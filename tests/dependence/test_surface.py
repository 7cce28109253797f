"""Dependence on two features, compared with loops and scikit-learn, also under weights."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.inspection import partial_dependence

from mean_bands import band_of_means
from models import Recorder, classification, normal_model, regression, table
from uqwidgets import Explainer, Mixture, Normal
from uqwidgets.dependence.surface_result import Surface


def looped(explainer, X, features, grids, measure):
    """Return the measure of each row at each pair of values, shape (g1, g2, n)."""
    of, truth = explainer.measure(measure).of, explainer.evaluations.truth
    result = np.empty((len(grids[0]), len(grids[1]), len(X)))
    for i, one in enumerate(grids[0]):
        for j, other in enumerate(grids[1]):
            moved = X.copy()
            moved[features[0]], moved[features[1]] = one, other
            result[i, j] = of(explainer.predictive(moved), truth)
    return result


@pytest.mark.parametrize("make", [regression, classification])
@pytest.mark.parametrize("spacing", ["quantile", "even"])
def test_surface_and_band_equal_the_loop(make, spacing):
    explainer = make(25)
    X = pd.DataFrame(table(25)[0], columns=explainer.features)
    result = explainer.dependence(["x0", "x1"], "entropy", grid=(5, 4), spacing=spacing)
    assert isinstance(result, Surface)
    assert result.average.shape == (5, 4)
    values = looped(explainer, X, result.features, result.grids, "entropy")
    np.testing.assert_allclose(result.average, values.mean(axis=2), rtol=1e-12, atol=1e-13)
    ends = [result.low, result.high]
    np.testing.assert_allclose(ends, band_of_means(values), rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("kind", ["regressor", "classifier"])
def test_surface_equals_that_of_scikit_learn(kind):
    X, y = table(60)
    if kind == "regressor":
        model = RandomForestRegressor(10, random_state=0).fit(X, y)
    else:
        y = y > 0
        model = RandomForestClassifier(10, random_state=0).fit(X, y)
    result = Explainer(model, X, y).dependence(["x2", "x0"], "prediction", grid=6)
    theirs = partial_dependence(
        model,
        X,
        [2, 0],
        kind="average",
        method="brute",
        response_method="auto" if kind == "regressor" else "predict_proba",
        custom_values={2: result.grids[0], 0: result.grids[1]},
    )
    np.testing.assert_allclose(result.average, theirs["average"][0], atol=1e-12)


def test_surface_of_every_pair_of_column_types():
    rng = np.random.default_rng(0)
    n = 30
    X = pd.DataFrame(
        {
            "number": rng.normal(size=n),
            "whole": pd.array(rng.integers(0, 4, n), dtype="Int64"),
            "flag": rng.random(n) < 0.5,
            "text": rng.choice(list("abc"), n),
            "day": pd.Timestamp("2021-01-01") + pd.to_timedelta(rng.integers(0, 4, n), unit="D"),
        }
    )
    X.loc[3, "whole"] = pd.NA

    def model(d):
        whole = d["whole"].fillna(-2).to_numpy(dtype=float)
        text = d["text"].map({"a": 1.0, "b": -1.0, "c": 0.5}).to_numpy()
        mean = d["number"].to_numpy() * text + whole * np.where(d["flag"], 2.0, 1.0)
        return mean * d["day"].dt.day.to_numpy()

    explainer = Explainer(model, X, np.zeros(n))
    names = list(X.columns)
    for first in names:
        for second in names:
            if first == second:
                continue
            result = explainer.dependence((first, second), grid=3)
            values = looped(explainer, X, (first, second), result.grids, "prediction")
            np.testing.assert_allclose(result.average, values.mean(axis=2), rtol=1e-12, atol=1e-13)
            assert result.categorical == tuple(
                f in ("flag", "text", "day") for f in (first, second)
            )
            result.to_altair().to_dict()
            assert "<svg" in result._repr_html_()
    missing = explainer.dependence(["whole", "text"], spacing="observed")
    assert missing.average.shape == (5, 3)
    assert missing.support.sum() == pytest.approx(1)
    assert "missing" in missing._repr_html_()
    missing.to_altair().to_dict()


class TestInteraction:
    def test_effects_are_the_curves_of_each_feature(self):
        explainer = regression()
        result = explainer.dependence(["x0", "x1"], "nll", grid=9)
        before = explainer.model_calls
        for feature, grid, effect in zip(
            result.features, result.grids, result.effects, strict=True
        ):
            curve = explainer.dependence(feature, "nll", grid=grid)
            np.testing.assert_allclose(effect, curve.average, rtol=1e-13)
        assert explainer.model_calls == before

    def test_interaction_of_additive_features_is_exactly_zero(self):
        X, y = table(80)
        explainer = Explainer(lambda d: np.exp(d[:, 0]) - d[:, 1] ** 3 + d[:, 2], X, y)
        result = explainer.dependence(["x0", "x1"], grid=7)
        assert not result.interaction.any()
        assert result.h_squared == 0.0

    def test_interaction_of_a_product_is_the_product_of_centred_features(self):
        X, y = table(500)
        grids = (np.linspace(-2, 2, 9), np.linspace(-2, 2, 5))
        result = Explainer(lambda d: d[:, 0] * d[:, 1], X, y).dependence(["x0", "x1"], grid=grids)
        centred = np.outer(grids[0] - X[:, 0].mean(), grids[1] - X[:, 1].mean())
        gap = result.interaction - centred
        np.testing.assert_allclose(gap, gap[0, 0], atol=1e-12)
        assert np.sum(result.support * result.interaction) == pytest.approx(0, abs=1e-12)

    def test_h_squared_equals_that_of_friedman_and_popescu_over_the_rows(self):
        """On a grid of all observed values H-squared is exact over the rows."""
        rng = np.random.default_rng(0)
        X = rng.integers(0, 5, (60, 3)).astype(float)
        explainer = Explainer(lambda d: d[:, 0] * d[:, 1] + d[:, 0] + d[:, 2], X, X[:, 0])
        result = explainer.dependence(["x0", "x1"], spacing="observed")
        assert result.support.sum() == pytest.approx(1)
        at = X[:, 0].astype(int), X[:, 1].astype(int)
        both, one, other = result.average[at], result.effects[0][at[0]], result.effects[1][at[1]]
        both, one, other = (v - v.mean() for v in (both, one, other))
        h = np.square(both - one - other).sum() / np.square(both).sum()
        assert result.h_squared == pytest.approx(h, rel=1e-12)

    def test_h_squared_of_a_flat_surface_is_nan(self):
        result = regression().dependence(["x2", "x1"], "entropy", grid=[[0.0], [1.0]])
        assert np.isnan(result.h_squared)
        assert not result.interaction.any()


@pytest.mark.parametrize("container", [tuple, np.array, pd.Index, pd.Series])
def test_the_two_features_may_come_in_any_container(container):
    explainer = regression(60)
    whole = explainer.dependence(["x0", "x1"], grid=3)
    result = explainer.dependence(container(["x0", "x1"]), grid=3)
    assert result.features == ("x0", "x1")
    np.testing.assert_array_equal(result.average, whole.average)


def test_weights_and_rows_change_the_surface_without_model_calls():
    explainer = regression()
    X = pd.DataFrame(table()[0], columns=explainer.features)
    result = explainer.dependence(["x0", "x1"], "nll", grid=4)
    before = explainer.model_calls
    values = looped(explainer, X, result.features, result.grids, "nll")
    weights = explainer.stress_weights("x1", -0.6)
    rows = np.arange(60) % 4 > 0
    stressed = explainer.dependence(
        ["x0", "x1"], "nll", grid=4, rows=rows, sample_weight=weights, level=0.8
    )
    assert explainer.model_calls == before
    share = np.where(rows, weights, 0) / weights[rows].sum()
    np.testing.assert_allclose(stressed.average, values @ share, rtol=1e-12)
    m = 1 / np.square(share).sum()
    ends = [stressed.low, stressed.high]
    np.testing.assert_allclose(ends, band_of_means(values, 0.8, share), rtol=1e-9)
    assert (stressed.weighted, len(stressed.rows), stressed.level) == (True, 45, 0.8)
    assert stressed.ess == pytest.approx(m)
    joint = np.zeros((4, 4))
    middles = [(g[1:] + g[:-1]) / 2 for g in result.grids]
    for row, weight in zip(X.to_numpy(), weights, strict=True):
        joint[tuple(np.searchsorted(c, v) for c, v in zip(middles, row[:2], strict=True))] += weight
    np.testing.assert_allclose(stressed.support, joint / 60, atol=1e-14)


def test_weighted_surface_equals_that_of_a_sample_drawn_with_the_weights():
    explainer = regression(400)
    weights = explainer.stress_weights("x0", -0.5)
    grids = [[-1.0, 1.0], [0.0, 1.0]]
    stressed = explainer.dependence(["x1", "x2"], "nll", grid=grids, sample_weight=weights)
    X, y = table(400)
    drawn = np.random.default_rng(0).choice(400, 40_000, p=weights / weights.sum())
    sampled = Explainer(normal_model, X[drawn], y[drawn]).dependence(
        ["x1", "x2"], "nll", grid=grids
    )
    assert (np.abs(stressed.average - sampled.average) < 4 * sampled.std_error).all()


def test_a_finer_surface_evaluates_only_new_points_and_another_measure_none():
    explainer = regression()
    explainer.dependence(["x0", "x1"], grid=4)
    before = explainer.rows_evaluated
    assert before == 60 * (1 + 4 * 4 + 4 + 4)
    explainer.dependence(["x0", "x1"], "entropy", grid=4)
    assert explainer.rows_evaluated == before
    explainer.dependence(["x0", "x1"], grid=7)
    assert explainer.rows_evaluated == 60 * (1 + 7 * 7 + 7 + 7)
    default = regression().dependence(["x0", "x1"])
    assert default.average.shape == (20, 20)


def test_predictions_beyond_the_memory_limit_are_averaged_in_pieces():
    X, y = table(400)
    model = Recorder(normal_model)
    whole = Explainer(normal_model, X, y).dependence(["x0", "x1"], "entropy", grid=12)
    small = Explainer(model, X, y, memory_limit=200_000)
    result = small.dependence(["x0", "x1"], "entropy", grid=12)
    np.testing.assert_allclose(result.average, whole.average, rtol=1e-13)
    np.testing.assert_allclose(result.std_error, whole.std_error, rtol=1e-10)
    assert small.evaluations._cache.nbytes <= 200_000
    assert max(len(batch) for batch in model.batches) * 8 * 3 < 200_000


def test_derived_values_outlive_evicted_predictions():
    X, y = table(100)

    def members(X):
        mean, std = normal_model(X)
        return Mixture(Normal(mean[:, None] + np.linspace(-1, 1, 200), np.tile(std, (200, 1)).T))

    explainer = Explainer(members, X, y, memory_limit=4_000_000)
    result = explainer.dependence(["x0", "x1"], "prediction", grid=8)
    before = explainer.rows_evaluated
    weights = explainer.stress_weights("x1", 0.5)
    explainer.dependence(["x0", "x1"], "prediction", grid=8, sample_weight=weights)
    again = explainer.dependence(["x0", "x1"], "prediction", grid=8)
    assert explainer.rows_evaluated == before
    np.testing.assert_array_equal(again.average, result.average)


def test_progress_counts_the_rows():
    seen = []
    regression().dependence(["x0", "x1"], grid=5, callback=seen.append)
    assert seen[-1].rows_done == seen[-1].rows_total == 60 * 35


@pytest.mark.parametrize(
    ("features", "options", "message"),
    [
        (["x0"], {}, "a surface has two features, not 'x0'; name two"),
        ([], {}, "a surface has two features, not none; name two"),
        (["x0", "x0"], {}, "a surface has two features, not 'x0', 'x0'; name two"),
        (["x0", "x1", "x2"], {}, "a surface has two features, not 'x0', 'x1', 'x2'"),
        (["x0", "x9"], {}, "no feature 'x9'"),
        (["x0", "x1"], {"grid": [0.0, 1.0, 2.0]}, "the grid of a surface must be a number of"),
        (["x0", "x1"], {"grid": "many"}, "the grid of a surface must be a number of points"),
        (["x0", "x1"], {"grid": True}, "the grid of a surface must be a number of points"),
        (["x0", "x1"], {"grid": (5, [])}, "the grid of 'x1' must be a list of numbers"),
        (["x0", "x1"], {"grid": (1, 5)}, "grid is 1; it must be at least 2"),
        (["x0", "x1"], {"spacing": "log"}, "no spacing 'log'"),
        (["x0", "x1"], {"center": True}, "derivative and relative apply to curves only"),
        (["x0", "x1"], {"derivative": True}, "derivative and relative apply to curves only"),
        (["x0", "x1"], {"relative": True}, "name one feature, or leave them out"),
        (["x0", "x1"], {"level": 1}, "level is 1"),
        (["x0", "x1"], {"measure": "ncll"}, "no measure"),
    ],
)
def test_invalid_arguments_are_refused_before_the_model_is_called(features, options, message):
    explainer = regression()
    with pytest.raises(ValueError, match=message):
        explainer.dependence(features, **options)
    assert explainer.model_calls == 1


def test_frame_and_repr_of_a_surface():
    result = classification().dependence(("x0", "x1"), "entropy", grid=(3, 2))
    frame = result.frame
    assert list(frame.columns) == [
        *("first", "second", "average", "low", "high", "interaction", "near")
    ]
    np.testing.assert_array_equal(frame["first"], np.repeat(result.grids[0], 2))
    np.testing.assert_array_equal(frame["second"], np.tile(result.grids[1], 3))
    np.testing.assert_array_equal(frame["average"], result.average.ravel())
    assert "Dependence of entropy in nats on x0 and x1: 3 x 2 values, 60 rows" in repr(result)
    assert result.spacings == ("quantile", "quantile")
    with pytest.raises(AttributeError):
        result.average = None
