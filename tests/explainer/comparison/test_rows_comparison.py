"""One model in two groups of rows: apart, overlapping, and one inside the other."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats

import uqwidgets as uq
from cases import thorough_after

N = 90


def table(n=N, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=n)


def model(X):
    return X[:, 0] + 0.2 * X[:, 0] * X[:, 1]


@pytest.fixture(scope="module")
def explainer():
    return uq.Explainer(model, *table())


FIRST, SECOND = np.arange(50), np.arange(30, 80)


def test_scores_of_groups_apart_have_the_errors_of_independent_samples(explainer):
    result = explainer.compare_rows(FIRST).scores("squared_error")
    apart = np.hypot(result.first.std_error, result.second.std_error)
    assert result.difference.std_error == pytest.approx(apart)
    assert result.difference.value == pytest.approx(result.first.value - result.second.value)


def test_shared_rows_count_as_often_as_they_are_weighted(explainer):
    X, y = table()
    loss = (y - model(X)) ** 2
    result = explainer.compare_rows(FIRST, SECOND).scores("squared_error").difference
    # The influence of every row, written out.
    influence = np.zeros(N)
    for rows, sign in ((FIRST, 1), (SECOND, -1)):
        influence[rows] += sign * (loss[rows] - loss[rows].mean()) / np.sqrt(50 * 49)
    assert result.std_error[0] == pytest.approx(np.sqrt((influence**2).sum()))
    curve = explainer.compare_rows(FIRST, SECOND).dependence("x0", grid=[-1.0, 1.0])
    values = np.array([model(np.column_stack([np.full(N, v), X[:, 1]])) for v in (-1.0, 1.0)])
    for k, line in enumerate(values):
        influence = np.zeros(N)
        for rows, sign in ((FIRST, 1), (SECOND, -1)):
            influence[rows] += sign * (line[rows] - line[rows].mean()) / np.sqrt(50 * 49)
        assert curve.difference.std_error[k] == pytest.approx(np.sqrt((influence**2).sum()))
        mean = line[FIRST].mean() - line[SECOND].mean()
        assert curve.difference.average[k] == pytest.approx(mean)


def test_a_group_does_not_differ_from_itself(explainer):
    comparison = explainer.compare_rows(FIRST, FIRST)
    for difference in (
        comparison.importance("squared_error").difference,
        comparison.dependence("x0", grid=3).difference,
        comparison.importance("r2", n_repeats=3).difference,
    ):
        np.testing.assert_allclose(difference.frame[["low", "high"]], 0, atol=1e-12)
    scores = comparison.scores().difference
    np.testing.assert_allclose(scores.value, 0, atol=1e-12)
    # No row changes the difference, which says nothing of other rows.
    assert np.isnan(scores.low).all()
    assert "there is no interval, because leaving out any one row does not" in scores.remarks[0]
    stress = comparison.stress(["x0"], ["mean"], taus=3, level=0.95)
    # Only the skewness of the interval remains.
    reach, of_one = (
        side.high["mean"][0, 1] - side.low["mean"][0, 1]
        for side in (stress.difference, stress.first)
    )
    assert reach < 0.1 * of_one


def test_importance_has_the_influences_of_both_groups():
    X, y = table(400)
    explainer = uq.Explainer(model, X, y)
    rows = X[:, 1] > 0
    result = explainer.compare_rows(rows).importance("squared_error", n_repeats="all")
    own, other = (
        explainer.importance("squared_error", rows=mask, n_repeats="all") for mask in (rows, ~rows)
    )
    by_name = [dict(zip(i.features, i.importance, strict=True)) for i in (own, other)]
    difference = dict(zip(result.difference.features, result.difference.importance, strict=True))
    for name in ("x0", "x1"):
        assert difference[name] == pytest.approx(by_name[0][name] - by_name[1][name])
    # Donors are shared, so the two are correlated; the noise of rows as scored is not.
    apart = np.hypot(own.std_error[0], other.std_error[0])
    assert 0.5 * apart < result.difference.std_error[0] < 1.2 * apart


@pytest.mark.thorough
@pytest.mark.parametrize("overlap", thorough_after(1, [False, True]))
def test_intervals_cover_the_difference_of_groups(overlap):
    covered = np.zeros(3)
    runs = 150
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        n = 200
        X = rng.normal(size=(n, 2))
        group = rng.random(n) < 0.4
        # The error is larger in the group; the importance of x0 in squared error is 2 in both.
        y = X[:, 0] + rng.normal(size=n) * np.where(group, 1.5, 1.0)
        explainer = uq.Explainer(lambda X: X[:, 0], X, y, random_state=seed)
        comparison = explainer.compare_rows(group, np.ones(n, bool) if overlap else None)
        true = 1.5**2 - (0.4 * 1.5**2 + 0.6 if overlap else 1.0)
        score = comparison.scores("squared_error").difference
        covered[0] += score.low[0] <= true <= score.high[0]
        importance = comparison.importance("squared_error", ["x0"], n_repeats=4).difference
        covered[1] += importance.low[0] <= 0 <= importance.high[0]
        curve = comparison.dependence("x0", "squared_error", grid=[0.0]).difference
        # The model predicts 0; the target has the variance of x0 and of the noise.
        covered[2] += curve.low[0] <= true <= curve.high[0]
    slack = 3.5 * np.sqrt(0.94 * 0.06 / runs)
    assert (covered / runs > 0.94 - slack).all(), covered / runs
    assert (covered / runs < 1).all()


def test_stress_moves_each_group_from_its_own_mean(explainer):
    comparison = explainer.compare_rows(FIRST, SECOND)
    options = {"taus": [0.0, 0.5], "level": 0.95}
    result = comparison.stress(["x0"], ["mean", "r2"], **options)
    own, other = (
        explainer.stress(["x0"], ["mean", "r2"], rows=rows, **options) for rows in (FIRST, SECOND)
    )
    for name in ("mean", "r2"):
        value = own.values[name] - other.values[name]
        np.testing.assert_allclose(result.difference.values[name], value)
    # Without shared rows the ends are those of independent estimates (Zou and Donner 2008).
    apart = explainer.compare_rows(FIRST).stress(["x0"], ["mean"], **options)
    one, two, own = (getattr(apart, side) for side in ("first", "second", "difference"))
    below = np.hypot(one.values["mean"] - one.low["mean"], two.high["mean"] - two.values["mean"])
    np.testing.assert_allclose(own.low["mean"], own.values["mean"] - below)
    # At tau = 0 the indicator is a plain mean, with the correlation of overlapping means.
    X, _ = table()
    z = np.zeros((2, N))
    for line, rows in zip(z, (FIRST, SECOND), strict=True):
        line[rows] = (model(X)[rows] - model(X)[rows].mean()) / 50
    r = (z[0] @ z[1]) / np.sqrt((z[0] @ z[0]) * (z[1] @ z[1]))
    one, two, own = (getattr(result, side) for side in ("first", "second", "difference"))
    at = list(own.taus).index(0.0)
    a, b = (
        (one.high["mean"] - one.values["mean"])[0, at],
        (two.values["mean"] - two.low["mean"])[0, at],
    )
    above = np.sqrt(a**2 + b**2 - 2 * r * a * b)
    assert own.high["mean"][0, at] == pytest.approx(own.values["mean"][0, at] + above)


def test_stress_of_groups_takes_the_categories_that_both_have():
    rng = np.random.default_rng(0)
    kind = np.where(np.arange(90) < 45, rng.choice(["a", "b"], 90), rng.choice(["b", "c", "a"], 90))
    X = pd.DataFrame({"kind": kind, "x": rng.normal(size=90)})
    explainer = uq.Explainer(lambda X: X["x"].to_numpy() + (X["kind"] == "b"), X)
    result = explainer.compare_rows(np.arange(45)).stress(indicators=["mean"], taus=3)
    assert result.difference.features == ("kind=a", "kind=b", "x")
    assert np.isnan(result.difference.low["mean"]).all()
    with pytest.raises(ValueError, match="without sample_weight"):
        explainer.compare_rows(np.arange(45), sample_weight=np.arange(1, 91)).stress()


@pytest.mark.parametrize("overlap", thorough_after(1, [False, True]))
def test_intervals_of_stress_cover_the_difference_of_groups(overlap):
    covered, runs = np.zeros(3), 40
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        n = 300
        x, group = rng.normal(size=n), rng.random(n) < 0.5
        X = (x + group)[:, None]
        slope = np.where(group, 2.0, 1.0)
        explainer = uq.Explainer(lambda X: X[:, 0], X, slope * x + rng.normal(size=n))
        rows = group, np.ones(n, bool) if overlap else None
        result = explainer.compare_rows(*rows).stress(
            ["x0"], ["mean"], taus=[-0.5, 0, 0.5], level=0.95
        )
        own = result.difference
        at = [list(own.taus).index(tau) for tau in (-0.5, 0.0, 0.5)]
        # Both tails move by the quantile of their group.
        q = 0.5 * 1.6448536
        true = np.array([1.0, 1.0, 1.0])
        if overlap:
            mixed = optimize.brentq(
                lambda t: 0.5 * (stats.norm.cdf(t) + stats.norm.cdf(t - 1)) - 0.95, 0, 5
            )
            q_all = 0.5 * (mixed - 0.5)
            true = np.array([0.5 - q + q_all, 0.5, 0.5 + q - q_all])
        covered += (own.low["mean"][0, at] <= true) & (true <= own.high["mean"][0, at])
    slack = 3.5 * np.sqrt(0.94 * 0.06 / runs)
    assert (covered / runs > 0.94 - slack).all(), covered / runs


@pytest.mark.thorough
def test_the_loss_of_a_metric_differs_between_groups(explainer):
    result = explainer.compare_rows(FIRST).importance("r2", n_repeats=5)
    apart = [explainer.importance("r2", rows=r, n_repeats=5) for r in (FIRST, np.arange(50, N))]
    for name in ("x0", "x1"):
        own, other = (one.importance[one.features.index(name)] for one in apart)
        at = result.difference.features.index(name)
        assert result.difference.importance[at] == pytest.approx(own - other)
        assert result.difference.low[at] < own - other < result.difference.high[at]


def test_metrics_and_weights_are_compared_too(explainer):
    weights = np.random.default_rng(1).gamma(2.0, size=N)
    comparison = explainer.compare_rows(FIRST, sample_weight=weights)
    result = comparison.scores(["r2", "neg_median_absolute_error", "max_error"][:2])
    assert np.isfinite(result.difference.low).all()
    assert result.first.weighted
    picture = comparison.importance("squared_error")._repr_html_()
    assert "chosen rows minus other rows" in picture
    json.dumps(comparison.scores().to_altair().to_dict(), allow_nan=False)


def test_groups_without_rows_are_refused(explainer):
    with pytest.raises(ValueError, match="none is left to compare with; choose some"):
        explainer.compare_rows(np.ones(N, bool))
    with pytest.raises(ValueError, match="rows chooses no row"):
        explainer.compare_rows(np.zeros(N, bool))
    with pytest.raises(ValueError, match="two different names"):
        explainer.compare_rows(FIRST, names=("a", "a"))
    with pytest.raises(ValueError, match="no indicator 'nothing'"):
        explainer.compare_rows(FIRST).scores("nothing")
