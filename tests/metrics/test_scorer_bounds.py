"""Bounds of metrics, for every scorer that takes weights."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    get_scorer,
    get_scorer_names,
    make_scorer,
    mean_squared_error,
)

from uqwidgets import Categorical, Normal
from uqwidgets.metrics import find_metric

RNG = np.random.default_rng(0)
KINDS = ("._classification", "._ranking", "._regression", "._scorer")
OF_NUMBERS = "._regression"


def scorers():
    return [
        name
        for name in get_scorer_names()
        if get_scorer(name)._score_func.__module__.endswith(KINDS)
        and not name.endswith("_samples")  # multilabel metrics
    ]


@pytest.mark.parametrize("name", scorers())
def test_every_scorer_lies_within_its_bounds_which_are_not_all_numbers(name):
    of_numbers = get_scorer(name)._score_func.__module__.endswith(OF_NUMBERS)
    metric = find_metric(name, None if of_numbers else np.arange(2))
    if not metric.takes_weights:
        return
    low, high = metric.bounds
    assert np.isfinite([low, high]).any()
    for goodness in (0.0, 0.5, 1.0, 30.0):
        y = RNG.integers(2, size=50)
        if of_numbers:
            y = RNG.gamma(2, size=50) + 0.1
            q = Normal(goodness * y + RNG.gamma(2, size=50) + 0.1, np.ones(50))
        else:
            p = 1 / (1 + np.exp((goodness - 0.5) * (1 - 2 * y) + RNG.normal(size=50)))
            q = Categorical(np.column_stack([1 - p, p]), np.arange(2))
        result = metric.score(q, y, RNG.exponential(size=50))
        assert np.isnan(result) or low <= result <= high


@pytest.mark.parametrize(
    ("scorer", "classes", "bounds"),
    [
        ("r2", None, (-np.inf, 1)),
        ("roc_auc", [0, 1], (0, 1)),
        ("matthews_corrcoef", [0, 1], (-1, 1)),
        ("neg_log_loss", [0, 1], (-np.inf, 0)),
        (make_scorer(mean_squared_error), None, (0, np.inf)),
        # A count of rows, no better than chance, and any function.
        (make_scorer(accuracy_score, normalize=False), [0, 1], (-np.inf, np.inf)),
        (make_scorer(balanced_accuracy_score, adjusted=True), [0, 1], (-np.inf, np.inf)),
        (make_scorer(lambda truth, predicted: 7.0), None, (-np.inf, np.inf)),  # noqa: ARG005
    ],
)
def test_bounds_are_those_of_the_function_as_it_is_called(scorer, classes, bounds):
    known = None if classes is None else np.array(classes)
    assert find_metric(scorer, known).bounds == bounds
