"""Bayes by backprop: the bound and its parts, and fits to real data."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.stats import norm
from sklearn.metrics import roc_auc_score
from torch.distributions import Normal, kl_divergence
from torch.nn.functional import softplus

from models import table
from shared import features_and_target
from uqwidgets import Explainer
from uqwidgets.predictive.torch import BayesByBackprop
from uqwidgets.predictive.torch.bayes_by_backprop import GaussianWeights, normal_nll, outputs

pytestmark = pytest.mark.usefixtures("one_thread")

X, Y = table(120)
SIZES = (3, 5, 4, 2)


@pytest.fixture
def generator():
    return torch.Generator().manual_seed(0)


@pytest.fixture
def weights(generator):
    weights = GaussianWeights(SIZES, generator)
    with torch.no_grad():
        for rho in weights.rhos:
            rho.copy_(torch.randn(rho.shape, generator=generator) - 1)
    return weights


@pytest.mark.parametrize("prior_std", [0.05, 0.5, 3.0])
def test_the_divergence_is_that_of_torch(weights, prior_std):
    expected = sum(
        kl_divergence(Normal(mean, softplus(rho)), Normal(0.0, prior_std)).sum()
        for mean, rho in zip(weights.means, weights.rhos, strict=True)
    )
    assert weights.divergence(prior_std).item() == pytest.approx(expected.item(), rel=1e-5)


def test_the_divergence_of_the_prior_from_itself_is_zero(weights):
    with torch.no_grad():
        for mean, rho in zip(weights.means, weights.rhos, strict=True):
            mean.zero_()
            rho.fill_(np.log(np.expm1(0.5)))
    assert weights.divergence(0.5).item() == pytest.approx(0, abs=1e-4)


def test_draws_have_the_means_and_deviations_of_the_weights(weights, generator):
    drawn = weights.draw(20_000, generator)
    for mean, rho, sample in zip(weights.means, weights.rhos, drawn, strict=True):
        assert sample.shape == (20_000, *mean.shape)
        std = softplus(rho)
        assert ((sample.mean(dim=0) - mean).abs() < 5 * std / 20_000**0.5).all()
        assert ((sample.std(dim=0) / std - 1).abs() < 0.03).all()


def test_a_draw_is_a_function_of_mean_and_deviation(weights, generator):
    noise = torch.Generator().set_state(generator.get_state())
    (first, *_) = weights.draw(1, generator)
    first.sum().backward()
    shape = weights.means[0].shape
    drawn = torch.randn((1, *shape), generator=noise)[0]
    torch.testing.assert_close(weights.means[0].grad, torch.ones(shape))
    # The derivative of log(1 + exp(rho)) is the logistic function.
    torch.testing.assert_close(weights.rhos[0].grad, drawn * torch.sigmoid(weights.rhos[0]))


def test_outputs_are_those_of_a_perceptron_for_each_draw(weights, generator):
    drawn = [layer.detach() for layer in weights.draw(4, generator)]
    rows = torch.as_tensor(X[:6], dtype=torch.float32)
    for member, answer in enumerate(outputs(drawn, rows)):
        hidden = rows
        for depth, layer in enumerate(drawn):
            hidden = hidden.relu() if depth else hidden
            hidden = hidden @ layer[member, :-1] + layer[member, -1]
        torch.testing.assert_close(answer, hidden)


def test_the_noise_has_the_density_of_a_normal_distribution():
    mean, y = np.random.default_rng(0).normal(size=(2, 50))
    result = normal_nll(torch.as_tensor(mean), torch.as_tensor(y), torch.tensor(np.log(4.0)))
    assert result.item() == pytest.approx(-norm.logpdf(y, mean, 0.5).mean())


def test_a_step_weighs_the_divergence_by_its_share_of_the_rows():
    # With a learning rate of almost zero, the mean over batches is the bound over all rows.
    options = {"random_state": 0, "epochs": 1, "learning_rate": 1e-12, "precision": 1.0}
    in_one, in_many = (BayesByBackprop(batch_size=size, **options).fit(X, Y) for size in (120, 8))
    divergence = in_one.posterior_.divergence(0.5).item() / 120
    for model in (in_one, in_many):
        nll = model.loss_curve_[0] - divergence
        assert 0.8 < nll < 3.5
    assert divergence > 50
    assert in_one.loss_curve_[0] == pytest.approx(in_many.loss_curve_[0], rel=0.01)


@pytest.mark.parametrize("y", [Y, np.where(Y > 0, "up", "down")], ids=["numbers", "labels"])
def test_the_loss_falls_during_training(y):
    model = BayesByBackprop(epochs=60, random_state=0).fit(X, y)
    curve = np.array(model.loss_curve_)
    assert len(curve) == 60
    tens = curve.reshape(6, 10).mean(axis=1)
    assert (np.diff(tens) < 0).all()


@pytest.mark.thorough
def test_the_noise_is_estimated():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(600, 2))
    y = 100 + 30 * rows[:, 0] + rng.normal(scale=12.0, size=600)
    model = BayesByBackprop(hidden=(20,), epochs=60, random_state=0).fit(rows, y)
    assert model.precision_**-0.5 == pytest.approx(12, rel=0.15)
    assert model.predict(rows) == pytest.approx(100 + 30 * rows[:, 0], abs=20)
    fixed = BayesByBackprop(hidden=(20,), precision=0.04, epochs=3, random_state=0).fit(rows, y)
    assert fixed.precision_ == 0.04
    np.testing.assert_allclose(fixed.predict_distribution(rows).members.scale, 5)


def test_a_narrow_prior_keeps_the_weights_small():
    wide, narrow = (
        BayesByBackprop(prior_std=std, epochs=40, random_state=0).fit(X, Y) for std in (0.5, 0.01)
    )
    sizes = [float(torch.cat([w.flatten() for w in m.weights_]).std()) for m in (wide, narrow)]
    assert sizes[0] > 0.2
    assert sizes[1] < 0.05
    spread = [np.ptp(model.predict(X)) for model in (wide, narrow)]
    assert spread[1] < 0.1 * spread[0]


def test_a_feature_without_weights_has_an_importance_of_exactly_zero():
    for y in (Y, np.where(Y > 0, "up", "down")):
        model = BayesByBackprop(10, epochs=20, random_state=0).fit(X, y)
        model.weights_[0][:, 2] = 0
        explainer = Explainer(model, X, y)
        for measure in ("nll", "entropy"):
            result = explainer.importance(measure, n_repeats=5)
            values = dict(zip(result.features, result.importance, strict=True))
            assert values["x2"] == 0
            assert values["x0"] != 0


@pytest.fixture(scope="module")
def pima():
    """Wood et al. 2024, section 4.2, with the settings of B.3."""
    features, y = features_and_target("pima.csv", "class")
    rows = np.random.default_rng(0).permutation(len(features))
    train, test = rows[:576], rows[576:]
    model = BayesByBackprop(random_state=0).fit(features.iloc[train], y.iloc[train])
    return model, features.iloc[test], y.iloc[test], y.iloc[train]


@pytest.mark.thorough
def test_diabetes_is_predicted_better_than_by_its_frequency(pima):
    model, features, y, known = pima
    q = model.predict_distribution(features)
    share = known.mean()
    frequency = -np.where(y == 1, np.log(share), np.log(1 - share)).mean()
    assert frequency == pytest.approx(0.65, abs=0.02)
    assert -q.log_prob(y).mean() < frequency - 0.08
    assert roc_auc_score(y, q.probabilities[:, 1]) > 0.75
    assert q.probabilities[:, 1].mean() == pytest.approx(share, abs=0.1)
    assert (q.epistemic() > 0).all()


@pytest.mark.thorough
@pytest.mark.usefixtures("frozen_clock")
def test_plas_is_the_most_important_feature_of_diabetes(pima):
    """Wood et al. 2024, figure 9 and the text beside it."""
    model, features, y, _ = pima
    explainer = Explainer(model, features, y)
    result = explainer.importance("nll", n_repeats=10)
    assert result.features[0] == "plas"
    calls = explainer.model_calls
    assert calls <= 1 + 8 * 10
    assert explainer.importance("epistemic", n_repeats=10).importance.max() > 0
    assert explainer.model_calls == calls


def test_invalid_settings_are_refused():
    with pytest.raises(ValueError, match=r"prior_std must be greater than zero, not 0\.0"):
        BayesByBackprop(prior_std=0.0).fit(X, Y)
