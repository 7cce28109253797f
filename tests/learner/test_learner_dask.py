"""Refits on a Dask cluster, through joblib, compared with refits in this process."""

from __future__ import annotations

import os

import joblib
import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestRegressor

from models import table
from uqwidgets import Learner

X, Y = table(80)

# Dask and its cluster warn of the machine they run on, such as of ports in use.
pytestmark = [pytest.mark.thorough, pytest.mark.filterwarnings("default")]


def process_of_fit():
    """An estimator that predicts the number of the process it was fitted in.

    Made within a function, so that workers get its class with it: they do not have this module.
    """

    class Located(BaseEstimator):
        def fit(self, *_):
            self.process_ = os.getpid()
            return self

        def predict(self, X):
            return np.full(len(X), float(self.process_))

    return Located()


def processes(learner):
    return [refit.explainer.evaluations.original.mean()[0] for refit in learner.refits]


@pytest.mark.usefixtures("cluster")
def test_refits_on_a_cluster_are_those_of_one_process():
    options = {"n_refits": 6, "random_state": 1}
    alone = Learner(RandomForestRegressor(5), X, Y, **options)
    spread = Learner(RandomForestRegressor(5), X, Y, **options)
    with joblib.parallel_config("dask"):
        spread.fit()
    one, two = (e.importance("squared_error", n_repeats=2) for e in (alone, spread))
    assert one.features == two.features
    np.testing.assert_allclose(two.per_refit, one.per_refit, rtol=1e-12)
    np.testing.assert_allclose(two.high, one.high, rtol=1e-12)
    one, two = (e.dependence("x0", grid=5) for e in (alone, spread))
    np.testing.assert_allclose(two.per_refit, one.per_refit, rtol=1e-12)


def test_workers_fit_and_finished_refits_stay_after_a_stop(cluster):
    learner, seen = Learner(process_of_fit(), X, Y, n_refits=8), []

    def stop(progress):
        seen.append(progress)
        if len(seen) == 3:
            raise KeyboardInterrupt

    with joblib.parallel_config("dask"):
        with pytest.raises(KeyboardInterrupt):
            learner.fit(callback=stop)
        assert [refit.number for refit in learner.refits] == [0, 1, 2]
        before = list(learner.refits)
        learner.fit()
    assert [refit.number for refit in learner.refits] == list(range(8))
    assert learner.refits[:3] == before
    workers = set(cluster.run(os.getpid).values())
    assert len(workers) == 2
    assert set(processes(learner)) <= workers


@pytest.mark.usefixtures("cluster")
def test_a_fit_that_fails_on_a_worker_has_a_remark():
    class Unable(BaseEstimator):
        def fit(self, *_):
            raise RuntimeError("no luck")

        def predict(self, X):
            return X[:, 0]

    learner = Learner(Unable(), X, Y, n_refits=3)
    with joblib.parallel_config("dask"), pytest.raises(ValueError, match="RuntimeError: no luck"):
        learner.fit()
