"""Differences of ratios of importance: two models, two groups of rows, and metrics."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from uqwidgets._utils.errors import NoRatioError

SLOPES = {"line": (1.0, 0.5), "steep": (1.6, 0.1)}


def table(n, seed):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 2)), columns=["a", "b"])
    return X, X["a"].to_numpy() + 0.5 * X["b"].to_numpy() + rng.normal(size=n)


def model(name):
    return lambda X: X[["a", "b"]].to_numpy() @ np.array(SLOPES[name])


def explainers(X, y):
    return [uq.Explainer(model(name), X, y, random_state=1) for name in SLOPES]


def ratio(X, y, name, weights, scored):
    """Mean squared error after the replacement of a over the error before, by every pair."""
    slopes, own = np.array(SLOPES[name]), X.to_numpy()
    other = np.repeat(own[:, None], len(own), axis=1)
    other[:, :, 0] = own[None, :, 0]
    after = np.square(y[:, None] - other @ slopes)
    before = np.square(y - own @ slopes)
    return (scored @ after @ weights) / weights.sum() / (scored @ before)


def jackknife(statistic, n):
    values = np.array([statistic(np.arange(n) != i) for i in range(n)])
    return np.sqrt((n - 1) / n * np.square(values - values.mean()).sum())


def test_the_error_of_a_difference_of_ratios_is_that_of_a_jackknife_over_all_pairs():
    n = 80
    X, y = table(n, 3)
    first, second = explainers(X, y)
    result = first.compare(second).importance(
        "squared_error", ["a"], n_repeats="all", compare="ratio"
    )

    def difference(mask):
        weights = mask * 1.0
        return ratio(X, y, "line", weights, weights) - ratio(X, y, "steep", weights, weights)

    own = result.difference
    assert own.importance[0] == pytest.approx(difference(np.ones(n, bool)))
    ratios = result.first.importance[0], result.second.importance[0]
    assert own.importance[0] == pytest.approx(ratios[0] - ratios[1])
    assert own.std_error[0] == pytest.approx(jackknife(difference, n), rel=0.05)
    assert own.low[0] < own.importance[0] < own.high[0]
    assert own.unit == "times"


@pytest.mark.parametrize("overlap", [0, 20])
def test_the_ratios_of_two_groups_of_rows_differ_as_in_a_jackknife(overlap):
    n = 80
    X, y = table(n, 4)
    (explainer, _) = explainers(X, y)
    of_first = np.arange(n) < 40 + overlap
    of_second = np.arange(n) >= 40
    result = explainer.compare_rows(of_first, of_second).importance(
        "squared_error", ["a"], n_repeats="all", compare="ratio"
    )

    def difference(mask):
        weights = mask * 1.0
        own, other = (
            ratio(X, y, "line", weights, weights * side) for side in (of_first, of_second)
        )
        return own - other

    own = result.difference
    assert own.importance[0] == pytest.approx(difference(np.ones(n, bool)))
    # The groups are small, so that the jackknife leaves out much.
    assert own.std_error[0] == pytest.approx(jackknife(difference, n), rel=0.1)


def test_the_ratios_of_the_same_model_do_not_differ_at_all():
    X, y = table(60, 5)
    first, _ = explainers(X, y)
    again, _ = explainers(X, y)
    for interval in ("u-statistic", "model", "fixed-data", "random-variable", "quantile"):
        own = first.compare(again).importance("squared_error", compare="ratio", interval=interval)
        for values in (own.difference.importance, own.difference.low, own.difference.high):
            np.testing.assert_allclose(values, 0, atol=1e-9)


def test_the_ratio_of_a_metric_has_the_jackknife_of_the_difference():
    X, y = table(100, 6)
    first, second = explainers(X, y)
    options = {"features": ["a"], "n_repeats": 5, "compare": "ratio"}
    plain = first.compare(second).importance("squared_error", **options)
    metric = first.compare(second).importance("neg_mean_squared_error", **options)
    assert metric.difference.importance[0] == pytest.approx(plain.difference.importance[0])
    # Twenty groups instead of a hundred rows.
    assert metric.difference.std_error[0] == pytest.approx(plain.difference.std_error[0], rel=0.5)
    with pytest.raises(NoRatioError, match="r2 is a score"):
        first.compare(second).importance("r2", **options)
    with pytest.raises(NoRatioError, match="a ratio needs a positive one"):
        first.compare(second).importance("prediction", ["a"], compare="ratio", rows=y < -1)


def covered(n, runs):
    (X, y), ratios = table(200_000, 99), []
    for name in SLOPES:
        slopes = np.array(SLOPES[name])
        before = np.square(y - X.to_numpy() @ slopes).mean()
        # E(a - s a')^2 - E(a - s a)^2 = 2 s for independent a and a' of variance 1.
        ratios.append(1 + 2 * slopes[0] / before)
    true = ratios[0] - ratios[1]
    hits, widths = [], []
    for run in range(runs):
        first, second = explainers(*table(n, 1000 + run))
        result = first.compare(second).importance(
            "squared_error", ["a"], n_repeats=5, compare="ratio"
        )
        own = result.difference
        hits.append(own.low[0] <= true <= own.high[0])
        apart = np.hypot(*(side.high[0] - side.low[0] for side in (result.first, result.second)))
        widths.append((own.high[0] - own.low[0]) / apart)
    return np.mean(hits), np.median(widths)


@pytest.mark.thorough
def test_intervals_of_differences_of_ratios_cover():
    coverage, width = covered(200, 100)
    # Four standard errors of a coverage of 0.93.
    assert coverage > 0.93 - 4 * np.sqrt(0.93 * 0.07 / 100)
    # What both models find hard cancels.
    assert width < 0.9


@pytest.mark.slow
@pytest.mark.parametrize("n", [100, 300, 1000])
def test_intervals_of_differences_of_ratios_cover_at_length(n):
    coverage, width = covered(n, 600)
    assert 0.92 < coverage < 0.98
    assert width < 0.9
