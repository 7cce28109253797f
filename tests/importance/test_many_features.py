"""Importance of many features: all at once, tests, rows needed and the remark."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from uqwidgets.inference.moments import bounds_of_moments

N, P = 200, 12
INTERVALS = ("u-statistic", "model", "random-variable", "fixed-data")


def table(n=N, p=P, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, X[:, 0] + rng.normal(size=n)


def explainer(n=N, p=P, seed=0, factor=1.0, **options):
    """Explain a linear model of the first feature, with noise in all coefficients but the last."""
    X, y = table(n, p, seed)
    slopes = np.r_[factor, np.random.default_rng(1).normal(size=p - 2) / 10, 0.0]
    return uq.Explainer(lambda X: (X @ slopes, np.exp(0.2 * X[:, 1] * X[:, 2])), X, y, **options)


@pytest.fixture(scope="module")
def ex():
    return explainer()


@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize("compare", ["difference", "ratio"])
def test_each_interval_is_that_of_the_pointwise_level(ex, interval, compare):
    options = {"interval": interval, "compare": compare, "n_repeats": 4}
    together = ex.importance("squared_error", simultaneous=True, **options)
    alone = ex.importance("squared_error", level=together.pointwise_level, **options)
    assert together.simultaneous
    assert not alone.simultaneous
    # The model ignores the last feature, which therefore does not count.
    count = P if interval in ("fixed-data", "random-variable") else P - 1
    assert 0.95 < together.pointwise_level <= 0.95 ** (1 / count) + 1e-12
    for end in ("importance", "low", "high"):
        np.testing.assert_allclose(getattr(together, end), getattr(alone, end), rtol=1e-9)
    assert ", all 12 at once" in repr(together)
    assert "all 12 at once" in together._repr_html_()
    assert "at once" not in repr(alone) + alone._repr_html_()


@pytest.mark.parametrize("metric", ["r2", "neg_mean_squared_error"])
def test_metrics_hold_at_once_by_the_groups_of_the_jackknife(ex, metric):
    together = ex.importance(metric, n_repeats=3, simultaneous=True)
    alone = ex.importance(metric, n_repeats=3, level=together.pointwise_level)
    np.testing.assert_array_equal(together.frame, alone.frame)
    two_sided = alone.tests(None, "two-sided")["p_value"]
    clear = (alone.low > 0) | (alone.high < 0)
    np.testing.assert_array_equal(clear, two_sided < 1 - together.pointwise_level)


def test_one_feature_is_as_it_was(ex):
    together = ex.importance("nll", ["x0"], simultaneous=True)
    alone = ex.importance("nll", ["x0"])
    assert together.pointwise_level == 0.95
    pd.testing.assert_frame_equal(together.frame, alone.frame, check_exact=True)
    assert "at once" not in repr(together)


def test_groups_of_rows_are_the_units():
    groups = np.repeat(np.arange(30), 10)
    X, y = table(300)
    X, y = X[groups * 10] + 0.1 * X, y[groups * 10] + 0.1 * y
    slopes = np.r_[1.0, np.random.default_rng(1).normal(size=P - 1) / 10]
    grouped, single = (
        uq.Explainer(lambda X: X @ slopes, X, y, groups=labels).importance(
            "squared_error", simultaneous=True
        )
        for labels in (groups, None)
    )
    assert [block.shape[1] for block in grouped.family._blocks] == [30] * P
    assert [block.shape[1] for block in single.family._blocks] == [300] * P
    width = grouped.high - grouped.low
    assert (width > 1.5 * (single.high - single.low)[np.argsort(single.features)].min()).all()
    assert list(grouped.rows_needed()) == ["feature", "groups"]
    assert list(single.rows_needed()) == ["feature", "rows"]


def test_weights_and_a_stream_hold_at_once_too(ex):
    weights = np.random.default_rng(2).exponential(size=N)
    options = {"sample_weight": weights, "n_repeats": 4, "simultaneous": True}
    *_, last = ex.importance("nll", stream=True, **options)
    whole = ex.importance("nll", **options)
    pd.testing.assert_frame_equal(last.frame, whole.frame, check_exact=True)
    assert last.pointwise_level == whole.pointwise_level > 0.95


def test_equal_features_need_no_correction():
    X = np.repeat(np.random.default_rng(0).normal(size=(N, 1)), 2, axis=1)
    y = X[:, 0] + np.random.default_rng(1).normal(size=N)
    explainer = uq.Explainer(lambda X: X.sum(axis=1) / 2, X, y)
    correlated = explainer.importance("squared_error", n_repeats="all", simultaneous=True)
    assert correlated.pointwise_level == pytest.approx(0.95, abs=0.004)


def test_both_importances_of_a_diagnosis_hold_at_once(ex):
    result = ex.diagnose(simultaneous=True)
    nll = ex.importance("nll", simultaneous=True)
    assert nll.pointwise_level < result.pointwise_level <= 0.95 ** (1 / 13)
    _, low, high = bounds_of_moments(nll.moments, result.pointwise_level)
    np.testing.assert_array_equal([result.nll_low, result.nll_high], [low, high])
    assert "all 24 at once" in repr(result)
    assert "all 24 at once" in result._repr_html_()
    tests = result.tests(None)
    entropy = ex.importance("entropy").tests(None, "two-sided")
    merged = tests[tests["measure"] == "entropy"].merge(entropy, on="feature")
    np.testing.assert_array_equal(merged["p_value_x"], merged["p_value_y"])
    with pytest.raises(ValueError, match="differ in simultaneous"):
        uq.importance.diagnosis.diagnose(nll, ex.importance("entropy"))


@pytest.mark.parametrize("compare", ["difference", "ratio"])
def test_differences_hold_at_once(ex, compare):
    for comparison in (ex.compare(explainer(factor=0.7)), ex.compare_rows(np.arange(N) < 90)):
        for measure in ("squared_error", "r2"):
            if (measure, compare) == ("r2", "ratio"):
                continue
            options = {"compare": compare, "n_repeats": 3}
            together = comparison.importance(measure, simultaneous=True, **options)
            level = together.difference.pointwise_level
            alone = comparison.importance(measure, level=level, **options)
            assert 0.95 < level <= 0.95 ** (1 / P)
            np.testing.assert_allclose(together.frame["low"], alone.frame["low"], rtol=1e-9)
            p = alone.tests(None)["p_value"].to_numpy()
            clear = (alone.difference.low > 0) | (alone.difference.high < 0)
            np.testing.assert_array_equal(clear, p < 1 - level)
            assert len(together.rows_needed()) == P


def test_adjusted_p_values_find_no_more_than_single_ones(ex):
    result = ex.importance("squared_error")
    frames = {adjust: result.tests(adjust) for adjust in ("holm", "bh", None)}
    assert (frames["holm"]["p_adjusted"] >= frames["bh"]["p_adjusted"]).all()
    assert (frames["bh"]["p_adjusted"] >= frames[None]["p_adjusted"]).all()
    # The ignored feature is no test: the smallest of the other p-values counts eleven times.
    smallest = frames["holm"].loc[frames["holm"]["p_value"].idxmin()]
    assert smallest["p_adjusted"] == pytest.approx(11 * smallest["p_value"])
    with pytest.raises(ValueError, match="adjustment"):
        result.tests("bonferroni")
    with pytest.raises(ValueError, match="alternative"):
        result.tests(alternative="more")
    with pytest.raises(ValueError, match="null is 'zero'"):
        result.tests(null="zero")


def test_what_has_no_moments_has_no_tests(ex):
    quantile = ex.importance("nll", interval="quantile")
    for method in (quantile.tests, quantile.rows_needed):
        with pytest.raises(ValueError, match="no p-values"):
            method()
    with pytest.raises(ValueError, match="no interval for their mean"):
        ex.importance("nll", interval="quantile", simultaneous=True)
    with pytest.raises(ValueError, match="simultaneous is 'yes'"):
        ex.importance("nll", simultaneous="yes")


def test_rows_needed_follow_the_interval(ex):
    result = ex.importance("squared_error")
    needed = result.rows_needed().set_index("feature")["rows"]
    clear = (result.low > 0) | (result.high < 0)
    np.testing.assert_array_equal(needed <= N, clear)
    below_noise = np.abs(result.importance) <= result.std_error
    np.testing.assert_array_equal(np.isinf(needed), below_noise)
    at_once = ex.importance("squared_error", simultaneous=True).rows_needed()
    finite = ~below_noise
    assert (at_once["rows"].to_numpy()[finite] > needed.to_numpy()[finite]).all()


def test_the_remark_counts_the_false_finds_that_chance_makes(ex):
    (remark,) = (r for r in ex.importance("squared_error").remarks if r.code == "many-features")
    assert remark.startswith("each of 11 intervals")
    assert "0.28 of them" in remark
    codes = {
        remark.code
        for options in ({"simultaneous": True}, {"features": ["x0", "x1"]})
        for remark in ex.importance("squared_error", **options).remarks
    }
    assert "many-features" not in codes
    found = ex.importance("squared_error", compare="ratio", level=0.8).remarks
    assert any("1.1 of them" in r and "above 1" in r for r in found)


def test_chance_makes_as_many_false_finds_as_the_remark_says():
    rng, p, tables = np.random.default_rng(3), 12, 60
    above = below = at_once = 0
    slopes = np.r_[np.zeros(1), np.full(p - 1, 0.2)]  # the target is the first feature, and noise
    for _ in range(tables):
        X = rng.normal(size=(150, p))
        y = X[:, 0] + rng.normal(size=150)
        ex = uq.Explainer(lambda X: X[:, 0] + X @ slopes, X, y)
        alone = ex.importance("squared_error", n_repeats=2)
        together = ex.importance("squared_error", n_repeats=2, simultaneous=True)
        is_null = np.array(alone.features) != "x0"
        above += int((alone.low > 0)[is_null].sum())
        below += int((alone.high < 0)[is_null].sum())
        at_once += bool(((together.low > 0) | (together.high < 0))[is_null].any())
    expected = tables * (p - 1) * 0.025  # 16.5 on each side, with a deviation of 4
    assert abs(above - expected) < 3 * np.sqrt(expected)
    assert abs(below - expected) < 3 * np.sqrt(expected)
    assert at_once <= tables * 0.05 + 3 * np.sqrt(tables * 0.05 * 0.95)


def test_a_result_holds_few_numbers_for_each_feature():
    result = explainer(n=3000).importance("squared_error", n_repeats=2, simultaneous=True)
    assert [numbers.shape for numbers in result.moments] == [(P,)] * 9
    assert sum(block.size for block in result.family._blocks) == 1000 * (P - 1)
    plain = replace(result, family=None, pointwise_level=None)
    assert not plain.simultaneous
