"""Memory at the peak of a learner's results beside its limit, and the same numbers."""

from __future__ import annotations

import re
import tracemalloc

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

import uqwidgets as uq
from cases import thorough_after
from uqwidgets.evaluation.cache import parse_bytes

N, REFITS = 6000, 10
# As many bytes as 120 numbers per row; the curves of all refits over 50 points are 180 of them.
LIMIT = 960 * N
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(N, 3))
Y = X[:, 0] + RANDOM.normal(size=N)


def make_learner(limit, n=N, **options):
    return uq.Learner(
        LinearRegression(), X[:n], Y[:n], n_refits=REFITS, memory_limit=limit, **options
    )


RESULTS = {
    "curves": lambda learner: learner.dependence("x0"),
    "slopes": lambda learner: learner.dependence("x0", derivative=True),
    "importance": lambda learner: learner.importance("squared_error", n_repeats=2),
    "leaving out": lambda learner: learner.loco("squared_error"),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", RESULTS)
def test_results_take_no_more_memory_than_the_limit(name):
    RESULTS[name](make_learner("1GB", n=60))  # imports
    tracemalloc.start()
    try:
        learner = make_learner(LIMIT)
        learner.performance("squared_error")
        before, _ = tracemalloc.get_traced_memory()
        RESULTS[name](learner)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak - before <= 1.5 * LIMIT


def test_a_limit_that_is_too_small_for_the_refits_is_named():
    result = RESULTS["importance"](make_learner("1MB", n=6000))
    (remark,) = [remark for remark in result.remarks if "memory_limit" in remark]
    what = r"memory_limit='1000kB' is too little for 10 refits of 6,000 rows, .*"
    smallest = re.match(what + "'(\\d+kB)' is the smallest", remark)[1]
    assert parse_bytes(smallest) < LIMIT
    enough = RESULTS["importance"](make_learner(smallest, n=6000))
    assert not any("memory_limit" in remark for remark in enough.remarks)


@pytest.mark.parametrize("resampling", thorough_after(1, ["bootstrap", "leave-two-groups-out"]))
@pytest.mark.parametrize("options", thorough_after(1, [{}, {"center": True}, {"derivative": True}]))
def test_curves_in_parts_have_the_same_numbers(resampling, options):
    n, grid = 400, 7
    learners = [make_learner(limit, n, resampling=resampling) for limit in ("30kB", "1GB")]
    part, whole = (learner.dependence("x0", grid=grid, **options) for learner in learners)
    for name in ("average", "std_error", "low", "high", "support", "per_refit"):
        np.testing.assert_allclose(getattr(part, name), getattr(whole, name), rtol=1e-12)
    assert whole.curve_rows is None
    # A fifth of the limit.
    assert len(part.curve_rows) == 6000 // (8 * grid)
    np.testing.assert_allclose(part.curves, whole.curves[:, part.curve_rows], rtol=1e-12)
    (remark,) = (
        r for r in set(part.remarks) - set(whole.remarks) if "memory_limit='30kB'" not in r
    )
    assert remark.startswith(f"the average is over 400 rows; the curves of {len(part.curve_rows)}")
    assert len(part.frame) == len(whole.frame)
    assert "evenly chosen" in part._repr_html_()


def test_importance_in_parts_has_the_same_numbers():
    one, other = (make_learner(m, 400).importance("squared_error") for m in ("30kB", "1GB"))
    for name in ("importance", "std_error", "low", "high", "per_refit"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-12)


def test_predictions_without_a_feature_are_cached_while_they_fit():
    fits = []

    class CountedFits(LinearRegression):
        def fit(self, X, y):
            fits.append(X.shape[1])
            return super().fit(X, y)

    counts = []
    for limit in ("1GB", 20_000):
        learner = uq.Learner(CountedFits(), X[:400], Y[:400], n_refits=4, memory_limit=limit)
        first = learner.loco("squared_error")
        fits.clear()
        again = learner.loco("squared_error")
        np.testing.assert_array_equal(first.importance, again.importance)
        learner.loco("absolute_error")
        counts.append(fits.count(2))
    assert counts[0] == 0
    # 20 kB hold the predictions of six of the twelve fits.
    assert 0 < counts[1] <= 2 * 12
