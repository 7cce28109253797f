"""Models of every kind, read as predictive distributions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cluster import KMeans
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.ensemble import IsolationForest, RandomForestClassifier, RandomForestRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.linear_model import BayesianRidge, LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC

from models import normal_model, table, three_classes, two_classes
from uqwidgets import Categorical, Explainer, ModelError, Normal, Point, as_predictive

X, Y = table(80)
FRAME = pd.DataFrame(X, columns=["a b", 'quote"d', "dotted.name"])
LABELS = np.where(Y > 0, "up", "down")


def classifiers():
    yield LogisticRegression()
    yield GaussianNB()
    yield make_pipeline(StandardScaler(), LogisticRegression())
    yield RandomForestClassifier(5, random_state=0)
    yield CalibratedClassifierCV(RandomForestClassifier(5, random_state=0), cv=2)
    yield GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2)


@pytest.mark.parametrize("model", list(classifiers()), ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("data", [X, FRAME], ids=["array", "frame"])
def test_classifiers_answer_with_their_probabilities(model, data):
    model.fit(data, LABELS)
    explainer = Explainer(model, data, LABELS)
    q = explainer.evaluations.original
    assert isinstance(q, Categorical)
    np.testing.assert_allclose(q.probabilities, model.predict_proba(data), rtol=1e-12)
    assert explainer.classes.tolist() == ["down", "up"]
    result = explainer.importance("nll", n_repeats=2)
    assert np.isfinite(result.importance).all()
    assert set(result.features) == set(explainer.features)


@pytest.mark.parametrize(
    "model",
    [
        BayesianRidge(),
        GaussianProcessRegressor(RBF() + WhiteKernel(0.1), optimizer=None),
        make_pipeline(StandardScaler(), BayesianRidge()),
        make_pipeline(
            StandardScaler(),
            GaussianProcessRegressor(RBF() + WhiteKernel(0.1), optimizer=None),
        ),
    ],
    ids=["ridge", "gp", "pipeline-ridge", "pipeline-gp"],
)
def test_regressors_with_a_standard_deviation_answer_with_a_normal(model):
    model.fit(FRAME, Y)
    explainer = Explainer(model, FRAME, Y)
    mean, std = model.predict(FRAME, return_std=True)
    q = explainer.evaluations.original
    assert isinstance(q, Normal)
    np.testing.assert_allclose(q.loc, mean, rtol=1e-12)
    np.testing.assert_allclose(q.scale, std, rtol=1e-9)
    assert explainer.classes is None
    assert np.isfinite(explainer.importance("entropy", n_repeats=2).importance).all()


def test_a_pipeline_of_columns_gets_a_frame_with_its_own_types():
    rng = np.random.default_rng(0)
    data = pd.DataFrame(
        {
            "size": rng.normal(size=90),
            "town": rng.choice(["Oslo", "Rome", "Kyiv"], 90),
            "grade": pd.Categorical(rng.choice(["low", "high"], 90), categories=["low", "high"]),
            "count": rng.integers(0, 9, 90).astype(np.int16),
            "flag": rng.random(90) < 0.5,
        }
    )
    y = np.where(data["size"] + (data["town"] == "Rome") > 0, "yes", "no")
    model = make_pipeline(
        make_column_transformer(
            (StandardScaler(), ["size", "count"]),
            (OneHotEncoder(), ["town", "grade"]),
            ("passthrough", ["flag"]),
        ),
        LogisticRegression(),
    ).fit(data, y)
    explainer = Explainer(model, data, y)
    result = explainer.importance("nll", n_repeats=3)
    assert set(result.features) == set(data.columns)
    assert result.features[0] in ("size", "town")
    curve = explainer.dependence("town", "prediction")
    assert curve.categorical
    assert curve.grid.tolist() == ["Kyiv", "Oslo", "Rome"]
    for town, average in zip(curve.grid, curve.average, strict=True):
        expected = model.predict_proba(data.assign(town=town))[:, 1].mean()
        assert average == pytest.approx(expected, abs=1e-12)


def test_columns_by_position_keep_their_types_too():
    data = pd.DataFrame({0: [1.0, 2.0, 3.0, 4.0] * 5, 1: ["a", "b", "b", "a"] * 5})
    y = np.array([0, 1, 0, 1] * 5)
    model = make_pipeline(
        ColumnTransformer([("n", StandardScaler(), [0]), ("c", OneHotEncoder(), [1])]),
        LogisticRegression(),
    ).fit(data, y)
    explainer = Explainer(model, data, y)
    assert explainer.features == ("0", "1")
    assert np.isfinite(explainer.importance(n_repeats=2).importance).all()


@pytest.mark.parametrize("ensemble", [LinearRegression(), RandomForestRegressor(5, random_state=0)])
def test_an_error_about_missing_uncertainty_names_the_options_that_add_it(ensemble):
    explainer = Explainer(ensemble.fit(X, Y), X, Y)
    options = r"noise=.*ensemble as_predictive\(model, members=True\).*Learner takes adapter="
    for measure in ("nll", "entropy", "epistemic", "std", "interval_width:0.9"):
        with pytest.raises(ValueError, match=rf"{measure}' is not available.*{options}"):
            explainer.importance(measure)


def test_predict_alone_gives_a_point():
    explainer = Explainer(LinearRegression().fit(X, Y), X, Y)
    assert isinstance(explainer.evaluations.original, Point)
    assert explainer.importance("squared_error", n_repeats=2).importance[0] > 0
    for measure in ("nll", "entropy"):
        with pytest.raises(ValueError, match=rf"{measure}.*one value per row.*\(mean, std\)"):
            explainer.importance(measure)
    with pytest.raises(ValueError, match=r"zero_one.*not a class; use squared_error"):
        explainer.importance("zero_one")


def test_a_classifier_without_probabilities_has_errors_only():
    explainer = Explainer(LinearSVC().fit(X, LABELS), X, LABELS)
    assert explainer.classes.tolist() == ["down", "up"]
    assert explainer.importance("zero_one", n_repeats=2).importance[0] > 0
    for measure in ("nll", "entropy", "squared_error"):
        with pytest.raises(ValueError, match=rf"{measure}.*labels only.*predict_proba"):
            explainer.importance(measure)
    with pytest.raises(ValueError, match="label 0 in row 0, which the model does not know"):
        Explainer(LinearSVC().fit(X, LABELS), X, np.zeros(len(X), dtype=int))


class Distributing:
    """A model with `predict_distribution` and all other methods."""

    classes_ = np.array(["down", "up"])

    def predict_distribution(self, X):
        return Normal(*normal_model(X))

    predict_proba = predict = None  # the other methods fail if they are called


def test_predict_distribution_is_preferred():
    explainer = Explainer(Distributing(), X, Y)
    assert isinstance(explainer.evaluations.original, Normal)
    assert explainer.classes is None


@pytest.mark.parametrize(
    ("function", "y", "kind", "classes"),
    [
        (lambda X: X[:, 0], Y, Point, None),
        (lambda X: (X[:, 0] > 0) * 1, (Y > 0) * 1, Point, None),
        (lambda X: np.where(X[:, 0] > 0, "up", "down"), LABELS, Point, ["down", "up"]),
        (normal_model, Y, Normal, None),
        (lambda X: Normal(*normal_model(X)), Y, Normal, None),
        (two_classes, LABELS, Categorical, ["down", "up"]),
        (two_classes, Y > 0, Categorical, [False, True]),
        (three_classes, np.arange(80) % 3, Categorical, [0, 1, 2]),
        (lambda X: Categorical(two_classes(X), ["x", "y"]), ["x", "y"] * 40, Categorical, "xy"),
    ],
    ids=["value", "0/1", "label", "tuple", "normal", "proba", "bools", "three", "categorical"],
)
def test_functions_are_read_by_their_return_value(function, y, kind, classes):
    explainer = Explainer(function, X, y)
    assert isinstance(explainer.evaluations.original, kind)
    assert (None if explainer.classes is None else explainer.classes.tolist()) == (
        None if classes is None else list(classes)
    )
    measures = explainer.measures.set_index("measure")["available"]
    if classes is None:
        assert measures["squared_error"]
        assert not measures["zero_one"]
    else:
        assert measures["zero_one"]


def test_classes_of_a_function_can_be_passed():
    model = as_predictive(three_classes, classes=["c", "a", "b"])
    explainer = Explainer(model, X, ["a", "b"] * 40)
    assert explainer.classes.tolist() == ["c", "a", "b"]
    baseline = explainer.importance("nll", n_repeats=1).baseline
    p = three_classes(X)
    expected = -np.log(np.where(np.arange(80) % 2, p[:, 2], p[:, 1])).mean()
    assert baseline == pytest.approx(expected)


def test_labels_without_an_order_are_refused():
    with pytest.raises(ValueError, match="y mixes kinds of labels that have no order; make them"):
        Explainer(two_classes, X, np.array(["up", 1] * 40, dtype=object))


def test_models_without_feature_names_do_not_warn():
    # Warnings are errors here: a model fitted on arrays would warn about a frame at every call.
    explainer = Explainer(LogisticRegression().fit(X, LABELS), FRAME, LABELS)
    assert explainer.features == tuple(FRAME.columns)
    explainer.importance(n_repeats=2)
    explainer.dependence('quote"d')
    named = Explainer(LogisticRegression().fit(FRAME, LABELS), X, LABELS)
    assert named.features == tuple(FRAME.columns)
    named.importance(n_repeats=2)


def test_columns_the_model_was_not_fitted_with_are_left_out():
    model = LinearRegression().fit(FRAME[["dotted.name", "a b"]], Y)
    explainer = Explainer(model, FRAME.assign(more="text"), Y)
    assert explainer.features == ("dotted.name", "a b")


def test_a_predictive_model_is_returned_unchanged():
    model = as_predictive(LinearRegression().fit(X, Y))
    assert as_predictive(model) is model
    assert Explainer(model, X, Y).predictive is model
    assert repr(Explainer(model, X, Y)).startswith("Explainer(LinearRegression, 80 rows, 3 feat")


def several_targets():
    rng = np.random.default_rng(0)
    same = np.column_stack([rng.integers(0, 2, 80), rng.integers(0, 2, 80)])
    other = np.column_stack([rng.integers(0, 2, 80), rng.integers(0, 3, 80)])
    yield RandomForestClassifier(2).fit(X, same)
    yield RandomForestClassifier(2).fit(X, other)


@pytest.mark.parametrize("model", list(several_targets()))
def test_several_targets_are_refused(model):
    with pytest.raises(ValueError, match="several targets at once; pass a function"):
        as_predictive(model)


@pytest.mark.parametrize(
    ("answer", "classes"), [(two_classes, [0, 1]), (lambda rows: normal_model(rows)[0], None)]
)
def test_masked_predictions_are_refused(answer, classes):
    def masked(rows):
        values = np.asarray(answer(rows))
        return np.ma.masked_array(values, mask=values > np.median(values))

    with pytest.raises(ValueError, match="numbers are masked; return a number for each row"):
        as_predictive(masked, classes)(X)
    # A mask that hides nothing changes nothing.
    whole = as_predictive(lambda rows: np.ma.masked_array(answer(rows)), classes)(X)
    np.testing.assert_array_equal(whole.mean(), as_predictive(answer, classes)(X).mean())


def test_sparse_probabilities_are_read_as_an_array():
    sparse = as_predictive(lambda rows: csr_matrix(two_classes(rows)), classes=[0, 1])
    np.testing.assert_array_equal(sparse(X).probabilities, two_classes(X))


def test_several_numbers_for_a_row_are_refused():
    model = RandomForestRegressor(2).fit(X, np.column_stack([Y, Y]))
    with pytest.raises(ModelError, match=r"rows of X were evaluated.*predicts 2 numbers for"):
        Explainer(model, X, Y)


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        (LogisticRegression, TypeError, "LogisticRegression is a class; pass a fitted model"),
        (KMeans(2), TypeError, "KMeans predicts no target, but clusters or outliers; pass a"),
        (IsolationForest(), TypeError, "IsolationForest predicts no target, but clusters or"),
        (42, TypeError, "int has neither predict_proba nor predict and is no function"),
        (
            type("Single", (), {"predict_proba": None, "classes_": np.array(["up"])})(),
            ValueError,
            r"the single class \['up'\]; fit it on at least two",
        ),
    ],
    ids=["class", "clusters", "outliers", "number", "single"],
)
def test_objects_that_are_no_fitted_model_are_refused(model, error, message):
    with pytest.raises(error, match=message):
        Explainer(model, X, LABELS)


def test_the_error_of_an_unfitted_model_is_passed_on():
    with pytest.raises(ModelError, match=r"rows of X were evaluated: NotFittedError: This"):
        Explainer(LinearRegression(), X, Y)
