"""Monte Carlo dropout: masks, modules of all kinds, and the noise fitted on held-out rows."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp
from scipy.stats import norm
from torch import nn

from cases import thorough_after
from models import table
from shared import features_and_target
from uqwidgets import Explainer, Normal
from uqwidgets.predictive.torch import MonteCarloDropout
from uqwidgets.predictive.torch.dropout import (
    control_dropout,
    dropout_by,
    masks_per_row,
    set_mode,
)
from uqwidgets.predictive.torch.monte_carlo_dropout import fitted_precision

pytestmark = pytest.mark.usefixtures("one_thread")

X, Y = table(120)
LABELS = np.where(Y > 0, "up", "down")


def network(outputs=1, dropout=0.3, *, seed=0, middle=()):
    """Make a module with random weights without changing the global generator."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return nn.Sequential(
            nn.Linear(3, 20), nn.Tanh(), *middle, nn.Dropout(dropout), nn.Linear(20, outputs)
        )


def as_it_is(module, y=Y, **options):
    options = {"n_samples": 30, "random_state": 0} | options
    return MonteCarloDropout(module, prefit=True, **options).fit(X, y)


def test_a_member_is_the_network_without_the_units_of_its_mask():
    module = network()
    model = as_it_is(module, precision=4.0)
    first, last = module[0], module[3]
    hidden = np.tanh(X @ first.weight.detach().numpy().T + first.bias.detach().numpy())
    (mask,) = (m.numpy() for m in model.masks_)
    assert mask.shape == (30, 20)
    np.testing.assert_allclose(np.unique(mask), [0, 1 / 0.7], rtol=1e-6)
    assert len(np.unique(mask, axis=0)) == 30
    dropped = hidden[:, None, :] * mask
    means = dropped @ last.weight.detach().numpy()[0] + last.bias.detach().numpy()
    q = model.predict_distribution(X)
    assert isinstance(q.members, Normal)
    np.testing.assert_allclose(q.members.loc, means, atol=1e-5)
    np.testing.assert_allclose(q.members.scale, 0.5)


def test_masks_have_the_dropout_rate_and_keep_the_mean():
    model = as_it_is(network(dropout=0.25), n_samples=4000, precision=1.0)
    (mask,) = model.masks_
    assert float((mask == 0).float().mean()) == pytest.approx(0.25, abs=0.005)
    assert float(mask.mean()) == pytest.approx(1, abs=0.01)


def test_in_training_every_row_has_its_own_mask():
    layer = nn.Dropout(0.5)
    control_dropout(layer)
    set_mode(layer, training=True)
    ones = torch.ones(200, 10)
    assert torch.equal(layer(ones), ones)
    with dropout_by(masks_per_row(torch.Generator().manual_seed(0))):
        first, second = layer(ones), layer(ones)
    assert len(first.unique(dim=0)) > 150
    assert not torch.equal(first, second)
    assert set(first.unique().tolist()) == {0.0, 2.0}


def test_only_dropout_is_switched_on():
    module = network(middle=[nn.BatchNorm1d(20)])
    model = MonteCarloDropout(module, 5, epochs=20, random_state=0).fit(X, Y)
    fitted = model.module_
    assert not any(part.training for part in fitted.modules())
    moved = fitted[2].running_mean.clone()
    assert not torch.equal(moved, torch.zeros(20))  # dropout was on in training
    first = model.predict_distribution(X).mean()
    np.testing.assert_array_equal(model.predict_distribution(X).mean(), first)
    assert torch.equal(fitted[2].running_mean, moved)
    plain = fitted(torch.ones(3, 3))
    assert torch.equal(plain, fitted(torch.ones(3, 3)))


class Twice(nn.Module):
    """One dropout layer passed twice, with another number of units each time."""

    def __init__(self):
        super().__init__()
        self.dropout = nn.Dropout(0.5)
        self.one, self.two, self.three = nn.Linear(3, 8), nn.Linear(8, 6), nn.Linear(6, 1)

    def forward(self, x):
        x = self.dropout(torch.relu(self.one(x)))
        return self.three(self.dropout(torch.relu(self.two(x))))[:, 0]


def test_a_layer_that_is_passed_twice_draws_twice():
    model = as_it_is(Twice(), precision=1.0)
    assert [tuple(mask.shape) for mask in model.masks_] == [(30, 8), (30, 6)]


def test_channels_are_dropped_as_a_whole():
    module = nn.Sequential(
        nn.Unflatten(1, (1, 3)), nn.Conv1d(1, 4, 2), nn.Dropout1d(0.5), nn.Flatten(),
        nn.Linear(8, 1),
    )  # fmt: skip
    model = as_it_is(module, precision=1.0)
    assert [tuple(mask.shape) for mask in model.masks_] == [(30, 4, 1)]
    rows = [model.predict_distribution(X[[i]]).mean()[0] for i in (0, 7)]
    np.testing.assert_array_equal(model.predict_distribution(X).mean()[[0, 7]], rows)


