"""Models whose predictions change between calls or depend on the other rows of the batch."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from models import Recorder, normal_model, table, two_classes
from uqwidgets import Explainer, Mixture, Normal

X, Y = table(80)
REMARK = "called again for the same rows, the model predicts other values"


def noisy(answers, scale=0.02):
    generator = np.random.default_rng(0)

    def model(batch):
        result = answers(batch)
        if isinstance(result, tuple):
            return result[0] + scale * generator.normal(size=len(batch)), result[1]
        moved = np.clip(result[:, 1] + scale * generator.normal(size=len(batch)), 0, 1)
        return np.column_stack([1 - moved, moved])

    return model


def centred_by_batch(batch):
    """Shift the features by the batch maximum, as batch normalisation in training mode does."""
    return normal_model(batch - 0.3 * np.asarray(batch).max(axis=0))


def standardised_by_batch(batch):
    """Standardise the features by their means in the batch, which permutations do not change."""
    batch = np.asarray(batch)
    return normal_model((batch - batch.mean(axis=0)) / batch.std(axis=0))


def members(batch):
    mean, std = normal_model(batch)
    return Mixture(Normal(np.stack([mean, mean + 0.1], axis=1), np.stack([std, std], axis=1)))


def remark_counts(results):
    return [sum(remark.startswith(REMARK) for remark in one.remarks) for one in results]


def results(explainer, measure, metric):
    yield explainer.importance(measure)
    yield explainer.importance(metric, n_repeats=2)
    yield explainer.dependence("x0", measure)
    yield explainer.dependence(("x0", "x1"), measure, grid=3)


@pytest.mark.parametrize(
    ("model", "y", "measure", "metric"),
    [
        (noisy(normal_model), Y, "nll", "r2"),
        (noisy(two_classes), Y > 0, "entropy", "accuracy"),
        (centred_by_batch, Y, "nll", "r2"),
    ],
)
def test_each_result_has_one_remark_on_inconsistent_predictions(model, y, measure, metric):
    assert remark_counts(results(Explainer(model, X, y), measure, metric)) == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("model", "y", "measure", "metric"),
    [
        (normal_model, Y, "nll", "r2"),
        (noisy(normal_model, 1e-6), Y, "nll", "r2"),
        (two_classes, Y > 0, "entropy", "accuracy"),
        (members, Y, "nll", "r2"),
    ],
)
def test_consistent_models_get_no_remark(model, y, measure, metric):
    assert remark_counts(results(Explainer(model, X, y), measure, metric)) == [0, 0, 0, 0]


@pytest.mark.parametrize("dtype", [None, object])
def test_inconsistency_is_detected_from_one_categorical_curve(dtype):
    data = pd.DataFrame({"kind": pd.Series(["a", "b"] * 40, dtype=dtype), "x": X[:, 0]})
    generator = np.random.default_rng(0)

    def model(batch):
        return (batch["kind"] == "a").to_numpy() + 0.1 * generator.normal(size=len(batch))

    curve = Explainer(model, data, Y).dependence("kind")
    assert remark_counts([curve]) == [1]


@pytest.mark.parametrize("n", [20, 60, 80])
def test_a_model_that_standardises_by_batch_is_remarked_on_everywhere(n):
    for result in (lambda e: e.importance("nll"), lambda e: e.dependence("x0", "nll")):
        assert remark_counts([result(Explainer(standardised_by_batch, X[:n], Y[:n]))]) == [1]


def test_few_rows_are_evaluated_once_more_alone_and_no_others():
    for n, further in ((20, 8), (80, 0)):
        model = Recorder(normal_model)
        explainer = Explainer(model, X[:n], Y[:n])
        explainer.importance("nll", n_repeats=4)
        explainer.importance("nll", n_repeats=8)
        explainer.importance("nll", replacement="ablation", n_repeats=2)
        assert explainer.rows_evaluated == model.rows == n + (8 + 2) * 3 * n + further
        assert explainer.model_calls == len(model.batches)
    model = Recorder(normal_model)  # a curve shows as much without a further call
    explainer = Explainer(model, X[:20], Y[:20])
    explainer.dependence("x0", "nll", grid=5)
    explainer.importance("nll", n_repeats=4)
    assert explainer.rows_evaluated == model.rows == 20 + 5 * 20 + 4 * 3 * 20


def test_a_model_that_takes_no_few_rows_is_not_in_the_way():
    def model(batch):
        if len(batch) < 20:
            raise ValueError("too few rows")
        return normal_model(batch)

    assert remark_counts([Explainer(model, X[:20], Y[:20]).importance("nll", n_repeats=2)]) == [0]


def test_the_check_needs_no_model_call():
    model = Recorder(normal_model)
    explainer = Explainer(model, X, Y)
    explainer.importance("nll", n_repeats=4)
    assert explainer.rows_evaluated == model.rows == 80 + 4 * 3 * 80
    assert explainer.model_calls == len(model.batches)
    assert explainer.evaluations._consistency.compared > 0


def test_equal_values_of_different_types_are_not_compared():
    data = pd.DataFrame({"x": X[:, 0]})
    data["mixed"] = pd.Series(np.array([1, True] * 40, dtype=object), dtype=object)

    def model(batch):
        return batch["x"].to_numpy() + np.array([type(value) is bool for value in batch["mixed"]])

    assert remark_counts([Explainer(model, data, Y).dependence("mixed")]) == [0]


def test_values_that_are_equal_in_python_are_not_compared():
    # A model may distinguish 1 and True.
    data = pd.DataFrame({"kind": pd.Series([1, True] * 40, dtype=object), "x": X[:, 0]})
    generator = np.random.default_rng(0)

    def model(batch):
        return batch["x"].to_numpy() + 0.1 * generator.normal(size=len(batch))

    explainer = Explainer(model, data, Y)
    assert remark_counts([explainer.dependence("kind")]) == [0]
