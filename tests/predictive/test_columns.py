"""Columns of models that keep their names in places of their own."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from models import table
from uqwidgets import Explainer, as_predictive

VALUES, Y = table(60)
X = pd.DataFrame(VALUES, columns=list("abc"))
OTHER_ORDER = X[["c", "a", "b"]]
WEIGHTS = np.array([3.0, 2.0, 1.0])


class ByPosition:
    """Reads its columns by position, and has the attributes that it is made with."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)

    def predict(self, X):
        return np.asarray(X)[:, :3] @ WEIGHTS[: X.shape[1]]


class Unnamed(BaseEstimator):
    """A step or a model that keeps no names, and lets a table be one."""

    def __init__(self, inner=None):
        self.inner = inner

    def fit(self, X, y):
        self.fitted_ = True
        self.model_ = None if self.inner is None else self.inner.fit(X, y)
        return self

    def transform(self, X):
        return X

    def predict(self, X):
        return self.model_.predict(X)


class Named(Unnamed):
    """A model that keeps the names of its columns in a place of its own."""

    def fit(self, X, y):
        super().fit(X, y)
        self.feature_names_ = list(X.columns)
        return self

    def predict(self, X):
        return np.asarray(X) @ WEIGHTS


class ByName(ClassifierMixin, Unnamed):
    """A model that takes its columns by name, and says only how many there were."""

    classes_ = np.array([0, 1])

    def fit(self, X, y):  # noqa: ARG002
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X):
        return (X["a"] + X["b"] > 0) * 1

    def predict_proba(self, X):
        p = 1 / (1 + np.exp(-X["a"] - X["b"]))
        return np.column_stack([1 - p, p])


def of_results(names, **data):
    """Attributes of the results of statsmodels, in a class of its modules."""
    kind = type("Results", (ByPosition,), {"__module__": "statsmodels.regression"})
    return kind(model=SimpleNamespace(exog_names=names, data=SimpleNamespace(**data)))


def of_booster(names, categories):
    kind = type("Booster", (ByPosition,), {"__module__": "lightgbm.basic"})
    return kind(feature_name=lambda: names, pandas_categorical=categories)


@pytest.mark.parametrize(
    "model",
    [
        ByPosition(feature_names_in_=np.array(list("abc"))),
        ByPosition(feature_names_=list("abc")),
        of_results(list("abc"), row_labels=X.index),
        of_booster(list("abc"), []),
        of_booster(list("abc"), None),
        ByPosition(best_estimator_=ByPosition(feature_names_=list("abc"))),
        ByPosition(model_=LinearRegression().fit(X, Y)),
        make_pipeline(Named()).fit(X, Y),
        make_pipeline("passthrough", Named()).fit(X, Y),
        make_pipeline(Unnamed(), LinearRegression()).fit(X, Y),
        GridSearchCV(Unnamed(LinearRegression()), {}, cv=2, scoring="r2").fit(X, Y),
    ],
    ids=lambda model: type(model).__name__,
)
def test_columns_come_by_name_in_the_order_of_the_fit(model):
    expected = model.predict(X)
    explainer = Explainer(model, OTHER_ORDER, Y)
    assert explainer.features == ("a", "b", "c")
    np.testing.assert_allclose(explainer.evaluations.original.value, expected)


@pytest.mark.parametrize(
    "model",
    [
        ByPosition(feature_names_in_=["feature_0000", "feature_0001", "feature_0002"]),
        ByPosition(feature_names_=["0", "1", "2"]),
        ByPosition(feature_names_in_=[0, 1, 2]),
        of_results(["const", "x1", "x2"], row_labels=None),
        of_booster(["Column_0", "Column_1", "Column_2"], None),
        LinearRegression().fit(VALUES, Y),
    ],
    ids=lambda model: type(model).__name__,
)
def test_names_that_number_the_columns_of_an_array_are_none(model):
    explainer = Explainer(model, OTHER_ORDER, Y)
    assert explainer.features == ("c", "a", "b")
    expected = model.predict(OTHER_ORDER.to_numpy())
    np.testing.assert_allclose(explainer.evaluations.original.value, expected)


@pytest.mark.parametrize("names", [["Column_0", "Column_1", "Column_2"], ["0", "1", "2"]])
def test_a_table_may_have_such_names(names):
    frame = X.set_axis(names, axis=1)
    model = of_booster(names, [])
    explainer = Explainer(model, frame.iloc[:, ::-1], Y)
    predicted = explainer.evaluations.original.value
    np.testing.assert_allclose(predicted, model.predict(frame), rtol=1e-12)


