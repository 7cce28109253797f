"""The scikit-learn interfaces of XGBoost and LightGBM."""

from __future__ import annotations

import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss

from models import table
from uqwidgets import Explainer, ModelError, as_predictive
from uqwidgets.predictive import Categorical, Mixture, Normal, Point, Quantiles

X, Y = table(150)
FRAME = pd.DataFrame(X, columns=["a b", "c", "d_e"])
KINDS = np.digitize(Y, [-0.5, 0.5])
LEVELS = [0.1, 0.5, 0.9]
FAST = {"n_estimators": 8, "n_jobs": 1, "random_state": 0}
LIGHT = FAST | {"verbose": -1, "min_child_samples": 5}


def classifiers():
    yield xgboost.XGBClassifier(**FAST), KINDS
    yield xgboost.XGBClassifier(**FAST), (KINDS > 0) * 1
    yield lightgbm.LGBMClassifier(**LIGHT), np.array(["low", "mid", "high"])[KINDS]
    yield lightgbm.LGBMClassifier(**LIGHT), KINDS > 0


@pytest.mark.parametrize(("model", "y"), list(classifiers()))
@pytest.mark.parametrize("data", [X, FRAME], ids=["array", "frame"])
def test_classifiers_answer_with_their_probabilities(model, y, data):
    model.fit(data, y)
    explainer = Explainer(model, data, y)
    q = explainer.evaluations.original
    assert isinstance(q, Categorical)
    np.testing.assert_allclose(q.probabilities, model.predict_proba(data), rtol=1e-6)
    result = explainer.importance("nll", n_repeats=2)
    p = model.predict_proba(data).astype(float)
    # In single precision they sum to one only nearly, which scikit-learn warns of.
    expected = log_loss(y, p / p.sum(axis=1, keepdims=True), labels=model.classes_)
    assert result.baseline == pytest.approx(expected, rel=1e-6)
    assert set(result.features) == set(explainer.features)


def test_numbered_classes_can_be_named():
    y = np.array(["low", "mid", "high"])[KINDS]
    model = xgboost.XGBClassifier(**FAST).fit(FRAME, KINDS)
    explainer = Explainer(as_predictive(model, classes=["low", "mid", "high"]), FRAME, y)
    numbered = Explainer(model, FRAME, KINDS)
    for measure in ("nll", "entropy"):
        np.testing.assert_array_equal(
            explainer.importance(measure, n_repeats=2).importance,
            numbered.importance(measure, n_repeats=2).importance,
        )


@pytest.mark.parametrize(
    "model",
    [xgboost.XGBRegressor(**FAST), lightgbm.LGBMRegressor(**LIGHT)],
    ids=["xgboost", "lightgbm"],
)
def test_regressors_give_points_or_with_noise_normal_distributions(model):
    model.fit(FRAME, Y)
    q = as_predictive(model)(FRAME)
    assert isinstance(q, Point)
    np.testing.assert_array_equal(q.value, model.predict(FRAME))
    explainer = Explainer(as_predictive(model, noise=0.3), FRAME, Y)
    assert isinstance(explainer.evaluations.original, Normal)
    assert explainer.importance("nll", n_repeats=2).importance[0] > 0


def test_one_model_of_several_quantiles():
    model = xgboost.XGBRegressor(
        **FAST, objective="reg:quantileerror", quantile_alpha=np.array(LEVELS)
    ).fit(X, Y)
    q = as_predictive(model)(X)
    assert isinstance(q, Quantiles)
    assert q.levels.tolist() == LEVELS
    np.testing.assert_allclose(q.values, np.sort(model.predict(X), axis=1), rtol=1e-6)
    with pytest.raises(ValueError, match=r"was fitted for \[0\.1, 0\.5, 0\.9\]; leave them out"):
        as_predictive(model, levels=[0.2, 0.8])


def test_one_model_per_quantile():
    models = {
        level: lightgbm.LGBMRegressor(**LIGHT, objective="quantile", alpha=level).fit(X, Y)
        for level in LEVELS
    }
    q = as_predictive(models)(X)
    expected = np.sort([models[level].predict(X) for level in LEVELS], axis=0).T
    np.testing.assert_allclose(q.values, expected)
    one = xgboost.XGBRegressor(**FAST, objective="reg:quantileerror", quantile_alpha=0.5)
    assert isinstance(as_predictive(one.fit(X, Y))(X), Point)


