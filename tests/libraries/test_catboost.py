"""What CatBoost's models answer beside labels and numbers; `test_own_word` has its tables."""

from __future__ import annotations

import catboost
import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from models import table
from uqwidgets import Explainer, Learner, as_predictive
from uqwidgets.predictive import Normal, Quantiles

VALUES, Y = table(80)
X = pd.DataFrame(VALUES, columns=list("abc")).assign(town=np.array(["Oslo", "Rome"] * 40))
NUMBERS, BITS = X[list("abc")], (Y > 0) * 1
FAST = {"iterations": 8, "verbose": 0, "thread_count": 1, "allow_writing_files": False}
QUANTILES = FAST | {"loss_function": "MultiQuantile:alpha=0.1,0.5,0.9"}
UNCERTAIN = FAST | {"loss_function": "RMSEWithUncertainty"}


@pytest.mark.parametrize("read", [lambda m: m, make_pipeline], ids=["bare", "pipeline"])
def test_several_quantiles_are_a_distribution(read):
    model = read(catboost.CatBoostRegressor(**QUANTILES)).fit(NUMBERS, Y)
    q = Explainer(model, NUMBERS[["c", "a", "b"]], Y).evaluations.original
    assert isinstance(q, Quantiles)
    assert q.levels.tolist() == [0.1, 0.5, 0.9]
    np.testing.assert_allclose(q.values, np.sort(model.predict(NUMBERS), axis=1))
    with pytest.raises(ValueError, match=r"was fitted for \[0\.1, 0\.5, 0\.9\]; leave them out"):
        as_predictive(model, levels=[0.2, 0.8])


def test_a_mean_and_a_variance_are_a_normal_distribution():
    models = catboost.CatBoostRegressor(**UNCERTAIN), catboost.CatBoost(UNCERTAIN)
    mean, variance = models[0].fit(NUMBERS, Y).predict(NUMBERS).T
    for model in (*models, make_pipeline(catboost.CatBoostRegressor(**UNCERTAIN))):
        explainer = Explainer(model.fit(NUMBERS, Y), NUMBERS, Y)
        q = explainer.evaluations.original
        assert isinstance(q, Normal)
        np.testing.assert_allclose(q.loc, mean)
        np.testing.assert_allclose(q.scale, np.sqrt(variance))
        assert np.isfinite(explainer.importance("nll", n_repeats=2).importance).all()
    with pytest.raises(
        ValueError, match=r"noise has no effect here, because CatBoostRegressor was"
    ):
        as_predictive(models[0], noise=1.0)


def test_a_fitted_model_with_categories_is_refitted_by_a_learner():
    model = catboost.CatBoostClassifier(**FAST, cat_features=["town"]).fit(X, BITS)
    learner = Learner(model, X, BITS, n_refits=2).fit()
    assert len(learner.refits) == 2
    assert model.get_params()["cat_features"] == ["town"]


@pytest.mark.parametrize(
    ("model", "y", "message"),
    [
        (
            catboost.CatBoost(FAST | {"loss_function": "Logloss"}),
            BITS,
            r"^the model predicts [-\d.e]+ in row 0, which is none of its classes 0, 1; if it",
        ),
        (
            catboost.CatBoostClassifier(**FAST, loss_function="MultiLogloss"),
            np.c_[BITS, 1 - BITS],
            r"^CatBoostClassifier predicts several labels for each row; explain one of them",
        ),
        (
            catboost.CatBoostRegressor(**FAST, loss_function="MultiRMSE"),
            np.c_[Y, Y],
            r"CatBoostRegressor predicts 2 numbers for each row; if they are targets, explain",
        ),
    ],
    ids=["scores", "labels", "targets"],
)
def test_what_is_no_single_answer_is_explained_in_one_sentence(model, y, message):
    with pytest.raises(ValueError, match=message):
        Explainer(model.fit(NUMBERS, y), NUMBERS, BITS)
