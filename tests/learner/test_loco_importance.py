"""LOCO importance compared with fits and loops without it."""

from __future__ import annotations

import copy
from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
    VotingRegressor,
)
from sklearn.frozen import FrozenEstimator
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.impute import SimpleImputer
from sklearn.linear_model import (
    BayesianRidge,
    LinearRegression,
    LogisticRegression,
    RidgeClassifier,
)
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.utils import check_random_state

from uqwidgets import Explainer, ModelError
from uqwidgets.learner.loco_importance import loco_importance
from uqwidgets.learner.loco_importance.fits import clone_with_seed


def numbers(n=300, p=3, seed=0):
    """Correlated features and a target that depends on the first two, for training and test."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + 0.5
    X[:, 1] += 0.6 * X[:, 0]
    y = X[:, 0] - 0.5 * X[:, 1] + 0.3 * rng.normal(size=n)
    cut = 2 * n // 3
    return X[:cut], y[:cut], X[cut:], y[cut:]


def mixed(n=300, seed=0):
    """Numbers, texts, categories, nullable and missing values; a target of two texts."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.normal(40, 10, n),
            "rooms": pd.array(rng.integers(1, 6, n), dtype="Int64"),
            "city": rng.choice(["Oslo", "Bergen", "Voss"], n, p=[0.5, 0.3, 0.2]),
            "size": pd.Categorical(rng.choice(["s", "m", "l"], n), categories=["s", "m", "l"]),
            "owner": rng.random(n) < 0.4,
        }
    )
    X.loc[::9, "age"] = np.nan
    X.loc[::11, "rooms"] = pd.NA
    score = X["age"].fillna(40) / 10 + (X["city"] == "Oslo") + rng.normal(size=n)
    y = np.where(score > 4.5, "yes", "no")
    cut = 2 * n // 3
    return X[:cut], y[:cut], X[cut:], y[cut:]


NUMERIC = make_pipeline(SimpleImputer(), StandardScaler())
ENCODED = OneHotEncoder(handle_unknown="ignore")


def pipeline():
    """Name every column of `mixed`, in lists and alone."""
    return make_pipeline(
        make_column_transformer(
            (NUMERIC, ["age", "rooms"]), (ENCODED, ["city", "size"]), ("passthrough", ["owner"])
        ),
        LogisticRegression(),
    )


def nll_of(model, X, y):
    """Negative log-likelihood of each row, by hand."""
    if hasattr(model, "predict_proba"):
        columns = [list(model.classes_).index(label) for label in y]
        return -np.log(model.predict_proba(X)[np.arange(len(y)), columns])
    mean, std = model.predict(X, return_std=True)
    return -stats.norm.logpdf(y, mean, std)


def by_feature(result):
    return dict(zip(result.features, result.importance, strict=True))


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


class Counted(RegressorMixin, BaseEstimator):
    """A linear regression that counts the fits of all its copies; it keeps no feature names."""

    fits: ClassVar[list[tuple[int, ...]]] = []

    def fit(self, X, y):
        Counted.fits.append(np.shape(X))
        self.model_ = LinearRegression().fit(np.asarray(X), y)
        return self

    def predict(self, X):
        return self.model_.predict(np.asarray(X))


