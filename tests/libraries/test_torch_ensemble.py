"""Trained networks as a mixture: masks of dropout, several networks, modules of all kinds."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
import torch
from scipy.special import expit
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from torch import nn

import uqwidgets as uq
from models import table
from uqwidgets import Explainer, NetworkEnsemble, Normal

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


def test_a_member_is_the_network_without_the_units_of_its_mask():
    module = network()
    model = NetworkEnsemble(module, 30, noise=0.5)
    q = model.predict_distribution(X)
    first, last = module[0], module[3]
    hidden = np.tanh(X @ first.weight.detach().numpy().T + first.bias.detach().numpy())
    (mask,) = (m.numpy() for m in model._masks)
    assert mask.shape == (30, 20)
    np.testing.assert_allclose(np.unique(mask), [0, 1 / 0.7], rtol=1e-6)
    assert len(np.unique(mask, axis=0)) == 30
    dropped = hidden[:, None, :] * mask
    means = dropped @ last.weight.detach().numpy()[0] + last.bias.detach().numpy()
    assert isinstance(q.members, Normal)
    np.testing.assert_allclose(q.members.loc, means, atol=1e-5)
    np.testing.assert_allclose(q.members.scale, 0.5)


def test_masks_have_the_dropout_rate_and_keep_the_mean():
    model = NetworkEnsemble(network(dropout=0.25), 4000, noise=1.0)
    model.predict_distribution(X[:2])
    (mask,) = model._masks
    assert float((mask == 0).float().mean()) == pytest.approx(0.25, abs=0.005)
    assert float(mask.mean()) == pytest.approx(1, abs=0.01)


def test_several_networks_are_the_members():
    modules = [network(2, seed=seed) for seed in range(3)]
    q = NetworkEnsemble(modules, classes=["down", "up"]).predict_distribution(X)
    with torch.no_grad():
        rows = torch.as_tensor(X, dtype=torch.float32)
        own = [module.eval()(rows).softmax(1).numpy() for module in modules]
    np.testing.assert_allclose(q.members.probabilities, np.stack(own, axis=1), atol=1e-6)
    assert q.classes.tolist() == ["down", "up"]


class Twice(nn.Module):
    """One dropout layer passed twice, with another number of units each time."""

    def __init__(self):
        super().__init__()
        self.dropout = nn.Dropout(0.5)
        self.one, self.two, self.three = nn.Linear(3, 8), nn.Linear(8, 6), nn.Linear(6, 1)

    def forward(self, x):
        x = self.dropout(torch.relu(self.one(x)))
        return self.three(self.dropout(torch.relu(self.two(x))))[:, 0]


CHANNELS = nn.Sequential(
    nn.Unflatten(1, (1, 3)), nn.Conv1d(1, 4, 2), nn.Dropout1d(0.5), nn.Flatten(), nn.Linear(8, 1)
)


@pytest.mark.parametrize(
    ("module", "shapes"),
    [(Twice(), [(30, 8), (30, 6)]), (CHANNELS, [(30, 4, 1)])],
    ids=["a layer that is passed twice", "channels are dropped as a whole"],
)
def test_every_pass_of_a_dropout_layer_has_masks(module, shapes):
    model = NetworkEnsemble(module, 30, noise=1.0)
    whole = model.predict_distribution(X).mean()
    assert [tuple(mask.shape) for mask in model._masks] == shapes
    # A row gets the same prediction to the last bit, whatever the other rows are.
    rows = [model.predict_distribution(X[[i]]).mean()[0] for i in (0, 7)]
    np.testing.assert_array_equal(whole[[0, 7]], rows)


def test_the_original_module_and_the_generator_of_torch_are_unchanged():
    module = network(middle=[nn.BatchNorm1d(20)]).double().train()
    before, state = copy.deepcopy(module.state_dict()), torch.get_rng_state()
    NetworkEnsemble(module, 3, noise=1.0).predict_distribution(X)
    assert module.training
    assert not module[3]._forward_hooks
    for name, weights in module.state_dict().items():
        assert torch.equal(weights, before[name])
    assert torch.equal(state, torch.get_rng_state())


def test_the_seed_determines_the_predictions():
    def means(seed):
        model = NetworkEnsemble(network(), 5, noise=1.0, random_state=seed)
        return model.predict_distribution(X).mean()

    np.testing.assert_array_equal(means(0), means(0))
    assert (means(0) != means(1)).any()


@pytest.mark.parametrize("kind", ["pickled", "in threads", "in double precision"])
def test_predictions_are_the_same(kind):
    model = NetworkEnsemble(network(), 5, noise=1.0)
    expected = NetworkEnsemble(network(), 5, noise=1.0).predict_distribution(X).mean()
    if kind == "pickled":
        answers = [pickle.loads(pickle.dumps(model)).predict_distribution(X)]
    elif kind == "in threads":
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(model.predict_distribution, [X] * 12))
    else:
        torch.set_default_dtype(torch.float64)
        try:
            answers = [model.predict_distribution(X)]
        finally:
            torch.set_default_dtype(torch.float32)
    for answer in answers:
        np.testing.assert_array_equal(answer.mean(), expected)


@pytest.mark.parametrize(("outputs", "classes"), [(1, None), (2, ["down", "up"])])
def test_a_feature_without_weights_has_an_importance_of_exactly_zero(outputs, classes):
    module = network(outputs)
    with torch.no_grad():
        module[0].weight[:, 2] = 0
    model = NetworkEnsemble(module, 20, classes=classes, noise=None if classes else 0.5)
    explainer = Explainer(model, X, Y if classes is None else LABELS)
    for measure in ("nll", "entropy"):
        result = explainer.importance(measure, n_repeats=3)
        values = dict(zip(result.features, result.importance, strict=True))
        assert values["x2"] == 0
        assert values["x0"] != 0
    assert explainer.rows_evaluated == len(X) * (1 + 3 * 3)


def test_one_output_is_that_of_the_second_class():
    module = network(1)
    rows = NetworkEnsemble(module, 9, noise=1.0).predict_distribution(X).members.loc
    logits = NetworkEnsemble(module, 9, classes=[0, 1]).predict_distribution(X)
    np.testing.assert_allclose(logits.members.probabilities[..., 1], expit(rows), rtol=1e-6)
    sigmoid = nn.Sequential(module, nn.Sigmoid())
    same = NetworkEnsemble(sigmoid, 9, classes=[0, 1], logits=False).predict_distribution(X)
    np.testing.assert_allclose(same.probabilities, logits.probabilities, rtol=1e-5)


def test_without_noise_there_is_an_entropy_and_no_likelihood():
    measures = Explainer(NetworkEnsemble(network(), 20), X, Y).measure_names
    assert "entropy" in measures
    assert "nll" not in measures


def test_pipelines_with_columns_of_every_type():
    data = pd.DataFrame(X[:, :2], columns=["a", "b"])
    data["town"] = np.where(X[:, 2] > 0, "Oslo", "Rome")
    columns = make_column_transformer(
        (OneHotEncoder(drop="first"), ["town"]), remainder="passthrough"
    )
    encoder = make_pipeline(columns).fit(data)
    model = NetworkEnsemble(network(), 5, noise=0.5)
    explainer = Explainer(lambda D: model.predict_distribution(encoder.transform(D)), data, Y)
    result = explainer.importance("epistemic", n_repeats=2)
    assert set(result.features) == {"a", "b", "town"}
    assert np.isfinite(result.importance).all()


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
        (network(2), {}, ValueError, r"shape \(\d+, 2\) .* shape \(\d+, 1\), or classes must be"),
        (network(2), {"classes": list("abc")}, ValueError, "3 numbers, one for each class, for"),
        (nn.Linear, {}, TypeError, "holds <class.*pass a trained torch.nn.Module, or a list of"),
        ([nn.Linear(3, 1)], {}, ValueError, "the ensemble has one member"),
        (network(), {"n_samples": 1}, ValueError, "the ensemble has one member"),
        (network(), {"noise": 0.0}, ValueError, "noise is 0.0; it must be a number greater"),
        (network(2), {"noise": 1.0, "classes": [0, 1]}, ValueError, "leave one out"),
        (SeveralAxes(), {}, ValueError, r"shape \(1, \d+\); its first axis must be"),
    ],
)
def test_what_cannot_be_used_is_refused(module, options, error, message):
    with pytest.raises(error, match=message):
        uq.NetworkEnsemble(module, **{"n_samples": 5} | options).predict_distribution(X)


def test_columns_that_are_no_numbers_are_refused():
    data = pd.DataFrame(X).assign(town="Oslo")
    with pytest.raises(ValueError, match=r"networks read numbers only .*Oslo.*encode X before"):
        NetworkEnsemble(network(), 5).predict_distribution(data)
