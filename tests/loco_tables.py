"""Tables and pipelines for tests of LOCO importance."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler


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


class Counted(RegressorMixin, BaseEstimator):
    """A linear regression that counts the fits of all its copies; it keeps no feature names."""

    fits: ClassVar[list[tuple[int, ...]]] = []

    def fit(self, X, y):
        Counted.fits.append(np.shape(X))
        self.model_ = LinearRegression().fit(np.asarray(X), y)
        return self

    def predict(self, X):
        return self.model_.predict(np.asarray(X))