class TestColumns:
    """A pipeline without a column equals one that was made without it."""

    def check(self, make, columns, split, measure="nll"):
        """Compare with what ``make(remaining columns)`` gives on these columns alone."""
        X, y, X_test, y_test = split
        result = by_feature(loco_importance(make(columns), *split, measure))
        whole = self.score(make(columns), X, y, X_test, y_test, measure)
        for removed in columns:
            remaining = [c for c in columns if c != removed]
            without = self.score(
                make(remaining), X[remaining], y, X_test[remaining], y_test, measure
            )
            assert result[removed] == pytest.approx(without - whole, abs=1e-10), removed

    def score(self, model, X, y, X_test, y_test, measure):
        model.fit(X, y)
        if measure == "nll":
            return nll_of(model, X_test, y_test).mean()
        return np.square(model.predict(X_test) - y_test).mean()

    def test_lists_of_names(self):
        def make(remaining):
            return make_pipeline(
                make_column_transformer(
                    (NUMERIC, [c for c in remaining if c in ("age", "rooms")]),
                    (ENCODED, pd.Index([c for c in remaining if c in ("city", "size")])),
                    ("passthrough", [c for c in remaining if c == "owner"]),
                ),
                LogisticRegression(),
            )

        self.check(make, ["age", "rooms", "city", "size", "owner"], mixed())

    def test_selectors_see_the_columns_that_are_there(self):
        def make(_remaining):
            return make_pipeline(
                make_column_transformer(
                    (NUMERIC, make_column_selector(dtype_include="number")),
                    (ENCODED, make_column_selector(dtype_exclude="number")),
                ),
                LogisticRegression(),
            )

        self.check(make, ["age", "rooms", "city", "size", "owner"], mixed())

    @pytest.mark.parametrize("kind", ["positions", "negative", "mask", "slice", "names"])
    def test_positions_masks_and_slices_follow_their_columns(self, kind):
        X, y, X_test, y_test = numbers(p=4)
        names = list("abcd")
        frames = [pd.DataFrame(v, columns=names) for v in (X, X_test)]
        # The pipeline takes the logarithm of these two columns.
        curved = ["b", "c"]

        def make(remaining):
            places = [remaining.index(c) for c in curved if c in remaining]
            choice = {
                "positions": places,
                "negative": [place - len(remaining) for place in places],
                "mask": [c in curved for c in remaining],
                "slice": slice(places[0], places[-1] + 1) if places else [],
                "names": slice(remaining[places[0]], remaining[places[-1]]) if places else [],
            }[kind]
            logarithm = FunctionTransformer(lambda v: np.log(np.abs(v) + 0.1))
            transformer = make_column_transformer((logarithm, choice), remainder="passthrough")
            return make_pipeline(transformer, LinearRegression())

        self.check(make, names, (frames[0], y, frames[1], y_test), "squared_error")

    def test_a_single_name_or_position(self):
        class Squared(BaseEstimator):
            def fit(self, x, _y=None):
                assert x.ndim == 1
                return self

            def transform(self, x):
                return np.square(np.asarray(x))[:, None]

        X, y, X_test, y_test = numbers()
        frames = [pd.DataFrame(v, columns=list("abc")) for v in (X, X_test)]
        for by_name in (True, False):

            def make(remaining, by_name=by_name):
                one = "b" if by_name else remaining.index("b") if "b" in remaining else 0
                transformer = make_column_transformer(
                    (Squared(), one if "b" in remaining else []), remainder="passthrough"
                )
                return make_pipeline(transformer, LinearRegression())

            self.check(make, list("abc"), (frames[0], y, frames[1], y_test), "squared_error")

    @pytest.mark.parametrize("how", ["names", "positions", "mask"])
    def test_categories_and_constraints_of_boosted_trees(self, how):
        X, y, X_test, y_test = mixed()
        encode = {"city": {"Oslo": 0.0, "Bergen": 1.0, "Voss": 2.0}}
        frames = [
            v.assign(city=v["city"].map(encode["city"]))[["age", "city", "rooms"]].astype(float)
            for v in (X, X_test)
        ]

        def make(remaining):
            categorical = {
                "names": [c for c in remaining if c == "city"],
                "positions": [remaining.index(c) for c in remaining if c == "city"],
                "mask": [c == "city" for c in remaining],
            }[how]
            monotonic = (
                {c: 1 for c in remaining if c == "age"}
                if how == "names"
                else [int(c == "age") for c in remaining]
            )
            together = [
                {remaining.index(c) for c in remaining if c in pair} for pair in (("age", "city"),)
            ]
            return HistGradientBoostingClassifier(
                max_iter=5,
                categorical_features=categorical,
                monotonic_cst=monotonic,
                interaction_cst=together,
                random_state=0,
            )

        self.check(make, ["age", "city", "rooms"], (frames[0], y, frames[1], y_test))

    def test_length_scales_of_a_gaussian_process(self):
        X, y, X_test, y_test = numbers(60)
        frames = [pd.DataFrame(v, columns=list("abc")) for v in (X, X_test)]
        scales = {"a": 0.7, "b": 1.5, "c": 4.0}

        def make(remaining):
            kernel = RBF(
                [scales[c] for c in remaining], [(scales[c] / 2, scales[c] * 2) for c in remaining]
            ) + WhiteKernel(0.1)
            return make_pipeline(
                StandardScaler(),
                GaussianProcessRegressor(kernel, optimizer=None, normalize_y=True),
            )

        self.check(make, list("abc"), (frames[0], y, frames[1], y_test))

    def test_estimators_within_estimators(self):
        X, y, X_test, y_test = mixed()

        def make(remaining):
            inner = make_pipeline(
                make_column_transformer(
                    (NUMERIC, [c for c in remaining if c in ("age", "rooms")]),
                    (ENCODED, [c for c in remaining if c not in ("age", "rooms")]),
                ),
                LogisticRegression(),
            )
            return GridSearchCV(CalibratedClassifierCV(inner, cv=2), {"method": ["sigmoid"]}, cv=2)

        columns = ["age", "city"]
        self.check(make, columns, (X[columns], y, X_test[columns], y_test))

    def test_several_models_of_the_same_columns(self):
        X, y, X_test, y_test = numbers()
        frames = [pd.DataFrame(v, columns=list("abc")) for v in (X, X_test)]

        def make(remaining):
            places = [remaining.index(c) for c in remaining if c in ("b", "c")]
            some = make_column_transformer(("passthrough", places))
            return VotingRegressor(
                [
                    ("some", make_pipeline(some, LinearRegression())),
                    ("all", LinearRegression()),
                ]
            )

        self.check(make, list("abc"), (frames[0], y, frames[1], y_test), "squared_error")

    def test_names_behind_other_steps_are_known_and_positions_are_not(self):
        X, y, X_test, y_test = numbers()
        frames = [pd.DataFrame(v, columns=list("abc")) for v in (X, X_test)]

        def make(remaining):
            scaled = StandardScaler().set_output(transform="pandas")
            some = make_column_transformer(("passthrough", [c for c in remaining if c != "c"]))
            return make_pipeline(scaled, some, LinearRegression())

        split = frames[0], y, frames[1], y_test
        self.check(make, list("abc"), split, "squared_error")
        counted = make_pipeline(
            StandardScaler(), make_column_transformer(("passthrough", [0, 1])), LinearRegression()
        )
        with pytest.raises(ModelError, match=r"without 'a'.*after other steps.*replace='mean'"):
            loco_importance(counted, *split, "squared_error")
        one_fit = loco_importance(counted, *split, "squared_error", replace="mean")
        assert by_feature(one_fit)["c"] == 0

    def test_tables_of_polars(self):
        X, y, X_test, y_test = numbers()
        frames = [pl.DataFrame(v, schema=list("abc")) for v in (X, X_test)]
        by_name = make_pipeline(
            make_column_transformer((StandardScaler(), ["a", "b"])), LinearRegression()
        )
        result = loco_importance(by_name, frames[0], y, frames[1], y_test, "squared_error")
        assert by_feature(result)["c"] == 0
        assert by_feature(result)["a"] > 0.1

    def test_columns_that_are_numbers_and_a_model_without_names(self):
        X, y, X_test, y_test = numbers()
        Counted.fits.clear()
        result = loco_importance(Counted(), X, y, X_test, y_test, "squared_error")
        assert sorted(Counted.fits) == [(200, 2)] * 3 + [(200, 3)]
        frames = [pd.DataFrame(v, columns=[5, 3, 4]) for v in (X, X_test)]
        # Columns may come in another order.
        named = loco_importance(
            Counted(), frames[0], y, frames[1][[3, 4, 5]], y_test, "squared_error"
        )
        assert by_feature(named) == pytest.approx(
            {
                "5": by_feature(result)["x0"],
                "3": by_feature(result)["x1"],
                "4": by_feature(result)["x2"],
            }
        )


