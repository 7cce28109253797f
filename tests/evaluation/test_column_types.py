"""Columns of every dtype reach the model with that dtype, in every analysis."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from uqwidgets import Explainer


def columns(n=80):
    rng = np.random.default_rng(0)
    data = pd.DataFrame(
        {
            "size": rng.normal(size=n),
            "small": rng.normal(size=n).astype(np.float32),
            "count": rng.integers(0, 9, n).astype(np.int16),
            "flag": rng.random(n) < 0.5,
            "town": rng.choice(["Oslo", "Rome", "Kyiv"], n),
            "grade": pd.Categorical(
                rng.choice(["low", "mid", "high"], n), ["low", "mid", "high"], ordered=True
            ),
            "rooms": pd.array(rng.integers(1, 5, n), dtype="Int64"),
            "owned": pd.array(rng.random(n) < 0.5, dtype="boolean"),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 90, n), unit="D"),
        }
    )
    data.loc[::9, "rooms"] = pd.NA
    data.loc[::7, "owned"] = pd.NA
    return data


DATA = columns()
Y = np.where(
    DATA["size"] + (DATA["town"] == "Rome") + DATA["rooms"].fillna(2).astype(float) > 3, "yes", "no"
)


def floats(frame):
    return frame.astype("float64")


def days(frame):
    return (frame - pd.Timestamp("2024-01-01")) / pd.Timedelta(days=1)


@pytest.fixture(scope="module")
def model():
    numbers = make_pipeline(FunctionTransformer(floats), SimpleImputer(), StandardScaler())
    return make_pipeline(
        make_column_transformer(
            (numbers, ["size", "small", "count", "rooms", "owned"]),
            (OneHotEncoder(), ["town", "grade"]),
            ("passthrough", ["flag"]),
            (make_pipeline(FunctionTransformer(days), StandardScaler()), ["day"]),
        ),
        LogisticRegression(),
    ).fit(DATA, Y)


class DtypeRecorder:
    """A model that records the dtypes of its batches."""

    def __init__(self, model):
        self.model = model
        self.classes_ = model.classes_
        self.seen = set()

    def predict_proba(self, X):
        self.seen.add(tuple(str(dtype) for dtype in X.dtypes))
        return self.model.predict_proba(X)


def test_the_model_never_sees_another_dtype(model):
    recorder = DtypeRecorder(model)
    explainer = Explainer(recorder, DATA, Y)
    explainer.importance("nll", n_repeats=2)
    for feature in DATA.columns:
        explainer.dependence(feature)
    assert recorder.seen == {tuple(str(dtype) for dtype in DATA.dtypes)}


@pytest.mark.parametrize("feature", ["town", "grade", "flag"])
def test_curves_over_categories_are_mean_predictions(model, feature):
    curve = Explainer(model, DATA, Y).dependence(feature)
    assert curve.categorical
    for value, average in zip(curve.grid, curve.average, strict=True):
        same = DATA.assign(**{feature: pd.Series([value] * len(DATA)).astype(DATA[feature].dtype)})
        assert average == pytest.approx(model.predict_proba(same)[:, 1].mean(), abs=1e-12)


def test_a_curve_over_nullable_integers_is_the_mean_prediction(model):
    curve = Explainer(model, DATA, Y).dependence("rooms")
    assert set(curve.grid.tolist()) <= {1, 2, 3, 4}
    for value, average in zip(curve.grid, curve.average, strict=True):
        same = DATA.assign(rooms=pd.array([int(value)] * len(DATA), dtype="Int64"))
        assert average == pytest.approx(model.predict_proba(same)[:, 1].mean(), abs=1e-12)


def test_importance_ranks_the_relevant_features_first(model):
    result = Explainer(model, DATA, Y).importance("nll", n_repeats=5)
    assert set(result.features) == set(DATA.columns)
    assert set(result.features[:3]) == {"size", "town", "rooms"}


def test_a_model_that_modifies_its_batch_changes_no_result(model):
    class InPlace(DtypeRecorder):
        def predict_proba(self, X):
            result = self.model.predict_proba(X)
            X["size"] = 0.0
            X.loc[:, "count"] = 3
            del X["town"]
            return result

    table = DATA.copy()
    explainer, expected = Explainer(InPlace(model), table, Y), Explainer(model, DATA, Y)
    for measure in ("nll", "entropy"):
        # Batch sizes depend on the speed of the model, and sums are rounded with their size.
        np.testing.assert_allclose(
            explainer.importance(measure, n_repeats=3).importance,
            expected.importance(measure, n_repeats=3).importance,
            rtol=1e-12,
        )
    np.testing.assert_allclose(
        explainer.dependence("rooms").average, expected.dependence("rooms").average, rtol=1e-12
    )
    pd.testing.assert_frame_equal(table, DATA)


def test_a_later_change_of_the_table_does_not_reach_the_explainer(model):
    table, labels = DATA.copy(), Y.copy()
    explainer = Explainer(model, table, labels)
    table["size"] = 0.0
    table.loc[:, "town"] = "Oslo"
    labels[:] = "no"
    expected = Explainer(model, DATA, Y)
    # Batch sizes depend on the speed of the model, and sums are rounded with their size.
    np.testing.assert_allclose(
        explainer.importance("nll", n_repeats=2).importance,
        expected.importance("nll", n_repeats=2).importance,
        rtol=1e-12,
    )


@pytest.mark.parametrize(
    "labels",
    [
        pd.Series(Y == "yes", dtype="boolean"),
        pd.Series(Y, dtype="string"),
        pd.Series(Y, dtype="category"),
        pd.Series((Y == "yes") * 1, dtype="Int64"),
    ],
    ids=lambda s: str(s.dtype),
)
def test_labels_of_every_dtype_are_matched_with_the_classes(labels):
    plain = labels.to_numpy(dtype=type(labels.iloc[0]))
    simple = DATA[["size", "small"]]
    fitted = LogisticRegression().fit(simple, plain)
    result = Explainer(fitted, simple, labels).importance("nll", n_repeats=1).baseline
    p = fitted.predict_proba(simple)[np.arange(len(Y)), np.searchsorted(fitted.classes_, plain)]
    assert result == pytest.approx(-np.log(p).mean(), rel=1e-12)
