"""Centred, derivative and relative curves, compared with loops, and their model calls."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

from mean_bands import band_of_means
from models import classification, normal_model, regression, table
from uqwidgets import Explainer
from uqwidgets.dependence import CurveTransform, curves
from uqwidgets.dependence.slopes import slopes
from uqwidgets.evaluation.replacement import Constant
from uqwidgets.inference.rounding import difference

FORMS = [{"center": True}, {"derivative": True}, {"relative": True}]


def mixed(n=40):
    """Make columns of every type, some with missing values, and a model that uses all of them."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame(
        {
            "number": np.where(np.arange(n) % 7 == 3, np.nan, rng.normal(size=n).round(1)),
            "whole": rng.integers(0, 6, n),
            "nullable": pd.array(rng.integers(0, 4, n), dtype="Int64"),
            "flag": rng.random(n) < 0.4,
            "text": rng.choice(list("abc"), n),
            "day": pd.Timestamp("2021-01-01") + pd.to_timedelta(rng.integers(0, 9, n), unit="D"),
        }
    )
    X.loc[::9, "nullable"] = pd.NA
    X.loc[::11, "text"] = None

    def model(d):
        number = d["number"].fillna(0.7).to_numpy()
        whole = d["whole"].to_numpy() + d["nullable"].fillna(9).to_numpy(dtype=float)
        text = d["text"].map({"a": 1.0, "b": -1.0, "c": 0.5}).fillna(3.0).to_numpy()
        day = (d["day"] - pd.Timestamp("2021-01-01")).dt.days.to_numpy()
        mean = number * text + np.sqrt(whole) * np.where(d["flag"], 1.5, 0.5) + 0.1 * day * number
        return mean, 0.5 + 0.1 * np.abs(number + whole)

    return model, X, model(X)[0] + rng.normal(size=n)


