"""The adapter of skpro compared with skpro's own numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, QuantileRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from skpro import distributions as theirs
from skpro.distributions.kernel_mixture import KernelMixture
from skpro.distributions.normal_mixture import NormalMixture
from skpro.regression.bootstrap import BootstrapRegressor
from skpro.regression.ensemble import BaggingRegressor
from skpro.regression.multiquantile import MultipleQuantileRegressor
from skpro.regression.residual import ResidualDouble

from models import table
from uqwidgets import Explainer, as_predictive
from uqwidgets.predictive import Categorical, Mixture, Normal, Point, Quantiles

X, Y = table(60)
FRAME = pd.DataFrame(X, columns=["a", "b", "c"])
TARGET = pd.DataFrame({"target": Y})
INDEX, COLUMNS = pd.RangeIndex(3), pd.Index(["target"])
SHAPED = {"index": INDEX, "columns": COLUMNS}


def residuals(**options):
    return ResidualDouble(LinearRegression(), **options)


def log_pdf(exact, y):
    at = pd.DataFrame(np.asarray(y)[:, None], index=exact.index, columns=exact.columns)
    return exact.log_pdf(at).to_numpy()[:, 0]


@pytest.mark.parametrize("data", [FRAME, X], ids=["frame", "array"])
def test_normal_answers_are_exact(data):
    model = residuals().fit(data, TARGET)
    predictive = as_predictive(model)
    assert predictive.classes is None
    exact, q = model.predict_proba(data), predictive(data)
    assert isinstance(q, Normal)
    np.testing.assert_allclose(q.loc, exact.mean().to_numpy()[:, 0], rtol=1e-12)
    np.testing.assert_allclose(q.log_prob(Y), log_pdf(exact, Y), rtol=1e-12)
    explainer = Explainer(model, data, Y)
    assert explainer.importance("nll", n_repeats=2).baseline == pytest.approx(
        -log_pdf(exact, Y).mean(), rel=1e-12
    )


def test_other_continuous_answers_are_read_by_their_quantiles():
    model = residuals(dist="Laplace").fit(FRAME, TARGET)
    exact, q = model.predict_proba(FRAME), as_predictive(model)(FRAME)
    assert isinstance(q, Quantiles)
    np.testing.assert_allclose(q.quantile(0.5), exact.quantile([0.5]).to_numpy()[:, 0], atol=1e-9)
    assert np.abs(q.log_prob(Y) - log_pdf(exact, Y)).max() < 0.2


@pytest.mark.filterwarnings("ignore:.*does not have a numerically exact")
def test_a_mixture_of_normal_distributions_stays_one():
    model = BaggingRegressor(residuals(), n_estimators=4, random_state=0).fit(FRAME, TARGET)
    exact, q = model.predict_proba(FRAME), as_predictive(model)(FRAME)
    assert isinstance(q, Mixture)
    assert q.members.loc.shape == (60, 4)
    np.testing.assert_allclose(q.mean(), exact.mean().to_numpy()[:, 0], rtol=1e-12)
    np.testing.assert_allclose(q.variance(), exact.var().to_numpy()[:, 0], rtol=1e-9)
    np.testing.assert_allclose(q.log_prob(Y), log_pdf(exact, Y), rtol=1e-9)


def test_samples_of_a_bootstrap_are_a_density():
    model = BootstrapRegressor(LinearRegression(), n_bootstrap_samples=9, random_state=0)
    exact = model.fit(FRAME, TARGET).predict_proba(FRAME)
    q = as_predictive(model)(FRAME)
    assert isinstance(q, Mixture)
    np.testing.assert_allclose(q.mean(), exact.mean().to_numpy()[:, 0], rtol=1e-12)


@pytest.mark.filterwarnings("ignore:The previous implementation of stack:FutureWarning")
def test_quantile_regressors_give_their_quantiles():
    alpha = [0.9, 0.1, 0.5]
    model = MultipleQuantileRegressor(
        mean_regressor=LinearRegression(),
        quantile_regressor=QuantileRegressor(alpha=0.0),
        alpha_name="quantile",
        alpha=alpha,
    ).fit(FRAME, TARGET)
    q = as_predictive(model)(FRAME)
    assert isinstance(q, Quantiles)
    assert q.levels.tolist() == [0.1, 0.5, 0.9]
    expected = model.predict_quantiles(FRAME, sorted(alpha)).to_numpy()
    np.testing.assert_allclose(q.values, np.sort(expected, axis=1), rtol=1e-12)


def test_a_pipeline_of_scikit_learn_ends_in_a_regressor_of_skpro():
    model = make_pipeline(StandardScaler(), residuals()).fit(X, TARGET)
    q = as_predictive(model)(X)
    exact = model[-1].predict_proba(model[0].transform(X))
    np.testing.assert_allclose(q.loc, exact.mean().to_numpy()[:, 0], rtol=1e-12)


def returning(distribution):
    """A function that returns a distribution of three rows."""
    return as_predictive(lambda _: distribution)(X[:3])


def test_mixtures_with_weights_of_each_row():
    original = NormalMixture(
        pi=[[0.2, 0.8], [0.5, 0.5], [1.0, 3.0]],
        mu=[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]],
        sigma=[[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]],
        **SHAPED,
    )
    q = returning(original)
    assert isinstance(q, Mixture)
    np.testing.assert_allclose(q.mean(), original.mean().to_numpy()[:, 0], rtol=1e-12)
    np.testing.assert_allclose(q.variance(), original.var().to_numpy()[:, 0], rtol=1e-12)


def test_counts_and_certainties():
    counts = theirs.Poisson(mu=[[1.0], [2.0], [3.0]], **SHAPED)
    q = as_predictive(lambda _: counts, classes=range(40))(X[:3])
    assert isinstance(q, Categorical)
    np.testing.assert_allclose(q.mean(), [1, 2, 3], rtol=1e-9)
    with pytest.raises(ValueError, match="Poisson is a distribution of counts; pass as_predictiv"):
        returning(counts)
    certain = returning(theirs.Delta([[1.0], [2.0], [3.0]], **SHAPED))
    assert isinstance(certain, Point)
    assert certain.value.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("distribution", "message"),
    [
        (theirs.Normal(mu=[[0.0, 1.0]] * 3, sigma=1.0), r"shape \(3, 2\) must be \(rows, 1\)"),
        (
            theirs.Mixture([("a", theirs.Laplace(mu=[[0.0]] * 3, scale=1.0))] * 2),
            "skpro's Mixture is read where its components are normal, but these are Laplace; pass",
        ),
        (
            KernelMixture(support=[0.0, 1.0], **SHAPED),
            "skpro's KernelMixture has no quantiles of its own; pass a function that returns",
        ),
    ],
    ids=["several", "mixture", "kernel"],
)
def test_unreadable_distributions_are_refused(distribution, message):
    with pytest.raises(ValueError, match=message):
        returning(distribution)


def test_the_error_of_an_unfitted_model_is_passed_on():
    with pytest.raises(NotFittedError, match="ResidualDouble is not fitted; call its fit first"):
        as_predictive(residuals())


def test_an_option_that_means_nothing_is_refused():
    model = residuals().fit(FRAME, TARGET)
    with pytest.raises(ValueError, match="noise has no effect here, because ResidualDouble g"):
        as_predictive(model, noise=1.0)
