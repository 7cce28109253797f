"""Unfitted copies of estimators that scikit-learn's clone refuses."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from models import table
from uqwidgets import Learner, loco_importance
from uqwidgets.learner.loco_importance.copies import unfitted_copy

VALUES, Y = table(60)
X = pd.DataFrame(VALUES, columns=list("abc"))


class Copying(RegressorMixin, BaseEstimator):
    """An estimator that copies a parameter when it is made, as CatBoost does."""

    def __init__(self, cat_features=None, inner=None):
        self.cat_features = None if cat_features is None else list(cat_features)
        self.inner = inner

    def fit(self, X, y):
        columns = set(getattr(X, "columns", range(X.shape[1])))
        assert columns >= set(self.cat_features or ()), "no column is selected that is not there"
        self.model_ = LinearRegression().fit(X, y)
        return self

    def predict(self, X):
        return self.model_.predict(X)


class InADict(RegressorMixin):
    """An estimator that takes its parameters in a dict."""

    def __init__(self, params=None):
        self.params = dict(params or {})

    def get_params(self, deep=True):  # noqa: ARG002
        return self.params

    def set_params(self, **params):
        self.params.update(params)
        return self

    fit, predict = Copying.fit, Copying.predict
    cat_features = ()


@pytest.mark.parametrize(
    "estimator",
    [
        Copying(["a", "c"]),
        Copying(["a", "c"]).fit(X, Y),
        InADict({"depth": 3}),
        make_pipeline(StandardScaler().set_output(transform="pandas"), Copying(["a"])),
        make_pipeline(StandardScaler().set_output(transform="pandas"), Copying(["a"])).fit(X, Y),
        Copying(["a"], inner=Copying(["b"])),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
@pytest.mark.filterwarnings("ignore:This Pipeline instance is not fitted:FutureWarning")
def test_what_clone_refuses_is_copied(estimator):
    before = repr(estimator.get_params())
    copy = unfitted_copy(estimator)
    assert repr(copy.get_params()).partition(" at 0x")[0] == before.partition(" at 0x")[0]
    last = copy[-1] if hasattr(copy, "steps") else copy
    assert not hasattr(last, "model_"), "the copy is not fitted"
    learner = Learner(estimator, X, Y, n_refits=2).fit()
    for refit in learner.refits:
        rows = refit.rows.train
        own = LinearRegression().fit(X.iloc[rows], Y[rows]).predict(X.iloc[refit.held_out])
        np.testing.assert_allclose(refit.explainer.evaluations.original.value, own)
    loco = loco_importance(estimator, X[:40], Y[:40], X[40:], Y[40:], "squared_error")
    assert np.isfinite(loco.importance).all()
    assert repr(estimator.get_params()) == before, "the user's own estimator stays as it was"


def test_a_fitted_one_that_cannot_be_made_anew_is_refused_in_one_sentence():
    with pytest.raises(ValueError, match=r"^InADict cannot be copied without its fit; pass one"):
        Learner(InADict({"depth": 3}).fit(X, Y), X, Y)

    class Growing(Copying):
        def __init__(self, cat_features=None, inner=None):
            super().__init__([*(cat_features or ()), "a"], inner)

    with pytest.raises(ValueError, match=r"^Growing cannot be copied, because it changes its par"):
        Learner(Growing().fit(X, Y), X, Y)
    assert unfitted_copy(Growing(["b"])).cat_features == ["b", "a"]


@pytest.mark.parametrize("selected", [["a", "b"], [0, 1]], ids=["names", "positions"])
def test_a_column_that_is_left_out_is_no_longer_selected(selected):
    tables = (X, VALUES)["a" not in selected]
    loco = loco_importance(
        Copying(selected), tables[:40], Y[:40], tables[40:], Y[40:], "squared_error"
    )
    assert len(loco.features) == 3


def test_tags_that_raise_leave_the_target_to_say_what_it_is():
    class Tagless(Copying):
        def __sklearn_tags__(self):
            raise AttributeError("no tags")

    assert len(Learner(Tagless(), X, Y, n_refits=2).fit().refits) == 2
