"""PD and ICE curves compared with loops and with scikit-learn on the same grid."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
from sklearn.inspection import partial_dependence

from mean_bands import band_of_means
from models import Recorder, classification, normal_model, regression, table
from uqwidgets import Explainer
from uqwidgets.measures import available, find


@pytest.mark.parametrize("make", [regression, classification])
def test_every_curve_equals_the_loop_and_pd_is_the_mean_of_ice(make):
    explainer = make(25)
    X = table(25)[0]
    for measure in explainer.measures.query("available")["measure"]:
        for column, feature in enumerate(explainer.features):
            result = explainer.dependence(feature, measure, grid=7)
            assert result.ice.shape == (25, 7)
            for g, value in enumerate(result.grid):
                replaced = X.copy()
                replaced[:, column] = value
                q = explainer.predictive(replaced)
                of = find(measure, available(q, explainer.classes is not None)).of
                expected = of(q, explainer.evaluations.truth)
                np.testing.assert_allclose(result.ice[:, g], expected, rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(
                result.average, result.ice.mean(axis=0), rtol=1e-13, atol=1e-15
            )
            band = band_of_means(result.ice.T)
            np.testing.assert_allclose([result.low, result.high], band, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("kind", ["regressor", "classifier"])
def test_curves_equal_those_of_scikit_learn(kind):
    X, y = table(70)
    if kind == "regressor":
        model = GradientBoostingRegressor(n_estimators=20, random_state=0).fit(X, y)
    else:
        y = y > 0
        model = RandomForestClassifier(20, random_state=0).fit(X, y)
    explainer = Explainer(model, X, y)
    for column, feature in enumerate(explainer.features):
        grid = np.quantile(X[:, column], np.linspace(0, 1, 9))
        result = explainer.dependence(feature, grid=9)
        np.testing.assert_allclose(result.grid, grid)
        theirs = partial_dependence(
            model,
            X,
            [column],
            kind="both",
            method="brute",
            response_method="auto" if kind == "regressor" else "predict_proba",
            custom_values={column: grid},
        )
        np.testing.assert_allclose(result.ice, theirs["individual"][0], atol=1e-12)
        np.testing.assert_allclose(result.average, theirs["average"][0], atol=1e-12)


def test_weights_and_rows_change_the_average_without_model_calls():
    explainer = regression()
    whole = explainer.dependence("x0", "entropy")
    before = explainer.model_calls
    weights = explainer.stress_weights("x1", -0.6)
    rows = np.arange(60) % 4 == 1
    stressed = explainer.dependence("x0", "entropy", sample_weight=weights)
    np.testing.assert_allclose(stressed.average, np.average(whole.ice, axis=0, weights=weights))
    filtered = explainer.dependence("x0", "entropy", rows=rows)
    np.testing.assert_array_equal(filtered.ice, whole.ice[rows])
    np.testing.assert_allclose(filtered.average, whole.ice[rows].mean(axis=0))
    np.testing.assert_array_equal(filtered.observed, table()[0][rows, 0])
    np.testing.assert_array_equal(filtered.rows, np.flatnonzero(rows))
    both = explainer.dependence("x0", "entropy", rows=rows, sample_weight=weights, level=0.5)
    np.testing.assert_allclose(
        both.average, np.average(whole.ice[rows], axis=0, weights=weights[rows])
    )
    assert both.ess == pytest.approx(weights[rows].sum() ** 2 / (weights[rows] ** 2).sum())
    assert stressed.weighted
    assert not filtered.weighted
    assert explainer.model_calls == before


def test_a_finer_grid_evaluates_only_new_values_and_another_measure_none():
    explainer = regression()
    explainer.dependence("x0", grid=[0.0, 1.0])
    before = explainer.rows_evaluated
    explainer.dependence("x0", "entropy", grid=[0.0, 1.0])
    assert explainer.rows_evaluated == before
    explainer.dependence("x0", grid=[0.0, 0.5, 1.0])
    assert explainer.rows_evaluated == before + 60


def test_dependences_equals_single_curves_in_few_model_calls():
    X = np.random.default_rng(0).normal(size=(143, 30))
    explainer = Explainer(normal_model, X, X[:, 0])
    result = explainer.dependences(measure="entropy", grid=50)
    assert explainer.model_calls <= 12
    assert explainer.rows_evaluated <= 143 * (1 + 30 * 50)
    alone = Explainer(normal_model, X, X[:, 0]).dependence("x1", "entropy", grid=50)
    np.testing.assert_array_equal(result["x1"].average, alone.average)
    np.testing.assert_array_equal(result["x1"].grid, alone.grid)


class TestGrid:
    def of(self, column, grid=50, **options):
        frame = pd.DataFrame({"a": column, "b": np.arange(len(column), dtype=float)})
        explainer = Explainer(lambda d: d["b"].to_numpy(), frame, frame["b"], **options)
        return explainer.dependence("a", grid=grid)

    def test_few_distinct_values_are_all_on_the_grid(self):
        assert self.of([3.0, 1.0, np.nan, 1.0, 2.0]).grid.tolist() == [1, 2, 3]
        assert self.of([True, False, True]).grid.tolist() == [False, True]

    def test_many_distinct_values_become_quantiles_with_both_extremes(self):
        values = np.random.default_rng(0).lognormal(size=500)
        result = self.of(values, grid=11).grid
        np.testing.assert_allclose(result, np.quantile(values, np.linspace(0, 1, 11)))

    def test_whole_numbers_stay_observed_whole_numbers(self):
        values = np.random.default_rng(0).poisson(40, 500)
        result = self.of(values, grid=7).grid
        assert result.dtype == values.dtype
        assert set(result) <= set(values)
        assert (result[0], result[-1]) == (values.min(), values.max())

    def test_infinite_values_are_not_on_the_grid(self):
        values = np.concatenate([[np.inf, -np.inf], np.arange(100.0)])
        result = self.of(values, grid=5).grid
        np.testing.assert_allclose(result, [0, 24.75, 49.5, 74.25, 99])

    def test_the_grid_has_the_most_frequent_categories_in_their_order(self):
        result = self.of(list("ccccbbba") + ["d"] * 2, grid=3)
        assert result.grid.tolist() == ["b", "c", "d"]
        assert "the 3 most frequent of 4 categories are shown" in result.remarks
        kinds = pd.Categorical(list("aabb"), categories=["b", "a", "never"])
        assert self.of(kinds).grid.tolist() == ["b", "a"]

    def test_a_grid_of_the_user_is_sorted_and_unique(self):
        assert self.of([1.0, 2.0, 3.0], grid=[9, 0.5, 9]).grid.tolist() == [0.5, 9]
        kinds = pd.Categorical(list("aabb"), categories=["b", "a", "never"])
        assert self.of(kinds, grid=["never", "a"]).grid.tolist() == ["never", "a"]

    @pytest.mark.parametrize(
        ("column", "grid", "message"),
        [
            ([1.0, 2.0], 1, "grid is 1; it must be at least 2"),
            ([np.nan, np.nan], 5, "'a' has no values, so there is no curve"),
            ([np.inf, np.inf], 5, "'a' has no finite value, so there is no curve"),
            (["x", "y"], ["z"], "there is no category 'z' of 'a'; did you mean 'x', 'y'"),
            ([1.0, 2.0], ["z"], "the grid of 'a' must be a list of numbers"),
            ([1.0, 2.0], [], "the grid of 'a' must be a list of numbers"),
            ([1.0, 2.0], [np.nan], "the grid of 'a' has a value that is not finite"),
        ],
    )
    def test_a_column_or_grid_without_a_curve_is_refused(self, column, grid, message):
        with pytest.raises(ValueError, match=message):
            self.of(column, grid)


def test_missing_values_of_other_features_reach_the_model():
    frame = pd.DataFrame({"a": [1.0, np.nan, 3.0], "b": [1.0, 2.0, 4.0]})
    model = Recorder(lambda d: d["a"].isna().to_numpy() + d["b"].to_numpy())
    result = Explainer(model, frame, [0.0, 1.0, 2.0]).dependence("b")
    np.testing.assert_allclose(result.ice, [[1, 2, 4], [2, 3, 5], [1, 2, 4]])
    over = Explainer(model, frame, [0.0, 1.0, 2.0]).dependence("a")
    assert over.grid.tolist() == [1, 3]
    assert np.isnan(over.observed[1])


def test_frame_and_repr_of_a_dependence():
    result = classification().dependence("x1", "entropy", grid=5)
    assert list(result.frame.columns) == ["value", "average", "low", "high", "near"]
    assert repr(result).startswith(
        "Dependence of entropy (nats) on x1: 5 values (quantile), 60 rows, 95% band"
    )
    assert not result.categorical
    with pytest.raises(AttributeError):
        result.grid = None


@pytest.mark.parametrize(
    ("options", "message"),
    [({"level": 0}, "level is 0"), ({"measure": "ncll"}, "no measure"), ({"rows": []}, "no row")],
)
def test_invalid_arguments_are_refused_before_the_model_is_called(options, message):
    explainer = regression()
    with pytest.raises(ValueError, match=message):
        explainer.dependence("x0", **options)
    assert explainer.model_calls == 1
