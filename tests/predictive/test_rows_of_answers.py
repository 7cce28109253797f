"""Answers with labels of rows: matched with the batch by the labels, or refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import uqwidgets as uq

X = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 2)), columns=["a", "b"])


def answer_of(X):
    return X["a"] + 2 * X["b"] ** 2


def sorted_rows(X):
    """Return the batch in another order, with its own labels."""
    return X.sort_values("b")


class Estimator:
    """A regressor or classifier that returns what a function makes of the batch."""

    def __init__(self, answer, method="predict", **attributes):
        setattr(self, method, answer)
        vars(self).update(attributes)


def probabilities(X):
    p = 1 / (1 + np.exp(-answer_of(X)))
    return pd.DataFrame({"no": 1 - p, "yes": p})


def quantiles(X):
    return pd.DataFrame({level: answer_of(X) + level for level in (0.1, 0.9)})


def mean_and_std(X):
    return answer_of(X), np.exp(X["a"])


def with_std(X, return_std=True):
    assert return_std
    return mean_and_std(X)


MODELS = {
    "predict": (lambda rows: Estimator(lambda X: answer_of(rows(X))), {}),
    "predict of one column": (lambda rows: Estimator(lambda X: answer_of(rows(X)).to_frame()), {}),
    "predict with noise": (lambda rows: Estimator(lambda X: answer_of(rows(X))), {"noise": 0.5}),
    "predict_proba": (
        lambda rows: Estimator(
            lambda X: probabilities(rows(X)), "predict_proba", classes_=np.array(["no", "yes"])
        ),
        {},
    ),
    "return_std": (
        lambda rows: Estimator(lambda X, return_std=True: with_std(rows(X), return_std)),
        {},
    ),
    "predict_distribution": (
        lambda rows: Estimator(lambda X: uq.Normal(*mean_and_std(rows(X))), "predict_distribution"),
        {},
    ),
    "scipy": (
        lambda rows: lambda X: stats.norm(answer_of(rows(X)), scale=np.exp(rows(X)["a"])),
        {},
    ),
    "function": (lambda rows: lambda X: answer_of(rows(X)), {}),
    "function of two": (lambda rows: lambda X: mean_and_std(rows(X)), {}),
    "function of probabilities": (
        lambda rows: lambda X: probabilities(rows(X)),
        {"classes": ["no", "yes"]},
    ),
    "quantiles": (lambda rows: lambda X: quantiles(rows(X)), {"levels": [0.1, 0.9]}),
    "quantiles of predict": (
        lambda rows: Estimator(lambda X: quantiles(rows(X))),
        {"levels": [0.1, 0.9]},
    ),
    "models of a level": (
        lambda rows: {
            level: Estimator(lambda X, level=level: answer_of(rows(X)) + level)
            for level in (0.1, 0.9)
        },
        {},
    ),
    "members": (
        lambda rows: [Estimator(lambda X, k=k: answer_of(rows(X)) + k) for k in range(3)],
        {},
    ),
    "samples": (
        lambda rows: lambda X: pd.DataFrame([answer_of(rows(X)) + k for k in range(4)]),
        {"samples": True},
    ),
}


@pytest.mark.parametrize("index", [X.index, X.index[::-1] * 10, [f"row {k}" for k in range(30)]])
@pytest.mark.parametrize("kind", MODELS)
def test_labelled_rows_are_put_in_the_order_of_the_batch(kind, index):
    make, options = MODELS[kind]
    batch = X.set_axis(index)
    expected = uq.as_predictive(make(lambda X: X), **options)(batch)
    found = uq.as_predictive(make(sorted_rows), **options)(batch)
    for one, other in zip(expected.arrays(), found.arrays(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_an_answer_numbered_from_0_is_in_the_order_of_the_batch():
    for index in (X.index, X.index[::-1], X.index + 5):
        found = uq.as_predictive(lambda X: answer_of(X).reset_index(drop=True))(X.set_axis(index))
        np.testing.assert_array_equal(found.value, answer_of(X))


def test_labels_that_cannot_be_matched_are_refused():
    def renamed(X):
        return answer_of(X).set_axis([f"customer {k}" for k in range(len(X))])

    with pytest.raises(ValueError, match=r"index 'customer 0', 'customer 1', .*index 0, 1, 2"):
        uq.as_predictive(renamed)(X)
    repeated = X.set_axis(np.arange(30) // 2)
    np.testing.assert_array_equal(uq.as_predictive(answer_of)(repeated).value, answer_of(repeated))
    with pytest.raises(ValueError, match=r"labels repeat.*cannot be matched"):
        uq.as_predictive(lambda X: answer_of(sorted_rows(X)))(repeated)


def test_rows_of_an_array_are_numbered():
    def model(array):
        frame = pd.DataFrame(array, columns=["a", "b"])
        return answer_of(sorted_rows(frame))

    np.testing.assert_array_equal(uq.as_predictive(model)(X.to_numpy()).value, answer_of(X))


def test_every_result_of_a_model_that_sorts_its_rows_is_right():
    explainers = [
        uq.Explainer(lambda X, rows=rows: answer_of(rows(X)), X, X["a"], random_state=0)
        for rows in (lambda X: X, sorted_rows)
    ]
    expected, found = (
        explainer.importance("squared_error", n_repeats=3) for explainer in explainers
    )
    np.testing.assert_array_equal(expected.importance, found.importance)
    assert not any(remark.code == "unstable-predictions" for remark in found.remarks)
    expected, found = (one.dependence("b").average for one in explainers)
    np.testing.assert_array_equal(expected, found)
