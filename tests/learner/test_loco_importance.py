"""LOCO importance compared with fits and loops without it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.ensemble import (
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import (
    BayesianRidge,
    LinearRegression,
    LogisticRegression,
    RidgeClassifier,
)
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.pipeline import make_pipeline

from loco_tables import Counted, by_feature, mixed, nll_of, numbers, pipeline
from uqwidgets import Explainer
from uqwidgets.learner.loco_importance import loco_importance


class TestRefits:
    @pytest.mark.parametrize("weighted", [False, True])
    def test_difference_ratio_and_interval_by_hand(self, weighted):
        X, y, X_test, y_test = numbers()
        weights = np.random.default_rng(1).gamma(1.0, size=len(X_test)) if weighted else None
        w = np.ones(len(X_test)) if weights is None else weights
        share = w / w.sum()
        whole = nll_of(BayesianRidge().fit(X, y), X_test, y_test)
        ess = 1 / np.square(share).sum()
        result = loco_importance(
            BayesianRidge(), X, y, X_test, y_test, sample_weight=weights, level=0.9
        )
        ratio = loco_importance(
            BayesianRidge(), X, y, X_test, y_test, compare="ratio", sample_weight=weights
        )
        assert (result.replacement, result.compare, ratio.compare) == (
            "refit",
            "difference",
            "ratio",
        )
        assert result.baseline == pytest.approx(share @ whole, abs=1e-12)
        for j in range(3):
            model = BayesianRidge().fit(np.delete(X, j, axis=1), y)
            without = nll_of(model, np.delete(X_test, j, axis=1), y_test)
            k = result.features.index(f"x{j}")
            change = without - whole
            estimate = share @ change
            error = np.sqrt(share**2 @ (change - estimate) ** 2 * ess / (ess - 1))
            half = stats.t.ppf(0.95, ess - 1) * error
            assert result.importance[k] == pytest.approx(estimate, abs=1e-12)
            assert result.std_error[k] == pytest.approx(error, rel=1e-10)
            assert result.high[k] - estimate == pytest.approx(half, rel=1e-10)
            assert estimate - result.low[k] == pytest.approx(half, rel=1e-10)
            np.testing.assert_allclose(result.per_row[k], change, atol=1e-12)
            k = ratio.features.index(f"x{j}")
            times = share @ without / (share @ whole)
            part = (without - times * whole) / (share @ whole)
            error = np.sqrt(share**2 @ part**2 * ess / (ess - 1))
            assert ratio.importance[k] == pytest.approx(times, abs=1e-12)
            assert ratio.std_error[k] == pytest.approx(error, rel=1e-10)

    def test_without_weights_it_is_the_paired_t_interval(self):
        X, y, X_test, y_test = numbers()
        result = loco_importance(LinearRegression(), X, y, X_test, y_test, "squared_error")
        for k in range(3):
            low, high = stats.t.interval(
                0.95, 99, result.per_row[k].mean(), stats.sem(result.per_row[k])
            )
            assert (result.low[k], result.high[k]) == pytest.approx((low, high), rel=1e-10)

    def test_whole_weights_are_repetitions_of_test_rows(self):
        X, y, X_test, y_test = numbers()
        times = np.random.default_rng(2).integers(0, 4, len(X_test))
        weighted = loco_importance(BayesianRidge(), X, y, X_test, y_test, sample_weight=times)
        repeated = loco_importance(
            BayesianRidge(), X, y, np.repeat(X_test, times, axis=0), np.repeat(y_test, times)
        )
        assert weighted.features == repeated.features
        np.testing.assert_allclose(weighted.importance, repeated.importance, atol=1e-12)
        assert weighted.baseline == pytest.approx(repeated.baseline, abs=1e-12)
        # Repeated rows bring no information.
        assert (weighted.std_error > repeated.std_error).all()

    def test_a_classifier_is_scored_by_its_probabilities(self):
        X, y, X_test, y_test = numbers()
        labels, test_labels = (np.where(v > 0.3, "high", "low") for v in (y, y_test))
        result = loco_importance(LogisticRegression(), X, labels, X_test, test_labels)
        whole = nll_of(LogisticRegression().fit(X, labels), X_test, test_labels)
        model = LogisticRegression().fit(X[:, 1:], labels)
        change = nll_of(model, X_test[:, 1:], test_labels) - whole
        k = result.features.index("x0")
        # Log loss of hard labels is 0 or 36 nats a row; that of probabilities is anything.
        assert len(np.unique(result.per_row[k])) > 90
        np.testing.assert_allclose(result.per_row[k], change, atol=1e-12)
        hard = loco_importance(LogisticRegression(), X, labels, X_test, test_labels, "zero_one")
        assert set(np.unique(hard.per_row)) <= {-1, 0, 1}

    def test_a_function_is_a_measure(self):
        X, y, X_test, y_test = numbers()

        def miss(q, y):
            return np.abs(q.mean() - y)

        result = loco_importance(LinearRegression(), X, y, X_test, y_test, miss)
        named = loco_importance(LinearRegression(), X, y, X_test, y_test, "absolute_error")
        assert result.measure == "miss"
        np.testing.assert_allclose(result.importance, named.importance, atol=1e-12)

    def test_features_of_a_group_leave_together(self):
        X, y, X_test, y_test = numbers(p=4)
        result = loco_importance(
            BayesianRidge(), X, y, X_test, y_test, feature_groups={"ends": ["x0", "x3"]}
        )
        assert sorted(result.features) == ["ends", "x1", "x2"]
        whole = nll_of(BayesianRidge().fit(X, y), X_test, y_test)
        without = nll_of(BayesianRidge().fit(X[:, 1:3], y), X_test[:, 1:3], y_test)
        assert by_feature(result)["ends"] == pytest.approx((without - whole).mean(), abs=1e-12)
        part = loco_importance(
            BayesianRidge(),
            X,
            y,
            X_test,
            y_test,
            features=["ends", "x3"],
            feature_groups={"ends": ["x0", "x3"]},
        )
        assert sorted(part.features) == ["ends", "x3"]
        assert by_feature(part)["ends"] == by_feature(result)["ends"]

    def test_a_redundant_feature_has_importance_zero(self):
        rng = np.random.default_rng(3)
        X = rng.normal(size=(2000, 3))
        X[:, 1] = X[:, 0] + 0.01 * rng.normal(size=2000)
        y = X[:, 0] + 0.5 * X[:, 2] + 0.3 * rng.normal(size=2000)
        split = X[:1000], y[:1000], X[1000:], y[1000:]
        model = RandomForestRegressor(30, max_features=1, min_samples_leaf=5, random_state=0)
        left_out = by_feature(loco_importance(model, *split, "squared_error"))
        permuted = Explainer(model.fit(X[:1000], y[:1000]), *split[2:]).importance("squared_error")
        permuted = by_feature(permuted)
        assert permuted["x0"] > 0.1
        assert permuted["x1"] > 0.1
        assert abs(left_out["x0"]) < 0.1 * permuted["x0"]
        assert abs(left_out["x1"]) < 0.1 * permuted["x1"]
        both = loco_importance(
            model, *split, "squared_error", feature_groups={"twins": ["x0", "x1"]}
        )
        assert both.features[0] == "twins"
        assert both.low[0] > 0.8

    def test_loco_is_the_variance_that_only_the_feature_explains(self):
        # A linear model loses b^2 var(x | others) on squared error.
        rng = np.random.default_rng(4)
        X = rng.multivariate_normal([0, 0], [[1, 0.8], [0.8, 1]], size=40_000)
        y = X @ [1.0, 0.5] + 0.7 * rng.normal(size=40_000)
        split = X[:20_000], y[:20_000], X[20_000:], y[20_000:]
        result = loco_importance(LinearRegression(), *split, "squared_error", level=0.999)
        for feature, slope in (("x0", 1.0), ("x1", 0.5)):
            k = result.features.index(feature)
            assert result.low[k] < slope**2 * (1 - 0.8**2) < result.high[k]

    def test_the_importance_of_an_unused_feature_is_exactly_zero(self):
        X, y, X_test, y_test = numbers()
        X, X_test = (np.column_stack([v, np.full(len(v), 2.0)]) for v in (X, X_test))
        model = HistGradientBoostingRegressor(max_iter=5)
        for replace in (None, "mean", 7.0):
            result = loco_importance(
                model, X, y, X_test, y_test, "squared_error", features=["x3"], replace=replace
            )
            assert (result.importance[0], result.low[0], result.high[0]) == (0, 0, 0)


class TestConstants:
    @pytest.mark.parametrize(
        ("replace", "value"),
        [("mean", np.mean), ("median", np.median), (0, None), (1.5, None)],
    )
    def test_the_training_rows_give_the_value_and_there_is_one_fit(self, replace, value):
        X, y, X_test, y_test = numbers()
        Counted.fits.clear()
        result = loco_importance(Counted(), X, y, X_test, y_test, "squared_error", replace=replace)
        assert len(Counted.fits) == 1
        assert result.replacement == (replace if isinstance(replace, str) else "constant")
        model = LinearRegression().fit(X, y)
        whole = np.square(model.predict(X_test) - y_test)
        for k, feature in enumerate(result.features):
            j = int(feature[1])
            changed = X_test.copy()
            changed[:, j] = replace if value is None else value(X[:, j])
            change = np.square(model.predict(changed) - y_test) - whole
            np.testing.assert_allclose(result.per_row[k], change, atol=1e-10)

    def test_each_feature_of_a_group_takes_its_own_value(self):
        X, y, X_test, y_test = numbers()
        result = loco_importance(
            LinearRegression(),
            X,
            y,
            X_test,
            y_test,
            "squared_error",
            replace="mean",
            feature_groups={"both": ["x0", "x1"]},
        )
        model = LinearRegression().fit(X, y)
        changed = X_test.copy()
        changed[:, :2] = X[:, :2].mean(axis=0)
        change = np.square(model.predict(changed) - y_test) - np.square(
            model.predict(X_test) - y_test
        )
        assert by_feature(result)["both"] == pytest.approx(change.mean(), abs=1e-12)

    def test_columns_of_every_kind(self):
        X, y, X_test, y_test = mixed()
        model = pipeline().fit(X, y)
        whole = nll_of(model, X_test, y_test)
        values = {
            "age": X["age"].mean(),
            "rooms": X["rooms"].mean(),
            "city": "Oslo",
            "size": X["size"].mode()[0],
            "owner": False,
        }
        result = loco_importance(pipeline(), X, y, X_test, y_test, replace="mean")
        for feature, value in values.items():
            changed = X_test.astype({"rooms": "Float64"}).assign(**{feature: value})
            expected = (nll_of(model, changed, y_test) - whole).mean()
            assert by_feature(result)[feature] == pytest.approx(expected, abs=1e-12)
        assert result.remarks[0] == (
            "categories have no mean: city, size, owner are set to the most frequent value"
        )
        mode = loco_importance(pipeline(), X, y, X_test, y_test, replace="mode")
        assert by_feature(mode)["city"] == by_feature(result)["city"]
        assert len(mode.remarks) == 1
        arguments = loco_importance(
            pipeline(), X, y, X_test, y_test, features=["city"], replace="Voss"
        )
        changed = nll_of(model, X_test.assign(city="Voss"), y_test)
        assert arguments.importance[0] == pytest.approx((changed - whole).mean(), abs=1e-12)

    def test_a_frozen_model_is_not_refitted(self):
        X, y, X_test, y_test = numbers()
        model = BayesianRidge().fit(X[:50], y[:50])
        result = loco_importance(FrozenEstimator(model), X, y, X_test, y_test, replace="mean")
        assert result.baseline == pytest.approx(nll_of(model, X_test, y_test).mean())

    @pytest.mark.parametrize(
        ("replace", "features", "message"),
        [
            ("meen", None, "there is no replacement 'meen'; did you mean 'mean'"),
            ([1], ["age"], r"replace is \[1\], but 'age' holds numbers; give a number"),
            (3, ["city"], "replace is 3, which is no value of 'city' in X_train; give one of 'B"),
            ("Paris", ["city"], "replace is 'Paris', which is no value of 'city'"),
        ],
    )
    def test_values_that_a_feature_cannot_take_are_refused(self, replace, features, message):
        with pytest.raises(ValueError, match=message):
            loco_importance(pipeline(), *mixed(), replace=replace, features=features)

    def test_a_column_without_any_value_has_no_mean(self):
        X, y, X_test, y_test = numbers()
        X[:, 1] = np.nan
        model = make_pipeline(SimpleImputer(keep_empty_features=True), LinearRegression())
        with pytest.raises(ValueError, match="'x1' has no value in X_train, and so no median"):
            loco_importance(model, X, y, X_test, y_test, "squared_error", replace="median")


class TestMetrics:
    """Loss of score of all test rows together."""

    @pytest.mark.parametrize("weighted", [False, True])
    def test_loss_and_jackknife_by_hand(self, weighted):
        X, y, X_test, y_test = numbers()
        labels, test_labels = (np.where(v > 0.3, "high", "low") for v in (y, y_test))
        weights = np.random.default_rng(1).gamma(1.0, size=100) if weighted else None
        result = loco_importance(
            *(LogisticRegression(), X, labels, X_test, test_labels, "roc_auc"),
            sample_weight=weights,
            level=0.9,
        )
        w = np.ones(100) if weights is None else weights
        low = test_labels == "low"
        whole = LogisticRegression().fit(X, labels).predict_proba(X_test)[:, 1]
        model = LogisticRegression().fit(X[:, 1:], labels)
        without = model.predict_proba(X_test[:, 1:])[:, 1]

        def loss(w):
            used = w > 0
            return roc_auc_score(low[used], whole[used], sample_weight=w[used]) - roc_auc_score(
                low[used], without[used], sample_weight=w[used]
            )

        k = result.features.index("x0")
        assert result.importance[k] == pytest.approx(loss(w), abs=1e-12)
        assert result.baseline == pytest.approx(roc_auc_score(low, whole, sample_weight=w))
        group = np.random.default_rng(0).permutation(100) % 20
        left_out = np.array([loss(w * (group != g)) for g in range(20)])
        error = np.sqrt(19 / 20 * np.square(left_out - left_out.mean()).sum())
        assert result.std_error[k] == pytest.approx(error, rel=1e-9)
        half = result.high[k] - result.importance[k]
        assert half == pytest.approx(stats.t.ppf(0.95, 19) * error, rel=1e-9)
        assert np.isnan(result.per_row).all()
        assert result.label == "loss of roc auc"

    def test_metrics_of_numbers_of_labels_and_with_a_constant(self):
        X, y, X_test, y_test = numbers()
        result = loco_importance(LinearRegression(), X, y, X_test, y_test, "r2", replace="mean")
        model = LinearRegression().fit(X, y)
        changed = X_test.copy()
        changed[:, 1] = X[:, 1].mean()
        loss = r2_score(y_test, model.predict(X_test)) - r2_score(y_test, model.predict(changed))
        assert by_feature(result)["x1"] == pytest.approx(loss, abs=1e-12)
        split = X, y > 0.3, X_test, y_test > 0.3
        hard = loco_importance(RidgeClassifier(), *split, "accuracy", features=["x0"])
        model = RidgeClassifier().fit(X[:, 1:], split[1])
        whole = RidgeClassifier().fit(X, split[1])
        loss = whole.score(X_test, split[3]) - model.score(X_test[:, 1:], split[3])
        assert hard.importance[0] == pytest.approx(loss, abs=1e-12)

    def test_the_metric_loss_of_an_unused_feature_is_exactly_zero(self):
        X, y, X_test, y_test = numbers()
        X, X_test = (np.column_stack([v, np.ones(len(v))]) for v in (X, X_test))
        model = HistGradientBoostingRegressor(max_iter=5)
        result = loco_importance(model, X, y, X_test, y_test, "r2", features=["x3"])
        assert (result.importance[0], result.low[0], result.high[0]) == (0, 0, 0)

    def test_where_a_score_is_not_defined(self):
        X, y, X_test, y_test = numbers()
        split = X, y > 0.3, X_test, np.ones(len(y_test), dtype=bool)
        result = loco_importance(LogisticRegression(), *split, "roc_auc")
        assert np.isnan(result.importance).all()
        assert "roc auc is not defined" in result.remarks[0]
        with pytest.raises(ValueError, match=r"r2 is a score, .*use compare='difference'"):
            loco_importance(LinearRegression(), *numbers(), "r2", compare="ratio")

    def test_a_negated_loss_has_the_ratio_of_the_loss(self):
        options = {"compare": "ratio", "random_state": 0}
        ratio = loco_importance(LinearRegression(), *numbers(), "neg_mean_squared_error", **options)
        by_rows = loco_importance(LinearRegression(), *numbers(), "squared_error", **options)
        difference = loco_importance(
            LinearRegression(), *numbers(), "neg_mean_squared_error", random_state=0
        )
        np.testing.assert_allclose(ratio.importance, by_rows.importance)
        np.testing.assert_array_equal(ratio.low > 1, difference.low > 0)
        assert (ratio.low >= 0).all()
        assert (ratio.label, ratio.unit) == ("mean squared error", "times")
        assert ratio.baseline == pytest.approx(by_rows.baseline)
