"""Propositions 1 to 3 of Wood et al. 2024, exact on finite data and in large samples.

An expectation over a marginal is the mean over all donors; independence is a table in which every
value occurs with every row of the others; a conditional distribution is the rows whose other
features are the same.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models import normal_model, three_classes
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


def crossed():
    """Return all combinations of values of x0 and rows of the others: x0 is exactly independent."""
    others = np.random.default_rng(0).normal(size=(12, 2))
    values = np.random.default_rng(1).normal(size=9)
    return np.array([[v, *other] for v, other in itertools.product(values, others)])


def over_all_donors(explainer, measure):
    """Return the importance of x0 over all row-donor pairs, from its curve at every value."""
    observed = explainer.table.numbers("x0")
    curve = explainer.dependence("x0", measure, grid=np.unique(observed))
    baseline = explainer.importance(measure, n_repeats=1).baseline
    return np.interp(observed, curve.grid, curve.average).mean() - baseline


@pytest.mark.parametrize("model", [normal_model, three_classes], ids=["normal", "classes"])
def test_proposition_1_is_exact_with_all_donors(model):
    # Wood et al. 2024: the Entropy-PFI of a feature that is independent of the others is zero. Its
    # Likelihood-PFI is not zero, and neither is the Entropy-PFI of a correlated feature.
    X = crossed()
    y = X[:, 0] + X[:, 1] if model is normal_model else np.arange(len(X)) // 12 % 3
    explainer = Explainer(model, X, y)
    assert over_all_donors(explainer, "entropy") == pytest.approx(0, abs=1e-12)
    assert abs(over_all_donors(explainer, "nll")) > 1e-3
    X[:, 1] += X[:, 0]
    assert abs(over_all_donors(Explainer(model, X, y), "entropy")) > 1e-3


@pytest.mark.parametrize("correlation", [0.0, 0.8])
def test_proposition_1_in_a_large_sample(correlation):
    rng = np.random.default_rng(2)
    X = rng.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], size=20_000)
    explainer = Explainer(normal_model, X, X[:, 0])
    result = explainer.importance("entropy", n_repeats=5, level=0.999)
    inside = (result.low <= 0) & (result.high >= 0)
    assert inside.all() if correlation == 0 else not inside.any()
    if correlation:
        assert (result.importance > 0).all()


@pytest.mark.parametrize("measure", ["entropy", "nll"])
def test_proposition_2_is_exact_in_any_sample(measure):
    # Wood et al. 2024: a feature the predictive distribution does not depend on has neither
    # importance.
    X = np.random.default_rng(0).normal(size=(30, 3))
    X[:, 2] = X[:, 0] + 0.01 * X[:, 2]  # x2 predicts x0 almost exactly
    result = Explainer(normal_model, X, X[:, 2]).importance(measure)
    j = result.features.index("x2")
    assert (result.importance[j], result.low[j], result.high[j]) == (0, 0, 0)


def test_figure_3_an_independent_feature_has_likelihood_importance_only():
    # Wood et al. 2024, section 3.4.1, with a variance that grows with (x0 - x1)^2.
    rng = np.random.default_rng(3)
    X = np.column_stack(
        [rng.multivariate_normal([0, 0], [[1, 0.8], [0.8, 1]], 2000), rng.normal(size=2000)]
    )
    y = X.sum(axis=1) + np.sqrt(2) * rng.normal(size=2000)

    def model(X):
        return X.sum(axis=1), np.sqrt(2 + (X[:, 0] - X[:, 1]) ** 2)

    explainer = Explainer(model, X, y)
    entropy, nll = explainer.importance("entropy"), explainer.importance("nll")
    assert nll.features[0] == "x2"
    assert entropy.features[-1] == "x2"
    assert entropy.low[-1] <= 0 <= entropy.high[-1]
    assert (entropy.low[:2] > 0).all()


def test_likelihood_pfi_has_its_closed_form():
    # In a linear model with the true noise, the Likelihood-PFI of a slope b is b^2 var / sigma^2.
    rng = np.random.default_rng(4)
    X = rng.normal(size=(5000, 2))
    y = X @ [1.0, 0.5] + 0.7 * rng.normal(size=5000)
    explainer = Explainer(lambda X: (X @ [1.0, 0.5], np.full(len(X), 0.7)), X, y)
    result = explainer.importance("nll", n_repeats=20, level=0.999)
    for feature, slope in (("x0", 1.0), ("x1", 0.5)):
        j = result.features.index(feature)
        assert result.low[j] < slope**2 / 0.7**2 < result.high[j]