class Streaming(RegressorMixin, BaseEstimator):
    """A model that turns its seed into a RandomState in __init__, as NGBoost does."""

    def __init__(self, random_state=None):
        self.random_state = check_random_state(random_state)

    def fit(self, X, _y):
        self.coef_ = self.random_state.normal(size=X.shape[1])
        return self

    def predict(self, X):
        return X @ self.coef_


class TestConventions:
    def test_inputs_are_not_changed(self):
        X, y, X_test, y_test = mixed()
        model = pipeline().fit(X, y)
        before, tables = copy.deepcopy(model), (X.copy(), y.copy(), X_test.copy(), y_test.copy())
        for array in (y, y_test):
            array.flags.writeable = False
        for replace in (None, "median"):
            loco_importance(model, X, y, X_test, y_test, replace=replace)
        assert str(model.get_params()) == str(before.get_params())
        assert model.n_features_in_ == 5
        np.testing.assert_array_equal(model.predict_proba(X_test), before.predict_proba(X_test))
        pd.testing.assert_frame_equal(X, tables[0])
        pd.testing.assert_frame_equal(X_test, tables[2])

    def test_an_estimator_without_a_seed_is_reproducible(self):
        split = numbers(90)
        forest = RandomForestRegressor(5)
        one, two = (loco_importance(forest, *split, "squared_error") for _ in range(2))
        np.testing.assert_array_equal(one.importance, two.importance)
        other = loco_importance(forest, *split, "squared_error", random_state=1)
        assert (one.importance != other.importance).any()
        assert (one.seed, other.seed) == (0, 1)
        own = RandomForestRegressor(5, random_state=7)
        one, two = (loco_importance(own, *split, "squared_error", random_state=s) for s in range(2))
        np.testing.assert_array_equal(one.importance, two.importance)
        assert forest.random_state is None

    def test_an_estimator_with_numpys_global_stream_is_reproducible(self):
        split = numbers(90)
        one, two, other = (
            loco_importance(Streaming(), *split, "squared_error", random_state=s) for s in (0, 0, 1)
        )
        np.testing.assert_array_equal(one.importance, two.importance)
        assert (one.importance != other.importance).any()
        own = clone_with_seed(Streaming(np.random.RandomState(3)), 0).random_state
        assert own.normal() == np.random.RandomState(3).normal()

    def test_parallel_fits_equal_sequential_ones(self):
        split = mixed(150)
        alone = loco_importance(pipeline(), *split)
        together = loco_importance(pipeline(), *split, n_jobs=2)
        np.testing.assert_array_equal(alone.importance, together.importance)

    def test_progress_is_reported_and_can_be_stopped(self):
        split = numbers(90)
        reports = []
        loco_importance(LinearRegression(), *split, "squared_error", callback=reports.append)
        assert [p.rows_done for p in reports] == [60, 120, 180, 240]
        assert {p.rows_total for p in reports} == {240}
        assert reports[-1].seconds_left == 0

        def stop(progress):
            if progress.rows_done == 120:
                raise KeyboardInterrupt

        Counted.fits.clear()
        with pytest.raises(KeyboardInterrupt):
            loco_importance(Counted(), *split, "squared_error", callback=stop)
        assert len(Counted.fits) <= 3

    def test_the_result_describes_itself(self):
        result = loco_importance(BayesianRidge(), *numbers(), features=["x1", "x0"])
        assert (result.interval, result.reference, result.n_repeats) == ("model", "t", 1)
        assert result.repeats.shape == (2, 1)
        assert result.rows is None
        assert "conditional on the fits" in result.remarks[-1]
        assert "in nats: fitted anew without it, 100 rows, 95% interval model" in repr(result)
        assert "rises most when x0 is left out: by" in result._repr_html_()
        once = loco_importance(BayesianRidge(), *numbers(), replace="mean", compare="ratio")
        assert "in times: set to its mean, as a ratio, 100 rows" in repr(once)
        assert once.unit == "times"

    def test_impossible_labels_are_floored_with_a_remark(self):
        class Sure(LogisticRegression):
            def predict_proba(self, X):
                return np.round(super().predict_proba(X))

        X, y, X_test, y_test = numbers()
        result = loco_importance(Sure(), X, y > 0.3, X_test, y_test > 0.3)
        assert "the model gives the observed class probability 0" in result.remarks[0]


