"""Models whose answers change from call to call, or with the rows beside."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from models import Recorder, normal_model, table, two_classes
from uqwidgets import Explainer, Mixture, Normal

X, Y = table(80)
SAYS = "asked again about the same rows, the model gives other answers"


def noisy(answers, scale=0.02):
    generator = np.random.default_rng(0)

    def model(batch):
        result = answers(batch)
        if isinstance(result, tuple):
            return result[0] + scale * generator.normal(size=len(batch)), result[1]
        moved = np.clip(result[:, 1] + scale * generator.normal(size=len(batch)), 0, 1)
        return np.column_stack([1 - moved, moved])

    return model


def beside(batch):
    """Numbers are centred by the rows of the call, as a layer that is still training does."""
    return normal_model(batch - 0.3 * np.asarray(batch).max(axis=0))


def members(batch):
    mean, std = normal_model(batch)
    return Mixture(Normal(np.stack([mean, mean + 0.1], axis=1), np.stack([std, std], axis=1)))


def said(results):
    return [sum(remark.startswith(SAYS) for remark in one.remarks) for one in results]


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
        (beside, Y, "nll", "r2"),
    ],
)
def test_each_result_says_so(model, y, measure, metric):
    assert said(results(Explainer(model, X, y), measure, metric)) == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("model", "y", "measure", "metric"),
    [
        (normal_model, Y, "nll", "r2"),
        (noisy(normal_model, 1e-6), Y, "nll", "r2"),
        (two_classes, Y > 0, "entropy", "accuracy"),
        (members, Y, "nll", "r2"),
    ],
)
def test_nothing_is_said_of_models_that_answer_the_same_but_for_rounding(model, y, measure, metric):
    assert said(results(Explainer(model, X, y), measure, metric)) == [0, 0, 0, 0]


def test_a_curve_alone_tells_categories_too():
    data = pd.DataFrame({"kind": ["a", "b"] * 40, "x": X[:, 0]})
    generator = np.random.default_rng(0)

    def model(batch):
        return (batch["kind"] == "a").to_numpy() + 0.1 * generator.normal(size=len(batch))

    curve = Explainer(model, data, Y).dependence("kind")
    assert said([curve]) == [1]


def test_it_costs_no_model_call():
    model = Recorder(normal_model)
    explainer = Explainer(model, X, Y)
    explainer.importance("nll", n_repeats=4)
    assert explainer.rows_evaluated == model.rows == 80 + 4 * 3 * 80
    assert explainer.model_calls == len(model.asked)
    assert explainer.evaluations._consistency.compared > 0


def test_values_that_a_model_may_tell_apart_are_not_taken_for_the_same():
    data = pd.DataFrame({"x": X[:, 0]})
    data["mixed"] = pd.Series(np.array([1, True] * 40, dtype=object), dtype=object)

    def model(batch):
        return batch["x"].to_numpy() + np.array([type(value) is bool for value in batch["mixed"]])

    assert said([Explainer(model, data, Y).dependence("mixed")]) == [0]