def assert_average_and_band(result, weights=None):
    """Assert that the average is the mean of the ICE curves and the band its interval."""
    ice = result.ice
    np.testing.assert_allclose(
        result.average, np.average(ice, axis=0, weights=weights), rtol=1e-12, atol=1e-14
    )
    band = band_of_means(ice.T, result.level, weights)
    np.testing.assert_allclose([result.low, result.high], band, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("make", [regression, classification])
@pytest.mark.parametrize("spacing", ["quantile", "even", "observed"])
def test_transforms_equal_the_loop_without_further_model_calls(make, spacing):
    explainer = make(30)
    truth = explainer.evaluations.truth
    for measure, feature in itertools.product(["nll", "entropy"], explainer.features[:2]):
        of = explainer.measure(measure).of
        column = explainer.table.index(feature)
        plain = explainer.dependence(feature, measure, grid=9, spacing=spacing)
        before = explainer.model_calls
        curves = np.empty((30, len(plain.grid)))
        own = of(explainer.predictive(table(30)[0]), truth)
        for g, value in enumerate(plain.grid):
            X = table(30)[0]
            X[:, column] = value
            curves[:, g] = of(explainer.predictive(X), truth)
        target = {
            "center": curves - curves[:, :1],
            "derivative": np.gradient(curves, plain.grid, axis=1),
            "relative": curves - own[:, None],
        }
        for form, expected in target.items():
            result = explainer.dependence(feature, measure, grid=9, spacing=spacing, **{form: True})
            np.testing.assert_allclose(result.ice, expected, rtol=1e-10, atol=1e-12)
            np.testing.assert_array_equal(result.grid, plain.grid)
            assert_average_and_band(result)
        assert explainer.model_calls == before


@pytest.mark.parametrize("form", FORMS)
def test_weights_and_rows_act_on_every_transform_without_model_calls(form):
    explainer = regression()
    whole = explainer.dependence("x0", "entropy", grid=7, **form)
    before = explainer.model_calls
    weights = explainer.stress_weights("x1", 0.6)
    rows = np.arange(60) % 3 > 0
    assert_average_and_band(
        explainer.dependence("x0", "entropy", grid=7, sample_weight=weights, **form), weights
    )
    some = explainer.dependence("x0", "entropy", grid=7, rows=rows, **form)
    np.testing.assert_array_equal(some.ice, whole.ice[rows])
    assert_average_and_band(some)
    both = explainer.dependence(
        "x0", "entropy", grid=7, rows=rows, sample_weight=weights, level=0.8, **form
    )
    assert_average_and_band(both, weights[rows])
    assert explainer.model_calls == before


@pytest.mark.parametrize("form", FORMS)
def test_weighted_curve_equals_that_of_a_sample_drawn_with_the_weights(form):
    """A large sample drawn with the weights has the same curve."""
    explainer = regression(400)
    weights = explainer.stress_weights("x0", -0.5)
    stressed = explainer.dependence(
        "x1", "nll", grid=[-1.0, 0.0, 1.0], sample_weight=weights, **form
    )
    X, y = table(400)
    drawn = np.random.default_rng(0).choice(400, 40_000, p=weights / weights.sum())
    large = Explainer(normal_model, X[drawn], y[drawn])
    sampled = large.dependence("x1", "nll", grid=[-1.0, 0.0, 1.0], **form)
    error = sampled.std_error + 1e-12
    assert (np.abs(stressed.average - sampled.average) < 4 * error).all()


class TestRelative:
    @pytest.mark.parametrize("feature", ["number", "whole", "nullable", "flag", "text", "day"])
    @pytest.mark.parametrize("weighted", [False, True])
    def test_mean_of_the_relative_curve_is_the_importance_over_all_pairs(self, feature, weighted):
        model, X, y = mixed()
        n = len(X)
        explainer = Explainer(model, X, y)
        w = np.random.default_rng(0).exponential(size=n) if weighted else np.ones(n)
        result = explainer.dependence(
            feature,
            "nll",
            relative=True,
            spacing="observed",
            sample_weight=w if weighted else None,
        )
        loss = explainer.measure("nll").of
        before = loss(explainer.predictive(X), y)
        total = 0.0
        for donor in range(n):
            moved = X.copy()
            moved[feature] = X[feature].iloc[[donor] * n].to_numpy()
            moved[feature] = moved[feature].astype(X[feature].dtype)
            after = loss(explainer.predictive(moved), y)
            total += w[donor] * float(w @ (after - before))
        assert result.importance == pytest.approx(total / w.sum() ** 2, rel=1e-12, abs=1e-13)
        assert result.support.sum() == pytest.approx(1, abs=1e-14)

    @pytest.mark.parametrize("rows", [None, [3, 5, 8, 13, 21]])
    def test_importance_of_the_relative_curve_equals_n_repeats_all_without_model_calls(self, rows):
        model, X, y = mixed()
        explainer = Explainer(model, X, y)
        weights = np.random.default_rng(0).exponential(size=len(X))
        whole = explainer.importance("nll", n_repeats="all", rows=rows, sample_weight=weights)
        before = explainer.rows_evaluated
        for feature, importance in zip(whole.features, whole.importance, strict=True):
            result = explainer.dependence(
                feature,
                "nll",
                relative=True,
                spacing="observed",
                rows=rows,
                sample_weight=weights,
            )
            assert result.importance == pytest.approx(importance, rel=1e-11, abs=1e-12)
        assert explainer.rows_evaluated == before

    def test_relative_curve_of_an_ignored_feature_is_exactly_zero(self):
        result = regression().dependence("x2", "nll", relative=True, spacing="observed")
        assert not result.curves.any()
        assert not result.std_error.any()
        assert result.importance == 0.0

    @pytest.mark.parametrize("options", [{}, {"relative": True}, {"spacing": "observed"}])
    def test_other_curves_have_no_importance(self, options):
        with pytest.raises(
            AttributeError, match=r"only the mean of a curve with relative=True and"
        ):
            _ = regression().dependence("x0", **options).importance


class TestCentred:
    def test_centring_off_the_grid_evaluates_only_that_value(self):
        explainer = regression()
        plain = explainer.dependence("x0", "entropy", grid=9)
        before = explainer.rows_evaluated
        on_grid = explainer.dependence("x0", "entropy", grid=9, center=plain.grid[4])
        assert explainer.rows_evaluated == before
        np.testing.assert_allclose(on_grid.ice, plain.ice - plain.ice[:, [4]], atol=1e-14)
        assert not on_grid.ice[:, 4].any()
        between = explainer.dependence("x0", "entropy", grid=9, center=0.0)
        assert explainer.rows_evaluated == before + 60
        (zero,) = explainer.dependence("x0", "entropy", grid=[0.0]).ice.T
        np.testing.assert_allclose(between.ice, plain.ice - zero[:, None], atol=1e-14)
        assert (between.center, on_grid.center) == (0.0, plain.grid[4])
        assert explainer.dependence("x0", "entropy", grid=9).center is None

    def test_centring_at_a_category(self):
        model, X, y = mixed()
        explainer = Explainer(model, X, y)
        plain = explainer.dependence("text").ice
        result = explainer.dependence("text", center="b")
        np.testing.assert_allclose(result.ice, plain - plain[:, [1]])
        assert result.grid.tolist() == ["a", "b", "c"]
        assert explainer.dependence("text", center=True).center == "a"
        flag = explainer.dependence("flag", center=np.True_)
        assert flag.center is False
        assert not flag.ice[:, 0].any()

    @pytest.mark.parametrize("center", ["z", np.nan, [1.0], np.inf, object()])
    def test_centring_at_an_invalid_value_is_refused(self, center):
        explainer = regression()
        with pytest.raises(ValueError, match=r"center is .*; it must be True, for the first"):
            explainer.dependence("x0", center=center)
        assert explainer.model_calls == 1


class TestDerivative:
    def test_slopes_are_exact_for_parabolas_and_one_sided_at_the_ends(self):
        values = np.array([-1.0, 0.0, 0.5, 2.0, 5.0])
        curves = np.stack([3 + 2 * values - 4 * values**2, 1 - values], axis=1)
        result = np.stack(list(slopes(curves, values)))
        np.testing.assert_allclose(result[1:-1, 0], (2 - 8 * values)[1:-1], rtol=1e-14)
        np.testing.assert_allclose(result[[0, -1], 0], [2 - 4 * -1, 2 - 4 * 7], rtol=1e-14)
        np.testing.assert_allclose(result[:, 1], -1, rtol=1e-14)

    def test_slopes_are_nan_at_missing_and_infinite_values(self):
        values = np.array([-np.inf, 1.0, 2.0, 4.0, np.inf, np.nan])
        result = np.stack(list(slopes(np.arange(12.0).reshape(6, 2), values)))
        np.testing.assert_array_equal(np.isnan(result[:, 0]), ~np.isfinite(values))
        np.testing.assert_allclose(result[1:4, 0], [2, 2 * (2 / 3) + 1 / 3, 1])

    def test_derivative_of_a_column_with_missing_values(self):
        model, X, y = mixed()
        explainer = Explainer(model, X, y)
        result = explainer.dependence("number", derivative=True, spacing="observed")
        assert np.isnan(result.grid[-1])
        assert np.isnan(result.average[-1])
        assert np.isfinite(result.average[:-1]).all()
        whole = explainer.dependence("whole", derivative=True)
        assert np.isfinite(whole.average).all()

    def test_derivative_needs_two_values(self):
        explainer = regression()
        result = explainer.dependence("x0", grid=[0.0, 2.0], derivative=True)
        np.testing.assert_allclose(result.ice, 1.0)
        with pytest.raises(ValueError, match="needs a grid of at least 2 values of 'x0'"):
            explainer.dependence("x0", grid=[0.5], derivative=True)

    @pytest.mark.parametrize("feature", ["flag", "text", "day"])
    def test_categories_have_no_derivative(self, feature):
        model, X, y = mixed()
        explainer = Explainer(model, X, y)
        with pytest.raises(
            ValueError, match=f"'{feature}' is categorical, so its curve has no der"
        ):
            explainer.dependence(feature, derivative=True)
        with pytest.raises(ValueError, match="leave derivative out, or the feature"):
            explainer.dependences(derivative=True)
        assert explainer.model_calls == 1


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"center": True, "relative": True}, "center and relative subtract different values"),
        ({"center": 0, "relative": True}, "center and relative subtract different values"),
        ({"center": True, "derivative": True}, "what center subtracts .* leave center out"),
        ({"relative": True, "derivative": True}, "what relative subtracts .* leave relative out"),
        ({"derivative": "yes"}, "derivative is 'yes'; it must be True or False"),
        ({"relative": 1}, "relative is 1; it must be True or False"),
        ({"center": None}, "center is None; it must be True, False or a value"),
    ],
)
def test_incompatible_transforms_are_refused(form, message):
    explainer = regression()
    with pytest.raises(ValueError, match=message):
        explainer.dependence("x0", **form)
    assert explainer.model_calls == 1


