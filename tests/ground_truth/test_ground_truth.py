"""Known data-generating processes: importance, curves, and the decomposition of errors."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import BayesianRidge, LinearRegression
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

import uqwidgets as uq
from cases import thorough_after
from known_processes import SLOPES, line, linear, normal_rows
from uqwidgets.datasets import LINEAR
from uqwidgets.ground_truth.decomposition import components
from uqwidgets.ground_truth.squared_error import PARTS, JackknifeMoments, bias_parts


def related_rows(n, rng):
    return rng.multivariate_normal([0, 0], [[1, 0.9], [0.9, 1]], size=n)


class Constant(RegressorMixin, BaseEstimator):
    """A model that predicts a constant."""

    def __init__(self, value=0.0):
        self.value = value

    def fit(self, *_):
        return self

    def predict(self, X):
        return np.full(len(X), self.value)


class Chance(RegressorMixin, BaseEstimator):
    """A model that predicts a random number drawn in `fit`."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, *_):
        self.value_ = np.random.default_rng(self.random_state).normal()
        return self

    def predict(self, X):
        return np.full(len(X), self.value_)


class TestTruth:
    def test_data_are_the_truth_with_noise(self):
        X, y = line(0.5).data(20_000, 3)
        noise = y - linear(X)
        assert noise.mean() == pytest.approx(0, abs=0.02)
        assert noise.std() == pytest.approx(0.5, rel=0.02)
        again = line(0.5).data(20_000, 3)
        pd.testing.assert_frame_equal(X, again[0])
        np.testing.assert_array_equal(y, again[1])
        assert not np.array_equal(y, line(0.5).data(20_000, np.random.default_rng(4))[1])
        np.testing.assert_array_equal(*(line(0).data(5)[1], linear(line(0).data(5)[0])))

    def test_noise_may_be_any_function_of_the_rows(self):
        truth = line(lambda X, rng: X["a"].to_numpy() * rng.choice([-1, 1], len(X)))
        X, y = truth.data(100)
        np.testing.assert_allclose(np.abs(y - linear(X)), np.abs(X["a"]))
        assert truth.importance(n=500).baseline == pytest.approx(1, abs=0.3)
        with pytest.raises(ValueError, match="nll"):
            truth.importance("nll", n=50)

    def test_the_interval_of_importance_contains_its_closed_form(self):
        # Molnar et al. 2023, definition 2: independent normal features of variance 1 cost 2 b^2.
        result = line().importance(level=0.999, n=5000)
        assert result.features == ("a", "b", "c")
        assert ((result.low <= 2 * SLOPES**2) & (result.high >= 2 * SLOPES**2)).all()
        assert result.baseline == pytest.approx(1, abs=0.1)
        nll = line(0.5).importance("nll", ["a"], level=0.999, n=5000)
        assert nll.low[0] < 1 / 0.5**2 < nll.high[0]
        assert line().importance("entropy", n=100).importance.tolist() == [0, 0, 0]

    def test_the_band_of_a_curve_contains_its_closed_form(self):
        # Molnar et al. 2023, definition 1.
        result = line().dependence("a", grid=[-1.0, 0.0, 2.0], level=0.999, n=2000)
        expected = np.array([-1.0, 0.0, 2.0])
        assert ((result.low <= expected) & (result.high >= expected)).all()
        product = uq.GroundTruth(lambda X: X[:, 0] * X[:, 1], related_rows)
        flat = product.dependence(["x0", "x1"], grid=[[0.0, 1.0], [1.0, 3.0]], n=50)
        np.testing.assert_allclose(flat.average, [[0, 0], [1, 3]])

    def test_the_standard_error_shrinks_with_the_rows(self):
        few, many = (line().importance(n=n) for n in (200, 3200))
        assert (many.std_error[:2] < few.std_error[:2] / 2.5).all()

    def test_data_depend_on_the_seed_alone(self):
        one, same, other = (line(random_state=s).importance(n=100) for s in (0, 0, 1))
        np.testing.assert_array_equal(one.importance, same.importance)
        assert not np.array_equal(one.importance, other.importance)

    def test_repr_of_a_ground_truth(self):
        assert repr(line(0.5)) == "GroundTruth(linear, noise 0.5)"
        assert "noise a function" in repr(line(lambda X, _: np.zeros(len(X))))


