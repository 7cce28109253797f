"""Tables that are unlike those of a textbook, with models of them."""

from __future__ import annotations

import numpy as np
import pandas as pd


class Classifier:
    """A model of so many classes, by the sum of all numbers that stand for the features."""

    def __init__(self, n_classes=2):
        self.classes_ = np.array([f"class {k}" for k in range(n_classes)])

    def predict_proba(self, X):
        sums = numbers_of(X).sum(axis=1)[:, None] + np.arange(len(self.classes_)) / 2
        scores = np.exp(np.sin(sums))
        return scores / scores.sum(axis=1, keepdims=True)


def regression(X):
    """Return the means and standard deviations of normal distributions, by ten features."""
    values = numbers_of(X)[:, :10]
    return values @ np.linspace(1, 0.1, values.shape[1]), np.full(len(X), 0.5)


def numbers_of(X):
    """Return a number for every value, also for missing ones, dates and categories."""
    columns = []
    for name in X:
        if pd.api.types.is_datetime64_any_dtype(X[name]):
            values = (X[name] - pd.Timestamp("2020-01-01")) / pd.Timedelta(days=365)
        elif pd.api.types.is_numeric_dtype(X[name]):
            values = X[name]
        else:
            values = X[name].map({"red": 0.0, "green": 0.5, "blue": 1.0})
        columns.append(values.astype(float).fillna(0.3))
    return np.column_stack(columns)


def normal(rng, n, p):
    return pd.DataFrame(rng.normal(size=(n, p)), columns=[f"x{j}" for j in range(p)])


def colours(rng, n, p):
    return pd.DataFrame({f"x{j}": rng.choice(["red", "green", "blue"], size=n) for j in range(p)})


def with_missing(rng, n):
    X = normal(rng, n, 2).assign(colour=rng.choice(["red", "blue"], size=n))
    X.loc[rng.random(n) < 0.3, "x0"] = np.nan
    X.loc[rng.random(n) < 0.3, "colour"] = None
    return X


def with_dates(rng, n):
    days = pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 700, size=n), "D")
    return normal(rng, n, 1).assign(day=days)


TABLES = {
    "20 rows": (regression, lambda rng: normal(rng, 20, 3)),
    "categories only": (Classifier(), lambda rng: colours(rng, 60, 3)),
    "missing values": (regression, lambda rng: with_missing(rng, 60)),
    "dates": (regression, lambda rng: with_dates(rng, 60)),
    "ten classes": (Classifier(10), lambda rng: normal(rng, 120, 3)),
    "constant feature": (regression, lambda rng: normal(rng, 60, 2).assign(same=1.0)),
    "300 features": (regression, lambda rng: normal(rng, 60, 300)),
    "100,000 rows": (regression, lambda rng: normal(rng, 100_000, 2)),
}


def hard_table(name, seed=0):
    """Return a model, its table and the true values."""
    rng = np.random.default_rng(seed)
    model, table = TABLES[name]
    X = table(rng)
    if isinstance(model, Classifier):
        numbers = np.arange(len(X)) * 7 + (X.iloc[:, 0].rank() > 9)
        return model, X, model.classes_[numbers % len(model.classes_)]
    return model, X, regression(X)[0] + rng.normal(size=len(X)) / 2
