"""The positive one of two classes is the same for scores, rates, curves and calibration."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, f1_score, recall_score, roc_auc_score

import uqwidgets as uq

X = np.random.default_rng(0).normal(size=(90, 2))
EVENT = X[:, 0] + np.random.default_rng(1).normal(size=90) > 0.4
P = 1 / (1 + np.exp(-X[:, 0]))


@pytest.mark.parametrize(
    ("classes", "positive"),
    [
        ([0, 1], 1),
        ([1, 0], 1),
        ([1.0, 0.0], 1.0),
        ([-1, 1], 1),
        ([1, -1], 1),
        ([True, False], True),
        ([False, True], True),
        (["no", "yes"], "yes"),
        (["yes", "no"], "no"),
    ],
)
def test_every_result_has_the_same_positive_class(classes, positive):
    other = next(label for label in classes if label != positive)
    kind = object if isinstance(positive, str) else None
    y = np.array([positive if event else other for event in EVENT], dtype=kind)

    def model(X):
        p = 1 / (1 + np.exp(-X[:, 0]))
        return np.column_stack([p if label == positive else 1 - p for label in classes])

    explainer = uq.Explainer(uq.as_predictive(model, classes=classes), X, y)
    predicted = P > 0.5
    expected = {
        "f1": f1_score(EVENT, predicted),
        "recall": recall_score(EVENT, predicted),
        "average_precision": average_precision_score(EVENT, P),
        "roc_auc": roc_auc_score(EVENT, P),
        "tpr": recall_score(EVENT, predicted),
        "fpr": 1 - recall_score(~EVENT, ~predicted),
    }
    scores = explainer.scores(list(expected))
    np.testing.assert_allclose(scores.value, list(expected.values()))
    event = explainer.calibration(n_bins=1)
    assert event.event == f"y is {positive}"
    np.testing.assert_allclose(event.predicted, P.mean())
    np.testing.assert_allclose(event.observed, EVENT.mean())
    assert explainer.measure("prediction").label == f"probability of {positive}"
    values = explainer.evaluations.original_values(explainer.measure("prediction"))
    np.testing.assert_allclose(values, P)