def test_a_curve_centred_at_zero_is_not_plain():
    assert CurveTransform().plain
    assert not CurveTransform(center=0).plain
    assert not CurveTransform(center=0.0).plain


@pytest.mark.parametrize("form", FORMS)
def test_dependences_equals_single_transformed_curves(form):
    explainer = regression()
    together = explainer.dependences(measure="nll", grid=11, spacing="even", **form)
    for feature, result in together.items():
        alone = regression().dependence(feature, "nll", grid=11, spacing="even", **form)
        np.testing.assert_allclose(result.ice, alone.ice, atol=1e-13)
    before = explainer.model_calls
    again = explainer.dependences(measure="entropy", grid=11, spacing="even", **form)
    assert list(again) == list(explainer.features)
    assert explainer.model_calls == before


@pytest.mark.thorough
@pytest.mark.parametrize("form", [{}, *FORMS])
def test_bands_cover_the_truth_at_their_level(form):
    rng = np.random.default_rng(0)
    grid, runs = [-1.0, 0.7, 2.0], 300

    def band(n):
        X = rng.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], n)
        explainer = Explainer(lambda d: d[:, 0] * (1 + d[:, 1]) + np.exp(d[:, 1] / 2), X, X[:, 0])
        return explainer.dependence("x0", grid=grid, **form)

    truth = band(400_000).average
    result = [band(100) for _ in range(runs)]
    covered = [(f.low - 1e-12 <= truth) & (truth <= f.high + 1e-12) for f in result]
    # Three standard errors of a share of 300 runs below 0.95.
    assert (np.mean(covered, axis=0) > 0.912).all()


