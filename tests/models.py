"""Models and tables that the tests share."""

from __future__ import annotations

import numpy as np

from uqwidgets import Explainer
from uqwidgets.evaluation.donors import drawn_donors, stream_of


def table(n=60, p=3, seed=0):
    """Correlated features and a target that depends on the first two."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    X[:, 1] += 0.6 * X[:, 0]
    y = X[:, 0] - 0.5 * X[:, 1] ** 2 + 0.3 * rng.normal(size=n)
    return X, y


def permuted_donors(column, seed, n_repeats, n):
    """Donors of the permutations of one column of a bare array."""
    stream = stream_of([f"x{column}"])
    return drawn_donors("permutation", stream, seed, n_repeats, np.zeros(n, dtype=np.intp))


def normal_model(X):
    """Mean and standard deviation from the first two columns; any others are ignored."""
    X = np.asarray(X, dtype=float)
    return X[:, 0] - 0.5 * X[:, 1] ** 2, 0.3 + 0.2 * np.abs(X[:, 0] - X[:, 1])


class Logistic:
    """A binary classifier that reads one column; the others may have any type.

    Parameters
    ----------
    column : str
    classes : sequence of length 2
    """

    def __init__(self, column, classes=("no", "yes")):
        self.column = column
        self.classes_ = np.array(classes)

    def predict_proba(self, X):
        yes = 1 / (1 + np.exp(-X[self.column].to_numpy(dtype=float)))
        return np.column_stack([1 - yes, yes])


def two_classes(X):
    """Probabilities of two classes from the first two columns."""
    X = np.asarray(X, dtype=float)
    p = 1 / (1 + np.exp(-X[:, 0] + 0.7 * X[:, 0] * X[:, 1]))
    return np.column_stack([1 - p, p])


def three_classes(X):
    """Probabilities of three classes from the first two columns."""
    X = np.asarray(X, dtype=float)
    scores = np.exp(np.column_stack([X[:, 0], X[:, 1], X[:, 0] * X[:, 1]]))
    return scores / scores.sum(axis=1, keepdims=True)


def regression(n=60, p=3, **options):
    """An explainer of `normal_model`."""
    X, y = table(n, p)
    return Explainer(normal_model, X, y, **options)


def classification(n=60, p=3, labels=("no", "yes"), **options):
    """An explainer of `two_classes` or `three_classes`."""
    X, y = table(n, p)
    edges = np.quantile(y, np.arange(1, len(labels)) / len(labels))
    model = two_classes if len(labels) == 2 else three_classes
    return Explainer(model, X, np.array(list(labels))[np.digitize(y, edges)], **options)


def measures_of(explainer):
    """Return the names of all measures, with a level where the name has one."""
    names = explainer.measures.query("available")["measure"]
    return [name.replace("<level>", "0.9") for name in names]


class Recorder:
    """A model that records every batch and passes it on to the model within."""

    def __init__(self, model):
        self.model = model
        self.batches = []

    def __call__(self, X):
        self.batches.append(X)
        return self.model(X)

    @property
    def rows(self):
        return sum(len(X) for X in self.batches)