class TestComponents:
    def test_known_components_are_recovered(self):
        rng = np.random.default_rng(0)
        shape = (4000, 3, 2, 2)
        estimates = (
            1.5
            + 0.7 * rng.normal(size=(*shape[:1], 1, 1, 2))
            + 0.4 * rng.normal(size=(*shape[:2], 1, 2))
            + 0.9 * rng.normal(size=shape)
        )
        result = components(estimates, np.array([1.0, 1.5]))
        np.testing.assert_allclose(result.expected, 1.5, atol=0.05)
        np.testing.assert_allclose(result.model_variance, 0.7**2 + 0.4**2, rtol=0.06)
        np.testing.assert_allclose(result.fit_variance, 0.4**2, rtol=0.15)
        np.testing.assert_allclose(result.mc_variance, 0.9**2, rtol=0.03)
        np.testing.assert_allclose(result.mse, [0.25 + 1.46, 1.46], rtol=0.05)
        single = components(estimates[:, :1], np.array([1.0, 1.5]))
        assert single.fit_variance is None
        np.testing.assert_allclose(single.model_variance, 0.7**2 + 0.4**2, rtol=0.06)


def assert_parts_add_up(result, rtol):
    """Assert that the mean square error is the sum of its parts (Molnar et al. 2023, section 5)."""
    parts = result.bias**2 + result.model_variance + result.mc_variance
    np.testing.assert_allclose(parts, result.mse, rtol=rtol)


