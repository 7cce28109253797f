"""Saved pages of tables that are unlike those of a textbook."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from browser.saved_pages import assert_curve, assert_importance, choose, opened
from cases import thorough_after

RNG = np.random.default_rng(0)
# Differences on the screen that are rounding errors: the features have effects of about 1.
LEAST = 1e-9


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


def normal(n, p):
    return pd.DataFrame(RNG.normal(size=(n, p)), columns=[f"x{j}" for j in range(p)])


def colours(n, p):
    return pd.DataFrame({f"x{j}": RNG.choice(["red", "green", "blue"], size=n) for j in range(p)})


def with_missing(n):
    X = normal(n, 2).assign(colour=RNG.choice(["red", "blue"], size=n))
    X.loc[RNG.random(n) < 0.3, "x0"] = np.nan
    X.loc[RNG.random(n) < 0.3, "colour"] = None
    return X


def with_dates(n):
    days = pd.to_datetime("2020-01-01") + pd.to_timedelta(RNG.integers(0, 700, size=n), "D")
    return normal(n, 1).assign(day=days)


TABLES = {
    "20 rows": (regression, normal(20, 3)),
    "categories only": (Classifier(), colours(60, 3)),
    "missing values": (regression, with_missing(60)),
    "dates": (regression, with_dates(60)),
    "ten classes": (Classifier(10), normal(120, 3)),
    "constant feature": (regression, normal(60, 2).assign(same=1.0)),
    "300 features": (regression, normal(60, 300)),
    "100,000 rows": (regression, normal(100_000, 2)),
}


@pytest.mark.parametrize("name", thorough_after(2, TABLES))
def test_the_page_has_the_numbers_of_the_explainer(name, browser, tmp_path):
    model, X = TABLES[name]
    if isinstance(model, Classifier):
        y = model.classes_[
            (np.arange(len(X)) * 7 + (X.iloc[:, 0].rank() > 9)) % len(model.classes_)
        ]
    else:
        y = regression(X)[0] + RNG.normal(size=len(X)) / 2
    explainer = uq.Explainer(model, X, y)
    stressed = "x0" if name == "dates" else "x1"
    options = {"stress_features": [stressed], "progress": False}
    inputs = {"feature": "x0", "stress_feature": stressed, "n_repeats": 2, "measure": "nll"}
    if name == "300 features":
        # Curves of all of them, by every measure, would take a minute.
        options["lines"], inputs["views"] = 0, ["importance"]
    category = "red" if name == "categories only" else None
    path = tmp_path / "page.html"
    with uq.Explorer(explainer, stress_category=category or "", **inputs) as explorer:
        explorer.save(path, **options)
    with opened(browser, path) as root:
        for tau, tolerance in ((0.0, 0.0), (0.6, 0.002)):
            choose(root, tau=tau)
            weights = explainer.stress_weights(stressed, tau, category=category)
            how = {"sample_weight": weights} if tau else {}
            assert_importance(
                root, explainer.importance("nll", n_repeats=2, **how), tolerance, LEAST
            )
            if "views" in inputs:
                continue
            curve = explainer.dependence("x0", measure="nll", grid=49, **how)
            assert_curve(root, curve, tolerance, LEAST)
