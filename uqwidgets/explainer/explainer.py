"""One model, one table, and everything that can be asked of the two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from uqwidgets._utils.random_state import RandomState, seed_of
from uqwidgets.evaluation.cache import parse_bytes
from uqwidgets.evaluation.evaluations import Evaluations
from uqwidgets.evaluation.table import Table
from uqwidgets.explainer.dependence import Curves
from uqwidgets.explainer.importance import Ranking
from uqwidgets.explainer.stress import Stressing
from uqwidgets.measures import available
from uqwidgets.predictive import Predictive, as_predictive


class Explainer(Ranking, Curves, Stressing):
    """What drives a fitted model's predictions, its errors and its confidence.

    The model is asked once for every replaced value; measures, weights, row filters and
    intervals are worked out from what it said then and ask it nothing more.

    Parameters
    ----------
    model : object or callable
        A fitted model, see `as_predictive`. It is never refitted.
    X : DataFrame or array-like of shape (n, p)
        Rows to explain, best ones the model was not fitted on. Never modified; columns that
        the model was not fitted with are left out.
    y : array-like of shape (n,)
        Their true target.
    feature_groups : mapping of str to sequence of str, optional
        Features that move together, by the name of their group. Importance is that of the
        groups and of the features in none, unless others are named.
    random_state : int, RandomState, Generator or None, default=0
        Of the donors that are drawn.
    memory_limit : int or str, default="1GiB"
        What may be kept of the model's answers. Over it, derived arrays are dropped first and
        cost no model call to make again; then answers, the longest unused first.

    Attributes
    ----------
    features : tuple of str
    classes : ndarray of shape (k,) or None
        Labels of a classifier.
    model_calls, rows_evaluated : int
        What the model was asked so far.

    Raises
    ------
    TypeError
        If the model offers no way to predict.
    ValueError
        If X, y and the model do not fit each other, or the model fails on the rows as they are.
    """

    def __init__(
        self,
        model: Any,
        X: Any,
        y: Any,
        *,
        feature_groups: Mapping[str, Sequence[str]] | None = None,
        random_state: RandomState = 0,
        memory_limit: int | str = "1GiB",
    ) -> None:
        self.predictive = _predictive(model, y)
        self.table = Table(X, y, self.predictive, feature_groups)
        self.seed = seed_of(random_state)
        self.evaluations = Evaluations(self.predictive, self.table, parse_bytes(memory_limit))
        self.classes = self.evaluations.classes
        self._measures = available(self.evaluations.original, classifier=self.classes is not None)

    def __getstate__(self) -> object:
        raise TypeError(
            "an Explainer cannot be pickled or copied, for what asks the model is no plain data; "
            "pickle the model, X and y, and make an Explainer of them where it is needed."
        )

    def __repr__(self) -> str:
        n, p = len(self.table), len(self.features)
        return (
            f"Explainer({self.predictive.name}, {n:,} rows, {p} features; "
            f"{self.model_calls:,} model calls, {self.rows_evaluated:,} rows evaluated)"
        )

    def _repr_html_(self) -> str:
        from uqwidgets.plotting.summary import subject_html

        facts = {
            "rows": f"{len(self.table):,}",
            "target": self.table.target,
            "model calls so far": f"{self.model_calls:,} ({self.rows_evaluated:,} rows)",
        }
        return subject_html(
            f"Explainer of {self.predictive.name}", facts, _QUESTIONS, self.features
        )


# Shown with an explainer in a notebook.
_QUESTIONS = {
    "importance()": "which features drive the likelihood, the entropy or any other measure",
    "dependence(feature)": "how a measure changes with the values of one feature",
    "stress()": "what happens when the mean of a feature moves",
    "diagnose()": "which features share information, and which stand alone",
    "redundancy()": "how well each feature is known from the others",
    "measures()": "which measures this model gives",
}


def _predictive(model: Any, y: Any) -> Predictive:
    plain_function = callable(model) and not hasattr(model, "predict")
    labels = np.asarray(y)
    if isinstance(model, Predictive) or not plain_function or labels.ndim != 1:
        return as_predictive(model)
    # A function that gives probabilities gives them for the labels of y, in sorted order.
    try:
        distinct = np.unique(labels[~pd.isna(labels)])
    except TypeError:
        raise ValueError(
            "y mixes kinds of labels that have no order; make them all texts or all numbers."
        ) from None
    if len(distinct) < 2:
        return as_predictive(model)
    # Whether it does give probabilities is not known before it is asked.
    return replace(as_predictive(model, classes=distinct), classes=None)
