"""An explorer in which everything that has a name has one that is given."""

from __future__ import annotations

import numpy as np
import pandas as pd

import uqwidgets as uq


class Named:
    """A classifier of fixed classes, in which the first feature drives the probabilities."""

    def __init__(self, classes, slope=1.0):
        self.classes_, self._slope = np.array(classes, dtype=object), slope

    def predict_proba(self, X):
        driven = self._slope * np.asarray(X.iloc[:, 0], dtype=float)
        scores = np.outer(driven, np.linspace(-1, 1, len(self.classes_)))
        return np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def explorer_named(names, n_rows=60, **inputs):
    """Return an explorer with these names of classes, categories, cohorts, features and groups.

    The first half are the names of numeric features, and the second half those of their groups.
    The first one is also that of the target and of a model, the last one of the other model and
    of a column beside X. One more feature holds the categories.

    Parameters
    ----------
    names : sequence of str
        At least two.
    """
    rng = np.random.default_rng(0)
    half = len(names) // 2
    features, groups = names[:half], names[half : 2 * half]
    X = pd.DataFrame({name: rng.normal(size=n_rows) for name in features})
    values = np.resize(np.array(names, dtype=object), n_rows)
    above = [{"feature": features[0], "low": 0.0, "high": None}]
    return uq.explore(
        {name: Named(names, slope) for name, slope in ((names[0], 1.0), (names[-1], 2.0))},
        X.assign(categories=values),
        pd.Series(values, name=names[0]),
        feature_groups={group: [name] for group, name in zip(groups, features, strict=True)},
        extra=pd.DataFrame({names[-1]: X[features[0]]}),
        **{
            "cohorts": [{"name": name, "ice_filter": above} for name in names],
            "n_repeats": 2,
            **inputs,
        },
    )