class Picky(LinearRegression):
    """A model that fails to fit two columns and to predict for a negative first one."""

    def fit(self, X, y):
        if X.shape[1] == 2:
            raise RuntimeError("two columns are\ntoo few")
        return super().fit(X, y)


class TestErrors:
    def test_a_failing_fit_names_the_feature_that_was_left_out(self):
        X, y, X_test, y_test = numbers()
        with pytest.raises(ModelError) as caught:
            loco_importance(Picky(), X, y, X_test, y_test, "squared_error")
        assert str(caught.value) == (
            "the estimator could not be fitted without 'x0': RuntimeError: two columns are; pass "
            "replace='mean' to keep one fit and set the feature to one value."
        )
        with pytest.raises(ModelError, match="could not be fitted: RuntimeError"):
            loco_importance(Picky(), X[:, :2], y, X_test[:, :2], y_test, "squared_error")

    def test_a_failing_fit_in_another_process_too(self):
        with pytest.raises(ModelError, match=r"fitted without 'x[012]': RuntimeError"):
            loco_importance(Picky(), *numbers(), "squared_error", n_jobs=2)

    def test_a_transformer_that_reads_a_column_names_it(self):
        X, y, X_test, y_test = mixed()
        model = make_pipeline(
            FunctionTransformer(lambda X: X[["age", "owner"]].fillna(40).astype(float)),
            LogisticRegression(),
        )
        with pytest.raises(ModelError, match=r"without 'age': KeyError.*replace='mean'"):
            loco_importance(model, X, y, X_test, y_test, features=["city", "age"])
        assert loco_importance(model, X, y, X_test, y_test, features=["city"]).importance[0] == 0

    def test_a_frozen_part_cannot_do_without_a_column(self):
        X, y, X_test, y_test = numbers()
        frozen = FrozenEstimator(BayesianRidge().fit(X, y))
        with pytest.raises(ModelError, match=r"without 'x0'.*frozen"):
            loco_importance(frozen, X, y, X_test, y_test)

    def test_the_only_feature_cannot_be_left_out(self):
        X, y, X_test, y_test = numbers()
        with pytest.raises(ModelError, match="no feature is left to fit on without 'x0'; pass"):
            loco_importance(BayesianRidge(), X[:, :1], y, X_test[:, :1], y_test)
        everything = {"all": ["x0", "x1", "x2"]}
        with pytest.raises(ModelError, match="no feature is left to fit on without 'all'"):
            loco_importance(BayesianRidge(), X, y, X_test, y_test, feature_groups=everything)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"measure": "nll"}, "measure 'nll' is not available: the model gives one value"),
            ({"measure": "squared_eror"}, "did you mean 'squared_error'"),
            ({"features": []}, "features is empty"),
            ({"features": ["x9"]}, "there is no feature 'x9'"),
            ({"feature_groups": {"g": []}}, "group 'g' is empty"),
            ({"compare": "quotient"}, "there is no comparison 'quotient'; did you mean"),
            ({"level": 1}, "level is 1; it must be between 0 and 1"),
            ({"sample_weight": [1.0]}, r"sample_weight has shape \(1,\); X has 100 rows"),
        ],
    )
    def test_invalid_options_are_refused(self, options, message):
        with pytest.raises(ValueError, match=message):
            loco_importance(
                LinearRegression(), *numbers(), **({"measure": "squared_error"} | options)
            )

    def test_predicted_labels_only_are_refused(self):
        X, y, X_test, y_test = numbers()
        split = X, y > 0, X_test, y_test > 0
        with pytest.raises(ValueError, match="the model gives class labels only"):
            loco_importance(RidgeClassifier(), *split)
        assert loco_importance(RidgeClassifier(), *split, "zero_one").unit == ""

    def test_a_ratio_to_what_is_not_positive(self):
        X, y, X_test, y_test = numbers()
        with pytest.raises(
            ValueError, match=r"mean nll of the test rows is -.*a ratio needs a posi"
        ):
            loco_importance(BayesianRidge(), X, y / 100, X_test, y_test / 100, compare="ratio")

    def test_tables_with_different_columns(self):
        X, y, X_test, y_test = numbers()
        model = BayesianRidge()
        with pytest.raises(ValueError, match="X_train has 3 columns and X_test 2"):
            loco_importance(model, X, y, X_test[:, :2], y_test)
        with pytest.raises(ValueError, match=r"X_test has shape \(100,\)"):
            loco_importance(model, X, y, y_test, y_test)
        frame = pd.DataFrame(X, columns=list("abc"))
        with pytest.raises(ValueError, match="one of X_train and X_test is a DataFrame"):
            loco_importance(model, frame, y, X_test, y_test)
        with pytest.raises(ValueError, match="X_test has no column 'c', which X_train has"):
            loco_importance(model, frame, y, frame[["a", "b"]], y)
        with pytest.raises(ModelError, match=r"could not be fitted: ValueError: .*inconsistent"):
            loco_importance(model, X, y[:-1], X_test, y_test)
        with pytest.raises(ValueError, match="y has shape"):
            loco_importance(model, X, y, X_test, y_test[:-1])

    @pytest.mark.parametrize(
        ("estimator", "message"),
        [
            (LinearRegression, "LinearRegression is no estimator that can be copied"),
            (lambda X: X[:, 0], "function is no estimator that can be copied and fitted"),
        ],
    )
    def test_estimators_that_cannot_be_fitted(self, estimator, message):
        with pytest.raises(TypeError, match=message):
            loco_importance(estimator, *numbers())