@pytest.mark.parametrize("prefit", [True, False])
def test_the_original_module_is_unchanged(prefit):
    module = network().double().train()
    before = copy.deepcopy(module.state_dict())
    MonteCarloDropout(module, 3, prefit=prefit, epochs=3, random_state=0).fit(X, Y)
    assert module.training
    assert module[2].training
    assert not module[2]._forward_hooks
    for name, weights in module.state_dict().items():
        assert torch.equal(weights, before[name])


def test_a_fitted_module_sees_rows_and_target_in_their_own_units():
    module = nn.Sequential(nn.Dropout(0.1), nn.Linear(3, 1))
    with torch.no_grad():
        module[1].weight[:] = torch.tensor([[2.0, 0.0, -1.0]])
        module[1].bias[:] = 50.0
    data = 10 * X + 3
    y = 2 * data[:, 0] - data[:, 2] + 50
    model = MonteCarloDropout(module, 400, prefit=True, random_state=0).fit(data, y)
    assert model.loss_curve_ == []
    assert np.corrcoef(model.predict(data), y)[0, 1] > 0.999
    assert np.abs(model.predict(data) - y).max() < 0.1 * np.abs(y).max()


def test_a_feature_without_weights_has_an_importance_of_exactly_zero():
    for outputs, y in ((1, Y), (2, LABELS)):
        module = network(outputs)
        with torch.no_grad():
            module[0].weight[:, 2] = 0
        explainer = Explainer(as_it_is(module, y), X, y)
        for measure in ("nll", "entropy"):
            result = explainer.importance(measure, n_repeats=5)
            values = dict(zip(result.features, result.importance, strict=True))
            assert values["x2"] == 0
            assert values["x0"] != 0


def test_one_logit_is_equivalent_to_two():
    one = network(1)
    two = network(2)
    with torch.no_grad():
        for mine, other in zip(two.parameters(), one.parameters(), strict=True):
            mine.zero_()
            mine[-len(other) :] = other
    answers = [as_it_is(module, LABELS).predict_proba(X) for module in (one, two)]
    np.testing.assert_allclose(*answers, rtol=1e-5)


def likelihood(means, y, precision):
    densities = norm.logpdf(y[:, None], means, precision**-0.5)
    return logsumexp(densities, axis=1).mean() - np.log(means.shape[1])


@pytest.mark.parametrize("seed", thorough_after(1, range(4)))
@pytest.mark.parametrize("spread", [0.01, 1.0, 30.0])
def test_the_precision_is_the_one_of_greatest_likelihood(seed, spread):
    rng = np.random.default_rng(seed)
    y = rng.normal(size=40)
    means = y[:, None] + 0.5 * rng.standard_t(2, size=(40, 1)) + spread * rng.normal(size=(40, 9))
    result = fitted_precision(means, y)
    logs = np.linspace(-15, 15, 3001)
    grid = [likelihood(means, y, np.exp(at)) for at in logs]
    top = int(np.argmax(grid))
    best = minimize_scalar(
        lambda at: -likelihood(means, y, np.exp(at)),
        bounds=(logs[top - 1], logs[top + 1]),
        method="bounded",
        options={"xatol": 1e-10},
    )
    assert likelihood(means, y, result) >= max(grid) - 1e-12
    assert np.log(result) == pytest.approx(best.x, abs=1e-6)


def test_members_that_agree_have_the_precision_of_their_errors():
    rng = np.random.default_rng(0)
    y, mean = rng.normal(size=(2, 30))
    means = np.repeat(mean[:, None], 5, axis=1)
    assert fitted_precision(means, y) == pytest.approx(1 / np.square(y - mean).mean(), rel=1e-8)
    with pytest.raises(ValueError, match=r"predicted without any error.*pass precision"):
        fitted_precision(np.repeat(y[:, None], 5, axis=1), y)


def test_the_precision_is_that_of_rows_which_were_held_out():
    module = network()
    model = as_it_is(module)
    means = model.predict_distribution(X).members.loc
    assert model.precision_ == pytest.approx(fitted_precision(means, Y))
    fixed = as_it_is(module, precision=2.5)
    assert fixed.precision_ == 2.5
    np.testing.assert_array_equal(fixed.predict_distribution(X).members.loc, means)


def test_predictions_scale_with_the_target():
    options = {"n_samples": 5, "epochs": 30, "random_state": 0}
    one = MonteCarloDropout(**options).fit(X, Y)
    moved = MonteCarloDropout(**options).fit(100 * X - 7, 1000 * Y + 5)
    assert moved.precision_ * 1e6 == pytest.approx(one.precision_, rel=1e-3)
    np.testing.assert_allclose(
        moved.predict(100 * X - 7), 1000 * one.predict(X) + 5, rtol=1e-3, atol=1
    )


