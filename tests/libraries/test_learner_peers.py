"""Learners of other libraries' estimators, compared with the same fits without a Learner."""

from __future__ import annotations

from typing import NamedTuple

import lightgbm
import numpy as np
import pytest
import xgboost
from joblib import parallel_config
from ngboost import NGBClassifier, NGBRegressor
from ngboost.learners import default_tree_learner
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from skpro.regression.ensemble import BaggingRegressor
from skpro.regression.residual import ResidualDouble

from cases import thorough_after
from uqwidgets import GroundTruth, Learner, as_predictive, loco_importance
from uqwidgets.predictive import Categorical, Mixture, Normal

pytestmark = pytest.mark.usefixtures("one_thread")


def table(n=160):
    """Make a feature with an effect on mean and spread of the target, a weaker one, and noise.

    The classes have more noise, so that no probability is near 0 or 1.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    y = 2 * X[:, 0] + 0.5 * X[:, 1] + (0.2 + 0.5 * (X[:, 0] > 0)) * rng.normal(size=n)
    return X, y, (y + 1.5 * rng.normal(size=n) > 0).astype(int)


X, Y, NUMBERS = table()
LABELS = np.where(NUMBERS, "up", "down")
REFITS = 3


class Peer(NamedTuple):
    """An estimator, its target, and the seeds that a refit has to set for it."""

    estimator: object
    y: np.ndarray
    seeded: tuple[str, ...] = ("random_state",)

    def bare(self, seed):
        """Return it with a seed, not fitted."""
        if isinstance(self.estimator, (NGBRegressor, NGBClassifier)):
            parameters = self.estimator.get_params(deep=False)
            base = clone(default_tree_learner).set_params(random_state=seed)
            return type(self.estimator)(**parameters | {"random_state": seed, "Base": base})
        return clone(self.estimator).set_params(**dict.fromkeys(self.seeded, seed))


# All of these draw at random: NGBoost rows and columns, the trees rows.
BOOSTED = {"n_estimators": 15, "learning_rate": 0.05, "verbose": False, "minibatch_frac": 0.7}
DRAWN = {"n_estimators": 25, "subsample": 0.8, "n_jobs": 1}
PEERS = {
    "NGBRegressor": Peer(NGBRegressor(**BOOSTED), Y),
    "NGBClassifier": Peer(NGBClassifier(**BOOSTED), NUMBERS),
    "XGBoost": Peer(xgboost.XGBClassifier(max_depth=2, **DRAWN), NUMBERS),
    "LightGBM": Peer(
        lightgbm.LGBMClassifier(
            min_child_samples=5, num_leaves=4, subsample_freq=1, verbose=-1, **DRAWN
        ),
        LABELS,
    ),
    "skpro": Peer(ResidualDouble(LinearRegression()), Y, ()),
    "skpro, drawn": Peer(BaggingRegressor(ResidualDouble(LinearRegression()), n_estimators=4), Y),
}


# The networks take longest. Those of labels are in every run.
NUMBERS_OF_NETWORKS = ("dropout, numbers", "Bayes, numbers")


@pytest.fixture(
    scope="module",
    params=thorough_after(len(PEERS) - 2, sorted(PEERS, key=NUMBERS_OF_NETWORKS.__contains__)),
)
def peer(request):
    return PEERS[request.param]


@pytest.fixture(scope="module")
def learner(peer):
    return Learner(peer.estimator, X, peer.y, n_refits=REFITS)


def numbers_of(q):
    """Return the parameters of a distribution, or those of its members of equal weight."""
    if isinstance(q, Mixture):
        assert np.ptp(q.weights) == 0
        q = q.members
    if isinstance(q, Categorical):
        return q.probabilities
    assert isinstance(q, Normal)
    return np.stack([q.loc, q.scale], axis=-1)


@pytest.fixture(scope="module")
def bare_fits(peer, learner):
    """Return each refit, its held-out rows, and a fit to the same rows with the same seed."""
    result = []
    for refit in learner.fit().refits:
        rows = learner._refits.plan.resample(refit.number)
        bare = peer.bare(refit.seed).fit(X[rows.train], peer.y[rows.train])
        result.append((refit, rows.held_out, bare))
    return result


def test_refits_predict_as_bare_fits_with_their_seeds(bare_fits):
    for refit, held_out, bare in bare_fits:
        answers = numbers_of(refit.explainer.evaluations.original)
        np.testing.assert_allclose(
            answers, numbers_of(as_predictive(bare)(X[held_out])), rtol=1e-12
        )


def test_performance_equals_the_likelihood_of_the_library(peer, learner, bare_fits):
    own = []
    for _, held_out, bare in bare_fits:
        rows, y = X[held_out], peer.y[held_out]
        if y.dtype != float:
            p = bare.predict_proba(rows).astype(float)
            own.append(log_loss(y, p / p.sum(axis=1, keepdims=True)))
        elif hasattr(bare, "pred_dist"):
            own.append(-bare.pred_dist(rows).logpdf(y).mean())
        elif hasattr(bare, "predict_distribution"):
            own.append(-bare.predict_distribution(rows).log_prob(y).mean())
        else:
            own.append(-np.log(bare.predict_proba(rows).pdf(y[:, None]).to_numpy()).mean())
    np.testing.assert_allclose(learner.performance("nll").per_refit, own, rtol=1e-6)


@pytest.mark.parametrize("measure", ["nll", "entropy"])
def test_importance_has_its_interval_and_every_refit(learner, measure):
    result = learner.importance(measure, n_repeats=3)
    assert result.per_refit.shape == (3, REFITS)
    for values in (result.low, result.importance, result.high, result.per_refit):
        assert np.isfinite(values).all()
    if measure == "nll":
        value = dict(zip(result.features, result.importance, strict=True))
        assert value["x0"] > 0.1
        assert result.features.index("x0") < result.features.index("x2")
        assert abs(value["x2"]) < value["x0"] / 3


def test_curves_of_entropy(learner):
    result = learner.dependence("x0", "entropy", grid=4)
    assert result.per_refit.shape == (REFITS, 4)
    assert np.isfinite([result.low, result.average, result.high]).all()


def test_leaving_out_fits_without_the_column(peer, learner, bare_fits):
    result = learner.loco("nll", ["x0"])
    assert result.features == ("x0",)
    without = []
    for refit, held_out, _ in bare_fits:
        train = learner._refits.plan.resample(refit.number).train
        bare = peer.bare(refit.seed).fit(X[train][:, 1:], peer.y[train])
        losses = [
            -as_predictive(model)(rows).log_prob(peer.y[held_out]).mean()
            for model, rows in (
                (bare, X[held_out][:, 1:]),
                (refit.explainer.predictive, X[held_out]),
            )
        ]
        without.append(losses[0] - losses[1])
    np.testing.assert_allclose(result.per_refit[0], without, rtol=1e-9, atol=1e-12)


class TestProcesses:
    @pytest.mark.thorough
    @pytest.mark.parametrize("name", ["NGBRegressor", "XGBoost"])
    def test_parallel_refits_equal_sequential_ones(self, name):
        estimator, y, _ = PEERS[name]
        alone, several = (
            Learner(estimator, X, y, n_refits=2, n_jobs=n_jobs) for n_jobs in (None, 2)
        )
        with parallel_config("loky", inner_max_num_threads=1):
            several.fit()
        for one, other in zip(alone.fit().refits, several.refits, strict=True):
            np.testing.assert_array_equal(
                numbers_of(other.explainer.evaluations.original),
                numbers_of(one.explainer.evaluations.original),
            )

    @pytest.mark.thorough
    def test_parallel_simulations_equal_sequential_ones(self):
        truth = GroundTruth(lambda X: 2 * X[:, 0], lambda n, rng: rng.normal(size=(n, 2)))
        options = {"n_train": 40, "n_test": 20, "n_datasets": 3, "n_refits": 2, "n_truth": 50}
        estimator = NGBRegressor(n_estimators=5, minibatch_frac=0.5, verbose=False)
        alone = truth.decompose(estimator, measure="nll", **options)
        with parallel_config("loky", inner_max_num_threads=1):
            several = truth.decompose(estimator, measure="nll", n_jobs=2, **options)
        np.testing.assert_allclose(several.estimates, alone.estimates, rtol=1e-9)


def test_classes_are_resampled_separately_if_one_is_rare():
    y = np.where(np.arange(len(X)) < 8, "rare", "often")
    learner = Learner(NGBClassifier(n_estimators=5, verbose=False), X, y == "rare", n_refits=10)
    assert "each class was resampled by itself" in learner.performance("nll").remarks[0]


def test_a_pipeline_that_ends_in_an_estimator_of_ngboost_is_seeded():
    trees = clone(default_tree_learner).set_params(random_state=0)
    model = make_pipeline(StandardScaler(), NGBRegressor(Base=trees, **BOOSTED))
    one, same, other = (
        loco_importance(model, X, Y, X[:50], Y[:50], features="x0", random_state=s)
        for s in (0, 0, 1)
    )
    np.testing.assert_array_equal(one.importance, same.importance)
    assert (one.importance != other.importance).all()