def test_further_columns_are_left_out_where_the_names_are_known_and_passed_on_otherwise():
    more = OTHER_ORDER.assign(more="text")
    assert Explainer(ByPosition(feature_names_=list("abc")), more, Y).features == ("a", "b", "c")
    model = ByName().fit(X, Y)
    explainer = Explainer(model, more, (Y > 0) * 1)
    assert explainer.features == ("c", "a", "b", "more")
    importance = explainer.importance(n_repeats=2)
    assert dict(zip(importance.features, importance.importance, strict=True))["more"] == 0
    with pytest.raises(ValueError, match=r"X has 2 columns, but the model was fitted on 3; pass"):
        Explainer(model, X[["a", "b"]], (Y > 0) * 1)
    with pytest.raises(ValueError, match=r"X has 4 columns, but the model was fitted on 3; pass"):
        Explainer(LinearRegression().fit(VALUES, Y), X.assign(more=1.0), Y)


@pytest.mark.parametrize(
    "model",
    [
        ByName(),
        make_pipeline(ByName()),
        GridSearchCV(ByName(), {}, cv=2, scoring="accuracy"),
        CalibratedClassifierCV(ByName(), cv=2),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_model_that_takes_columns_by_name_gets_the_table(model):
    y = (Y > 0) * 1
    explainer = Explainer(model.fit(X, y), OTHER_ORDER, y)
    expected = model.predict_proba(OTHER_ORDER)
    np.testing.assert_allclose(explainer.evaluations.original.probabilities, expected)


@pytest.mark.filterwarnings("ignore:X has feature names, but LinearRegression was fitted without")
def test_members_that_take_columns_by_name_get_the_table_too():
    class Numbers(Unnamed):
        n_features_in_ = 3

        def predict(self, X):
            return X["a"] + X["b"]

    of_table, of_array = Numbers().fit(X, Y), LinearRegression().fit(VALUES, Y)
    assert as_predictive([of_array, of_array]).columns.of_array
    explainer = Explainer(as_predictive([of_array, Numbers().fit(X, Y)]), X, Y)
    expected = (of_table.predict(X) + of_array.predict(VALUES)) / 2
    np.testing.assert_allclose(explainer.evaluations.original.mean(), expected)


@pytest.mark.parametrize(
    "model", [of_booster(list("abc"), []), of_results(list("abc"), row_labels=1)]
)
def test_a_missing_column_is_one_sentence(model):
    with pytest.raises(
        ValueError, match=r"^X has no column 'b', which the model was fitted with; p"
    ):
        Explainer(model, X[["c", "a"]], Y)


def test_a_formula_takes_what_it_needs():
    model = of_results(["Intercept", "np.abs(a)", "Q('b c')"], frame=X.assign(**{"b c": 1.0}))
    model.model.formula = "c ~ np.abs(a) + Q('b c') + c(a)"
    table = OTHER_ORDER.assign(**{"b c": 1.0})
    assert Explainer(model, table.assign(d=1.0), Y).features == ("a", "b c")
    with pytest.raises(ValueError, match=r"^X has no column 'b c', which the model was fitted wit"):
        Explainer(model, OTHER_ORDER, Y)
    del model.model.data.frame
    assert Explainer(model, OTHER_ORDER, Y).features == ("c", "a", "b")


def test_attributes_that_raise_are_not_there():
    class Raising(LogisticRegression):
        @property
        def feature_names_in_(self):
            raise RuntimeError("not yet")

        @property
        def n_features_in_(self):
            raise KeyError("n")

        classes_ = property(lambda self: self.missing)

        def predict_proba(self, X):
            p = 1 / (1 + np.exp(-np.asarray(X)[:, 0]))
            return np.column_stack([1 - p, p])

        def __sklearn_tags__(self):
            raise AttributeError("no tags")

    y = (Y > 0) * 1
    explainer = Explainer(Raising(), X, y)
    assert explainer.classes.tolist() == [0, 1], "those of y"
    np.testing.assert_allclose(
        explainer.evaluations.original.probabilities, Raising().predict_proba(X)
    )
    with pytest.raises(TypeError, match="Raising has predict_proba but no classes_; pass as_pred"):
        as_predictive(Raising())