class TestDecompose:
    def test_the_error_of_importance_is_the_sum_of_its_parts(self):
        result = line().decompose(
            DecisionTreeRegressor(max_depth=2), n_train=60, n_test=60, n_datasets=80
        )
        assert list(result.points) == ["a", "b", "c"]
        assert_parts_add_up(result, 0.1)
        assert result.estimates.shape == (80, 1, 2, 3)
        assert (result.mc_variance > 0).all()

    @pytest.mark.thorough
    def test_the_error_of_a_curve_is_the_sum_of_its_parts(self):
        result = line().decompose(
            DecisionTreeRegressor(max_depth=2), "a", grid=5, n_train=60, n_test=60, n_datasets=80
        )
        assert_parts_add_up(result, 0.1)
        # The piecewise constant tree differs most from the line at the ends.
        assert np.abs(result.bias).argmax() in (0, 4)

    @pytest.mark.thorough
    @pytest.mark.parametrize("feature", [None, "a"])
    def test_a_linear_model_of_a_line_has_no_bias(self, feature):
        # Molnar et al. 2023, theorem 7.1, and corollary 1 for independent features.
        result = line().decompose(LinearRegression(), feature, n_train=80, n_test=80, grid=4)
        assert (np.abs(result.bias) < 3.5 * result.bias_error).all()
        assert (result.bias_error < 0.1).all()

    def test_a_constant_model_has_the_whole_importance_as_bias(self):
        truth = line()
        ranks = truth.decompose(Constant(), n_datasets=3, n_train=10, n_test=10)
        np.testing.assert_allclose(ranks.bias, -ranks.truth)
        np.testing.assert_allclose(ranks.mse, ranks.truth**2)
        assert not ranks.model_variance.any()
        assert not ranks.mc_variance.any()
        curve = truth.decompose(Constant(2.0), "a", n_datasets=3, n_train=10, n_test=10)
        np.testing.assert_allclose(curve.bias, 2.0 - curve.truth)

    @pytest.mark.thorough
    def test_test_rows_shrink_mc_variance_and_training_rows_model_variance(self):
        small, more_tests, more_training = (
            line().decompose(
                LinearRegression(), "b", grid=[1.0], n_train=n1, n_test=n2, n_datasets=60
            )
            for n1, n2 in ((25, 25), (25, 400), (400, 25))
        )
        assert more_tests.mc_variance < small.mc_variance / 8
        assert more_tests.model_variance == pytest.approx(small.model_variance, rel=0.5)
        assert more_training.model_variance < small.model_variance / 8
        assert more_training.mc_variance == pytest.approx(small.mc_variance, rel=0.5)

    @pytest.mark.thorough
    def test_fit_variance_is_separated_from_that_of_training_rows(self):
        result = line().decompose(
            Chance(), "a", grid=[0.0], n_train=10, n_test=10, n_datasets=60, n_refits=3
        )
        assert result.fit_variance[0] == pytest.approx(1, rel=0.25)
        assert result.model_variance[0] == pytest.approx(1, rel=0.25)
        assert "fit_variance" in result.frame
        fixed = line().decompose(
            LinearRegression(), "a", grid=[1.0], n_train=20, n_test=20, n_datasets=60, n_refits=2
        )
        assert abs(fixed.fit_variance[0]) < 0.3 * fixed.model_variance[0]

    @pytest.mark.thorough
    def test_permuted_rows_off_the_data_inflate_the_variance(self):
        # Molnar et al. 2023, corollary 1: with dependent features importance is biased, even that
        # of an unbiased model.
        truth = uq.GroundTruth(lambda X: X[:, 0] + X[:, 1], related_rows)
        result = truth.decompose(LinearRegression(), n_train=30, n_test=400, n_datasets=150)
        parts = result.bias_parts
        assert (parts["variance_inflation"] > 0.05).all()
        assert (parts["squared_model_bias"].abs() < 0.01).all()
        # The variance of a least squares fit is sigma^2 x' (X'X)^-1 x.
        inverse = np.linalg.inv([[1, 0.9], [0.9, 1]])
        inflation = (np.trace(inverse) - 2) / 30
        np.testing.assert_allclose(parts["variance_inflation"], inflation, rtol=0.5)
        np.testing.assert_allclose(result.bias, inflation, rtol=0.6)

    @pytest.mark.parametrize(
        "estimator",
        thorough_after(1, [DecisionTreeRegressor(max_depth=1), KNeighborsRegressor(20)]),
    )
    def test_the_parts_of_the_bias_add_up(self, estimator):
        # Molnar et al. 2023, eq. 9 and 10.
        result = line().decompose(estimator, n_train=100, n_test=400, n_datasets=40)
        parts = result.bias_parts
        assert list(parts["feature"]) == list(result.points)
        total = (
            parts["permutation_loss_bias"]
            - parts["squared_model_bias"]
            + parts["variance_inflation"]
        )
        np.testing.assert_allclose(total, result.bias, atol=0.2)
        assert result.bias[0] < -0.3
        assert (parts["squared_model_bias"] > 0.1).all()

    def test_each_part_has_its_standard_error(self):
        options = {"n_train": 30, "n_test": 50, "n_truth": 200}
        parts = line().decompose(LinearRegression(), n_datasets=6, **options).bias_parts
        names = [name for name in parts if name.endswith("_error")]
        assert names == [f"{name}_error" for name in PARTS]
        assert (parts[names] > 0).all(axis=None)
        # The jackknife needs three training sets.
        two = line().decompose(LinearRegression(), n_datasets=2, **options).bias_parts
        assert two[names].isna().all(axis=None)

    def test_other_measures_and_replacements_have_no_bias_parts(self):
        options = {"n_train": 20, "n_test": 20, "n_datasets": 5}
        nll = line().decompose(BayesianRidge(), measure="nll", **options)
        assert nll.bias_parts is None
        assert nll.unit == "nats"
        drawn = line().decompose(LinearRegression(), replacement="ablation", **options)
        assert drawn.bias_parts is None
        entropy = line().decompose(BayesianRidge(), "a", "entropy", **options)
        np.testing.assert_allclose(entropy.truth, np.log(2 * np.pi * np.e) / 2)

    def test_a_learner_provides_the_estimator_and_the_sizes(self):
        X, y = line().data(200)
        learner = uq.Learner(LinearRegression(), X, y, resampling="subsampling")
        result = line().decompose(learner, n_datasets=2)
        assert (result.n_train, result.n_test) == (126, 74)
        assert result.procedure == "LinearRegression"
        assert learner.refits == []

    def test_more_training_sets_begin_with_the_same_sets(self):
        seen = []
        options = {"n_train": 20, "n_test": 20}
        few = line().decompose(LinearRegression(), n_datasets=3, callback=seen.append, **options)
        assert [(p.rows_done, p.rows_total) for p in seen] == [(20, 60), (40, 60), (60, 60)]
        more = line().decompose(LinearRegression(), n_datasets=5, n_jobs=1, **options)
        np.testing.assert_array_equal(more.estimates[:3], few.estimates)

    @pytest.mark.thorough
    def test_parallel_simulation_equals_a_sequential_one_and_is_interrupted_without_a_warning(self):
        # Without care joblib warns of unfinished fits, and here a warning is an error.
        def stop(_):
            raise KeyboardInterrupt

        truth = uq.GroundTruth(*LINEAR)
        options = {"n_train": 20, "n_test": 20, "n_datasets": 6, "n_truth": 50}
        alone = truth.decompose(LinearRegression(), **options)
        several = truth.decompose(LinearRegression(), n_jobs=2, **options)
        np.testing.assert_allclose(several.estimates, alone.estimates, rtol=1e-9)
        with pytest.raises(KeyboardInterrupt):
            truth.decompose(LinearRegression(), n_jobs=2, callback=stop, **options)

    def test_curves_over_categories_are_decomposed(self):
        def rows(n, rng):
            return pd.DataFrame({"kind": rng.choice(["u", "v"], n), "x": rng.normal(size=n)})

        class ByKind(Constant):
            def fit(self, X, y):
                self.means_ = pd.Series(np.asarray(y)).groupby(X["kind"].to_numpy()).mean()
                return self

            def predict(self, X):
                return self.means_[X["kind"]].to_numpy()

        truth = uq.GroundTruth(lambda X: (X["kind"] == "v").to_numpy() * 1.0, rows, 0.1)
        result = truth.decompose(ByKind(), "kind", n_train=60, n_test=5, n_datasets=10)
        assert result.categorical
        np.testing.assert_allclose(
            result.expected[np.argsort(result.points.astype(str))], [0, 1], atol=0.05
        )
        assert "Rings: the truth" in result._repr_html_()
        assert set(pd.DataFrame(result.to_altair().data)["value"]) == {"u", "v"}


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((1, normal_rows), TypeError, r"f is of type int; pass a function f\(X\)"),
        (
            (linear, None),
            TypeError,
            r"sample is of type NoneType; pass a function sample\(n, rng\)",
        ),
        ((linear, normal_rows, -1), ValueError, "noise is -1; pass a standard deviation"),
        ((linear, normal_rows, "big"), ValueError, "noise is 'big'"),
        ((linear, lambda n, _: np.zeros((n + 1, 3))), ValueError, r"sample\(5, rng\) returned"),
        ((lambda X: np.zeros((len(X), 2)), normal_rows), ValueError, r"shape \(5, 2\) for 5 rows"),
        ((lambda X: np.full(len(X), np.nan), normal_rows), ValueError, "returned nan for row 0"),
        ((linear, normal_rows, lambda _, rng: rng.normal()), ValueError, r"noise\(X, rng\) ret"),
    ],
)
def test_invalid_processes_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        uq.GroundTruth(*arguments).data(5)


