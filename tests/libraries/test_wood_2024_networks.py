"""Wood et al. 2024 with networks: the trainers beside the notebook, and figures 6 and 9 to 13."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.stats import norm
from torch.distributions import Normal, kl_divergence
from torch.nn.functional import softplus

from agreement import agreement, assert_agreed
from diabetes import figures_9_to_13, people
from models import table
from shared import features_and_target
from uqwidgets import Explainer

sys.path.append(str(Path(__file__).parents[2] / "notebooks" / "papers"))
from wood_2024_networks import (
    BayesByBackprop,
    GaussianWeights,
    MonteCarloDropout,
    fitted_precision,
    of_perceptrons,
)

pytestmark = pytest.mark.usefixtures("one_thread")

RARE = [
    "figure 9: then age and mass",
    "figure 9: age before mass",
    "figure 10: it is highest between 130 and 170",
    "figure 10: it is highest between 150 and 175",
]
X, Y = table(120)


def test_the_divergence_of_weights_is_that_of_torch():
    weights = GaussianWeights((3, 5, 2))
    expected = sum(
        kl_divergence(Normal(mean, softplus(rho)), Normal(0.0, 0.5)).sum()
        for mean, rho in zip(weights.means, weights.rhos, strict=True)
    )
    assert weights.divergence(0.5).item() == pytest.approx(expected.item(), rel=1e-5)


def test_outputs_are_those_of_a_perceptron_for_each_draw():
    drawn = [layer.detach() for layer in GaussianWeights((3, 5, 4, 2)).draw(4)]
    rows = torch.as_tensor(X[:6], dtype=torch.float32)
    for member, answer in enumerate(of_perceptrons(drawn, rows)):
        hidden = rows
        for depth, layer in enumerate(drawn):
            hidden = hidden.relu() if depth else hidden
            hidden = hidden @ layer[member, :-1] + layer[member, -1]
        torch.testing.assert_close(answer, hidden)


def test_the_precision_of_members_that_agree_is_that_of_their_errors():
    y, mean = np.random.default_rng(0).normal(size=(2, 30))
    means = mean[:, None] + 1e-9 * np.arange(5)
    assert fitted_precision(means, y) == pytest.approx(1 / np.square(y - mean).mean(), rel=1e-3)


def test_the_same_seed_gives_the_same_network():
    first, same, other = (MonteCarloDropout(20, 5, seed).fit(X, Y) for seed in (0, 0, 1))
    np.testing.assert_array_equal(*(m.predict_distribution(X).mean() for m in (first, same)))
    assert (first.predict_distribution(X).mean() != other.predict_distribution(X).mean()).any()


@pytest.mark.parametrize(
    ("epochs", "seeds"),
    [(300, range(1)), pytest.param(5000, range(3), marks=pytest.mark.slow)],
)
def test_figure_6_concrete(epochs, seeds):
    """Age drives the likelihood, and hardly the entropy (figure 6 and the text beside it)."""
    features, y = features_and_target("concrete.csv", "strength")
    for seed in seeds:
        rows = np.random.default_rng(seed).permutation(len(features))
        train, test = np.split(rows, [len(rows) * 3 // 4])
        model = MonteCarloDropout(epochs, random_state=seed)
        model.fit(features.iloc[train], y.iloc[train])
        assert model.loss_curve_[-1] < 0.2 * model.loss_curve_[0]
        here, truth = features.iloc[test], y.iloc[test]
        q = model.predict_distribution(here)
        constant = -norm.logpdf(truth, y.iloc[train].mean(), y.iloc[train].std()).mean()
        assert -q.log_prob(truth).mean() < constant - 0.9
        low, high = q.interval(0.9)
        assert 0.8 < ((low <= truth) & (truth <= high)).mean() < 0.98
        explainer = Explainer(model, here, truth)
        # In the paper age comes first; with this network it is second to cement.
        assert set(explainer.importance("nll", n_repeats=5).features[:2]) == {"age", "cement"}
        result = explainer.importance("entropy", n_repeats=5)
        entropy = dict(zip(result.features, result.importance, strict=True))
        assert abs(entropy["age"]) < 0.3 * result.importance[0]


def claims(seed):
    X_train, X_test, y_train, y_test = people(seed)
    network = BayesByBackprop(random_state=seed).fit(X_train, y_train)
    frequency = np.mean(y_train == 1)
    constant = -np.where(y_test == 1, np.log(frequency), np.log(1 - frequency)).mean()
    assert -network.predict_distribution(X_test).log_prob(y_test).mean() < constant - 0.03
    return figures_9_to_13(Explainer(network, X_test, y_test))


@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(3), marks=pytest.mark.thorough),
        pytest.param(range(20), marks=pytest.mark.slow),
    ],
)
def test_figures_9_to_13_diabetes(seeds):
    shares = agreement("diabetes, Bayes by backprop", claims, seeds)
    # The paper claims it for both models; over several splits it does not hold for networks.
    rare = [shares.pop(claim) for claim in RARE]
    assert max(rare) < 0.6
    assert_agreed(
        shares,
        {
            "figure 10: entropy is low for low plas, and higher from 120 on": 0.6,
            "figure 12: which the average does not show": 0.6,
        },
    )
