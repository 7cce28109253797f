"""Models around a model: searches, pipelines, transformed targets."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import RandomForestRegressor
from sklearn.frozen import FrozenEstimator
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.linear_model import ARDRegression, BayesianRidge, LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    PowerTransformer,
    RobustScaler,
    StandardScaler,
)

from models import normal_model, table
from uqwidgets.predictive import Normal, Point, Quantiles, as_predictive

X, Y = table(70)


class Distributing:
    """The last step of a pipeline, with a method that pipelines do not pass on."""

    def fit(self, _X, _y):
        return self

    def predict_distribution(self, X):
        return Normal(*normal_model(X))


@pytest.mark.parametrize(
    "model",
    [
        GridSearchCV(BayesianRidge(), {"tol": [1e-3, 1e-2]}, cv=2),
        GridSearchCV(
            make_pipeline(StandardScaler(), GaussianProcessRegressor(alpha=0.1)),
            {"gaussianprocessregressor__alpha": [0.1, 0.2]},
            cv=2,
        ),
        make_pipeline(StandardScaler(), ARDRegression()),
    ],
    ids=["search", "search-pipeline", "pipeline"],
)
def test_the_standard_deviation_of_an_inner_model_is_used(model):
    model.fit(X, Y)
    q = as_predictive(model)(X)
    best = getattr(model, "best_estimator_", model)
    mean, std = best.predict(X, return_std=True)
    np.testing.assert_allclose(q.loc, mean, rtol=1e-12)
    np.testing.assert_allclose(q.scale, std, rtol=1e-12)


def test_a_frozen_estimator_is_unwrapped():
    frozen = FrozenEstimator(BayesianRidge().fit(X, Y))
    np.testing.assert_array_equal(
        as_predictive(frozen)(X).scale, as_predictive(frozen.estimator)(X).scale
    )


def test_all_methods_of_the_last_step_of_a_pipeline_are_used():
    scaler = StandardScaler().fit(X)
    q = as_predictive(Pipeline([("scale", scaler), ("model", Distributing())]))(X)
    mean, std = normal_model(scaler.transform(X))
    np.testing.assert_allclose(q.loc, mean, rtol=1e-12)
    np.testing.assert_allclose(q.scale, std, rtol=1e-12)


def test_a_pipeline_keeps_its_name_and_its_columns():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    predictive = as_predictive(make_pipeline(StandardScaler(), BayesianRidge()).fit(frame, Y))
    assert predictive.name == "Pipeline"
    assert predictive.feature_names == ("a", "b", "c")
    assert predictive.n_features == 3


@pytest.mark.parametrize(
    "transformer",
    [StandardScaler(), MinMaxScaler(), RobustScaler(), None],
    ids=lambda t: type(t).__name__,
)
def test_a_normal_distribution_stays_normal_on_another_scale(transformer):
    far = 1e6 + 250 * Y
    model = TransformedTargetRegressor(BayesianRidge(), transformer=transformer)
    model.fit(X, far)
    q = as_predictive(model)(X)
    assert isinstance(q, Normal)
    np.testing.assert_allclose(q.loc, model.predict(X), rtol=1e-12)
    _, std = model.regressor_.predict(X, return_std=True)
    factor = getattr(model.transformer_, "scale_", np.ones(1))[0]
    factor = 1 / factor if isinstance(transformer, MinMaxScaler) else factor
    np.testing.assert_allclose(q.scale, std * factor, rtol=1e-9)


@pytest.mark.parametrize(
    ("forth", "back"),
    [(np.log, np.exp), (lambda y: -np.log(y), lambda z: np.exp(-z))],
    ids=["rising", "falling"],
)
def test_quantiles_follow_a_nonlinear_transformation(forth, back):
    positive = np.exp(Y)
    model = TransformedTargetRegressor(BayesianRidge(), func=forth, inverse_func=back)
    model.fit(X, positive)
    q = as_predictive(model)(X)
    assert isinstance(q, Quantiles)
    mean, std = model.regressor_.predict(X, return_std=True)
    exact = stats.lognorm(s=std, scale=np.exp(mean if back is np.exp else -mean))
    for level in (0.05, 0.5, 0.9):
        np.testing.assert_allclose(q.quantile(level), exact.ppf(level), rtol=0.002)
    error = q.log_prob(positive) - exact.logpdf(positive)
    assert np.abs(error).max() < 0.2
    assert abs(error.mean()) < 0.01
    np.testing.assert_allclose(q.entropy(), exact.entropy(), atol=0.002)
    assert not q.crossed.any()


def test_a_pipeline_inside_a_transformed_target_keeps_its_uncertainty():
    inner = make_pipeline(StandardScaler(), BayesianRidge())
    model = TransformedTargetRegressor(inner, func=np.log, inverse_func=np.exp)
    q = as_predictive(model.fit(X, np.exp(Y)))(X)
    assert isinstance(q, Quantiles)
    mean, std = model.regressor_.predict(X, return_std=True)
    exact = stats.lognorm(s=std, scale=np.exp(mean))
    np.testing.assert_allclose(q.quantile(0.9), exact.ppf(0.9), rtol=0.002)
    # Without uncertainty in the inner model, the result is its points.
    inner = make_pipeline(StandardScaler(), LinearRegression())
    model = TransformedTargetRegressor(inner, func=np.log, inverse_func=np.exp)
    q = as_predictive(model.fit(X, np.exp(Y)))(X)
    assert isinstance(q, Point)
    np.testing.assert_allclose(q.value, model.predict(X))


def test_a_fitted_transformer_is_inverted():
    model = TransformedTargetRegressor(BayesianRidge(), transformer=PowerTransformer())
    q = as_predictive(model.fit(X, Y))(X)
    np.testing.assert_allclose(q.quantile(0.5), model.predict(X), rtol=1e-9)


def test_a_transformed_target_without_uncertainty_is_a_point():
    model = TransformedTargetRegressor(
        LinearRegression(), transformer=FunctionTransformer(np.cbrt, lambda z: z**3)
    ).fit(X, Y)
    q = as_predictive(model)(X)
    assert isinstance(q, Point)
    np.testing.assert_allclose(q.value, model.predict(X))
    q = as_predictive(model, noise=0.5)(X)
    np.testing.assert_allclose(q.loc, model.predict(X))
    assert (q.scale == 0.5).all()


def test_members_inside_a_transformed_target_are_refused():
    model = TransformedTargetRegressor(RandomForestRegressor(3)).fit(X, Y)
    with pytest.raises(TypeError, match="TransformedTargetRegressor has no members"):
        as_predictive(model, members=True)


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        (BayesianRidge(), {"noise": 1.0}, "BayesianRidge gives a mean and a standard deviation"),
        (BayesianRidge(), {"classes": [0, 1]}, "classes has no effect here, because BayesianRidge"),
        (LinearRegression(), {"samples": True}, "samples has no effect here, because LinearRegres"),
        (Distributing(), {"noise": 1.0}, "Distributing gives a distribution of its own"),
        (
            TransformedTargetRegressor(BayesianRidge()),
            {"noise": 1.0},
            "TransformedTargetRegressor is read by the distribution of the model inside it",
        ),
    ],
)
def test_options_without_meaning_are_refused(model, options, message):
    with pytest.raises(ValueError, match=message):
        as_predictive(model.fit(X, Y), **options)


def test_a_distribution_must_be_one():
    class Wrong:
        def predict_distribution(self, X):
            return [0.0] * len(X)

    with pytest.raises(ValueError, match=r"predict_distribution of Wrong returned a list; it must"):
        as_predictive(Wrong())(X)
