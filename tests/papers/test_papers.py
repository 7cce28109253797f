"""Propositions and figures of the papers, on data with a known truth."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from models import normal_model, permuted_donors, three_classes
from uqwidgets import Explainer
from uqwidgets.inference import bounds, mean_change
from uqwidgets.inference.population import Population


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


def coverage(sets, repeats, interval, n=200):
    """Return the share of simulated sets whose interval contains the true importance, by feature.

    Slopes 1 and 0.2, and 0.2 on a feature that the target does not depend on; squared error.
    """
    slopes = np.array([1.0, 0.2, 0.2])
    truth = 2 * slopes**2 * [1, 1, 0]
    rng = np.random.default_rng(0)
    covered = np.zeros(3)
    population = Population.of(n)
    for number in range(sets):
        X = rng.normal(size=(n, 3))
        loss = rng.normal(size=n) - 0.2 * X[:, 2]
        for j, slope in enumerate(slopes):
            donors = permuted_donors(j, number, repeats, n)
            changed = np.square(loss + slope * (X[:, j] - X[donors, j]))
            change = mean_change(changed - np.square(loss), donors, np.square(loss), population)
            result = bounds(change, interval, 0.95, population)
            covered[j] += result.low <= truth[j] <= result.high
    return covered / sets


def test_the_default_interval_covers_and_the_model_interval_undercovers():
    # 400 sets: three standard errors of a share of 0.95 are 0.033.
    both = coverage(400, 10, "u-statistic")
    assert (both >= 0.95 - 0.033).all()
    rows = coverage(400, 10, "model")
    # The donors' part of the variance is large for the important feature only.
    assert rows[0] < both[0] - 0.05
    assert rows[0] < 0.92


@pytest.mark.slow
@pytest.mark.parametrize("repeats", [10, 50])
def test_coverage_as_measured(repeats):
    both = coverage(2000, repeats, "u-statistic")
    # Three standard errors of a share of 0.95 are 0.015. With few repeats the donors' role keeps
    # some noise of the permutations, and weak features are covered a little more than nominally.
    assert (both >= 0.935).all()
    assert both[0] <= 0.965
    assert coverage(2000, repeats, "model")[0] == pytest.approx(0.86, abs=0.03)


def test_stress_changes_only_indicators_that_depend_on_the_feature():
    # Bachoc et al. 2023, appendix B.2: stress does not change indicators of independent features.
    rng = np.random.default_rng(5)
    X = rng.normal(size=(20_000, 2))
    explainer = Explainer(lambda X: X[:, 1], X, X[:, 1])
    result = explainer.stress(["x0", "x1"], ["mean"], taus=5)
    noise = X[:, 1].std() / np.sqrt(result.ess[0])
    assert (np.abs(result.values["mean"][0]) < 4 * noise).all()
    np.testing.assert_allclose(result.values["mean"][1], result.reached[1])


def test_stress_of_a_normal_feature_shifts_its_mean():
    # exp(xi x) times a normal density is a normal density with another mean and the same variance.
    X = np.random.default_rng(6).normal(size=(50_000, 1))
    explainer = Explainer(lambda X: X[:, 0], X, X[:, 0])
    w = explainer.stress_weights("x0", 0.5)
    mean = np.average(X[:, 0], weights=w)
    assert mean == pytest.approx(0.5 * np.quantile(X[:, 0], 0.95), abs=0.01)
    assert np.average((X[:, 0] - mean) ** 2, weights=w) == pytest.approx(1, abs=0.05)
    result = explainer.stress(taus=5)
    assert result.kl[0, 3] == pytest.approx(mean**2 / 2, rel=0.05)
