"""Models of counts of statsmodels, LightGBM and XGBoost, and scores of scoringrules."""

from __future__ import annotations

import lightgbm
import numpy as np
import pandas as pd
import pytest
import scoringrules
import statsmodels.api as sm
import statsmodels.formula.api as smf
import xgboost

import uqwidgets as uq

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(300, 2)), columns=["a", "b"])
Y = RNG.poisson(np.exp(0.4 + 0.6 * X["a"]))
VARIED = RNG.negative_binomial(2, 1 / (1 + np.exp(0.4 + 0.6 * X["a"]) / 2))
FAST = {"n_estimators": 8, "n_jobs": 1, "random_state": 0}
LIGHT = FAST | {"verbose": -1, "min_child_samples": 5}
QUIET = {"verbose": -1, "num_threads": 1}


def boosted():
    yield lightgbm.LGBMRegressor(**LIGHT, objective="poisson").fit(X, Y)
    parameters = QUIET | {"objective": "poisson"}
    yield lightgbm.train(parameters, lightgbm.Dataset(X, Y), 8)
    yield xgboost.XGBRegressor(**FAST, objective="count:poisson").fit(X, Y)


@pytest.mark.parametrize("model", list(boosted()), ids=["lightgbm", "booster", "xgboost"])
def test_boosting_with_the_poisson_loss_is_poisson_with_the_mean_it_predicts(model):
    explainer = uq.Explainer(model, X, Y)
    q = explainer.evaluations.original
    assert isinstance(q, uq.Poisson)
    np.testing.assert_array_equal(q.mean(), model.predict(X))
    assert np.isfinite(explainer.importance("deviance", n_repeats=2).importance).all()


def test_boosters_from_files_keep_their_loss(tmp_path):
    light = lightgbm.LGBMRegressor(**LIGHT, objective="poisson").fit(X, Y)
    light.booster_.save_model(tmp_path / "light.txt")
    stored = lightgbm.Booster(model_file=tmp_path / "light.txt")
    assert isinstance(uq.as_predictive(stored)(X), uq.Poisson)
    xgboost.XGBRegressor(**FAST, objective="count:poisson").fit(X, Y).save_model(
        tmp_path / "x.json"
    )
    loaded = xgboost.XGBRegressor()
    loaded.load_model(tmp_path / "x.json")
    assert isinstance(uq.as_predictive(loaded)(X), uq.Poisson)


@pytest.mark.parametrize(
    "model",
    [lightgbm.LGBMRegressor(**LIGHT), xgboost.XGBRegressor(**FAST)],
    ids=["lightgbm", "xgboost"],
)
def test_other_losses_stay_points(model):
    assert isinstance(uq.as_predictive(model.fit(X, Y))(X), uq.Point)


def by_formula(family, **options):
    return smf.glm("y ~ a + b", X.assign(y=Y), family=family, **options).fit()


def test_generalised_linear_models_of_statsmodels_have_their_family():
    poisson = by_formula(sm.families.Poisson())
    q = uq.as_predictive(poisson)(X)
    assert isinstance(q, uq.Poisson)
    np.testing.assert_array_equal(q.mean(), poisson.predict(X))
    assert q.deviance(Y).sum() == pytest.approx(poisson.deviance, rel=1e-9)
    assert q.log_prob(Y).sum() == pytest.approx(poisson.llf, rel=1e-9)
    binomial = by_formula(sm.families.NegativeBinomial(alpha=0.4))
    q = uq.as_predictive(binomial)(X)
    assert isinstance(q, uq.NegativeBinomial)
    np.testing.assert_array_equal(q.dispersion, 0.4)
    assert q.deviance(Y).sum() == pytest.approx(binomial.deviance, rel=1e-9)
    assert q.log_prob(Y).sum() == pytest.approx(binomial.llf, rel=1e-9)
    arrays = sm.GLM(Y, X, family=sm.families.Poisson()).fit()
    assert isinstance(uq.as_predictive(arrays)(X), uq.Poisson)
    assert isinstance(uq.as_predictive(by_formula(sm.families.Gaussian()))(X), uq.Point)


def test_discrete_models_of_statsmodels_have_their_own_dispersion():
    rows = X.assign(one=1.0)
    for kind, expected in ((sm.Poisson, uq.Poisson), (sm.NegativeBinomial, uq.NegativeBinomial)):
        model = kind(VARIED, rows).fit(disp=0)
        q = uq.as_predictive(model)(rows)
        assert isinstance(q, expected)
        np.testing.assert_array_equal(q.mean(), model.predict(rows))
        assert q.log_prob(VARIED).sum() == pytest.approx(model.llf, rel=1e-9)
    linear = sm.NegativeBinomial(VARIED, rows, loglike_method="nb1").fit(disp=0)
    assert isinstance(uq.as_predictive(linear)(rows), uq.Point)


def test_an_exposure_that_predict_leaves_out_is_refused_with_the_way_out():
    years = RNG.uniform(0.5, 2.0, size=len(X))
    model = by_formula(sm.families.Poisson(), exposure=years)
    with pytest.raises(ValueError, match=r"exposure or offset.*uqwidgets\.Poisson\(model\.predict"):
        uq.as_predictive(model)
    rows = X.assign(years=years)
    q = uq.as_predictive(lambda X: uq.Poisson(model.predict(X, exposure=X["years"])))(rows)
    assert q.log_prob(Y).sum() == pytest.approx(model.llf, rel=1e-9)


def test_the_crps_of_counts_is_that_of_scoringrules():
    mean = np.array([0.01, 0.5, 4.0, 50.0])
    y = np.array([0, 2, 3, 61])
    theirs = scoringrules.crps_poisson(y, mean)
    np.testing.assert_allclose(uq.Poisson(mean).crps(y), theirs, rtol=1e-10)
    theirs = scoringrules.crps_negbinom(y, 2.0, 1 / (1 + 0.5 * mean))
    np.testing.assert_allclose(uq.NegativeBinomial(mean, 0.5).crps(y), theirs, rtol=1e-10)
