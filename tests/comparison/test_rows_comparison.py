"""One model in two groups of rows: apart, overlapping, and one inside the other."""

from __future__ import annotations

import json

import numpy as np
import pytest

import uqwidgets as uq

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
        comparison.scores().difference,
    ):
        np.testing.assert_allclose(difference.frame[["low", "high"]], 0, atol=1e-12)


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


@pytest.mark.parametrize("overlap", [False, True])
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
    with pytest.raises(ValueError, match="none is left to compare with"):
        explainer.compare_rows(np.ones(N, bool))
    with pytest.raises(ValueError, match="rows chooses no row"):
        explainer.compare_rows(np.zeros(N, bool))
    with pytest.raises(ValueError, match="two different names"):
        explainer.compare_rows(FIRST, names=("a", "a"))
    with pytest.raises(ValueError, match="no indicator 'nothing'"):
        explainer.compare_rows(FIRST).scores("nothing")
