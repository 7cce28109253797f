"""LOCO importance: conventions of estimators, and errors."""

from __future__ import annotations

import copy

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.ensemble import (
    RandomForestRegressor,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import (
    BayesianRidge,
    LinearRegression,
    LogisticRegression,
    RidgeClassifier,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import check_random_state

from loco_tables import Counted, mixed, numbers, pipeline
from uqwidgets import ModelError
from uqwidgets.learner.loco_importance import loco_importance
from uqwidgets.learner.loco_importance.fits import clone_with_seed


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

    @pytest.mark.thorough
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

    @pytest.mark.thorough
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
            ({"sample_weight": [1.0]}, r"sample_weight has shape \(1,\) but X has 100 rows"),
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
        with pytest.raises(ValueError, match="one of X_train and X_test is a DataFrame and the"):
            loco_importance(model, frame, y, X_test, y_test)
        with pytest.raises(ValueError, match="a DataFrame and the other is a polars DataFrame"):
            loco_importance(model, pl.from_pandas(frame), y, frame, y)
        masked = np.ma.masked_less(y, y[0])
        with pytest.raises(ValueError, match=r"y_train is masked in \d+ of .* of X_train and"):
            loco_importance(model, X, masked, X_test, y_test)
        with pytest.raises(ValueError, match="X_test has no column 'c', which X_train has"):
            loco_importance(model, frame, y, frame[["a", "b"]], y)
        with pytest.raises(ModelError, match=r"could not be fitted: ValueError: .*inconsistent"):
            loco_importance(model, X, y[:-1], X_test, y_test)
        with pytest.raises(ValueError, match="y has shape"):
            loco_importance(model, X, y, X_test, y_test[:-1])

    def test_a_category_that_the_test_rows_cannot_have(self):
        class Fitted(RegressorMixin, BaseEstimator):
            def fit(self, X, y):  # noqa: ARG002
                return self

            def predict(self, X):
                return np.zeros(len(X))

        train, test = (pd.DataFrame({"k": pd.Categorical(["u", v] * 30)}) for v in ("v", "w"))
        y = np.arange(60.0)
        with pytest.raises(ValueError, match="'v' is no category of column 'k'"):
            loco_importance(Fitted(), train, y, test, y, "squared_error", replace="v")

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
