"""Propositions 1 to 3 of Wood et al. 2024, exact on finite data, whatever the model.

An expectation over a marginal is the mean over all donors; independence is a table in which every
value occurs with every row of the others; a conditional distribution is the rows whose other
features are the same.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uqwidgets import Explainer
from uqwidgets.predictive import Categorical, Mixture, Normal

KINDS = ("normal", "classes", "normal mixture", "mixture of classes")
few = settings(max_examples=25, deadline=None)
seeds = st.integers(0, 2**32 - 1)
kinds = st.sampled_from(KINDS)


def any_model(kind, n_features, seed):
    """A model with a different prediction at every point, which depends on all features."""
    rng = np.random.default_rng(seed)
    members, classes = 3, 3
    slopes = rng.normal(size=(n_features, members * classes))

    def model(X):
        waves = np.sin(np.asarray(X)[:, :n_features] @ slopes + np.arange(members * classes))
        if kind == "normal":
            return Normal(waves[:, 0], np.exp(waves[:, 1]))
        if kind == "normal mixture":
            return Mixture(Normal(waves[:, :members], np.exp(waves[:, members : 2 * members])))
        scores = np.exp(2 * waves).reshape(-1, members, classes)
        shares = scores / scores.sum(axis=2, keepdims=True)
        labels = np.arange(classes)
        if kind == "classes":
            return Categorical(shares[:, 0], labels)
        return Mixture(Categorical(shares, labels))

    return model


@few
@given(kind=kinds, n_values=st.integers(2, 6), n_others=st.integers(2, 8), seed=seeds)
@pytest.mark.parametrize("weighted", [False, True])
def test_proposition_1(weighted, kind, n_values, n_others, seed):
    # x0 is independent of (x1, x2), also under weights: its entropy importance is zero.
    rng = np.random.default_rng(seed)
    values, others = rng.normal(size=n_values), rng.normal(size=(n_others, 2))
    X = np.column_stack([np.repeat(values, n_others), np.tile(others, (n_values, 1))])
    weights = np.outer(rng.gamma(1.0, size=n_values), rng.gamma(1.0, size=n_others)).ravel()
    # The target depends on x0; otherwise the likelihood importance would be zero too.
    y = np.repeat(np.arange(n_values) % 3, n_others)
    explainer = Explainer(any_model(kind, 3, seed), X, y)
    options = {"n_repeats": "all", "sample_weight": weights if weighted else None}
    result = explainer.importance("entropy", ["x0"], **options)
    assert result.importance[0] == pytest.approx(0, abs=1e-10)
    # "This is not the case for the Likelihood-PFI", and its rows may gain or lose confidence.
    assert abs(explainer.importance("nll", ["x0"], **options).importance[0]) > 1e-10
    assert np.abs(result.per_row).max() > 1e-10


@few
@given(kind=kinds, seed=seeds, n=st.integers(5, 40))
@pytest.mark.parametrize("replacement", ["permutation", "ablation", "conditional"])
def test_proposition_2(replacement, kind, seed, n):
    # The model does not use x2, which is correlated with the other features and the target.
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    X[:, 2] = X[:, 0] - X[:, 1]
    explainer = Explainer(any_model(kind, 2, seed), X, rng.integers(3, size=n))
    for measure in ("entropy", "nll"):
        result = explainer.importance(measure, ["x2"], replacement=replacement, n_repeats=3)
        assert (result.importance[0], result.low[0], result.high[0]) == (0, 0, 0)


@settings(max_examples=10, deadline=None)
@given(kind=kinds, seed=seeds, sizes=st.lists(st.integers(20, 40), min_size=2, max_size=5))
@pytest.mark.parametrize("n_repeats", [2, "all"])
def test_proposition_3(n_repeats, kind, seed, sizes):
    # Rows with the same x1 make up the conditional distribution of x0.
    rng = np.random.default_rng(seed)
    x1 = np.repeat(np.arange(len(sizes)), sizes)
    X = np.column_stack([2 * x1 + rng.normal(size=len(x1)), x1])
    explainer = Explainer(any_model(kind, 2, seed), X, rng.integers(3, size=len(X)))
    options = {"replacement": "conditional", "n_repeats": n_repeats}
    result = explainer.importance("entropy", ["x0"], **options)
    assert result.subgroups["subgroups"][0] == len(sizes)
    assert result.importance[0] == pytest.approx(0, abs=1e-10)
    assert result.repeats == pytest.approx(np.zeros(result.repeats.shape), abs=1e-10)
    assert np.abs(result.per_row).max() > 1e-10
    # The likelihood importance and the permutation importance are not zero.
    assert abs(explainer.importance("nll", ["x0"], **options).importance[0]) > 1e-10
    assert abs(explainer.importance("entropy", ["x0"], n_repeats=2).importance[0]) > 1e-10
