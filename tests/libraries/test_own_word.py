"""Models of other libraries in the matrix of `own_word`: a new library is one row."""

from __future__ import annotations

import catboost
import lightgbm
import numpy as np
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
import xgboost
from interpret.glassbox import ExplainableBoostingClassifier, ExplainableBoostingRegressor
from ngboost import NGBClassifier, NGBRegressor
from pygam import LinearGAM, LogisticGAM
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from skpro.regression.residual import ResidualDouble

from own_word import Cell, Row, cells, of_classes
from uqwidgets import as_predictive

PLAIN = {"pandas": ("int8",), "array": ("float64",)}
MISSING = {"pandas": ("missing", "int8"), "array": ("missing",)}
OTHERS = {"polars": ("float64", "missing"), "arrow": ("float64", "missing")}

CAT = {"iterations": 6, "depth": 3, "verbose": 0, "thread_count": 1, "allow_writing_files": False}
LIGHT = {"n_estimators": 5, "min_child_samples": 5, "num_leaves": 4, "n_jobs": 1, "verbose": -1}
XGB = {"n_estimators": 5, "max_depth": 2, "n_jobs": 1}
EBM = {"outer_bags": 1, "max_rounds": 20, "interactions": 0, "n_jobs": 1, "random_state": 0}
NGB = {"n_estimators": 5, "verbose": False, "random_state": 0}


class Fit:
    """A function of X and y that returns a fitted model, as an estimator."""

    def __init__(self, function):
        self.fit = function


def of_catboost(kind, **options):
    def make(names, dtype):
        encoded = {"cat_features": ["k"]} if dtype == "text" and "k" in names else {}
        return kind(**CAT, **options, **encoded)

    return make


def of_second(model, X):
    """Probabilities of both classes, of a model that answers with that of the second."""
    second = np.ravel(np.asarray(model.predict(X)))
    return np.column_stack([1 - second, second])


def second_of_two(**options):
    """What models of a single probability have in common."""
    return of_classes(
        target="bits",
        read=lambda model: as_predictive(model, classes=[0, 1]),
        probabilities=of_second,
        predict=lambda model, X: of_second(model, X).argmax(axis=1),
        refitted=False,
        **options,
    )


def boosted(X, y, **options):
    parameters = {"num_leaves": 4, "min_data_in_leaf": 5, "num_threads": 1, "verbose": -1}
    return lightgbm.train(parameters | options, lightgbm.Dataset(X, y), 5)


def by_formula(X, y):
    return smf.ols("y ~ a + np.square(b) + C(k)", X.assign(y=y)).fit()


ROWS = {
    "CatBoostRegressor": Row(
        of_catboost(catboost.CatBoostRegressor),
        tables=MISSING | {"pandas": ("missing", "text"), "polars": ("missing",)},
    ),
    "CatBoostClassifier": Row(
        of_catboost(catboost.CatBoostClassifier),
        **of_classes(tables=MISSING | {"pandas": ("missing", "text")}),
    ),
    "CatBoostClassifier of three": Row(
        of_catboost(catboost.CatBoostClassifier), **of_classes(target="three", tables=PLAIN)
    ),
    "CatBoost with uncertainty": Row(
        of_catboost(catboost.CatBoostRegressor, loss_function="RMSEWithUncertainty"),
        predict=lambda model, X: model.predict(X)[:, 0],
        tables=PLAIN,
    ),
    "CatBoost": Row(lambda *_: catboost.CatBoost(CAT | {"loss_function": "RMSE"}), tables=PLAIN),
    "CatBoost in a pipeline": Row(
        lambda *_: make_pipeline(catboost.CatBoostRegressor(**CAT)), tables=PLAIN
    ),
    "LGBMRegressor": Row(
        lambda *_: lightgbm.LGBMRegressor(**LIGHT),
        tables=MISSING | {"pandas": ("missing", "bool", "category")},
    ),
    "LGBMClassifier": Row(
        lambda *_: lightgbm.LGBMClassifier(**LIGHT), **of_classes(tables=MISSING | OTHERS)
    ),
    "LightGBM one against the others": Row(
        lambda *_: lightgbm.LGBMClassifier(**LIGHT, objective="multiclassova"),
        **of_classes(
            target="three",
            tables=PLAIN,
            read=lambda model: as_predictive(model, normalize=True),
            probabilities=lambda model, X: (
                model.predict_proba(X) / model.predict_proba(X).sum(axis=1, keepdims=True)
            ),
        ),
    ),
    "Booster of LightGBM": Row(lambda *_: Fit(boosted), tables=MISSING, refitted=False),
    "Booster of LightGBM, two classes": Row(
        lambda *_: Fit(lambda X, y: boosted(X, y, objective="binary")),
        **second_of_two(tables=PLAIN),
    ),
    "XGBRegressor": Row(lambda *_: xgboost.XGBRegressor(**XGB), tables=MISSING | OTHERS),
    "XGBClassifier": Row(
        lambda *_: xgboost.XGBClassifier(**XGB, enable_categorical=True),
        **of_classes(target="three", tables=MISSING | {"pandas": ("missing", "bool", "category")}),
    ),
    "OLS": Row(lambda *_: Fit(lambda X, y: sm.OLS(y, X).fit()), tables=PLAIN, refitted=False),
    "OLS by a formula": Row(
        lambda *_: Fit(by_formula), tables={"pandas": ("int8", "text")}, refitted=False
    ),
    "Logit": Row(
        lambda *_: Fit(lambda X, y: sm.Logit(y, X).fit(disp=0)), **second_of_two(tables=PLAIN)
    ),
    "LinearGAM": Row(lambda *_: LinearGAM(n_splines=5), tables=PLAIN, named=False),
    "LogisticGAM": Row(
        lambda *_: LogisticGAM(n_splines=5),
        **of_classes(
            target="bits",
            tables=PLAIN,
            named=False,
            probabilities=lambda model, X: np.column_stack(
                [1 - model.predict_proba(X), model.predict_proba(X)]
            ),
        ),
    ),
    "ExplainableBoostingRegressor": Row(
        lambda *_: ExplainableBoostingRegressor(**EBM), tables=PLAIN
    ),
    "ExplainableBoostingClassifier": Row(
        lambda *_: ExplainableBoostingClassifier(**EBM),
        **of_classes(tables=PLAIN | {"pandas": ("float64", "text")}),
    ),
    "NGBRegressor": Row(lambda *_: NGBRegressor(**NGB), tables=PLAIN, named=False, refitted=False),
    "NGBClassifier": Row(
        lambda *_: NGBClassifier(**NGB),
        **of_classes(target="bits", tables=PLAIN, named=False, refitted=False),
    ),
    "skpro": Row(lambda *_: ResidualDouble(LinearRegression()), tables=PLAIN),
    "scaled LightGBM": Row(
        lambda *_: make_pipeline(
            StandardScaler().set_output(transform="pandas"), lightgbm.LGBMRegressor(**LIGHT)
        ),
        tables=MISSING,
    ),
}


@pytest.mark.parametrize(("row", "container", "dtype", "check"), cells(ROWS))
def test_every_cell_says_what_the_model_says(row, container, dtype, check):
    check(Cell(row, container, dtype))
