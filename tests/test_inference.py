"""Weighted means over rows, and intervals, against slow and literal formulas."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from models import permuted_donors
from uqwidgets.inference import (
    checked_interval,
    checked_level,
    half_width,
    mean_change,
    mean_over_rows,
)
from uqwidgets.population import Population, effective_sample_size


def changes(n=25, repeats=6, seed=0):
    """Row effects, donor effects, and noise of their pairs."""
    rng = np.random.default_rng(seed)
    donors = permuted_donors(0, seed, repeats, n)
    row, donor = rng.normal(size=n), rng.normal(size=n)
    return row + donor[donors] + 0.5 * rng.normal(size=(repeats, n)), donors


def populations(n=25):
    rng = np.random.default_rng(1)
    weights, rows = rng.gamma(1.0, size=n), np.arange(3, 19)
    return {
        "all": Population.of(n),
        "weighted": Population.of(n, weights),
        "filtered": Population.of(n, rows=rows),
        "both": Population.of(n, weights, rows),
        "zeros": Population.of(n, weights * (np.arange(n) % 3 > 0)),
    }


POPULATIONS = populations()


def literal(change, donors, population):
    """The estimate and both standard errors of `mean_change`, term by term."""
    w, s = population.weights, population.scored
    repeats, n = change.shape
    pairs = [(k, i, donors[k, i]) for k in range(repeats) for i in range(n)]
    total = sum(s[i] * w[d] for k, i, d in pairs)
    theta = sum(s[i] * w[d] * change[k, i] for k, i, d in pairs) / total
    c = total / (repeats * n)
    m = s.sum() ** 2 / (s**2).sum()

    scored, donor, drawn = np.zeros(n), np.zeros(n), np.zeros(n)
    for i in range(n):
        seen = [s[i] * w[donors[k, i]] * (change[k, i] - theta) / c for k in range(repeats)]
        scored[i] = np.mean(seen)
        drawn[i] = np.var(seen, ddof=1) / repeats if repeats > 1 else 0.0
        received = [int(np.flatnonzero(donors[k] == i)[0]) for k in range(repeats)]
        given = [s[r] * w[i] * (change[k, r] - theta) / c for k, r in enumerate(received)]
        donor[i] = np.mean(given)
    model = (scored**2).sum() / n**2 * m / (m - 1)
    both = ((scored + donor) ** 2).sum() / n**2 * m / (m - 1) - drawn.sum() / n**2
    return theta, np.sqrt(model), np.sqrt(max(model, both))


@pytest.mark.parametrize("name", POPULATIONS)
@pytest.mark.parametrize("repeats", [1, 2, 6])
def test_both_intervals_are_their_formulas(name, repeats):
    change, donors = changes(repeats=repeats)
    population = POPULATIONS[name]
    theta, model, both = literal(change, donors, population)
    for interval, expected in (("model", model), ("u-statistic", both)):
        found = mean_change(change, donors, population, interval)
        assert found.estimate == pytest.approx(theta, rel=1e-12)
        assert found.std_error == pytest.approx(expected, rel=1e-10)
    assert both >= model


def test_chunks_of_repeats_change_nothing(monkeypatch):
    change, donors = changes(repeats=7)
    for population in POPULATIONS.values():
        whole = mean_change(change, donors, population, "u-statistic")
        with monkeypatch.context() as patched:
            patched.setattr("uqwidgets.inference._CACHED_VALUES", 60)
            cut = mean_change(change, donors, population, "u-statistic")
        assert cut.estimate == pytest.approx(whole.estimate, rel=1e-13)
        assert cut.std_error == pytest.approx(whole.std_error, rel=1e-12)
        np.testing.assert_allclose(cut.repeats, whole.repeats, rtol=1e-13)


def test_model_interval_is_equation_6():
    change, donors = changes()
    per_row = change.mean(axis=0)
    found = mean_change(change, donors, Population.of(25), "model")
    pfi = per_row.mean()
    variance = ((per_row - pfi) ** 2).sum() / (25 * 24)
    width = half_width(found.std_error, 0.9, Population.of(25))
    assert found.estimate == pytest.approx(pfi, rel=1e-13)
    assert found.estimate + width == pytest.approx(
        pfi + stats.t.ppf(0.95, 24) * np.sqrt(variance), rel=1e-12
    )
    chosen = np.arange(3, 19)
    filtered = mean_change(change, donors, POPULATIONS["filtered"], "model")
    assert filtered.estimate == pytest.approx(per_row[chosen].mean())
    assert filtered.std_error == pytest.approx(stats.sem(per_row[chosen]))


def test_repeats_and_rows_average_to_the_estimate():
    change, donors = changes()
    for name, population in POPULATIONS.items():
        found = mean_change(change, donors, population, "u-statistic")
        w, s = population.weights, population.scored
        pair_weights = (s * w[donors]).sum(axis=1)
        assert np.average(found.repeats, weights=pair_weights) == pytest.approx(found.estimate)
        per_row_weights = s * w[donors].sum(axis=0)
        assert np.average(found.per_row, weights=per_row_weights) == pytest.approx(found.estimate)
        if name == "all":
            np.testing.assert_allclose(found.repeats, change.mean(axis=1))
            np.testing.assert_allclose(found.per_row, change.mean(axis=0))


def test_no_change_is_zero_with_an_interval_of_zero():
    _, donors = changes()
    for population in POPULATIONS.values():
        for interval in ("u-statistic", "model"):
            found = mean_change(np.zeros(donors.shape), donors, population, interval)
            assert (found.estimate, found.std_error) == (0.0, 0.0)


def test_a_population_without_pairs_has_no_importance():
    change, donors = changes(repeats=1)
    alone = Population.of(25, np.arange(25) == 4)
    if donors[0, 4] == 4:
        donors = np.roll(donors, 1, axis=1)
    found = mean_change(change, donors, alone, "u-statistic")
    assert np.isnan(found.estimate)
    assert np.isnan(found.std_error)
    assert np.isnan(found.repeats).all()


def test_a_repeat_without_pairs_is_left_out():
    change, donors = changes(repeats=40)
    few = Population.of(25, np.arange(25) < 2)
    found = mean_change(change, donors, few, "u-statistic")
    assert np.isnan(found.repeats).any()
    pairs = [(k, i) for k in range(40) for i in range(2) if donors[k, i] < 2]
    assert found.estimate == pytest.approx(np.mean([change[p] for p in pairs]))


def test_band_is_equation_5():
    values = np.random.default_rng(3).normal(size=(4, 25))
    mean, std_error = mean_over_rows(values, Population.of(25))
    np.testing.assert_allclose(mean, values.mean(axis=1))
    np.testing.assert_allclose(std_error, stats.sem(values, axis=1))
    chosen = np.arange(3, 19)
    mean, std_error = mean_over_rows(values, POPULATIONS["filtered"])
    np.testing.assert_allclose(mean, values[:, chosen].mean(axis=1))
    np.testing.assert_allclose(std_error, stats.sem(values[:, chosen], axis=1))


def test_weights_of_a_whole_number_count_a_row_that_often_in_the_mean():
    values = np.random.default_rng(3).normal(size=(4, 25))
    times = np.random.default_rng(4).integers(0, 4, 25)
    mean, _ = mean_over_rows(values, Population.of(25, times))
    np.testing.assert_allclose(mean, np.repeat(values, times, axis=1).mean(axis=1))


def test_standard_error_under_weights_is_that_of_repeated_sampling():
    # The truth: the weighted mean's spread over 4000 samples of 60 rows.
    rng = np.random.default_rng(0)
    draws = rng.normal(size=(4000, 60))
    means, errors = [], []
    for values in draws:
        population = Population.of(60, np.exp(0.5 * values))
        mean, error = mean_over_rows(values[None], population)
        means.append(mean[0])
        errors.append(error[0])
    # The standard deviation of 4000 has a relative error of 1/sqrt(8000) = 1.1 %; weights that
    # depend on the value bias the formula by some per cent more.
    assert np.mean(errors) == pytest.approx(np.std(means), rel=0.08)


def test_half_width_is_students():
    for population, df in ((Population.of(10), 9), (Population.of(10, rows=[1, 2, 5]), 2)):
        expected = stats.t.ppf(0.975, df) * 0.3
        assert half_width(0.3, 0.95, population) == pytest.approx(expected)
    weighted = POPULATIONS["weighted"]
    expected = stats.t.ppf(0.95, weighted.ess - 1)
    np.testing.assert_allclose(half_width([1.0, 2.0], 0.9, weighted), [expected, 2 * expected])
    assert np.isnan(half_width(0.3, 0.95, Population.of(10, rows=[4])))


def test_effective_sample_size():
    assert effective_sample_size(np.ones(7)) == pytest.approx(7)
    assert effective_sample_size(np.array([0.0, 3.0, 0.0])) == pytest.approx(1)
    assert Population.of(10, rows=[2, 3]).ess == pytest.approx(2)


@pytest.mark.parametrize("level", [0, 1, 2, -0.5, float("nan")])
def test_levels_out_of_range(level):
    with pytest.raises(ValueError, match=r"level is .*; it must be between 0 and 1, such as 0.95"):
        checked_level(level)


def test_an_unknown_interval_brings_the_known():
    assert checked_interval("model") == "model"
    with pytest.raises(ValueError, match="no interval 'u-stat'; did you mean 'u-statistic'"):
        checked_interval("u-stat")


class TestPopulation:
    def test_weights_have_mean_one_whatever_their_scale(self):
        given_weights = np.array([1.0, 2.0, 3.0, 0.0])
        for scale in (1e-300, 1e-5, 1.0, 1e300):
            found = Population.of(4, given_weights * scale)
            np.testing.assert_allclose(found.weights, given_weights / 1.5)
            assert found.weighted
        assert not Population.of(4).weighted
        np.testing.assert_array_equal(Population.of(4).weights, 1)

    def test_rows_are_a_mask_or_positions(self):
        for rows in ([1, 3], [3, 1, 1], [-1, 1], np.array([False, True, False, True])):
            found = Population.of(4, rows=rows)
            np.testing.assert_array_equal(found.positions, [1, 3])
            np.testing.assert_array_equal(found.scored, [0, 1, 0, 1])
            np.testing.assert_array_equal(found.weights, 1)

    @pytest.mark.parametrize(
        ("options", "says"),
        [
            ({"sample_weight": [1, 2, 3]}, r"sample_weight has shape \(3,\); X has 4 rows"),
            (
                {"sample_weight": [1, -2, 3, 4]},
                r"sample_weight is -2 in row 1; weights must be fin",
            ),
            ({"sample_weight": [1, 2, np.nan, 4]}, r"sample_weight is nan in row 2"),
            ({"sample_weight": [0, 0, 0, 0]}, r"sample_weight is 0 everywhere"),
            ({"rows": [4]}, r"rows names position 4; X has 4 rows, counted from 0"),
            ({"rows": [-5, 1]}, r"rows names position -5; X has 4 rows"),
            ({"rows": []}, r"rows chooses no row"),
            ({"rows": [False] * 4}, r"rows chooses no row"),
            ({"rows": [True] * 3}, r"the mask rows has shape \(3,\); X has 4 rows"),
            ({"rows": [0.5, 1.0]}, r"rows must be a mask or positions"),
            ({"rows": ["a"]}, r"rows must be a mask or positions"),
            ({"rows": [1], "sample_weight": [1, 0, 1, 1]}, r"every chosen row has weight 0"),
        ],
    )
    def test_bad_rows_and_weights_are_refused(self, options, says):
        with pytest.raises(ValueError, match=says):
            Population.of(4, **options)

    @given(
        arrays(float, 12, elements=st.floats(0, 1e308)).filter(np.any),
        st.none() | st.lists(st.integers(-12, 11), min_size=1),
    )
    def test_any_weights_and_rows(self, weights, rows):
        scored = np.zeros(12, dtype=bool)
        scored[slice(None) if rows is None else rows] = True
        if not (weights / weights.max())[scored].any():
            return
        found = Population.of(12, weights, rows)
        assert found.weights.mean() == pytest.approx(1)
        assert found.weights.min() >= 0
        assert set(np.flatnonzero(found.scored)) <= set(found.positions)
        assert 1 - 1e-9 <= found.ess <= scored.sum() + 1e-9