def test_boosted_trees_with_categories_by_their_type():
    X, y, X_test, y_test = mixed()
    y, y_test = ((v == "yes").astype(float) for v in (y, y_test))
    frames = [v.astype({"city": "category", "rooms": float}) for v in (X, X_test)]
    model = HistGradientBoostingRegressor(max_iter=10, random_state=0)
    result = loco_importance(model, frames[0], y, frames[1], y_test, "squared_error")
    remaining = frames[0].drop(columns="city")
    whole = np.square(model.fit(frames[0], y).predict(frames[1]) - y_test).mean()
    without = np.square(
        model.fit(remaining, y).predict(frames[1][remaining.columns]) - y_test
    ).mean()
    assert by_feature(result)["city"] == pytest.approx(without - whole, abs=1e-12)


def test_a_categorical_column_of_numbers_keeps_its_type():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"code": rng.integers(0, 3, 90), "x": rng.normal(size=90)})
    y = X["x"] + (X["code"] == 2)
    model = make_pipeline(
        make_column_transformer((OrdinalEncoder(), ["code"]), remainder="passthrough"),
        LinearRegression(),
    )
    split = X[:60], y[:60], X[60:], y[60:]
    result = loco_importance(model, *split, "squared_error", features=["code"], replace="mode")
    fitted = model.fit(*split[:2])
    value = X["code"][:60].mode()[0]
    changed = np.square(fitted.predict(X[60:].assign(code=value)) - y[60:])
    change = changed - np.square(fitted.predict(X[60:]) - y[60:])
    assert result.importance[0] == pytest.approx(change.mean(), abs=1e-12)


@pytest.mark.parametrize("container", [pd.Index, pd.Series, np.array, iter])
def test_features_may_come_in_any_container(container):
    result = loco_importance(LinearRegression(), *numbers(60), "r2", features=container(["x1"]))
    assert result.features == ("x1",)
    with pytest.raises(ValueError, match="features is empty; name at least one"):
        loco_importance(LinearRegression(), *numbers(60), "r2", features=container([]))
