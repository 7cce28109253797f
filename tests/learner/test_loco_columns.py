"""LOCO importance: columns of every type, and groups of columns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    VotingRegressor,
)
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
)
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OrdinalEncoder, StandardScaler

from loco_tables import ENCODED, NUMERIC, Counted, by_feature, mixed, nll_of, numbers
from uqwidgets import ModelError
from uqwidgets.learner.loco_importance import loco_importance


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

    @pytest.mark.thorough
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
        with pytest.raises(ModelError, match=r"without 'a'.*output of other steps.*replace='mean'"):
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