class Unable(Constant):
    def fit(self, *_):
        raise RuntimeError("no luck\nat all")


@pytest.mark.parametrize(
    ("procedure", "options", "error", "message"),
    [
        (LinearRegression, {}, TypeError, "LinearRegression is no estimator that can be copied"),
        (Unable(), {}, uq.ModelError, "fit on training set 0 failed: RuntimeError: no luck$"),
        (Constant(), {"feature": "z"}, ValueError, "there is no feature 'z'"),
        (
            Constant(),
            {"n_datasets": 1},
            ValueError,
            "n_datasets is 1; it must be a whole number of at least 2",
        ),
        (
            Constant(),
            {"n_refits": 0},
            ValueError,
            "n_refits is 0; it must be a whole number of at least 1",
        ),
        (Constant(), {"n_test": 1}, ValueError, "n_test is 1"),
        (Constant(), {"measure": "nll"}, ValueError, "nll"),
        (Constant(), {"replacement": "shuffle"}, ValueError, "no replacement 'shuffle'"),
    ],
)
def test_invalid_arguments_of_decompose_are_refused(procedure, options, error, message):
    with pytest.raises(error, match=message):
        line().decompose(procedure, **({"n_truth": 50, "n_datasets": 2} | options))


class TestErrorsOfTheBiasParts:
    """Standard errors, against the spread over simulations of linear fits."""

    ROOT = np.linalg.cholesky([[1.0, 0.8], [0.8, 1.0]])

    def simulated(self, rng, sets=24, refits=1, spread=(0.3, 0.0), n=60):
        """Parts of the bias of fits whose coefficients vary between and within training sets."""
        X = rng.normal(size=(n, 2)) @ self.ROOT.T
        donors = np.array([rng.permutation(n) for _ in range(2)])
        tables = np.array([X, X, X])
        for j in range(2):
            tables[1 + j, :, j] = X[donors[j], j]
        models = JackknifeMoments(sets)
        for _ in range(sets):
            of_set = spread[0] * rng.normal(size=2) @ np.linalg.inv(self.ROOT)
            own = spread[1] * rng.normal(size=(refits, 2))
            models.add(np.einsum("tnj,rj->rtn", tables, np.array([0.8, 1.0]) + of_set + own))
        return bias_parts(tables @ [1.0, 1.0], models, ["a", "b"], donors)

    @pytest.mark.thorough
    @pytest.mark.parametrize(("sets", "refits", "spread"), [(24, 1, (0.3, 0)), (7, 3, (0.3, 0.2))])
    def test_standard_errors_match_the_spread_over_simulations(self, sets, refits, spread):
        rng = np.random.default_rng(sets)
        result = [self.simulated(rng, sets, refits, spread) for _ in range(300)]
        for part in PARTS:
            values = np.array([parts[part] for parts in result])
            errors = np.array([parts[f"{part}_error"] for parts in result])
            ratio = np.sqrt(np.square(errors).mean(axis=0)) / values.std(axis=0, ddof=1)
            assert (ratio > 0.85).all(), (part, ratio)
            assert (ratio < 1.35).all(), (part, ratio)

    def test_fits_on_the_same_rows_are_not_independent(self):
        # The squared bias at the rows as they are is that of the coefficient, 0.2 x1.
        rng = np.random.default_rng(3)
        result = [self.simulated(rng, 6, 5, (0.5, 0.1))["squared_model_bias"] for _ in range(300)]
        mean, error = np.mean(result, axis=0), np.std(result, axis=0) / np.sqrt(300)
        np.testing.assert_allclose(mean, 0.04, atol=4 * error.max())

    def test_the_batches_partition_the_training_sets(self):
        rng = np.random.default_rng(0)
        predictions = rng.normal(size=(45, 3, 2, 4))
        models = JackknifeMoments(45)
        for one in predictions:
            models.add(one)
        means = predictions.mean(axis=1)
        within = predictions.var(axis=1, ddof=1).mean(axis=0)
        np.testing.assert_allclose(models.all.mean, means.mean(axis=0), atol=1e-12)
        np.testing.assert_allclose(models.all.variance_of_mean, means.var(axis=0, ddof=1) / 45)
        np.testing.assert_allclose(
            models.all.variance, means.var(axis=0, ddof=1) + within * (1 - 1 / 3)
        )
        assert [m.sets for m in models.without_one] == [45 - 3] * 5 + [45 - 2] * 15


def test_parts_of_the_bias_do_not_depend_on_the_number_of_test_rows():
    def parts_with(n_test):
        result = line().decompose(
            LinearRegression(), n_train=30, n_test=n_test, n_datasets=4, n_truth=100
        )
        return result.bias_parts

    # Few rows would lack the largest squares, and with them most of the variance between rows.
    few, some = parts_with(20), parts_with(100)
    numbers = [name for name in few if name != "feature"]
    np.testing.assert_array_equal(few[numbers], some[numbers])