def test_differences_within_rounding_are_zero():
    reference = np.array([[1.0, 2.0, 3.0]])
    values = reference * (1 + 1e-15)
    assert not difference(values, reference).any()
    assert difference(values + 1e-9, reference).all()


def test_results_state_their_transform_and_grid():
    explainer = regression()
    plain = explainer.dependence("x0", "entropy")
    assert (plain.spacing, plain.derivative, plain.relative) == ("quantile", False, False)
    assert plain.quantity == "entropy"
    at_values = explainer.dependence("x0", "entropy", grid=[0.0, 1.0], center=1)
    assert (at_values.spacing, at_values.center) == ("given", 1)
    assert repr(at_values).startswith(
        "Change of entropy from x0 = 1 (nats): 2 values (given), 60 rows"
    )
    slope = explainer.dependence("x0", "entropy", derivative=True, spacing="even")
    assert slope.title == "Slope of entropy per unit of x0 (nats)"
    own = explainer.dependence("x0", relative=True)
    assert own.title == "Change of predicted mean from the row's own x0"


@pytest.mark.usefixtures("frozen_clock")
def test_observed_values_reach_the_model_in_the_dtype_of_the_column():
    model, X, y = mixed()
    seen = []

    def remembering(d):
        seen.append(d.dtypes)
        return model(d)

    explainer = Explainer(remembering, X, y)
    for feature in explainer.features:
        explainer.dependence(feature, spacing="observed")
    # The rows as they are, one call for each feature, and a few rows alone.
    assert len(seen) == 8
    assert all(dtypes.equals(X.dtypes) for dtypes in seen)
    column = explainer.table.index("nullable")
    assert explainer.evaluations.is_cached(Constant((column,), (pd.NA,)))


def test_slopes_are_computed_once_for_every_population(monkeypatch):
    computed = []

    def counted(lines, values):
        computed.append(len(values))
        return slopes(lines, values)

    monkeypatch.setattr(curves, "slopes", counted)
    explainer = regression()
    first = explainer.dependence("x0", derivative=True, spacing="even")
    weights = np.linspace(0.5, 1.5, 60)
    second = explainer.dependence("x0", derivative=True, spacing="even", sample_weight=weights)
    assert computed == [50]
    np.testing.assert_array_equal(first.curves, second.curves)
    explainer.dependence("x0", "entropy", derivative=True, spacing="even")
    assert computed == [50, 50], "another measure has slopes of its own"


def test_slopes_that_do_not_fit_in_memory_are_those_of_one_block():
    expected = regression(400).dependence("x0", derivative=True)
    small = regression(400, memory_limit=200_000).dependence("x0", derivative=True, lines=3)
    np.testing.assert_array_equal(small.average, expected.average)
