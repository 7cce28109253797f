"""Models of scikit-learn in the matrix of `own_word`; tests/libraries has those of others."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import BayesianRidge, LinearRegression, LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC

from own_word import DTYPES, NUMBERS, Cell, Row, cells, of_classes

TEXTS = ("category", "text", "None")
MIXED = dict.fromkeys(("pandas", "polars"), tuple(DTYPES))
PLAIN = {"pandas": ("float64",), "array": ("int8",)}


def prepared(names, dtype):
    """Columns by name: numbers imputed, categories and texts encoded."""
    encoded = [n for n in names if n == "k" and dtype in TEXTS]
    numbers = [n for n in names if n not in encoded]
    return ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), numbers),
            ("texts", OneHotEncoder(handle_unknown="ignore"), encoded),
        ]
    )


class Halved(Pipeline):
    """A pipeline with a rule of its own."""

    def predict(self, X):
        return super().predict(X) / 2


class Rare(LogisticRegression):
    """A classifier that says yes from a probability of 0.3 on."""

    def predict(self, X):
        return np.where(self.predict_proba(X)[:, 1] > 0.3, *self.classes_[::-1])


class ByName:
    """A model that takes its columns by name, and says only how many there were."""

    def fit(self, X, y):
        self.n_features_in_ = X.shape[1]
        self.inner = LinearRegression().fit(X[sorted(X)], y)
        return self

    def predict(self, X):
        return self.inner.predict(X[sorted(X)])

    def get_params(self, deep=True):  # noqa: ARG002
        return {}


def logistic():
    return LogisticRegression()


ROWS = {
    "columns": Row(
        lambda names, dtype: make_pipeline(prepared(names, dtype), logistic()),
        **of_classes(tables=MIXED),
    ),
    "boosted classes": Row(
        lambda names, dtype: HistGradientBoostingClassifier(
            max_iter=3,
            min_samples_leaf=5,
            categorical_features=["k"] if dtype == "category" and "k" in names else None,
        ),
        **of_classes(target="three", tables={"pandas": (*NUMBERS, "category"), "array": NUMBERS}),
    ),
    "boosted numbers": Row(
        lambda *_: HistGradientBoostingRegressor(max_iter=3, min_samples_leaf=5),
        tables={"pandas": ("missing",), "array": ("missing",), "polars": ("float64",)},
    ),
    "forest": Row(
        lambda *_: RandomForestClassifier(9, min_samples_leaf=15, random_state=0),
        **of_classes(tables=PLAIN),
    ),
    "search": Row(
        lambda *_: GridSearchCV(logistic(), {"C": [0.1, 1.0]}, cv=2), **of_classes(tables=PLAIN)
    ),
    "labels": Row(lambda *_: LinearSVC(), target="texts", tables=PLAIN),
    "one against the others": Row(
        lambda *_: OneVsRestClassifier(logistic()), **of_classes(target="three", tables=PLAIN)
    ),
    "numbers": Row(lambda *_: LinearRegression(), tables=PLAIN | {"arrow": ("float64",)}),
    "normal": Row(lambda *_: make_pipeline(StandardScaler(), BayesianRidge()), tables=PLAIN),
    "columns by name": Row(lambda *_: ByName(), tables={"pandas": ("float64", "int8")}),
    "vector machine": Row(
        lambda *_: SVC(probability=True, random_state=0), **of_classes(tables=PLAIN)
    ),
    "threshold": Row(
        lambda *_: FixedThresholdClassifier(logistic(), threshold=0.3, pos_label="yes"),
        **of_classes(tables=PLAIN),
    ),
    "own threshold": Row(lambda *_: Rare(), **of_classes(tables=PLAIN)),
    "transformed target": Row(
        lambda *_: TransformedTargetRegressor(
            BayesianRidge(), func=np.log1p, inverse_func=np.expm1
        ),
        tables=PLAIN,
    ),
    "own pipeline": Row(
        lambda *_: Halved([("scale", StandardScaler()), ("fit", BayesianRidge())]), tables=PLAIN
    ),
}


@pytest.mark.filterwarnings("ignore:The `probability` parameter was deprecated:FutureWarning")
@pytest.mark.parametrize(("row", "container", "dtype", "check"), cells(ROWS))
def test_every_cell_says_what_the_model_says(row, container, dtype, check):
    check(Cell(row, container, dtype))