@pytest.fixture(scope="module")
def concrete():
    """Wood et al. 2024, section 4.1: 75 % of the rows to train on, fewer epochs than in B.4."""
    features, y = features_and_target("concrete.csv", "strength")
    rows = np.random.default_rng(0).permutation(len(features))
    train, test = rows[: len(rows) * 3 // 4], rows[len(rows) * 3 // 4 :]
    model = MonteCarloDropout(epochs=300, random_state=0)
    model.fit(features.iloc[train], y.iloc[train])
    return model, features.iloc[test], y.iloc[test], y.iloc[train]


def test_predictions_of_concrete_are_calibrated(concrete):
    model, features, y, known = concrete
    q = model.predict_distribution(features)
    nll = -q.log_prob(y).mean()
    constant = -norm.logpdf(y, known.mean(), known.std()).mean()
    assert constant == pytest.approx(4.2, abs=0.1)
    assert nll < constant - 1
    low, high = q.interval(0.9)
    assert 0.8 < ((low <= y) & (y <= high)).mean() < 0.98
    assert model.loss_curve_[-1] < 0.2 * model.loss_curve_[0]


@pytest.mark.usefixtures("frozen_clock")
def test_concrete_age_drives_the_likelihood_but_hardly_the_entropy(concrete):
    """Wood et al. 2024, figure 6 and the text beside it."""
    model, features, y, _ = concrete
    explainer = Explainer(model, features, y)
    by_likelihood = explainer.importance("nll", n_repeats=5)
    calls = explainer.model_calls
    by_entropy = explainer.importance("entropy", n_repeats=5)
    assert explainer.model_calls == calls <= 1 + 5 * 8
    # In the paper age comes first; with this network it is second to cement, whatever the seed.
    assert set(by_likelihood.features[:2]) == {"age", "cement"}
    entropy = dict(zip(by_entropy.features, by_entropy.importance, strict=True))
    assert by_entropy.importance[0] > 0.02
    assert abs(entropy["age"]) < 0.2 * by_entropy.importance[0]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_concrete_with_the_settings_of_the_paper(seed):
    """Wood et al. 2024, B.4 and figure 6: all 5000 epochs."""
    features, y = features_and_target("concrete.csv", "strength")
    rows = np.random.default_rng(seed).permutation(len(features))
    train, test = rows[: len(rows) * 3 // 4], rows[len(rows) * 3 // 4 :]
    model = MonteCarloDropout(random_state=seed).fit(features.iloc[train], y.iloc[train])
    features, y = features.iloc[test], y.iloc[test]
    assert -model.predict_distribution(features).log_prob(y).mean() < 3.3
    assert np.sqrt(np.square(model.predict(features) - y).mean()) < 6
    explainer = Explainer(model, features, y)
    assert set(explainer.importance("nll").features[:2]) == {"age", "cement"}
    by_entropy = explainer.importance("entropy")
    assert by_entropy.features[-1] == "age"
    assert abs(by_entropy.importance[-1]) < 0.3 * by_entropy.importance[0]


class SeveralAxes(nn.Module):
    def __init__(self):
        super().__init__()
        self.dropout = nn.Dropout(0.5)

    def forward(self, x):
        return self.dropout(x.sum(dim=1, keepdim=True).T).T


@pytest.mark.parametrize(
    ("module", "options", "error", "message"),
    [
        (nn.Linear(3, 1), {}, ValueError, "has no dropout layer with p > 0"),
        (network(dropout=0.0), {}, ValueError, "has no dropout layer with p > 0"),
        (network(middle=[nn.AlphaDropout(0.1)]), {}, ValueError, r"a layer AlphaDropout\(p=0.1"),
        (network(outputs=2), {}, ValueError, r"shape \(\d+, 2\) .* one number for each row, shape"),
        (nn.Linear, {}, TypeError, "must be a torch.nn.Module, not <class.*pass an instance"),
        (None, {"prefit": True}, ValueError, "prefit needs the fitted module; pass module"),
        (None, {"validation_fraction": 1.0}, ValueError, "must lie between 0 and 1, not 1.0"),
        (None, {"validation_fraction": 0.999}, ValueError, "leaves none to train on; pass more"),
        (SeveralAxes(), {"prefit": True}, ValueError, r"shape \(1, \d+\); its first axis must be"),
    ],
)
def test_modules_that_cannot_be_used_are_refused(module, options, error, message):
    with pytest.raises(error, match=message):
        MonteCarloDropout(module, 5, epochs=2, **options).fit(X, Y)


def test_logits_that_do_not_fit_the_classes_are_refused():
    with pytest.raises(ValueError, match="3 logits, one for each class, for each row, shape"):
        as_it_is(network(2), np.digitize(Y, [-0.5, 0.5]).astype(str))
