"""Splits of a splitter in place of resamples, and further arguments of ``fit``."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    RepeatedKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import uqwidgets as uq

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(60, 2)), columns=["a", "b"])
Y = 2 * X["a"] + RNG.normal(size=60)
PATIENTS = np.tile(np.arange(20), 3)


@pytest.mark.parametrize(
    ("cv", "n", "name"),
    [
        (5, 5, "KFold"),
        (TimeSeriesSplit(4), 4, "TimeSeriesSplit"),
        (RepeatedKFold(n_splits=3, n_repeats=4, random_state=0), 12, "RepeatedKFold"),
        ([(range(30), range(30, 60)), (range(30, 60), range(30))], 2, "the splits of cv"),
    ],
)
def test_a_splitter_gives_the_rows(cv, n, name):
    learner = uq.Learner(LinearRegression(), X, Y, cv=cv)
    assert repr(learner) == f"Learner(LinearRegression, 60 rows, 0 of {n} refits by {name})"
    each = learner.performance("squared_error").per_refit
    assert np.allclose(
        each, -cross_val_score(LinearRegression(), X, Y, cv=cv, scoring="neg_mean_squared_error")
    )


def test_a_number_of_folds_keeps_the_shares_of_classes():
    labels = np.where(RNG.uniform(size=60) < 0.2, "rare", "common")
    learner = uq.Learner(LogisticRegression(), X, labels, cv=4).fit()
    splits = list(StratifiedKFold(4).split(X, labels))
    assert [refit.rows.held_out.tolist() for refit in learner.refits] == [
        held_out.tolist() for _, held_out in splits
    ]


def test_the_splitter_is_given_the_groups():
    learner = uq.Learner(LinearRegression(), X, Y, cv=GroupKFold(5), groups=PATIENTS).fit()
    assert all(
        not set(PATIENTS[refit.rows.train]) & set(PATIENTS[refit.rows.held_out])
        for refit in learner.refits
    )
    assert learner.sizes["held_out_groups"].tolist() == [4] * 5


def test_the_interval_is_the_one_that_covers():
    once = uq.Learner(LinearRegression(), X, Y, cv=KFold(10)).importance("squared_error")
    assert once.interval == "corrected"
    assert any("RepeatedKFold" in remark for remark in once.remarks)
    folds = RepeatedKFold(n_splits=5, n_repeats=3, random_state=0)
    repeated = uq.Learner(LinearRegression(), X, Y, cv=folds).importance("squared_error")
    assert repeated.interval == "variance-components"


def test_only_learners_of_the_same_splits_are_compared():
    one, same, other = (uq.Learner(LinearRegression(), X, Y, cv=KFold(n)) for n in (5, 5, 4))
    assert one.compare(same, "squared_error").frame["difference"].eq(0).all()
    with pytest.raises(ValueError, match="same"):
        one.compare(other, "squared_error")
    with pytest.raises(ValueError, match="splits of cv are made for 5"):
        one.fit(8)


@pytest.mark.parametrize(
    ("cv", "groups", "sentence"),
    [
        ("five", None, "cv is 'five'; pass a number of folds, a splitter"),
        (1, None, "cv is 1; pass"),
        (61, None, "cv cannot split the rows: .*n_splits=61"),
        ([([0, 99], [1])] * 2, None, "cv cannot split the rows: .*99"),
        ([([0], [1])], None, "cv gives 1 split; a learner needs"),
        ([([0], []), ([0], [1])], None, "split 0 of cv has no rows"),
        ([([0], [1]), ([0, 1], [1, 2])], None, "split 1 of cv scores a row that it learns from"),
        (KFold(5), PATIENTS, "split 0 of cv learns from some rows of a group .* GroupKFold"),
    ],
)
def test_bad_splits_are_one_sentence(cv, groups, sentence):
    with pytest.raises((TypeError, ValueError), match=sentence):
        uq.Learner(LinearRegression(), X, Y, cv=cv, groups=groups)


def test_fits_get_their_rows_of_further_arguments():
    weights = RNG.uniform(size=60)
    learner = uq.Learner(LinearRegression(), X, Y, cv=3, fit_params={"sample_weight": weights})
    rows = learner.fit().refits[0].rows

    def alone(columns):
        train, test = X[columns].iloc[rows.train], X[columns].iloc[rows.held_out]
        model = LinearRegression().fit(train, Y.iloc[rows.train], sample_weight=weights[rows.train])
        return np.mean((model.predict(test) - Y.iloc[rows.held_out]) ** 2)

    expected = alone(["a", "b"])
    assert np.isclose(learner.performance("squared_error").per_refit[0], expected)
    without = learner.loco("squared_error", ["a"]).per_refit[0][0]
    assert np.isclose(without, alone(["b"]) - expected)


def test_metadata_routing_takes_weights_into_a_pipeline():
    weights = RNG.uniform(size=60)
    with sklearn.config_context(enable_metadata_routing=True):
        model = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=False),
            LinearRegression().set_fit_request(sample_weight=True),
        )
        learner = uq.Learner(model, X, Y, cv=KFold(2), fit_params={"sample_weight": weights})
        errors = learner.performance("squared_error").per_refit
        first = model.fit(X[30:], Y[30:], sample_weight=weights[30:]).predict(X[:30])
    assert np.isclose(errors[0], np.mean((first - Y[:30]) ** 2))


@pytest.mark.parametrize(
    ("fit_params", "sentence"),
    [
        ([1], "fit_params is .*pass a dict"),
        ({"sample_weight": [1.0]}, r"fit_params\['sample_weight'\] has shape \(1,\) and X has 60"),
    ],
)
def test_bad_arguments_of_fits_are_one_sentence(fit_params, sentence):
    with pytest.raises((TypeError, ValueError), match=sentence):
        uq.Learner(LinearRegression(), X, Y, fit_params=fit_params)
