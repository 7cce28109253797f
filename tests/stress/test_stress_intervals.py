"""Intervals under stress, compared with bootstraps, leave-one-out fits and binomial intervals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binomtest, skew
from scipy.stats import t as student

import uqwidgets as uq
from cases import thorough_after
from stressed import stressed_rows
from uqwidgets.inference.sums import dot
from uqwidgets.inference.transformed import transformed_interval
from uqwidgets.stress.anchors import anchors_of
from uqwidgets.stress.influence import influence_and_bias
from uqwidgets.stress.intervals import clopper_pearson, corrected_intervals, half_widths
from uqwidgets.stress.projection import Column


@pytest.mark.parametrize("anchor", ["quantile", "tail-mean"])
def test_the_influence_on_an_anchor_is_its_finite_difference(anchor):
    # Smoothed finite difference: count some rows twice and compare the change of the anchor.
    values = np.random.default_rng(1).normal(size=4001)
    anchors = anchors_of(values, 0.05, anchor)
    for upper in (False, True):
        influence = anchors.influence(values, upper=upper)
        assert abs(influence.mean()) < 0.02
        heavy = np.random.default_rng(2).permutation(4001)[:400]
        more = np.concatenate([values, values[heavy]])
        moved = anchors_of(more, 0.05, anchor)
        change = (moved.high if upper else moved.low) - (anchors.high if upper else anchors.low)
        expected = influence[heavy].sum() / len(more)
        assert change == pytest.approx(expected, abs=0.02)


@pytest.mark.thorough
@pytest.mark.parametrize("anchor", thorough_after(1, ["quantile", "tail-mean"]))
def test_the_standard_error_is_that_of_a_bootstrap_with_new_weights(anchor):
    rng = np.random.default_rng(3)
    x = rng.normal(size=1500)
    outputs = np.column_stack([x + rng.normal(size=1500), rng.normal(size=1500) ** 2])
    for tau in (-0.6, 0.0, 0.6):

        def means(rows, tau=tau):
            result = Column(x[rows], 0.05, anchor).project(tau)
            return result.weights @ outputs[rows] / len(rows)

        rows = stressed_rows(Column(x, 0.05, anchor), tau)
        drawn = np.std([means(rng.integers(1500, size=1500)) for _ in range(600)], axis=0)
        for output, spread in zip(outputs.T, drawn, strict=True):
            first_order, _ = rows.influence(output)
            left_out, bias = influence_and_bias(rows.means_without(output), dot(rows.share, output))
            for influence in (first_order, left_out):
                assert abs(influence.mean()) < 0.05
                assert np.sqrt(np.mean(influence**2) / 1500) == pytest.approx(spread, rel=0.2)
            assert abs(bias) < 0.2 * spread


def test_the_skew_slope_of_a_mean_is_half_its_skewness():
    rng = np.random.default_rng(4)
    x, output = rng.normal(size=4000), rng.exponential(size=4000)
    _, skew_slope = stressed_rows(Column(x, 0.05), 0.0).influence(output)
    assert skew_slope == pytest.approx(skew(output) / np.sqrt(4000) / 2, rel=0.05)
    _, symmetric = stressed_rows(Column(x, 0.05), 0.0).influence(rng.normal(size=4000))
    assert abs(symmetric) < 0.005


def without_a_row(x, output, target, target_influence):
    """Return estimate and standard error without each row in turn, by definition."""
    result = []
    for row in range(len(x)):
        rest = np.delete(np.arange(len(x)), row)
        z = x[rest] - (target - target_influence[row] / len(rest))
        xi = brentq(lambda xi, z=z: np.exp(xi * z) @ z, -5, 5, xtol=1e-13)
        w = np.exp(xi * z)
        w /= w.mean()
        mean = w @ output[rest] / len(rest)
        slope = (w * z) @ (output[rest] - mean) / (w @ z**2)
        influence = w * (output[rest] - mean - slope * z) + slope * target_influence[rest]
        result.append([mean, np.sqrt(np.mean(influence**2) / len(rest))])
    return np.array(result).T


@pytest.mark.parametrize("tau", [-0.7, 0.2, 0.4])
def test_the_skew_slope_is_that_of_leave_one_out_errors(tau):
    rng = np.random.default_rng(9)
    x = rng.normal(size=400)
    output = (1 + 0.4 * x) * rng.exponential(size=400)
    column = Column(x, 0.05, "tail-mean")
    rows = stressed_rows(column, tau)
    influence, skew_slope = rows.influence(output)
    # The influence on the target is in units of the weighted deviation.
    unit = np.sqrt(dot(rows.share, np.square(x - column.target(tau))))
    means, errors = without_a_row(x, output, column.target(tau), rows.goals[0] * unit)
    slope = np.polyfit(means, np.log(errors), 1)[0]
    assert skew_slope == pytest.approx(slope * np.sqrt(np.mean(influence**2) / 400), rel=0.1)


@pytest.mark.parametrize("skew_slope", [-0.2, -1e-9, 0.0, 0.1, 0.2])
def test_half_widths_are_quantiles_of_the_skewness_corrected_statistic(skew_slope):
    influence = np.random.default_rng(0).normal(size=300)
    squares = influence**2
    error = np.sqrt(squares.sum()) / 300
    freedom = 2 / ((squares**2).sum() / squares.sum() ** 2 - 1 / 300)
    below, above = half_widths(influence, skew_slope)(0.95)
    for studentised, p in ((below / error, 0.975), (-above / error, 0.025)):
        cubic = (
            studentised
            + 2 / 3 * skew_slope * studentised**2
            + 4 / 27 * skew_slope**2 * studentised**3
        )
        assert cubic + skew_slope / 3 == pytest.approx(student.ppf(p, freedom), abs=1e-5)
    assert (above > below) == (skew_slope > 0) or abs(skew_slope) < 1e-6
    assert half_widths(np.zeros(5), 0.0)(0.95) == (0.0, 0.0)


def test_one_row_with_all_the_influence_gives_a_finite_interval():
    influence = np.zeros(400)
    influence[0] = 1.0
    error = 1 / 400
    for skew_slope in (0.0, 0.5, 30.0, -30.0):
        below, above = half_widths(influence, skew_slope)(0.95)
        assert 0.9 * error < min(below, above) <= max(below, above) < 5 * error
        assert (above > below) == (skew_slope > 0) or skew_slope == 0


def test_shares_of_zero_and_one_have_the_exact_binomial_interval():
    exact = binomtest(0, 30).proportion_ci(0.95)
    assert clopper_pearson(0.0, 30.0, 0.95) == pytest.approx((0.0, exact.high))
    exact = binomtest(30, 30).proportion_ci(0.95)
    assert clopper_pearson(1.0, 30.0, 0.95) == pytest.approx((exact.low, 1.0))


@pytest.mark.parametrize(("hits", "n"), [(6, 143), (40, 143), (137, 143), (25, 1000)])
def test_an_unstressed_share_has_nearly_the_exact_binomial_interval(hits, n):
    rng = np.random.default_rng(0)
    output = np.zeros(n)
    output[rng.permutation(n)[:hits]] = 1.0
    rows = stressed_rows(Column(rng.normal(size=n), 0.05), 0.0)
    influence, skew_slope = rows.influence(output)
    result = corrected_intervals(hits / n, influence, 0.0, skew_slope, (0.0, 1.0), 1.0, 1.0)(0.95)
    exact = binomtest(hits, n).proportion_ci(0.95)
    width = exact.high - exact.low
    assert result == pytest.approx((exact.low, exact.high), abs=0.15 * width)


def test_the_skew_slope_is_corrected_for_the_transformed_scale():
    rng = np.random.default_rng(3)
    output = rng.exponential(size=500)
    rows = stressed_rows(Column(rng.normal(size=500), 0.05), 0.0)
    influence, skew_slope = rows.influence(output)
    mean, error = output.mean(), np.sqrt(np.mean(influence**2) / 500)
    # The logarithm of an exponential's mean has half of its skewness, with the other sign.
    low, high = corrected_intervals(mean, influence, 0.0, skew_slope, (0.0, np.inf), 1.0, 1.0)(0.95)
    sides = half_widths(influence, skew_slope - error / mean)(0.95)
    assert (low, high) == pytest.approx(transformed_interval(mean, sides, (0.0, np.inf)))
    assert sides[0] > sides[1]
    # With a small effective sample size, the scale is hardly corrected for.
    low, high = corrected_intervals(mean, influence, 0.0, skew_slope, (0.0, np.inf), 0.1, 0.0)(0.95)
    assert (low, high) == pytest.approx(
        transformed_interval(mean, half_widths(influence, skew_slope)(0.95), (0, np.inf))
    )


def test_intervals_of_shares_zero_and_one_have_a_width():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 1))
    y = (rng.random(200) < 0.5).astype(int)

    def never(X):
        return np.tile([0.8, 0.2], (len(X), 1))

    ex = uq.Explainer(uq.as_predictive(never, classes=[0, 1]), X, y)
    result = ex.stress(indicators=["share:0", "share:1", "tpr"], taus=[0.5], level=0.95)
    for name, low, high in (("share:0", 0.85, 1.0), ("share:1", 0.0, 0.15), ("tpr", 0.0, 0.25)):
        assert (result.low[name] >= low).all(), name
        assert (result.high[name] <= high).all(), name
        assert (result.high[name] - result.low[name] > 0.015).all(), name
    # The true positive rate rests on the positives, which are half of the rows.
    assert (result.high["tpr"] > 1.2 * result.high["share:1"]).all()


def test_one_row_on_the_edge_has_no_interval():
    X = np.array([[0.0], [1.0], [2.0], [5.0]])
    ex = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
    result = ex.stress(indicators=["mean"], tail=0.01, anchor="tail-mean", taus=3, level=0.95)
    assert result.status[0].tolist() == ["edge", "ok", "edge"]
    assert result.values["mean"][0].tolist() == pytest.approx([0, 2, 5])
    assert np.isnan(result.low["mean"][0, [0, 2]]).all()
    assert np.isfinite(result.high["mean"][0, 1])


def test_rounding_has_no_influence_on_the_edge():
    rng = np.random.default_rng(4)
    for _ in range(50):
        x = rng.normal(size=60)
        x[rng.integers(60, size=3)] = x.max() + 0.1 * rng.random()
        top = x == x.max()
        weights = np.where(top, len(x) / top.sum(), 0.0)
        output = rng.normal(size=60)
        rows = stressed_rows(Column(x, 0.001, "tail-mean"), 1.0, weights)
        influence, _ = rows.influence(output)
        plain = weights * (output - output[top].mean())
        assert np.abs(influence[~top]).max() == 0
        np.testing.assert_allclose(influence / rows.hc4_factor, plain, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("unit", [1e-200, 1e-5, 1e150])
def test_influence_does_not_depend_on_the_unit_of_a_column(unit):
    rng = np.random.default_rng(8)
    x, output = rng.normal(size=200), rng.normal(size=200)
    one, other = (stressed_rows(Column(c, 0.05), 0.6).influence(output) for c in (x, x * unit))
    np.testing.assert_allclose(one[0], other[0], rtol=1e-6, atol=1e-9)
    assert one[1] == pytest.approx(other[1], rel=1e-4)


@pytest.mark.parametrize("unit", [1e-100, 1.0, 1e70])
def test_intervals_scale_with_the_unit_of_the_target(unit):
    rng = np.random.default_rng(10)
    X = rng.normal(size=(80, 1))
    y = unit * (X[:, 0] + rng.normal(size=80))
    explainer = uq.Explainer(lambda X: 0.8 * unit * X[:, 0], X, y)
    names = ["mean", "absolute_error", "neg_mean_absolute_error"]
    result = explainer.stress(indicators=names, taus=3, level=0.9)
    plain = uq.Explainer(lambda X: 0.8 * X[:, 0], X, y / unit)
    expected = plain.stress(indicators=names, taus=3, level=0.9)
    for name in names:
        np.testing.assert_allclose(result.low[name] / unit, expected.low[name], rtol=1e-6)
        np.testing.assert_allclose(result.high[name] / unit, expected.high[name], rtol=1e-6)


@pytest.mark.parametrize("n", [2, 3, 8, 20])
@pytest.mark.parametrize(("tail", "level"), [(0.001, 0.999), (0.49, 0.5)])
def test_intervals_of_few_rows_contain_the_value_within_bounds(n, tail, level):
    rng = np.random.default_rng(n)
    X = np.column_stack([rng.normal(size=n), rng.random(n) < 0.3, rng.lognormal(0, 3, n)])
    model = uq.as_predictive(lambda X: np.column_stack([X[:, 0] < 0, X[:, 0] >= 0]) * 1.0, [0, 1])
    explainer = uq.Explainer(model, X, (X[:, 0] + rng.normal(size=n) > 0).astype(int))
    result = explainer.stress(taus=5, tail=tail, level=level)
    for name in result.indicators:
        low, value, high = (side[name] for side in (result.low, result.values, result.high))
        known = np.isfinite(low)
        assert (known == np.isfinite(high)).all()
        assert (low <= value)[known].all()
        assert (value <= high)[known].all()
        least, most = explainer.indicators[name].bounds
        assert (low >= least)[known].all()
        assert (high <= most)[known].all()
