"""How often a learner fits, in how many jobs, and what becomes of fits that fail."""

from __future__ import annotations

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression

from learner_table import X, Y
from uqwidgets import Learner, ModelError


class Counting(BaseEstimator):
    """A regression that counts its fits."""

    fits = 0

    def fit(self, X, y):
        type(self).fits += 1
        self.model_ = LinearRegression().fit(X, y)
        return self

    def predict(self, X):
        return self.model_.predict(X)


class TestWork:
    def test_fits_are_made_once_and_more_refits_add_only_new_fits(self):
        Counting.fits = 0
        learner = Learner(Counting(), X, Y, n_refits=4)
        assert Counting.fits == 0
        learner.importance("squared_error")
        learner.dependence("x0")
        learner.performance("squared_error")
        assert Counting.fits == 4
        before = learner.importance("squared_error").per_refit
        learner.fit(n_refits=6)
        assert Counting.fits == 6
        after = learner.importance("squared_error")
        order = [after.features.index(f) for f in learner.importance("squared_error").features]
        assert after.per_refit.shape == (3, 6)
        np.testing.assert_allclose(
            np.sort(after.per_refit[order][:, :4], axis=0), np.sort(before, axis=0)
        )
        learner.loco("squared_error")
        assert Counting.fits == 6 + 3 * 6
        learner.loco("absolute_error")
        assert Counting.fits == 6 + 3 * 6

    def test_finished_refits_stay_after_a_stop(self):
        Counting.fits = 0
        learner, seen = Learner(Counting(), X, Y, n_refits=5), []

        def stop(progress):
            seen.append(progress)
            if len(seen) == 2:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            learner.importance("squared_error", callback=stop)
        done = Counting.fits
        assert len(learner.refits) == 2
        assert done < 5
        assert seen[0].rows_done == 80
        assert seen[0].rows_total == 400
        assert seen[0].seconds_left > 0
        result = learner.importance("squared_error")
        assert Counting.fits <= 6
        assert result.per_refit.shape == (3, 5)
        fresh = Learner(Counting(), X, Y, n_refits=5).importance("squared_error")
        np.testing.assert_array_equal(result.importance, fresh.importance)

    @pytest.mark.thorough
    def test_parallel_refits_equal_sequential_ones_also_after_a_stop(self):
        options = {"n_refits": 6, "random_state": 1}
        alone = Learner(RandomForestRegressor(2), X, Y, **options)
        several = Learner(RandomForestRegressor(2), X, Y, n_jobs=2, **options)

        def stop(_):
            raise KeyboardInterrupt

        # Without care joblib warns of unfinished fits, and here a warning is an error.
        with parallel_config("loky", inner_max_num_threads=1):
            with pytest.raises(KeyboardInterrupt):
                several.fit(callback=stop)
            assert len(several.refits) == 1
            several.fit()
        one, two = (e.importance("squared_error", n_repeats=2) for e in (alone, several))
        np.testing.assert_allclose(two.per_refit, one.per_refit, rtol=1e-12)
        np.testing.assert_allclose(two.high, one.high, rtol=1e-12)

    def test_refits_of_a_forest_differ_in_their_seeds_too(self):
        learner = Learner(RandomForestRegressor(3), X, Y, n_refits=3).fit()
        assert len({refit.seed for refit in learner.refits}) == 3

    def test_estimator_and_table_are_not_modified(self):
        estimator, data, target = LinearRegression(), X.copy(), Y.copy()
        data.flags.writeable = target.flags.writeable = False
        Learner(estimator, data, target, n_refits=2).loco("squared_error")
        assert not hasattr(estimator, "coef_")


class Unlucky(BaseEstimator):
    """A model that fails to fit without the first row among its training rows."""

    def fit(self, X, y):
        if not (X == FIRST).all(axis=1).any():
            raise RuntimeError("no luck\nat all")
        self.mean_ = y.mean()
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


FIRST = X[0]


def test_a_failed_fit_is_left_out_with_a_remark():
    learner = Learner(Unlucky(), X, Y, n_refits=12)
    result = learner.performance("squared_error")
    failed = 12 - len(result.per_refit)
    assert 0 < failed < 11
    text = result.remarks[0]
    assert text.startswith(f"{failed} of 12 refits failed and are left out; the first is refit ")
    assert "RuntimeError: no luck" in text
    assert f"seed {learner._refits.failed(12)[0].seed}" in text


def test_if_all_fits_fail_the_error_of_the_first_is_raised():
    message = r"0 of 3 refits succeeded.*seed \d+\) failed with RuntimeError: no luck"
    with pytest.raises(ModelError, match=message):
        Learner(Unlucky(), -X, Y, n_refits=3).importance()
