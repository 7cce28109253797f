"""The adapter of NGBoost compared with NGBoost's own numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from ngboost import NGBClassifier, NGBoost, NGBRegressor, NGBSurvival
from ngboost.distns import (
    Bernoulli,
    Exponential,
    Gamma,
    Laplace,
    LogNormal,
    MultivariateNormal,
    Normal,
    Poisson,
    T,
    Weibull,
    k_categorical,
)
from ngboost.distns.beta_bernoulli import BetaBernoulli
from ngboost.distns.logitnormal import LogitNormal
from ngboost.distns.normal import NormalFixedVar
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import uqwidgets.predictive as ours
from models import table
from uqwidgets import Explainer, as_predictive

X, Y = table(150)
POSITIVE = np.exp(Y)
COUNTS = np.round(np.abs(2 * Y)).astype(int)
FAST = {"n_estimators": 15, "learning_rate": 0.1, "verbose": False, "random_state": 0}


@pytest.mark.parametrize("kind", [Normal, NormalFixedVar], ids=lambda kind: kind.__name__)
def test_normal_answers_are_exact(kind):
    model = NGBRegressor(Dist=kind, **FAST).fit(X, Y)
    exact, q = model.pred_dist(X), as_predictive(model)(X)
    assert isinstance(q, ours.Normal)
    np.testing.assert_allclose(q.entropy(), exact.dist.entropy(), rtol=1e-12)
    np.testing.assert_allclose(q.log_prob(Y), exact.logpdf(Y), rtol=1e-12)
    np.testing.assert_allclose(q.quantile(0.9), exact.ppf(0.9), rtol=1e-12)
    explainer = Explainer(model, X, Y)
    assert explainer.importance("nll", n_repeats=1).baseline == pytest.approx(
        -exact.logpdf(Y).mean(), rel=1e-12
    )


@pytest.mark.parametrize(
    ("kind", "y"),
    [
        (Laplace, Y),
        (LogNormal, POSITIVE),
        (Exponential, POSITIVE),
        (Gamma, POSITIVE),
        (Weibull, POSITIVE),
    ],
    ids=lambda kind: getattr(kind, "__name__", ""),
)
def test_other_continuous_answers_are_read_by_their_quantiles(kind, y):
    model = NGBRegressor(Dist=kind, **FAST).fit(X, y)
    exact, q = model.pred_dist(X), as_predictive(model)(X)
    assert isinstance(q, ours.Quantiles)
    np.testing.assert_allclose(q.quantile(0.5), exact.ppf(0.5), rtol=1e-9)
    np.testing.assert_allclose(q.quantile(0.03), exact.ppf(0.03), rtol=0.01, atol=0.005)
    # scipy integrates the entropy of t row by row, which is slow, so few rows are used.
    few = slice(0, 5)
    np.testing.assert_allclose(q.entropy()[few], exact[few].dist.entropy(), atol=0.003)
    difference = q.log_prob(y) - exact.logpdf(y)
    assert np.abs(difference).max() < 0.25
    assert abs(difference.mean()) < 0.01


def test_t_is_read_by_its_quantiles():
    # The degrees of freedom are set to ten, because fitting them to few rows overflows.
    exact = T(np.array([Y, np.full(150, -0.5), np.full(150, np.log(10.0))]))
    q = as_predictive(lambda _: exact)(X)
    assert isinstance(q, ours.Quantiles)
    np.testing.assert_allclose(q.quantile(0.9), exact.ppf(0.9), atol=0.002)
    np.testing.assert_allclose(q.entropy()[:3], exact.entropy()[:3], atol=0.002)


def test_survival_times_are_read():
    model = NGBSurvival(**FAST).fit(X, POSITIVE, np.ones(len(X)))
    q = as_predictive(model)(X)
    np.testing.assert_allclose(q.quantile(0.5), model.pred_dist(X).ppf(0.5), rtol=1e-9)


def test_counts_are_probabilities_of_what_is_possible():
    model = NGBRegressor(Dist=Poisson, **FAST).fit(X, COUNTS)
    with pytest.raises(ValueError, match=r"poisson is a distribution of counts; pass.*range\(1 \+"):
        as_predictive(model)(X)
    with pytest.raises(ValueError, match=r"counts other than the classes 0 to 2 have the probab"):
        as_predictive(model, classes=range(3))(X)
    predictive = as_predictive(model, classes=range(60))
    exact, q = model.pred_dist(X), predictive(X)
    np.testing.assert_allclose(q.log_prob(COUNTS), exact.logpmf(COUNTS), rtol=1e-9)
    np.testing.assert_allclose(q.mean(), exact.mean(), rtol=1e-9)
    np.testing.assert_allclose(q.entropy(), exact.dist.entropy(), rtol=1e-6)
    explainer = Explainer(predictive, X, COUNTS)
    assert explainer.importance("nll", n_repeats=2).importance.max() > 0


@pytest.mark.parametrize(
    ("model", "k"),
    [
        (NGBClassifier(Dist=Bernoulli, **FAST), 2),
        (NGBClassifier(Dist=k_categorical(3), **FAST), 3),
        # NGBClassifier 0.6 refuses this distribution, which has two parameters for two classes.
        (NGBoost(Dist=BetaBernoulli, **FAST), 2),
    ],
    ids=["two", "three", "beta"],
)
def test_classes_are_numbered_or_named(model, k):
    y = np.digitize(Y, np.quantile(Y, np.arange(1, k) / k))
    exact = model.fit(X, y).pred_dist(X).class_probs()
    explainer = Explainer(model, X, y)
    assert explainer.classes.tolist() == list(range(k))
    np.testing.assert_allclose(explainer.evaluations.original.probabilities, exact, rtol=1e-12)
    expected = -np.log(exact[np.arange(len(y)), y]).mean()
    assert explainer.importance("nll", n_repeats=1).baseline == pytest.approx(expected)
    names = np.array(["low", "high", "most"])[:k]
    named = Explainer(as_predictive(model, classes=names), X, names[y])
    assert named.classes.tolist() == names.tolist()
    assert named.importance("nll", n_repeats=1).baseline == pytest.approx(expected)


def test_names_of_classes_come_from_the_model():
    names = np.array(["low", "high"])[(Y > 0).astype(int)]
    model = NGBClassifier(**FAST).fit(X, names)
    explainer = Explainer(model, X, names)
    assert explainer.classes.tolist() == ["high", "low"]
    expected = -np.log(model.predict_proba(X)[np.arange(len(Y)), (Y <= 0).astype(int)]).mean()
    assert explainer.importance("nll", n_repeats=1).baseline == pytest.approx(expected)


def test_pipelines_and_functions_of_ngboost_models_are_read():
    model = make_pipeline(StandardScaler(), NGBRegressor(**FAST)).fit(X, Y)
    exact = model[-1].pred_dist(model[0].transform(X))
    q = as_predictive(model)(X)
    np.testing.assert_allclose(q.scale, exact.scale, rtol=1e-12)
    early = as_predictive(lambda X: model[-1].pred_dist(X, max_iter=3))(X)
    np.testing.assert_allclose(early.loc, model[-1].pred_dist(X, max_iter=3).loc)


def test_a_list_is_a_deep_ensemble():
    models = [NGBRegressor(**(FAST | {"col_sample": 0.7, "random_state": s})) for s in range(3)]
    q = as_predictive([model.fit(X, Y) for model in models])(X)
    locs = np.array([model.pred_dist(X).loc for model in models])
    np.testing.assert_allclose(q.mean(), locs.mean(axis=0), rtol=1e-12)
    assert (q.epistemic() > 0).mean() > 0.9


def test_unknown_columns_are_counted():
    # NGBoost itself accepts the first three without an error.
    model = NGBRegressor(**FAST).fit(X, Y)
    with pytest.raises(ValueError, match="X has 4 columns, but the model was fitted on 3"):
        Explainer(model, np.column_stack([X, Y]), Y)


def test_frames_are_accepted():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = NGBRegressor(**FAST).fit(frame, Y)
    result = Explainer(model, frame, Y).importance("entropy", n_repeats=2)
    assert set(result.features) == {"a", "b", "c"}


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        (NGBRegressor(), NotFittedError, "NGBRegressor is not fitted; call its fit first"),
        (
            NGBRegressor(Dist=MultivariateNormal(2), **FAST).fit(X, np.column_stack([Y, X[:, 1]])),
            ValueError,
            "NGBoost's MVN has neither class probabilities nor quantiles of a single target; pass",
        ),
        (
            NGBRegressor(Dist=LogitNormal, **FAST).fit(X, 1 / (1 + np.exp(-Y))),
            ValueError,
            "NGBoost's LogitNormal has neither",
        ),
    ],
    ids=["unfitted", "several", "logit"],
)
def test_unreadable_distributions_are_refused(model, error, message):
    with pytest.raises(error, match=message):
        as_predictive(model)(X)


def test_an_option_that_means_nothing_is_refused():
    model = NGBRegressor(**FAST).fit(X, Y)
    with pytest.raises(
        ValueError, match="noise has no effect here, because NGBRegressor gives a di"
    ):
        as_predictive(model, noise=1.0)