def test_a_list_of_them_is_an_ensemble():
    models = [xgboost.XGBClassifier(**(FAST | {"max_depth": d})).fit(X, KINDS) for d in (1, 3, 5)]
    q = as_predictive(models)(X)
    assert isinstance(q, Mixture)
    expected = np.mean([model.predict_proba(X) for model in models], axis=0)
    np.testing.assert_allclose(q.probabilities, expected, rtol=1e-5)
    assert (q.epistemic() > 0).all()


@pytest.mark.parametrize(
    "model",
    [lightgbm.LGBMRegressor(**LIGHT), xgboost.XGBRegressor(**FAST)],
    ids=["lightgbm", "xgboost"],
)
@pytest.mark.parametrize("names", [["a b", "c", "d_e"], [0, 1, 2], [7, 5, 6]], ids=str)
def test_columns_that_a_library_renames_are_matched(model, names):
    # LightGBM writes "a b" as "a_b", both write 7 as "7", and both would take another order.
    frame = FRAME.set_axis(names, axis=1)
    model.fit(frame, Y)
    explainer = Explainer(model, frame.iloc[:, ::-1].assign(more=1.0), Y)
    assert explainer.features == tuple(str(name) for name in names)
    np.testing.assert_array_equal(explainer.evaluations.original.value, model.predict(frame))


@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
def test_categories_and_missing_values_reach_the_model(library):
    rng = np.random.default_rng(0)
    data = pd.DataFrame(
        {
            "size": rng.normal(size=200),
            "town": pd.Categorical(rng.choice(["Oslo", "Rome", "Kyiv"], 200)),
            "count": pd.array(rng.integers(0, 5, 200), dtype="Int64"),
            "flag": rng.random(200) < 0.5,
        }
    )
    data.loc[::9, "count"] = pd.NA
    data.loc[::11, "size"] = np.nan
    y = (data["size"].fillna(0) + 2 * (data["town"] == "Rome") > 0.5).to_numpy() * 1
    model = (
        xgboost.XGBClassifier(**FAST, enable_categorical=True)
        if library == "xgboost"
        else lightgbm.LGBMClassifier(**LIGHT)
    ).fit(data, y)
    explainer = Explainer(model, data, y)
    result = explainer.importance("nll", n_repeats=2)
    assert set(result.features[:2]) == {"size", "town"}
    curve = explainer.dependence("town")
    for town, average in zip(curve.grid, curve.average, strict=True):
        same = data.assign(
            town=pd.Categorical([town] * 200, categories=data["town"].cat.categories)
        )
        assert average == pytest.approx(model.predict_proba(same)[:, 1].mean(), rel=1e-6)
    assert np.isfinite(explainer.dependence("count").average).all()


@pytest.mark.parametrize(
    "model",
    [xgboost.XGBClassifier(), lightgbm.LGBMClassifier()],
    ids=["xgboost", "lightgbm"],
)
def test_an_unfitted_classifier_is_refused(model):
    with pytest.raises(NotFittedError, match="Classifier is not fitted; call its fit first"):
        as_predictive(model)


def test_an_unfitted_regressor_is_refused():
    with pytest.raises(ModelError, match="NotFitted"):
        Explainer(lightgbm.LGBMRegressor(), X, Y)


def test_a_booster_of_xgboost_needs_a_function():
    booster = xgboost.train({"objective": "binary:logistic"}, xgboost.DMatrix(FRAME, Y > 0), 4)
    with pytest.raises(TypeError, match=r"DMatrix, not for a table; pass lambda X: booster\.pred"):
        Explainer(booster, FRAME, Y > 0)
    model = as_predictive(lambda X: booster.predict(xgboost.DMatrix(X)), classes=[False, True])
    p = Explainer(model, FRAME, Y > 0).evaluations.original.probabilities
    np.testing.assert_allclose(p[:, 1], booster.predict(xgboost.DMatrix(FRAME)))
